// SPDX-License-Identifier: Apache-2.0
//
// tests/conformance/solver_list_test.cpp - every solver on every machine it claims.
//
// The list is the engine's own: machine_names() and machine_solvers(). A machine or a solver that
// is added there is tested here; a machine without a reference below fails. The references are
// computed in long double by code of this file and the quadratic oracle of the tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>

#include "mercer/audit/verify.hpp"
#include "mercer/base/error.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/search/compare.hpp"
#include "support/facts.hpp"
#include "support/quadratic_oracle.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using testing::QuadraticOracle;
using testing::QuadraticProgramme;
using testing::Real;
using testing::RealMatrix;
using testing::RealVector;

constexpr double kGapAsked = 1e-10;
constexpr double kObjective = 1e-8;
constexpr double kGamma = 0.25;
constexpr double kCost = 2.0;
constexpr double kAlpha = 0.5;
constexpr double kEpsilon = 0.2;
constexpr double kNu = 0.4;
constexpr Real kNoBound = std::numeric_limits<Real>::infinity();

/// Twelve points of a plane. No line separates the classes; no two points coincide.
const std::vector<std::vector<double>> kPoints{{0, 1}, {1, 3}, {2, 0}, {3, 2}, {4, 4}, {1, 1},
                                               {5, 1}, {2, 5}, {3, 3}, {6, 2}, {0, 4}, {4, 0}};
const std::vector<double> kClasses{0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0};
const std::vector<double> kTargets{0.5, -1, 2, 0.25, 3, 1, -2, 1.5, 0, 2.5, -0.5, 1};

Dataset data_for(const std::string& machine) {
    Dataset data = toys::make_rows(kPoints, is_classifier(machine) ? kClasses : kTargets);
    if (is_classifier(machine)) {
        data.label_names = {"-1", "1"};
    }
    return data;
}

TrainOptions options_for(const std::string& machine) {
    TrainOptions options;
    options.model = machine;
    options.kernel = is_linear_machine(machine) ? linear_kernel() : rbf_kernel(kGamma);
    options.run.gap_tolerance = kGapAsked;
    const std::set<std::string> by_alpha{"krr", "ridge"};
    const std::set<std::string> costless{"nu-svc",        "one-class",  "hard-margin",
                                         "least-squares", "polynomial", "perceptron"};
    if (by_alpha.contains(machine)) {
        options.objective.alpha = kAlpha;
    } else if (!costless.contains(machine)) {
        options.objective.cost = kCost;
    }
    if (machine == "hard-margin") {
        options.run.gap_tolerance = 1e-8;  // with its cost of 1e8 the last bits of f are losses
    }
    if (machine == "svr" || machine == "l2-svr") {
        options.objective.epsilon = kEpsilon;
    }
    if (machine == "nu-svc" || machine == "nu-svr" || machine == "one-class") {
        options.objective.nu = kNu;
    }
    return options;
}

RealMatrix gram(bool linear) {
    RealMatrix k(kPoints.size(), RealVector(kPoints.size()));
    for (std::size_t i = 0; i < k.size(); ++i) {
        for (std::size_t j = 0; j < k.size(); ++j) {
            const Real dx = kPoints[i][0] - kPoints[j][0];
            const Real dy = kPoints[i][1] - kPoints[j][1];
            k[i][j] =
                linear ? Real(kPoints[i][0]) * kPoints[j][0] + Real(kPoints[i][1]) * kPoints[j][1]
                       : std::exp(-Real(kGamma) * (dx * dx + dy * dy));
        }
    }
    return k;
}

Real sign_of(std::size_t i) { return kClasses[i] == 1.0 ? 1 : -1; }

/// Solves A x = b by elimination with row pivots.
RealVector eliminated(RealMatrix a, RealVector b) {
    const std::size_t n = b.size();
    for (std::size_t j = 0; j < n; ++j) {
        std::size_t pivot = j;
        for (std::size_t i = j; i < n; ++i) {
            pivot = std::abs(a[i][j]) > std::abs(a[pivot][j]) ? i : pivot;
        }
        std::swap(a[j], a[pivot]);
        std::swap(b[j], b[pivot]);
        for (std::size_t i = j + 1; i < n; ++i) {
            const Real factor = a[i][j] / a[j][j];
            for (std::size_t k = j; k < n; ++k) {
                a[i][k] -= factor * a[j][k];
            }
            b[i] -= factor * b[j];
        }
    }
    for (std::size_t j = n; j-- > 0;) {
        for (std::size_t k = j + 1; k < n; ++k) {
            b[j] -= a[j][k] * b[k];
        }
        b[j] /= a[j][j];
    }
    return b;
}

/// [K + diag(shift), 1; 1', 0] [beta; b] = [right; 0]; without an intercept b is 0.
RealVector bordered(const RealMatrix& k, const RealVector& shift, const RealVector& right,
                    bool intercept = true) {
    const std::size_t n = right.size();
    RealMatrix a(n + 1, RealVector(n + 1, 1));
    RealVector b = right;
    b.push_back(0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            a[i][j] = k[i][j] + (i == j ? shift[i] : 0);
        }
    }
    a[n][n] = 0;
    if (!intercept) {
        for (std::size_t i = 0; i < n; ++i) {
            a[i][n] = a[n][i] = 0;
        }
        a[n][n] = 1;
    }
    return eliminated(a, b);
}

/// 1/2 |f|^2 + sum (f + b - y)^2 / (2 alpha) at its minimum, which is y'beta / 2.
Real ridge(const RealMatrix& k, const RealVector& y, Real alpha, bool intercept = true) {
    const RealVector x = bordered(k, RealVector(y.size(), alpha), y, intercept);
    Real sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        sum += x[i] * y[i] / 2;
    }
    return sum;
}

/// Minimum of 1/2 |f|^2 + C sum log(1 + exp(-y z)) by Newton's method in the values, with halving.
Real logistic(const RealMatrix& k, bool intercept = true) {
    const std::size_t n = k.size();
    RealVector x(n + 1, 0);
    const auto values = [&](const RealVector& at) {
        RealVector z(n, at[n]);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                z[i] += k[i][j] * at[j];
            }
        }
        return z;
    };
    const auto objective = [&](const RealVector& at) {
        const RealVector z = values(at);
        Real sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            sum += at[i] * (z[i] - at[n]) / 2 + kCost * std::log1p(std::exp(-sign_of(i) * z[i]));
        }
        return sum;
    };
    for (int step = 0; step < 60; ++step) {
        const RealVector z = values(x);
        RealVector shift(n);
        RealVector right(n);
        for (std::size_t i = 0; i < n; ++i) {
            const Real p = 1 / (1 + std::exp(sign_of(i) * z[i]));  // probability of the other class
            const Real w = kCost * p * (1 - p);
            shift[i] = 1 / w;
            right[i] = z[i] + sign_of(i) * kCost * p / w;
        }
        const RealVector to = bordered(k, shift, right, intercept);
        for (Real length = 1; length > 1e-6L; length /= 2) {
            RealVector next = x;
            for (std::size_t i = 0; i <= n; ++i) {
                next[i] += length * (to[i] - x[i]);
            }
            if (objective(next) <= objective(x)) {
                x = next;
                break;
            }
        }
    }
    return objective(x);
}

/// How the dual of a vector machine differs from the others.
struct Form {
    bool regression = false;
    Real upper = kNoBound;
    Real ridge = 0;
    Real epsilon = 0;
    Real linear = 1;  ///< for classes: the margin, 0 if it is free
    Real mass = 0;    ///< > 0: the sum of |beta|
    bool intercept = true;
    bool one_sided = false;
};

/// The optimum of the dual over z >= 0: y beta for classes, or both parts of beta.
Real programme(const RealMatrix& k, const Form& form) {
    const std::size_t n = k.size();
    const std::size_t size = form.regression ? 2 * n : n;
    const auto sign = [&](std::size_t i) -> Real {
        if (form.regression) {
            return i < n ? 1 : -1;
        }
        return form.one_sided ? 1 : sign_of(i);
    };
    QuadraticProgramme q;
    q.h.assign(size, RealVector(size));
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            q.h[i][j] = sign(i) * sign(j) * k[i % n][j % n] + (i == j ? form.ridge : 0);
        }
        q.g.push_back(form.regression ? form.epsilon - sign(i) * kTargets[i % n] : -form.linear);
        q.upper.push_back(form.upper);
    }
    if (form.intercept) {
        q.a.emplace_back();
        for (std::size_t i = 0; i < size; ++i) {
            q.a.back().push_back(sign(i));
        }
        q.b.push_back(0);
    }
    if (form.mass > 0) {
        q.a.emplace_back(size, Real{1});
        q.b.push_back(form.mass);
    }
    const RealVector z = QuadraticOracle(q).solve().z;
    Real value = 0;
    for (std::size_t i = 0; i < size; ++i) {
        value -= q.g[i] * z[i];
        for (std::size_t j = 0; j < size; ++j) {
            value -= z[i] * q.h[i][j] * z[j] / 2;
        }
    }
    return value;
}

/// The optimum over the pairs of rows whose targets differ.
Real pairs_programme(const RealMatrix& k) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < kTargets.size(); ++i) {
        for (std::size_t j = 0; j < kTargets.size(); ++j) {
            if (kTargets[i] > kTargets[j]) {
                pairs.emplace_back(i, j);
            }
        }
    }
    QuadraticProgramme q;
    for (const auto& [a, b] : pairs) {
        q.h.emplace_back();
        for (const auto& [c, d] : pairs) {
            q.h.back().push_back(k[a][c] - k[a][d] - k[b][c] + k[b][d]);
        }
    }
    q.g.assign(pairs.size(), -1);
    q.upper.assign(pairs.size(), kCost);
    const RealVector z = QuadraticOracle(q).solve().z;
    Real value = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        value += z[i];
        for (std::size_t j = 0; j < z.size(); ++j) {
            value -= z[i] * q.h[i][j] * z[j] / 2;
        }
    }
    return value;
}

/// The least sum of squared residuals over the span of these functions of a point.
Real residual_of(const std::vector<std::function<Real(Real, Real)>>& functions) {
    const std::size_t m = functions.size();
    RealMatrix a(m, RealVector(m, 0));
    RealVector b(m, 0);
    const auto at = [&](std::size_t f, std::size_t i) {
        return functions[f](kPoints[i][0], kPoints[i][1]);
    };
    for (std::size_t i = 0; i < kPoints.size(); ++i) {
        for (std::size_t f = 0; f < m; ++f) {
            b[f] += at(f, i) * kTargets[i];
            for (std::size_t g = 0; g < m; ++g) {
                a[f][g] += at(f, i) * at(g, i);
            }
        }
    }
    const RealVector x = eliminated(a, b);
    Real sum = 0;
    for (std::size_t i = 0; i < kPoints.size(); ++i) {
        Real miss = kTargets[i];
        for (std::size_t f = 0; f < m; ++f) {
            miss -= x[f] * at(f, i);
        }
        sum += miss * miss;
    }
    return sum;
}

/// The reference value of every machine; for machines without a penalty, the sum of squares.
std::map<std::string, Real> references() {
    const RealMatrix k = gram(false);
    const RealMatrix flat = gram(true);
    const auto n = static_cast<Real>(kPoints.size());
    const RealVector targets(kTargets.begin(), kTargets.end());
    RealVector signs;
    for (std::size_t i = 0; i < kClasses.size(); ++i) {
        signs.push_back(sign_of(i));
    }
    const auto one = [](Real, Real) -> Real { return 1; };
    const auto x = [](Real a, Real) { return a; };
    const auto y = [](Real, Real b) { return b; };
    const auto xx = [](Real a, Real) { return a * a; };
    const auto xy = [](Real a, Real b) { return a * b; };
    const auto yy = [](Real, Real b) { return b * b; };
    return {
        {"svc", programme(k, {.upper = kCost})},
        {"nu-svc", programme(k, {.upper = 1, .linear = 0, .mass = kNu * n})},
        {"one-class",
         programme(
             k, {.upper = 1, .linear = 0, .mass = kNu * n, .intercept = false, .one_sided = true})},
        {"svr", programme(k, {.regression = true, .upper = kCost, .epsilon = kEpsilon})},
        {"l2-svr",
         programme(k, {.regression = true, .ridge = 1 / Real(kCost), .epsilon = kEpsilon})},
        {"nu-svr", programme(k, {.regression = true, .upper = kCost, .mass = kNu * n * kCost})},
        {"l2-svc", programme(k, {.ridge = 1 / Real(kCost)})},
        {"huber-svc", programme(k, {.upper = 2 * kCost, .ridge = 1 / Real(kCost)})},
        {"hard-margin", programme(k, {})},
        {"perceptron", 0},                            // rows on the wrong side: rbf separates any
        {"ordinal", programme(k, {.upper = kCost})},  // of two classes: svc
        {"rank", pairs_programme(k)},
        {"klr", logistic(k)},
        {"logistic", logistic(flat)},
        {"krr", ridge(k, targets, kAlpha)},
        {"ridge", ridge(flat, targets, kAlpha)},
        {"ls-svc", ridge(k, signs, 1 / Real(kCost))},
        {"least-squares", residual_of({one, x, y})},
        {"polynomial", residual_of({one, x, y, xx, xy, yy})},
    };
}

/// The machines that are solved in the columns when the kernel is linear.
std::map<std::string, Real> linear_references() {
    const RealMatrix k = gram(true);
    const RealVector targets(kTargets.begin(), kTargets.end());
    RealVector signs;
    for (std::size_t i = 0; i < kClasses.size(); ++i) {
        signs.push_back(sign_of(i));
    }
    return {
        {"l2-svr",
         programme(k, {.regression = true, .ridge = 1 / Real(kCost), .epsilon = kEpsilon})},
        {"l2-svc", programme(k, {.ridge = 1 / Real(kCost)})},
        {"huber-svc", programme(k, {.upper = 2 * kCost, .ridge = 1 / Real(kCost)})},
        {"klr", logistic(k)},
        {"krr", ridge(k, targets, kAlpha)},
        {"ls-svc", ridge(k, signs, 1 / Real(kCost))},
    };
}

double apart(double found, Real wanted) {
    const auto known = static_cast<double>(wanted);
    return std::abs(found - known) / std::max(1.0, std::abs(known));
}

void expect_near(double found, Real wanted, const std::string& name) {
    EXPECT_LE(apart(found, wanted), kObjective) << name;
}

/// Compares primal and dual value with the reference, or the residual if there is no penalty.
void expect_values(const char* key, const TrainResult& result, Real reference,
                   const std::string& name) {
    SCOPED_TRACE(name);
    if (!std::isnan(result.residual) && std::isinf(result.model.cost)) {
        expect_fact("X22", key, apart(result.residual, reference));
        return;
    }
    expect_fact("X22", key, apart(result.model.certificates[0].primal, reference));
    expect_fact("X22", key, apart(result.model.certificates[0].dual, reference));
}

TEST(SolverList, EverySolverReachesTheReferenceOfEveryMachineItClaims) {
    const std::map<std::string, Real> known = references();
    Context context;
    int pairs = 0;
    for (const std::string& machine : machine_names()) {
        const auto reference = known.find(machine);
        ASSERT_NE(reference, known.end()) << machine << " has no reference in this test";
        const std::vector<std::string> solvers = machine_solvers(machine);
        ASSERT_FALSE(solvers.empty()) << machine;
        for (const std::string& solver : solvers) {
            const std::string name = machine + " by " + solver;
            TrainOptions options = options_for(machine);
            options.run.solver = solver;
            const Dataset data = data_for(machine);
            const TrainResult result = train(data, options, context);
            ++pairs;
            EXPECT_EQ(result.model.status, "converged") << name;
            EXPECT_TRUE(verify_model(result.model, data, context).holds) << name;
            expect_values("every machine by every solver: |P - reference|, |D - reference|", result,
                          reference->second, name);
            if (machine == "huber-svc") {
                expect_fact("S13",
                            "twelve rows: |P - the L2 dual's value under 0 <= alpha <= 2C| / P",
                            apart(result.model.certificates[0].primal, reference->second));
            }
        }
    }
    expect_fact("X22", "pairs of a machine and a solver", pairs);
}

TEST(SolverList, EverySolverOfASmoothMachineReachesTheReferenceWithTheLinearKernel) {
    // Twelve rows of two columns: the matrix of the columns is cheaper, so Newton's method and
    // ridge use it, in addition to the solvers that work in the rows.
    Context context;
    for (const auto& [machine, reference] : linear_references()) {
        std::vector<std::string> solvers = machine_solvers(machine);
        solvers.emplace_back("auto");
        for (const std::string& solver : solvers) {
            const std::string name = machine + " by " + solver;
            TrainOptions options = options_for(machine);
            options.kernel = linear_kernel();
            options.run.solver = solver;
            const Dataset data = data_for(machine);
            const TrainResult result = train(data, options, context);
            EXPECT_EQ(result.model.status, "converged") << name;
            EXPECT_TRUE(verify_model(result.model, data, context).holds) << name;
            expect_values("smooth machines, linear kernel: |P - reference|, |D - reference|",
                          result, reference, name);
        }
    }
}

TEST(SolverList, MachinesWithoutInterceptAndOfTheAbsoluteLossReachTheirReference) {
    const RealMatrix k = gram(false);
    const RealMatrix flat = gram(true);
    const RealVector targets(kTargets.begin(), kTargets.end());
    RealVector signs;
    for (std::size_t i = 0; i < kClasses.size(); ++i) {
        signs.push_back(sign_of(i));
    }
    const auto x = [](Real a, Real) { return a; };
    const auto y = [](Real, Real b) { return b; };
    struct Variant {
        const char* machine;
        double epsilon;
        bool intercept;
        Real reference;
    };
    const Real ridged = 1 / Real(kCost);
    const Variant variants[] = {
        {"svc", kNaN, false, programme(k, {.upper = kCost, .intercept = false})},
        {"l2-svc", kNaN, false, programme(k, {.ridge = ridged, .intercept = false})},
        {"huber-svc", kNaN, false,
         programme(k, {.upper = 2 * kCost, .ridge = ridged, .intercept = false})},
        {"hard-margin", kNaN, false, programme(k, {.intercept = false})},
        {"svr", kEpsilon, false,
         programme(k,
                   {.regression = true, .upper = kCost, .epsilon = kEpsilon, .intercept = false})},
        {"svr", 0.0, false, programme(k, {.regression = true, .upper = kCost, .intercept = false})},
        {"svr", 0.0, true, programme(k, {.regression = true, .upper = kCost})},
        {"l2-svr", kEpsilon, false,
         programme(k,
                   {.regression = true, .ridge = ridged, .epsilon = kEpsilon, .intercept = false})},
        {"l2-svr", 0.0, true, programme(k, {.regression = true, .ridge = ridged})},
        {"klr", kNaN, false, logistic(k, false)},
        {"logistic", kNaN, false, logistic(flat, false)},
        {"krr", kNaN, false, ridge(k, targets, kAlpha, false)},
        {"ridge", kNaN, false, ridge(flat, targets, kAlpha, false)},
        {"ls-svc", kNaN, false, ridge(k, signs, 1 / Real(kCost), false)},
        {"least-squares", kNaN, false, residual_of({x, y})},
    };
    Context context;
    std::set<std::string> tried;
    for (const Variant& variant : variants) {
        tried.insert(variant.machine);
        for (const std::string& solver : machine_solvers(variant.machine)) {
            const std::string name = std::string(variant.machine) + " by " + solver;
            TrainOptions options = options_for(variant.machine);
            options.run.solver = solver;
            options.objective.epsilon = given(variant.epsilon);
            options.objective.intercept = variant.intercept;
            const Dataset data = data_for(variant.machine);
            const TrainResult result = train(data, options, context);
            EXPECT_EQ(result.model.status, "converged") << name;
            EXPECT_TRUE(verify_model(result.model, data, context).holds) << name;
            EXPECT_EQ(result.model.has_intercept, variant.intercept) << name;
            if (!variant.intercept) {
                EXPECT_EQ(result.model.intercepts[0], 0.0) << name;
            }
            expect_values(
                "without an intercept, and of the absolute loss: |P - reference|, |D - reference|",
                result, variant.reference, name);
        }
    }
    for (const char* machine : {"nu-svc", "nu-svr"}) {  // their two equations need the intercept
        TrainOptions options = options_for(machine);
        options.objective.intercept = false;
        EXPECT_THROW((void)train(data_for(machine), options, context), InvalidArgument);
        tried.insert(machine);
    }
    // For the others the constant is not optional: that of one-class is its width, that of
    // polynomial the monomial of degree 0.
    expect_fact("X22", "machines without an intercept, and machines that refuse it", tried.size());
}

TEST(SolverList, ThreeClassesOfKlrHaveSolversOfTheirOwn) {
    // scikit-learn 1.9.1: LogisticRegression(C=2, solver='newton-cg', tol=1e-14) on these points,
    // its objective computed from coef_ and intercept_.
    Dataset data =
        toys::make_rows({kPoints.begin(), kPoints.begin() + 11}, {0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 2});
    data.label_names = {"a", "b", "c"};
    Context context;
    for (const std::string& solver : machine_solvers("klr", 3)) {
        TrainOptions options = options_for("klr");
        options.kernel = linear_kernel();
        options.run.solver = solver;
        const Model model = train(data, options, context).model;
        EXPECT_EQ(model.status, "converged") << solver;
        expect_near(model.certificates[0].primal, 21.041093476799517L, solver);
        expect_near(model.certificates[0].dual, 21.041093476799517L, solver);
    }
}

TEST(SolverList, EverySolverOfAMachineEndsAtTheSameFunction) {
    // 1/2 |f|^2 is part of the objective, so the minimiser is unique: f without b, at new rows.
    Context context;
    double apart = 0.0;
    int solvers = 0;
    for (const std::string machine : {"svc", "nu-svc", "one-class", "svr", "l2-svr", "nu-svr",
                                      "l2-svc", "huber-svc", "klr", "krr", "ls-svc", "ridge"}) {
        std::vector<double> first;
        for (const std::string& solver : machine_solvers(machine)) {
            TrainOptions options = options_for(machine);
            options.run.solver = solver;
            const Model model = train(data_for(machine), options, context).model;
            const Dataset probe = toys::make_rows({{1, 2}, {3, 1}, {5, 5}}, {0, 0, 0});
            std::vector<double> f = decision_function(model, probe, context);
            for (double& value : f) {
                value -= model.intercepts[0];
            }
            first = first.empty() ? f : first;
            for (std::size_t i = 0; i < f.size(); ++i) {
                apart = std::max(apart, std::abs(f[i] - first[i]));
            }
            ++solvers;
        }
    }
    EXPECT_GE(solvers, 34);
    expect_fact("RT2", "all solvers of 12 machines: functions apart", apart);
}

TEST(SolverList, TheDualIsBelowThePrimalWhereverASolverStops) {
    Context context;
    double excess = -std::numeric_limits<double>::infinity();
    int stops = 0;
    for (const std::string& machine : machine_names()) {
        const Dataset data = data_for(machine);
        for (const std::string& solver : machine_solvers(machine)) {
            TrainOptions options = options_for(machine);
            options.run.solver = solver;
            std::string status;
            for (index_t limit = 1; limit < 3000 && status != "converged"; limit += 1 + limit / 2) {
                options.run.max_iterations = limit;
                const Model model = train(data, options, context).model;
                status = model.status;
                if (std::isinf(model.cost) && model.loss == "squared") {
                    // The least |f| subject to the normal equations, which no iterate satisfies:
                    // its value is not an upper bound.
                    continue;
                }
                for (const Certificate& proof : model.certificates) {
                    const double size = std::max(1.0, std::abs(proof.primal));
                    EXPECT_GE(proof.gap, 0.0) << machine << " by " << solver << " at " << limit;
                    excess = std::max(excess, (proof.dual - proof.primal) / size);
                    ++stops;
                }
            }
        }
    }
    EXPECT_GE(stops, 150);
    expect_fact("O02", "dual above primal wherever a solver stops, relative", excess);
}

TEST(SolverList, TheDualIsBelowThePrimalAtEveryIterationThatIsTraced) {
    Context context;
    double least = std::numeric_limits<double>::infinity();
    std::size_t points = 0;
    for (const std::string machine :
         {"svc", "svr", "klr", "l2-svc", "huber-svc", "l2-svr", "krr"}) {
        for (const SolverRun& run : compare_solvers(data_for(machine), options_for(machine),
                                                    solvers_of(machine), context)) {
            EXPECT_EQ(run.problem, "") << machine << " by " << run.solver;
            for (const TracePoint& point : run.trace) {
                least = std::min(least, point.relative_gap);
                ++points;
            }
        }
    }
    EXPECT_GE(points, 100U);
    expect_fact("O02", "relative gap of the traces at every iteration", least);
}

TEST(SolverList, SolversThatDoNotClaimAMachineAreRefusedByNamesThatDo) {
    std::set<std::string> all;
    for (const std::string& machine : machine_names()) {
        for (const std::string& solver : machine_solvers(machine)) {
            all.insert(solver);
        }
    }
    Context context;
    for (const std::string& machine : machine_names()) {
        const std::vector<std::string> own = machine_solvers(machine);
        for (const std::string& solver : all) {
            if (std::find(own.begin(), own.end(), solver) != own.end()) {
                continue;
            }
            TrainOptions options = options_for(machine);
            options.run.solver = solver;
            try {
                static_cast<void>(train(data_for(machine), options, context));
                ADD_FAILURE() << machine << " took " << solver << ", which does not claim it";
            } catch (const InvalidArgument& fault) {
                EXPECT_THAT(fault.what(), ::testing::HasSubstr(own.front()))
                    << machine << " by " << solver;
            }
        }
    }
}

}  // namespace
}  // namespace mercer
