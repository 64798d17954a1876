// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/rows.cpp - from a Dataset to panels, once per set of rows.
#include "compute/cpu/rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "mercer/base/error.hpp"
#include "mercer/data/entries.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer::cpu {

namespace {

template <typename T>
constexpr index_t panel_count(index_t rows) {
    return (rows + kPanelWidth<T> - 1) / kPanelWidth<T>;
}

[[noreturn]] void refuse_entry(double x, index_t row, index_t column) {
    throw DataError(fmt::format("row {}, column {}: {} does not fit the precision requested",
                                row + 1, column + 1, x));
}

/// x in the tile's precision; throws when it does not fit.
template <typename T>
T narrow(double x, index_t row, index_t column) {
    const auto narrowed = static_cast<T>(x);
    if (!std::isfinite(narrowed)) {
        refuse_entry(x, row, column);
    }
    return narrowed;
}

/// Copies a row to its lane of a panel. `number` is for the message when an entry does not fit.
template <typename T>
void fill_lane(std::span<const double> row, T* lane, index_t number) {
    constexpr index_t W = kPanelWidth<T>;
    T worst{0};  // x * 0 is NaN if x is not finite, and stays so in the sum
    for (std::size_t k = 0; k < row.size(); ++k) {
        const auto narrowed = static_cast<T>(row[k]);
        worst += narrowed * T{0};
        lane[static_cast<index_t>(k) * W] = narrowed;
    }
    if (worst != T{0}) {
        const auto* const found = std::find_if(row.data(), row.data() + row.size(), [](double x) {
            return !std::isfinite(static_cast<T>(x));
        });
        refuse_entry(*found, number, found - row.data());
    }
}

template <typename T>
void fill_dense(const SourcePlan& plan, const Dataset& rows, index_t columns, SourceRows<T>& out,
                Context& context) {
    constexpr index_t W = kPanelWidth<T>;
    const index_t panels = panel_count<T>(out.rows);
    out.panels = context.allocate<T>(checked_multiply(panels * W, out.width),
                                     "the rows laid out in panels", Contents::any);
    out.norms = context.allocate<T>(panels * W, "row norms");
    parallel_for(context, panels, [&](index_t p, int) {
        RowLoader loader(rows, plan, columns);
        T* panel = out.panels.data() + p * out.width * W;
        const index_t lanes = std::min(W, out.rows - p * W);
        if (lanes < W) {
            std::fill_n(panel, out.width * W, T{0});
        }
        for (index_t lane = 0; lane < lanes; ++lane) {
            fill_lane(loader.load(p * W + lane).first(static_cast<std::size_t>(out.width)),
                      panel + lane, rows.source_row(p * W + lane));
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
        for_each_entry(row, [&](index_t global, double value) {
            const index_t column = source_column(global);
            if (column < 0) {
                return;
            }
            const index_t k = number_of(plan_, column);
            const double shift =
                k < 0 || plan_.centre.empty() ? 0.0 : plan_.centre[static_cast<std::size_t>(k)];
            entries.emplace_back(k < 0 ? unknown : static_cast<std::int32_t>(k),
                                 narrow<T>(value - shift, rows_.source_row(row), column));
        });
        // Columns ascend, and so do the numbers among the frequent and among the others.
        const auto below = [](std::int32_t limit) {
            return [limit](const auto& entry) { return entry.first < limit; };
        };
        const auto known = std::stable_partition(entries.begin(), entries.end(), below(unknown));
        std::stable_partition(entries.begin(), known,
                              below(static_cast<std::int32_t>(plan_.frequent)));
        add_missing_centred(row);
    }

    /// Entries of a stored row, without building it.
    [[nodiscard]] index_t count(index_t row) {
        if (const auto* csr = std::get_if<CsrView>(&rows_.source());
            csr != nullptr && plan_.source.all && centred_.empty()) {
            row = rows_.source_row(row);
            return csr->offsets[static_cast<std::size_t>(row) + 1] -
                   csr->offsets[static_cast<std::size_t>(row)];
        }
        build(row);
        return static_cast<index_t>(entries.size());
    }

private:
    /// f(column, value) for the non-zeros of a row in any storage.
    template <class F>
    void for_each_entry(index_t row, const F& f) const {
        row = rows_.source_row(row);
        const auto visit_dense = [&](const auto& view) {
            for (index_t j = 0; j < view.columns; ++j) {
                if (view(row, j) != 0) {
                    f(j, static_cast<double>(view(row, j)));
                }
            }
        };
        const RowStorage& storage = rows_.source();
        if (const auto* csr = std::get_if<CsrView>(&storage)) {
            data::for_each_entry(*csr, row, f);
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

    /// A zero in a centred column is stored as -centre.
    void add_missing_centred(index_t row) {
        const auto by_number = [](const auto& a, const auto& b) { return a.first < b.first; };
        for (const index_t k : centred_) {
            const std::pair<std::int32_t, T> missing{
                static_cast<std::int32_t>(k),
                narrow<T>(-plan_.centre[static_cast<std::size_t>(k)], rows_.source_row(row), k)};
            const auto place = std::lower_bound(entries.begin(), entries.end(), missing, by_number);
            if (place == entries.end() || place->first != missing.first) {
                entries.insert(place, missing);
            }
        }
    }

    const SourcePlan& plan_;
    const Dataset& rows_;
    std::vector<index_t> centred_;
};

// Dense rows get lists of their nonzero entries when at most this share of them is nonzero. A
// listed entry costs one load from the L2 cache per fused operation, a dense block none. Measured:
// the whole training of a9a (11 % nonzero) took 7.4 s of CPU time with dense blocks and 4.4 s with
// lists, with the same bits.
constexpr double kListedDensity = 0.4;
constexpr index_t kListedWidth = 16;

/// Entry (i, k) of dense rows.
template <typename T>
T panel_entry(const SourceRows<T>& rows, index_t i, index_t k) {
    constexpr index_t W = kPanelWidth<T>;
    return rows.panels[(i / W * rows.width + k) * W + i % W];
}

/// use(i) for every row, in tasks of a panel each.
template <typename T, typename Use>
void for_each_row(const SourceRows<T>& rows, Context& context, const Use& use) {
    constexpr index_t W = kPanelWidth<T>;
    parallel_for(context, panel_count<T>(rows.rows), [&](index_t p, int) {
        for (index_t i = p * W; i < std::min(rows.rows, (p + 1) * W); ++i) {
            use(i);
        }
    });
}

/// Offsets of the lists, if nonzero entries of dense rows are listed.
template <typename T>
Buffer<index_t> list_offsets(const SourceRows<T>& rows, Context& context) {
    constexpr index_t W = kPanelWidth<T>;
    Buffer<index_t> offsets = context.allocate<index_t>(rows.rows + 1, "entries of rows");
    parallel_for(context, panel_count<T>(rows.rows), [&](index_t p, int) {
        std::array<std::int32_t, static_cast<std::size_t>(W)> counts{};
        const T* panel = rows.panels.data() + p * rows.width * W;
        for (index_t k = 0; k < rows.width; ++k) {
            for (index_t lane = 0; lane < W; ++lane) {
                counts[static_cast<std::size_t>(lane)] +=
                    static_cast<std::int32_t>(panel[k * W + lane] != T{0});
            }
        }
        for (index_t i = p * W; i < std::min(rows.rows, (p + 1) * W); ++i) {
            offsets[i + 1] = counts[static_cast<std::size_t>(i % W)];
        }
    });
    for (index_t i = 0; i < rows.rows; ++i) {
        offsets[i + 1] += offsets[i];
    }
    return offsets;
}

/// Lists the nonzero entries of dense rows, if there are few.
template <typename T>
void list_entries(SourceRows<T>& out, Context& context) {
    if (out.width < kListedWidth || out.rows == 0) {
        return;
    }
    Buffer<index_t> offsets = list_offsets(out, context);
    const index_t stored = offsets[out.rows];
    if (static_cast<double>(stored) >
        kListedDensity * static_cast<double>(out.rows) * static_cast<double>(out.width)) {
        return;
    }
    out.columns =
        context.allocate<std::int32_t>(std::max<index_t>(1, stored), "columns of entries");
    out.values = context.allocate<T>(std::max<index_t>(1, stored), "values of entries");
    for_each_row(out, context, [&](index_t i) {
        index_t e = offsets[i];
        for (index_t k = 0; k < out.width; ++k) {
            if (const T value = panel_entry(out, i, k); value != T{0}) {
                out.columns[e] = static_cast<std::int32_t>(k);
                out.values[e++] = value;
            }
        }
    });
    out.offsets = std::move(offsets);
}

/// The entries of the chosen rows.
template <typename T>
void gather_entries(const SourceRows<T>& from, std::span<const index_t> chosen, SourceRows<T>& out,
                    Context& context) {
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
}

/// Copies the frequent columns to panels.
template <typename T>
void fill_frequent(SourceRows<T>& out, Context& context) {
    constexpr index_t W = kPanelWidth<T>;
    out.panels = context.allocate<T>(checked_multiply(panel_count<T>(out.rows) * W, out.frequent),
                                     "frequent columns");
    for (index_t i = 0; i < out.rows; ++i) {
        T* panel = out.panels.data() + i / W * out.frequent * W + i % W;
        for (index_t e = out.offsets[i]; e < out.offsets[i + 1]; ++e) {
            if (out.columns[e] >= out.frequent) {
                break;
            }
            panel[out.columns[e] * W] = out.values[e];
        }
    }
}

/// One infrequent entry of a block, for sorting by column.
template <typename T>
struct IndexEntry {
    std::int32_t column;
    std::uint16_t row;
    T value;
};

/// f(row in the block, column, value) for the infrequent entries of a block, row by row.
template <typename T, class F>
void for_each_rare(const SourceRows<T>& rows, index_t block, const F& f) {
    const index_t begin = block * kIndexBlock;
    const index_t end = std::min(rows.rows, begin + kIndexBlock);
    for (index_t i = begin; i < end; ++i) {
        for (index_t e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e) {
            if (rows.columns[e] >= rows.frequent && rows.columns[e] < rows.width) {
                f(static_cast<std::uint16_t>(i - begin), rows.columns[e], rows.values[e]);
            }
        }
    }
}

/// Sorts the infrequent entries of a block by column, rows ascending: a counting sort, or a
/// comparison sort when there are many more columns than entries.
template <typename T>
std::vector<IndexEntry<T>> block_entries(const SourceRows<T>& rows, index_t block) {
    index_t count = 0;
    for_each_rare(rows, block, [&](std::uint16_t, std::int32_t, T) { ++count; });
    std::vector<IndexEntry<T>> entries(static_cast<std::size_t>(count));
    if (rows.width > 16 * count) {
        std::size_t next = 0;
        for_each_rare(rows, block, [&](std::uint16_t row, std::int32_t column, T value) {
            entries[next++] = {column, row, value};
        });
        std::stable_sort(entries.begin(), entries.end(),
                         [](const auto& a, const auto& b) { return a.column < b.column; });
        return entries;
    }
    std::vector<std::int32_t> place(static_cast<std::size_t>(rows.width) + 1, 0);
    for_each_rare(rows, block, [&](std::uint16_t, std::int32_t column, T) {
        ++place[static_cast<std::size_t>(column) + 1];
    });
    std::partial_sum(place.begin(), place.end(), place.begin());
    for_each_rare(rows, block, [&](std::uint16_t row, std::int32_t column, T value) {
        entries[static_cast<std::size_t>(place[static_cast<std::size_t>(column)]++)] = {column, row,
                                                                                        value};
    });
    return entries;
}

/// Panels of the frequent columns and the index of the others, from the rows' entries.
template <typename T>
void index_for_dots(SourceRows<T>& out, Context& context) {
    fill_frequent(out, context);
    const index_t blocks = (out.rows + kIndexBlock - 1) / kIndexBlock;
    const index_t stored = std::max<index_t>(1, out.offsets[out.rows]);
    out.index_blocks = context.allocate<index_t>(blocks + 1, "blocks of the column index");
    out.index_columns = context.allocate<std::int32_t>(stored, "columns of the column index");
    out.index_starts = context.allocate<index_t>(stored + 1, "starts of the column index");
    out.index_rows = context.allocate<std::uint16_t>(stored, "rows of the column index");
    out.index_values = context.allocate<T>(stored, "values of the column index");
    std::vector<std::vector<IndexEntry<T>>> sorted(static_cast<std::size_t>(blocks));
    parallel_for(context, blocks, [&](index_t block, int) {
        sorted[static_cast<std::size_t>(block)] = block_entries(out, block);
    });
    index_t column = 0;
    index_t entry = 0;
    for (index_t block = 0; block < blocks; ++block) {
        std::int32_t last = -1;
        for (const IndexEntry<T>& next : sorted[static_cast<std::size_t>(block)]) {
            if (next.column != last) {
                out.index_columns[column] = last = next.column;
                out.index_starts[column++] = entry;
            }
            out.index_rows[entry] = next.row;
            out.index_values[entry++] = next.value;
        }
        out.index_blocks[block + 1] = column;
        out.index_starts[column] = entry;
    }
}

template <typename T>
void fill_sparse(const SourcePlan& plan, const Dataset& rows, SourceRows<T>& out,
                 Context& context) {
    SparseRowBuilder<T> builder(plan, rows);
    out.offsets = context.allocate<index_t>(out.rows + 1, "sparse row offsets");
    for (index_t i = 0; i < out.rows; ++i) {
        out.offsets[i + 1] = out.offsets[i] + builder.count(i);
    }
    const index_t stored = out.offsets[out.rows];
    out.columns = context.allocate<std::int32_t>(std::max<index_t>(1, stored), "sparse columns");
    out.values = context.allocate<T>(std::max<index_t>(1, stored), "sparse values");
    parallel_for(context, (out.rows + kIndexBlock - 1) / kIndexBlock, [&](index_t block, int) {
        SparseRowBuilder<T> own(plan, rows);
        const index_t end = std::min(out.rows, (block + 1) * kIndexBlock);
        for (index_t i = block * kIndexBlock; i < end; ++i) {
            own.build(i);
            index_t e = out.offsets[i];
            for (const auto& [column, value] : own.entries) {
                out.columns[e] = column;
                out.values[e] = value;
                ++e;
            }
        }
    });
    out.norms = context.allocate<T>(panel_count<T>(out.rows) * kPanelWidth<T>, "row norms");
    sparse_norms(out.sparse_rows(), out.norms.data());
    out.frequent = plan.frequent;
    index_for_dots(out, context);
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
                throw DataError(fmt::format("row {}, {}", rows.source_row(i) + 1, violation));
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
        // An indefinite kernel may have a negative diagonal value; its row normalises to 0, like a
        // zero row.
        const double value = quantity.op == RowOp::diagonal
                                 ? std::max(0.0, diagonal(quantity.kernel, row))
                                 : (*quantity.function)(row);
        if (!std::isfinite(static_cast<T>(value))) {
            throw DataError(fmt::format("row {}: a factor of the kernel is {} there",
                                        rows.source_row(i) + 1, value));
        }
        out[i] = static_cast<T>(value);
    }
    return out;
}

template <typename T>
SourceRows<T> source_rows(const SourcePlan& source, const Dataset& rows, index_t columns,
                          Context& context) {
    SourceRows<T> stored;
    stored.rows = rows.rows();
    stored.width = source.width;
    stored.sparse = source.sparse;
    if (source.sparse) {
        fill_sparse(source, rows, stored, context);
    } else {
        fill_dense(source, rows, columns, stored, context);
        list_entries(stored, context);
    }
    return stored;
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
        out->sources.push_back(source_rows<T>(source, rows, plan.columns, context));
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
    if (needs_original(plan)) {  // rows of a view keep their numbers for lookups
        out->original = rows.whole();
        for (index_t i = 0; rows.is_view() && i < rows.rows(); ++i) {
            out->ids.push_back(rows.source_row(i));
        }
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
                            TileSide side, Context& context) {
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
            const index_t lanes = std::min(W, out.rows - p * W);
            std::array<const T*, static_cast<std::size_t>(W)> sources{};
            for (index_t lane = 0; lane < lanes; ++lane) {
                const index_t row = chosen[static_cast<std::size_t>(p * W + lane)];
                sources[static_cast<std::size_t>(lane)] =
                    from.panels.data() + row / W * from.width * W + row % W;
            }
            for (index_t k = 0; k < out.width; ++k) {  // columns in the outer loop: whole lines
                for (index_t lane = 0; lane < lanes; ++lane) {
                    panel[k * W + lane] = sources[static_cast<std::size_t>(lane)][k * W];
                }
            }
        });
        if (!from.offsets.empty() && side != TileSide::right) {
            gather_entries(from, chosen, out, context);
        }
        return out;
    }
    gather_entries(from, chosen, out, context);
    out.frequent = from.frequent;
    index_for_dots(out, context);
    return out;
}

}  // namespace

template <typename T>
std::unique_ptr<CpuRows<T>> gather(const CpuRows<T>& rows, std::span<const index_t> chosen,
                                   TileSide side, Context& context) {
    auto out = std::make_unique<CpuRows<T>>();
    out->row_count = static_cast<index_t>(chosen.size());
    for (const SourceRows<T>& source : rows.sources) {
        out->sources.push_back(gather_source(source, chosen, side, context));
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
                                                TileSide, Context&);
template std::unique_ptr<CpuRows<double>> gather(const CpuRows<double>&, std::span<const index_t>,
                                                 TileSide, Context&);

}  // namespace mercer::cpu
