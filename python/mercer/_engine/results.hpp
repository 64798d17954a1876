// SPDX-License-Identifier: Apache-2.0
//
// python/mercer/_engine/results.hpp - results of the engine as Python objects.
#pragma once

#include <nanobind/nanobind.h>

#include "call.hpp"

namespace mercer::python {

[[nodiscard]] nb::dict certificate_dict(const Certificate& certificate);
[[nodiscard]] nb::list certificate_list(const std::vector<Certificate>& certificates);

/// The model under "model", and a summary of the training.
[[nodiscard]] nb::dict result_dict(TrainResult result, const Call& call);

}  // namespace mercer::python
