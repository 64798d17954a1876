// SPDX-License-Identifier: Apache-2.0
//
// src/audit/recompute_disagreement.cpp - an independent count of the rows that a perceptron
// misclassifies.
#include <algorithm>
#include <cmath>

#include "audit/recompute.hpp"
#include "mercer/kernels/catalogue.hpp"

namespace mercer {

namespace {

// Training counts a row as wrong if its value is within 4 times the rounding error allowed here;
// two computations of the value differ by less than this multiple of it.
constexpr double kOpen = 10.0;

/// sum_j |beta_j| sqrt(k(x_j, x_j)) sqrt(k(x_i, x_i)) for every row: the scale of the rounding of
/// inner products, whose terms may cancel. 0 for precomputed values, which are not rounded.
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

double side_of(const TrainingRows& training, std::size_t i) {
    return training.targets[i] == 1.0 ? 1.0 : -1.0;
}

/// The sums of the coefficients, |f|^2, and the rows with an infeasible coefficient.
void sum_coefficients(const Model& model, const TrainingRows& training,
                      const TrainingValues& values, const std::vector<index_t>& places,
                      Recomputed& out) {
    TwoDoubleSum sum;
    TwoDoubleSum absolute_sum;
    TwoDoubleSum norm;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto row = static_cast<index_t>(i);
        const double beta =
            places[i] < 0 ? 0.0 : model.coefficients[static_cast<std::size_t>(places[i])];
        sum.add(beta);
        absolute_sum.add(std::abs(beta));
        norm.add_product(beta, values.f[i]);
        out.outside.offer(row, -side_of(training, i) * beta);
        if (training.costs[i] == 0.0) {  // a row of weight zero must have no coefficient
            out.outside.offer(row, std::abs(beta));
        }
    }
    out.sum = sum.value();
    out.absolute_sum = absolute_sum.value();
    out.certificate.squared_norm = norm.value();
}

/// Counts the misclassified rows, and those that training may have counted because of rounding.
void count_mistakes(const TrainingRows& training, const TrainingValues& values,
                    const std::vector<double>& scale, double b, Recomputed& out) {
    index_t mistakes = 0;
    double worst = kInfinity;
    for (std::size_t i = 0; i < scale.size(); ++i) {
        if (training.costs[i] == 0.0) {  // rows of weight zero do not count
            continue;
        }
        const auto row = static_cast<index_t>(i);
        const double z = side_of(training, i) * (values.f[i] + b);
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
    out.certificate.primal = static_cast<double>(mistakes);
    out.certificate.kkt_violation = std::max(0.0, -worst);
}

}  // namespace

Recomputed recompute_disagreement(const Model& model, const TrainingRows& training,
                                  const TrainingValues& values) {
    const std::vector<index_t> places = support_places(model);
    const double b = model.intercepts.front();
    Recomputed out;
    out.bounds_values = false;
    sum_coefficients(model, training, values, places, out);
    count_mistakes(training, values, lengths(model, training, places), b, out);
    Certificate& certificate = out.certificate;
    certificate.dual = 0.0;
    certificate.gap = certificate.primal;
    certificate.dual_infeasibility = 0.0;
    certificate.intercept = b;
    certificate.intercepts = {b, b};
    return out;
}

}  // namespace mercer
