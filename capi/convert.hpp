// SPDX-License-Identifier: Apache-2.0
//
// capi/convert.hpp - conversion between LIBSVM's structs and Mercer's types.
#pragma once

#include "mercer/data/dataset.hpp"
#include "mercer/fit/libsvm.hpp"
#include "mercer/formats/libsvm_model.hpp"
#include "svm.h"

namespace mercer::capi {

[[nodiscard]] LibsvmParameters parameters_of(const svm_parameter& parameters);

/// A copy of the rows and targets. Throws InvalidArgument, with the row, if indices do not ascend
/// from `first` (0 for precomputed kernel values) or numbers are not finite.
[[nodiscard]] Dataset dataset_of(const svm_problem& problem, int first);

/// The model in the struct. Throws InvalidArgument if a required pointer is null.
[[nodiscard]] LibsvmModel libsvm_model_of(const svm_model& model);

/// A struct for svm_free_and_destroy_model() that owns its rows. Throws std::bad_alloc.
[[nodiscard]] svm_model* new_model(const LibsvmModel& model);

/// The same with pointers into the rows of `problem`, as returned by svm_train().
[[nodiscard]] svm_model* new_model(const LibsvmModel& model, const svm_problem& problem);

/// The number of the type with that name, `c_svc`; -1 if there is none.
[[nodiscard]] int svm_type_of(const std::string& name) noexcept;
[[nodiscard]] int kernel_type_of(const std::string& name) noexcept;

}  // namespace mercer::capi
