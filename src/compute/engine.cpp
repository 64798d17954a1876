// SPDX-License-Identifier: Apache-2.0
//
// src/compute/engine.cpp - checks a kernel and passes it to the backend of the context's device.
#include "mercer/compute/engine.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/compute/backend.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/zero_columns.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

std::unique_ptr<KernelEngine> make_engine(const Kernel& kernel, const Dataset& reference,
                                          const EngineOptions& options, Context& context) {
    EngineOptions wanted = options;
    wanted.columns = std::max(options.columns, reference.columns());
    if (!kernel.is_resolved()) {
        throw InvalidArgument(
            "kernel: a parameter is still 'scale'; resolve it against data first");
    }
    require_columns(kernel, wanted.columns);
    return backend_of(context.device()).compile(kernel, reference, wanted, context);
}

void kernel_diagonal(const Kernel& kernel, const Dataset& rows, std::span<double> out) {
    if (static_cast<index_t>(out.size()) != rows.rows()) {
        throw InvalidArgument(
            fmt::format("out: got {} entries, must be {}", out.size(), rows.rows()));
    }
    const auto* sparse = std::get_if<CsrView>(&rows.source());
    if (sparse != nullptr && ignores_zero_columns(kernel)) {
        for (std::size_t i = 0; i < out.size(); ++i) {  // a dense row may take gigabytes
            const index_t row = rows.source_row(static_cast<index_t>(i));
            out[i] = diagonal(kernel, sparse->row_values(row));
        }
        return;
    }
    std::vector<double> row(static_cast<std::size_t>(rows.columns()));
    for (index_t i = 0; i < rows.rows(); ++i) {
        rows.copy_row(i, row);
        out[static_cast<std::size_t>(i)] =
            kernel.type() == KernelType::precomputed
                ? row.at(static_cast<std::size_t>(rows.source_row(i)))
                : diagonal(kernel, row);
    }
}

}  // namespace mercer
