// SPDX-License-Identifier: Apache-2.0
//
// tests/sample_kernels.hpp - expressions in which each leaf and each rule of the algebra occurs at
// least once, by the rows they are defined on. To add a kernel to the laws is to add it here.
#pragma once

#include <string>
#include <vector>

namespace mercer::testing {

inline const std::vector<std::string> kAnyRows{
    "linear",
    "poly(degree=3, coef0=1, scale=0.2)",
    "monomial(degree=2)",
    "rbf(gamma=0.3)",
    "rbf(gamma=50)",
    "laplace(gamma=0.2)",
    "matern(nu=0.5, length=2)",
    "matern(nu=1.5, length=2)",
    "matern(nu=2.5, length=2)",
    "matern(nu=0.8, length=1.5)",
    "matern(nu=3.7, length=3)",
    "rational-quadratic(alpha=1.5, length=2)",
    "sigmoid(gamma=0.1, coef0=-0.5)",
    "delta",
    "cosine",
    "constant(2.5)",
    "latent-gaussian(s=1, tau=2)",
    "negative-distance(power=2)",
    "negative-distance(power=1)",
    "negative-distance(power=0.7)",
    "2.5 * rbf(gamma=0.1)",
    "rbf(gamma=0.1) + 0.5 * linear + laplace(gamma=1)",
    "rbf(gamma=0.01) * poly(degree=2) * cosine",
    "exp(0.01 * linear)",
    "exp(rbf(gamma=0.1))",
    "polynomial(rbf(gamma=0.1); 0.5, 0, 2, 1)",
    "normalized(poly(degree=2, coef0=1))",
    "scaled(linear; exp(-0.1 * norm2))",
    "scaled(rbf(gamma=0.1); 1 + norm)",
    "rbf(gamma=0.05) ^ 3",
};

/// Only for rows of at least three columns.
inline const std::vector<std::string> kThreeColumns{
    "columns(rbf(gamma=0.5); 0:2)",
    "columns(linear; 2, 0)",
    "columns(rbf(gamma=1); 0:3) * linear + columns(laplace(gamma=1); 1)",
    "scaled(linear; column(1) ^ 2 + 1)",
};

/// Only for entries >= 0.
inline const std::vector<std::string> kNonNegative{"chi2(gamma=0.5)", "intersection",
                                                   "exp(0.1 * intersection)"};

/// Only for one column with entries in [0, 1].
inline const std::vector<std::string> kUnitInterval{"brownian-bridge", "sinc(bandwidth=0.5)",
                                                    "sinc(bandwidth=3)"};

}  // namespace mercer::testing
