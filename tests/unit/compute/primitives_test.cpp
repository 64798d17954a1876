// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/compute/primitives_test.cpp - exp to the last digits, products, eigenvalues.
#include "mercer/compute/primitives.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {
namespace {

/// Distance of `got` from the true value in units of the last place of T at that value.
template <typename T>
double ulps(T got, long double truth) {
    const auto near = static_cast<T>(truth);
    const long double unit =
        static_cast<long double>(std::nextafter(near, std::numeric_limits<T>::infinity())) - near;
    return static_cast<double>(std::fabs((static_cast<long double>(got) - truth) / unit));
}

template <typename T>
double worst_exp_error(double lower, double upper, index_t count) {
    std::vector<T> x(static_cast<std::size_t>(count));
    std::vector<T> out(x.size());
    Random random(1);
    for (T& value : x) {
        value = static_cast<T>(random.uniform(lower, upper));
    }
    exponential(std::span<const T>(x), std::span<T>(out), Device::cpu);
    double worst = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        worst = std::max(worst, ulps<T>(out[i], std::exp(static_cast<long double>(x[i]))));
    }
    return worst;
}

TEST(exponential, is_within_two_ulp_in_float32) {
    EXPECT_LE(worst_exp_error<float>(-87.0, 0.0, 1000003), 2.0);
    EXPECT_LE(worst_exp_error<float>(-1.0, 88.0, 1000003), 2.0);
}

TEST(exponential, is_within_two_ulp_in_float64) {
    EXPECT_LE(worst_exp_error<double>(-700.0, 0.0, 1000003), 2.0);
    EXPECT_LE(worst_exp_error<double>(-1.0, 700.0, 1000003), 2.0);
}

TEST(exponential, of_zero_is_one_and_of_the_far_left_is_zero) {
    const std::vector<float> x{0.0F, -0.0F, -200.0F, -1e30F, -std::numeric_limits<float>::max()};
    std::vector<float> out(x.size());
    exponential(std::span<const float>(x), std::span<float>(out), Device::cpu);
    EXPECT_EQ(out, (std::vector<float>{1.0F, 1.0F, 0.0F, 0.0F, 0.0F}));
    const std::vector<double> wide{0.0, -0.0, -2000.0, -1e300};
    std::vector<double> wide_out(wide.size());
    exponential(std::span<const double>(wide), std::span<double>(wide_out), Device::cpu);
    EXPECT_EQ(wide_out, (std::vector<double>{1.0, 1.0, 0.0, 0.0}));
}

template <typename T>
void expect_the_ends(T least_normal_log, T most_log) {
    using Limits = std::numeric_limits<T>;
    std::vector<T> x{
        Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),     Limits::max(),
        -Limits::max(),     most_log * 2,        least_normal_log - T{3}, most_log};
    x.resize(37, T{1});  // whole vectors and a rest
    std::vector<T> out(x.size());
    exponential(std::span<const T>(x), std::span<T>(out), Device::cpu);
    EXPECT_EQ(out[0], Limits::infinity());
    EXPECT_EQ(out[1], T{0});
    EXPECT_TRUE(std::isnan(out[2]));
    EXPECT_EQ(out[3], Limits::infinity());
    EXPECT_EQ(out[4], T{0});
    EXPECT_EQ(out[5], Limits::infinity());
    EXPECT_LE(out[6], Limits::min());  // below the normal numbers: rounded there or flushed
    EXPECT_GE(out[6], T{0});
    EXPECT_LE(ulps<T>(out[7], std::exp(static_cast<long double>(most_log))), 2.0);
    EXPECT_EQ(out[8], out[36]);
}

TEST(exponential, keeps_its_word_at_the_ends) {
    expect_the_ends<float>(-87.3F, 88.7F);
    expect_the_ends<double>(-708.3, 709.7);
}

TEST(exponential, refuses_unequal_lengths) {
    const std::vector<float> x(3);
    std::vector<float> out(2);
    EXPECT_THROW(exponential(std::span<const float>(x), std::span<float>(out), Device::cpu),
                 InvalidArgument);
}

TEST(stream_rows, copies_like_any_copy) {
    constexpr index_t kStride = 70;
    for (const index_t columns : {0, 1, 15, 16, 17, 64, 67}) {
        for (const std::size_t shift : {0, 1, 16}) {  // aligned targets and others
            std::vector<float> tile(5 * kStride);
            for (std::size_t i = 0; i < tile.size(); ++i) {
                tile[i] = static_cast<float>(i) + 0.5F;
            }
            Context context;
            Buffer<float> out = context.allocate<float>(5 * 128, "targets");
            std::fill_n(out.data(), out.size(), -1.0F);
            std::vector<float*> targets;
            for (std::size_t r = 0; r < 5; ++r) {  // in any order
                targets.push_back(out.data() + (4 - r) * 128 + shift);
            }
            stream_rows(MatrixView<const float>(tile.data(), 5, columns, kStride), targets,
                        Device::cpu);
            index_t written = 0;
            for (index_t r = 0; r < 5; ++r) {
                const float* row = targets[static_cast<std::size_t>(r)];
                for (index_t j = 0; j < columns; ++j) {
                    ASSERT_EQ(row[j], tile[static_cast<std::size_t>(r * kStride + j)]);
                    ++written;
                }
            }
            EXPECT_EQ(out.size() - std::count(out.data(), out.data() + out.size(), -1.0F), written);
        }
    }
    const std::vector<float> tile(4);
    EXPECT_THROW(stream_rows(MatrixView<const float>(tile.data(), 2, 2), {}, Device::cpu),
                 InvalidArgument);
}

TEST(linear_algebra, products_equal_plain_sums) {
    Context context;
    const std::vector<double> a{1, 2, 3, 4, 5, 6};
    const std::vector<double> b{1, 0, 2, 1, 1, 1};
    std::vector<double> c(4, 100.0);
    multiply(MatrixView<const double>(a.data(), 2, 3), false,
             MatrixView<const double>(b.data(), 3, 2), false, 1.0, 0.0,
             MatrixView<double>(c.data(), 2, 2), context);
    EXPECT_EQ(c, (std::vector<double>{8, 5, 20, 11}));
    multiply(MatrixView<const double>(a.data(), 2, 3), false,
             MatrixView<const double>(b.data(), 2, 3), true, 2.0, 1.0,
             MatrixView<double>(c.data(), 2, 2), context);
    EXPECT_EQ(c, (std::vector<double>{8 + 2 * 7, 5 + 2 * 6, 20 + 2 * 16, 11 + 2 * 15}));
    EXPECT_THROW(multiply(MatrixView<const double>(a.data(), 2, 3), false,
                          MatrixView<const double>(b.data(), 2, 3), false, 1.0, 0.0,
                          MatrixView<double>(c.data(), 2, 2), context),
                 InvalidArgument);
}

TEST(linear_algebra, eigenvalues_of_a_known_matrix) {
    Context context;
    std::vector<double> a{1, 2, 2, 1};
    std::vector<double> values(2);
    symmetric_eigen(MatrixView<double>(a.data(), 2, 2), values, true, context);
    EXPECT_NEAR(values[0], -1.0, 1e-15);
    EXPECT_NEAR(values[1], 3.0, 1e-15);
    EXPECT_NEAR(std::abs(a[0]), std::sqrt(0.5), 1e-15);
    EXPECT_NEAR(a[0], -a[1], 1e-15);
    a[1] = kNaN;
    EXPECT_THROW(symmetric_eigen(MatrixView<double>(a.data(), 2, 2), values, true, context),
                 InvalidArgument);
}

TEST(linear_algebra, the_blas_uses_this_cpu_s_widest_kernels) {
    const BlasInfo info = blas_info();
    EXPECT_FALSE(info.library.empty());
    const std::string target = simd_target();
    if (target.rfind("AVX3", 0) == 0) {
        EXPECT_EQ(info.core_type, "SkylakeX");
    } else if (target == "AVX2") {
        EXPECT_EQ(info.core_type, "Haswell");
    }
}

}  // namespace
}  // namespace mercer
