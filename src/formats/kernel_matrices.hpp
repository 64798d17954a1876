// SPDX-License-Identifier: Apache-2.0
//
// src/formats/kernel_matrices.hpp - a kernel apart from the matrices it carries, and whole again.
//
// quadratic-form(A.npy) and mixture(P.json) name outside files. A model keeps the matrices
// themselves: the text says where they stand in the expression, the blocks what they are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/base/result.hpp"
#include "mercer/kernels/kernel.hpp"

namespace mercer {

/// The matrices of the kernel's nodes, parents before children, left to right.
[[nodiscard]] std::vector<std::shared_ptr<const KernelMatrix>> matrices_of(const Kernel& kernel);

/// The kernel of that canonical text with these matrices (their file names are ignored: the text
/// has them). Refuses text that is not canonical, a wrong number of matrices, and matrices that are
/// none of a kernel.
[[nodiscard]] Result<Kernel> restore_kernel(const std::string& text,
                                            const std::vector<KernelMatrix>& matrices);

}  // namespace mercer
