// SPDX-License-Identifier: Apache-2.0
//
// src/theory/mercer_test.cpp - symmetry, spectrum, Cauchy-Schwarz and a negative witness.
//
// Method   Mercer's condition on a finite set: c'Kc >= 0 for all c. The spectrum decides; the
//          witness is checked by Dot2 (Ogita, Rump, Oishi, SIAM J. Sci. Comput. 26, 2005), whose
//          result is as accurate as if computed in twice the precision and rounded once.
// Notation (letters)   u  epsilon / 2, the unit roundoff   v  the witness
#include "mercer/theory/mercer_test.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/roundoff.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr double kSymmetryTolerance = 1e-12;  // times the largest entry

void require_square_and_finite(MatrixView<const double> gram) {
    if (gram.rows != gram.columns) {
        throw InvalidArgument(
            fmt::format("gram: got {} by {}, must be square", gram.rows, gram.columns));
    }
    for (index_t i = 0; i < gram.rows; ++i) {
        for (index_t j = 0; j < gram.columns; ++j) {
            if (!std::isfinite(gram(i, j))) {
                throw InvalidArgument(
                    fmt::format("gram: row {}, column {} is {}, must be finite", i, j, gram(i, j)));
            }
        }
    }
}

void measure_symmetry(MatrixView<const double> gram, MercerReport& report) {
    double largest = 0.0;
    for (index_t i = 0; i < gram.rows; ++i) {
        for (index_t j = 0; j < i; ++j) {
            const double error = std::fabs(gram(i, j) - gram(j, i));
            largest = std::max({largest, std::fabs(gram(i, j)), std::fabs(gram(j, i))});
            if (error > report.symmetry_error) {
                report.symmetry_error = error;
                report.symmetry_row = i;
                report.symmetry_column = j;
            }
        }
        largest = std::max(largest, std::fabs(gram(i, i)));
    }
    report.symmetric = report.symmetry_error <= kSymmetryTolerance * largest;
}

void measure_cauchy_schwarz(MatrixView<const double> gram, MercerReport& report) {
    std::vector<double> roots;
    for (index_t i = 0; i < gram.rows; ++i) {
        roots.push_back(std::sqrt(std::max(0.0, gram(i, i))));
    }
    for (index_t i = 0; i < gram.rows; ++i) {
        for (index_t j = 0; j < gram.columns; ++j) {
            const double bound =
                roots[static_cast<std::size_t>(i)] * roots[static_cast<std::size_t>(j)];
            const double excess = std::fabs(gram(i, j)) - bound;
            // The bound itself is rounded: two roots and a product.
            if (excess > 4.0 * kEpsilon * bound && excess > report.cauchy_schwarz_excess) {
                report.cauchy_schwarz_excess = excess;
                report.cauchy_schwarz_row = i;
                report.cauchy_schwarz_column = j;
            }
        }
    }
}

/// Copies (K + K') / 2; halves first, so that large entries do not overflow.
void copy_symmetric_part(MatrixView<const double> gram, MatrixView<double> copy) {
    for (index_t i = 0; i < gram.rows; ++i) {
        for (index_t j = 0; j < gram.columns; ++j) {
            copy(i, j) =
                gram(i, j) == gram(j, i) ? gram(i, j) : gram(i, j) / 2.0 + gram(j, i) / 2.0;
        }
    }
}

/// A sum with its rounding error accumulated separately: the sum is high + low.
struct Compensated {
    double high = 0.0;
    double low = 0.0;

    void add_product(double a, double b) {
        const double product = a * b;
        const double product_error = std::fma(a, b, -product);
        const double sum = high + product;
        const double part = sum - high;
        low += ((high - (sum - part)) + (product - part)) + product_error;
        high = sum;
    }
    [[nodiscard]] double value() const { return high + low; }
};

/// v'Kv from the given matrix. The relative error of an inner sum is u plus n^2 u^2 times its
/// condition number; the outer sum multiplies it by |v_i| and has an error of the same form.
void check_witness(MatrixView<const double> gram, MercerReport& report) {
    const std::vector<double>& v = report.witness;
    Compensated form;
    double first_order = 0.0;
    double magnitude = 0.0;
    for (index_t i = 0; i < gram.rows; ++i) {
        Compensated row;
        double row_magnitude = 0.0;
        for (index_t j = 0; j < gram.columns; ++j) {
            const double x = v[static_cast<std::size_t>(j)];
            row.add_product(gram(i, j), x);
            row_magnitude += std::fabs(gram(i, j) * x);
        }
        const double weight = v[static_cast<std::size_t>(i)];
        form.add_product(weight, row.value());
        first_order += std::fabs(weight * row.value());
        magnitude += std::fabs(weight) * row_magnitude;
    }
    const auto n = static_cast<double>(gram.rows);
    report.witness_value = form.value();
    report.witness_error = 2.0 * kEpsilon * (first_order + std::fabs(form.value())) +
                           4.0 * n * n * kEpsilon * kEpsilon * magnitude;
}

SpectrumHistogram count_decades(const std::vector<double>& eigenvalues, double error) {
    SpectrumHistogram histogram;
    double lowest = kInfinity;
    double highest = -kInfinity;
    for (const double value : eigenvalues) {
        if (value > error) {
            lowest = std::min(lowest, std::floor(std::log10(value)));
            highest = std::max(highest, std::floor(std::log10(value)));
        }
    }
    const index_t bins = highest >= lowest ? static_cast<index_t>(highest - lowest) + 1 : 0;
    for (index_t bin = 0; bins > 0 && bin <= bins; ++bin) {
        histogram.edges.push_back(lowest + static_cast<double>(bin));
    }
    histogram.counts.assign(static_cast<std::size_t>(bins), 0);
    for (const double value : eigenvalues) {
        if (value > error) {
            ++histogram.counts[static_cast<std::size_t>(std::floor(std::log10(value)) - lowest)];
        } else if (value < -error) {
            ++histogram.negative;
        } else {
            ++histogram.zero;
        }
    }
    return histogram;
}

void judge_spectrum(MercerReport& report) {
    const auto n = static_cast<double>(report.size);
    report.least_eigenvalue = report.eigenvalues.front();
    const double norm =
        std::max(std::fabs(report.eigenvalues.front()), std::fabs(report.eigenvalues.back()));
    report.eigenvalue_error = n * kEpsilon * norm;
    report.positive_semidefinite = report.least_eigenvalue >= -report.eigenvalue_error;
    report.positive_definite = report.least_eigenvalue > report.eigenvalue_error;
    report.rank =
        std::count_if(report.eigenvalues.begin(), report.eigenvalues.end(),
                      [&](double value) { return std::fabs(value) > report.eigenvalue_error; });
    report.histogram = count_decades(report.eigenvalues, report.eigenvalue_error);
}

}  // namespace

MercerReport test_gram(MatrixView<const double> gram, Context& context) {
    require_square_and_finite(gram);
    MercerReport report;
    report.size = gram.rows;
    if (report.size == 0) {
        return report;
    }
    measure_symmetry(gram, report);
    measure_cauchy_schwarz(gram, report);
    context.throw_if_stopped("testing a Gram matrix");

    const index_t n = report.size;
    Buffer<double> storage = context.allocate<double>(checked_multiply(n, n), "copy of the Gram");
    const MatrixView<double> copy(storage.data(), n, n);
    copy_symmetric_part(gram, copy);
    report.eigenvalues.resize(static_cast<std::size_t>(n));
    symmetric_eigen(copy, report.eigenvalues, false, context);
    judge_spectrum(report);

    if (!report.positive_semidefinite) {
        context.throw_if_stopped("testing a Gram matrix");
        copy_symmetric_part(gram, copy);
        std::vector<double> values(static_cast<std::size_t>(n));
        symmetric_eigen(copy, values, true, context);
        report.witness.assign(copy.row(0), copy.row(0) + n);
        check_witness(gram, report);
    }
    return report;
}

}  // namespace mercer
