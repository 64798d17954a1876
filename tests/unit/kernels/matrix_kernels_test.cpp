// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/kernels/matrix_kernels_test.cpp - kernels that carry a matrix from a file.
#include <gtest/gtest.h>

#include <cmath>

#include "gram_of.hpp"
#include "kernel_files.hpp"
#include "kernels/matrices.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

using testing::MemoryKernelFiles;

std::string refusal(const MemoryKernelFiles& files, const std::string& text) {
    const Result<Kernel> result = parse_kernel(text, &files);
    return result.ok() ? "it parsed" : result.diagnostic().message;
}

TEST(QuadraticForm, is_the_weighted_inner_product) {
    MemoryKernelFiles files;
    files.matrices["A.npy"] = {"", 2, 2, {2, 1, 1, 3}};
    const Kernel kernel = parse_kernel("quadratic-form(A.npy)", &files).value();
    expect_fact("K02", "A=[[2,1],[1,3]], x=(1,2), z=(3,-1)",
                kernel(std::vector<double>{1, 2}, std::vector<double>{3, -1}));
    EXPECT_EQ(to_string(kernel), "quadratic-form(A.npy)");
    EXPECT_EQ(kernel.definiteness(), Definiteness::positive_definite);
    EXPECT_THROW(require_columns(kernel, 3), InvalidArgument);
}

TEST(QuadraticForm, matrices_with_a_negative_eigenvalue_are_refused) {
    MemoryKernelFiles files;
    const auto refused = [&](index_t n, std::vector<double> values) {
        files.matrices["A.npy"] = {"", n, static_cast<index_t>(values.size()) / n, values};
        return refusal(files, "quadratic-form(A.npy)");
    };
    const std::string negative =
        "quadratic-form: 'A.npy' is not positive semidefinite: it has a negative eigenvalue";
    expect_fact("K02", "A=[[1,2],[2,1]] is refused", refused(2, {1, 2, 2, 1}));
    EXPECT_EQ(refused(2, {0, 1, 1, 0}), negative);
    EXPECT_EQ(refused(1, {-1}), negative);
    EXPECT_EQ(refused(3, {1, 0, 0, 0, 1, 0, 0, 0, -1e-6}), negative);
    EXPECT_EQ(refused(3, {1, 1, 1, 1, 1, 1.001, 1, 1.001, 1}), negative);
    EXPECT_EQ(
        refused(2, {1, 0.5, 0.4, 1}),
        "quadratic-form: 'A.npy' is not symmetric, entries (2, 1) and (1, 2) are 0.4 and 0.5");
    EXPECT_EQ(refused(1, {1, 2}), "quadratic-form: 'A.npy' is 1 by 2, must be square");
    EXPECT_EQ(refused(2, {1, kNaN, 0, 1}),
              "matrix 'A.npy': row 1, column 2 is nan, must be finite");
    EXPECT_EQ(refused(2, {0, 0, 0, 0}), "it parsed");
    EXPECT_EQ(refused(2, {1, 1, 1, 1}), "it parsed");
    EXPECT_EQ(refused(2, {1e-300, 0, 0, 1e300}), "it parsed");
    files.matrices["A.npy"] = {"", 2, 2, {1, 2, 3}};
    EXPECT_EQ(refusal(files, "quadratic-form(A.npy)"),
              "matrix 'A.npy': 2 by 2 does not fit its 3 values");
    files.matrices["A.npy"] = {"", 0, 0, {}};
    EXPECT_EQ(refusal(files, "quadratic-form(A.npy)"),
              "matrix 'A.npy': 0 by 0 does not fit its 0 values");
}

TEST(QuadraticForm, products_of_random_matrices_have_a_root_that_rebuilds_them) {
    Random random(21);
    for (index_t n = 1; n <= 12; ++n) {
        const testing::Rows b = testing::normal_rows(random, n, n / 2 + 1);
        KernelMatrix matrix{"A", n, n, {}};
        for (const auto& x : b) {
            for (const auto& z : b) {
                matrix.values.push_back(linear_kernel()(x, z));
            }
        }
        const std::optional<CholeskyRoot> root = cholesky_root(matrix);
        ASSERT_TRUE(root);
        EXPECT_LE(root->rank, n / 2 + 1);
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < n; ++j) {
                double sum = 0.0;
                for (index_t k = 0; k < root->rank; ++k) {
                    sum += root->values[static_cast<std::size_t>(i * root->rank + k)] *
                           root->values[static_cast<std::size_t>(j * root->rank + k)];
                }
                EXPECT_NEAR(sum, matrix.values[static_cast<std::size_t>(i * n + j)], 1e-9);
            }
        }
    }
}

TEST(Mixture, two_symbols_of_two_states_give_half_the_identity) {
    MemoryKernelFiles files;
    files.texts["m.json"] = R"({"prior": [0.5, 0.5], "conditional": [[1, 0], [0, 1]]})";
    const Kernel kernel = parse_kernel("mixture(m.json)", &files).value();
    const testing::SquareMatrix gram = testing::gram_of(kernel, {{0}, {1}});
    expect_fact("K08", "two symbols, two states: Gram matrix",
                std::vector<double>{gram[0][0], gram[0][1], gram[1][0], gram[1][1]});
    EXPECT_EQ(to_string(kernel), "mixture(m.json)");
    EXPECT_EQ(domain_violation(kernel, std::vector<double>{2}),
              "column 0: got 2, mixture needs a symbol 0, 1, ..., 1");
    EXPECT_FALSE(domain_violation(kernel, std::vector<double>{0.5}).empty());
    EXPECT_FALSE(domain_violation(kernel, std::vector<double>{-1}).empty());
    EXPECT_FALSE(domain_violation(kernel, std::vector<double>{kNaN}).empty());
    EXPECT_THROW(static_cast<void>(kernel(std::vector<double>{7}, std::vector<double>{0})),
                 InvalidArgument);
}

TEST(Mixture, follows_the_sum_over_states) {
    MemoryKernelFiles files;
    files.texts["m.json"] =
        R"({"prior": [0.2, 0.8], "conditional": [[0.5, 0.25, 0.25], [0.1, 0.3, 0.6]]})";
    const Kernel kernel = parse_kernel("mixture(m.json)", &files).value();
    EXPECT_NEAR(kernel(std::vector<double>{0}, std::vector<double>{2}),
                0.2 * 0.5 * 0.25 + 0.8 * 0.1 * 0.6, 1e-16);
}

TEST(Mixture, files_that_are_no_distribution_are_refused) {
    MemoryKernelFiles files;
    const auto refused = [&](const std::string& text) {
        files.texts["m.json"] = text;
        return refusal(files, "mixture(m.json)");
    };
    EXPECT_NE(refused("{").find("m.json: not valid JSON"), std::string::npos);
    EXPECT_EQ(refused("[]"), "m.json: a mixture needs the keys 'prior' and 'conditional'");
    EXPECT_EQ(refused(R"({"prior": [], "conditional": []})"),
              "m.json: prior must be a non-empty list of probabilities");
    EXPECT_EQ(refused(R"({"prior": [0.5, 0.4], "conditional": [[1],[1]]})"),
              "m.json: prior: the probabilities sum to 0.9, must sum to 1");
    EXPECT_EQ(refused(R"({"prior": [1.5, -0.5], "conditional": [[1],[1]]})"),
              "m.json: prior: entry 0 must be a probability in [0, 1]");
    EXPECT_EQ(refused(R"({"prior": ["a"], "conditional": [[1]]})"),
              "m.json: prior: entry 0 must be a probability in [0, 1]");
    EXPECT_EQ(refused(R"({"prior": [1], "conditional": [[1],[1]]})"),
              "m.json: conditional must have one row for each of the 1 states of the prior");
    EXPECT_EQ(refused(R"({"prior": [0.5, 0.5], "conditional": [[1],[0.5, 0.5]]})"),
              "m.json: conditional row 1 has 2 symbols, row 0 has 1");
    EXPECT_EQ(refused(R"({"prior": [1], "conditional": [[0.5, 0.4]]})"),
              "m.json: conditional row 0: the probabilities sum to 0.9, must sum to 1");
    EXPECT_EQ(refused(R"({"prior": [1], "conditional": {"a": 1}})"),
              "m.json: conditional must have one row for each of the 1 states of the prior");
    EXPECT_EQ(refused(R"({"prior": [1], "conditional": [1]})"),
              "m.json: conditional row 0 must be a non-empty list of probabilities");
}

}  // namespace
}  // namespace mercer
