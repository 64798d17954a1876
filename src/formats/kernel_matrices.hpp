// SPDX-License-Identifier: Apache-2.0
//
// src/formats/kernel_matrices.hpp - separating a kernel from its matrices and joining them again.
//
// quadratic-form(A.npy) and mixture(P.json) refer to files. A model file contains the matrices
// themselves: the text gives their positions in the expression, the blocks their values.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/base/result.hpp"
#include "mercer/kernels/kernel.hpp"

namespace mercer {

/// The matrices of the kernel's nodes, parents before children, left to right.
[[nodiscard]] std::vector<std::shared_ptr<const KernelMatrix>> matrices_of(const Kernel& kernel);

/// The kernel with that canonical text and these matrices (their file names are ignored in favour
/// of those in the text). Refuses text that is not canonical, a wrong number of matrices, and
/// matrices that do not define a kernel.
[[nodiscard]] Result<Kernel> restore_kernel(const std::string& text,
                                            const std::vector<KernelMatrix>& matrices);

}  // namespace mercer
