// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/models/decide_test.cpp - votes, scores and coupled probabilities, checked by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/models/class_pairs.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"
#include "support/facts.hpp"
#include "support/hand_models.hpp"

namespace mercer {
namespace {

using namespace testing;

TEST(class_pairs, stand_in_the_order_of_libsvm) {
    EXPECT_EQ(pair_count(4), 6);
    index_t place = 0;
    for (index_t i = 0; i < 4; ++i) {
        for (index_t j = i + 1; j < 4; ++j, ++place) {
            EXPECT_EQ(pair_place(i, j, 4), place);
            EXPECT_EQ(pair_place(j, i, 4), place);
            EXPECT_EQ(pair_at(place, 4).first, i);
            EXPECT_EQ(pair_at(place, 4).second, j);
            EXPECT_EQ(class_against(i, column_against(i, j)), j);
            EXPECT_EQ(class_against(j, column_against(j, i)), i);
        }
    }
}

TEST(decide, most_pairs_win_and_ties_go_to_the_first_class) {
    const Model model = pairs_model(3, "linear");
    // pairs 0-1, 0-2, 1-2; a value > 0 is a vote for the first of the pair, 0 for the second
    const std::vector<double> f = {1, 1, 1, -1, 5, 1, -1, -1, -1, 1, -1, 1, 0, 0, 0};
    EXPECT_EQ(predict_classes(model, f), (std::vector<index_t>{0, 1, 2, 0, 2}));
}

TEST(decide, the_greatest_value_wins_one_against_the_rest) {
    Model model = random_model("linear", 2, 1, "f64", 3);
    model.labels = {"a", "b", "c"};
    model.multiclass = "ovr";
    EXPECT_EQ(predict_classes(model, {0.5, 2.0, 1.0, -3.0, -3.0, -5.0}),
              (std::vector<index_t>{1, 0}));
    EXPECT_EQ(class_scores(model, {0.5, 2.0, 1.0}), (std::vector<double>{0.5, 2.0, 1.0}));
}

TEST(decide, scores_are_votes_moved_by_less_than_a_third) {
    const Model model = pairs_model(3, "linear");
    const std::vector<double> scores = class_scores(model, {1.0, -1.0, 3.0});
    // class 0: one vote, sum 1 - 1; class 1: one vote, sum -1 + 3; class 2: one vote, sum 1 - 3
    EXPECT_DOUBLE_EQ(scores[0], 1.0);
    EXPECT_DOUBLE_EQ(scores[1], 1.0 + 2.0 / 9.0);
    EXPECT_DOUBLE_EQ(scores[2], 1.0 - 2.0 / 9.0);
    EXPECT_EQ(class_scores(pair_model().model, {0.5}), (std::vector<double>{-0.5, 0.5}));
}

TEST(decide, a_pair_at_zero_scores_for_its_first_class_and_is_predicted_as_its_second) {
    const Model model = pairs_model(3, "linear");
    EXPECT_EQ(class_scores(model, {0.0, 0.0, 0.0}), (std::vector<double>{2.0, 1.0, 0.0}));
    EXPECT_EQ(predict_classes(model, {0.0, 0.0, 0.0}), (std::vector<index_t>{2}));
}

TEST(decide, two_classes_have_the_sigmoid_itself) {
    Model model = pair_model().model;
    EXPECT_THROW(static_cast<void>(class_probabilities(model, {0.0})), InvalidArgument);
    model.link = {"sigmoid", {-2.0}, {0.5}};
    const std::vector<double> p = class_probabilities(model, {1.0});
    EXPECT_NEAR(p[1], 1.0 / (1.0 + std::exp(-1.5)), 1e-15);
    EXPECT_NEAR(p[0] + p[1], 1.0, 1e-15);
    EXPECT_EQ(most_probable_classes(model, p), std::vector<index_t>{1});
    // far out the probability is bounded away from 0 and 1
    EXPECT_NEAR(class_probabilities(model, {1e300})[0], 1e-7, 1e-15);
}

TEST(decide, a_density_counts_the_marks_that_are_reached) {
    Model model = pair_model().model;
    model.machine = kOneClass;
    model.link = {"density", {-4.5, -3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 4.5}, {}};
    EXPECT_NO_THROW(require_consistent(model));
    const std::vector<double> f{-9.0, -4.5, -4.0, -0.1, 0.0, 0.5, 4.4, 4.5, 7.0};
    const std::vector<double> p = class_probabilities(model, f);
    std::vector<double> inside;
    for (std::size_t i = 0; i < f.size(); ++i) {
        inside.push_back(p[2 * i + 1]);
        EXPECT_EQ(p[2 * i], 1.0 - inside[i]);
    }
    expect_fact("X28", "f = -9, -4.5, -4, -0.1, 0, 0.5, 4.4, 4.5, 7: inside", inside);
    Context context;
    EXPECT_EQ(loaded(saved(model), context).value().link.a, model.link.a);
    for (const auto& change :
         {+[](Model& m) { m.link.a.pop_back(); },
          +[](Model& m) { std::swap(m.link.a[2], m.link.a[3]); },
          +[](Model& m) { m.link.a[9] = kInfinity; }, +[](Model& m) { m.link.b = {1.0}; },
          +[](Model& m) { m.machine = "svc"; }}) {
        Model bad = model;
        change(bad);
        EXPECT_THROW(require_consistent(bad), InvalidArgument);
    }
}

TEST(decide, coupling_recovers_chances_that_are_consistent) {
    // r_ij = p_i / (p_i + p_j) makes the objective zero at p.
    const std::vector<double> p = {0.5, 0.3, 0.15, 0.05};
    Model model = pairs_model(4, "linear");
    std::vector<double> f;
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = i + 1; j < 4; ++j) {
            f.push_back(std::log(p[i] / p[j]));
        }
    }
    model.link.a.assign(6, -1.0);
    model.link.b.assign(6, 0.0);
    const std::vector<double> found = class_probabilities(model, f);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(found[i], p[i], 1e-7);
    }
}

TEST(decide, coupling_solves_the_optimality_system_of_three_classes) {
    Model model = pairs_model(3, "linear");
    model.link.a.assign(3, -1.0);
    model.link.b.assign(3, 0.0);
    // r01 = 0.9, r02 = 0.6, r12 = 0.4 are not consistent with any p
    const auto logit = [](double r) { return std::log(r / (1.0 - r)); };
    const std::vector<double> p = class_probabilities(model, {logit(0.9), logit(0.6), logit(0.4)});
    // Q p must be constant (the multiplier of sum p = 1).
    const double q[3][3] = {
        {0.01 + 0.16, -0.09, -0.24}, {-0.09, 0.81 + 0.36, -0.24}, {-0.24, -0.24, 0.36 + 0.16}};
    double values[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            values[i] += q[i][j] * p[static_cast<std::size_t>(j)];
        }
    }
    EXPECT_NEAR(values[0], values[1], 1e-9);
    EXPECT_NEAR(values[1], values[2], 1e-9);
    EXPECT_NEAR(p[0] + p[1] + p[2], 1.0, 1e-12);
}

TEST(decide, pairs_are_summed_from_the_rows_of_their_two_classes) {
    const Model model = pairs_model(3, "rbf(gamma=0.5)");
    Context context;
    const Dataset probe = dense_rows(std::vector<double>{0.25, -1.0, 2.0, 0.5}, 2);
    const std::vector<double> f = decision_function(model, probe, context);
    ASSERT_EQ(f.size(), 6U);
    std::vector<double> x(2);
    std::vector<double> z(2);
    for (index_t row = 0; row < 2; ++row) {
        probe.copy_row(row, x);
        for (index_t i = 0; i < 3; ++i) {
            for (index_t j = i + 1; j < 3; ++j) {
                double sum = model.intercepts[static_cast<std::size_t>(pair_place(i, j, 3))];
                for (index_t s = 0; s < 6; ++s) {
                    const index_t own = s / 2;
                    if (own == i || own == j) {
                        model.support.copy_row(s, z);
                        const index_t t = column_against(own, own == i ? j : i);
                        sum += model.coefficients[static_cast<std::size_t>(s * 2 + t)] *
                               model.kernel(x, z);
                    }
                }
                EXPECT_NEAR(f[static_cast<std::size_t>(row * 3 + pair_place(i, j, 3))], sum, 1e-13);
            }
        }
    }
    // the linear kernel uses other code
    Model linear = pairs_model(3, "linear");
    const std::vector<double> g = decision_function(linear, probe, context);
    probe.copy_row(0, x);
    double sum = linear.intercepts[1];
    for (const index_t s : {0, 1, 4, 5}) {
        linear.support.copy_row(s, z);
        sum += linear.coefficients[static_cast<std::size_t>(s * 2 + (s < 2 ? 1 : 0))] *
               (x[0] * z[0] + x[1] * z[1]);
    }
    EXPECT_NEAR(g[1], sum, 1e-13);
}

TEST(decide, a_model_of_pairs_comes_back_from_its_file) {
    const Model model = pairs_model(4, "rbf(gamma=0.5)");
    Context context;
    const std::string bytes = saved(model);
    const Model again = loaded(bytes, context).value();
    EXPECT_EQ(saved(again), bytes);
    EXPECT_EQ(again.class_support, model.class_support);
    EXPECT_EQ(again.coefficients, model.coefficients);
    EXPECT_EQ(again.link.a, model.link.a);
    EXPECT_EQ(again.link.b, model.link.b);
    EXPECT_EQ(again.multiclass, "ovo");
}

TEST(decide, inconsistent_classes_are_refused) {
    const auto refused = [](auto&& change) {
        Model model = pairs_model(3, "linear");
        change(model);
        EXPECT_THROW(require_consistent(model), InvalidArgument);
    };
    EXPECT_NO_THROW(require_consistent(pairs_model(3, "linear")));
    refused([](Model& m) { m.class_support = {1000000, 2, 2}; });
    refused([](Model& m) { m.class_support = {-2, 4, 4}; });
    refused([](Model& m) { m.class_support = {2, 2, 1}; });
    refused([](Model& m) { m.class_support = {2, 4}; });
    refused([](Model& m) { m.multiclass = "ovr"; });
    refused([](Model& m) { m.multiclass = ""; });
    refused([](Model& m) { m.labels[1] = m.labels[0]; });
    refused([](Model& m) { m.support_rows[2] = m.support_rows[0]; });
    refused([](Model& m) { m.link.a.pop_back(); });
    refused([](Model& m) { m.link.kind = "laplace"; });
    refused([](Model& m) { m.link.b[0] = kNaN; });
    refused([](Model& m) { m.coefficients.pop_back(); });
}

}  // namespace
}  // namespace mercer
