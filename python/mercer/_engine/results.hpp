// SPDX-License-Identifier: Apache-2.0
//
// python/mercer/_engine/results.hpp - what the engine found, in Python's own types.
#pragma once

#include <nanobind/nanobind.h>

#include "call.hpp"

namespace mercer::python {

[[nodiscard]] nb::dict certificate_dict(const Certificate& certificate);
[[nodiscard]] nb::list certificate_list(const std::vector<Certificate>& certificates);

/// The model under "model", and what is worth saying about how it was made.
[[nodiscard]] nb::dict result_dict(TrainResult result, const Call& call);

}  // namespace mercer::python
