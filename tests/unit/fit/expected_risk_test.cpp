// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/expected_risk_test.cpp - computed expectations compared with closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/data/quadrature.hpp"
#include "mercer/fit/risk.hpp"
#include "support/facts.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

/// f(x) = <w, x> + b, a classifier of -1 and 1 or a regression.
Model line(const std::vector<double>& w, double b, bool classes) {
    Model model;
    model.machine = classes ? "svc" : "krr";
    model.kernel = linear_kernel();
    model.support = toys::make_rows({w}, {});
    model.support_rows = {0};
    model.coefficients = {1.0};
    model.intercepts = {b};
    model.columns = static_cast<index_t>(w.size());
    if (classes) {
        model.labels = {"-1", "1"};
    }
    return model;
}

ExpectedRiskOptions on(const std::string& generator, index_t columns, double noise,
                       const std::string& method = "quadrature") {
    ExpectedRiskOptions options;
    options.generate.name = generator;
    options.generate.columns = columns;
    options.generate.noise = noise;
    options.method = method;
    return options;
}

double risk_of(const Model& model, const RiskLoss& loss, const ExpectedRiskOptions& options) {
    Context context;
    return expected_risk(model, {loss}, options, context).risks[0].risk;
}

TEST(ExpectedRisk, OfZeroOnSincIsAnIntegralOfSines) {
    // 1/40 of the integral of (sin x / x)^2 over [-10, 10], and half the variance of the noise.
    const Model zero = line({0.0}, 0.0, false);
    expect_fact("R02", "sinc without noise, f=0, half squared",
                risk_of(zero, HalfSquaredLoss{}, on("sinc", 1, 0.0)));
    expect_fact("R02", "sinc with noise 0.5, f=0, half squared",
                risk_of(zero, HalfSquaredLoss{}, on("sinc", 1, 0.5)));
}

TEST(ExpectedRisk, OfZeroIsTheShareOfAClass) {
    const Model zero = line({0.0, 0.0}, 0.0, true);
    expect_fact("R02", "xor, noise 0.2, f=0, zero-one",
                risk_of(zero, ZeroOneLoss{}, on("xor", 2, 0.2)));
    for (const char* generator :
         {"moons", "spirals", "blobs", "gaussian-mixture", "checkerboard"}) {
        EXPECT_NEAR(risk_of(zero, ZeroOneLoss{}, on(generator, 2, 0.1)), 0.5, 1e-9) << generator;
        EXPECT_NEAR(risk_of(zero, LogisticLoss{}, on(generator, 2, 0.1)), std::log(2.0), 1e-9)
            << generator;
    }
}

TEST(ExpectedRisk, OfALineOnBlobsIsANormalTail) {
    // One column: class c is normal around its centre, which a blob without noise shows.
    const double noise = 0.4;
    Context context;
    double difference = 0.0;
    for (index_t seed = 0; seed < 10; ++seed) {
        GenerateOptions centres{
            .name = "blobs", .rows = 2, .columns = 1, .noise = 0.0, .seed = seed};
        const Dataset rows = generate(centres, context);
        std::vector<double> centre(1);
        const double w = seed % 2 == 0 ? 1.0 : -2.0;
        const double b = 0.1 * static_cast<double>(seed) - 0.5;
        double wrong = 0.0;
        for (index_t c = 0; c < 2; ++c) {
            rows.copy_row(c, centre);
            const double margin = (c == 0 ? -1.0 : 1.0) * (w * centre[0] + b);
            wrong += 0.25 * std::erfc(margin / (std::abs(w) * noise * std::sqrt(2.0)));
        }
        ExpectedRiskOptions options = on("blobs", 1, noise);
        options.generate.seed = seed;
        difference = std::max(
            difference, std::abs(risk_of(line({w}, b, true), ZeroOneLoss{}, options) - wrong));
        // For squares: E (f - t)^2 = sum over the classes of (mean - t)^2 + w^2 noise^2.
        double squares = w * w * noise * noise;
        for (index_t c = 0; c < 2; ++c) {
            rows.copy_row(c, centre);
            squares += 0.5 * std::pow(w * centre[0] + b - (c == 0 ? -1.0 : 1.0), 2.0);
        }
        EXPECT_NEAR(risk_of(line({w}, b, true), SquaredLoss{}, options), squares, 1e-10);
    }
    expect_fact("R02", "linear predictors on blobs of one column: distance to the normal tails",
                difference);
}

TEST(ExpectedRisk, ByMonteCarloIsThatByQuadratureWithinItsError) {
    Context context;
    double distance = 0.0;
    const Model plane = line({0.7, -0.4}, 0.15, true);
    const std::vector<RiskLoss> losses{ZeroOneLoss{}, HingeLoss{}, LogisticLoss{}, SquaredLoss{}};
    for (const char* generator :
         {"moons", "spirals", "blobs", "gaussian-mixture", "xor", "checkerboard"}) {
        ExpectedRiskOptions options = on(generator, 2, 0.15);
        options.samples = 40'001;  // an odd number still gives each class its half
        const ExpectedRisk exact = expected_risk(plane, losses, options, context);
        options.method = "monte-carlo";
        const ExpectedRisk drawn = expected_risk(plane, losses, options, context);
        EXPECT_EQ(drawn.rows, 40'002);
        for (std::size_t k = 0; k < losses.size(); ++k) {
            // The jump of the 0-1 loss causes an error of the quadrature itself.
            const double error = drawn.risks[k].standard_error + exact.risks[k].standard_error;
            distance =
                std::max(distance, std::abs(drawn.risks[k].risk - exact.risks[k].risk) / error);
        }
    }
    expect_fact("R02", "Monte Carlo: greatest distance to quadrature in standard errors", distance);
}

TEST(ExpectedRisk, FreshRowsAreNotThoseOfTheTrainingSet) {
    Context context;
    GenerateOptions options{.name = "moons", .rows = 50};
    const Dataset made = generate(options, context);
    std::vector<double> a(2);
    std::vector<double> b(2);
    for (const index_t batch : {0, 1}) {
        const Dataset fresh = generate_fresh(options, batch, context);
        EXPECT_EQ(fresh.targets, made.targets);
        for (index_t i = 0; i < 50; ++i) {
            made.copy_row(i, a);
            fresh.copy_row(i, b);
            EXPECT_NE(a, b);
        }
    }
    EXPECT_THROW((void)generate_fresh(options, -1, context), InvalidArgument);
}

TEST(ExpectedRisk, WeightsOfAQuadratureSumToOne) {
    Context context;
    for (const char* generator :
         {"blobs", "gaussian-mixture", "moons", "spirals", "xor", "checkerboard", "sinc"}) {
        for (const double noise : {0.0, 0.3}) {
            GenerateOptions options{.name = generator, .noise = noise};
            const Dataset rows = quadrature_rows(options, 2, context);
            double sum = 0.0;
            for (const double weight : rows.weights) {
                sum += weight;
            }
            EXPECT_GT(*std::min_element(rows.weights.begin(), rows.weights.end()), 0.0);
            EXPECT_NEAR(sum, 1.0, 1e-9) << generator;
        }
    }
    EXPECT_THROW((void)quadrature_rows({.name = "friedman1"}, 1, context), InvalidArgument);
    EXPECT_THROW((void)quadrature_rows({.name = "blobs", .columns = 3}, 1, context),
                 InvalidArgument);
    EXPECT_THROW((void)quadrature_rows({.name = "moons"}, 5, context), InvalidArgument);
}

TEST(ExpectedRisk, RefusesDistributionsOfOtherTasks) {
    Context context;
    const Model plane = line({0.7, -0.4}, 0.15, true);
    const auto refuse = [&](const Model& model, const ExpectedRiskOptions& options) {
        EXPECT_THROW((void)expected_risk(model, {ZeroOneLoss{}}, options, context), InvalidArgument)
            << options.generate.name;
    };
    refuse(plane, on("sinc", 1, 0.1));
    refuse(plane, on("blobs", 1, 0.1));
    refuse(plane, on("friedman1", 10, 0.1));
    refuse(plane, on("moons", 2, 0.1, "bisection"));
    refuse(line({0.0}, 0.0, false), on("blobs", 1, 0.1));
    Model strange = plane;
    strange.labels = {"0", "1"};
    refuse(strange, on("moons", 2, 0.1));
}

TEST(ExpectedRisk, LossesThatDoNotFitAreRefusedByName) {
    const Model plane = line({0.7, -0.4}, 0.15, true);
    EXPECT_EQ(losses_for(plane, {}, 0.1).size(), all_risk_losses().size());
    EXPECT_EQ(losses_for(plane, {"hinge", "zero-one"}, 0.1).size(), 2U);
    EXPECT_THROW((void)losses_for(plane, {"huber"}, 0.1), InvalidArgument);
    const Model regression = line({0.0}, 0.0, false);
    EXPECT_THROW((void)losses_for(regression, {"hinge"}, 0.1), InvalidArgument);
    EXPECT_EQ(losses_for(regression, {}, 0.1).size(), 5U);
    Model many = plane;
    many.labels = {"1", "2", "3"};
    EXPECT_EQ(losses_for(many, {}, 0.1).size(), 1U);
}

}  // namespace
}  // namespace mercer
