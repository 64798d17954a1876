// SPDX-License-Identifier: Apache-2.0
//
// src/audit/recompute.hpp - primal, dual and gap anew, by the plainest code there is.
//
// Used by verify alone. Of what training uses it shares the formulas of kernels and losses, and the
// shape of a Certificate; ROOMS.toml keeps problems, operators, solvers and compute out of reach.
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

/// The few rows where something is greatest.
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

/// The training data as the problem sees them.
struct TrainingRows {
    Dataset rows;                  ///< scaled
    std::vector<double> targets;   ///< rows x outputs; for classes their index, one per row
    std::vector<double> costs;     ///< cost * weight * class weight, one per row; of a machine that
                                   ///< compares without the cost: a comparison multiplies two
    std::vector<index_t> queries;  ///< of the rows; empty: all of one
    bool looked_up = false;        ///< the rows are kernel values; see by_row_numbers()
};

/// The two-class machine or the output that is looked at: which rows it has, and their targets.
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
        index_t column = 0;  ///< of its values and of its coefficients
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

    /// Calls use(i, row, beta) for every row of the output; `places` are those of the rows among
    /// the support rows, < 0: none.
    template <typename Use>
    void for_each(const TrainingRows& training, std::span<const index_t> places,
                  const Use& use) const {
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (const Row each = row(training, i); each.present) {
                use(i, each, coefficient(places[i], each.column));
            }
        }
    }

    /// Of the support row at `place` (< 0: none) in a row's column.
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

/// Sums over the support for every training row and output, row-major. With ovo there is a value
/// for each other class only, rows x (labels - 1): `targets` says which class a row has.
struct TrainingValues {
    std::vector<double> f;           ///< sum_j beta_j k(x_j, x_i), without intercept
    std::vector<double> magnitudes;  ///< sum_j |beta_j k(x_j, x_i)|: what rounding is relative to
};

/// Each kernel value by the scalar formula. Throws InvalidArgument where the kernel is not defined.
[[nodiscard]] TrainingValues training_values(const Model& model, const TrainingRows& training,
                                             Context& context);

struct Recomputed {
    Certificate certificate;  ///< at the model's own coefficients and intercept
    double mass = kNaN;       ///< nu-machines: what sum |beta| must be
    WorstRows outside;        ///< rows whose coefficient leaves its box, by how much of the cost
    WorstRows contributors;   ///< rows that make up the gap
    double sum = 0.0;         ///< of the coefficients
    double absolute_sum = 0.0;
    bool bounds_values = true;  ///< the gap bounds the distance of f from the best one, too
    index_t strangers = 0;      ///< comparisons of the model that the data do not ask for
    double bound = kNaN;        ///< on the exact gap; NaN: not computed for this kind of model
    double loosest = 0.0;       ///< with it: what one that knows float64 alone may be
    double rounding = 0.0;      ///< how far primal and dual may move when kernel values are rounded
};

// How far two float64 ways to a kernel value differ, relative to it: some 50 roundings.
inline constexpr double kValueRounding = 1e-14;

/// Row of the model for each training row; -1 off the support.
[[nodiscard]] std::vector<index_t> support_places(const Model& model);

/// The one certificate of a joint problem of many classes. `sum` and `absolute_sum` are those of
/// the class that is balanced worst.
[[nodiscard]] Recomputed recompute_joint(const Model& model, const TrainingRows& training,
                                         const TrainingValues& values);

/// The certificate of a maximum likelihood fit: the multipliers follow from the values and are
/// moved onto the score's equations. `sum` is the worst of these, `absolute_sum` the size of its
/// terms.
[[nodiscard]] Recomputed recompute_likelihood(const Model& model, const TrainingRows& training,
                                              const TrainingValues& values);

/// The certificate of one output of a model that pays for its coefficients: the multipliers follow
/// from the values, are balanced and scaled into the dual set. `sum` and `absolute_sum` are theirs.
[[nodiscard]] Recomputed recompute_sparse(const Model& model, const TrainingRows& training,
                                          const TrainingValues& values, index_t output,
                                          Context& context);

/// The certificate of a perceptron: rows on the wrong side, with those whose side rounding leaves
/// open. `sum` is that of the coefficients, `outside` the rows whose coefficient has the other
/// class's sign, `rounding` the number of rows that training may have counted for their rounding.
[[nodiscard]] Recomputed recompute_disagreement(const Model& model, const TrainingRows& training,
                                                const TrainingValues& values);

/// The certificate of an ordinal or ranking machine. `sum` is how far, where it is worst, a
/// coefficient (or 0 at a threshold) is from what the multipliers make of it, `absolute_sum` their
/// size there.
[[nodiscard]] Recomputed recompute_comparisons(const Model& model, const TrainingRows& training,
                                               const TrainingValues& values);

/// The values of a model on columns: X w, in which no kernel is asked.
[[nodiscard]] TrainingValues column_values(const Model& model, const TrainingRows& training,
                                           Context& context);
/// The certificate of such a model.
[[nodiscard]] Recomputed recompute_columns(const Model& model, const TrainingRows& training,
                                           const TrainingValues& values);

/// The same of a model whose f is a sum of the kernel functions that have a coefficient in the
/// output, of no others: K_JJ of these is factored for the distance of f from what the multipliers
/// make of it.
[[nodiscard]] Recomputed recompute_basis(const Model& model, const TrainingRows& training,
                                         const TrainingValues& values, index_t output,
                                         Context& context);

/// The rows of one problem, side by side.
struct ProblemRows {
    std::vector<index_t> numbers;  ///< in the training data
    std::vector<double> y;
    std::vector<double> c;
    std::vector<double> beta;
    std::vector<double> f;
    std::vector<double> magnitude;  ///< of f
};

/// Those of an output, without rows that cost nothing; such a row with a coefficient is offered to
/// `again.outside`.
[[nodiscard]] ProblemRows problem_rows(const Model& model, const TrainingRows& training,
                                       const TrainingValues& values, index_t output,
                                       Recomputed& again);

/// sum_j a_j k(row j, x) at every x of `wanted`, each kernel value by the scalar formula.
[[nodiscard]] TrainingValues kernel_sums(const Model& model, const Dataset& rows,
                                         const std::vector<double>& a, const Dataset& wanted,
                                         Context& context);

/// The multipliers -c loss'(f + b) that the values make. With an intercept all of them are moved by
/// one number, each kept in its box, so that they sum to 0.
[[nodiscard]] std::vector<double> multipliers_of(const Model& model, const Loss& loss,
                                                 const ProblemRows& rows, double b);

/// `sum` and `absolute_sum` of `again`: those of the multipliers.
void sum_multipliers(const std::vector<double>& a, Recomputed& again);

/// One output's certificate from the values of training_values().
[[nodiscard]] Recomputed recompute(const Model& model, const TrainingRows& training,
                                   const TrainingValues& values, index_t output, Context& context);

}  // namespace mercer
