// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/theory/ridge_identity_test.cpp - both sides for random priors and full noise matrices.
#include "mercer/theory/ridge_identity.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/runtime/context.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

struct Square {
    index_t n = 0;
    std::vector<double> values;
    [[nodiscard]] MatrixView<const double> view() const { return {values.data(), n, n}; }
};

/// L L' + I / 2, a full matrix.
Square random_definite(index_t n, Random& random) {
    std::vector<double> l(static_cast<std::size_t>(n * n));
    for (double& value : l) {
        value = random.normal();
    }
    Square out{n, std::vector<double>(static_cast<std::size_t>(n * n), 0.0)};
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            double sum = i == j ? 0.5 : 0.0;
            for (index_t k = 0; k < n; ++k) {
                sum +=
                    l[static_cast<std::size_t>(i * n + k)] * l[static_cast<std::size_t>(j * n + k)];
            }
            out.values[static_cast<std::size_t>(i * n + j)] = sum;
        }
    }
    return out;
}

TEST(RidgeIdentity, holds_for_random_priors_and_full_noise_matrices) {
    Random random(9);
    Context context;
    double largest = 0.0;
    bool holds = true;
    for (int round = 0; round < 40; ++round) {
        const index_t m = 1 + random.below(25);
        const index_t d = 1 + random.below(8);
        std::vector<double> b(static_cast<std::size_t>(m * d));
        for (double& value : b) {
            value = random.normal();
        }
        const RidgeIdentity identity = ridge_identity(MatrixView<const double>(b.data(), m, d),
                                                      random_definite(d, random).view(),
                                                      random_definite(m, random).view(), context);
        EXPECT_EQ(identity.left.size(), static_cast<std::size_t>(m * d));
        holds = holds && identity.holds();
        largest = std::max(largest, identity.difference / identity.largest);
    }
    expect_fact("RR7", "random P, full random R: it holds within rounding", holds);
    expect_fact("RR7", "random P, full random R: largest relative residual", largest);
}

TEST(RidgeIdentity, both_sides_are_the_hand_made_ridge) {
    // KRR2 with P = R = I: X'(K + I)^-1, K + I = [[3,1],[1,3]], its inverse [[3,-1],[-1,3]] / 8.
    const std::vector<double> b{1, 1, 0, 0, 1, 1};
    const Square p{3, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const Square r{2, {1, 0, 0, 1}};
    Context context;
    const RidgeIdentity identity =
        ridge_identity(MatrixView<const double>(b.data(), 2, 3), p.view(), r.view(), context);
    expect_fact("RR7", "KRR2, P=R=I: the right side", identity.right);
    expect_fact("RR7", "KRR2, P=R=I: the left side", identity.left);
}

TEST(RidgeIdentity, a_full_noise_matrix_by_hand) {
    // One column b = (1, 1)', P = 2, R = [[2,1],[1,2]]: BPB' + R = [[4,3],[3,4]], so the right side
    // is 2 (1,1) [[4,-3],[-3,4]] / 7 = (2/7, 2/7).
    const std::vector<double> b{1, 1};
    const Square p{1, {2}};
    const Square r{2, {2, 1, 1, 2}};
    Context context;
    const RidgeIdentity identity =
        ridge_identity(MatrixView<const double>(b.data(), 2, 1), p.view(), r.view(), context);
    expect_fact("RR7", "B=(1,1)', P=2, R=[[2,1],[1,2]]: the left side", identity.left);
}

TEST(RidgeIdentity, matrices_that_are_not_definite_are_refused_by_name) {
    const std::vector<double> b{1, 1};
    const MatrixView<const double> rows(b.data(), 2, 1);
    const Square p{1, {2}};
    const Square r{2, {2, 1, 1, 2}};
    Context context;
    const auto message = [&](const Square& prior, const Square& noise) {
        try {
            static_cast<void>(ridge_identity(rows, prior.view(), noise.view(), context));
        } catch (const InvalidArgument& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    EXPECT_EQ(message({1, {-2}}, r), "prior: is not positive definite");
    EXPECT_EQ(message(p, {2, {1, 2, 2, 1}}), "noise: is not positive definite");
    EXPECT_EQ(message(r, r), "prior: got 2 x 2, must be 1 x 1");
    EXPECT_EQ(message(p, {2, {1, 0.5, 0.4, 1}}),
              "noise: entries (2, 1) and (1, 2) are 0.4 and 0.5, must be finite and equal");
}

}  // namespace
}  // namespace mercer
