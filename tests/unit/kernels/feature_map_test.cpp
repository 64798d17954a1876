// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/kernels/feature_map_test.cpp - explicit coordinates against kernel values.
#include "mercer/kernels/feature_map.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "gram_of.hpp"
#include "kernel_files.hpp"
#include "mercer/kernels/monomials.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

using Row = std::vector<double>;

Kernel parse(const std::string& text) { return parse_kernel(text).value(); }

Row features(const FeatureMap& map, const Row& x) {
    Row phi(static_cast<std::size_t>(map.dimension()));
    map.map(x, phi);
    return phi;
}

double inner(const FeatureMap& map, const Row& x, const Row& z) {
    const Row phi = features(map, x);
    const Row psi = features(map, z);
    double sum = 0.0;
    for (std::size_t i = 0; i < phi.size(); ++i) {
        sum += phi[i] * psi[i];
    }
    return sum;
}

FeatureMapOptions ordered() {
    FeatureMapOptions options;
    options.order = "ordered";
    return options;
}

FeatureMapOptions cut_at(index_t degree) {
    FeatureMapOptions options;
    options.truncation = degree;
    return options;
}

TEST(FeatureMap, ordered_monomials_have_n_to_the_d_coordinates) {
    const FeatureMap map = make_feature_map(parse("monomial(2)"), 2, ordered());
    expect_fact("FM1", "n=2, d=2: coordinates", map.dimension());
    expect_fact("FM1", "x=(1,2): phi(x)", features(map, {1, 2}));
    expect_fact("FM1", "x=(1,2), z=(3,1): <phi(x), phi(z)>", inner(map, {1, 2}, {3, 1}));
    EXPECT_EQ(map.coordinate_name(0), "x0^2");
    EXPECT_EQ(map.coordinate_name(1), "x0*x1");
    EXPECT_EQ(map.coordinate_name(2), "x1*x0");
    EXPECT_EQ(map.coordinate_name(3), "x1^2");
    EXPECT_EQ(make_feature_map(parse("monomial(2)"), 3, ordered()).dimension(), 9);
}

TEST(FeatureMap, distinct_monomials_carry_square_root_weights) {
    const FeatureMap map = make_feature_map(parse("monomial(2)"), 2);
    expect_fact("FM2", "x=(1,2): phi(x)", features(map, {1, 2}));
    expect_fact("FM2", "x=(1,2), z=(3,1): <phi(x), phi(z)>", inner(map, {1, 2}, {3, 1}));
}

TEST(FeatureMap, poly_of_degree_two_has_products_columns_and_a_constant) {
    const FeatureMap map = make_feature_map(parse("poly(degree=2, coef0=3)"), 2, ordered());
    const Row phi = features(map, {1, 2});
    ASSERT_EQ(phi.size(), 7U);
    EXPECT_DOUBLE_EQ(phi[4], std::sqrt(6.0));
    EXPECT_DOUBLE_EQ(phi[5], std::sqrt(6.0) * 2.0);
    EXPECT_DOUBLE_EQ(phi[6], 3.0);
    const Row psi = features(map, {0, 1});
    expect_fact("FM3", "x=(1,2), z=(0,1), c=3: parts of the inner product",
                Row{phi[3] * psi[3], phi[5] * psi[5], phi[6] * psi[6]});
    expect_fact("FM3", "x=(1,2), z=(0,1), c=3: <phi(x), phi(z)>", inner(map, {1, 2}, {0, 1}));
    EXPECT_EQ(map.coordinate_name(6), "1");
    EXPECT_EQ(map.coordinate_name(5), "x1");
}

TEST(FeatureMap, truncated_gaussian_map_converges_at_the_printed_rate) {
    const Kernel kernel = parse("rbf(sigma=1)");
    const double exact = kernel(Row{0.5}, Row{1.0});
    for (const index_t degree : {4, 6, 8, 10}) {
        const FeatureMap map = make_feature_map(kernel, 1, cut_at(degree));
        EXPECT_TRUE(map.is_truncated());
        EXPECT_EQ(map.dimension(), degree + 1);
        expect_fact("FM4", "x=0.5, z=1: error, N=" + std::to_string(degree),
                    exact - inner(map, {0.5}, {1.0}));
    }
    const Row phi = features(make_feature_map(parse("rbf(sigma=2)"), 1, cut_at(5)), {3.0});
    EXPECT_NEAR(phi[3], std::exp(-9.0 / 8.0) * std::pow(1.5, 3) / std::sqrt(6.0), 1e-15);
}

TEST(FeatureMap, truncated_gaussian_map_works_in_several_columns) {
    const Kernel kernel = parse("rbf(gamma=0.4)");
    Random random(2);
    for (const FeatureMapOptions& base : {FeatureMapOptions{}, ordered()}) {
        FeatureMapOptions options = base;
        options.truncation = 9;
        const FeatureMap map = make_feature_map(kernel, 2, options);
        EXPECT_EQ(map.dimension(), options.order == "ordered" ? 1023 : 55);
        const Row x{0.5, -0.3};
        const Row z{0.9, 0.2};
        EXPECT_NEAR(inner(map, x, z), kernel(x, z), 1e-9);
    }
}

TEST(FeatureMap, every_finite_map_reproduces_its_kernel) {
    testing::MemoryKernelFiles files;
    files.matrices["A.npy"] = {"", 3, 3, {2, 1, 0, 1, 2, 1, 0, 1, 2}};
    Random random(4);
    for (const char* text :
         {"linear", "monomial(3)", "poly(degree=4, coef0=0.7, scale=0.3)", "poly(3, 0)",
          "constant(2)", "cosine", "quadratic-form(A.npy)", "2 * linear + poly(2)",
          "linear * poly(2) * 3", "polynomial(linear; 1, 0, 2, 0.5)",
          "polynomial(linear + 1; 0, 1, 1)", "(linear + 1) ^ 3", "normalized(poly(2))",
          "scaled(poly(2); exp(-0.1 * norm2) + column(1))",
          "columns(poly(2); 2, 0) + columns(scaled(linear; column(0)); 1:3)"}) {
        const Kernel kernel = parse_kernel(text, &files).value();
        for (const FeatureMapOptions& options : {FeatureMapOptions{}, ordered()}) {
            const FeatureMap map = make_feature_map(kernel, 3, options);
            EXPECT_FALSE(map.is_truncated());
            const testing::Rows rows = testing::normal_rows(random, 4, 3);
            for (const Row& x : rows) {
                for (const Row& z : rows) {
                    const double scale = std::sqrt(diagonal(kernel, x) * diagonal(kernel, z));
                    EXPECT_NEAR(inner(map, x, z), kernel(x, z), 1e-13 * (1.0 + scale)) << text;
                }
            }
            for (index_t i = 0; i < map.dimension(); ++i) {
                EXPECT_FALSE(map.coordinate_name(i).empty());
            }
        }
    }
}

TEST(FeatureMap, exponentials_are_cut_series_too) {
    const Kernel kernel = parse("exp(0.5 * linear)");
    const FeatureMap map = make_feature_map(kernel, 2, cut_at(20));
    EXPECT_NEAR(inner(map, {1, 0.5}, {0.3, -1}), kernel(Row{1, 0.5}, Row{0.3, -1}), 1e-14);
}

TEST(FeatureMap, mixture_maps_a_symbol_to_its_states) {
    testing::MemoryKernelFiles files;
    files.texts["m.json"] = R"({"prior": [0.25, 0.75], "conditional": [[1, 0], [0.5, 0.5]]})";
    const FeatureMap map = make_feature_map(parse_kernel("mixture(m.json)", &files).value(), 1);
    EXPECT_EQ(map.dimension(), 2);
    EXPECT_NEAR(inner(map, {0}, {1}), 0.75 * 0.25, 1e-16);
    Row out(2);
    EXPECT_THROW(map.map(Row{5}, out), InvalidArgument);
}

TEST(FeatureMap, coordinate_names_match_coordinates) {
    const FeatureMap map = make_feature_map(parse("columns(monomial(3); 4, 2)"), 5);
    ASSERT_EQ(map.dimension(), 4);
    EXPECT_EQ(map.coordinate_name(0), "x4^3");
    EXPECT_EQ(map.coordinate_name(1), "x4^2*x2");
    EXPECT_EQ(map.coordinate_name(2), "x4*x2^2");
    EXPECT_EQ(map.coordinate_name(3), "x2^3");
    EXPECT_EQ(features(map, {0, 0, 2, 0, 1})[0], 1.0);
    EXPECT_EQ(features(map, {0, 0, 2, 0, 1})[3], 8.0);
    EXPECT_THROW(static_cast<void>(map.coordinate_name(4)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(map.coordinate_name(-1)), InvalidArgument);
}

TEST(FeatureMap, kernels_without_a_finite_map_are_refused_by_name) {
    for (const char* text : {"rbf(gamma=1)", "laplace", "exp(linear)", "linear + matern", "sigmoid",
                             "poly(coef0=-1)", "precomputed", "delta", "intersection"}) {
        try {
            static_cast<void>(make_feature_map(parse(text), 2));
            FAIL() << text;
        } catch (const InvalidArgument& error) {
            EXPECT_NE(std::string(error.what()).find("no finite feature map"), std::string::npos)
                << error.what();
        }
    }
    EXPECT_THROW(static_cast<void>(make_feature_map(parse("rbf"), 2, cut_at(3))), InvalidArgument);
}

TEST(FeatureMap, absurd_dimensions_are_refused_before_anything_is_allocated) {
    EXPECT_THROW(static_cast<void>(make_feature_map(parse("poly(degree=30)"), 1000)),
                 ResourceError);
    EXPECT_THROW(static_cast<void>(make_feature_map(parse("monomial(64)"), 2, ordered())),
                 ResourceError);
    EXPECT_THROW(static_cast<void>(make_feature_map(parse("linear * linear"), 5'000'000)),
                 ResourceError);
    EXPECT_THROW(static_cast<void>(make_feature_map(linear_kernel(), index_t{1} << 60)),
                 ResourceError);
    EXPECT_THROW(static_cast<void>(make_feature_map(parse("monomial(1000000)"), 1)),
                 InvalidArgument);
    EXPECT_THROW(static_cast<void>(make_feature_map(linear_kernel(), -1)), InvalidArgument);
    FeatureMapOptions options;
    options.max_dimension = 5;
    EXPECT_THROW(static_cast<void>(make_feature_map(parse("poly(2)"), 2, options)), ResourceError);
    options.order = "sorted";
    EXPECT_THROW(static_cast<void>(make_feature_map(linear_kernel(), 2, options)), InvalidArgument);
}

TEST(FeatureMap, rows_without_columns_still_have_their_constant) {
    const FeatureMap map = make_feature_map(parse("poly(2, 3)"), 0);
    EXPECT_EQ(map.dimension(), 1);
    EXPECT_EQ(inner(map, {}, {}), 9.0);
    EXPECT_EQ(make_feature_map(linear_kernel(), 0).dimension(), 0);
}

TEST(FeatureMap, wrong_lengths_are_refused) {
    const FeatureMap map = make_feature_map(linear_kernel(), 2);
    Row out(2);
    EXPECT_THROW(map.map(Row{1}, out), InvalidArgument);
    Row small(1);
    EXPECT_THROW(map.map(Row{1, 2}, small), InvalidArgument);
}

TEST(FeatureMap, monomials_are_as_many_as_choices_with_repetition) {
    FeatureMapOptions large = ordered();
    large.max_dimension = index_t{1} << 40;
    // 1000 columns up to degree 3: 1 + 10^3 + 10^6 + 10^9 in order, C(1003, 3) without.
    expect_fact("D05", "1000 columns, degree <= 3, in order",
                make_feature_map(parse("poly(degree=3)"), 1000, large).dimension());
    large.order = "distinct";
    expect_fact("D05", "1000 columns, degree <= 3, distinct",
                make_feature_map(parse("poly(degree=3)"), 1000, large).dimension());
    const FeatureMap map = make_feature_map(parse("poly(degree=3)"), 6);
    expect_fact("D05", "6 columns, degree <= 3", map.dimension());
    EXPECT_EQ(make_feature_map(parse("poly(degree=6)"), 3).dimension(), map.dimension());
    // Counted one by one: exponents of six columns that sum to at most 3, and the map's own names.
    index_t counted = 0;
    for (int code = 0; code < 4096; ++code) {
        int degree = 0;
        for (int j = 0; j < 6; ++j) {
            degree += (code >> (2 * j)) & 3;
        }
        counted += degree <= 3 ? 1 : 0;
    }
    expect_fact("D05", "6 columns, degree <= 3, enumerated", counted);
    std::set<std::string> names;
    for (index_t k = 0; k < map.dimension(); ++k) {
        names.insert(map.coordinate_name(k));
    }
    expect_fact("D05", "6 columns, degree <= 3, names", static_cast<index_t>(names.size()));
}

/// Every way to write `total` as an ordered sum of `parts` numbers >= 0.
void list_partitions(index_t total, index_t parts, std::vector<index_t>& begin,
                     std::set<std::vector<index_t>>& out) {
    if (parts == 1) {
        begin.push_back(total);
        out.insert(begin);
        begin.pop_back();
        return;
    }
    for (index_t part = 0; part <= total; ++part) {
        begin.push_back(part);
        list_partitions(total - part, parts - 1, begin, out);
        begin.pop_back();
    }
}

TEST(FeatureMap, monomials_are_the_ordered_partitions_of_their_degree) {
    const FeatureMap map = make_feature_map(parse("poly(degree=6)"), 3);
    std::set<std::vector<index_t>> seen;
    index_t back = 0;
    for (index_t k = 0; k < map.dimension(); ++k) {
        const std::vector<index_t> exponents = map.exponents(k).value();
        const std::vector<index_t> parts = ordered_partition(exponents, 6);
        const std::string name = map.coordinate_name(k);
        if (name == "x0*x2^2") {
            expect_fact("D06", "x0*x2^2, degree 6", Row(parts.begin(), parts.end()));
        }
        seen.insert(parts);
        back += monomial_name(monomial_exponents(parts)) == name ? 1 : 0;
        // The coordinate is that monomial, times a weight that does not depend on x.
        const double one = features(map, {1, 1, 1})[static_cast<std::size_t>(k)];
        const double other = features(map, {2, 3, 5})[static_cast<std::size_t>(k)];
        EXPECT_NEAR(other / one,
                    std::pow(2.0, static_cast<double>(parts[1])) *
                        std::pow(3.0, static_cast<double>(parts[2])) *
                        std::pow(5.0, static_cast<double>(parts[3])),
                    1e-9 * other / one);
    }
    expect_fact("D06", "n=3, d=6: monomials that come back from their partition", back);
    expect_fact("D06", "n=3, d=6: different partitions", seen.size());
    std::set<std::vector<index_t>> all;
    std::vector<index_t> begin;
    list_partitions(6, 4, begin, all);
    EXPECT_EQ(seen, all);
}

TEST(FeatureMap, exponents_are_told_where_coordinates_are_monomials) {
    using Exponents = std::vector<index_t>;
    EXPECT_EQ(make_feature_map(parse("2 * linear * (columns(linear; 2) + 1)"), 3).exponents(0),
              (Exponents{1, 0, 1}));
    EXPECT_EQ(make_feature_map(parse("monomial(2)"), 2, ordered()).exponents(2), (Exponents{1, 1}));
    EXPECT_EQ(make_feature_map(parse("constant(3)"), 2).exponents(0), (Exponents{0, 0}));
    EXPECT_FALSE(make_feature_map(parse("cosine"), 2).exponents(0));
    EXPECT_FALSE(make_feature_map(parse("rbf(gamma=1)"), 1, cut_at(2)).exponents(1));
    EXPECT_THROW(static_cast<void>(make_feature_map(parse("linear"), 2).exponents(2)),
                 InvalidArgument);
    EXPECT_THROW(static_cast<void>(ordered_partition(Exponents{2, 3}, 4)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(ordered_partition(Exponents{-1}, 4)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(monomial_exponents(Exponents{})), InvalidArgument);
    EXPECT_EQ(monomial_name(Exponents{0, 0}), "1");
}

}  // namespace
}  // namespace mercer
