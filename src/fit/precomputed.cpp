// SPDX-License-Identifier: Apache-2.0
//
// src/fit/precomputed.cpp - adds row numbers to rows of kernel values, removes them from the model.
#include "fit/precomputed.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/fingerprint.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/precomputed.hpp"
#include "mercer/kernels/serial_lookup.hpp"
#include "mercer/models/inliers.hpp"
#include "mercer/models/kernel_values.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer::fit {

namespace {

/// The model for a warm start, with support rows taken from `numbered`.
Model numbered_start(const Model& start, const TrainOptions& options, const Dataset& numbered) {
    if (!(start.kernel == options.kernel)) {
        throw InvalidArgument("start", "",
                              fmt::format("the model has the kernel {}, this one has {}",
                                          to_string(start.kernel), to_string(options.kernel)),
                              "precomputed values can only be compared with themselves");
    }
    if (start.fingerprint.rows > numbered.rows()) {
        throw DataError(fmt::format("start: the model has {} rows, the data has only {}",
                                    start.fingerprint.rows, numbered.rows()));
    }
    Model out = start;
    out.support = numbered.select(start.support_rows);
    out.columns = numbered.columns();
    out.fingerprint.columns = numbered.columns();
    return out;
}

/// Column 0 is the number of the row, from 1.
Dataset with_numbers(const Dataset& rows, Context& context) {
    const index_t width = rows.columns() + 1;
    auto values = std::make_shared<Buffer<double>>(
        context.allocate<double>(checked_multiply(rows.rows(), width), "kernel values"));
    for (index_t i = 0; i < rows.rows(); ++i) {
        double* row = values->data() + i * width;
        row[0] = static_cast<double>(i + 1);
        rows.copy_row(i, std::span<double>(row + 1, static_cast<std::size_t>(rows.columns())));
    }
    Dataset out = Dataset::from_checked(
        MatrixView<const double>(values->data(), rows.rows(), width), values, context.memory());
    out.targets = rows.targets;
    out.weights = rows.weights;
    out.queries = rows.queries;
    out.label_names = rows.label_names;
    return out;
}

}  // namespace

NumberedRows number_rows(const Dataset& data, const TrainOptions& options, Context& context) {
    require_only_precomputed(options.kernel);
    if (options.scale.method != "none") {
        throw InvalidArgument("scale", "", "precomputed kernel values are no columns to scale");
    }
    require_kernel_values(data, context);
    NumberedRows out{with_numbers(data, context), options};
    out.options.kernel = with_values_from(options.kernel, trusted_lookup_kernel());
    return out;
}

TrainResult train_precomputed(const Dataset& data, const TrainOptions& options, Context& context) {
    NumberedRows numbered = number_rows(data, options, context);
    std::optional<Model> start;
    if (options.run.start != nullptr) {
        start = numbered_start(*options.run.start, options, numbered.rows);
        numbered.options.run.start = &*start;
    }
    TrainResult result = train(numbered.rows, numbered.options, context);
    Model& model = result.model;
    model.kernel = options.kernel;
    model.columns = data.columns();
    model.support = empty_rows(static_cast<index_t>(model.support_rows.size()), data.columns());
    model.fingerprint =
        fingerprint_of(is_machine(options.model, MachineId::one_class) ? as_inliers(data) : data);
    return result;
}

}  // namespace mercer::fit
