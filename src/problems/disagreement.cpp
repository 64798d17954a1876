// SPDX-License-Identifier: Apache-2.0
//
// src/problems/disagreement.cpp - values of f with a bound on their rounding, row by row.
#include "mercer/problems/disagreement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/error.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

// Largest error of a kernel value of the engine, relative to sqrt(k(x,x) k(z,z)): products of rows
// may cancel, so their rounding is relative to the lengths of the rows. It is four times what
// verify allows its own scalar formulas, so a row whose side is certain here is certain there.
constexpr double kValueRounding = 4e-14;
constexpr index_t kBlockBytes = index_t{16} << 20;
constexpr index_t kMostRowsAtOnce = 512;

/// f of a row, and the magnitude that its rounding is relative to.
struct Value {
    double f = 0.0;
    double magnitude = 0.0;
};

std::vector<Value> values_of(const Problem& problem, std::span<const double> beta,
                             Context& context) {
    std::vector<index_t> support;
    for (std::size_t j = 0; j < beta.size(); ++j) {
        if (beta[j] != 0.0) {
            support.push_back(static_cast<index_t>(j));
        }
    }
    std::vector<Value> values(beta.size());
    if (support.empty()) {
        return values;
    }
    const std::vector<double> diagonal = problem.gram->diagonal();
    double length = 0.0;
    for (const index_t j : support) {
        length += std::abs(beta[static_cast<std::size_t>(j)]) *
                  std::sqrt(std::abs(diagonal[static_cast<std::size_t>(j)]));
    }
    const auto width = static_cast<index_t>(support.size());
    const index_t n = problem.size();
    const index_t count = std::clamp<index_t>(kBlockBytes / (8 * width), 1, kMostRowsAtOnce);
    Buffer<double> block = context.allocate<double>(count * width, "kernel values of a proof");
    const auto among = problem.gram->block(support, support, Precision::float64, context);
    for (index_t begin = 0; begin < n; begin += count) {
        std::vector<index_t> rows(static_cast<std::size_t>(std::min(count, n - begin)));
        std::iota(rows.begin(), rows.end(), begin);
        const MatrixView<double> k(block.data(), static_cast<index_t>(rows.size()), width);
        among->beside(rows, context)->copy_rows(0, k, context);
        for (index_t i = 0; i < k.rows; ++i) {
            CompensatedSum sum;
            CompensatedSum magnitude;
            for (index_t j = 0; j < width; ++j) {
                const double term =
                    beta[static_cast<std::size_t>(support[static_cast<std::size_t>(j)])] * k(i, j);
                sum.add(term);
                magnitude.add(std::abs(term));
            }
            const auto row = static_cast<std::size_t>(begin + i);
            values[row] = {sum.value(), std::max(magnitude.value(),
                                                 length * std::sqrt(std::abs(diagonal[row])))};
        }
    }
    return values;
}

}  // namespace

DisagreementProof certify_disagreement(const Problem& problem, std::span<const double> beta,
                                       double intercept, Context& context) {
    if (static_cast<index_t>(beta.size()) != problem.size()) {
        throw InvalidArgument("beta: its length is not the number of rows");
    }
    const std::vector<Value> values = values_of(problem, beta, context);
    DisagreementProof out;
    CompensatedSum norm;
    double worst = kInfinity;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double z = problem.targets[i] * (values[i].f + intercept);
        norm.add(beta[i] * values[i].f);
        out.products.push_back(z);
        // Not `z <= ...`: NaN counts as misclassified.
        if (!(z > kValueRounding * (values[i].magnitude + std::abs(intercept)))) {
            out.rows.push_back(static_cast<index_t>(i));
        }
        if (z < worst) {
            worst = z;
            out.certificate.worst_sample = static_cast<index_t>(i);
        }
    }
    Certificate& certificate = out.certificate;
    certificate.primal = static_cast<double>(out.rows.size());
    certificate.dual = 0.0;
    certificate.gap = certificate.primal;
    certificate.kkt_violation = std::max(0.0, -worst);
    certificate.dual_infeasibility = 0.0;
    certificate.squared_norm = norm.value();
    certificate.intercept = intercept;
    certificate.intercepts = {intercept, intercept};
    return out;
}

}  // namespace mercer
