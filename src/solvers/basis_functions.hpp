// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/basis_functions.hpp - the candidate functions of a basis, by their values on rows.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/operators/linear_rows.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/runtime/memory.hpp"

namespace mercer {

class Context;

class BasisFunctions {
public:
    virtual ~BasisFunctions() = default;

    [[nodiscard]] virtual index_t count() const = 0;

    /// The values of some functions on all rows: one row of `out` for each.
    virtual void evaluate(std::span<const index_t> which, MatrixView<double> out,
                          Context& context) const = 0;

    /// The inner product of function a, whose values are given, with function b.
    [[nodiscard]] virtual double product(index_t a, const double* values_of_a, index_t b) const = 0;
};

/// k(x_j, .) of every row: the inner products are kernel values.
class KernelFunctions final : public BasisFunctions {
public:
    KernelFunctions(const Problem& problem, Context& context);
    [[nodiscard]] index_t count() const override { return problem_.size(); }
    void evaluate(std::span<const index_t> which, MatrixView<double> out,
                  Context& context) const override;
    [[nodiscard]] double product(index_t, const double* values_of_a, index_t b) const override {
        return values_of_a[b];
    }

private:
    const Problem& problem_;
    std::unique_ptr<const GramBlock> gram_;  ///< its columns are all rows, laid out once
};

/// The columns of the rows: orthonormal in the space of the weights.
class ColumnFunctions final : public BasisFunctions {
public:
    ColumnFunctions(const LinearRows& rows, Context& context);
    [[nodiscard]] index_t count() const override { return static_cast<index_t>(begin_.size()) - 1; }
    void evaluate(std::span<const index_t> which, MatrixView<double> out,
                  Context& context) const override;
    [[nodiscard]] double product(index_t a, const double*, index_t b) const override {
        return a == b ? 1.0 : 0.0;
    }

private:
    std::vector<index_t> begin_;  ///< start of each column among the entries
    Buffer<index_t> rows_;        ///< row numbers of the nonzero entries
    Buffer<double> values_;
};

}  // namespace mercer
