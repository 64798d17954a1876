// SPDX-License-Identifier: Apache-2.0
//
// src/operators/held_values.cpp - half of K computed, half mirrored, and tiles gathered from it.
#include "operators/held_values.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/compute/coordinate.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

constexpr index_t kStripe = kTileColumns;  // rows of K that a task computes: a square at a time

class NoScratch final : public TileScratch {};

// Entries of a tile whose numbers follow one another are copied as a stretch if there are this many
// to a stretch; copying shorter ones takes as long as looking entries up one by one.
constexpr index_t kLongStretch = 8;

/// Columns of a tile that follow one another in the table.
struct Stretch {
    std::int32_t from;  ///< in the table's row
    std::int32_t to;    ///< in the tile's row
    std::int32_t count;
};

/// The columns of a tile, divided into stretches.
class Stretches {
public:
    explicit Stretches(std::span<const std::int32_t> places) {
        for (std::size_t j = 0; j < places.size(); ++j) {
            if (j > 0 && places[j] == places[j - 1] + 1) {
                ++list_[count_ - 1].count;
            } else {
                list_[count_++] = {places[j], static_cast<std::int32_t>(j), 1};
            }
        }
        are_long_ = static_cast<index_t>(places.size()) >=
                    kLongStretch * static_cast<index_t>(std::max<std::size_t>(1, count_));
    }

    [[nodiscard]] bool are_long() const noexcept { return are_long_; }
    [[nodiscard]] std::span<const Stretch> list() const { return std::span(list_).first(count_); }

private:
    std::array<Stretch, static_cast<std::size_t>(kTileColumns)> list_;
    std::size_t count_ = 0;
    bool are_long_ = false;
};

class HeldEngine final : public KernelEngine {
public:
    HeldEngine(std::shared_ptr<const HeldValues> values, Precision precision)
        : values_(std::move(values)), precision_(precision) {}

    [[nodiscard]] Precision precision() const noexcept override { return precision_; }
    [[nodiscard]] std::string plan() const override { return "values held in float32"; }
    [[nodiscard]] bool is_symmetric() const noexcept override { return true; }

    [[nodiscard]] std::unique_ptr<PreparedRows> prepare(const Dataset&, Context&) const override {
        throw InternalError("rows of held values are prepared by their numbers");
    }
    [[nodiscard]] std::unique_ptr<PreparedRows> select(const PreparedRows& rows,
                                                       std::span<const index_t> chosen, TileSide,
                                                       Context&) const override {
        std::vector<index_t> places;
        places.reserve(chosen.size());
        for (const index_t i : chosen) {
            places.push_back(held_places(rows)[static_cast<std::size_t>(i)]);
        }
        return std::make_unique<HeldRows>(places);
    }
    [[nodiscard]] std::unique_ptr<TileScratch> make_scratch(Context&) const override {
        return std::make_unique<NoScratch>();
    }

    void tile(const PreparedRows& left, RowRange rows, const PreparedRows& right, RowRange columns,
              MatrixView<float> values, TileScratch&) const override {
        look_up(left, rows, right, columns, values);
    }
    void tile(const PreparedRows& left, RowRange rows, const PreparedRows& right, RowRange columns,
              MatrixView<double> values, TileScratch&) const override {
        look_up(left, rows, right, columns, values);
    }

private:
    template <typename T>
    void look_up(const PreparedRows& left, RowRange rows, const PreparedRows& right,
                 RowRange columns, MatrixView<T> values) const {
        if (precision_ != (sizeof(T) == sizeof(float) ? Precision::float32 : Precision::float64)) {
            throw InvalidArgument("values: the precision of the output is not the engine's");
        }
        const std::int32_t* left_place = held_places(left).data() + rows.begin;
        const std::int32_t* __restrict right_place = held_places(right).data() + columns.begin;
        const Stretches stretches({right_place, static_cast<std::size_t>(columns.count)});
        for (index_t i = 0; i < rows.count; ++i) {
            const float* __restrict from = values_->row(left_place[i]);
            T* __restrict to = values.row(i);
            if (stretches.are_long()) {
                for (const Stretch& stretch : stretches.list()) {
                    std::copy_n(from + stretch.from, stretch.count, to + stretch.to);
                }
                continue;
            }
            for (index_t j = 0; j < columns.count; ++j) {
                to[j] = static_cast<T>(from[right_place[j]]);
            }
        }
    }

    std::shared_ptr<const HeldValues> values_;
    Precision precision_;
};

}  // namespace

const std::vector<std::int32_t>& held_places(const PreparedRows& rows) {
    const auto* own = dynamic_cast<const HeldRows*>(&rows);
    if (own == nullptr) {
        throw InvalidArgument("rows: prepared by another engine");
    }
    return own->places();
}

index_t HeldValues::bytes(index_t rows) {
    return checked_multiply(checked_multiply(rows, rows), sizeof(float));
}

HeldValues::HeldValues(const KernelEngine& engine, const PreparedRows& rows, Context& context)
    : size_(rows.rows()),
      values_(context.allocate<float>(checked_multiply(size_, size_) + kCoordinateLanes,
                                      "kernel values", Contents::any)) {
    std::vector<std::unique_ptr<TileScratch>> scratch;
    for (int worker = 0; worker < context.threads(); ++worker) {
        scratch.push_back(engine.make_scratch(context));
    }
    context.count_rows(size_);
    float* all = values_.data();
    const index_t stripes = (size_ + kStripe - 1) / kStripe;
    // A square and its mirror image belong to one task: no other one writes there.
    parallel_for(context, stripes * (stripes + 1) / 2, [&](index_t task, int worker) {
        if (context.should_stop()) {
            return;
        }
        index_t below = 0;
        while ((below + 1) * (below + 2) / 2 <= task) {
            ++below;
        }
        const index_t j = (task - below * (below + 1) / 2) * kStripe;
        const index_t n = std::min(kStripe, size_ - j);
        const index_t end = std::min(size_, (below + 1) * kStripe);
        for (index_t i = below * kStripe; i < end; i += kTileRows) {
            const index_t m = std::min(kTileRows, end - i);
            engine.tile(rows, {i, m}, rows, {j, n},
                        MatrixView<float>(all + i * size_ + j, m, n, size_),
                        *scratch[static_cast<std::size_t>(worker)]);
            if (j == below * kStripe) {
                continue;
            }
            for (index_t c = 0; c < n; ++c) {
                for (index_t r = 0; r < m; ++r) {
                    all[(j + c) * size_ + i + r] = all[(i + r) * size_ + j + c];
                }
            }
        }
    });
    context.throw_if_stopped("kernel values");
}

std::shared_ptr<const KernelEngine> make_held_engine(std::shared_ptr<const HeldValues> values,
                                                     Precision precision) {
    return std::make_shared<const HeldEngine>(std::move(values), precision);
}

}  // namespace mercer
