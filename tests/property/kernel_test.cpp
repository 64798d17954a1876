// SPDX-License-Identifier: Apache-2.0
//
// tests/property/kernel_test.cpp - laws every kernel expression obeys.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "gram_of.hpp"
#include "jacobi.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "random_kernel.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

using testing::gram_of;
using testing::normal_rows;
using testing::random_kernel;
using testing::RandomKernelOptions;
using testing::Rows;
using testing::SquareMatrix;

constexpr index_t kColumns = 3;

RandomKernelOptions any_kernel() {
    RandomKernelOptions options;
    options.positive_definite_only = false;
    options.bounded = false;
    options.columns = kColumns;
    return options;
}

double magnitude(const SquareMatrix& gram) {
    double largest = 0.0;
    for (const std::vector<double>& row : gram) {
        for (const double value : row) {
            largest = std::max(largest, std::fabs(value));
        }
    }
    return largest;
}

TEST(KernelProperty, printed_text_parses_to_the_same_kernel) {
    EXPECT_TRUE(rc::check([](std::uint64_t seed) {
        Random random(seed);
        const Kernel kernel = random_kernel(random, 4, any_kernel());
        const std::string text = to_string(kernel);
        const Result<Kernel> parsed = parse_kernel(text);
        RC_ASSERT(parsed.ok());
        RC_ASSERT(parsed.value() == kernel);
        RC_ASSERT(to_string(parsed.value()) == text);
    }));
}

TEST(KernelProperty, values_are_symmetric_to_the_bit) {
    const bool same = rc::check([](std::uint64_t seed) {
        Random random(seed);
        const Kernel kernel = random_kernel(random, 4, any_kernel());
        const Rows rows = normal_rows(random, 2, kColumns);
        const double left = kernel(rows[0], rows[1]);
        const double right = kernel(rows[1], rows[0]);
        RC_ASSERT(left == right || (std::isnan(left) && std::isnan(right)));
    });
    expect_fact("K20", "random kernels and rows: k(x, z) and k(z, x) have the same bits", same);
}

TEST(KernelProperty, claimed_positive_definite_means_no_negative_eigenvalue) {
    double least = 0.0;
    EXPECT_TRUE(rc::check([&least](std::uint64_t seed) {
        Random random(seed);
        RandomKernelOptions options;
        options.positive_definite_only = random.below(2) == 0;
        const Kernel kernel = random_kernel(random, 3, options);
        const Definiteness claim = kernel.definiteness();
        if (claim != Definiteness::positive_definite &&
            claim != Definiteness::strictly_positive_definite) {
            return;
        }
        Rows rows = normal_rows(random, 7, kColumns);
        rows.push_back(rows.front());  // a duplicate, and the zero row
        rows.push_back(std::vector<double>(kColumns, 0.0));
        const SquareMatrix gram = gram_of(kernel, rows);
        if (!std::isfinite(magnitude(gram))) {
            return;
        }
        const double trace = testing::trace(gram);
        if (trace > 0.0) {
            least = std::min(least, testing::eigenvalues(gram).front() / trace);
        }
        RC_ASSERT(testing::eigenvalues(gram).front() >= -1e-10 * trace);
    }));
    expect_fact(
        "K21", "random kernels that claim to be positive definite: least eigenvalue over the trace",
        least);
}

TEST(KernelProperty, positive_definite_by_construction_when_made_of_such_parts) {
    EXPECT_TRUE(rc::check([](std::uint64_t seed) {
        Random random(seed);
        const Kernel kernel = random_kernel(random, 4);
        const Definiteness claim = kernel.definiteness();
        RC_ASSERT(claim == Definiteness::positive_definite ||
                  claim == Definiteness::strictly_positive_definite);
    }));
}

TEST(KernelProperty, conditional_claims_hold_on_coefficients_that_sum_to_zero) {
    EXPECT_TRUE(rc::check([](std::uint64_t seed) {
        Random random(seed);
        RandomKernelOptions options;
        options.positive_definite_only = false;
        const Kernel kernel = random_kernel(random, 2, options);
        if (kernel.definiteness() != Definiteness::conditionally_positive_definite) {
            return;
        }
        const Rows rows = normal_rows(random, 6, kColumns);
        const SquareMatrix gram = gram_of(kernel, rows);
        std::vector<double> c(rows.size());
        double sum = 0.0;
        for (double& value : c) {
            value = random.normal();
            sum += value;
        }
        double form = 0.0;
        for (std::size_t i = 0; i < c.size(); ++i) {
            for (std::size_t j = 0; j < c.size(); ++j) {
                const double mean = sum / static_cast<double>(c.size());
                form += (c[i] - mean) * (c[j] - mean) * gram[i][j];
            }
        }
        RC_ASSERT(form >= -1e-10 * magnitude(gram));
    }));
}

TEST(KernelProperty, cauchy_schwarz_and_feature_distance_hold) {
    const bool holds = rc::check([](std::uint64_t seed) {
        Random random(seed);
        const Kernel kernel = random_kernel(random, 3);
        const Rows rows = normal_rows(random, 2, kColumns);
        const double xz = kernel(rows[0], rows[1]);
        const double xx = diagonal(kernel, rows[0]);
        const double zz = diagonal(kernel, rows[1]);
        if (!std::isfinite(xz * xz) || !std::isfinite(xx * zz)) {
            return;
        }
        RC_ASSERT(xz * xz <= xx * zz * (1.0 + 1e-12) + 1e-300);
        RC_ASSERT(xx + zz - 2.0 * xz >= -1e-12 * (xx + zz));
    });
    expect_fact("K22", "random kernels and rows: it holds", holds);
}

TEST(KernelProperty, every_positive_definite_kernel_of_the_catalogue_obeys_cauchy_schwarz) {
    Random random(12);
    double largest = 0.0;
    int kernels = 0;
    for (const CatalogueEntry& entry : kernel_catalogue()) {
        const Result<Kernel> parsed = parse_kernel(entry.name);
        if (entry.name.empty() || !parsed.ok() || is_precomputed(parsed.value())) {
            continue;  // constructions, and kernels that need a file
        }
        const Kernel kernel = resolve_kernel(parsed.value(), 0.3);
        const Definiteness claim = kernel.definiteness();
        if (claim != Definiteness::positive_definite &&
            claim != Definiteness::strictly_positive_definite) {
            continue;
        }
        ++kernels;
        const index_t columns =
            entry.type == KernelType::brownian_bridge || entry.type == KernelType::sinc ? 1
                                                                                        : kColumns;
        for (int repeat = 0; repeat < 200; ++repeat) {
            const Rows rows = testing::uniform_rows(random, 2, columns);  // in every domain
            const double xz = kernel(rows[0], rows[1]);
            const double bound = diagonal(kernel, rows[0]) * diagonal(kernel, rows[1]);
            largest = std::max(largest, xz * xz / bound);
        }
    }
    EXPECT_GE(kernels, 14);
    expect_fact("K22", "every kernel of the catalogue: largest k(x, z)^2 / (k(x, x) k(z, z))",
                largest);
}

TEST(KernelProperty, resolving_fills_every_scale_and_nothing_else) {
    EXPECT_TRUE(rc::check([](std::uint64_t seed) {
        Random random(seed);
        const Kernel kernel = random_kernel(random, 3) + parse_kernel("2 * rbf").value();
        RC_ASSERT(!kernel.is_resolved());
        const Kernel resolved = resolve_kernel(kernel, 0.25);
        RC_ASSERT(resolved.is_resolved());
        RC_ASSERT(resolve_kernel(resolved, 7.0) == resolved);
    }));
}

}  // namespace
}  // namespace mercer
