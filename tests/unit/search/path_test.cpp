// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/search/path_test.cpp - paths of toy problems, machines on a path, its file and score.
#include "mercer/search/path.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/memory_files.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using toys::failures;
using toys::make_classes;
using toys::make_rows;

/// Overlapping classes in the plane.
Dataset cloud(index_t rows, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::vector<double>> x;
    std::vector<double> y;
    for (index_t i = 0; i < rows; ++i) {
        const bool positive = i % 2 == 0;
        x.push_back({random.normal() + (positive ? 0.8 : -0.8), random.normal()});
        y.push_back(positive ? 1.0 : 0.0);
    }
    return make_classes(x, y);
}

Dataset wave(index_t rows, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::vector<double>> x;
    std::vector<double> y;
    for (index_t i = 0; i < rows; ++i) {
        const double at = random.uniform(-3.0, 3.0);
        x.push_back({at});
        y.push_back(std::sin(at) + 0.2 * random.normal());
    }
    return make_rows(x, y);
}

PathOptions options_for(const std::string& model, const std::string& over,
                        const std::string& kernel) {
    PathOptions options;
    options.machine.model = model;
    options.machine.kernel = parse_kernel(kernel).value();
    options.over = over;
    return options;
}

TEST(Path, TrioHasItsKnotAtOneHalf) {
    // alpha = (C, C, 0) up to C = 1/2 and (1/2, 1/2, 0) from there on.
    PathOptions options = options_for("svc", "C", "linear");
    options.from = 0.1;
    options.to = 2.0;
    Context context;
    const Path path = trace(make_classes({{-1}, {1}, {3}}, {0, 1, 1}), options, context);
    double nearest = kInfinity;
    for (const PathKnot& knot : path.knots()) {
        nearest = std::min(nearest, std::abs(knot.t - 0.5));
    }
    EXPECT_LE(nearest, 1e-12);
    EXPECT_EQ(path.solution().restarts, 0);
    for (const double cost : {0.1, 0.3, 0.49, 0.7, 2.0}) {
        const std::vector<double> beta = path.coefficients(cost, context);
        EXPECT_NEAR(beta[0], -std::min(cost, 0.5), 1e-13) << cost;
        EXPECT_NEAR(beta[1], std::min(cost, 0.5), 1e-13) << cost;
        EXPECT_NEAR(beta[2], 0.0, 1e-13) << cost;
    }
}

TEST(Path, OneVerbMakesAnObjectThatHasEveryMachineInIt) {
    Context context;
    TrainOptions machine;
    machine.model = "svc";
    machine.kernel = parse_kernel("rbf(gamma=0.7)").value();
    const Dataset rows = cloud(30, 2);

    const Path path =
        trace(cloud(60, 1), {.machine = machine, .over = "C", .from = 0.01, .to = 100.0}, context);

    EXPECT_EQ(path.knots().front().t, 0.01);
    EXPECT_EQ(path.knots().back().t, 100.0);
    for (std::size_t k = 1; k < path.knots().size(); ++k) {
        EXPECT_GE(path.knots()[k].t, path.knots()[k - 1].t);
    }
    const TrainResult read = path.at(3.7, context);
    EXPECT_EQ(read.model.cost, 3.7);
    EXPECT_LE(relative_gap(read.model.certificates.front()), 1e-9);
    EXPECT_EQ(path.predict(rows, 3.7, context), decision_function(read.model, rows, context));
}

TEST(Path, MachinesReadOffAreThoseThatAreTrained) {
    struct Case {
        const char* model;
        const char* over;
        double value;
    };
    Context context;
    const Dataset classes = cloud(60, 1);
    const Dataset numbers = wave(50, 2);
    for (const Case& c : {Case{"svc", "C", 3.7}, Case{"svc", "weight", 0.4}, Case{"svr", "C", 2.0},
                          Case{"svr", "epsilon", 0.15}, Case{"nu-svr", "nu", 0.3},
                          Case{"nu-svc", "nu", 0.35}, Case{"one-class", "nu", 0.2}}) {
        const bool margin = is_classifier(c.model) || std::string(c.model) == kOneClass;
        const Dataset& data = margin ? classes : numbers;
        const Path path = trace(data, options_for(c.model, c.over, "rbf(gamma=0.7)"), context);
        EXPECT_EQ(path.solution().status, SolveStatus::converged) << c.model << c.over;
        const TrainResult read = path.at(c.value, context);
        const Certificate& proof = read.model.certificates.front();
        EXPECT_LE(relative_gap(proof), 1e-9) << c.model << c.over;
        EXPECT_LE(computed_gap(proof), 1e-11 * std::max(1.0, std::abs(proof.primal))) << c.model;
        TrainOptions fresh;
        fresh.model = c.model;
        fresh.kernel = parse_kernel("rbf(gamma=0.7)").value();
        fresh.run.gap_tolerance = 1e-11;
        (std::string(c.over) == "C"         ? fresh.objective.cost
         : std::string(c.over) == "epsilon" ? fresh.objective.epsilon
                                            : fresh.objective.nu) = c.value;
        if (std::string(c.over) == "weight") {
            fresh.objective.nu.reset();
            fresh.objective.class_weights[data.label_names.back()] = c.value;
        }
        const TrainResult trained = train(data, fresh, context);
        EXPECT_NEAR(read.model.certificates.front().primal,
                    trained.model.certificates.front().primal,
                    1e-9 * (1.0 + std::abs(trained.model.certificates.front().primal)))
            << c.model << c.over;
        const std::vector<double> f = path.predict(data, c.value, context);
        const std::vector<double> g = decision_function(trained.model, data, context);
        for (std::size_t i = 0; i < f.size(); ++i) {
            EXPECT_NEAR(f[i], g[i], 2e-5) << c.model << c.over << i;
        }
        EXPECT_EQ(failures(read.model, data), std::vector<std::string>{}) << c.model << c.over;
    }
}

TEST(Path, ScoreIsTheErrorOfTheMachinesReadOff) {
    Context context;
    const Dataset validation = cloud(40, 9);
    PathOptions options = options_for("svc", "C", "rbf(gamma=0.7)");
    const Path path = trace(cloud(60, 1), options, validation, context);
    ASSERT_TRUE(path.score.has_value());
    const PathScore& score = *path.score;
    EXPECT_EQ(score.measure, "error");
    double least = kInfinity;
    int compared = 0;
    for (std::size_t k = 0; k + 1 < score.points.size(); ++k) {
        const double middle = 0.5 * (score.points[k].value + score.points[k + 1].value);
        least = std::min(least, score.points[k].score);
        const Interval intercepts = path.at(middle, context).model.certificates.front().intercepts;
        if (intercepts.upper - intercepts.lower > 1e-9) {
            continue;  // not unique: the path has one of them, the machine the middle
        }
        ++compared;
        double wrong = 0.0;
        const std::vector<double> f = path.predict(validation, middle, context);
        for (std::size_t i = 0; i < f.size(); ++i) {
            wrong += (f[i] >= 0.0) != (validation.targets[i] == 1.0) ? 1.0 : 0.0;
        }
        EXPECT_NEAR(score.points[k].score, wrong / 40.0, 1e-12) << middle;
    }
    EXPECT_GT(compared, 15);
    EXPECT_NEAR(score.best_score, least, 1e-12);
    EXPECT_GE(score.best_value, score.best_from);
    EXPECT_LE(score.best_value, score.best_to);
}

TEST(Path, BestTubeIsNoWorseThanThoseOfAGrid) {
    Context context;
    const Dataset validation = wave(40, 7);
    PathOptions options = options_for("svr", "epsilon", "rbf(gamma=0.7)");
    const Path path = trace(wave(50, 2), options, validation, context);
    ASSERT_TRUE(path.score.has_value());
    const auto rmse = [&](double value) {
        double sum = 0.0;
        const std::vector<double> f = path.predict(validation, value, context);
        for (std::size_t i = 0; i < f.size(); ++i) {
            sum += std::pow(f[i] - validation.targets[i], 2);
        }
        return std::sqrt(sum / static_cast<double>(f.size()));
    };
    EXPECT_NEAR(rmse(path.score->best_value), path.score->best_score, 1e-9);
    for (int k = 0; k <= 40; ++k) {
        const double value = path.solution().from * k / 40.0;
        EXPECT_GE(rmse(value), path.score->best_score - 1e-9) << value;
    }
}

TEST(Path, FoldsAreScoredTogether) {
    Context context;
    const Path path =
        cross_validate(cloud(60, 1), options_for("svc", "C", "rbf(gamma=0.7)"), 5, context);
    ASSERT_TRUE(path.score.has_value());
    for (const PathScore::Point& point : path.score->points) {
        const double rows = point.score * 60.0;
        EXPECT_NEAR(rows, std::round(rows), 1e-9);
    }
    EXPECT_LT(path.score->best_score, 0.4);
}

TEST(Path, FileGivesBackThePathToTheBit) {
    Context context;
    const Dataset data = cloud(40, 3);
    const Path path = trace(data, options_for("svc", "C", "rbf(gamma=0.7)"), cloud(20, 4), context);
    MemoryFiles files;
    save_path(path, "p", files);
    const Path again = load_path("p", context, files).value();
    EXPECT_EQ(again.knots().size(), path.knots().size());
    EXPECT_EQ(again.score->best_value, path.score->best_value);
    EXPECT_EQ(again.at(2.5, context).model.coefficients, path.at(2.5, context).model.coefficients);
    save_path(again, "q", files);
    EXPECT_EQ(files.contents["p"], files.contents["q"]);
    // Every byte counts.
    const std::string whole = files.contents["p"];
    for (std::size_t k = 0; k < whole.size(); k += 97) {
        files.contents["r"] = whole;
        files.contents["r"][k] = static_cast<char>(whole[k] ^ 0x20);
        EXPECT_FALSE(load_path("r", context, files).ok()) << k;
        files.contents["r"] = whole.substr(0, k);
        EXPECT_FALSE(load_path("r", context, files).ok()) << k;
    }
}

TEST(Path, WhatHasNoPathIsRefusedByName) {
    Context context;
    const Dataset data = cloud(20, 1);
    const auto refusal = [&](const PathOptions& options, const Dataset& rows) {
        try {
            static_cast<void>(trace(rows, options, context));
        } catch (const InvalidArgument& fault) {
            return std::string(fault.what());
        }
        return std::string();
    };
    EXPECT_EQ(refusal(options_for("klr", "C", "linear"), data),
              "model: klr has no exact path; svc, svr, nu-svc, nu-svr and one-class do");
    EXPECT_EQ(refusal(options_for("svc", "epsilon", "linear"), data),
              "over: got 'epsilon', svc has a path over C, weight");
    PathOptions given = options_for("svc", "C", "linear");
    given.machine.objective.cost = 2.0;
    EXPECT_EQ(refusal(given, data), "cost: given, though the path is over C");
    PathOptions empty = options_for("svc", "C", "linear");
    empty.from = empty.to = 1.0;
    EXPECT_EQ(refusal(empty, data), "to: got 1, which is where the path starts");
    PathOptions wide = options_for("nu-svc", "nu", "linear");
    wide.to = 1.5;
    EXPECT_EQ(refusal(wide, data), "to: nu goes up to 1 for this data");
    Dataset three = make_classes({{0}, {1}, {2}}, {0, 1, 2});
    three.label_names = {"a", "b", "c"};
    EXPECT_EQ(refusal(options_for("svc", "C", "linear"), three),
              "targets: a path is of two classes, the data has 3");
    const Path path = trace(data, options_for("svc", "C", "linear"), context);
    EXPECT_THROW(static_cast<void>(path.at(1000.0, context)), InvalidArgument);
}

TEST(Path, ParametersAreThoseOfTheTableOfMachines) {
    for (const Machine& machine : machines()) {
        EXPECT_EQ(path_parameters(machine.name), machine.paths) << machine.name;
    }
    EXPECT_TRUE(path_parameters("no-machine").empty());
}

}  // namespace
}  // namespace mercer
