// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/comparisons_test.cpp - ordinal regression and ranking, by hand and by the oracle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <tuple>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/fit/plan.hpp"
#include "mercer/formats/model_file.hpp"
#include "mercer/runtime/memory_files.hpp"
#include "support/facts.hpp"
#include "support/quadratic_oracle.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using testing::QuadraticOracle;
using testing::QuadraticProgramme;
using testing::Real;
using testing::RealVector;

constexpr double kExact = 1e-10;

Dataset graded(const std::vector<std::vector<double>>& rows, const std::vector<double>& classes,
               const std::vector<std::string>& names) {
    Dataset data = toys::make_rows(rows, classes);
    data.label_names = names;
    return data;
}

/// x = -1, 0, 1 with the labels 1, 2, 3: |f|^2 / 2 + 2 C (2 - w) for w <= 2, so w = min(2 C, 2).
Dataset steps() { return graded({{-1.0}, {0.0}, {1.0}}, {0, 1, 2}, {"1", "2", "3"}); }

/// x = 0 below x = 1: w^2 / 2 + C (1 - w) for w <= 1, so w = min(C, 1).
Dataset one_pair() { return toys::make_rows({{0.0}, {1.0}}, {0, 1}); }

TrainOptions options_of(const std::string& model, double cost, const std::string& kernel) {
    TrainOptions options;
    options.model = model;
    options.kernel = parse_kernel(kernel).value();
    options.objective.cost = given(cost);
    options.run.gap_tolerance = kExact;
    return options;
}

TrainResult trained(const Dataset& data, const TrainOptions& options) {
    Context context;
    TrainResult result = train(data, options, context);
    EXPECT_EQ(result.model.status, "converged");
    EXPECT_TRUE(toys::failures(result.model, data).empty());
    return result;
}

double slope_of(const Model& model) {
    Context context;
    const std::vector<double> f =
        decision_function(model, toys::make_rows({{0.0}, {1.0}}, {0, 0}), context);
    return f[1] - f[0];
}

/// Random rows of two columns; classes or grades that follow their sum, with errors.
Dataset random_rows(Random& random, index_t rows, index_t grades) {
    std::vector<std::vector<double>> points;
    std::vector<double> targets;
    for (index_t i = 0; i < rows; ++i) {
        points.push_back({random.normal(), random.normal()});
        const double level = points.back()[0] + points.back()[1] + random.normal();
        targets.push_back(i < grades
                              ? static_cast<double>(i)
                              : std::clamp(std::floor(level + 0.5 * static_cast<double>(grades)),
                                           0.0, static_cast<double>(grades - 1)));
    }
    return toys::make_rows(points, targets);
}

Dataset random_classes(Random& random, index_t rows, index_t classes) {
    Dataset data = random_rows(random, rows, classes);
    for (index_t c = 0; c < classes; ++c) {
        data.label_names.push_back(std::to_string(c + 1));
    }
    return data;
}

Real kernel_of(const Dataset& data, std::size_t i, std::size_t j, double gamma) {
    std::vector<double> a(2);
    std::vector<double> b(2);
    data.copy_row(static_cast<index_t>(i), a);
    data.copy_row(static_cast<index_t>(j), b);
    const Real dx = Real(a[0]) - b[0];
    const Real dy = Real(a[1]) - b[1];
    return std::exp(-Real(gamma) * (dx * dx + dy * dy));
}

Real optimum(const QuadraticProgramme& q) {
    const RealVector z = QuadraticOracle(q).solve().z;
    Real value = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        value -= q.g[i] * z[i];
        for (std::size_t j = 0; j < z.size(); ++j) {
            value -= z[i] * q.h[i][j] * z[j] / 2;
        }
    }
    return value;
}

/// max sum alpha - 1/2 |sum t alpha k|^2 with the sum of t alpha 0 at every threshold.
Real ordinal_optimum(const Dataset& data, double cost, double gamma) {
    const std::size_t n = data.targets.size();
    const std::size_t thresholds = data.label_names.size() - 1;
    const auto sign = [&](std::size_t e) -> Real {
        return data.targets[e % n] > static_cast<double>(e / n) ? 1 : -1;
    };
    QuadraticProgramme q;
    const std::size_t size = n * thresholds;
    q.h.assign(size, RealVector(size));
    q.a.assign(thresholds, RealVector(size, 0));
    q.b.assign(thresholds, 0);
    for (std::size_t e = 0; e < size; ++e) {
        for (std::size_t d = 0; d < size; ++d) {
            q.h[e][d] = sign(e) * sign(d) * kernel_of(data, e % n, d % n, gamma);
        }
        q.g.push_back(-1);
        q.upper.push_back(cost * (data.weights.empty() ? 1.0 : data.weights[e % n]));
        q.a[e / n][e] = sign(e);
    }
    return optimum(q);
}

Real rank_optimum(const Dataset& data, double cost, double gamma) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < data.targets.size(); ++i) {
        for (std::size_t j = 0; j < data.targets.size(); ++j) {
            const bool together = data.queries.empty() || data.queries[i] == data.queries[j];
            if (together && data.targets[i] > data.targets[j]) {
                pairs.emplace_back(i, j);
            }
        }
    }
    QuadraticProgramme q;
    for (const auto& [i, j] : pairs) {
        q.h.emplace_back();
        for (const auto& [k, l] : pairs) {
            q.h.back().push_back(kernel_of(data, i, k, gamma) - kernel_of(data, i, l, gamma) -
                                 kernel_of(data, j, k, gamma) + kernel_of(data, j, l, gamma));
        }
        q.g.push_back(-1);
        q.upper.push_back(cost * (data.weights.empty() ? 1.0 : data.weights[i] * data.weights[j]));
    }
    return optimum(q);
}

double relative(double found, Real wanted) {
    return std::abs(found - static_cast<double>(wanted)) /
           std::max(1.0, std::abs(static_cast<double>(wanted)));
}

TEST(Ordinal, three_points_on_a_line_have_the_solution_by_hand) {
    const Model half = trained(steps(), options_of("ordinal", 0.5, "linear")).model;
    expect_fact("S17", "ordinal, C = 1/2: w", slope_of(half));
    expect_fact("S17", "ordinal, C = 1/2: thresholds", half.thresholds);
    expect_fact("S17", "ordinal, C = 1/2: objective", half.certificates.front().primal);
    const Model quarter = trained(steps(), options_of("ordinal", 0.25, "linear")).model;
    expect_fact("S17", "ordinal, C = 1/4: thresholds", quarter.thresholds);
    expect_fact("S17", "ordinal, C = 1/4: objective", quarter.certificates.front().primal);
    const Model much = trained(steps(), options_of("ordinal", 100, "linear")).model;
    expect_fact("S17", "ordinal, C = 100: w", slope_of(much));
    expect_fact("S17", "ordinal, C = 100: thresholds", much.thresholds);
    Context context;
    EXPECT_EQ(predict_classes(half, decision_function(half, steps(), context)),
              (std::vector<index_t>{0, 1, 2}));
    EXPECT_EQ(predict_classes(quarter, decision_function(quarter, steps(), context)),
              (std::vector<index_t>{1, 1, 1}));
}

TEST(Ordinal, random_problems_end_at_the_optimum_of_the_oracle) {
    Random random(3, 0);
    double worst = 0.0;
    for (int trial = 0; trial < 25; ++trial) {
        Dataset data = random_classes(random, 10 + random.below(6), 2 + random.below(4));
        if (trial % 3 == 0) {
            for (index_t i = 0; i < data.rows(); ++i) {
                data.weights.push_back(random.uniform(0.2, 3.0));
            }
        }
        const double cost = std::exp(random.uniform(-2.0, 3.0));
        const Model model = trained(data, options_of("ordinal", cost, "rbf(gamma=0.5)")).model;
        const Real wanted = ordinal_optimum(data, cost, 0.5);
        worst = std::max({worst, relative(model.certificates.front().primal, wanted),
                          relative(model.certificates.front().dual, wanted)});
    }
    expect_fact("S17", "ordinal against the oracle: objective apart", worst);
}

TEST(Ordinal, thresholds_never_descend) {
    Random random(5, 0);
    bool ascend = true;
    for (int trial = 0; trial < 40; ++trial) {
        const Dataset data = random_classes(random, 12 + random.below(30), 3 + random.below(5));
        TrainOptions options =
            options_of("ordinal", std::exp(random.uniform(-5.0, 5.0)), "rbf(gamma=0.3)");
        options.run.gap_tolerance = 1e-4;
        options.run.max_iterations = trial % 2 == 0 ? 0 : 3;  // also far from the solution
        Context context;
        const Model model = train(data, options, context).model;
        ascend = ascend && std::is_sorted(model.thresholds.begin(), model.thresholds.end());
        EXPECT_TRUE(toys::failures(model, data).empty());
    }
    expect_fact("S17", "thresholds ascend", ascend);
}

TEST(Ordinal, two_classes_are_those_of_svc) {
    Random random(7, 0);
    const Dataset data = random_classes(random, 30, 2);
    const Model ordinal = trained(data, options_of("ordinal", 2.0, "rbf(gamma=0.5)")).model;
    const Model svc = trained(data, options_of("svc", 2.0, "rbf(gamma=0.5)")).model;
    expect_fact("S17", "ordinal of two classes: objective apart from svc",
                std::abs(ordinal.certificates.front().primal - svc.certificates.front().primal));
    Context context;
    const std::vector<double> f = decision_function(ordinal, data, context);
    const std::vector<double> z = decision_function(svc, data, context);
    for (std::size_t i = 0; i < f.size(); ++i) {
        EXPECT_NEAR(f[i] - ordinal.thresholds.front(), z[i], 1e-4);
    }
}

TEST(Ordinal, the_order_of_text_labels_must_be_given) {
    Dataset data = graded({{0.0}, {1.0}, {2.0}}, {1, 2, 0}, {"high", "low", "middle"});
    TrainOptions options = options_of("ordinal", 10.0, "linear");
    Context context;
    EXPECT_THROW((void)train(data, options, context), InvalidArgument);
    options.order = "low,middle,high";
    const Model model = trained(data, options).model;
    EXPECT_EQ(model.labels, (std::vector<std::string>{"low", "middle", "high"}));
    EXPECT_EQ(predict_classes(model, decision_function(model, data, context)),
              (std::vector<index_t>{0, 1, 2}));
    options.order = "low,high";
    EXPECT_THROW((void)train(data, options, context), InvalidArgument);
    options.order = "low,middle,high,top";
    EXPECT_THROW((void)train(data, options, context), InvalidArgument);
}

TEST(Ordinal, numbers_as_labels_are_ordered_as_numbers) {
    const Dataset data = graded({{0.0}, {1.0}, {2.0}}, {2, 1, 0}, {"10", "9", "-1"});
    const Model model = trained(data, options_of("ordinal", 10.0, "linear")).model;
    EXPECT_EQ(model.labels, (std::vector<std::string>{"-1", "9", "10"}));
    const Dataset signed_labels = graded({{0.0}, {1.0}, {2.0}}, {0, 1, 2}, {"+10", "+9", "-1"});
    EXPECT_EQ(trained(signed_labels, options_of("ordinal", 10.0, "linear")).model.labels,
              (std::vector<std::string>{"-1", "+9", "+10"}));
}

TEST(Rank, one_pair_has_the_solution_by_hand) {
    const Model half = trained(one_pair(), options_of("rank", 0.5, "linear")).model;
    expect_fact("S17", "rank, one pair, C = 1/2: w", slope_of(half));
    expect_fact("S17", "rank, one pair, C = 1/2: objective", half.certificates.front().primal);
    const Model two = trained(one_pair(), options_of("rank", 2.0, "linear")).model;
    expect_fact("S17", "rank, one pair, C = 2: w", slope_of(two));
    expect_fact("S17", "rank, one pair, C = 2: objective", two.certificates.front().primal);
}

TEST(Rank, multipliers_at_the_cost_are_counted_as_bounded) {
    const auto summary = [](double cost) {
        return trained(one_pair(), options_of("rank", cost, "linear")).outputs.front();
    };
    EXPECT_EQ(summary(0.5).support, 1);  // w = C
    EXPECT_EQ(summary(0.5).bounded, 1);
    EXPECT_EQ(summary(2.0).support, 1);  // w = 1: the margin
    EXPECT_EQ(summary(2.0).bounded, 0);
}

TEST(Rank, random_problems_end_at_the_optimum_of_the_oracle) {
    Random random(11, 0);
    double worst = 0.0;
    for (int trial = 0; trial < 25; ++trial) {
        Dataset data = random_rows(random, 8 + random.below(4), 3);
        for (index_t i = 0; i < data.rows() && trial % 2 == 0; ++i) {
            data.queries.push_back(7 - i % 2);
        }
        for (index_t i = 0; i < data.rows() && trial % 3 == 0; ++i) {
            data.weights.push_back(random.uniform(0.5, 2.0));
        }
        const double cost = std::exp(random.uniform(-2.0, 3.0));
        const Model model = trained(data, options_of("rank", cost, "rbf(gamma=0.5)")).model;
        const Real wanted = rank_optimum(data, cost, 0.5);
        worst = std::max({worst, relative(model.certificates.front().primal, wanted),
                          relative(model.certificates.front().dual, wanted)});
    }
    expect_fact("S17", "rank against the oracle: objective apart", worst);
}

TEST(Rank, a_monotone_change_of_the_targets_changes_nothing) {
    Random random(13, 0);
    const Dataset data = random_rows(random, 40, 4);
    Dataset warped = data;
    for (double& target : warped.targets) {
        target = std::exp(3.0 * target) - 100.0;
    }
    const Model one = trained(data, options_of("rank", 1.0, "rbf(gamma=0.5)")).model;
    const Model other = trained(warped, options_of("rank", 1.0, "rbf(gamma=0.5)")).model;
    expect_fact("S17", "rank: targets changed monotonically, same f",
                one.coefficients == other.coefficients && one.support_rows == other.support_rows);
}

TEST(Rank, queries_are_not_compared_with_each_other) {
    // Within each query the greater x is better; over both, it is worse.
    Dataset data = toys::make_rows({{0.0}, {1.0}, {-9.0}, {-8.0}}, {0, 1, 2, 3});
    data.queries = {1, 1, 2, 2};
    const TrainResult apart = trained(data, options_of("rank", 10.0, "linear"));
    EXPECT_EQ(apart.comparisons, 2);
    EXPECT_GT(slope_of(apart.model), 0.9);
    data.queries.clear();
    const TrainResult together = trained(data, options_of("rank", 10.0, "linear"));
    EXPECT_EQ(together.comparisons, 6);
    EXPECT_LT(slope_of(together.model), 0.0);
}

TEST(Rank, two_levels_have_the_pair_accuracy_of_the_best_line) {
    // Pairs on a line that can be ordered are all in order: the area under the curve is 1.
    Random random(17, 0);
    std::vector<std::vector<double>> rows;
    std::vector<double> targets;
    for (int i = 0; i < 60; ++i) {
        rows.push_back({random.normal(), random.normal()});
        targets.push_back(rows.back()[0] - 2.0 * rows.back()[1] > 0.0 ? 1.0 : 0.0);
    }
    const Dataset data = toys::make_rows(rows, targets);
    const Model model = trained(data, options_of("rank", 1e4, "linear")).model;
    Context context;
    expect_fact("S17", "rank of two separable levels: pair accuracy",
                evaluate_ranking(model, data, context).pair_accuracy);
}

TEST(Rank, pairs_are_counted_as_two_loops_count_them) {
    const Model model = trained(one_pair(), options_of("rank", 2.0, "linear")).model;  // f(x) = x
    Random random(53, 0);
    for (int trial = 0; trial < 20; ++trial) {
        std::vector<std::vector<double>> rows;
        std::vector<double> targets;
        std::vector<index_t> queries;
        for (index_t i = 0; i < 30; ++i) {
            rows.push_back({static_cast<double>(random.below(6))});
            targets.push_back(static_cast<double>(random.below(4)));
            queries.push_back(random.below(3) - 1);
        }
        Dataset data = toys::make_rows(rows, targets);
        data.queries = queries;
        index_t concordant = 0;
        index_t discordant = 0;
        index_t pairs = 0;
        for (std::size_t i = 0; i < 30; ++i) {
            for (std::size_t j = 0; j < 30; ++j) {
                if (queries[i] == queries[j] && targets[i] > targets[j]) {
                    ++pairs;
                    concordant += rows[i][0] > rows[j][0];
                    discordant += rows[i][0] < rows[j][0];
                }
            }
        }
        Context context;
        const RankingReport report = evaluate_ranking(model, data, context);
        EXPECT_EQ(report.pairs, pairs);
        EXPECT_EQ(report.concordant, concordant);
        EXPECT_EQ(report.discordant, discordant);
        const auto all = static_cast<double>(pairs);
        EXPECT_NEAR(report.kendall_tau, static_cast<double>(concordant - discordant) / all, 1e-15);
        const index_t ties = pairs - concordant - discordant;  // each counts one half
        EXPECT_NEAR(report.pair_accuracy,
                    (static_cast<double>(concordant) + 0.5 * static_cast<double>(ties)) / all,
                    1e-15);
    }
}

TEST(Comparisons, a_weight_of_two_is_a_row_twice) {
    Random random(19, 0);
    for (const std::string model : {"ordinal", "rank"}) {
        Dataset data = random_rows(random, 14, 3);
        if (model == "ordinal") {
            data.label_names = {"1", "2", "3"};
        }
        std::vector<index_t> twice(14);
        std::iota(twice.begin(), twice.end(), index_t{0});
        twice.insert(twice.end(), {3, 5});
        const Dataset repeated = data.select(twice);
        data.weights.assign(14, 1.0);
        data.weights[3] = data.weights[5] = 2.0;
        const Model a = trained(data, options_of(model, 1.0, "rbf(gamma=0.5)")).model;
        const Model b = trained(repeated, options_of(model, 1.0, "rbf(gamma=0.5)")).model;
        EXPECT_NEAR(a.certificates.front().primal, b.certificates.front().primal, 1e-7) << model;
        data.weights[3] = 0.0;
        twice = {0, 1, 2, 4, 5, 5, 6, 7, 8, 9, 10, 11, 12, 13};
        Dataset without = data;
        without.weights.clear();
        const Model c = trained(data, options_of(model, 1.0, "rbf(gamma=0.5)")).model;
        const Model d =
            trained(without.select(twice), options_of(model, 1.0, "rbf(gamma=0.5)")).model;
        EXPECT_NEAR(c.certificates.front().primal, d.certificates.front().primal, 1e-7) << model;
    }
}

TEST(Comparisons, many_comparisons_are_solved_by_working_sets) {
    Random random(23, 0);
    for (const std::string model : {"ordinal", "rank"}) {
        Dataset data = random_rows(random, 400, 5);
        if (model == "ordinal") {
            data.label_names = {"1", "2", "3", "4", "5"};
        }
        TrainOptions options = options_of(model, model == "rank" ? 0.01 : 1.0, "rbf(gamma=0.5)");
        options.run.gap_tolerance = 1e-6;
        const TrainResult result = trained(data, options);
        EXPECT_GT(result.comparisons, 1024) << model;
        EXPECT_EQ(result.outputs.front().support, result.model.compared.size());
    }
}

TEST(Comparisons, the_model_file_holds_every_bit_of_the_proof) {
    Random random(29, 0);
    Dataset data = random_rows(random, 20, 3);
    for (index_t i = 0; i < 20; ++i) {
        data.queries.push_back(i % 3);
    }
    Context context;
    for (const std::string name : {"rank", "ordinal"}) {
        if (name == "ordinal") {
            data.label_names = {"1", "2", "3"};
        }
        const Model model = trained(data, options_of(name, 1.0, "rbf(gamma=0.5)")).model;
        MemoryFiles files;
        save_model(model, "m", files);
        const Model loaded = load_model("m", context, files).value();
        EXPECT_EQ(loaded.thresholds, model.thresholds);
        EXPECT_EQ(loaded.compared.uppers, model.compared.uppers);
        EXPECT_EQ(loaded.compared.lowers, model.compared.lowers);
        EXPECT_EQ(loaded.compared.multipliers, model.compared.multipliers);
        EXPECT_TRUE(toys::failures(loaded, data).empty());
    }
}

TEST(Comparisons, verify_refuses_a_proof_that_was_touched) {
    Random random(31, 0);
    Dataset data = random_rows(random, 15, 3);
    const Model rank = trained(data, options_of("rank", 1.0, "rbf(gamma=0.5)")).model;
    Dataset other = data;
    other.queries.assign(15, 1);
    other.queries[0] = 2;
    EXPECT_FALSE(toys::failures(rank, other).empty());  // its pairs are not those of the model
    Model touched = rank;
    touched.compared.multipliers.front() *= 1.001;
    EXPECT_FALSE(toys::failures(touched, data).empty());
    touched = rank;  // a reversed pair, which does not occur in the data
    std::vector<std::tuple<index_t, index_t, double>> pairs;
    for (std::size_t e = 0; e < touched.compared.multipliers.size(); ++e) {
        pairs.emplace_back(touched.compared.uppers[e], touched.compared.lowers[e],
                           touched.compared.multipliers[e]);
    }
    std::swap(std::get<0>(pairs.front()), std::get<1>(pairs.front()));
    std::sort(pairs.begin(), pairs.end());
    for (std::size_t e = 0; e < pairs.size(); ++e) {
        std::tie(touched.compared.uppers[e], touched.compared.lowers[e],
                 touched.compared.multipliers[e]) = pairs[e];
    }
    EXPECT_THAT(toys::failures(touched, data), ::testing::Contains("dual feasibility"));
    touched = rank;
    touched.coefficients.front() += 1e-3;
    EXPECT_FALSE(toys::failures(touched, data).empty());
    data.label_names = {"1", "2", "3"};
    const Model ordinal = trained(data, options_of("ordinal", 1.0, "rbf(gamma=0.5)")).model;
    touched = ordinal;
    touched.thresholds.back() += 0.1;
    EXPECT_FALSE(toys::failures(touched, data).empty());
    touched.thresholds.back() = touched.thresholds.front() - 1.0;
    EXPECT_THROW((void)toys::failures(touched, data), InvalidArgument);
}

TEST(Comparisons, what_does_not_belong_to_them_is_refused) {
    Context context;
    const Dataset grades = steps();
    const auto refused = [&](const Dataset& data, const std::string& model, auto change) {
        TrainOptions options = options_of(model, 1.0, "linear");
        change(options);
        EXPECT_THROW((void)train(data, options, context), InvalidArgument);
    };
    refused(grades, "ordinal", [](TrainOptions& o) { o.outputs.multiclass = "ovo"; });
    refused(grades, "ordinal", [](TrainOptions& o) { o.objective.intercept = false; });
    refused(grades, "ordinal", [](TrainOptions& o) { o.outputs.probability = true; });
    refused(grades, "ordinal", [](TrainOptions& o) { o.objective.cost = kInfinity; });
    refused(grades, "ordinal", [](TrainOptions& o) { o.run.solver = "smo"; });
    refused(grades, "ordinal", [](TrainOptions& o) { o.objective.penalty = kL1; });
    refused(grades, "svc", [](TrainOptions& o) { o.order = "1,2,3"; });
    refused(one_pair(), "rank", [](TrainOptions& o) { o.outputs.probability = true; });
    refused(one_pair(), "rank", [](TrainOptions& o) { o.objective.class_weights = {{"1", 2.0}}; });
    const Dataset level = toys::make_rows({{0.0}, {1.0}}, {1, 1});
    EXPECT_THROW((void)train(level, options_of("rank", 1.0, "linear"), context), DataError);
}

TEST(Comparisons, more_pairs_than_memory_are_refused_before_they_are_made) {
    Random random(37, 0);
    const Dataset data = random_rows(random, 3000, 5);
    Context small(ContextOptions{.memory = index_t{1} << 20});
    EXPECT_THROW((void)train(data, options_of("rank", 1.0, "linear"), small), ResourceError);
    const TrainPlan plan = plan_training(data, options_of("rank", 1.0, "linear"), small);
    EXPECT_FALSE(plan.fits);
}

TEST(Comparisons, a_run_that_is_stopped_leaves_a_model_with_the_gap_it_has) {
    Random random(41, 0);
    Dataset data = random_rows(random, 300, 4);
    for (const std::string name : {"rank", "ordinal"}) {
        if (name == "ordinal") {
            data.label_names = {"1", "2", "3", "4"};
        }
        const std::atomic<bool> stop{true};
        Context context(ContextOptions{.stop_flag = &stop});
        const Model model = train(data, options_of(name, 1.0, "rbf(gamma=0.5)"), context).model;
        EXPECT_EQ(model.status, "interrupted");
        EXPECT_GT(model.certificates.front().gap, 0.0);
        EXPECT_TRUE(toys::failures(model, data).empty());
        TrainOptions few = options_of(name, 1.0, "rbf(gamma=0.5)");
        few.run.max_iterations = 5;
        Context free;
        const Model short_run = train(data, few, free).model;
        EXPECT_EQ(short_run.status, "iteration-limit");
        EXPECT_TRUE(toys::failures(short_run, data).empty());
    }
}

TEST(OtherTasks, the_documents_tasks_beside_two_classes_are_machines_here) {
    Random random(47, 0);
    const Dataset four = random_classes(random, 40, 4);
    TrainOptions options = options_of("svc", 1.0, "rbf(gamma=0.5)");
    expect_fact("S17", "multiclass: two-class machines of 4 classes, ovo",
                trained(four, options).model.outputs());
    options.outputs.multiclass = "ovr";
    expect_fact("S17", "multiclass: two-class machines of 4 classes, ovr",
                trained(four, options).model.outputs());
    Dataset unlabelled = four;
    unlabelled.targets.clear();
    unlabelled.label_names.clear();
    TrainOptions outliers = options_of("one-class", kNaN, "rbf(gamma=0.5)");
    Context context;
    expect_fact("S17", "unsupervised: one-class needs no targets",
                train(unlabelled, outliers, context).model.status == "converged");
}

}  // namespace
}  // namespace mercer
