// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/engine.hpp - maker of the cpu backend's engines.
#pragma once

#include <memory>

#include "mercer/compute/engine.hpp"

namespace mercer::cpu {

[[nodiscard]] std::unique_ptr<KernelEngine> make_cpu_engine(const Kernel& kernel,
                                                            const Dataset& reference,
                                                            index_t columns, Precision precision,
                                                            Context& context);

}  // namespace mercer::cpu
