// SPDX-License-Identifier: Apache-2.0
//
// capi/convert.hpp - LIBSVM's structs on one side, Mercer's types on the other.
#pragma once

#include "mercer/data/dataset.hpp"
#include "mercer/fit/libsvm.hpp"
#include "mercer/formats/libsvm_model.hpp"
#include "svm.h"

namespace mercer::capi {

[[nodiscard]] LibsvmParameters parameters_of(const svm_parameter& parameters);

/// A copy of the rows and targets. Throws InvalidArgument, naming the row, for indices that do not
/// ascend from `first` (0 for precomputed kernel values) and numbers that are not finite.
[[nodiscard]] Dataset dataset_of(const svm_problem& problem, int first);

/// The same from the struct. Throws InvalidArgument when a pointer it needs is null.
[[nodiscard]] LibsvmModel libsvm_model_of(const svm_model& model);

/// A struct for svm_free_and_destroy_model(), with rows of its own. Throws std::bad_alloc.
[[nodiscard]] svm_model* new_model(const LibsvmModel& model);

/// The same with pointers into the rows of `problem`, as svm_train() gives.
[[nodiscard]] svm_model* new_model(const LibsvmModel& model, const svm_problem& problem);

/// The type's number for its name, `c_svc`; -1 when there is none.
[[nodiscard]] int svm_type_of(const std::string& name) noexcept;
[[nodiscard]] int kernel_type_of(const std::string& name) noexcept;

}  // namespace mercer::capi
