// SPDX-License-Identifier: Apache-2.0
//
// tests/conformance/loss_test.cpp - laws that every loss of all_losses() obeys.
#include "mercer/losses/loss.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "mercer/base/random.hpp"

namespace mercer {
namespace {

/// Every loss, with tube width 0.3 if it has one, and those also with tube width 0.
std::vector<Loss> losses_to_test() {
    std::vector<Loss> losses = all_losses(0.3);
    for (const Loss& loss : all_losses(0.0)) {
        if (width_kind(loss) == Width::tube) {
            losses.push_back(loss);
        }
    }
    return losses;
}

const std::vector<Loss> kLosses = losses_to_test();

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
            return;  // there is a kink in between
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

TEST_P(loss, derivative_jumps_at_its_kinks_and_nowhere_else) {
    sample([](const auto& kind, double y, double z, Random& random) {
        const double far = z + random.normal();
        double jumps = 0.0;
        for (const Jump& kink : kind.kinks(y, z)) {
            const double place = z + kink.position;
            jumps += kink.position > 0.0 && place < far ? kink.size : 0.0;
            jumps -= kink.position < 0.0 && place > far ? kink.size : 0.0;
        }
        if (kind.kGreatestCurvature == 0.0) {
            EXPECT_NEAR(kind.derivative(y, far) - kind.derivative(y, z), jumps, 1e-12);
        } else {
            EXPECT_LE(std::abs(kind.derivative(y, far) - kind.derivative(y, z)),
                      kind.kGreatestCurvature * std::abs(far - z) + std::abs(jumps) + 1e-12);
        }
    });
}

TEST_P(loss, curvature_of_quadratic_pieces_jumps_at_the_bends_and_nowhere_else) {
    sample([](const auto& kind, double y, double z, Random& random) {
        EXPECT_LE(kind.curvature(y, z), kind.kGreatestCurvature);
        if (!kind.kPiecewiseQuadratic) {
            return;
        }
        const double far = z + std::abs(random.normal());
        double jumps = 0.0;
        for (const Jump& bend : kind.bends(y)) {
            jumps += z < bend.position && bend.position < far ? bend.size : 0.0;
        }
        EXPECT_EQ(kind.curvature(y, far) - kind.curvature(y, z), jumps);
    });
}

TEST_P(loss, dual_form_is_the_conjugate_on_its_domain) {
    sample([]<typename Kind>(const Kind& kind, double y, double, Random& random) {
        if constexpr (Kind::kBoxDual) {
            const double c = 0.5 + random.uniform();
            const double beta = 2.0 * random.normal();
            const double conjugate = kind.conjugate(y, -beta / c);
            if (std::isfinite(conjugate)) {
                const DualForm form = kind.dual_form(y);
                const double value = -form.linear * beta + form.width * std::abs(beta) +
                                     0.5 * form.ridge / c * beta * beta;
                EXPECT_NEAR(c * conjugate, value, 1e-12 * (1.0 + std::abs(value)));
            }
        }
    });
}

TEST_P(loss, a_flat_side_is_where_the_loss_is_zero) {
    sample([](const auto& kind, double y, double, Random&) {
        // The f at which 0 is a subgradient; for tube width 0 this is one point.
        const Interval best = kind.conjugate_subgradient(y, 0.0);
        if (width_of(kind) > 0.0 || kind.kWidth == Width::none) {
            EXPECT_EQ(best.lower < best.upper && kind.conjugate(y, 0.0) == 0.0, kind.kFlatSide);
        }
    });
}

TEST_P(loss, a_width_that_is_set_is_the_width) {
    const Loss& any = kLosses[GetParam()];
    const Loss wider = with_width(any, 0.75);
    EXPECT_EQ(wider.index(), any.index());
    EXPECT_EQ(width_of(wider), width_kind(any) == Width::none ? 0.0 : 0.75);
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
