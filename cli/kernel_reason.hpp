// SPDX-License-Identifier: Apache-2.0
//
// cli/kernel_reason.hpp - the reason for a kernel's definiteness, in one sentence.
#pragma once

#include <string_view>

#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/kernel.hpp"

namespace mercer::cli {

/// The theorem or rule behind kernel.definiteness(), for its outermost part.
[[nodiscard]] std::string_view definiteness_reason(const Kernel& kernel);

}  // namespace mercer::cli
