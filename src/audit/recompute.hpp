// SPDX-License-Identifier: Apache-2.0
//
// src/audit/recompute.hpp - primal, dual and gap computed again, by the simplest possible code.
//
// Used only by verify. It shares with training the formulas of kernels and losses and the type
// Certificate; ROOMS.toml forbids it to include problems, operators, solvers and compute.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "audit/two_double_sum.hpp"
#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/models/class_pairs.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

class Context;

/// The few rows with the largest values.
class WorstRows {
public:
    void offer(index_t row, double amount);
    [[nodiscard]] bool empty() const noexcept { return worst_.empty(); }
    [[nodiscard]] double largest() const noexcept {
        return worst_.empty() ? 0.0 : worst_.front().amount;
    }
    [[nodiscard]] index_t first() const noexcept {
        return worst_.empty() ? -1 : worst_.front().row;
    }
    /// "rows 3 (0.25) and 17 (0.1)", counted from 1.
    [[nodiscard]] std::string text() const;

private:
    struct Entry {
        index_t row = 0;
        double amount = 0.0;
    };
    std::vector<Entry> worst_;
};

/// The training data in the form the problem uses.
struct TrainingRows {
    Dataset rows;                  ///< scaled
    std::vector<double> targets;   ///< rows x outputs; for classes the class index, one per row
    std::vector<double> costs;     ///< cost * weight * class weight, one per row; without the cost
                                   ///< for a machine that compares rows, where a comparison
                                   ///< multiplies two
    std::vector<index_t> queries;  ///< query of each row; empty: all rows are one query
    bool looked_up = false;        ///< the rows are kernel values; see by_row_numbers()
};

/// True for a regression whose mass is shared out by a tube; for machines with `nu`.
[[nodiscard]] inline bool has_tube(const Model& model) {
    return model.machine != kOneClass && model.labels.empty();
}

/// One output or two-class machine: its rows and their targets.
class OutputRows {
public:
    OutputRows(const Model& model, index_t output)
        : model_(model), output_(output), classes_(static_cast<index_t>(model.labels.size())) {
        if (model.multiclass == "ovo") {
            index_t place = output;
            while (place >= classes_ - 1 - first_) {
                place -= classes_ - 1 - first_;
                ++first_;
            }
            second_ = first_ + 1 + place;
        }
    }

    struct Row {
        bool present = true;
        double target = 0.0;
        index_t column = 0;  ///< column of its values and coefficients
    };

    [[nodiscard]] Row row(const TrainingRows& training, std::size_t i) const {
        if (classes_ == 0) {
            const auto outputs = static_cast<std::size_t>(model_.outputs());
            return {true, training.targets[i * outputs + static_cast<std::size_t>(output_)],
                    output_};
        }
        const auto own = static_cast<index_t>(training.targets[i]);
        if (model_.multiclass.empty()) {
            return {true, own == 1 ? 1.0 : -1.0, 0};
        }
        if (model_.multiclass == "ovr") {
            return {true, own == output_ ? 1.0 : -1.0, output_};
        }
        if (own == first_) {
            return {true, 1.0, column_against(first_, second_)};
        }
        return {own == second_, -1.0, column_against(second_, first_)};
    }

    /// Calls use(i, row, beta) for every row of the output; `places` are the indices of the rows
    /// among the support rows, < 0 if a row is not a support row.
    template <typename Use>
    void for_each(const TrainingRows& training, std::span<const index_t> places,
                  const Use& use) const {
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (const Row each = row(training, i); each.present) {
                use(i, each, coefficient(places[i], each.column));
            }
        }
    }

    /// The coefficient of the support row at `place` (< 0: none) in a row's column.
    [[nodiscard]] double coefficient(index_t place, index_t column) const {
        return place < 0 ? 0.0
                         : model_.coefficients[static_cast<std::size_t>(
                               place * model_.coefficient_columns() + column)];
    }

private:
    const Model& model_;
    index_t output_;
    index_t classes_;
    index_t first_ = 0;
    index_t second_ = 0;
};

/// Sums over the support rows for every training row and output, row-major. With ovo there is only
/// one value for each other class, rows x (labels - 1); `targets` has the class of each row.
struct TrainingValues {
    std::vector<double> f;           ///< sum_j beta_j k(x_j, x_i), without intercept
    std::vector<double> magnitudes;  ///< sum_j |beta_j k(x_j, x_i)|: rounding is relative to this
};

/// Evaluates each kernel value by the scalar formula. Throws InvalidArgument outside the kernel's
/// domain.
[[nodiscard]] TrainingValues training_values(const Model& model, const TrainingRows& training,
                                             Context& context);

struct Recomputed {
    Certificate certificate;  ///< at the model's own coefficients and intercept
    double mass = kNaN;       ///< nu-machines: the required sum |beta|
    WorstRows outside;        ///< rows with a coefficient outside its box, and by what share of the
                              ///< cost
    WorstRows contributors;   ///< rows with the largest terms of the gap
    double sum = 0.0;         ///< of the coefficients
    double absolute_sum = 0.0;
    bool bounds_values = true;  ///< the gap also bounds the distance of f from the optimal f
    index_t strangers = 0;      ///< comparisons of the model that do not occur in the data
    double bound = kNaN;        ///< on the exact gap; NaN: not computed for this kind of model
    double loosest = 0.0;       ///< the largest acceptable bound from float64 alone; with `bound`
    double rounding = 0.0;      ///< possible change of primal and dual by rounded kernel values
};

// Relative difference between two float64 evaluations of a kernel value: some 50 roundings.
inline constexpr double kValueRounding = 1e-14;

/// Index of the support row for each training row; -1 if it is none.
[[nodiscard]] std::vector<index_t> support_places(const Model& model);

/// The single certificate of a joint multiclass problem. `sum` and `absolute_sum` are those of the
/// class with the worst balance.
[[nodiscard]] Recomputed recompute_joint(const Model& model, const TrainingRows& training,
                                         const TrainingValues& values, Context& context);

/// The certificate of a maximum likelihood fit: the multipliers are derived from the values and
/// moved to satisfy the score equations. `sum` is the residual of the worst equation,
/// `absolute_sum` the size of its terms.
[[nodiscard]] Recomputed recompute_likelihood(const Model& model, const TrainingRows& training,
                                              const TrainingValues& values);

/// The certificate of one output of a model with a penalty on its coefficients: the multipliers are
/// derived from the values, balanced, and scaled into the dual set. `sum` and `absolute_sum` are
/// theirs.
[[nodiscard]] Recomputed recompute_sparse(const Model& model, const TrainingRows& training,
                                          const TrainingValues& values, index_t output,
                                          Context& context);

/// The certificate of a perceptron: the number of rows on the wrong side, including those whose
/// side rounding leaves open. `sum` is that of the coefficients, `outside` the rows whose
/// coefficient has the sign of the other class, `rounding` the number of rows that training may
/// have counted because of rounding.
[[nodiscard]] Recomputed recompute_disagreement(const Model& model, const TrainingRows& training,
                                                const TrainingValues& values);

/// The certificate of an ordinal or ranking machine. `sum` is the largest difference between a
/// coefficient (0 at a threshold) and the sum of its multipliers, `absolute_sum` the size of these
/// multipliers.
[[nodiscard]] Recomputed recompute_comparisons(const Model& model, const TrainingRows& training,
                                               const TrainingValues& values, Context& context);

/// The values of a model on columns: X w, without kernel evaluations.
[[nodiscard]] TrainingValues column_values(const Model& model, const TrainingRows& training,
                                           Context& context);
/// The certificate of a model on columns.
[[nodiscard]] Recomputed recompute_columns(const Model& model, const TrainingRows& training,
                                           const TrainingValues& values);

/// The certificate of a model with a basis: f is a sum of only those kernel functions J with a
/// coefficient in the output. K_JJ is factored to measure the distance of f from the function that
/// the multipliers define.
[[nodiscard]] Recomputed recompute_basis(const Model& model, const TrainingRows& training,
                                         const TrainingValues& values, index_t output,
                                         Context& context);

/// The rows of one problem, as parallel arrays.
struct ProblemRows {
    std::vector<index_t> numbers;  ///< row numbers in the training data
    std::vector<double> y;
    std::vector<double> c;
    std::vector<double> beta;
    std::vector<double> f;
    std::vector<double> magnitude;  ///< of f
};

/// The rows of an output with positive cost; a row without cost that has a coefficient is reported
/// in `again.outside`.
[[nodiscard]] ProblemRows problem_rows(const Model& model, const TrainingRows& training,
                                       const TrainingValues& values, index_t output,
                                       Recomputed& again);

/// sum_j a_j k(row j, x) at every x of `wanted`, each kernel value by the scalar formula.
[[nodiscard]] TrainingValues kernel_sums(const Model& model, const Dataset& rows,
                                         const std::vector<double>& a, const Dataset& wanted,
                                         Context& context);

/// The multipliers -c loss'(f + b) that follow from the values. With an intercept all of them are
/// shifted by one number, each clipped to its box, so that they sum to 0.
[[nodiscard]] std::vector<double> multipliers_of(const Model& model, const Loss& loss,
                                                 const ProblemRows& rows, double b);

/// Sets `sum` and `absolute_sum` of `again` to those of the multipliers.
void sum_multipliers(const std::vector<double>& a, Recomputed& again);

/// The certificate of one output, from the values of training_values().
[[nodiscard]] Recomputed recompute(const Model& model, const TrainingRows& training,
                                   const TrainingValues& values, index_t output, Context& context);

}  // namespace mercer
