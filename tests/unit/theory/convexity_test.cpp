// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/theory/convexity_test.cpp - chords of every loss, conjugate, primal and dual, and the
// classes of problems.
#include "mercer/theory/convexity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/compute/quadratic_program.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/losses/softmax.hpp"
#include "mercer/losses/zero_one.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/problems/softmax.hpp"
#include "mercer/problems/sparse.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/theory/risk_class.hpp"
#include "row_sets.hpp"
#include "support/facts.hpp"
#include "support/origin.hpp"

namespace mercer {
namespace {

using testing::set_rows;

using testing::set_kernel;

using testing::RowSet;
using Vector = std::vector<double>;

const std::vector<Loss> kLosses{
    SquaredLoss{},           HalfSquaredLoss{}, AbsoluteLoss{},     EpsilonInsensitiveLoss{0.2},
    SquaredEpsilonLoss{0.2}, HingeLoss{},       SquaredHingeLoss{}, LogisticLoss{},
    ModifiedHuberLoss{}};

Vector targets_of(const Loss& loss) {
    return is_classification(loss) ? Vector{-1.0, 1.0} : Vector{-1.3, 0.0, 2.0};
}

TEST(chords, of_every_loss_lie_above_it_and_strictly_so_where_it_is_curved_everywhere) {
    Random random(41);
    double least = kInfinity;
    std::string strict;
    for (const Loss& loss : kLosses) {
        double bend = kInfinity;
        for (const double y : targets_of(loss)) {
            const RealFunction value = [&](std::span<const double> f) {
                return std::visit([&](const auto& kind) { return kind.value(y, f[0]); }, loss);
            };
            const ChordReport report = chord_test(value, normal_points({0.0}, 3.0), 2000, random);
            EXPECT_TRUE(report.convex()) << name_of(loss);
            bend = std::min(bend, report.least_bend);
        }
        least = std::min(least, bend);
        // Chords of 2,000 pairs are as short as 1e-3: the bend of a strictly convex function is of
        // the order of its square.
        strict += bend > 1e-14 ? (strict.empty() ? "" : ", ") + std::string(name_of(loss)) : "";
    }
    expect_fact("O01", "losses: chords below the function by at most", -least);
    expect_fact("O01", "losses that are strictly convex", strict);
}

TEST(chords, of_every_conjugate_lie_above_it) {
    Random random(42);
    double least = kInfinity;
    for (const Loss& loss : kLosses) {
        for (const double y : targets_of(loss)) {
            const Interval domain =
                std::visit([&](const auto& kind) { return kind.conjugate_domain(y); }, loss);
            const double low = std::max(domain.lower, -5.0);
            const double high = std::min(domain.upper, 5.0);
            const ChordReport report = chord_test(
                [&](std::span<const double> u) {
                    return std::visit([&](const auto& kind) { return kind.conjugate(y, u[0]); },
                                      loss);
                },
                [&](Random& draw) { return Vector{draw.uniform(low, high)}; }, 2000, random);
            EXPECT_TRUE(report.convex()) << name_of(loss);
            least = std::min(least, report.least_bend);
        }
    }
    expect_fact("O01", "conjugates: chords below the function by at most", -least);
}

TEST(chords, show_that_the_zero_one_loss_and_an_indefinite_form_are_not_convex) {
    Random random(43);
    const ChordReport step =
        chord_test([](std::span<const double> f) { return ZeroOneLoss{}.value(1.0, f[0]); },
                   normal_points({0.0}, 1.0), 200, random);
    expect_fact("O01", "zero-one loss convex", step.convex());
    // The reported chord is a counterexample: evaluated again, it is below the function.
    const double between = step.t * step.a[0] + (1.0 - step.t) * step.b[0];
    EXPECT_GT(ZeroOneLoss{}.value(1.0, between),
              step.t * ZeroOneLoss{}.value(1.0, step.a[0]) +
                  (1.0 - step.t) * ZeroOneLoss{}.value(1.0, step.b[0]));
    const ChordReport saddle =
        chord_test([](std::span<const double> x) { return x[0] * x[0] - x[1] * x[1]; },
                   normal_points({0.0, 0.0}, 1.0), 200, random);
    expect_fact("O01", "x^2 - y^2 convex", saddle.convex());
    EXPECT_THROW(static_cast<void>(chord_test([](std::span<const double>) { return kInfinity; },
                                              normal_points({0.0}, 1.0), 1, random)),
                 InvalidArgument);
}

/// What a machine minimises, as a function of (beta, b) or (beta, b, width), with its dual.
struct Objective {
    const char* machine;
    Loss loss;
    bool rkhs = true;
    double width = 0.0;  ///< price of the free width: -1 for a margin, +1 for a tube, 0: not free
};

/// The kernel machines; linear ones are the same functions with the linear kernel.
const std::vector<Objective> kMachines{{"svc", HingeLoss{}},
                                       {"nu-svc", HingeLoss{}, true, -1.0},
                                       {"one-class", HingeLoss{}, true, -1.0},
                                       {"svr", EpsilonInsensitiveLoss{0.2}},
                                       {"l2-svr", SquaredEpsilonLoss{0.2}},
                                       {"nu-svr", EpsilonInsensitiveLoss{0.0}, true, 1.0},
                                       {"l2-svc", SquaredHingeLoss{}},
                                       {"huber-svc", ModifiedHuberLoss{}},
                                       {"klr", LogisticLoss{}},
                                       {"krr", SquaredLoss{}},
                                       {"ls-svc", HalfSquaredLoss{}},
                                       {"least-squares", SquaredLoss{}, false},
                                       {"ridge", SquaredLoss{}},
                                       {"polynomial", SquaredLoss{}, false},
                                       {"logistic", LogisticLoss{}, false}};

Problem problem_of(const Objective& machine, const RowSet& rows, index_t n, Random& random) {
    Problem problem;
    problem.gram = make_gram(machine.rkhs ? rbf_kernel(0.5) : linear_kernel(), rows.dense());
    problem.loss = machine.loss;
    const bool one = std::string(machine.machine) == "one-class";
    for (index_t i = 0; i < n; ++i) {
        problem.targets.push_back(!is_classification(machine.loss) ? random.normal()
                                  : one || random.below(2) == 0    ? 1.0
                                                                   : -1.0);
        problem.costs.push_back(random.uniform(0.1, 3.0));
    }
    return problem;
}

/// The objective by its definition, at (beta, b, width).
double primal_at(const Objective& machine, const Problem& problem, std::span<const double> point,
                 Context& context) {
    const auto n = static_cast<std::size_t>(problem.size());
    const std::span<const double> beta = point.subspan(0, n);
    const double b = point[n];
    const bool free = machine.width != 0.0;
    const Loss loss = free ? with_width(machine.loss, point[n + 1]) : machine.loss;
    const Vector f = decision_values(problem, beta, context);
    double value = free ? machine.width * 0.7 * point[n + 1] : 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        value += machine.rkhs ? 0.5 * beta[i] * f[i] : 0.0;
        value +=
            problem.costs[i] *
            std::visit([&](const auto& kind) { return kind.value(problem.targets[i], f[i] + b); },
                       loss);
    }
    return value;
}

TEST(chords, of_the_primal_of_every_machine_lie_above_it) {
    Random random(44);
    Context context;
    double least = kInfinity;
    for (const Objective& machine : kMachines) {
        const index_t n = 8;
        const RowSet rows(n, 3, random.bits());
        const Problem problem = problem_of(machine, rows, n, random);
        const std::size_t size = static_cast<std::size_t>(n) + (machine.width != 0.0 ? 2 : 1);
        const PointSampler sampler = [size](Random& draw) {
            Vector point(size);
            for (double& value : point) {
                value = 2.0 * draw.normal();
            }
            point.back() = std::abs(point.back());  // a tube width is not negative
            return point;
        };
        const ChordReport report = chord_test(
            [&](std::span<const double> point) {
                return primal_at(machine, problem, point, context);
            },
            sampler, 400, random);
        EXPECT_TRUE(report.convex()) << machine.machine;
        least = std::min(least, report.least_bend);
    }
    expect_fact("O01", "primals of 15 machines: chords below the function by at most", -least);
}

TEST(chords, of_the_dual_of_every_machine_lie_below_it) {
    Random random(45);
    Context context;
    double least = kInfinity;
    for (const Objective& machine : kMachines) {
        if (!machine.rkhs) {
            continue;  // conjugates alone: they have a test above
        }
        const index_t n = 8;
        const RowSet rows(n, 3, random.bits());
        Problem problem = problem_of(machine, rows, n, random);
        problem.intercept = std::string(machine.machine) != "one-class";
        const PointSampler sampler = [&](Random& draw) {
            Vector beta(static_cast<std::size_t>(n));
            for (double& value : beta) {
                value = 2.0 * draw.normal();
            }
            project_onto_dual(problem, beta);
            return beta;
        };
        const ChordReport report = chord_test(
            [&](std::span<const double> beta) {
                Vector copy(beta.begin(), beta.end());
                if (machine.width == 0.0) {
                    return -certify(problem, copy, context).dual;
                }
                // The width is a separate multiplier: the rest of the dual does not contain it.
                const Vector f = decision_values(problem, beta, context);
                double value = 0.0;
                for (std::size_t i = 0; i < f.size(); ++i) {
                    const bool tube = machine.width > 0.0;
                    value += 0.5 * beta[i] * f[i] - (tube ? problem.targets[i] * beta[i] : 0.0);
                }
                return value;
            },
            sampler, 400, random);
        EXPECT_TRUE(report.convex()) << machine.machine;
        least = std::min(least, report.least_bend);
    }
    expect_fact("O01", "duals of 12 machines: chords above the function by at most", -least);
}

TEST(chords, of_hard_margins_joint_and_sparse_objectives_lie_above_them) {
    Random random(46);
    Context context;
    const index_t n = 8;
    const RowSet rows(n, 3, random.bits());
    double least = kInfinity;
    const auto test = [&](const RealFunction& function, std::size_t size) {
        least = std::min(
            least,
            chord_test(function, normal_points(Vector(size, 0.0), 1.5), 400, random).least_bend);
    };
    Problem risk = problem_of({"svc", LogisticLoss{}}, rows, n, random);
    // hard-margin: 1/2 |f|^2 over a polyhedron of (beta, b).
    test(
        [&](std::span<const double> point) {
            const std::span<const double> beta = point.subspan(0, static_cast<std::size_t>(n));
            const Vector f = decision_values(risk, beta, context);
            double value = 0.0;
            for (std::size_t i = 0; i < f.size(); ++i) {
                value += 0.5 * beta[i] * f[i];
            }
            return value;
        },
        static_cast<std::size_t>(n) + 1);
    for (const bool rkhs : {false, true}) {
        for (const Loss& loss :
             {Loss(SquaredLoss{}), Loss(SquaredEpsilonLoss{0.2}), Loss(SquaredHingeLoss{}),
              Loss(LogisticLoss{}), Loss(ModifiedHuberLoss{})}) {
            const Objective machine{"l1", loss, rkhs};
            risk = problem_of(machine, rows, n, random);
            set_kernel(risk, rbf_kernel(0.5));
            test(
                [&](std::span<const double> point) {
                    double value = primal_at(machine, risk, point, context);
                    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
                        value += 0.4 * std::abs(point[i]);
                    }
                    return value;
                },
                static_cast<std::size_t>(n) + 1);
        }
    }
    SoftmaxProblem joint;
    set_kernel(joint, rbf_kernel(0.5));
    set_rows(joint, rows.dense());
    joint.class_count = 3;
    for (index_t i = 0; i < n; ++i) {
        joint.classes.push_back(i % 3);
        joint.costs.push_back(random.uniform(0.1, 3.0));
    }
    test(
        [&](std::span<const double> beta) {
            const Vector f = decision_values(joint, beta, context);
            double value = 0.0;
            for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
                for (std::size_t k = 0; k < 3; ++k) {
                    value += 0.5 * beta[3 * i + k] * f[3 * i + k];
                }
                value += joint.costs[i] *
                         SoftmaxLoss::value(joint.classes[i], std::span(f).subspan(3 * i, 3));
            }
            return value;
        },
        3 * static_cast<std::size_t>(n));
    EXPECT_GE(least, -1e-12);
    expect_fact("O01", "hard margin, l1 penalties, softmax: chords below by at most", -least);
}

TEST(chords, of_the_square_bend_by_its_modulus) {
    // x^2 at t = 1/2 bends by (a - b)^2 / 4; strictly convex.
    Random random(47);
    const ChordReport report = chord_test([](std::span<const double> x) { return x[0] * x[0]; },
                                          normal_points({0.0}, 1.0), 50, random);
    EXPECT_TRUE(report.strictly_convex());
    const double expected = report.t * (1.0 - report.t) * std::pow(report.a[0] - report.b[0], 2) /
                            (1.0 + std::pow(report.a[0], 2) + std::pow(report.b[0], 2));
    EXPECT_NEAR(report.least_bend, expected, 1e-15);
    const ChordReport line = chord_test([](std::span<const double> x) { return 3.0 * x[0]; },
                                        normal_points({0.0}, 1.0), 50, random);
    EXPECT_TRUE(line.convex());
    EXPECT_FALSE(line.strictly_convex());
}

TEST(problem_class, follows_from_objective_and_feasible_set) {
    const auto name = [](ObjectiveForm objective, FeasibleSet set) {
        return std::string(to_string(classify(objective, set)));
    };
    expect_fact("O08", "nonlinear objective, whole space",
                name(ObjectiveForm::nonlinear, FeasibleSet::whole_space));
    expect_fact("O08", "linear objective, polyhedron",
                name(ObjectiveForm::linear, FeasibleSet::polyhedron));
    expect_fact("O08", "quadratic objective, polyhedron",
                name(ObjectiveForm::quadratic, FeasibleSet::polyhedron));
    expect_fact("O08", "nonlinear objective, polyhedron",
                name(ObjectiveForm::nonlinear, FeasibleSet::polyhedron));
    expect_fact("O08", "quadratic objective, ball",
                name(ObjectiveForm::quadratic, FeasibleSet::other));
}

TEST(problem_class, of_a_program_is_that_of_its_numbers) {
    const auto name = [](const QuadraticProgram& program) {
        return std::string(to_string(classify(program)));
    };
    expect_fact("O08", "K, c", name({{1}, {0}, {}, {}, {}, {}, {}, {}}));
    expect_fact("O08", "K, c, A, d", name({{1}, {0}, {-1}, {1}, {}, {}, {}, {}}));
    expect_fact("O08", "K = 0, c, A, d", name({{0}, {1}, {-1}, {1}, {}, {}, {}, {}}));
    EXPECT_EQ(name({{}, {1}, {}, {}, {}, {}, {0}, {}}), "linear program");
    EXPECT_EQ(name({{}, {1}, {}, {}, {}, {}, {-kInfinity}, {}}), "unconstrained");
    EXPECT_EQ(name({{1}, {0}, {}, {}, {1}, {0}, {}, {}}), "quadratic program");
}

TEST(problem_class, of_machines_follows_from_their_loss) {
    const auto both = [](const Loss& loss, const RiskForm& form) {
        const RiskClasses classes = classify_risk(loss, form);
        return std::string(to_string(classes.primal)) + " / " +
               std::string(to_string(classes.dual));
    };
    expect_fact("O08", "svc", both(HingeLoss{}, {}));
    expect_fact("O08", "l2-svc", both(SquaredHingeLoss{}, {}));
    expect_fact("O08", "klr", both(LogisticLoss{}, {}));
    expect_fact("O08", "krr without intercept", both(SquaredLoss{}, {.intercept = false}));
    expect_fact("O08", "hinge with l1 alone", both(HingeLoss{}, {.rkhs = false, .l1 = true}));
    expect_fact("O08", "squared loss with l1", both(SquaredLoss{}, {.rkhs = false, .l1 = true}));
    expect_fact("O08", "logistic loss with l1", both(LogisticLoss{}, {.rkhs = false, .l1 = true}));
    EXPECT_EQ(both(HingeLoss{}, {.free_width = true}), "quadratic program / quadratic program");
    EXPECT_EQ(both(HingeLoss{}, {.hard = true}), "quadratic program / quadratic program");
    EXPECT_EQ(both(LogisticLoss{}, {.rkhs = false}), "unconstrained / nonlinear program");
    EXPECT_EQ(both(SquaredLoss{}, {.rkhs = false}), "unconstrained / quadratic program");
}

}  // namespace
}  // namespace mercer
