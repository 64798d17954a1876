// SPDX-License-Identifier: Apache-2.0
//
// tests/conformance/vector_machines_test.cpp - every solver of the support vector family against a
// dense quadratic programme in long double.
//
// A case is a random small problem: any formulation, with and without an intercept, duplicates,
// conflicting labels, weights that may be zero, costs from 1e-4 to 1e6, widths of the kernel from
// 1e-4 to 1e4. Kernel, losses, values and the optimum are computed here independently. By these, a
// solver that reports "converged" must be within the requested gap, and at the optimum of the
// oracle, whose own primal and dual values bracket it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mercer/base/random.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/smooth.hpp"
#include "mercer/solvers/solve.hpp"
#include "support/facts.hpp"
#include "support/origin.hpp"
#include "support/quadratic_oracle.hpp"

namespace mercer {
namespace {

using testing::set_rows;

using testing::set_kernel;

using testing::kernel_of;

using testing::QuadraticAnswer;
using testing::QuadraticOracle;
using testing::QuadraticProgramme;
using testing::Real;
using testing::RealMatrix;
using testing::RealVector;

constexpr double kGapAsked = 1e-9;
constexpr double kObjective = 1e-8;
constexpr Real kRounding = std::numeric_limits<double>::epsilon();

enum class Form {
    hinge,
    squared_hinge,
    modified_huber,
    epsilon,
    absolute,
    nu_svc,
    nu_svr,
    one_class,
    squared_epsilon
};
// Drawn by the seed; other forms have separate runs, so that a seed always gives the same case.
constexpr std::array kForms{Form::hinge,   Form::squared_hinge, Form::modified_huber,
                            Form::epsilon, Form::absolute,      Form::nu_svc,
                            Form::nu_svr,  Form::one_class};
constexpr std::array kFormNames{"hinge",   "squared-hinge", "modified-huber",
                                "epsilon", "absolute",      "nu-svc",
                                "nu-svr",  "one-class",     "squared-epsilon"};

struct Case {
    Form form = Form::hinge;
    std::vector<double> values;
    Problem problem;
    RealMatrix gram;     // by a kernel function of this file
    RealMatrix blur;     // by how much a Gram matrix in double may differ
    double epsilon = 0;  // width of a tube that is not free

    [[nodiscard]] std::size_t size() const { return problem.targets.size(); }
    [[nodiscard]] bool regression() const {
        return form == Form::epsilon || form == Form::absolute || form == Form::nu_svr ||
               form == Form::squared_epsilon;
    }
    [[nodiscard]] bool quadratic() const {
        return form == Form::squared_hinge || form == Form::modified_huber ||
               form == Form::squared_epsilon;
    }
    [[nodiscard]] Real y(std::size_t i) const { return problem.targets[i]; }
    [[nodiscard]] Real c(std::size_t i) const { return problem.costs[i]; }
    /// Largest |beta_i|.
    [[nodiscard]] Real bound(std::size_t i) const {
        if (form == Form::squared_hinge || form == Form::squared_epsilon) {
            return c(i) > 0 ? std::numeric_limits<Real>::infinity() : 0;
        }
        return form == Form::modified_huber ? 2 * c(i) : c(i);
    }
};

double log_uniform(Random& random, double low, double high) {
    return std::pow(10.0, random.uniform(low, high));
}

/// Sets kernel, Gram matrix and its blur.
void choose_kernel(Random& random, Case& out, std::size_t d) {
    const index_t kind = random.below(3);
    const double gamma = log_uniform(random, -4.0, 4.0);
    const double degree = static_cast<double>(2 + random.below(3));
    const double constant = random.below(2) == 0 ? 0.0 : 1.0;
    const double scale = log_uniform(random, -2.0, 0.5);
    if (kind == 0) {
        set_kernel(out.problem, linear_kernel());
    } else if (kind == 1) {
        set_kernel(out.problem, poly_kernel(degree, constant, scale));
    } else {
        set_kernel(out.problem, rbf_kernel(gamma));
    }
    const std::size_t n = out.values.size() / d;
    out.gram.assign(n, RealVector(n));
    out.blur = out.gram;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            Real product = 0;
            Real products = 0;
            Real distance = 0;
            Real norms = 0;
            for (std::size_t k = 0; k < d; ++k) {
                const Real x = out.values[i * d + k];
                const Real z = out.values[j * d + k];
                product += x * z;
                products += std::abs(x * z);
                distance += (x - z) * (x - z);
                norms += x * x + z * z;
            }
            if (kind == 0) {
                out.gram[i][j] = product;
                out.blur[i][j] = products;
            } else if (kind == 1) {
                const Real base = scale * product + constant;
                const Real bases = scale * products + constant;
                out.gram[i][j] = std::pow(base, static_cast<int>(degree));
                out.blur[i][j] = degree * std::pow(bases, static_cast<Real>(degree));
            } else {
                out.gram[i][j] = std::exp(-gamma * distance);
                out.blur[i][j] = out.gram[i][j] * (1 + gamma * (norms + distance));
            }
            out.blur[i][j] *= 4 * kRounding;
        }
    }
}

std::size_t choose_size(Random& random) {
    const double share = random.uniform();
    if (share < 0.87) {
        return static_cast<std::size_t>(2 + random.below(19));
    }
    return static_cast<std::size_t>(share < 0.98 ? 21 + random.below(20) : 41 + random.below(20));
}

void choose_costs(Random& random, Case& out) {
    const double cost = log_uniform(random, -4.0, 6.0);
    const double positive = random.below(3) == 0 ? log_uniform(random, -1.0, 1.0) : 1.0;
    const bool weighted = random.below(3) == 0;
    constexpr std::array kWeights{0.0, 0.5, 1.0, 1.0, 2.0, 3.0};
    for (std::size_t i = 0; i < out.size(); ++i) {
        double weight = weighted ? kWeights[static_cast<std::size_t>(random.below(6))] : 1.0;
        weight = i < 2 && weight == 0.0 ? 1.0 : weight;  // both classes have a positive-weight row
        if (!out.regression() && out.y(i) > 0) {
            weight *= positive;
        }
        out.problem.costs.push_back(cost * weight);
    }
}

void choose_targets(Random& random, Case& out, std::size_t n, std::size_t d) {
    const double noise = random.uniform(0.0, 1.0);
    const bool steps = random.below(4) == 0;  // few distinct targets: ties
    for (std::size_t i = 0; i < n; ++i) {
        const double signal = out.values[i * d] + noise * random.normal();
        if (out.form == Form::one_class) {
            out.problem.targets.push_back(1.0);
        } else if (out.regression()) {
            out.problem.targets.push_back(steps ? std::round(signal) : 3.0 * std::sin(signal));
        } else {
            const double sign = signal > 0.0 ? 1.0 : -1.0;
            out.problem.targets.push_back(i < 2 ? (i == 0 ? 1.0 : -1.0) : sign);
        }
    }
}

/// The mass of a nu-machine, strictly between 0 and the maximum that the costs allow.
void choose_mass(Random& random, Case& out) {
    Real side[2] = {0, 0};
    for (std::size_t i = 0; i < out.size(); ++i) {
        side[out.y(i) > 0 ? 1 : 0] += out.c(i);
    }
    const Real most = out.form == Form::nu_svc ? 2 * std::min(side[0], side[1]) : side[0] + side[1];
    out.problem.mass = static_cast<double>(most * random.uniform(0.02, 0.98));
}

void make_case(std::uint64_t seed, std::optional<Form> form, Case& out) {
    Random random(seed, 11);
    out.form = form.value_or(kForms[seed % kForms.size()]);
    const std::size_t n = choose_size(random);
    const auto d = static_cast<std::size_t>(1 + random.below(5));
    const bool copies = random.below(3) == 0;
    for (std::size_t i = 0; i < n; ++i) {
        const bool copy = copies && i > 0 && random.below(3) == 0;
        const auto source = static_cast<std::size_t>(random.below(static_cast<index_t>(i + 1)));
        for (std::size_t k = 0; k < d; ++k) {
            out.values.push_back(copy && source < i ? out.values[source * d + k] : random.normal());
        }
    }
    set_rows(out.problem,
             Dataset(MatrixView<const double>(out.values.data(), static_cast<index_t>(n),
                                              static_cast<index_t>(d))));
    choose_targets(random, out, n, d);
    choose_costs(random, out);
    choose_kernel(random, out, d);
    out.problem.intercept = random.below(3) != 0;
    switch (out.form) {
        case Form::hinge:
            out.problem.loss = HingeLoss{};
            break;
        case Form::squared_hinge:
            out.problem.loss = SquaredHingeLoss{};
            break;
        case Form::modified_huber:
            out.problem.loss = ModifiedHuberLoss{};
            break;
        case Form::epsilon:
            out.epsilon = random.below(5) == 0 ? 0.0 : log_uniform(random, -3.0, 0.7);
            out.problem.loss = EpsilonInsensitiveLoss{out.epsilon};
            break;
        case Form::absolute:
            out.problem.loss = AbsoluteLoss{};
            break;
        case Form::squared_epsilon:
            out.epsilon = random.below(5) == 0 ? 0.0 : log_uniform(random, -3.0, 0.7);
            out.problem.loss = SquaredEpsilonLoss{out.epsilon};
            break;
        default:
            out.problem.loss = HingeLoss{};
            if (out.form == Form::nu_svr) {
                out.problem.loss = EpsilonInsensitiveLoss{0.0};
            }
            out.problem.intercept = out.form != Form::one_class;
            choose_mass(random, out);
    }
}

/// The values of a pair of points: primal of (beta, b, width), dual of beta, how far beta is from
/// the dual set, and the uncertainty due to double precision.
struct Worth {
    Real primal = 0;
    Real dual = 0;
    Real infeasible = 0;
    Real blur = 0;
    Real size = 1;  // max(1, |primal|)
};

Real loss_of(const Case& what, Real y, Real z, Real width) {
    if (what.regression()) {
        const Real outside = std::max<Real>(0, std::abs(z - y) - width);
        return what.quadratic() ? outside * outside / 2 : outside;
    }
    const Real slack = std::max<Real>(0, width - y * z);
    if (what.form == Form::modified_huber && slack > 2) {
        return 2 * (slack - 1);
    }
    return what.quadratic() ? slack * slack / 2 : slack;
}

/// `parts` >= |beta|: the size of the numbers that beta is the difference of.
Worth worth_of(const Case& what, const RealVector& beta, Real b, Real width,
               const RealVector& parts) {
    Worth out;
    Real norm = 0;
    Real losses = 0;
    Real linear = 0;
    Real sum = 0;
    Real absolute = 0;
    const bool free = what.problem.has_mass();
    for (std::size_t i = 0; i < beta.size(); ++i) {
        Real f = 0;
        Real uncertain = 0;
        for (std::size_t j = 0; j < beta.size(); ++j) {
            f += beta[j] * what.gram[i][j];
            uncertain += parts[j] * (what.blur[i][j] + 4 * kRounding * std::abs(what.gram[i][j]));
        }
        norm += beta[i] * f;
        Real steep = what.bound(i);
        if (!std::isfinite(steep)) {
            const Real from = what.regression() ? what.y(i) - (f + b) : 1 - what.y(i) * (f + b);
            steep = what.c(i) * (std::abs(from) + uncertain);
        }
        out.blur += (steep + parts[i]) * uncertain;
        losses += what.c(i) * loss_of(what, what.y(i), f + b, width);
        if (what.regression()) {
            linear += what.y(i) * beta[i] - (free ? 0 : what.epsilon * std::abs(beta[i]));
        } else if (!free) {
            linear += what.y(i) * beta[i];
        }
        if (what.quadratic() && what.c(i) > 0) {
            linear -= beta[i] * beta[i] / (2 * what.c(i));
        }
        sum += beta[i];
        absolute += std::abs(beta[i]);
        const Real outward = what.regression() ? std::abs(beta[i]) : what.y(i) * beta[i];
        out.infeasible =
            std::max({out.infeasible, outward - what.bound(i), what.regression() ? 0 : -outward});
    }
    if (what.problem.intercept) {
        out.infeasible = std::max(out.infeasible, std::abs(sum));
    }
    if (free) {
        // A tube width cannot be negative: its mass is an upper bound, that of a margin an
        // equation.
        const Real excess = absolute - what.problem.mass;
        out.infeasible = std::max(out.infeasible, what.regression() ? excess : std::abs(excess));
    }
    const Real price = free ? (what.regression() ? width : -width) * what.problem.mass : 0;
    out.primal = norm / 2 + losses + price;
    out.dual = linear - norm / 2;
    out.size = std::max<Real>(1, std::abs(out.primal));
    out.infeasible /= std::max<Real>(absolute, std::numeric_limits<Real>::min());
    return out;
}

/// The dual as a programme over z >= 0: y beta for classes, or both parts of beta.
QuadraticProgramme programme_of(const Case& what, const std::vector<std::size_t>& rows) {
    QuadraticProgramme out;
    const std::size_t n = rows.size();
    const std::size_t halves = what.regression() ? 2 : 1;
    const auto sign = [&](std::size_t k) {
        return what.regression() ? (k < n ? Real{1} : Real{-1}) : what.y(rows[k]);
    };
    const bool free = what.problem.has_mass();
    out.h.assign(halves * n, RealVector(halves * n));
    for (std::size_t k = 0; k < halves * n; ++k) {
        const std::size_t i = rows[k % n];
        for (std::size_t l = 0; l < halves * n; ++l) {
            out.h[k][l] = sign(k) * sign(l) * what.gram[i][rows[l % n]];
        }
        out.h[k][k] += what.quadratic() ? 1 / what.c(i) : 0;
        out.g.push_back(what.regression() ? what.epsilon - sign(k) * what.y(i) : (free ? 0 : -1));
        out.upper.push_back(what.bound(i));
    }
    if (what.problem.intercept) {
        out.a.emplace_back();
        for (std::size_t k = 0; k < halves * n; ++k) {
            out.a.back().push_back(sign(k));
        }
        out.b.push_back(0);
    }
    if (free) {
        out.a.emplace_back(halves * n, Real{1});
        out.b.push_back(what.problem.mass);
    }
    return out;
}

/// The oracle's bracket of the optimum. v is that of H z + g - A'v = s - t, so y (f + b) - width
/// for classes, and +-(y - f - b) - epsilon for a part of beta, have the sign of the multipliers.
Worth oracle_worth(const Case& what, Real& width) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < what.size(); ++i) {
        if (what.c(i) > 0) {
            rows.push_back(i);
        }
    }
    const QuadraticAnswer answer = QuadraticOracle(programme_of(what, rows)).solve();
    RealVector beta(what.size(), 0);
    RealVector parts(what.size(), 0);
    const std::size_t n = rows.size();
    for (std::size_t k = 0; k < answer.z.size(); ++k) {
        const std::size_t i = rows[k % n];
        beta[i] +=
            what.regression() ? (k < n ? answer.z[k] : -answer.z[k]) : what.y(i) * answer.z[k];
        parts[i] += answer.z[k];
    }
    const Real b = what.problem.intercept ? -answer.v.front() : 0;
    width = what.regression() ? what.epsilon : 1;
    if (what.problem.has_mass()) {
        width = what.regression() ? std::max<Real>(0, -answer.v.back()) : answer.v.back();
    }
    return worth_of(what, beta, b, width, parts);
}

struct Tally {
    double least_share = 0.0;  // of runs that must converge: a solver that always gives up fails
    int asked = 0;
    int converged = 0;
    int blurred = 0;  // cases where rounding alone may exceed the tolerance
};

class Judge {
public:
    void judge(std::uint64_t seed, std::optional<Form> form) {
        Case what;
        make_case(seed, form, what);
        Real width = 0;
        const Worth optimum = oracle_worth(what, width);
        const Real bracket = (optimum.primal - optimum.dual) / optimum.size;
        // Long double has 11 bits more than the double that `blur` is for.
        const Real fuzz = optimum.blur / optimum.size / 64;
        if (!(std::abs(bracket) <= 1e-9L + fuzz)) {  // the oracle must prove its own answer
            ++unsure_;
            return;
        }
        if (what.form == Form::nu_svr && width <= 1e-9L) {
            close_tube(what);
        }
        Context context({.threads = 1});
        for (const std::string& solver : solvers_for(what.problem)) {
            const Solution solution =
                solve(what.problem, options_for(solver, kMaxIterations), context);
            compare(what, solution, optimum, name(seed, what) + " by " + solver,
                    least_share(solver, what));
        }
        for (const std::string& solver : smooth_solvers(what.problem.loss)) {
            const Solution solution =
                solve_smooth(what.problem, options_for(solver, kMaxSmooth), context);
            // First-order methods do not solve every problem within so few steps.
            compare(what, solution, optimum, name(seed, what) + " by " + solver,
                    solver == "finite-newton" ? 0.75 : 0.3);
        }
    }

    [[nodiscard]] const std::map<std::string, Tally>& tallies() const { return tallies_; }
    /// How far a value of a run that converged is from the optimum, beyond rounding.
    [[nodiscard]] double greatest() const { return greatest_; }
    /// Problems that the oracle itself could not solve to the requested accuracy.
    [[nodiscard]] int unsure() const { return unsure_; }

private:
    static constexpr index_t kMaxIterations = 100000;
    static constexpr index_t kMaxSmooth = 100;
    static constexpr Real kSteep = 1000;

    /// Coordinate descent takes a number of sweeps proportional to C K: 100,000 suffice if that is
    /// below 1,000 (4,130 of 4,141 cases), but not always above (1,674 of 2,536).
    static double least_share(const std::string& solver, const Case& what) {
        if (solver != "dual-descent") {
            return 0.75;
        }
        return steepness(what) > kSteep ? 0.0 : 0.9;
    }

    /// The largest C K(i, i).
    static Real steepness(const Case& what) {
        Real most = 0;
        for (std::size_t i = 0; i < what.size(); ++i) {
            most = std::max(most, what.c(i) * what.gram[i][i]);
        }
        return most;
    }

    static SolveOptions options_for(const std::string& solver, index_t max_iterations) {
        SolveOptions options;
        options.gap_tolerance = kGapAsked;
        options.max_iterations = max_iterations;
        options.solver = solver;
        return options;
    }

    static std::string name(std::uint64_t seed, const Case& what) {
        return "case " + std::to_string(seed) + ", " +
               kFormNames[static_cast<std::size_t>(what.form)] + ", " +
               to_string(kernel_of(what.problem)) + ", n = " + std::to_string(what.size());
    }

    /// Sets a mass larger than any tube needs: the machine is then the absolute loss.
    static void close_tube(Case& what) {
        what.problem.mass = kNaN;
        what.epsilon = 0;
    }

    void compare(const Case& what, const Solution& solution, const Worth& optimum,
                 const std::string& name, double least_share) {
        Tally& tally = tallies_[std::string(kFormNames[static_cast<std::size_t>(what.form)]) +
                                " by " + solution.solver + (least_share > 0.0 ? "" : ", steep")];
        ++tally.asked;
        tally.least_share = least_share;
        const RealVector beta(solution.beta.begin(), solution.beta.end());
        Real width = what.regression() ? what.epsilon : 1;
        if (what.problem.has_mass()) {
            width = solution.certificate().width;
        }
        RealVector parts;
        for (const Real value : beta) {
            parts.push_back(std::abs(value));
        }
        const Worth worth = worth_of(what, beta, solution.intercept(), width, parts);
        ASSERT_LE(worth.infeasible, 1e-12L) << name;
        // For any status: no value is better than the optimum, and the stated values are true.
        const Real blur = worth.blur / worth.size;
        ASSERT_LE(optimum.dual - worth.primal, (1e-9L + blur) * worth.size) << name;
        ASSERT_LE(worth.dual - optimum.primal, (1e-9L + blur) * worth.size) << name;
        ASSERT_NEAR(
            static_cast<double>((solution.certificate().primal - worth.primal) / worth.size), 0.0,
            static_cast<double>(1e-12L + blur))
            << name;
        if (solution.status != SolveStatus::converged) {
            return;
        }
        ++tally.converged;
        tally.blurred += static_cast<int>(blur > kObjective);
        ASSERT_LE((worth.primal - worth.dual) / worth.size, kGapAsked * 1.001L + blur) << name;
        const Real away = std::abs(worth.primal - optimum.dual) / worth.size;
        ASSERT_LE(away, kObjective + blur) << name;
        if (blur <= kObjective) {
            greatest_ = std::max(greatest_, static_cast<double>(std::max<Real>(0, away - blur)));
        }
    }

    double greatest_ = 0.0;
    int unsure_ = 0;
    std::map<std::string, Tally> tallies_;
};

/// Judges the cases and records how many converged and how many reached a limit.
void run_cases(Judge& judge, std::uint64_t first, std::uint64_t count,
               std::optional<Form> form = {}) {
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        judge.judge(seed, form);
        if (::testing::Test::HasFatalFailure()) {
            return;
        }
    }
    EXPECT_LE(judge.unsure(), 2) << "the oracle itself, of " << count;
    for (const auto& [name, tally] : judge.tallies()) {
        ::testing::Test::RecordProperty(
            name, std::to_string(tally.converged) + " of " + std::to_string(tally.asked));
        EXPECT_GE(tally.converged, tally.least_share * tally.asked) << name;
        if (tally.least_share > 0.0) {  // the others are those with the largest rounding
            EXPECT_LE(tally.blurred, 0.2 * tally.asked) << name;
        }
    }
}

/// The least share of converged runs: of a dual solver or finite Newton, and of a first-order
/// method.
std::pair<double, double> least_shares(const Judge& judge) {
    std::pair<double, double> least{1.0, 1.0};
    for (const auto& [name, tally] : judge.tallies()) {
        if (tally.least_share == 0.0) {
            continue;
        }
        double& share = tally.least_share > 0.5 ? least.first : least.second;
        share = std::min(share, static_cast<double>(tally.converged) / tally.asked);
    }
    return least;
}

TEST(SlowRandomProblems,
     WhatConvergesOfFiveHundredRandomProblemsIsAtTheOptimumOfAnIndependentProgramme) {
    Judge judge;
    run_cases(judge, 0, 500);
    const auto [exact, first_order] = least_shares(judge);
    expect_fact("X21", "500 random problems, runs that converge: |P - optimum| / max(1, |P|)",
                judge.greatest());
    expect_fact("X21", "least share that converges: a solver of the dual, finite Newton", exact);
    expect_fact("X21", "least share that converges: a first-order method in 100 steps",
                first_order);
    expect_fact("X21", "problems that the programme itself does not solve", judge.unsure());
}

TEST(SlowRandomProblems,
     WhatConvergesOfTwoHundredSquaredTubesIsAtTheOptimumInThePrimalAndInTheDual) {
    Judge judge;
    run_cases(judge, 0, 200, Form::squared_epsilon);
    expect_fact("X21", "200 squared tubes, runs that converge: |P - optimum| / max(1, |P|)",
                judge.greatest());
}

TEST(VectorMachines, TubeWhoseSidesCannotBeFilledGreedilyIsSolved) {
    // Six rows of unequal cost: those with the largest and the least targets cannot take the mass.
    Judge judge;
    run_cases(judge, 5062, 1);
    EXPECT_EQ(least_shares(judge).first, 1.0);
}

class SlowVectorMachines : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(SlowVectorMachines, WhatConvergesIsAtTheOptimumOfAnIndependentProgramme) {
    Judge judge;
    run_cases(judge, 1000 * GetParam(), 1000);
}

INSTANTIATE_TEST_SUITE_P(Thousands, SlowVectorMachines, ::testing::Range<std::uint64_t>(0, 10));

}  // namespace
}  // namespace mercer
