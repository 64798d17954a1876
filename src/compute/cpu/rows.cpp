// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/rows.cpp - from a Dataset to panels, once per set of rows.
#include "compute/cpu/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer::cpu {

namespace {

template <typename T>
constexpr index_t panel_count(index_t rows) {
    return (rows + kPanelWidth<T> - 1) / kPanelWidth<T>;
}

/// x in the tile's precision; throws when it does not fit.
template <typename T>
T narrow(double x, index_t row, index_t column) {
    const auto narrowed = static_cast<T>(x);
    if (!std::isfinite(narrowed)) {
        throw DataError(fmt::format("row {}, column {}: {} does not fit the precision asked for",
                                    row + 1, column + 1, x));
    }
    return narrowed;
}

template <typename T>
void fill_dense(const SourcePlan& plan, const Dataset& rows, index_t columns, SourceRows<T>& out,
                Context& context) {
    constexpr index_t W = kPanelWidth<T>;
    const index_t panels = panel_count<T>(out.rows);
    out.panels =
        context.allocate<T>(checked_multiply(panels * W, out.width), "the rows laid out in panels");
    out.norms = context.allocate<T>(panels * W, "row norms");
    parallel_for(context, panels, [&](index_t p, int) {
        RowLoader loader(rows, plan, columns);
        std::vector<double> row(static_cast<std::size_t>(out.width));
        T* panel = out.panels.data() + p * out.width * W;
        for (index_t lane = 0; lane < std::min(W, out.rows - p * W); ++lane) {
            loader.load(p * W + lane, row);
            for (index_t k = 0; k < out.width; ++k) {
                panel[k * W + lane] = narrow<T>(row[static_cast<std::size_t>(k)], p * W + lane, k);
            }
        }
    });
    dense_norms(out.dense(), panels, out.norms.data());
}

/// One sparse row, renumbered and centred: columns ascending, unknown columns last.
template <typename T>
class SparseRowBuilder {
public:
    SparseRowBuilder(const SourcePlan& plan, const Dataset& rows) : plan_(plan), rows_(rows) {
        for (std::size_t k = 0; k < plan.centre.size(); ++k) {
            if (plan.centre[k] != 0.0) {
                centred_.push_back(static_cast<index_t>(k));
            }
        }
    }

    std::vector<std::pair<std::int32_t, T>> entries;

    void build(index_t row) {
        entries.clear();
        const auto unknown = static_cast<std::int32_t>(plan_.width);
        auto next_centred = centred_.cbegin();
        std::vector<std::pair<std::int32_t, T>> late;
        for_each_entry(row, [&](index_t global, double value) {
            const index_t column = source_column(global);
            if (column < 0) {
                return;
            }
            const index_t k = find(column);
            if (k < 0) {
                late.emplace_back(unknown, narrow<T>(value, row, column));
                return;
            }
            add_missing_centred(next_centred, k, row);
            double shifted = value;
            if (next_centred != centred_.end() && *next_centred == k) {
                shifted -= plan_.centre[static_cast<std::size_t>(k)];
                ++next_centred;
            }
            entries.emplace_back(static_cast<std::int32_t>(k), narrow<T>(shifted, row, column));
        });
        add_missing_centred(next_centred, plan_.width, row);
        entries.insert(entries.end(), late.begin(), late.end());
    }

private:
    /// f(column, value) for the non-zeros of a row in any storage.
    template <class F>
    void for_each_entry(index_t row, const F& f) const {
        const auto visit_dense = [&](const auto& view) {
            for (index_t j = 0; j < view.columns; ++j) {
                if (view(row, j) != 0) {
                    f(j, static_cast<double>(view(row, j)));
                }
            }
        };
        const RowStorage& storage = rows_.storage();
        if (const auto* csr = std::get_if<CsrView>(&storage)) {
            const auto begin =
                static_cast<std::size_t>(csr->offsets[static_cast<std::size_t>(row)]);
            const auto end =
                static_cast<std::size_t>(csr->offsets[static_cast<std::size_t>(row) + 1]);
            for (std::size_t e = begin; e < end; ++e) {
                f(csr->columns[e], csr->values[e]);
            }
        } else if (const auto* narrow_view = std::get_if<MatrixView<const float>>(&storage)) {
            visit_dense(*narrow_view);
        } else {
            visit_dense(std::get<MatrixView<const double>>(storage));
        }
    }

    /// Column number inside the source; -1 when the source does not use it.
    [[nodiscard]] index_t source_column(index_t column) const {
        if (plan_.source.all) {
            return column;
        }
        const auto& chosen = plan_.source.columns;
        const auto found = std::lower_bound(chosen.begin(), chosen.end(), column);
        return found != chosen.end() && *found == column ? found - chosen.begin() : -1;
    }

    [[nodiscard]] index_t find(index_t column) const {
        const auto& used = plan_.used_columns;
        const auto found = std::lower_bound(used.begin(), used.end(), column);
        return found != used.end() && *found == column ? found - used.begin() : -1;
    }

    /// A zero in a centred column is stored as -centre.
    void add_missing_centred(std::vector<index_t>::const_iterator& next, index_t before,
                             index_t row) {
        for (; next != centred_.end() && *next < before; ++next) {
            entries.emplace_back(
                static_cast<std::int32_t>(*next),
                narrow<T>(-plan_.centre[static_cast<std::size_t>(*next)], row, *next));
        }
    }

    const SourcePlan& plan_;
    const Dataset& rows_;
    std::vector<index_t> centred_;
};

template <typename T>
void fill_sparse(const SourcePlan& plan, const Dataset& rows, SourceRows<T>& out,
                 Context& context) {
    SparseRowBuilder<T> builder(plan, rows);
    out.offsets = context.allocate<index_t>(out.rows + 1, "sparse row offsets");
    for (index_t i = 0; i < out.rows; ++i) {
        builder.build(i);
        out.offsets[i + 1] = out.offsets[i] + static_cast<index_t>(builder.entries.size());
    }
    const index_t stored = out.offsets[out.rows];
    out.columns = context.allocate<std::int32_t>(std::max<index_t>(1, stored), "sparse columns");
    out.values = context.allocate<T>(std::max<index_t>(1, stored), "sparse values");
    for (index_t i = 0; i < out.rows; ++i) {
        builder.build(i);
        index_t e = out.offsets[i];
        for (const auto& [column, value] : builder.entries) {
            out.columns[e] = column;
            out.values[e] = value;
            ++e;
        }
    }
    out.norms = context.allocate<T>(panel_count<T>(out.rows) * kPanelWidth<T>, "row norms");
    sparse_norms(out.sparse_rows(), out.norms.data());
}

bool needs_original(const Plan& plan) {
    return std::any_of(plan.pairs.begin(), plan.pairs.end(),
                       [](const PairPlan& pair) { return pair.source < 0; });
}

/// True when some part of the kernel is not defined on every real row.
bool has_domain(const Kernel& kernel) {
    switch (kernel.type()) {
        case KernelType::chi2:
        case KernelType::intersection:
        case KernelType::brownian_bridge:
        case KernelType::mixture:
            return true;
        default:
            return std::any_of(kernel.node().children.begin(), kernel.node().children.end(),
                               has_domain);
    }
}

void require_domain(const Kernel& kernel, const Dataset& rows, index_t columns, Context& context) {
    if (!has_domain(kernel)) {
        return;
    }
    constexpr index_t kRowsPerTile = 1024;
    const SourcePlan everything{.source = {}, .width = columns};
    parallel_for(context, (rows.rows() + kRowsPerTile - 1) / kRowsPerTile, [&](index_t tile, int) {
        RowLoader loader(rows, everything, columns);
        const index_t end = std::min(rows.rows(), (tile + 1) * kRowsPerTile);
        for (index_t i = tile * kRowsPerTile; i < end; ++i) {
            const std::string violation = domain_violation(kernel, loader.selected(i));
            if (!violation.empty()) {
                throw DataError(fmt::format("row {}, {}", i + 1, violation));
            }
        }
    });
}

template <typename T>
Buffer<T> row_quantity(const RowQuantity& quantity, const RowSource& source, const Dataset& rows,
                       index_t columns, Context& context) {
    Buffer<T> out =
        context.allocate<T>(panel_count<T>(rows.rows()) * kPanelWidth<T>, "a row quantity");
    const SourcePlan plan{.source = source};
    RowLoader loader(rows, plan, columns);
    for (index_t i = 0; i < rows.rows(); ++i) {
        const std::span<const double> row = loader.selected(i);
        // An indefinite kernel may have a negative diagonal; it normalises to 0 like a zero one.
        const double value = quantity.op == RowOp::diagonal
                                 ? std::max(0.0, diagonal(quantity.kernel, row))
                                 : (*quantity.function)(row);
        if (!std::isfinite(static_cast<T>(value))) {
            throw DataError(
                fmt::format("row {}: a factor of the kernel is {} there", i + 1, value));
        }
        out[i] = static_cast<T>(value);
    }
    return out;
}

}  // namespace

template <typename T>
std::unique_ptr<CpuRows<T>> lay_out(const Plan& plan, const Kernel& kernel, const Dataset& rows,
                                    Context& context) {
    if (rows.columns() > plan.columns) {
        throw InvalidArgument(fmt::format("columns: got {}, the kernel was prepared for {}",
                                          rows.columns(), plan.columns));
    }
    require_domain(kernel, rows, plan.columns, context);
    auto out = std::make_unique<CpuRows<T>>();
    out->row_count = rows.rows();
    for (const SourcePlan& source : plan.sources) {
        SourceRows<T> stored;
        stored.rows = rows.rows();
        stored.width = source.width;
        stored.sparse = source.sparse;
        if (source.sparse) {
            fill_sparse(source, rows, stored, context);
        } else {
            fill_dense(source, rows, plan.columns, stored, context);
        }
        out->sources.push_back(std::move(stored));
    }
    const auto& quantities = plan.program.row_quantities;
    for (std::size_t q = 0; q < quantities.size(); ++q) {
        out->row_quantities.push_back(
            plan.row_quantity_sources[q] >= 0
                ? Buffer<T>()
                : row_quantity<T>(
                      quantities[q],
                      plan.program.sources[static_cast<std::size_t>(quantities[q].source)], rows,
                      plan.columns, context));
    }
    if (needs_original(plan)) {
        out->original = rows;
    }
    return out;
}

namespace {

template <typename T>
Buffer<T> gather_padded(const Buffer<T>& from, std::span<const index_t> chosen, Context& context) {
    if (from.empty()) {
        return {};
    }
    const auto count = static_cast<index_t>(chosen.size());
    Buffer<T> out =
        context.allocate<T>(panel_count<T>(count) * kPanelWidth<T>, "gathered row quantities");
    for (index_t i = 0; i < count; ++i) {
        out[i] = from[chosen[static_cast<std::size_t>(i)]];
    }
    return out;
}

template <typename T>
SourceRows<T> gather_source(const SourceRows<T>& from, std::span<const index_t> chosen,
                            Context& context) {
    constexpr index_t W = kPanelWidth<T>;
    SourceRows<T> out;
    out.rows = static_cast<index_t>(chosen.size());
    out.width = from.width;
    out.sparse = from.sparse;
    out.norms = gather_padded(from.norms, chosen, context);
    if (!from.sparse) {
        out.panels = context.allocate<T>(checked_multiply(panel_count<T>(out.rows) * W, out.width),
                                         "gathered rows");
        parallel_for(context, panel_count<T>(out.rows), [&](index_t p, int) {
            T* panel = out.panels.data() + p * out.width * W;
            for (index_t lane = 0; lane < std::min(W, out.rows - p * W); ++lane) {
                const index_t row = chosen[static_cast<std::size_t>(p * W + lane)];
                const T* source = from.panels.data() + row / W * from.width * W + row % W;
                for (index_t k = 0; k < out.width; ++k) {
                    panel[k * W + lane] = source[k * W];
                }
            }
        });
        return out;
    }
    out.offsets = context.allocate<index_t>(out.rows + 1, "gathered offsets");
    for (index_t i = 0; i < out.rows; ++i) {
        const index_t row = chosen[static_cast<std::size_t>(i)];
        out.offsets[i + 1] = out.offsets[i] + from.offsets[row + 1] - from.offsets[row];
    }
    const index_t stored = std::max<index_t>(1, out.offsets[out.rows]);
    out.columns = context.allocate<std::int32_t>(stored, "gathered columns");
    out.values = context.allocate<T>(stored, "gathered values");
    for (index_t i = 0; i < out.rows; ++i) {
        const index_t row = chosen[static_cast<std::size_t>(i)];
        const index_t count = from.offsets[row + 1] - from.offsets[row];
        std::copy_n(from.columns.data() + from.offsets[row], count,
                    out.columns.data() + out.offsets[i]);
        std::copy_n(from.values.data() + from.offsets[row], count,
                    out.values.data() + out.offsets[i]);
    }
    return out;
}

}  // namespace

template <typename T>
std::unique_ptr<CpuRows<T>> gather(const CpuRows<T>& rows, std::span<const index_t> chosen,
                                   Context& context) {
    auto out = std::make_unique<CpuRows<T>>();
    out->row_count = static_cast<index_t>(chosen.size());
    for (const SourceRows<T>& source : rows.sources) {
        out->sources.push_back(gather_source(source, chosen, context));
    }
    for (const Buffer<T>& quantity : rows.row_quantities) {
        out->row_quantities.push_back(gather_padded(quantity, chosen, context));
    }
    out->original = rows.original;
    out->ids.reserve(chosen.size());
    for (const index_t row : chosen) {
        out->ids.push_back(rows.id(row));
    }
    return out;
}

template std::unique_ptr<CpuRows<float>> lay_out(const Plan&, const Kernel&, const Dataset&,
                                                 Context&);
template std::unique_ptr<CpuRows<double>> lay_out(const Plan&, const Kernel&, const Dataset&,
                                                  Context&);
template std::unique_ptr<CpuRows<float>> gather(const CpuRows<float>&, std::span<const index_t>,
                                                Context&);
template std::unique_ptr<CpuRows<double>> gather(const CpuRows<double>&, std::span<const index_t>,
                                                 Context&);

}  // namespace mercer::cpu
