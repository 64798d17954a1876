// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/theory/separability_test.cpp - separable or not, with certificates that hold exactly.
#include "mercer/theory/separability.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

struct Rows {
    Dataset data;
    std::vector<double> labels;
};

Rows make_rows(std::vector<std::vector<double>> rows, std::vector<double> labels) {
    const auto columns = static_cast<index_t>(rows.empty() ? 1 : rows[0].size());
    auto values = std::make_shared<std::vector<double>>();
    for (const std::vector<double>& row : rows) {
        values->insert(values->end(), row.begin(), row.end());
    }
    const MatrixView<const double> view(values->data(), static_cast<index_t>(rows.size()), columns);
    return {Dataset(view, values), std::move(labels)};
}

Rows pair() { return make_rows({{-1.0}, {1.0}}, {-1, 1}); }

Rows exclusive_or() { return make_rows({{1, 1}, {-1, -1}, {1, -1}, {-1, 1}}, {-1, -1, 1, 1}); }

Separability test(const Rows& rows, SeparabilityOptions options = {}) {
    Context context;
    Separability found = test_separability(rows.data, rows.labels, options, context);
    EXPECT_TRUE(found.exact_check);
    EXPECT_TRUE(check_certificate(rows.data, rows.labels, options.homogeneous, found));
    return found;
}

/// The answer with and without the linear programme, which must agree.
bool separable(const Rows& rows, bool homogeneous = false) {
    const bool exact =
        test(rows, {.homogeneous = homogeneous}).answer == SeparabilityAnswer::separable;
    const Separability proposed = test(rows, {.homogeneous = homogeneous, .always_program = true});
    EXPECT_EQ(proposed.answer == SeparabilityAnswer::separable, exact);
    return exact;
}

TEST(separability, the_pair_is_separable_and_exclusive_or_is_not) {
    expect_fact("H03", "PAIR is separable", separable(pair()));
    expect_fact("H03", "XOR is separable", separable(exclusive_or()));
    const Separability corners = test(exclusive_or());
    std::vector<double> weights;
    for (const double weight : corners.hulls.weights) {
        weights.push_back(weight / corners.hulls.weights[0]);
    }
    expect_fact("H03", "XOR: Farkas weights, the first one 1", weights);
    EXPECT_EQ(corners.hulls.exact_weights, (std::vector<std::string>{"1/2", "1/2", "1/2", "1/2"}));
    EXPECT_EQ(corners.hulls.exact_point, (std::vector<std::string>{"0", "0"}));
}

TEST(separability, a_point_with_both_labels_is_its_own_certificate) {
    const Rows rows = make_rows({{0.1, 0.7}, {3.0, 4.0}, {0.1, 0.7}}, {-1, 1, 1});
    expect_fact("H03", "a point with both labels is separable", separable(rows));
    const Separability found = test(rows);
    EXPECT_EQ(found.hulls.rows, (std::vector<index_t>{0, 2}));
    expect_fact("H03", "a point with both labels: Farkas weights", found.hulls.weights);
}

TEST(separability, a_separator_has_a_functional_margin_of_one) {
    const Separability found = test(pair());
    EXPECT_TRUE(found.separator.exact_w.empty());
    EXPECT_GE(found.separator.functional_margin, 1.0);
    EXPECT_GE(found.separator.w[0] + found.separator.b, 1.0);
    EXPECT_LE(-found.separator.w[0] + found.separator.b, -1.0);
}

TEST(separability, a_strictly_positive_definite_kernel_separates_distinct_points) {
    Context context;
    const Rows corners = exclusive_or();
    const Kernel rbf = parse_kernel("rbf(gamma=0.5)").value();
    const KernelRows gram = kernel_rows(rbf, corners.data, context);
    EXPECT_EQ(gram.kind, KernelRowsKind::gram);
    const Separability found = test_separability(gram.rows, corners.labels, {}, context);
    expect_fact("H04", "XOR with rbf(gamma=0.5) is separable",
                found.answer == SeparabilityAnswer::separable && found.exact_check);
    Random random(7);
    bool all = true;
    for (int k = 0; k < 20; ++k) {
        std::vector<std::vector<double>> points;
        std::vector<double> labels;
        for (int i = 0; i < 25; ++i) {
            points.push_back({random.normal(), random.normal()});
            labels.push_back(random.uniform() < 0.5 ? -1.0 : 1.0);
        }
        const Rows rows = make_rows(points, labels);
        const Separability one = test_separability(
            kernel_rows(parse_kernel("rbf(gamma=2)").value(), rows.data, context).rows, rows.labels,
            {}, context);
        all = all && one.answer == SeparabilityAnswer::separable && one.exact_check;
    }
    expect_fact("H04", "20 sets of 25 random points and labels with rbf(gamma=2) are separable",
                all);
}

TEST(separability, kernels_of_few_features_are_decided_in_them) {
    Context context;
    Random random(8);
    std::vector<std::vector<double>> points;
    std::vector<double> labels;
    for (int i = 0; i < 60; ++i) {
        points.push_back({random.normal(), random.normal()});
        const double r2 = points.back()[0] * points.back()[0] + points.back()[1] * points.back()[1];
        labels.push_back(r2 < 1.0 ? -1.0 : 1.0);
    }
    Rows rows = make_rows(points, labels);
    EXPECT_EQ(kernel_rows(parse_kernel("2 * linear").value(), rows.data, context).kind,
              KernelRowsKind::given);
    const KernelRows features =
        kernel_rows(parse_kernel("poly(degree=2)").value(), rows.data, context);
    EXPECT_EQ(features.kind, KernelRowsKind::features);
    EXPECT_EQ(features.rows.columns(), 6);
    const auto answer = [&] {
        const Separability found = test_separability(features.rows, rows.labels, {}, context);
        EXPECT_TRUE(found.exact_check);
        return found.answer;
    };
    EXPECT_EQ(answer(), SeparabilityAnswer::separable);  // by a circle
    for (std::size_t i = 0; i < rows.labels.size(); i += 3) {
        rows.labels[i] = -rows.labels[i];
    }
    EXPECT_EQ(answer(), SeparabilityAnswer::not_separable);
}

TEST(separability, two_equal_rows_of_a_kernel_matrix_are_not_separable) {
    Context context;
    const Rows rows = make_rows({{0.5}, {0.5}}, {-1, 1});
    const Separability found = test_separability(
        kernel_rows(parse_kernel("rbf(gamma=1)").value(), rows.data, context).rows, rows.labels, {},
        context);
    EXPECT_EQ(found.answer, SeparabilityAnswer::not_separable);
    EXPECT_TRUE(found.exact_check);
}

TEST(separability, margins_of_one_unit_in_the_last_place_are_found) {
    for (const double x : {1.0, -1.0, 1e10, 1e-300, 1e150, -1e-150, 0.1}) {
        const double next = std::nextafter(x, kInfinity);
        EXPECT_TRUE(separable(make_rows({{x}, {next}}, {-1, 1}))) << x;
        EXPECT_TRUE(separable(make_rows({{x}, {x - 1e3 * std::fabs(x)}, {next}}, {-1, -1, 1})));
        EXPECT_FALSE(separable(make_rows({{x}, {next}, {x}}, {-1, 1, 1}))) << x;
        const double after = std::nextafter(next, kInfinity);
        EXPECT_FALSE(separable(make_rows({{x}, {next}, {after}}, {-1, 1, -1}))) << x;
    }
    EXPECT_TRUE(separable(make_rows({{-1.0}, {0.0}, {1e-9}, {1.0}}, {-1, -1, 1, 1})));
}

TEST(separability, denormals_are_numbers_like_others) {
    const double tiny = std::numeric_limits<double>::denorm_min();
    EXPECT_TRUE(separable(make_rows({{0.0}, {tiny}}, {-1, 1})));
    EXPECT_TRUE(separable(make_rows({{-tiny, 3 * tiny}, {tiny, 2 * tiny}}, {-1, 1})));
    EXPECT_FALSE(separable(make_rows({{0.0}, {tiny}, {2 * tiny}}, {-1, 1, -1})));
    const Separability found = test(make_rows({{0.0}, {tiny}}, {-1, 1}));
    EXPECT_FALSE(found.separator.exact_b.empty());  // w = 2^1075: no double
}

TEST(separability, scales_of_1e150_either_way_and_mixed_change_nothing) {
    Random random(11);
    const double scales[] = {1e150, 1e-150, 1.0, 1e300, 1e-300};
    for (int k = 0; k < 60; ++k) {
        std::vector<std::vector<double>> points;
        std::vector<double> labels;
        for (int i = 0; i < 6; ++i) {
            points.push_back(
                {std::floor(4.0 * random.uniform()), std::floor(4.0 * random.uniform())});
            labels.push_back(random.uniform() < 0.5 ? -1.0 : 1.0);
        }
        const bool expected = separable(make_rows(points, labels));
        std::vector<std::vector<double>> scaled = points;
        const double first = scales[k % 5];
        const double second = scales[(k / 5) % 5];
        for (std::vector<double>& row : scaled) {
            row[0] = std::ldexp(row[0], std::ilogb(first));
            row[1] = std::ldexp(row[1], std::ilogb(second));
        }
        EXPECT_EQ(separable(make_rows(scaled, labels)), expected);
    }
    // Rows of very different sizes in one column.
    EXPECT_TRUE(separable(make_rows({{1e-150}, {1e150}, {-1e150}}, {1, 1, -1})));
    EXPECT_FALSE(separable(make_rows({{1e-150}, {1e150}, {-1e150}}, {-1, 1, 1})));
}

TEST(separability, hulls_that_touch_are_not_strictly_separable) {
    EXPECT_FALSE(separable(make_rows({{0, 0}, {2, 0}, {1, 0}, {1, 1}}, {-1, -1, 1, 1})));
    EXPECT_FALSE(separable(make_rows({{0, 0}, {1, 1}, {0, 0}, {-1, 1}}, {-1, -1, 1, 1})));
    // An edge of one through an edge of the other.
    EXPECT_FALSE(
        separable(make_rows({{0, 0, 0}, {2, 2, 0}, {0, 2, 0}, {2, 0, 0}}, {-1, -1, 1, 1})));
    EXPECT_TRUE(
        separable(make_rows({{0, 0, 0}, {2, 2, 0}, {0, 2, 1e-12}, {2, 0, 0}}, {-1, -1, 1, 1})));
}

TEST(separability, collinear_points_in_fifty_columns_are_decided_along_their_line) {
    Random random(5);
    std::vector<double> direction;
    for (int j = 0; j < 50; ++j) {
        direction.push_back(std::floor(17.0 * random.uniform()) - 8.0);
    }
    std::vector<std::vector<double>> points;
    std::vector<double> labels;
    for (int i = 0; i < 200; ++i) {
        std::vector<double> row;
        for (const double x : direction) {
            row.push_back(x * (i - 77));
        }
        points.push_back(row);
        labels.push_back(i < 120 ? -1.0 : 1.0);
    }
    EXPECT_TRUE(separable(make_rows(points, labels)));
    labels[40] = 1.0;
    EXPECT_FALSE(separable(make_rows(points, labels)));
}

TEST(separability, d_plus_one_points_in_general_position_are_separable_and_fewer_are) {
    Random random(9);
    for (const int count : {5, 10, 11}) {
        std::vector<std::vector<double>> points;
        std::vector<double> labels;
        for (int i = 0; i < count; ++i) {
            std::vector<double> row;
            for (int j = 0; j < 10; ++j) {
                row.push_back(random.normal());
            }
            points.push_back(row);
            labels.push_back(i % 2 == 0 ? -1.0 : 1.0);
        }
        EXPECT_TRUE(separable(make_rows(points, labels))) << count;
    }
}

TEST(separability, none_one_and_one_class_are_separable) {
    EXPECT_TRUE(separable(make_rows({}, {})));
    EXPECT_TRUE(separable(make_rows({{3.0}}, {-1})));
    EXPECT_TRUE(separable(make_rows({{3.0}, {3.0}, {-2.0}}, {1, 1, 1})));
    EXPECT_TRUE(separable(make_rows({{3.0}, {2.0}}, {-1, -1}), true));
    EXPECT_FALSE(separable(make_rows({{3.0}, {-2.0}}, {1, 1}), true));
}

TEST(separability, rows_of_zeros_are_on_every_hyperplane_through_the_origin) {
    EXPECT_FALSE(separable(make_rows({{0, 0}, {1, 2}}, {1, 1}), true));
    EXPECT_TRUE(separable(make_rows({{0, 0}, {1, 2}}, {-1, 1})));
    EXPECT_FALSE(separable(make_rows({{0, 0}, {0, 0}}, {-1, 1})));
}

TEST(separability, homogeneous_hyperplanes_separate_less) {
    expect_fact("H03", "x = 1 and x = 2 with opposite labels: affine",
                separable(make_rows({{1.0}, {2.0}}, {-1, 1})));
    expect_fact("H03", "x = 1 and x = 2 with opposite labels: homogeneous",
                separable(make_rows({{1.0}, {2.0}}, {-1, 1}), true));
}

TEST(separability, offsets_of_1e8_change_nothing) {
    Random random(21);
    for (int k = 0; k < 40; ++k) {
        std::vector<std::vector<double>> points;
        std::vector<std::vector<double>> moved;
        std::vector<double> labels;
        for (int i = 0; i < 7; ++i) {
            points.push_back(
                {std::floor(4.0 * random.uniform()), std::floor(4.0 * random.uniform())});
            moved.push_back({points.back()[0] + 1e8, points.back()[1] - 1e15});
            labels.push_back(random.uniform() < 0.5 ? -1.0 : 1.0);
        }
        EXPECT_EQ(separable(make_rows(moved, labels)), separable(make_rows(points, labels)));
    }
}

TEST(separability, sparse_and_float_rows_have_the_same_answer) {
    const std::vector<index_t> offsets{0, 1, 2, 3, 5};
    const std::vector<index_t> indices{0, 1, 0, 0, 1};
    const std::vector<double> values{1.0, 1.0, -1.0, 2.0, 2.0};
    Context context;
    const Dataset sparse(CsrView{offsets, indices, values, 2});
    const std::vector<float> floats{1, 0, 0, 1, -1, 0, 2, 2};
    const Dataset narrow(MatrixView<const float>(floats.data(), 4, 2));
    for (const std::vector<double>& labels :
         {std::vector<double>{-1, -1, -1, 1}, {-1, -1, 1, -1}, {1, -1, 1, 1}, {1, 1, -1, -1}}) {
        const Separability a = test_separability(sparse, labels, {}, context);
        const Separability b = test_separability(narrow, labels, {}, context);
        EXPECT_EQ(a.answer, b.answer);
        EXPECT_TRUE(a.exact_check);
        EXPECT_TRUE(b.exact_check);
        EXPECT_TRUE(check_certificate(narrow, labels, false, a));
    }
}

TEST(separability, many_rows_are_decided_from_a_part_of_them) {
    Context context;
    Random random(2);
    const index_t n = 20000;
    const index_t d = 8;
    std::vector<double> values;
    std::vector<double> labels;
    for (index_t i = 0; i < n; ++i) {
        double side = 0.0;
        std::vector<double> row;
        for (index_t j = 0; j < d; ++j) {
            row.push_back(random.normal());
            side += (j % 2 == 0 ? 1.0 : -0.5) * row.back();
        }
        if (std::fabs(side - 0.3) < 1e-4) {
            row[0] += 1.0;
            side += 1.0;
        }
        labels.push_back(side > 0.3 ? 1.0 : -1.0);
        values.insert(values.end(), row.begin(), row.end());
    }
    const Dataset data(MatrixView<const double>(values.data(), n, d));
    const Separability apart = test_separability(data, labels, {}, context);
    EXPECT_EQ(apart.answer, SeparabilityAnswer::separable);
    EXPECT_TRUE(apart.exact_check);
    labels[77] = -labels[77];
    labels[5000] = -labels[5000];
    labels[9] = -labels[9];
    const Separability mixed = test_separability(data, labels, {}, context);
    EXPECT_EQ(mixed.answer, SeparabilityAnswer::not_separable);
    EXPECT_TRUE(mixed.exact_check);
    EXPECT_LE(mixed.hulls.rows.size(), 10u);
}

TEST(separability, a_forged_certificate_is_refused) {
    const Rows corners = exclusive_or();
    Separability forged = test(corners);
    forged.hulls.exact_weights[0] = "1/3";
    EXPECT_FALSE(check_certificate(corners.data, corners.labels, false, forged));
    forged.answer = SeparabilityAnswer::separable;
    forged.separator.w = {1.0, 1.0};
    EXPECT_FALSE(check_certificate(corners.data, corners.labels, false, forged));
    const Rows two = pair();
    Separability plane = test(two);
    plane.separator.w[0] = std::nextafter(1.0, 0.0);
    plane.separator.b = 0.0;
    EXPECT_FALSE(check_certificate(two.data, two.labels, false, plane));  // a margin below 1
}

TEST(separability, labels_other_than_one_and_minus_one_are_refused) {
    Context context;
    const Rows rows = make_rows({{1.0}, {2.0}}, {0, 1});
    EXPECT_THROW((void)test_separability(rows.data, rows.labels, {}, context), InvalidArgument);
    EXPECT_THROW((void)test_separability(rows.data, std::vector<double>{1}, {}, context),
                 InvalidArgument);
}

TEST(separability, exact_work_beyond_the_limit_is_undecided_with_its_reason) {
    Context context;
    const Rows corners = exclusive_or();
    const Separability found =
        test_separability(corners.data, corners.labels, {.exact_operations = 1.0}, context);
    EXPECT_EQ(found.answer, SeparabilityAnswer::undecided);
    EXPECT_FALSE(found.exact_check);
    EXPECT_NE(found.reason.find("word operations"), std::string::npos);
}

TEST(disagreement, exclusive_or_has_one_row_on_the_wrong_side) {
    Context context;
    const Rows corners = exclusive_or();
    const Disagreement found =
        minimum_disagreement(corners.data, corners.labels, false, 1000, context);
    EXPECT_TRUE(found.exact);
    expect_fact("V09", "XOR, affine: minimum disagreement", found.upper);
    EXPECT_EQ(found.rows.size(), 1u);
}

/// The minimum over all sets of rows, smallest first, by separability alone.
index_t brute_force(const Rows& rows, Context& context) {
    const auto n = static_cast<unsigned>(rows.labels.size());
    index_t best = static_cast<index_t>(n);
    for (unsigned mask = 0; mask < (1u << n); ++mask) {
        std::vector<index_t> left;
        std::vector<double> labels;
        for (unsigned i = 0; i < n; ++i) {
            if ((mask >> i & 1u) == 0) {
                left.push_back(i);
                labels.push_back(rows.labels[i]);
            }
        }
        const auto given_up = static_cast<index_t>(n - left.size());
        if (given_up < best &&
            test_separability(rows.data.select(left), labels, {}, context).answer ==
                SeparabilityAnswer::separable) {
            best = given_up;
        }
    }
    return best;
}

TEST(disagreement, equals_the_least_over_all_subsets_on_small_grids) {
    Context context;
    Random random(31);
    bool equal = true;
    for (int k = 0; k < 40; ++k) {
        std::vector<std::vector<double>> points;
        std::vector<double> labels;
        for (int i = 0; i < 8; ++i) {
            points.push_back(
                {std::floor(3.0 * random.uniform()), std::floor(3.0 * random.uniform())});
            labels.push_back(random.uniform() < 0.5 ? -1.0 : 1.0);
        }
        const Rows rows = make_rows(points, labels);
        const Disagreement found =
            minimum_disagreement(rows.data, rows.labels, false, 100000, context);
        EXPECT_TRUE(found.exact);
        EXPECT_EQ(found.rows.size(), static_cast<std::size_t>(found.upper));
        const index_t wanted = brute_force(rows, context);
        EXPECT_EQ(found.upper, wanted);
        equal = equal && found.upper == wanted;
    }
    expect_fact("V09", "equals the least over all subsets, 40 sets of 8 grid points", equal);
}

TEST(disagreement, through_the_origin_positive_rows_may_lie_on_the_hyperplane) {
    Context context;
    const Rows rows = make_rows({{0.0}, {0.0}, {1.0}}, {1, -1, -1});
    const Disagreement found = minimum_disagreement(rows.data, rows.labels, true, 1000, context);
    EXPECT_TRUE(found.exact);
    EXPECT_EQ(found.upper, 1);  // the row of zeros that is labelled -1
    EXPECT_EQ(found.rows, (std::vector<index_t>{1}));
}

TEST(disagreement, beyond_the_limit_the_bounds_are_told) {
    Context context;
    Random random(4);
    std::vector<std::vector<double>> points;
    std::vector<double> labels;
    for (int i = 0; i < 60; ++i) {
        points.push_back({random.normal(), random.normal(), random.normal()});
        labels.push_back(random.uniform() < 0.5 ? -1.0 : 1.0);
    }
    const Rows rows = make_rows(points, labels);
    const Disagreement found = minimum_disagreement(rows.data, rows.labels, false, 60, context);
    EXPECT_FALSE(found.exact);
    EXPECT_LT(found.lower, found.upper);
    EXPECT_GE(found.lower, 1);
    EXPECT_LE(found.decisions, 61);
}

}  // namespace
}  // namespace mercer
