// SPDX-License-Identifier: Apache-2.0
//
// tests/conformance/rounding_test.cpp - every tile of every backend is within kernel_rounding() of
// the exact value, for any size, storage and position of the rows, and any vector instructions.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "compute/cpu/elementwise.hpp"
#include "compute/cpu/targets.hpp"
#include "mercer/compute/backend.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/precise.hpp"
#include "random_kernel.hpp"
#include "row_sets.hpp"
#include "row_sizes.hpp"
#include "sample_kernels.hpp"

namespace mercer {
namespace {

using testing::RowSet;

std::span<const double> row_of(const RowSet& set, index_t row, index_t columns) {
    return std::span<const double>(set.values())
        .subspan(static_cast<std::size_t>(row * columns), static_cast<std::size_t>(columns));
}

constexpr index_t kRows = 9;

/// Two sets with rows that are zero, equal and nearly equal, around `offset`.
struct Pair {
    Pair(index_t width, double scale, double offset, double density, std::uint64_t seed)
        : columns(width),
          left(kRows, width, seed, density),
          right(kRows, width, seed + 1, density) {
        for (RowSet* set : {&left, &right}) {
            for (index_t i = 0; i < kRows; ++i) {
                for (index_t k = 0; k < width; ++k) {
                    set->at(i, k) = set->at(i, k) == 0.0 ? 0.0 : scale * (set->at(i, k) + offset);
                }
            }
        }
        left.copy_row(right, 1, 0);
        left.copy_row(right, 2, 3);
        left.copy_row(right, 4, 4);
        for (index_t k = 0; k < width; ++k) {
            left.at(3, k) = std::nextafter(left.at(3, k), 2.0 * left.at(3, k));
            left.at(4, k) *= 1.0 + 1e-9;
        }
        left.zero_row(2);
    }

    [[nodiscard]] RowSizes sizes() const {
        RowSizes out;
        for (index_t i = 0; i < kRows; ++i) {
            testing::cover(out, row_of(left, i, columns));
            testing::cover(out, row_of(right, i, columns));
        }
        return out;
    }

    index_t columns;
    RowSet left;
    RowSet right;
};

void expect_within(const std::vector<double>& tiles, const std::vector<Quad>& exact, double error,
                   const std::string& what) {
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        const auto off = static_cast<double>(fabs(Quad(tiles[i]) - exact[i]));
        ASSERT_LE(off, error) << what << " at " << i << ": " << tiles[i];
    }
}

void expect_bound_on(const Backend& backend, const Kernel& kernel, Pair& rows,
                     const std::vector<Quad>& exact, double error) {
    Context context({.threads = 1, .device = backend.device()});
    const std::string what = to_string(kernel) + " on " + std::string(backend.name()) + ", " +
                             cpu::simd_target_name() + ", ";
    const auto gram = [&](const Dataset& left, const Dataset& right) {
        return testing::compute_gram(kernel, left, right, Precision::float64, context);
    };
    expect_within(gram(rows.left.dense(), rows.right.dense()), exact, error, what + "dense");
    expect_within(gram(rows.left.sparse(), rows.right.sparse()), exact, error, what + "sparse");
}

/// Checks the bound for one kernel: dense and sparse rows, all backends, all vector instructions.
void expect_bound(const Kernel& kernel, Pair& rows) {
    const KernelRounding rounding = kernel_rounding(kernel, rows.sizes());
    if (!std::isfinite(rounding.error) || !has_precise_values(kernel)) {
        return;
    }
    std::vector<Quad> exact;
    for (index_t i = 0; i < kRows; ++i) {
        for (index_t j = 0; j < kRows; ++j) {
            exact.push_back(evaluate_precisely(kernel, row_of(rows.left, i, rows.columns),
                                               row_of(rows.right, j, rows.columns)));
            ASSERT_LE(std::fabs(static_cast<double>(exact.back())), rounding.largest)
                << to_string(kernel);
        }
    }
    for (const Backend* backend : backends()) {
        // The lowest bit is the best target; each target has its own functions.
        std::int64_t targets =
            backend->device() == Device::cpu ? cpu::supported_targets() & HWY_TARGETS : 1;
        for (; targets != 0; targets &= targets - 1) {
            cpu::restrict_targets(targets & -targets);
            expect_bound_on(*backend, kernel, rows, exact, rounding.error);
        }
        cpu::restrict_targets(0);
    }
}

void expect_bounds(const std::vector<std::string>& kernels, Pair& rows) {
    for (const std::string& text : kernels) {
        expect_bound(parse_kernel(text).value(), rows);
    }
}

class rounding : public ::testing::TestWithParam<double> {};

TEST_P(rounding, of_every_kernel_is_within_its_bound) {
    const double scale = GetParam();
    for (const index_t columns : {1, 3, 40}) {
        for (const double offset : {0.0, 30.0, 1e7}) {
            for (const double density : {1.0, 0.02}) {
                Pair rows(columns, scale, offset, density, 11);
                expect_bounds(testing::kAnyRows, rows);
                if (columns >= 3) {
                    expect_bounds(testing::kThreeColumns, rows);
                }
                rows.left.make_absolute();
                rows.right.make_absolute();
                expect_bounds(testing::kNonNegative, rows);
                if (columns == 1) {
                    rows.left.clamp_to_unit();
                    rows.right.clamp_to_unit();
                    expect_bounds(testing::kUnitInterval, rows);
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(scales, rounding, ::testing::Values(1e-8, 1e-3, 0.1, 1.0, 30.0, 1e4, 1e8),
                         [](const auto& scale) { return "number_" + std::to_string(scale.index); });

TEST(rounding_random, expressions_of_depth_three_are_within_their_bounds) {
    Random random(20250101);
    for (int round = 0; round < 150; ++round) {
        const index_t columns = 1 + random.below(4);
        testing::RandomKernelOptions options;
        options.positive_definite_only = random.below(2) == 0;
        options.columns = columns;
        const Kernel kernel =
            testing::random_kernel(random, 1 + static_cast<int>(random.below(3)), options);
        Pair rows(columns, std::pow(10.0, random.uniform(-4.0, 0.0)),
                  random.below(3) == 0 ? 100.0 : 0.0, random.uniform(0.3, 1.0), random.bits());
        expect_bound(kernel, rows);
    }
}

TEST(rounding_far_away, delta_tells_entries_apart_that_a_shift_would_merge) {
    // The mean is far from the last two, which differ by less than the mean's last digit.
    std::vector<double> values(60, 1e8);
    values.push_back(1.0);
    values.push_back(1.0 + std::numeric_limits<double>::epsilon());
    const Dataset rows(MatrixView<const double>(values.data(), 62, 1));
    for (const Backend* backend : backends()) {
        Context context({.device = backend->device()});
        const std::vector<double> gram = testing::compute_gram(parse_kernel("delta").value(), rows,
                                                               rows, Precision::float64, context);
        EXPECT_EQ(gram[60 * 62 + 61], 0.0) << backend->name();
        EXPECT_EQ(gram[60 * 62 + 60], 1.0) << backend->name();
    }
}

}  // namespace
}  // namespace mercer
