// SPDX-License-Identifier: Apache-2.0
//
// src/audit/recompute_disagreement.cpp - the rows a perceptron has on the wrong side, counted once
// more.
#include <algorithm>
#include <cmath>

#include "audit/recompute.hpp"
#include "mercer/kernels/catalogue.hpp"

namespace mercer {

namespace {

// Training counts a row whose value is less than 4 times the rounding allowed here from 0; two
// values of a row differ by less than so many times that.
constexpr double kOpen = 10.0;

/// sum_j |beta_j| sqrt(k(x_j, x_j)) sqrt(k(x_i, x_i)) of every row: what products of rows, which
/// cancel, are rounded like. Values that were given are not rounded: 0 then.
std::vector<double> lengths(const Model& model, const TrainingRows& training,
                            const std::vector<index_t>& places) {
    std::vector<double> out(places.size(), 0.0);
    if (is_precomputed(model.kernel)) {
        return out;
    }
    std::vector<double> row(static_cast<std::size_t>(training.rows.columns()));
    double sum = 0.0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        training.rows.copy_row(static_cast<index_t>(i), row);
        out[i] = std::sqrt(std::abs(model.kernel(row, row)));
        if (places[i] >= 0) {
            sum += std::abs(model.coefficients[static_cast<std::size_t>(places[i])]) * out[i];
        }
    }
    for (double& length : out) {
        length *= sum;
    }
    return out;
}

}  // namespace

Recomputed recompute_disagreement(const Model& model, const TrainingRows& training,
                                  const TrainingValues& values) {
    const std::vector<index_t> places = support_places(model);
    const std::vector<double> scale = lengths(model, training, places);
    const double b = model.intercepts.front();
    Recomputed out;
    out.bounds_values = false;
    TwoDoubleSum sum;
    TwoDoubleSum absolute_sum;
    TwoDoubleSum norm;
    index_t mistakes = 0;
    double worst = kInfinity;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto row = static_cast<index_t>(i);
        const double y = training.targets[i] == 1.0 ? 1.0 : -1.0;
        const double beta =
            places[i] < 0 ? 0.0 : model.coefficients[static_cast<std::size_t>(places[i])];
        sum.add(beta);
        absolute_sum.add(std::abs(beta));
        norm.add_product(beta, values.f[i]);
        out.outside.offer(row, -y * beta);
        if (training.costs[i] == 0.0) {  // a row of weight 0 has no side, and corrects nothing
            out.outside.offer(row, std::abs(beta));
            continue;
        }
        const double z = y * (values.f[i] + b);
        const double error =
            kValueRounding * (std::max(values.magnitudes[i], scale[i]) + std::abs(b));
        if (!(z > error)) {
            ++mistakes;
            out.contributors.offer(row, 1.0);
        } else if (z <= kOpen * error) {
            out.rounding += 1.0;  // training may have counted it
        }
        if (z < worst) {
            worst = z;
            out.certificate.worst_sample = row;
        }
    }
    Certificate& certificate = out.certificate;
    certificate.primal = static_cast<double>(mistakes);
    certificate.dual = 0.0;
    certificate.gap = certificate.primal;
    certificate.kkt_violation = std::max(0.0, -worst);
    certificate.dual_infeasibility = 0.0;
    certificate.squared_norm = norm.value();
    certificate.intercept = b;
    certificate.intercepts = {b, b};
    out.sum = sum.value();
    out.absolute_sum = absolute_sum.value();
    return out;
}

}  // namespace mercer
