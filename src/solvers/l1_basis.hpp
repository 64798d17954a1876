// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_basis.hpp - the functions that the coefficients of an l1 problem belong to.
//
//     minimise over beta, b:   l1 sum_j |beta_j| + rho/2 beta' G beta + sum_i c_i loss(y_i, z_i)
//
// with z = Z beta + b. Functions at the rows have Z = G = K, the columns themselves Z = X and
// G = 1. The solver sees columns of Z and r = Z'a - rho G beta, never a kernel.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/operators/linear_rows.hpp"
#include "mercer/problems/sparse.hpp"
#include "mercer/problems/sparse_columns.hpp"

namespace mercer {

class Context;

class L1Basis {
public:
    virtual ~L1Basis() = default;
    L1Basis(const L1Basis&) = delete;
    L1Basis& operator=(const L1Basis&) = delete;

    [[nodiscard]] const Problem& risk() const noexcept { return risk_; }
    [[nodiscard]] double l1() const noexcept { return l1_; }
    /// rho: 1/2 beta' G beta is part of the objective.
    [[nodiscard]] bool norm() const noexcept { return norm_; }
    /// G is the identity, not Z.
    [[nodiscard]] bool orthonormal() const noexcept { return orthonormal_; }
    /// Number of coefficients.
    [[nodiscard]] index_t size() const noexcept { return size_; }

    /// Z beta, in float64.
    [[nodiscard]] virtual std::vector<double> values(std::span<const double> beta,
                                                     Context& context) const = 0;
    /// r of multipliers and coefficients, in float64.
    [[nodiscard]] virtual std::vector<double> slopes(std::span<const double> a,
                                                     std::span<const double> beta,
                                                     Context& context) const = 0;
    /// Writes the columns of Z into the rows of `out`.
    virtual void load(std::span<const index_t> columns, MatrixView<double> out,
                      Context& context) const = 0;
    /// Adds G among some coefficients to the upper left of h.
    virtual void add_norm(std::span<const index_t> members, MatrixView<double> h,
                          Context& context) const = 0;
    /// An estimate of the certified gap.
    [[nodiscard]] virtual double estimated_gap(std::span<const double> beta,
                                               std::span<const double> a,
                                               std::span<const double> r) const = 0;

    /// A coefficient and its column.
    struct Member {
        index_t j;
        const double* column;
    };
    /// G(j, j).
    [[nodiscard]] double own_norm(const Member& member) const {
        return orthonormal_ ? 1.0 : member.column[member.j];
    }
    /// True when two functions are so similar that one of them can replace the other.
    [[nodiscard]] virtual bool alike(const Member& one, const Member& other) const = 0;

protected:
    L1Basis(const Problem& risk, double l1, bool norm, bool orthonormal, index_t size)
        : risk_(risk), l1_(l1), norm_(norm), orthonormal_(orthonormal), size_(size) {}

    /// What the losses add to the gap if the dual point is t times the multipliers.
    [[nodiscard]] double estimated_loss_gap(std::span<const double> a, double t) const;

private:
    const Problem& risk_;
    double l1_;
    bool norm_;
    bool orthonormal_;
    index_t size_;
};

/// Kernel functions at the rows. The problem must outlive it.
class KernelBasis : public L1Basis {
public:
    explicit KernelBasis(const SparseProblem& problem)
        : L1Basis(problem.risk, problem.l1, problem.rkhs, false, problem.size()),
          problem_(problem) {}

    [[nodiscard]] std::vector<double> values(std::span<const double> beta,
                                             Context& context) const override;
    [[nodiscard]] std::vector<double> slopes(std::span<const double> a,
                                             std::span<const double> beta,
                                             Context& context) const override;
    void load(std::span<const index_t> columns, MatrixView<double> out,
              Context& context) const override;
    void add_norm(std::span<const index_t> members, MatrixView<double> h,
                  Context& context) const override;
    [[nodiscard]] double estimated_gap(std::span<const double> beta, std::span<const double> a,
                                       std::span<const double> r) const override;
    [[nodiscard]] bool alike(const Member& one, const Member& other) const override;

private:
    const SparseProblem& problem_;
    mutable std::unique_ptr<const GramBlock> whole_;  ///< its columns are laid out on first use
};

/// The columns of the rows. The problem must outlive it.
class ColumnBasis : public L1Basis {
public:
    explicit ColumnBasis(const SparseColumnProblem& problem)
        : L1Basis(problem.risk, problem.l1, problem.ridge, true, columns_of(problem).columns()),
          x_(columns_of(problem)) {}

    [[nodiscard]] std::vector<double> values(std::span<const double> beta,
                                             Context& context) const override;
    [[nodiscard]] std::vector<double> slopes(std::span<const double> a,
                                             std::span<const double> beta,
                                             Context& context) const override;
    void load(std::span<const index_t> columns, MatrixView<double> out,
              Context& context) const override;
    void add_norm(std::span<const index_t> members, MatrixView<double> h,
                  Context& context) const override;
    [[nodiscard]] double estimated_gap(std::span<const double> beta, std::span<const double> a,
                                       std::span<const double> r) const override;
    [[nodiscard]] bool alike(const Member& one, const Member& other) const override;

private:
    const LinearRows& x_;
};

}  // namespace mercer
