// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/precise_rounding.cpp - rounding one by one, and all together.
#include "solvers/precise_rounding.hpp"

#include <algorithm>

namespace mercer {

namespace {

constexpr double kNothing = 1e-18;             // beside the largest: a double's digits end earlier
constexpr double kNoDigitsOfPivot = 0x1p-106;  // of a pivot, beside its diagonal

/// |beta_i| sqrt(K(i, i)): the norm of a coefficient's function.
std::vector<Quad> norms_of(std::span<const Quad> beta, const PreciseMatrix& kernel) {
    std::vector<Quad> out;
    for (std::size_t i = 0; i < beta.size(); ++i) {
        out.push_back(fabs(beta[i]) * sqrt(kernel(i, i)));
    }
    return out;
}

/// Rows strictly inside their box, those that count least in K beta first.
std::vector<std::size_t> free_rows(const Problem& problem, std::span<const double> doubles,
                                   std::span<const Quad> norms) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < doubles.size(); ++i) {
        const Interval box = dual_box(problem, static_cast<index_t>(i));
        if (doubles[i] != 0.0 && doubles[i] != box.lower && doubles[i] != box.upper) {
            out.push_back(i);
        }
    }
    std::stable_sort(out.begin(), out.end(),
                     [&](std::size_t a, std::size_t b) { return norms[a] < norms[b]; });
    return out;
}

}  // namespace

std::vector<double> rounded(std::span<const Quad> beta, const PreciseMatrix& kernel) {
    const std::vector<Quad> norms = norms_of(beta, kernel);
    Quad largest = 0.0;
    Quad largest_norm = 0.0;
    for (std::size_t i = 0; i < beta.size(); ++i) {
        largest = std::max(largest, fabs(beta[i]));
        largest_norm = std::max(largest_norm, norms[i]);
    }
    std::vector<double> out;
    for (std::size_t i = 0; i < beta.size(); ++i) {
        // A function of little norm may be what the sum of the coefficients needs.
        const bool nothing =
            fabs(beta[i]) < largest * kNothing && norms[i] < largest_norm * kNothing;
        out.push_back(nothing ? 0.0 : static_cast<double>(beta[i]));
    }
    return out;
}

std::vector<double> rounded_together(const Problem& problem, std::span<const Quad> beta,
                                     const PreciseMatrix& kernel) {
    std::vector<double> out = rounded(beta, kernel);
    const std::vector<std::size_t> free = free_rows(problem, out, norms_of(beta, kernel));
    PreciseMatrix lower(free.size());
    for (std::size_t i = 0; i < free.size(); ++i) {
        for (std::size_t j = 0; j < free.size(); ++j) {
            lower(i, j) = kernel(free[i], free[j]);
        }
    }
    lower.factor();
    std::vector<Quad> errors(free.size());
    for (std::size_t k = free.size(); k-- > 0;) {
        const std::size_t row = free[k];
        Quad wanted = beta[row];
        if (lower(k, k) * lower(k, k) > kernel(row, row) * kNoDigitsOfPivot) {
            Quad owed = 0.0;
            for (std::size_t j = k + 1; j < free.size(); ++j) {
                owed += lower(j, k) * errors[j];
            }
            wanted -= owed / lower(k, k);
        }
        const Interval box = dual_box(problem, static_cast<index_t>(row));
        out[row] = std::clamp(static_cast<double>(wanted), box.lower, box.upper);
        errors[k] = Quad(out[row]) - beta[row];
    }
    return out;
}

}  // namespace mercer
