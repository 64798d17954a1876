// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/softmax_test.cpp - klr of three classes: trained, saved, verified, refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/audit/verify.hpp"
#include "mercer/base/error.hpp"
#include "mercer/fit/plan.hpp"
#include "mercer/formats/libsvm_model.hpp"
#include "mercer/formats/model_file.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using ::testing::HasSubstr;

/// The eleven points of unit/solvers/softmax_test.cpp.
Dataset eleven() {
    Dataset data = toys::make_rows(
        {{0, 1}, {1, 3}, {2, 0}, {3, 2}, {4, 4}, {1, 1}, {5, 1}, {2, 5}, {3, 3}, {6, 2}, {0, 4}},
        {0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 2});
    data.label_names = {"a", "b", "c"};
    return data;
}

TrainOptions klr(const std::string& kernel, double cost, double gap = 1e-12) {
    TrainOptions options;
    options.model = "klr";
    options.kernel = parse_kernel(kernel).value();
    options.objective.cost = cost;
    options.run.gap_tolerance = gap;
    return options;
}

TEST(Softmax, ThreeClassesOfKlrAreOneProblemWithOneCertificate) {
    Context context;
    const Dataset data = eleven();
    const Model model = train(data, klr("linear", 2.0), context).model;
    EXPECT_EQ(model.multiclass, "softmax");
    EXPECT_EQ(model.link.kind, "softmax");
    EXPECT_EQ(model.loss, "softmax");
    EXPECT_EQ(model.status, "converged");
    ASSERT_EQ(model.certificates.size(), 1U);
    EXPECT_EQ(model.outputs(), 3);
    // scikit-learn 1.9.1, as in unit/solvers/softmax_test.cpp; predict_proba of the first row.
    EXPECT_NEAR(model.certificates[0].primal, 21.041093476799517, 1e-10);
    EXPECT_LE(relative_gap(model.certificates[0]), 1e-12);
    const std::vector<double> f = decision_function(model, data, context);
    const std::vector<double> p = class_probabilities(model, f);
    EXPECT_NEAR(p[0], 0.6262778459109231, 1e-6);
    EXPECT_NEAR(p[1], 0.2356492146367018, 1e-6);
    EXPECT_NEAR(p[2], 0.13807293945237523, 1e-6);
    EXPECT_EQ(predict_classes(model, f), most_probable_classes(model, p));
    EXPECT_EQ(class_scores(model, f), f);
    const ClassificationReport report = evaluate_classes(model, data, context);
    double loss = 0.0;
    for (std::size_t i = 0; i < 11; ++i) {
        loss -= std::log(p[3 * i + static_cast<std::size_t>(data.targets[i])]) / 11.0;
    }
    EXPECT_NEAR(report.log_loss, loss, 1e-14);
    EXPECT_TRUE(toys::failures(model, data).empty())
        << ::testing::PrintToString(toys::failures(model, data));
}

TEST(Softmax, FileKeepsEveryBitAndOlderModelsStayVersionTwo) {
    Context context;
    const Dataset data = eleven();
    const Model model = train(data, klr("rbf(gamma=0.3)", 5.0), context).model;
    const std::string path = ::testing::TempDir() + "softmax.mercer";
    save_model(model, path);
    const Model again = load_model(path, context).value();
    EXPECT_EQ(again.coefficients, model.coefficients);
    EXPECT_EQ(again.intercepts, model.intercepts);
    EXPECT_EQ(again.multiclass, "softmax");
    ASSERT_EQ(again.certificates.size(), 1U);
    EXPECT_EQ(again.certificates[0].gap, model.certificates[0].gap);
    EXPECT_TRUE(toys::failures(again, data).empty());
    const auto version = [&path] {
        const std::unique_ptr<ReadFile> file = system_files().open(path);
        std::array<char, 12> bytes{};
        EXPECT_EQ(file->read(bytes), 12);
        return static_cast<int>(bytes[8]);
    };
    EXPECT_EQ(version(), 3);
    TrainOptions pairs = klr("rbf(gamma=0.3)", 5.0);
    pairs.outputs.multiclass = "ovo";
    save_model(train(data, pairs, context).model, path);
    EXPECT_EQ(version(), 2);
}

TEST(Softmax, WeightsAreRepetitionsAndClassWeightsMultiply) {
    Context context;
    Dataset data = eleven();
    data.weights = {1, 2, 1, 1, 0.5, 1, 3, 1, 1, 1, 0.25};
    const Model model = train(data, klr("linear", 2.0), context).model;
    EXPECT_NEAR(model.certificates[0].primal, 23.3731918565665, 1e-10);  // scikit-learn 1.9.1
    EXPECT_TRUE(toys::failures(model, data).empty());
    data.weights.assign(11, 1.0);
    data.weights[0] = data.weights[1] = data.weights[2] = data.weights[9] = 2.5;  // class a
    const double by_rows = train(data, klr("linear", 2.0), context).model.certificates[0].primal;
    TrainOptions options = klr("linear", 2.0);
    options.objective.class_weights = {{"a", 2.5}};
    const Model by_class = train(eleven(), options, context).model;
    EXPECT_NEAR(by_class.certificates[0].primal, by_rows, 1e-10);
    EXPECT_TRUE(toys::failures(by_class, eleven()).empty());
    data.weights[6] = 0.0;
    const Model without = train(data, klr("linear", 2.0), context).model;
    EXPECT_TRUE(toys::failures(without, data).empty());
}

TEST(Softmax, AClassOfWeightZeroHasProbabilityZero) {
    Context context;
    Dataset data = eleven();
    for (const double target : data.targets) {
        data.weights.push_back(target == 1.0 ? 0.0 : 1.0);
    }
    const Model model = train(data, klr("rbf(gamma=0.3)", 5.0), context).model;
    EXPECT_EQ(model.status, "converged");
    EXPECT_TRUE(toys::failures(model, data).empty())
        << ::testing::PrintToString(toys::failures(model, data));
    const Dataset everywhere = toys::make_rows({{0, 1}, {3, 2}, {100, -100}, {4, 4}}, {0, 0, 0, 0});
    const std::vector<double> f = decision_function(model, everywhere, context);
    const std::vector<double> p = class_probabilities(model, f);
    // Two classes jointly, f_a = -f_c: |f_a|^2 is a quarter of that of their difference, which is
    // the f of two classes at twice the cost.
    Dataset two = data.select(std::vector<index_t>{0, 1, 2, 6, 7, 8, 9, 10});
    two.targets = {0, 0, 0, 1, 1, 1, 0, 1};
    two.weights.clear();
    two.label_names = {"a", "c"};
    const Model alone = train(two, klr("rbf(gamma=0.3)", 10.0), context).model;
    const std::vector<double> odds = decision_function(alone, everywhere, context);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(p[3 * i + 1], 0.0);
        EXPECT_NEAR(p[3 * i + 2], 1.0 / (1.0 + std::exp(-odds[i])), 1e-6);
    }
    EXPECT_NEAR(model.certificates[0].primal, 0.5 * alone.certificates[0].primal, 1e-8);
    TrainOptions pairs = klr("linear", 1.0);
    pairs.outputs.multiclass = "ovo";
    EXPECT_THROW((void)train(data, pairs, context), InvalidArgument);
}

TEST(Softmax, AnyClassMayHaveWeightZeroOrAWeightThatTheCostMakesZero) {
    Context context;
    constexpr double kLeast = std::numeric_limits<double>::denorm_min();
    for (const double weight : {0.0, kLeast}) {
        for (std::size_t absent = 0; absent < 3; ++absent) {
            Dataset data = eleven();
            for (const double target : data.targets) {
                data.weights.push_back(target == static_cast<double>(absent) ? weight : 1.0);
            }
            const Model model = train(data, klr("rbf(gamma=0.3)", 0.1), context).model;
            EXPECT_EQ(model.status, "converged") << absent;
            EXPECT_TRUE(toys::failures(model, data).empty()) << absent;
            const std::vector<double> p =
                class_probabilities(model, decision_function(model, data, context));
            for (std::size_t i = 0; i < 11; ++i) {
                EXPECT_EQ(p[3 * i + absent], 0.0) << absent;
            }
        }
    }
}

TEST(Softmax, ChangedModelsAreNotVerified) {
    Context context;
    const Dataset data = eleven();
    const Model model = train(data, klr("rbf(gamma=0.3)", 5.0), context).model;
    const auto mutant = [&](auto&& change) {
        Model changed = model;
        change(changed);
        return toys::failures(changed, data);
    };
    using ::testing::Contains;
    EXPECT_THAT(mutant([](Model& m) { m.intercepts[1] += 1e-6; }), Contains("intercepts"));
    EXPECT_THAT(mutant([](Model& m) {
                    m.intercepts[1] += 0.01;
                    m.intercepts[2] -= 0.01;
                }),
                Contains("primal value"));
    EXPECT_THAT(mutant([](Model& m) { m.coefficients[0] += 1e-6; }), Contains("dual feasibility"));
    EXPECT_THAT(mutant([](Model& m) { std::swap(m.coefficients[0], m.coefficients[1]); }),
                Contains("dual feasibility"));
    // A row that still sums to 0 but leaves the simplex, and one that stays on it.
    EXPECT_THAT(mutant([](Model& m) {
                    const double b = m.coefficients[1];
                    m.coefficients[1] += 2.0 * std::abs(b);
                    m.coefficients[2] -= 2.0 * std::abs(b);
                }),
                Contains("dual feasibility"));
    EXPECT_THAT(mutant([](Model& m) {
                    m.coefficients[1] *= 0.9;
                    m.coefficients[0] = -(m.coefficients[1] + m.coefficients[2]);
                }),
                Contains("dual feasibility"));  // the columns no longer sum to 0
    EXPECT_THAT(mutant([](Model& m) { m.certificates[0].primal -= 1e-6; }),
                ::testing::ElementsAre("primal value"));
    EXPECT_THAT(mutant([](Model& m) { m.certificates[0].dual += 1e-6; }),
                ::testing::ElementsAre("dual value"));
    EXPECT_THAT(mutant([](Model& m) { m.certificates[0].gap += 1e-3; }),
                ::testing::ElementsAre("gap"));
    EXPECT_THAT(mutant([](Model& m) { m.cost *= 1.001; }), Contains("primal value"));
    EXPECT_THAT(mutant([](Model& m) { std::swap(m.labels[0], m.labels[1]); }),
                Contains("dual feasibility"));
}

TEST(Softmax, InconsistentModelsAreRefused) {
    Context context;
    const Model model = train(eleven(), klr("linear", 1.0), context).model;
    EXPECT_NO_THROW(require_consistent(model));
    const auto refused = [&](auto&& change) {
        Model changed = model;
        change(changed);
        EXPECT_THROW(require_consistent(changed), InvalidArgument);
    };
    refused([](Model& m) { m.link = {}; });
    refused([](Model& m) { m.link.a = {1.0}; });
    refused([](Model& m) { m.loss = "logistic"; });
    refused([](Model& m) { m.multiclass = "ovr"; });
    refused([](Model& m) { m.certificates.push_back(m.certificates[0]); });
    refused([](Model& m) { m.certificates.clear(); });
    refused([](Model& m) { m.intercepts.pop_back(); });
    refused([](Model& m) { m.labels.pop_back(); });
    EXPECT_THROW(static_cast<void>(to_libsvm(model)), InvalidArgument);
}

TEST(Softmax, OptionsThatDoNotFitAreNamed) {
    Context context;
    const auto message = [&](auto&& change) -> std::string {
        TrainOptions options = klr("linear", 1.0);
        change(options);
        try {
            static_cast<void>(train(eleven(), options, context));
        } catch (const InvalidArgument& fault) {
            return fault.what();
        }
        return "";
    };
    EXPECT_THAT(message([](TrainOptions& o) {
                    o.model = "svc";
                    o.outputs.multiclass = "softmax";
                }),
                HasSubstr("softmax is the joint problem of klr"));
    EXPECT_THAT(message([](TrainOptions& o) { o.run.solver = "smo"; }),
                HasSubstr("multiclass ovo"));
    EXPECT_THAT(message([](TrainOptions& o) { o.outputs.leave_one_out = true; }),
                HasSubstr("leave_one_out"));
    EXPECT_EQ(message([](TrainOptions& o) { o.outputs.multiclass = "ovr"; }), "");
}

TEST(Softmax, PlanKnowsTheJointProblem) {
    Context context;
    const TrainPlan plan = plan_training(eleven(), klr("linear", 1.0), context);
    EXPECT_EQ(plan.solver, "newton");
    EXPECT_EQ(plan.matrix_bytes, 4 * 8 * 11 * 11);
}

}  // namespace
}  // namespace mercer
