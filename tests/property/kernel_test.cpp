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
    EXPECT_TRUE(rc::check([](std::uint64_t seed) {
        Random random(seed);
        const Kernel kernel = random_kernel(random, 4, any_kernel());
        const Rows rows = normal_rows(random, 2, kColumns);
        const double left = kernel(rows[0], rows[1]);
        const double right = kernel(rows[1], rows[0]);
        RC_ASSERT(left == right || (std::isnan(left) && std::isnan(right)));
    }));
}

TEST(KernelProperty, claimed_positive_definite_means_no_negative_eigenvalue) {
    EXPECT_TRUE(rc::check([](std::uint64_t seed) {
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
        RC_ASSERT(testing::eigenvalues(gram).front() >= -1e-10 * testing::trace(gram));
    }));
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
    EXPECT_TRUE(rc::check([](std::uint64_t seed) {
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
    }));
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
