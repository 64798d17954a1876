// SPDX-License-Identifier: Apache-2.0
//
// src/models/predict.cpp - decision values, row by row in a fixed order.
//
// Rows go through in batches that bound the memory of scaled and laid-out copies. A value depends
// on its own row and the model alone, so where batches begin does not show in the bits.
#include "mercer/models/predict.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/entries.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/linear_form.hpp"
#include "mercer/models/class_pairs.hpp"
#include "mercer/models/kernel_values.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

// A batch lays the support rows out anew, so it must be long; 8192 rows make that 1/8192 of the
// work or less.
constexpr index_t kLongestBatch = 8192;
constexpr index_t kShortestBatch = 64;
constexpr index_t kRowsPerTask = 256;

// Below this many weights a linear model always collapses; above, only when the weight vector is
// not much longer than the support rows themselves (wide sparse data).
constexpr index_t kFewWeights = index_t{1} << 16;

/// Rows begin .. begin + count - 1, borrowed.
Dataset slice(const Dataset& data, index_t begin, index_t count, Context& context) {
    if (const auto* sparse = std::get_if<CsrView>(&data.storage())) {
        const auto first =
            static_cast<std::size_t>(sparse->offsets[static_cast<std::size_t>(begin)]);
        struct Places {
            std::vector<index_t> offsets;
            std::vector<index_t> lists;
        };
        const auto cut = [&](std::span<const index_t> places) {
            std::vector<index_t> some;
            for (index_t i = begin; !places.empty() && i <= begin + count; ++i) {
                some.push_back(places[static_cast<std::size_t>(i)] -
                               places[static_cast<std::size_t>(begin)]);
            }
            return some;
        };
        const auto own =
            std::make_shared<const Places>(Places{cut(sparse->offsets), cut(sparse->lists)});
        const auto stored = static_cast<std::size_t>(own->offsets.back());
        CsrView view{own->offsets, sparse->indices, sparse->values.subspan(first, stored),
                     sparse->column_count, own->lists};
        if (!sparse->lists.empty()) {
            view.indices = sparse->indices.subspan(
                static_cast<std::size_t>(sparse->lists[static_cast<std::size_t>(begin)]),
                static_cast<std::size_t>(own->lists.back()));
        } else if (!sparse->gapless()) {
            view.indices = sparse->indices.subspan(first, stored);
        }
        return Dataset::from_checked(view, own, context.memory());
    }
    const RowStorage rows = std::visit(
        [&](const auto& all) -> RowStorage {
            if constexpr (std::is_same_v<std::decay_t<decltype(all)>, CsrView>) {
                return all;
            } else {
                return std::decay_t<decltype(all)>(all.row(begin), count, all.columns, all.stride);
            }
        },
        data.storage());
    return Dataset::from_checked(rows, nullptr, context.memory());
}

/// Dense rows with zeros up to `columns`: a scaling wants them as wide as in training.
template <typename T>
Dataset widened(const MatrixView<const T>& rows, index_t columns, Context& context) {
    auto wide = std::make_shared<Buffer<T>>(context.memory(), checked_multiply(rows.rows, columns),
                                            "padded rows");
    for (index_t i = 0; i < rows.rows; ++i) {
        std::copy_n(rows.row(i), rows.columns, wide->data() + i * columns);
    }
    return Dataset::from_checked(MatrixView<const T>(wide->data(), rows.rows, columns), wide,
                                 context.memory());
}

void require_width(const Model& model, const Dataset& rows) {
    if (rows.columns() > model.columns) {
        throw InvalidArgument(fmt::format("columns: got {}, the model was trained on {}",
                                          rows.columns(), model.columns));
    }
}

/// The batch as the kernel sees it.
Dataset as_trained(const Model& model, Dataset rows, Context& context) {
    if (!model.scaling) {
        return rows;
    }
    if (!rows.is_sparse() && rows.columns() < model.columns) {
        const auto* narrow = std::get_if<MatrixView<const float>>(&rows.storage());
        rows = narrow != nullptr ? widened(*narrow, model.columns, context)
                                 : widened(std::get<MatrixView<const double>>(rows.storage()),
                                           model.columns, context);
    }
    return model.scaling->apply(rows);
}

/// ovo: the class of each support row; else empty.
std::vector<index_t> classes_of_support(const Model& model) {
    std::vector<index_t> classes;
    for (std::size_t c = 0; c < model.class_support.size(); ++c) {
        classes.insert(classes.end(), static_cast<std::size_t>(model.class_support[c]),
                       static_cast<index_t>(c));
    }
    return classes;
}

/// The output that coefficient column t of support row i belongs to.
index_t output_of(const Model& model, const std::vector<index_t>& classes, index_t i, index_t t) {
    if (classes.empty()) {
        return t;
    }
    const index_t own = classes[static_cast<std::size_t>(i)];
    return pair_place(own, class_against(own, t), static_cast<index_t>(model.labels.size()));
}

bool collapses(const Model& model) {
    if (linear_factor(model.kernel) == 0.0 || model.support.rows() <= model.outputs()) {
        return false;
    }
    const std::optional<index_t> weights = try_multiply(model.columns, model.outputs());
    return weights && *weights <= std::max(kFewWeights, 4 * model.support.stored());
}

/// A linear model as its weight vectors, outputs x columns.
class LinearMachine {
public:
    LinearMachine(const Model& model, Context& context)
        : model_(model),
          weights_(context.allocate<double>(checked_multiply(model.outputs(), model.columns),
                                            "weights of the linear model")) {
        Buffer<double> lost = context.allocate<double>(weights_.size(), "rounding errors");
        std::visit([&](const auto& rows) { add_rows(rows, lost); }, model.support.storage());
        const double factor = linear_factor(model.kernel);
        for (index_t j = 0; j < weights_.size(); ++j) {
            weights_[j] = factor * (weights_[j] + lost[j]);
        }
    }

    void decide(const Dataset& batch, MatrixView<double> out, Context& context) const {
        const index_t tiles = (batch.rows() + kRowsPerTask - 1) / kRowsPerTask;
        parallel_for(context, tiles, [&](index_t tile, int) {
            const index_t end = std::min(batch.rows(), (tile + 1) * kRowsPerTask);
            std::visit(
                [&](const auto& rows) {
                    for (index_t i = tile * kRowsPerTask; i < end; ++i) {
                        for (index_t t = 0; t < out.columns; ++t) {
                            out(i, t) = product(rows, i, weights_.data() + t * model_.columns);
                        }
                    }
                },
                batch.storage());
        });
    }

private:
    /// w += coefficient * row for all rows in order, with Neumaier's correction in `lost`.
    template <typename Rows>
    void add_rows(const Rows& rows, Buffer<double>& lost) {
        const std::vector<index_t> classes = classes_of_support(model_);
        const index_t width = model_.coefficient_columns();
        for (index_t i = 0; i < model_.support.rows(); ++i) {
            for (index_t t = 0; t < width; ++t) {
                const double c = model_.coefficients[static_cast<std::size_t>(i * width + t)];
                const index_t start = output_of(model_, classes, i, t) * model_.columns;
                data::for_each_entry(rows, i, [&](index_t j, double value) {
                    const double term = c * value;
                    double& sum = weights_[start + j];
                    const double next = sum + term;
                    lost[start + j] +=
                        std::abs(sum) >= std::abs(term) ? (sum - next) + term : (term - next) + sum;
                    sum = next;
                });
            }
        }
    }

    /// Four sums, chosen by the column: zeros add nothing, so dense and sparse rows agree.
    template <typename Rows>
    static double product(const Rows& rows, index_t i, const double* w) {
        std::array<double, 4> sums{};
        data::for_each_entry(rows, i, [&](index_t j, double value) {
            sums[static_cast<std::size_t>(j) % 4] += w[j] * value;
        });
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }

    const Model& model_;
    Buffer<double> weights_;
};

/// f of a batch without intercepts, out = K coefficients.
void multiply_rows(const Model& model, const Dataset& batch, MatrixView<double> out,
                   Context& context) {
    const MatrixView<const double> coefficients(model.coefficients.data(), model.support.rows(),
                                                model.coefficient_columns());
    if (model.multiclass != "ovo") {
        GramMatrix(model.kernel, batch, model.support, Precision::float64, context)
            .multiply(coefficients, out, context);
        return;
    }
    // Class by class: its rows against the batch give one value for each other class, and a pair's
    // value is the sum of the two classes' shares.
    const auto classes = static_cast<index_t>(model.labels.size());
    Buffer<double> shares =
        context.allocate<double>(checked_multiply(batch.rows(), classes - 1), "decision values");
    const MatrixView<double> share(shares.data(), batch.rows(), classes - 1);
    index_t begin = 0;
    for (index_t own = 0; own < classes; ++own) {
        const index_t count = model.class_support[static_cast<std::size_t>(own)];
        if (count == 0) {
            continue;
        }
        const Dataset rows = slice(model.support, begin, count, context);
        GramMatrix(model.kernel, batch, rows, Precision::float64, context)
            .multiply({coefficients.row(begin), count, classes - 1}, share, context);
        std::vector<index_t> place;
        for (index_t t = 0; t < classes - 1; ++t) {
            place.push_back(pair_place(own, class_against(own, t), classes));
        }
        parallel_for(context, (batch.rows() + kRowsPerTask - 1) / kRowsPerTask,
                     [&](index_t tile, int) {
                         const index_t end = std::min(batch.rows(), (tile + 1) * kRowsPerTask);
                         for (index_t i = tile * kRowsPerTask; i < end; ++i) {
                             for (index_t t = 0; t < classes - 1; ++t) {
                                 out(i, place[static_cast<std::size_t>(t)]) += share(i, t);
                             }
                         }
                     });
        begin += count;
    }
}

/// Rows per batch: as many as a quarter of the free memory holds, scaled and laid out.
index_t batch_rows(const Model& model, const Dataset& rows, Context& context) {
    const bool dense = !rows.is_sparse() || (model.scaling && !model.scaling->keeps_zeros());
    const index_t entries =
        dense ? model.columns : rows.stored() / std::max<index_t>(1, rows.rows()) + 1;
    const index_t row_bytes = checked_multiply(32, std::max<index_t>(1, entries));
    const index_t fitting = context.memory()->left() / 4 / row_bytes;
    return std::clamp(fitting, kShortestBatch, kLongestBatch);
}

void add_intercepts(const Model& model, index_t begin, MatrixView<double> out) {
    for (index_t i = 0; i < out.rows; ++i) {
        for (index_t t = 0; t < out.columns; ++t) {
            out(i, t) += model.intercepts[static_cast<std::size_t>(t)];
            if (!std::isfinite(out(i, t))) {
                throw InvalidArgument(
                    fmt::format("row {}: the decision value overflows", begin + i + 1));
            }
        }
    }
}

}  // namespace

Dataset rows_as_trained(const Model& model, const Dataset& rows, Context& context) {
    require_width(model, rows);
    return as_trained(model, rows, context);
}

std::vector<double> decision_function(const Model& model, const Dataset& rows, Context& context) {
    require_width(model, rows);
    if (is_precomputed(model.kernel)) {
        return decision_function(by_row_numbers(model), rows, context);
    }
    const index_t outputs = model.outputs();
    std::vector<double> out(static_cast<std::size_t>(checked_multiply(rows.rows(), outputs)), 0.0);
    const std::unique_ptr<const LinearMachine> linear =
        collapses(model) ? std::make_unique<const LinearMachine>(model, context) : nullptr;
    const index_t step = batch_rows(model, rows, context);
    for (index_t begin = 0; begin < rows.rows(); begin += step) {
        const index_t count = std::min(step, rows.rows() - begin);
        const MatrixView<double> target(out.data() + begin * outputs, count, outputs);
        if (model.support.rows() > 0) {
            const Dataset batch = as_trained(model, slice(rows, begin, count, context), context);
            if (linear != nullptr) {
                linear->decide(batch, target, context);
            } else {
                multiply_rows(model, batch, target, context);
            }
        }
        add_intercepts(model, begin, target);
    }
    return out;
}

}  // namespace mercer
