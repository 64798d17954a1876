// SPDX-License-Identifier: Apache-2.0
//
// src/operators/shared_rows.cpp - both engines and the diagonal, from all rows.
#include "mercer/operators/shared_rows.hpp"

#include <algorithm>

#include "mercer/runtime/context.hpp"

namespace mercer {

SharedRows::SharedRows(const Kernel& kernel, const Dataset& rows, Context& context)
    : rows_(rows),
      narrow_engine_(make_engine(kernel, rows, {.precision = Precision::float32}, context)),
      wide_engine_(make_engine(kernel, rows, {.precision = Precision::float64}, context)),
      diagonal_(static_cast<std::size_t>(rows.rows())) {
    kernel_diagonal(kernel, rows, diagonal_);
}

const std::shared_ptr<const KernelEngine>& SharedRows::engine(Precision precision) const {
    return precision == Precision::float32 ? narrow_engine_ : wide_engine_;
}

std::unique_ptr<PreparedRows> SharedRows::prepare(std::span<const index_t> places,
                                                  Precision precision, Context& context) const {
    return engine(precision)->prepare(rows_.view(places), context);
}

void SharedRows::keep_within(std::vector<std::vector<index_t>> parts, index_t bytes,
                             Context& context) {
    if (!narrow_engine_->is_symmetric()) {
        return;
    }
    const auto room = std::make_shared<PartRows::Room>(bytes / static_cast<index_t>(sizeof(float)));
    for (std::vector<index_t>& part : parts) {
        parts_.push_back(std::make_shared<PartRows>(std::move(part), room, context.memory()));
    }
}

std::shared_ptr<PartRows> SharedRows::leading_part(std::span<const index_t> places) const {
    for (const std::shared_ptr<PartRows>& part : parts_) {
        const std::span<const index_t> rows = part->rows();
        if (!rows.empty() && rows.size() <= places.size() &&
            std::equal(rows.begin(), rows.end(), places.begin())) {
            return part;
        }
    }
    return nullptr;
}

}  // namespace mercer
