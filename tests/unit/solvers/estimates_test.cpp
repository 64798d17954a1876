// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/estimates_test.cpp - how the seconds and bytes of every solver grow with the
// problem, and lower bounds on them.
#include "solvers/estimates.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {
namespace {

/// A computer of these speeds; with an infinite speed that part of the work takes no time.
class Computer final : public Speed {
public:
    Computer(double kernel_values, double flops) : kernel_values_(kernel_values), flops_(flops) {}
    [[nodiscard]] double kernel_values(Precision) override { return kernel_values_; }
    [[nodiscard]] double flops() override { return flops_; }

private:
    double kernel_values_;
    double flops_;
};

using Estimator = Estimate (*)(const ProblemSize&, Speed&);

struct Entry {
    const char* name;
    Estimator estimate;
    bool factors;  ///< factors a matrix of all rows and stores it
    bool stores;   ///< stores such a matrix, factored or not
};

const std::vector<Entry> kEntries{
    {"rows", estimate_rows, false, false},
    {"newton", estimate_newton, true, true},
    {"interior point", estimate_interior_point, true, true},
    {"dual descent", estimate_dual_descent, false, true},
    {"cholesky", estimate_cholesky, true, true},
    {"products", estimate_products, false, false},
    {"softmax newton", estimate_softmax_newton, true, true},
    {"softmax products", estimate_softmax_products, false, false},
};

ProblemSize of_rows(index_t rows, index_t outputs = 1) {
    return {.rows = rows, .entries_per_row = 8.0, .working_set = 64, .outputs = outputs};
}

// A second for each operation, so that constant times are negligible.
constexpr double kSlow = 1.0;
constexpr double kRatioTolerance = 1e-4;

TEST(estimates, twice_the_rows_have_four_times_the_kernel_values) {
    Computer computer(kSlow, kInfinity);
    for (const auto& [name, estimate, factors, stores] : kEntries) {
        const Estimate once = estimate(of_rows(4096), computer);
        const Estimate twice = estimate(of_rows(8192), computer);
        EXPECT_NEAR(twice.seconds_least / once.seconds_least, 4.0, kRatioTolerance) << name;
        EXPECT_NEAR(twice.seconds_most / once.seconds_most, 4.0, kRatioTolerance) << name;
        EXPECT_LE(once.seconds_least, once.seconds_most) << name;
    }
}

TEST(estimates, a_solver_of_all_kernel_values_takes_as_long_as_computing_them_once) {
    Computer computer(kSlow, kInfinity);
    for (const auto& [name, estimate, factors, stores] : kEntries) {
        const Estimate found = estimate(of_rows(4096), computer);
        if (std::string(name) != "rows") {  // which may need only a few of them
            EXPECT_GE(found.seconds_least, 4096.0 * 4096.0) << name;
        }
        EXPECT_GE(found.seconds_most, 4096.0 * 4096.0) << name;
        Computer faster(2.0 * kSlow, kInfinity);
        EXPECT_NEAR(estimate(of_rows(4096), faster).seconds_most / found.seconds_most, 0.5,
                    kRatioTolerance)
            << name;
    }
}

TEST(estimates, a_factor_takes_eight_times_as_long_for_twice_the_rows) {
    constexpr index_t kMany = index_t{1} << 20;  // so that products are negligible
    constexpr auto n = static_cast<double>(kMany);
    Computer computer(kInfinity, kSlow);
    for (const auto& [name, estimate, factors, stores] : kEntries) {
        if (!factors) {
            continue;
        }
        const Estimate once = estimate(of_rows(kMany), computer);
        const Estimate twice = estimate(of_rows(2 * kMany), computer);
        EXPECT_NEAR(twice.seconds_least / once.seconds_least, 8.0, 1e-2) << name;
        EXPECT_NEAR(twice.seconds_most / once.seconds_most, 8.0, 1e-2) << name;
        EXPECT_GE(once.seconds_least, n * n * n / 3.0) << name;
    }
}

TEST(estimates, leave_one_out_errors_take_the_inverse_which_is_three_factors) {
    Computer computer(kInfinity, kSlow);
    ProblemSize size = of_rows(4096);
    const double factor = estimate_cholesky(size, computer).seconds_least;
    size.leave_one_out = true;
    EXPECT_DOUBLE_EQ(estimate_cholesky(size, computer).seconds_least, 3.0 * factor);
}

TEST(estimates, an_interior_point_factors_the_columns_only_where_that_is_less) {
    constexpr index_t kMany = 1000;
    Computer computer(kSlow, kSlow);
    const auto matrix_of = [&](index_t columns, double entries) {
        return estimate_interior_point(
                   {.rows = kMany, .entries_per_row = entries, .factor_columns = columns}, computer)
            .matrix_bytes;
    };
    EXPECT_EQ(matrix_of(100, 100.0), 0);  // 100^2 1000 against 1000^3 / 3
    EXPECT_EQ(matrix_of(2 * kMany, 2000.0), 8 * kMany * kMany);
    // Few entries make X'X cheap, but not its factor: 100,000^3 / 3.
    EXPECT_EQ(matrix_of(100 * kMany, 8.0), 8 * kMany * kMany);
}

TEST(estimates, a_matrix_of_all_rows_is_counted_and_vectors_are_not_one) {
    Computer computer(kSlow, kSlow);
    for (const auto& [name, estimate, factors, stores] : kEntries) {
        const Estimate once = estimate(of_rows(4096), computer);
        const Estimate twice = estimate(of_rows(8192), computer);
        EXPECT_EQ(once.matrix_bytes >= 8 * 4096 * 4096, stores) << name;
        EXPECT_EQ(twice.matrix_bytes, 4 * once.matrix_bytes) << name;
        EXPECT_GE(once.needed_bytes, once.matrix_bytes) << name;
        // The vectors, including the answer.
        EXPECT_GE(once.needed_bytes, 8 * 4096) << name;
        if (!stores) {
            EXPECT_LE(twice.needed_bytes, 2 * once.needed_bytes) << name;
            EXPECT_LT(once.needed_bytes, 4 * 4096 * 4096) << name;
        }
    }
}

TEST(estimates, the_row_cache_holds_no_more_than_all_rows_or_half_the_memory) {
    Computer computer(kSlow, kSlow);
    ProblemSize size = of_rows(256);
    size.memory_bytes = index_t{1} << 40;
    EXPECT_EQ(estimate_rows(size, computer).cache_bytes, 4 * 256 * 256);
    size.memory_bytes = 1 << 16;
    EXPECT_EQ(estimate_rows(size, computer).cache_bytes, 1 << 15);
}

TEST(estimates, classes_found_together_take_a_factor_and_their_vectors_each) {
    Computer computer(kInfinity, kSlow);
    const auto grows = [&](Estimator estimate) {
        return estimate(of_rows(4096, 6), computer).seconds_least /
               estimate(of_rows(4096, 3), computer).seconds_least;
    };
    EXPECT_DOUBLE_EQ(grows(estimate_softmax_newton), 2.0);
    EXPECT_DOUBLE_EQ(grows(estimate_softmax_products), 2.0);
    EXPECT_EQ(estimate_softmax_products(of_rows(64, 6), computer).needed_bytes,
              2 * estimate_softmax_products(of_rows(64, 3), computer).needed_bytes);
}

TEST(estimates, rows_of_few_columns_make_passes_and_no_matrix_of_the_rows) {
    Computer computer(kSlow, 1e9);
    ProblemSize size = of_rows(1 << 16);
    size.factor_columns = 8;
    ProblemSize twice = size;
    twice.rows *= 2;
    for (const Estimator estimate : {estimate_dual_descent, estimate_interior_point}) {
        const Estimate one = estimate(size, computer);
        EXPECT_EQ(one.matrix_bytes, 0);
        EXPECT_GT(one.seconds_least, 0.0);
        EXPECT_LT(one.needed_bytes, index_t{8} * size.rows * size.rows / 100);
        const Estimate two = estimate(twice, computer);
        EXPECT_NEAR(two.seconds_least / one.seconds_least, 2.0, 1e-2);
        EXPECT_NEAR(two.seconds_most / one.seconds_most, 2.0, 1e-2);
    }
}

}  // namespace
}  // namespace mercer
