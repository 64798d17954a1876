// SPDX-License-Identifier: Apache-2.0
//
// tests/conformance/loss_test.cpp - the laws every loss obeys. To add a loss is to add it to
// kLosses.
#include "mercer/losses/loss.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "mercer/base/random.hpp"

namespace mercer {
namespace {

const std::vector<Loss> kLosses{SquaredLoss{},
                                HalfSquaredLoss{},
                                AbsoluteLoss{},
                                EpsilonInsensitiveLoss{0.3},
                                EpsilonInsensitiveLoss{0.0},
                                SquaredEpsilonLoss{0.3},
                                SquaredEpsilonLoss{0.0},
                                HingeLoss{},
                                SquaredHingeLoss{},
                                LogisticLoss{},
                                ModifiedHuberLoss{}};

class loss : public ::testing::TestWithParam<std::size_t> {
protected:
    /// f(kind, y, z) for random targets and points.
    template <class F>
    void sample(const F& f) const {
        std::visit(
            [&](const auto& kind) {
                Random random(11);
                for (int round = 0; round < 5000; ++round) {
                    const double y = kind.kClassification ? (random.below(2) == 0 ? -1.0 : 1.0)
                                                          : 3.0 * random.normal();
                    f(kind, y, 3.0 * random.normal(), random);
                }
            },
            kLosses[GetParam()]);
    }
};

TEST_P(loss, is_never_negative) {
    sample([](const auto& kind, double y, double z, Random&) { EXPECT_GE(kind.value(y, z), 0.0); });
}

TEST_P(loss, lies_below_its_chords) {
    sample([](const auto& kind, double y, double z, Random& random) {
        const double other = 3.0 * random.normal();
        const double t = random.uniform();
        EXPECT_LE(kind.value(y, t * z + (1.0 - t) * other),
                  t * kind.value(y, z) + (1.0 - t) * kind.value(y, other) + 1e-12);
    });
}

TEST_P(loss, derivative_is_a_subgradient) {
    sample([](const auto& kind, double y, double z, Random& random) {
        const double other = 3.0 * random.normal();
        EXPECT_GE(kind.value(y, other) + 1e-12,
                  kind.value(y, z) + kind.derivative(y, z) * (other - z));
    });
}

TEST_P(loss, derivative_and_curvature_match_finite_differences_away_from_kinks) {
    sample([](const auto& kind, double y, double z, Random&) {
        const double h = 1e-5;
        const double left = kind.derivative(y, z - h);
        const double right = kind.derivative(y, z + h);
        if (std::abs(kind.curvature(y, z - h) - kind.curvature(y, z + h)) > 1e-3 ||
            std::abs(right - left) > 1e-3) {
            return;  // a kink lies between
        }
        const double slope = (kind.value(y, z + h) - kind.value(y, z - h)) / (2.0 * h);
        EXPECT_NEAR(kind.derivative(y, z), slope, 1e-6);
        EXPECT_NEAR(kind.curvature(y, z), (right - left) / (2.0 * h), 1e-4);
    });
}

TEST_P(loss, fenchel_and_young_hold_with_equality_at_the_derivative) {
    sample([](const auto& kind, double y, double z, Random& random) {
        const double u = kind.derivative(y, z);
        EXPECT_NEAR(kind.value(y, z) + kind.conjugate(y, u), u * z, 1e-9 * (1.0 + std::abs(u * z)));
        const double other = 2.0 * random.normal();
        EXPECT_GE(kind.value(y, z) + kind.conjugate(y, other) - other * z, -1e-9);
    });
}

TEST_P(loss, conjugate_is_finite_on_its_domain_and_infinite_off_it) {
    sample([](const auto& kind, double y, double, Random& random) {
        const Interval domain = kind.conjugate_domain(y);
        const double u = 3.0 * random.normal();
        const bool inside = domain.lower <= u && u <= domain.upper;
        EXPECT_EQ(std::isfinite(kind.conjugate(y, u)), inside) << u;
    });
}

TEST_P(loss, conjugate_subgradient_names_the_points_where_u_is_a_derivative) {
    sample([](const auto& kind, double y, double z, Random&) {
        const Interval where = kind.conjugate_subgradient(y, kind.derivative(y, z));
        EXPECT_LE(where.lower, z + 1e-7 * (1.0 + std::abs(z)));
        EXPECT_GE(where.upper, z - 1e-7 * (1.0 + std::abs(z)));
    });
}

TEST_P(loss, nothing_overflows_to_nan_at_the_ends_of_the_numbers) {
    std::visit(
        [](const auto& kind) {
            for (const double y : {-1.0, 1.0}) {
                for (const double z : {-1e308, -1e300, 0.0, 1e300, 1e308}) {
                    EXPECT_FALSE(std::isnan(kind.value(y, z)));
                    EXPECT_FALSE(std::isnan(kind.derivative(y, z)));
                    EXPECT_FALSE(std::isnan(kind.curvature(y, z)));
                }
            }
        },
        kLosses[GetParam()]);
}

TEST_P(loss, a_regression_loss_is_zero_at_the_target) {
    sample([](const auto& kind, double y, double, Random&) {
        if (!kind.kClassification) {
            EXPECT_EQ(kind.value(y, y), 0.0);
        }
    });
}

TEST_P(loss, is_found_by_its_name) {
    const Loss& wanted = kLosses[GetParam()];
    const auto found = loss_by_name(name_of(wanted), 0.3);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->index(), wanted.index());
}

INSTANTIATE_TEST_SUITE_P(all, loss, ::testing::Range<std::size_t>(0, kLosses.size()),
                         [](const auto& number) {
                             std::string name(name_of(kLosses[number.param]));
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name + std::to_string(number.param);
                         });

}  // namespace
}  // namespace mercer
