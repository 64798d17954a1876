// SPDX-License-Identifier: Apache-2.0
//
// src/audit/coefficient_sum.hpp - how far recomputed values of f may be off, and f in 113 bits.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "audit/recompute.hpp"
#include "mercer/base/quad.hpp"
#include "mercer/base/types.hpp"
#include "mercer/kernels/precise.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

class Context;

/// The rows with the largest positive excess: half of those that have any.
[[nodiscard]] std::vector<std::size_t> worst_half(const std::vector<double>& excess);

/// The rounding of kernel values between some rows of the training data.
class KernelBounds {
public:
    /// `numbers` are the rows in the training data. All references must outlive this object.
    KernelBounds(const Model& model, const TrainingRows& training, std::vector<index_t> numbers);

    [[nodiscard]] const KernelRounding& rounding() const noexcept { return rounding_; }
    /// No less than sqrt(k(x, x)) of row i: |k(x, z)| is at most the product of two of them.
    [[nodiscard]] double scale(std::size_t i) const { return scales_[i]; }
    [[nodiscard]] double diagonal(std::size_t i) const;
    /// True if kernel values can be had in 113 bits.
    [[nodiscard]] bool is_precise() const;

    [[nodiscard]] const Model& model() const noexcept { return model_; }
    [[nodiscard]] const Dataset& data() const noexcept { return data_; }
    [[nodiscard]] std::span<const index_t> numbers() const noexcept { return numbers_; }
    [[nodiscard]] bool looked_up() const noexcept { return looked_up_; }

private:
    [[nodiscard]] bool is_plain() const;
    [[nodiscard]] KernelRounding rounding_of_values() const;

    const Model& model_;
    const Dataset& data_;
    bool looked_up_;
    std::vector<index_t> numbers_;
    std::vector<double> scales_;
    KernelRounding rounding_;
};

/// f = sum_j beta_j k(x_j, .) over these rows.
class CoefficientSum {
public:
    /// One coefficient for each row of `bounds`.
    CoefficientSum(const KernelBounds& bounds, std::vector<double> beta);

    /// Bound on |computed - exact| of f at row i that comes from kernel values in float64.
    [[nodiscard]] double error_of(std::size_t i) const;
    /// The same for sums in plain float64, as training computes them.
    [[nodiscard]] double plain_error() const;
    /// Sum of |beta|.
    [[nodiscard]] double absolute_sum() const noexcept { return l1_; }

    /// Calls take(i, f, error) for these rows, with f in 113 bits; from several threads.
    void at_rows(std::span<const std::size_t> rows, Context& context,
                 const std::function<void(std::size_t, Quad, double)>& take);

    /// Must be called before the next two, which may then be called from several threads.
    void prepare();
    /// f at row i in 113 bits.
    [[nodiscard]] Quad precise_value(std::size_t i) const;
    [[nodiscard]] double precise_error(std::size_t i) const;

private:
    void gather_equal_rows();
    void sum_columns();
    [[nodiscard]] double lost() const;

    const KernelBounds& bounds_;
    std::vector<double> beta_;
    std::vector<Quad> gathered_;       ///< sums of equal rows, at the first of them; others 0
    std::vector<double> rounded_off_;  ///< by these sums
    std::vector<Quad> columns_;        ///< column weights, for a linear kernel only
    double support_ = 0.0;             ///< number of nonzero coefficients
    double l1_ = 0.0;                  ///< sum of |beta|
    double weight_ = 0.0;              ///< sum |beta| sqrt(k(x, x))
    double gathered_l1_ = 0.0;         ///< the same two sums of gathered_, with what they lost
    double gathered_weight_ = 0.0;
};

}  // namespace mercer
