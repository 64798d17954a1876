// SPDX-License-Identifier: Apache-2.0
//
// src/compute/reference/engine.hpp - maker of the reference backend's engines.
#pragma once

#include <memory>

#include "mercer/compute/engine.hpp"

namespace mercer::reference {

[[nodiscard]] std::unique_ptr<KernelEngine> make_reference_engine(const Kernel& kernel,
                                                                  index_t columns,
                                                                  Precision precision);

}  // namespace mercer::reference
