// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/search/l1_path_test.cpp - sparse paths, from data to machines that verify.
#include "mercer/search/l1_path.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/audit/verify.hpp"
#include "mercer/base/error.hpp"
#include "mercer/formats/model_file.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/memory_files.hpp"
#include "support/facts.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using ::testing::HasSubstr;

/// Numbers or two classes that depend on the first two of five columns.
Dataset points(index_t rows, bool classes, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::vector<double>> values;
    std::vector<double> targets;
    for (index_t i = 0; i < rows; ++i) {
        std::vector<double> row;
        for (int k = 0; k < 5; ++k) {
            row.push_back(2.0 + 3.0 * random.normal());
        }
        const double value = row[0] - 0.5 * row[1] + random.normal();
        targets.push_back(classes ? (value > 1.0 ? 1.0 : 0.0) : value);
        values.push_back(std::move(row));
    }
    Dataset data = toys::make_rows(values, targets);
    if (classes) {
        data.label_names = {"no", "yes"};
    }
    return data;
}

SparsePathOptions options_of(const std::string& loss, const std::string& penalty, bool features) {
    SparsePathOptions options;
    options.machine.kernel = rbf_kernel(0.05);
    options.machine.objective.penalty = penalty;
    options.loss = loss;
    options.features = features;
    return options;
}

bool is_classes(const std::string& loss) {
    return loss == "squared-hinge" || loss == "modified-huber";
}

TEST(sparse_path, every_machine_read_off_verifies) {
    Context context;
    for (const std::string_view name : l1_path_losses()) {
        const std::string loss(name);
        for (const char* penalty : {kL1, kL1AndRkhs}) {
            for (const bool features : {false, true}) {
                const Dataset data = points(40, is_classes(loss), 3);
                const SparsePath path =
                    trace_sparse(data, options_of(loss, penalty, features), context);
                EXPECT_EQ(path.knots().back().lambda, 0.0);
                for (const double share : {0.9, 0.5, 0.1, 0.01}) {
                    const double lambda = share * path.solution().lambda_max;
                    const Model model = path.at(lambda, context).model;
                    const std::string where =
                        fmt::format("{} {} {} at {}", loss, penalty, features, lambda);
                    EXPECT_EQ(model.status, "converged") << where;
                    EXPECT_LE(relative_gap(model.certificates[0]), 1e-9) << where;
                    const VerifyReport report = verify_model(model, data, context);
                    EXPECT_TRUE(report.holds) << where;
                }
            }
        }
    }
}

TEST(sparse_path, weights_and_scaling_are_those_of_training) {
    Context context;
    Dataset data = points(50, true, 5);
    for (index_t i = 0; i < data.rows(); ++i) {
        data.weights.push_back(i % 7 == 0 ? 0.0 : 1.0 + static_cast<double>(i % 3));
    }
    for (const bool features : {false, true}) {
        SparsePathOptions options = options_of("squared-hinge", kL1, features);
        options.machine.scale.method = "standard";
        options.machine.objective.class_weights["yes"] = 2.0;
        const SparsePath path = trace_sparse(data, options, context);
        const Model model = path.at(0.2 * path.solution().lambda_max, context).model;
        EXPECT_TRUE(verify_model(model, data, context).holds) << features;
        EXPECT_LE(relative_gap(model.certificates[0]), 1e-9);
    }
}

TEST(sparse_path, a_machine_on_columns_is_a_weighted_sum_of_them) {
    Context context;
    const Dataset data = points(30, false, 7);
    const SparsePath path = trace_sparse(data, options_of("squared", kL1, true), context);
    const double lambda = 0.3 * path.solution().lambda_max;
    const L1Point point = path.solution().at(lambda);
    const std::vector<double> f = path.predict(data, lambda, context);
    std::vector<double> row(5);
    for (index_t i = 0; i < data.rows(); ++i) {
        data.copy_row(i, row);
        double sum = point.intercept;
        for (std::size_t j = 0; j < row.size(); ++j) {
            sum += point.beta[j] * row[j];
        }
        EXPECT_NEAR(f[static_cast<std::size_t>(i)], sum, 1e-9);
    }
    EXPECT_EQ(path.at(lambda, context).weights, point.beta);
}

TEST(sparse_path, sparse_rows_have_the_path_of_dense_ones) {
    Context context;
    const Dataset dense = points(30, true, 9);
    const SparsePathOptions options = options_of("modified-huber", kL1, true);
    const SparsePath a = trace_sparse(dense, options, context);
    std::vector<double> values(150);
    std::vector<index_t> offsets{0};
    std::vector<index_t> columns;
    for (index_t i = 0; i < 30; ++i) {
        dense.copy_row(i, std::span<double>(values).subspan(static_cast<std::size_t>(5 * i), 5));
        columns.insert(columns.end(), {0, 1, 2, 3, 4});
        offsets.push_back(5 * (i + 1));
    }
    Dataset sparse(CsrView{offsets, columns, values, 5});
    sparse.targets = dense.targets;
    sparse.label_names = dense.label_names;
    ASSERT_TRUE(sparse.is_sparse());
    const SparsePath b = trace_sparse(sparse, options, context);
    ASSERT_EQ(a.knots().size(), b.knots().size());
    for (std::size_t k = 0; k < a.knots().size(); ++k) {
        EXPECT_EQ(a.knots()[k].lambda, b.knots()[k].lambda);
    }
}

TEST(sparse_path, machines_on_columns_survive_the_model_file_and_forgery_shows) {
    Context context;
    const Dataset data = points(30, true, 11);
    const SparsePath path = trace_sparse(data, options_of("squared-hinge", kL1, true), context);
    Model model = path.at(0.3 * path.solution().lambda_max, context).model;
    MemoryFiles files;
    save_model(model, "m", files);
    const Model again = load_model("m", context, files).value();
    EXPECT_TRUE(again.on_columns);
    EXPECT_EQ(again.coefficients, model.coefficients);
    EXPECT_EQ(again.support_rows, model.support_rows);
    EXPECT_TRUE(verify_model(again, data, context).holds);
    Model forged = again;
    forged.coefficients[0] *= 1.01;
    EXPECT_FALSE(verify_model(forged, data, context).holds);
    forged = again;
    forged.certificates[0].dual += 1e-3;
    EXPECT_FALSE(verify_model(forged, data, context).holds);
    forged = again;
    forged.support = data.select(forged.support_rows);  // rows of the data, not unit rows
    forged.support.targets.clear();
    EXPECT_THROW(require_consistent(forged), InvalidArgument);
}

TEST(sparse_path, a_path_survives_its_file) {
    Context context;
    const Dataset data = points(30, true, 13);
    for (const bool features : {false, true}) {
        const SparsePath path =
            trace_sparse(data, options_of("squared-hinge", kL1AndRkhs, features), context);
        MemoryFiles files;
        save_sparse_path(path, "p", files);
        const SparsePath again = load_sparse_path("p", context, files).value();
        const double lambda = 0.4 * path.solution().lambda_max;
        EXPECT_EQ(again.solution().at(lambda).beta, path.solution().at(lambda).beta);
        EXPECT_EQ(again.at(lambda, context).model.certificates[0].primal,
                  path.at(lambda, context).model.certificates[0].primal);
        EXPECT_EQ(again.options().features, features);
        // Truncated anywhere, it is refused.
        const std::string bytes = files.contents["p"];
        for (std::size_t size = 0; size < bytes.size(); size += 97) {
            files.contents["p"] = bytes.substr(0, size);
            EXPECT_FALSE(load_sparse_path("p", context, files).ok()) << size;
        }
    }
}

TEST(sparse_path, a_path_over_something_else_is_refused_by_its_name) {
    Context context;
    PathOptions other;
    other.machine.kernel = linear_kernel();
    other.from = 0.1;
    other.to = 1.0;
    const Path path = trace(points(20, true, 17), other, context);
    MemoryFiles files;
    save_path(path, "p", files);
    const Result<SparsePath> read = load_sparse_path("p", context, files);
    ASSERT_FALSE(read.ok());
    EXPECT_THAT(read.diagnostic().text(), HasSubstr("it is over C"));
}

TEST(sparse_path, the_score_is_that_of_the_machines_it_passes) {
    Context context;
    for (const bool classes : {true, false}) {
        for (const bool features : {true, false}) {
            const Dataset data = points(40, classes, 19);
            const Dataset other = points(60, classes, 23);
            const SparsePath path =
                trace_sparse(data, options_of(classes ? "squared-hinge" : "squared", kL1, features),
                             other, context);
            ASSERT_TRUE(path.score.has_value());
            const auto measure = [&](double lambda) {
                const std::vector<double> f = path.predict(other, lambda, context);
                double loss = 0.0;
                for (std::size_t i = 0; i < f.size(); ++i) {
                    const double t = other.targets[i];
                    loss += classes ? ((f[i] >= 0.0) != (t == 1.0) ? 1.0 : 0.0)
                                    : (f[i] - t) * (f[i] - t);
                }
                loss /= static_cast<double>(f.size());
                return classes ? loss : std::sqrt(loss);
            };
            EXPECT_NEAR(measure(path.score->best_value), path.score->best_score, 1e-9);
            for (const double share : {0.95, 0.6, 0.3, 0.1, 0.02}) {
                EXPECT_GE(measure(share * path.solution().lambda_max),
                          path.score->best_score - 1e-9);
            }
        }
    }
}

TEST(sparse_path, folds_score_rows_that_were_left_out) {
    Context context;
    const Dataset data = points(60, true, 29);
    const SparsePath path =
        cross_validate(data, options_of("squared-hinge", kL1, true), 4, context);
    ASSERT_TRUE(path.score.has_value());
    EXPECT_LT(path.score->best_score, 0.35);
    EXPECT_GT(path.score->best_value, 0.0);
}

TEST(sparse_path, what_makes_no_path_is_refused_by_name) {
    Context context;
    const Dataset data = points(20, true, 31);
    const auto refused = [&](const Dataset& rows, const SparsePathOptions& options) {
        try {
            static_cast<void>(trace_sparse(rows, options, context));
        } catch (const InvalidArgument& error) {
            return std::string(error.what());
        }
        return std::string("nothing");
    };
    EXPECT_THAT(refused(data, options_of("squared-hinge", kRkhs, true)), HasSubstr("penalty"));
    EXPECT_THAT(refused(data, options_of("logistic", kL1, true)), HasSubstr("half-squared"));
    EXPECT_THAT(refused(data, options_of("squared", kL1, true)), HasSubstr("needs numbers"));
    SparsePathOptions priced = options_of("squared-hinge", kL1, true);
    priced.machine.objective.l1 = 1.0;
    EXPECT_THAT(refused(data, priced), HasSubstr("l1: given"));
    Dataset three = data;
    three.label_names = {"a", "b", "c"};
    three.targets[0] = 2.0;
    EXPECT_THAT(refused(three, options_of("squared-hinge", kL1, true)), HasSubstr("two classes"));
    const SparsePath path = trace_sparse(data, options_of("squared-hinge", kL1, true), context);
    EXPECT_THROW(static_cast<void>(path.at(0.0, context)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(path.at(-1.0, context)), InvalidArgument);
}

TEST(sparse_path, a_matrix_beyond_the_budget_is_refused_before_it_is_made) {
    Context context(ContextOptions{.memory = 64 * 1024});
    const Dataset data = points(400, true, 37);
    try {
        static_cast<void>(trace_sparse(data, options_of("squared-hinge", kL1, false), context));
        FAIL();
    } catch (const ResourceError& error) {
        EXPECT_THAT(error.what(), HasSubstr("the kernel matrix of the path"));
    }
    Context enough(ContextOptions{.memory = 64 * 1024});
    EXPECT_EQ(trace_sparse(data, options_of("squared-hinge", kL1, true), enough).solution().status,
              SolveStatus::converged);
}

TEST(hinge_program, pair_pays_until_the_margin_or_not_at_all) {
    // s + 2C max(0, 1 - s): the whole margin if 2C > 1, none of it if 2C < 1.
    Context context;
    const Dataset data = toys::pair();
    for (const double cost : {0.25, 1.0, 3.0}) {
        TrainOptions options;
        options.kernel = linear_kernel();
        options.objective.penalty = kL1;
        options.objective.cost = cost;
        const Model model = train(data, options, context).model;
        const double objective = std::min(1.0, 2.0 * cost);
        EXPECT_NEAR(model.certificates[0].primal, objective, 1e-12);
        EXPECT_NEAR(model.certificates[0].dual, objective, 1e-12);
        EXPECT_EQ(model.solver, "linear-program");
        EXPECT_TRUE(verify_model(model, data, context).holds);
        if (cost == 1.0) {
            expect_fact("S15", "PAIR, hinge, C = 1: objective", model.certificates[0].primal);
        }
    }
}

TEST(hinge_program, random_machines_are_proved_and_survive_their_file) {
    Context context;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const Dataset data = points(30, true, seed);
        TrainOptions options;
        options.kernel = rbf_kernel(0.05);
        options.objective.penalty = kL1;
        options.objective.cost = 0.5 + static_cast<double>(seed);
        options.objective.intercept = seed % 2 == 0;
        const Model model = train(data, options, context).model;
        EXPECT_LE(relative_gap(model.certificates[0]), 1e-9) << seed;
        MemoryFiles files;
        save_model(model, "m", files);
        Model again = load_model("m", context, files).value();
        EXPECT_EQ(again.row_multipliers, model.row_multipliers);
        EXPECT_TRUE(verify_model(again, data, context).holds) << seed;
        again.row_multipliers[0] += 2.0 * options.objective.cost.value();  // beyond its box
        EXPECT_FALSE(verify_model(again, data, context).holds) << seed;
    }
}

}  // namespace
}  // namespace mercer
