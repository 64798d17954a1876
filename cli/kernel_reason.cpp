// SPDX-License-Identifier: Apache-2.0
//
// cli/kernel_reason.cpp - one sentence per kernel and per construction.
#include "kernel_reason.hpp"

#include <algorithm>
#include <array>

namespace mercer::cli {

namespace {

struct Reason {
    KernelType type;
    std::string_view text;
};

constexpr std::array kReasons{
    Reason{KernelType::linear, "an inner product"},
    Reason{KernelType::poly, "powers of an inner product, summed with coefficients >= 0"},
    Reason{KernelType::monomial, "a power of an inner product"},
    Reason{KernelType::rbf, "the Fourier transform of a positive density (Bochner)"},
    Reason{KernelType::laplace, "the Fourier transform of a positive density (Bochner)"},
    Reason{KernelType::sigmoid, "tanh has negative coefficients in its power series"},
    Reason{KernelType::delta, "the Gram matrix of distinct rows is the identity"},
    Reason{KernelType::brownian_bridge, "the covariance of the Brownian bridge"},
    Reason{KernelType::sinc, "the Fourier transform of a box, which is >= 0 (Bochner)"},
    Reason{KernelType::cosine, "the inner product of rows scaled to length 1"},
    Reason{KernelType::chi2, "exp of minus a conditionally negative distance (Schoenberg)"},
    Reason{KernelType::intersection, "min(a, b) is the inner product of two indicator functions"},
    Reason{KernelType::constant, "the square of a number"},
    Reason{KernelType::quadratic_form, "x'Az with A positive semidefinite, which was checked"},
    Reason{KernelType::mixture, "an inner product weighted by probabilities"},
    Reason{KernelType::latent_gaussian, "an integral of products p(x|t) p(z|t)"},
    Reason{KernelType::negative_distance, "minus a power <= 2 of a distance (Schoenberg)"},
    Reason{KernelType::precomputed, "the matrix decides; mercer kernel check tests it"},
    Reason{KernelType::custom, "as its author declares"},
    Reason{KernelType::scale, "a positive factor keeps the sign of every quadratic form"},
    Reason{KernelType::sum, "quadratic forms add up; a sum is strict when one part is"},
    Reason{KernelType::product, "elementwise products keep semidefiniteness (Schur)"},
    Reason{KernelType::exponential, "the power series of exp has positive coefficients"},
    Reason{KernelType::polynomial, "powers of the kernel, summed with coefficients >= 0"},
    Reason{KernelType::normalized, "f(x) k(x,z) f(z) is k on rescaled coefficients"},
    Reason{KernelType::row_scaled, "f(x) k(x,z) f(z) is k on rescaled coefficients"},
    Reason{KernelType::columns, "k of rows that are mapped first"},
    Reason{KernelType::power, "a repeated product (Schur)"},
};

}  // namespace

std::string_view definiteness_reason(const Kernel& kernel) {
    const Definiteness definiteness = kernel.definiteness();
    if (kernel.type() == KernelType::poly && definiteness == Definiteness::indefinite) {
        return "coef0 < 0 gives the expansion negative coefficients";
    }
    if (!kernel.node().children.empty() && definiteness == Definiteness::indefinite) {
        return "a part is not shown to be positive definite";
    }
    const bool of_conditional = kernel.type() == KernelType::exponential &&
                                kernel.node().children.front().definiteness() ==
                                    Definiteness::conditionally_positive_definite;
    if (of_conditional) {
        return "exp of a conditionally positive definite kernel (Schoenberg)";
    }
    if (const RadialForm* radial = entry_of(kernel.type()).radial) {
        return radial->reason;
    }
    const auto* const found =
        std::find_if(kReasons.begin(), kReasons.end(),
                     [&](const Reason& reason) { return reason.type == kernel.type(); });
    return found == kReasons.end() ? "by its construction" : found->text;
}

}  // namespace mercer::cli
