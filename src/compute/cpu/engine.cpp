// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/engine.cpp - a tile: pair quantities, then the elementwise program.
#include "mercer/compute/engine.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "compute/cpu/backend.hpp"
#include "compute/cpu/elementwise.hpp"
#include "compute/cpu/plan.hpp"
#include "compute/cpu/product.hpp"
#include "compute/cpu/rows.hpp"
#include "compute/tile_bounds.hpp"
#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer::cpu {

namespace {

template <typename T>
class CpuScratch final : public TileScratch {
public:
    CpuScratch(const Plan& plan, Context& context)
        : pairs_(static_cast<index_t>(plan.pairs.size())), budget_(context.memory()) {
        index_t packed_width = 1;
        index_t sparse_width = 0;
        index_t frequent = 0;
        for (const SourcePlan& source : plan.sources) {
            frequent = std::max(frequent, source.frequent);
            (source.sparse ? sparse_width : packed_width) =
                std::max(source.sparse ? sparse_width : packed_width, source.width);
        }
        stack = context.allocate<T>((plan.program.stack_depth + 1) * kTileColumns, "tile stack");
        packed = context.allocate<T>(checked_multiply(kTileRows, packed_width), "packed rows");
        if (sparse_width > 0) {
            sparse.budget = context.memory();
            sparse.slot_of_column =
                context.allocate<std::int32_t>(sparse_width, "sparse column slots");
            std::fill_n(sparse.slot_of_column.data(), sparse_width, -1);
            sparse.packed = context.allocate<T>(
                checked_multiply(kTileRows, std::max<index_t>(1, frequent)), "packed rows");
        }
    }

    /// Makes room for tiles of that many columns: tiles against few support vectors are narrow.
    void widen(index_t columns) {
        const index_t wanted =
            (columns + kColumnAlignment - 1) / kColumnAlignment * kColumnAlignment;
        if (wanted > stride_) {
            products_ = {};
            products_ = Buffer<T>(budget_, pairs_ * kTileRows * wanted, "tile products");
            stride_ = wanted;
        }
    }
    [[nodiscard]] index_t stride() const noexcept { return stride_; }
    [[nodiscard]] MatrixView<T> product(std::size_t pair, RowRange rows, RowRange columns) {
        return {products_.data() + static_cast<index_t>(pair) * kTileRows * stride_, rows.count,
                columns.count, stride_};
    }

    Buffer<T> stack;
    Buffer<T> packed;
    SparseScratch<T> sparse;
    std::vector<double> left_rows;
    std::vector<double> right_rows;
    std::vector<double> custom_values;
    ElementwiseTile<T> tile;

private:
    index_t pairs_;
    std::shared_ptr<MemoryBudget> budget_;
    index_t stride_ = 0;
    Buffer<T> products_;
};

template <typename T>
class CpuEngine final : public KernelEngine {
public:
    CpuEngine(const Kernel& kernel, Plan plan) : kernel_(kernel), plan_(std::move(plan)) {}

    [[nodiscard]] Precision precision() const noexcept override {
        return sizeof(T) == sizeof(float) ? Precision::float32 : Precision::float64;
    }

    [[nodiscard]] std::string plan() const override { return plan_.text(); }

    [[nodiscard]] bool is_symmetric() const noexcept override {
        return std::all_of(plan_.pairs.begin(), plan_.pairs.end(),
                           [](const PairPlan& pair) { return pair.source >= 0; });
    }

    [[nodiscard]] std::unique_ptr<PreparedRows> prepare(const Dataset& rows,
                                                        Context& context) const override {
        return lay_out<T>(plan_, kernel_, rows, context);
    }

    [[nodiscard]] std::unique_ptr<PreparedRows> select(const PreparedRows& rows,
                                                       std::span<const index_t> chosen,
                                                       TileSide side,
                                                       Context& context) const override {
        return gather<T>(cast(rows), chosen, side, context);
    }

    [[nodiscard]] std::unique_ptr<TileScratch> make_scratch(Context& context) const override {
        return std::make_unique<CpuScratch<T>>(plan_, context);
    }

    void tile(const PreparedRows& left, RowRange rows, const PreparedRows& right, RowRange columns,
              MatrixView<float> values, TileScratch& scratch) const override {
        compute(left, rows, right, columns, values, scratch);
    }
    void tile(const PreparedRows& left, RowRange rows, const PreparedRows& right, RowRange columns,
              MatrixView<double> values, TileScratch& scratch) const override {
        compute(left, rows, right, columns, values, scratch);
    }

private:
    static const CpuRows<T>& cast(const PreparedRows& rows) {
        const auto* own = dynamic_cast<const CpuRows<T>*>(&rows);
        if (own == nullptr) {
            throw InvalidArgument("rows: prepared by another engine");
        }
        return *own;
    }

    template <typename U>
    void compute(const PreparedRows& left_rows, RowRange rows, const PreparedRows& right_rows,
                 RowRange columns, MatrixView<U> values, TileScratch& scratch) const {
        if constexpr (!std::is_same_v<T, U>) {
            throw InvalidArgument("values: the precision of the output is not the engine's");
        } else {
            require_tile(left_rows, rows, right_rows, columns, values);
            const CpuRows<T>& left = cast(left_rows);
            const CpuRows<T>& right = cast(right_rows);
            auto& own = static_cast<CpuScratch<T>&>(scratch);
            own.widen(columns.count);
            for (std::size_t p = 0; p < plan_.pairs.size(); ++p) {
                product(p, left, rows, right, columns, own);
            }
            elementwise(left, rows, right, columns, values, own);
        }
    }

    void product(std::size_t p, const CpuRows<T>& left, RowRange rows, const CpuRows<T>& right,
                 RowRange columns, CpuScratch<T>& scratch) const {
        const PairPlan& pair = plan_.pairs[p];
        const MatrixView<T> out = scratch.product(p, rows, columns);
        if (pair.op == PairOp::lookup) {
            return look_up(left, rows, right, columns, out);
        }
        if (pair.op == PairOp::custom) {
            return custom(p, left, rows, right, columns, scratch);
        }
        constexpr index_t W = kPanelWidth<T>;
        const ProductTile<T> tile{rows.begin,        rows.count,
                                  columns.begin / W, (columns.count + W - 1) / W,
                                  out.data,          out.stride};
        const auto source = static_cast<std::size_t>(pair.source);
        const PairOp op = pair.from_dot ? PairOp::dot : pair.op;
        if (plan_.sources[source].sparse) {
            sparse_product(op, left.sources[source].sparse_rows(),
                           right.sources[source].sparse_rows(), tile, scratch.sparse);
        } else {
            dense_product(op, left.sources[source].dense(), right.sources[source].dense(), tile,
                          scratch.packed.data());
        }
    }

    static void look_up(const CpuRows<T>& left, RowRange rows, const CpuRows<T>& right,
                        RowRange columns, MatrixView<T> out) {
        std::vector<double> row(static_cast<std::size_t>(left.original.columns()));
        for (index_t i = 0; i < rows.count; ++i) {
            left.original.copy_row(left.id(rows.begin + i), row);
            for (index_t j = 0; j < columns.count; ++j) {
                const index_t id = right.id(columns.begin + j);
                if (id >= left.original.columns()) {
                    throw DataError(fmt::format(
                        "row {}: a precomputed kernel needs a column for each of the {} right rows",
                        rows.begin + i + 1, right.original.rows()));
                }
                out(i, j) = static_cast<T>(row[static_cast<std::size_t>(id)]);
            }
        }
    }

    /// Rows begin .. begin + count - 1 as dense rows.
    MatrixView<const double> write_out(const CpuRows<T>& rows, RowRange range, int source,
                                       std::vector<double>& buffer) const {
        const SourcePlan plan{.source = plan_.program.sources[static_cast<std::size_t>(source)]};
        RowLoader loader(rows.original, plan, plan_.columns);
        const index_t width =
            plan.source.all ? plan_.columns : static_cast<index_t>(plan.source.columns.size());
        buffer.resize(static_cast<std::size_t>(range.count * width));
        for (index_t i = 0; i < range.count; ++i) {
            const std::span<const double> row = loader.selected(rows.id(range.begin + i));
            std::copy(row.begin(), row.end(), buffer.begin() + i * width);
        }
        return {buffer.data(), range.count, width};
    }

    /// Entry (row, column) as it is stored.
    static double entry(const Dataset& data, index_t row, index_t column) {
        row = data.source_row(row);
        if (const auto* sparse = std::get_if<CsrView>(&data.source())) {
            const index_t begin = sparse->offsets[static_cast<std::size_t>(row)];
            const index_t end = sparse->offsets[static_cast<std::size_t>(row) + 1];
            const IndexList list = sparse->list(row);
            if (list.empty()) {
                return column < end - begin
                           ? sparse->values[static_cast<std::size_t>(begin + column)]
                           : 0.0;
            }
            return list.visit([&](auto columns) {
                const auto found = std::lower_bound(columns.begin(), columns.end(), column);
                return found != columns.end() && *found == column
                           ? sparse->values[static_cast<std::size_t>(begin +
                                                                     (found - columns.begin()))]
                           : 0.0;
            });
        }
        if (const auto* narrow = std::get_if<MatrixView<const float>>(&data.source())) {
            return column < narrow->columns ? static_cast<double>((*narrow)(row, column)) : 0.0;
        }
        const auto& wide = std::get<MatrixView<const double>>(data.source());
        return column < wide.columns ? wide(row, column) : 0.0;
    }

    /// Looks up the entries of the left rows at the numbers of the right rows (serial_lookup.hpp):
    /// copying dense rows of n entries for each tile would cost more than any kernel.
    void look_up_numbers(const CpuRows<T>& left, RowRange rows, const CpuRows<T>& right,
                         RowRange columns, MatrixView<T> out) const {
        std::vector<index_t> numbers(static_cast<std::size_t>(columns.count), -1);
        for (index_t j = 0; j < columns.count; ++j) {
            const double serial = entry(right.original, right.id(columns.begin + j), 0);
            if (serial >= 1.0 && serial < static_cast<double>(plan_.columns)) {
                numbers[static_cast<std::size_t>(j)] = static_cast<index_t>(serial);
            }
        }
        for (index_t i = 0; i < rows.count; ++i) {
            const index_t row = left.id(rows.begin + i);
            for (index_t j = 0; j < columns.count; ++j) {
                const index_t number = numbers[static_cast<std::size_t>(j)];
                out(i, j) = number < 0 ? T{0} : static_cast<T>(entry(left.original, row, number));
            }
        }
    }

    void custom(std::size_t p, const CpuRows<T>& left, RowRange rows, const CpuRows<T>& right,
                RowRange columns, CpuScratch<T>& scratch) const {
        const PairQuantity& pair = plan_.program.pairs[p];
        const MatrixView<T> out = scratch.product(p, rows, columns);
        if (pair.custom->reads_table() &&
            plan_.program.sources[static_cast<std::size_t>(pair.source)].all) {
            return look_up_numbers(left, rows, right, columns, out);
        }
        const auto left_rows = write_out(left, rows, pair.source, scratch.left_rows);
        const auto right_rows = write_out(right, columns, pair.source, scratch.right_rows);
        scratch.custom_values.resize(static_cast<std::size_t>(rows.count * columns.count));
        const MatrixView<double> values(scratch.custom_values.data(), rows.count, columns.count);
        pair.custom->evaluate_tile(left_rows, right_rows, values);
        for (index_t i = 0; i < rows.count; ++i) {
            for (index_t j = 0; j < columns.count; ++j) {
                out(i, j) = static_cast<T>(values(i, j));
            }
        }
    }

    void elementwise(const CpuRows<T>& left, RowRange rows, const CpuRows<T>& right,
                     RowRange columns, MatrixView<T> values, CpuScratch<T>& scratch) const {
        ElementwiseTile<T>& tile = scratch.tile;
        tile.pairs.clear();
        for (std::size_t p = 0; p < plan_.pairs.size(); ++p) {
            PairInput<T> input{scratch.product(p, rows, columns).data};
            if (plan_.pairs[p].from_dot) {
                const auto source = static_cast<std::size_t>(plan_.pairs[p].source);
                input.left_norms = left.sources[source].norms.data() + rows.begin;
                input.right_norms = right.sources[source].norms.data() + columns.begin;
            }
            tile.pairs.push_back(input);
        }
        tile.row_quantities.clear();
        for (std::size_t q = 0; q < plan_.row_quantity_sources.size(); ++q) {
            const int source = plan_.row_quantity_sources[q];
            const auto data = [&](const CpuRows<T>& set) {
                return source >= 0 ? set.sources[static_cast<std::size_t>(source)].norms.data()
                                   : set.row_quantities[q].data();
            };
            tile.row_quantities.push_back({data(left) + rows.begin, data(right) + columns.begin});
        }
        tile.stride = scratch.stride();
        tile.rows = rows.count;
        tile.columns = columns.count;
        tile.stack = scratch.stack.data();
        tile.out = values.data;
        tile.out_stride = values.stride;
        run_elementwise(plan_.program, tile);
    }

    Kernel kernel_;
    Plan plan_;
};

}  // namespace

std::unique_ptr<KernelEngine> CpuBackend::compile(const Kernel& kernel, const Dataset& reference,
                                                  const EngineOptions& options,
                                                  Context& context) const {
    Plan plan = make_plan(kernel, reference, options.columns, options.precision, context);
    if (options.precision == Precision::float32) {
        return std::make_unique<CpuEngine<float>>(kernel, std::move(plan));
    }
    return std::make_unique<CpuEngine<double>>(kernel, std::move(plan));
}

}  // namespace mercer::cpu
