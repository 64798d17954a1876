// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/plan.cpp - decisions made once, from the kernel and the reference rows.
//
// Distances   |x|^2 + |z|^2 - 2 x.z costs one fused operation per entry, differences two, but the
//             first loses digits when rows are far from the origin compared with their distances.
//             An error e of a squared distance changes the kernel by at most sensitivity * e, and
//             e is about eps * R^2, R the largest row norm. Above a limit on that product the
//             differences are used. Kernels with a kink at zero always use them.
// Centre      A column whose mean is far larger than its spread (years, coordinates, 1e8 + noise)
//             is shifted by its mean before rounding to the tile's precision.
// Storage     Sparse input stays sparse below kSparseDensity. The statistics skip only zeros, so
//             dense and sparse storage of the same rows lead to the same decisions.
#include "compute/cpu/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "mercer/base/error.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/data/entries.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer::cpu {

namespace {

// Below this share of non-zeros rows stay sparse. For blocks of rows a sparse product is faster
// already at one half; for single rows (coordinate solvers) an entry of a sparse row costs as much
// as 70 dense ones, and a9a (11 % of 123 columns) trained 20 times slower from sparse rows. One in
// 40 is a compromise.
constexpr double kSparseDensity = 0.025;

// Largest sensitivity * R^2 for which dot products are used. Times eps this is the error of the
// kernel value: 32 * 6e-8 = 2e-6 in float32, 512 * 1.1e-16 = 6e-14 in float64.
constexpr double kDotLimit32 = 32.0;
constexpr double kDotLimit64 = 512.0;

// A column is centred when mean^2 > kCentreRatio * variance.
constexpr double kCentreRatio = 16.0;

constexpr index_t kMaxDenseRow = index_t{1} << 27;

/// A shift can make two different entries equal: in float64 it does more harm than good to a test
/// of equality, in float32 it is needed to tell large entries apart.
bool is_shift_invariant(PairOp op, Precision precision) {
    return op == PairOp::squared_distance || op == PairOp::absolute_distance ||
           op == PairOp::difference ||
           (op == PairOp::inequality && precision == Precision::float32);
}

/// Calls f(row, column, value) for every non-zero of the reference rows inside the source.
template <class F>
void for_each_entry(const Dataset& rows, const RowSource& source, const F& f) {
    const auto visit_dense = [&](const auto& view) {
        for (index_t i = 0; i < rows.rows(); ++i) {
            const auto* row = view.row(rows.source_row(i));
            if (source.all) {
                for (index_t j = 0; j < view.columns; ++j) {
                    f(i, j, static_cast<double>(row[j]));
                }
            } else {
                for (std::size_t j = 0; j < source.columns.size(); ++j) {
                    if (source.columns[j] < view.columns) {
                        f(i, static_cast<index_t>(j), static_cast<double>(row[source.columns[j]]));
                    }
                }
            }
        }
    };
    if (const auto* view = std::get_if<MatrixView<const float>>(&rows.source())) {
        return visit_dense(*view);
    }
    if (const auto* view = std::get_if<MatrixView<const double>>(&rows.source())) {
        return visit_dense(*view);
    }
    const auto& csr = std::get<CsrView>(rows.source());
    for (index_t i = 0; i < rows.rows(); ++i) {
        data::for_each_entry(csr, rows.source_row(i), [&](index_t column, double value) {
            if (source.all) {
                f(i, column, value);
            } else {
                const auto found = std::find(source.columns.begin(), source.columns.end(), column);
                if (found != source.columns.end()) {
                    f(i, static_cast<index_t>(found - source.columns.begin()), value);
                }
            }
        });
    }
}

bool can_be_sparse(const Dataset& reference, const RowSource& source) {
    if (!reference.is_sparse() || source.map != nullptr) {
        return false;
    }
    const auto& chosen = source.columns;
    return source.all ||
           std::adjacent_find(chosen.begin(), chosen.end(), std::greater_equal<>()) == chosen.end();
}

/// Root of the symmetric positive semidefinite matrix: R with A = R'R, from its eigenvectors.
std::vector<double> square_root(const KernelMatrix& matrix, Context& context) {
    const index_t n = matrix.rows;
    std::vector<double> root = matrix.values;
    std::vector<double> values(static_cast<std::size_t>(n));
    symmetric_eigen(MatrixView<double>(root.data(), n, n), values, true, context);
    for (index_t i = 0; i < n; ++i) {
        const double scale = std::sqrt(std::max(0.0, values[static_cast<std::size_t>(i)]));
        for (index_t j = 0; j < n; ++j) {
            root[static_cast<std::size_t>(i * n + j)] *= scale;
        }
    }
    return root;
}

// A column in at least this share of the rows is stored dense: one lane of a fused operation (0.04
// ns per pair) then costs less than the square of the share times a scattered operation (1 ns).
constexpr double kFrequentShare = 0.2;

/// Largest column for which a table by column is used rather than a sorted list.
constexpr index_t kTableColumns = index_t{1} << 22;

/// How often each column of the source occurs: the used columns, ascending, and their counts.
struct ColumnCounts {
    std::vector<index_t> used;
    std::vector<index_t> counts;
    index_t stored = 0;
};

ColumnCounts count_columns(const Dataset& rows, const RowSource& source, index_t width) {
    ColumnCounts out;
    if (width <= kTableColumns) {
        std::vector<index_t> by_column(static_cast<std::size_t>(width), 0);
        for_each_entry(rows, source, [&](index_t, index_t column, double) {
            ++by_column[static_cast<std::size_t>(column)];
        });
        for (index_t column = 0; column < width; ++column) {
            const index_t count = by_column[static_cast<std::size_t>(column)];
            if (count > 0) {
                out.used.push_back(column);
                out.counts.push_back(count);
                out.stored += count;
            }
        }
        return out;
    }
    std::vector<index_t> columns;
    for_each_entry(rows, source,
                   [&](index_t, index_t column, double) { columns.push_back(column); });
    std::sort(columns.begin(), columns.end());
    for (auto first = columns.begin(); first != columns.end();) {
        const auto next = std::upper_bound(first, columns.end(), *first);
        out.used.push_back(*first);
        out.counts.push_back(next - first);
        first = next;
    }
    out.stored = static_cast<index_t>(columns.size());
    return out;
}

/// Numbers the used columns, frequent ones first.
void number_columns(ColumnCounts counted, index_t rows, SourcePlan& plan) {
    plan.used_columns = std::move(counted.used);
    const std::vector<index_t>& counts = counted.counts;
    const auto often = [&](std::size_t c) {
        return static_cast<double>(counts[c]) >= kFrequentShare * static_cast<double>(rows);
    };
    plan.numbers.resize(counts.size());
    for (const bool frequent : {true, false}) {
        auto next = static_cast<std::int32_t>(plan.frequent);
        for (std::size_t c = 0; c < counts.size(); ++c) {
            if (often(c) == frequent) {
                plan.numbers[c] = next++;
                plan.largest_count = std::max(plan.largest_count, counts[c]);
            }
        }
        plan.frequent = frequent ? next : plan.frequent;
    }
    if (!plan.used_columns.empty() && plan.used_columns.back() < kTableColumns) {
        plan.number_table.assign(static_cast<std::size_t>(plan.used_columns.back() + 1), -1);
        for (std::size_t c = 0; c < counts.size(); ++c) {
            plan.number_table[static_cast<std::size_t>(plan.used_columns[c])] = plan.numbers[c];
        }
    }
}

class Planner {
public:
    Planner(const Dataset& reference, index_t columns, Precision precision, Context& context)
        : reference_(reference), precision_(precision), context_(context) {
        plan_.columns = columns;
    }

    Plan run(const Kernel& kernel) {
        plan_.program = lower(kernel, plan_.columns);
        for (const PairQuantity& pair : plan_.program.pairs) {
            plan_.pairs.push_back(plan_pair(pair));
        }
        for (const RowQuantity& quantity : plan_.program.row_quantities) {
            plan_.row_quantity_sources.push_back(
                quantity.op == RowOp::squared_norm ? source_plan(quantity.source, {}) : -1);
        }
        return std::move(plan_);
    }

private:
    SourcePlan describe(const RowSource& source) {
        SourcePlan described;
        described.source = source;
        described.width = source.all ? plan_.columns : static_cast<index_t>(source.columns.size());
        if (source.map != nullptr) {
            described.width = source.map_is_table ? source.map->columns : source.map->rows;
            if (!source.map_is_table) {
                described.root = square_root(*source.map, context_);
            }
            return described;
        }
        if (!can_be_sparse(reference_, source)) {
            return described;
        }
        ColumnCounts counted = count_columns(reference_, source, described.width);
        const double cells =
            static_cast<double>(described.width) * static_cast<double>(reference_.rows());
        described.sparse = static_cast<double>(counted.stored) < kSparseDensity * cells ||
                           described.width > kMaxDenseRow;
        if (described.sparse) {
            number_columns(std::move(counted), reference_.rows(), described);
            described.width = static_cast<index_t>(described.used_columns.size());
            if (described.width >= INT32_MAX) {
                throw ResourceError("data: more than 2^31 distinct columns in use");
            }
        }
        return described;
    }

    /// The source as it would be stored without a centre; computed once.
    const SourcePlan& shape_of(int source) {
        auto found = shapes_.find(source);
        if (found == shapes_.end()) {
            found = shapes_
                        .emplace(source,
                                 describe(plan_.program.sources[static_cast<std::size_t>(source)]))
                        .first;
        }
        return found->second;
    }

    /// Index of the plan's source with that centre, which is added when it is new.
    int source_plan(int source, const std::vector<double>& centre) {
        const RowSource& wanted = plan_.program.sources[static_cast<std::size_t>(source)];
        for (std::size_t i = 0; i < plan_.sources.size(); ++i) {
            if (plan_.sources[i].source == wanted && plan_.sources[i].centre == centre) {
                return static_cast<int>(i);
            }
        }
        SourcePlan made = shape_of(source);
        made.centre = centre;
        plan_.sources.push_back(std::move(made));
        return static_cast<int>(plan_.sources.size()) - 1;
    }

    PairPlan plan_pair(const PairQuantity& pair) {
        if (pair.op == PairOp::lookup || pair.op == PairOp::custom) {
            return {pair.op, -1, false};
        }
        if (!is_shift_invariant(pair.op, precision_)) {
            return {pair.op, source_plan(pair.source, {}), false};
        }
        const SourcePlan& shape = shape_of(pair.source);
        const std::vector<double> centre = centre_of(shape);
        const int source = source_plan(pair.source, centre);
        bool from_dot = false;
        if (pair.op == PairOp::squared_distance) {
            const double limit = precision_ == Precision::float32 ? kDotLimit32 : kDotLimit64;
            const double amplified =
                plan_.program.distance_sensitivity * squared_radius(shape, centre);
            from_dot = amplified <= limit;  // false for NaN and infinity
        }
        return {pair.op, source, from_dot};
    }

    index_t slot(const SourcePlan& shape, index_t column) const {
        return shape.sparse ? number_of(shape, column) : column;
    }

    std::vector<double> centre_of(const SourcePlan& shape) const {
        // A sparse column passes the test only when nearly all rows have it (p > 16 / 17).
        const bool none_full = shape.sparse && static_cast<double>(shape.largest_count) <
                                                   0.9 * static_cast<double>(reference_.rows());
        if (shape.source.map != nullptr || reference_.rows() < 2 || none_full) {
            return {};
        }
        const auto width = static_cast<std::size_t>(shape.width);
        std::vector<double> sum(width, 0.0);
        std::vector<double> square(width, 0.0);
        for_each_entry(reference_, shape.source, [&](index_t, index_t column, double value) {
            const auto k = static_cast<std::size_t>(slot(shape, column));
            sum[k] += value;
            square[k] += value * value;
        });
        const auto n = static_cast<double>(reference_.rows());
        bool any = false;
        for (std::size_t k = 0; k < width; ++k) {
            const double mean = sum[k] / n;
            const double variance = std::max(0.0, square[k] / n - mean * mean);
            const bool shift = std::isfinite(mean) && mean * mean > kCentreRatio * variance;
            sum[k] = shift ? mean : 0.0;
            any = any || (shift && mean != 0.0);
        }
        return any ? sum : std::vector<double>{};
    }

    double squared_radius(const SourcePlan& shape, const std::vector<double>& centre) const {
        double origin = 0.0;
        for (const double c : centre) {
            origin += c * c;
        }
        std::vector<double> radius(static_cast<std::size_t>(reference_.rows()), origin);
        for_each_entry(reference_, shape.source, [&](index_t row, index_t column, double value) {
            double& sum = radius[static_cast<std::size_t>(row)];
            const double c =
                centre.empty() ? 0.0 : centre[static_cast<std::size_t>(slot(shape, column))];
            sum += (value - c) * (value - c) - c * c;
        });
        return radius.empty() ? 0.0 : *std::max_element(radius.begin(), radius.end());
    }

    const Dataset& reference_;
    Precision precision_;
    Context& context_;
    Plan plan_;
    std::map<int, SourcePlan> shapes_;
};

}  // namespace

index_t number_of(const SourcePlan& plan, index_t column) {
    if (!plan.number_table.empty()) {
        return column < static_cast<index_t>(plan.number_table.size())
                   ? plan.number_table[static_cast<std::size_t>(column)]
                   : -1;
    }
    const auto& used = plan.used_columns;
    const auto found = std::lower_bound(used.begin(), used.end(), column);
    return found != used.end() && *found == column
               ? plan.numbers[static_cast<std::size_t>(found - used.begin())]
               : -1;
}

Plan make_plan(const Kernel& kernel, const Dataset& reference, index_t columns, Precision precision,
               Context& context) {
    return Planner(reference, columns, precision, context).run(kernel);
}

std::string Plan::text() const {
    std::vector<std::string> parts;
    for (const PairPlan& pair : pairs) {
        std::string part;
        switch (pair.op) {
            case PairOp::dot:
                part = "dot products";
                break;
            case PairOp::squared_distance:
                part = pair.from_dot ? "distances from dot products" : "distances from differences";
                break;
            case PairOp::lookup:
                part = "precomputed values";
                break;
            case PairOp::custom:
                part = "a user kernel";
                break;
            default:
                part = "sums over columns";
        }
        if (pair.source >= 0) {
            const SourcePlan& source = sources[static_cast<std::size_t>(pair.source)];
            part += fmt::format(" over {} {} columns{}", source.width,
                                source.sparse ? "sparse" : "dense",
                                source.centre.empty() ? "" : ", centred");
        }
        parts.push_back(std::move(part));
    }
    return fmt::format("{}", fmt::join(parts, "; "));
}

RowLoader::RowLoader(const Dataset& rows, const SourcePlan& plan, index_t columns)
    : rows_(rows), plan_(plan) {
    if (columns > kMaxDenseRow) {
        throw InvalidArgument(
            fmt::format("columns: got {}, this kernel needs dense rows and takes at most {}",
                        columns, kMaxDenseRow));
    }
    full_.assign(static_cast<std::size_t>(columns), 0.0);
    selected_.assign(plan.source.columns.size(), 0.0);
}

/// Row i over all columns.
std::span<const double> RowLoader::full(index_t i) {
    const auto width = static_cast<index_t>(full_.size());
    const index_t row = rows_.source_row(i);
    if (const auto* wide = std::get_if<MatrixView<const double>>(&rows_.source());
        wide != nullptr && wide->columns == width) {
        return {wide->row(row), full_.size()};
    }
    if (const auto* sparse = std::get_if<CsrView>(&rows_.source())) {
        const std::span<const double> values = sparse->row_values(row);
        if (values.size() == full_.size()) {  // there is no gap
            return values;
        }
    }
    rows_.copy_row(i, std::span<double>(full_).first(static_cast<std::size_t>(rows_.columns())));
    return full_;
}

std::span<const double> RowLoader::selected(index_t i) {
    const std::span<const double> row = full(i);
    if (plan_.source.all) {
        return row;
    }
    for (std::size_t j = 0; j < selected_.size(); ++j) {
        selected_[j] = row[static_cast<std::size_t>(plan_.source.columns[j])];
    }
    return selected_;
}

std::span<const double> RowLoader::load(index_t i) {
    const std::span<const double> row = selected(i);
    if (plan_.source.map == nullptr && plan_.centre.empty()) {
        return row;
    }
    loaded_.resize(static_cast<std::size_t>(plan_.width));
    if (plan_.source.map != nullptr && plan_.source.map_is_table) {
        const KernelMatrix& table = *plan_.source.map;
        const auto symbol = static_cast<index_t>(row[0]);
        std::copy_n(table.values.data() + symbol * table.columns, table.columns, loaded_.begin());
        return loaded_;
    }
    if (plan_.source.map != nullptr) {
        for (std::size_t r = 0; r < loaded_.size(); ++r) {
            double sum = 0.0;
            for (std::size_t j = 0; j < row.size(); ++j) {
                sum = std::fma(plan_.root[r * row.size() + j], row[j], sum);
            }
            loaded_[r] = sum;
        }
        return loaded_;
    }
    for (std::size_t k = 0; k < loaded_.size(); ++k) {
        loaded_[k] = row[k] - plan_.centre[k];
    }
    return loaded_;
}

}  // namespace mercer::cpu
