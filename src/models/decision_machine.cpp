// SPDX-License-Identifier: Apache-2.0
//
// src/models/decision_machine.cpp - decision values, row by row in a fixed order.
//
// Rows are processed in batches, which bound the memory of scaled and laid-out copies. A value
// depends only on its row and the rule, so the batch boundaries do not affect the bits.
#include "models/decision_machine.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/class_pairs.hpp"
#include "mercer/models/kernel_values.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"
#include "models/linear_weights.hpp"

namespace mercer {

namespace {

// Classes that are not held in memory are laid out again for each batch, so batches must be long;
// with 8192 rows this is at most 1/8192 of the work.
constexpr index_t kLongestBatch = 8192;
constexpr index_t kShortestBatch = 64;
constexpr index_t kRowsPerTask = 256;

/// The rows begin .. begin + count - 1 of a data set, borrowed.
Dataset slice(const CsrView& all, index_t begin, index_t count, Context& context) {
    const auto first = static_cast<std::size_t>(all.offsets[static_cast<std::size_t>(begin)]);
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
    const auto own = std::make_shared<const Places>(Places{cut(all.offsets), cut(all.lists)});
    const auto stored = static_cast<std::size_t>(own->offsets.back());
    CsrView view{own->offsets, all.indices, all.values.subspan(first, stored), all.column_count,
                 own->lists};
    if (!all.lists.empty()) {
        view.indices = all.indices.subspan(
            static_cast<std::size_t>(all.lists[static_cast<std::size_t>(begin)]),
            static_cast<std::size_t>(own->lists.back()));
    } else if (!all.gapless()) {
        view.indices = all.indices.subspan(first, stored);
    }
    return Dataset::from_checked(view, own, context.memory());
}

template <typename T>
Dataset slice(const MatrixView<const T>& all, index_t begin, index_t count, Context& context) {
    const MatrixView<const T> rows(all.row(begin), count, all.columns, all.stride);
    return Dataset::from_checked(rows, nullptr, context.memory());
}

Dataset slice(const Dataset& data, index_t begin, index_t count, Context& context) {
    return std::visit([&](const auto& all) { return slice(all, begin, count, context); },
                      data.storage());
}

/// Dense rows padded with zeros to `columns`: scaling needs them as wide as in training.
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

void require_width(const PredictionRule& rule, const Dataset& rows) {
    if (rows.columns() > rule.columns) {
        throw InvalidArgument(fmt::format("columns: got {}, the model was trained on {}",
                                          rows.columns(), rule.columns));
    }
}

/// The batch as the kernel sees it.
Dataset as_trained(const PredictionRule& rule, Dataset rows, Context& context) {
    if (!rule.scaling) {
        return rows;
    }
    if (!rows.is_sparse() && rows.columns() < rule.columns) {
        const auto* narrow = std::get_if<MatrixView<const float>>(&rows.storage());
        rows = narrow != nullptr ? widened(*narrow, rule.columns, context)
                                 : widened(std::get<MatrixView<const double>>(rows.storage()),
                                           rule.columns, context);
    }
    return rule.scaling->apply(rows);
}

/// Bytes of the laid-out support rows: an upper bound, not counting padding.
index_t layout_bytes(const PredictionRule& rule) {
    const index_t entry_bytes = rule.support.is_sparse() ? 16 : 8;
    return checked_multiply(rule.support.stored(), entry_bytes);
}

/// Rows per batch: as many as fit into a quarter of the free memory, scaled and laid out.
index_t batch_rows(const PredictionRule& rule, const Dataset& rows, Context& context) {
    const bool dense = !rows.is_sparse() || (rule.scaling && !rule.scaling->keeps_zeros());
    const index_t entries =
        dense ? rule.columns : rows.stored() / std::max<index_t>(1, rows.rows()) + 1;
    const index_t row_bytes = checked_multiply(32, std::max<index_t>(1, entries));
    const index_t fitting = context.memory()->left() / 4 / row_bytes;
    return std::clamp(fitting, kShortestBatch, kLongestBatch);
}

void add_intercepts(const PredictionRule& rule, index_t begin, MatrixView<double> out) {
    for (index_t i = 0; i < out.rows; ++i) {
        for (index_t t = 0; t < out.columns; ++t) {
            out(i, t) += rule.intercepts[static_cast<std::size_t>(t)];
            if (!std::isfinite(out(i, t))) {
                throw InvalidArgument(
                    fmt::format("row {}: the decision value overflows", begin + i + 1));
            }
        }
    }
}

/// Adds the sums over the support rows of class `own`, one value for each other class, to the
/// values of the class's pairs.
void add_share(index_t own, MatrixView<const double> share, MatrixView<double> out,
               Context& context) {
    const index_t classes = share.columns + 1;
    std::vector<index_t> place;
    for (index_t t = 0; t < share.columns; ++t) {
        place.push_back(pair_place(own, class_against(own, t), classes));
    }
    const index_t tiles = (share.rows + kRowsPerTask - 1) / kRowsPerTask;
    parallel_for(context, tiles, [&](index_t tile, int) {
        const index_t end = std::min(share.rows, (tile + 1) * kRowsPerTask);
        for (index_t i = tile * kRowsPerTask; i < end; ++i) {
            for (index_t t = 0; t < share.columns; ++t) {
                out(i, place[static_cast<std::size_t>(t)]) += share(i, t);
            }
        }
    });
}

}  // namespace

/// A contiguous block of support rows: all of them, or those of one class.
struct DecisionMachine::Part {
    index_t begin = 0;
    index_t count = 0;
    std::optional<GramMatrix> gram;  ///< zero rows against these, laid out; empty: not held
};

DecisionMachine::DecisionMachine(const PredictionRule& rule, Holding holding, Context& context)
    : numbered_(is_precomputed(rule.kernel)
                    ? std::make_unique<const PredictionRule>(by_row_numbers(rule))
                    : nullptr),
      rule_(numbered_ != nullptr ? *numbered_ : rule) {
    if (rule_.support.rows() == 0) {
        return;
    }
    if (collapses(rule_)) {
        linear_ = std::make_unique<const LinearWeights>(rule_, context);
        return;
    }
    const bool pairs = rule_.multiclass == "ovo";
    const bool held = !pairs || (holding == Holding::all_rows &&
                                 layout_bytes(rule_) <= context.memory()->left() / 4);
    const std::vector<index_t> counts =
        pairs ? rule_.class_support : std::vector<index_t>{rule_.support.rows()};
    index_t begin = 0;
    for (const index_t count : counts) {
        Part part{begin, count, std::nullopt};
        if (held && count > 0) {
            const Dataset rows =
                pairs ? slice(rule_.support, begin, count, context) : rule_.support;
            part.gram.emplace(rule_.kernel, slice(rows, 0, 0, context), rows, Precision::float64,
                              context);
        }
        parts_.push_back(std::move(part));
        begin += count;
    }
}

DecisionMachine::~DecisionMachine() = default;

std::vector<double> DecisionMachine::values(const Dataset& rows, Context& context) const {
    require_width(rule_, rows);
    const index_t outputs = rule_.outputs();
    std::vector<double> out(static_cast<std::size_t>(checked_multiply(rows.rows(), outputs)), 0.0);
    const index_t step = batch_rows(rule_, rows, context);
    for (index_t begin = 0; begin < rows.rows(); begin += step) {
        const index_t count = std::min(step, rows.rows() - begin);
        const MatrixView<double> target(out.data() + begin * outputs, count, outputs);
        if (rule_.support.rows() > 0) {
            const Dataset batch = as_trained(rule_, slice(rows, begin, count, context), context);
            if (linear_ != nullptr) {
                linear_->decide(batch, target, context);
            } else if (rule_.multiclass == "ovo") {
                add_classes(batch, target, context);
            } else {
                multiply(parts_.front(), batch, target, context);
            }
        }
        add_intercepts(rule_, begin, target);
    }
    return out;
}

/// out = K coefficients, where K is the batch against the rows of the part.
void DecisionMachine::multiply(const Part& part, const Dataset& batch, MatrixView<double> out,
                               Context& context) const {
    const index_t width = rule_.coefficient_columns();
    const MatrixView<const double> coefficients(rule_.coefficients.data() + part.begin * width,
                                                part.count, width);
    const GramMatrix gram =
        part.gram
            ? GramMatrix(*part.gram, batch, context)
            : GramMatrix(rule_.kernel, batch, slice(rule_.support, part.begin, part.count, context),
                         Precision::float64, context);
    gram.multiply(coefficients, out, context);
}

/// Class by class: the rows of a class against the batch give one value for each other class, and
/// the value of a pair is the sum of its two classes' values.
void DecisionMachine::add_classes(const Dataset& batch, MatrixView<double> out,
                                  Context& context) const {
    const auto classes = static_cast<index_t>(parts_.size());
    Buffer<double> shares =
        context.allocate<double>(checked_multiply(batch.rows(), classes - 1), "decision values");
    const MatrixView<double> share(shares.data(), batch.rows(), classes - 1);
    for (index_t own = 0; own < classes; ++own) {
        const Part& part = parts_[static_cast<std::size_t>(own)];
        if (part.count == 0) {
            continue;
        }
        multiply(part, batch, share, context);
        add_share(own, share, out, context);
    }
}

Dataset rows_as_trained(const PredictionRule& rule, const Dataset& rows, Context& context) {
    require_width(rule, rows);
    return as_trained(rule, rows, context);
}

std::vector<double> decision_function(const PredictionRule& rule, const Dataset& rows,
                                      Context& context) {
    require_width(rule, rows);
    return DecisionMachine(rule, Holding::class_by_class, context).values(rows, context);
}

std::vector<double> decision_function(const PredictionRule& rule, const OperatorRows& rows,
                                      Context& context) {
    const auto count = static_cast<index_t>(rows.wanted.size());
    const index_t outputs = rule.outputs();
    const index_t width = rule.coefficient_columns();
    std::vector<double> out(static_cast<std::size_t>(checked_multiply(count, outputs)), 0.0);
    const MatrixView<double> target(out.data(), count, outputs);
    const bool pairs = rule.multiclass == "ovo";
    std::vector<double> shares(pairs ? static_cast<std::size_t>(checked_multiply(count, width))
                                     : 0);
    const std::vector<index_t> parts =
        pairs ? rule.class_support
              : std::vector<index_t>{static_cast<index_t>(rows.support.size())};
    index_t begin = 0;
    for (std::size_t own = 0; own < parts.size(); ++own) {
        if (parts[own] > 0) {
            const auto support = rows.support.subspan(static_cast<std::size_t>(begin),
                                                      static_cast<std::size_t>(parts[own]));
            const MatrixView<double> share =
                pairs ? MatrixView<double>(shares.data(), count, width) : target;
            rows.gram.block(rows.wanted, support, Precision::float64, context)
                ->multiply({rule.coefficients.data() + begin * width, parts[own], width}, share,
                           context);
            if (pairs) {
                add_share(static_cast<index_t>(own), share, target, context);
            }
        }
        begin += parts[own];
    }
    add_intercepts(rule, 0, target);
    return out;
}

}  // namespace mercer
