// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/ridge_identities_test.cpp - the formulations of kernel ridge regression agree.
//
// Notation   a  coefficients   t  weight vector   R  the diagonal alpha / w
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "mercer/base/random.hpp"
#include "mercer/kernels/feature_map.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/solvers/linear.hpp"
#include "support/facts.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using toys::coefficients;
using toys::krr_options;
using Matrix = std::vector<std::vector<double>>;

/// Solves the system by elimination with row exchanges, independently of the library.
std::vector<double> solved(Matrix a, std::vector<double> b) {
    const std::size_t n = b.size();
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < n; ++i) {
            pivot = std::abs(a[i][k]) > std::abs(a[pivot][k]) ? i : pivot;
        }
        std::swap(a[k], a[pivot]);
        std::swap(b[k], b[pivot]);
        for (std::size_t i = k + 1; i < n; ++i) {
            const double factor = a[i][k] / a[k][k];
            for (std::size_t j = k; j < n; ++j) {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        for (std::size_t j = k + 1; j < n; ++j) {
            b[k] -= a[k][j] * b[j];
        }
        b[k] /= a[k][k];
    }
    return b;
}

TrainOptions without_intercept(const std::string& kernel, double alpha) {
    TrainOptions options = krr_options(kernel, alpha);
    options.objective.intercept = false;
    return options;
}

Matrix random_matrix(index_t rows, index_t columns, Random& random) {
    Matrix out(static_cast<std::size_t>(rows), std::vector<double>());
    for (std::vector<double>& row : out) {
        for (index_t j = 0; j < columns; ++j) {
            row.push_back(random.normal());
        }
    }
    return out;
}

/// (X'R^-1 X + I) t = X'R^-1 y, solved in the space of the columns.
std::vector<double> primal_weights(const Matrix& x, const std::vector<double>& y,
                                   const std::vector<double>& r) {
    const std::size_t d = x.front().size();
    Matrix a(d, std::vector<double>(d, 0.0));
    std::vector<double> b(d, 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = 0; j < d; ++j) {
            for (std::size_t k = 0; k < d; ++k) {
                a[j][k] += x[i][j] * x[i][k] / r[i];
            }
            b[j] += x[i][j] * y[i] / r[i];
        }
    }
    for (std::size_t j = 0; j < d; ++j) {
        a[j][j] += 1.0;
    }
    return solved(a, b);
}

/// X'a.
std::vector<double> weights_of(const Matrix& x, const std::vector<double>& a) {
    std::vector<double> out(x.front().size(), 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = 0; j < out.size(); ++j) {
            out[j] += a[i] * x[i][j];
        }
    }
    return out;
}

TEST(RidgeIdentities, FourFormsOfTheHandMadeProblemAgree) {
    Context context;
    const Matrix x{{1, 1, 0}, {0, 1, 1}};
    const std::vector<double> y{1, 0};
    const Matrix k{{2, 1}, {1, 2}};
    const Model model = train(toys::ridge_pair(), without_intercept("linear", 1.0), context).model;
    const std::vector<double> a = coefficients(model, 2);
    const std::vector<double> theta = weights_of(x, a);
    const std::vector<double> primal = primal_weights(x, y, {1.0, 1.0});
    expect_fact("RR2", "KRR2: X'alpha of kernel ridge regression", theta);
    for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(theta[j], primal[j], 1e-14);
    }
    const std::vector<double> f = decision_function(model, toys::ridge_pair(), context);
    std::vector<double> by_residual;  // a = (y - K (K + I)^-1 y) / alpha
    std::vector<double> left;         // (K K + K) a = K y = (2, 1)
    for (std::size_t i = 0; i < 2; ++i) {
        by_residual.push_back(y[i] - f[i]);
        left.push_back(0.0);
        for (std::size_t j = 0; j < 2; ++j) {
            left[i] += k[i][j] * (f[j] + a[j]);
        }
    }
    expect_fact("RR3", "KRR2: (y - f) / (n lambda)", by_residual);
    expect_fact("RR5", "KRR2: (K^2 + n lambda K) alpha, which is K y", left);
    expect_fact("RR5", "KRR2: 1/2 y'alpha", 0.5 * (y[0] * a[0] + y[1] * a[1]));
}

TEST(RidgeIdentities, WeightedDualEqualsPrimalForRandomRows) {
    Random random(5);
    Context context;
    for (int round = 0; round < 20; ++round) {
        const index_t n = 3 + random.below(30);
        const index_t d = 1 + random.below(8);
        const double alpha = std::pow(10.0, random.uniform(-2.0, 2.0));
        const Matrix x = random_matrix(n, d, random);
        std::vector<double> y;
        std::vector<double> r;
        Dataset data;
        for (index_t i = 0; i < n; ++i) {
            y.push_back(random.normal());
        }
        data = toys::make_rows(x, y);
        for (index_t i = 0; i < n; ++i) {
            data.weights.push_back(random.uniform(0.3, 3.0));
            r.push_back(alpha / data.weights.back());
        }
        const std::vector<double> primal = primal_weights(x, y, r);
        // In the columns, and with the equivalent kernel in the rows.
        for (const char* kernel : {"linear", "poly(degree=1, coef0=0, scale=1)"}) {
            const Model model = train(data, without_intercept(kernel, alpha), context).model;
            const std::vector<double> dual = weights_of(x, coefficients(model, n));
            for (std::size_t j = 0; j < dual.size(); ++j) {
                EXPECT_NEAR(dual[j], primal[j], 1e-10 * (1.0 + std::abs(primal[j]))) << round;
            }
        }
    }
}

TEST(RidgeIdentities, PriorAndNoiseMatricesMeetInTheirIdentity) {
    // (P^-1 + B'R^-1 B)^-1 B'R^-1 y = P B'(B P B' + R)^-1 y: the kernel x'Pz with row weights 1/R.
    Random random(6);
    Context context;
    double largest = 0.0;
    for (int round = 0; round < 10; ++round) {
        const index_t n = 4 + random.below(12);
        const index_t d = 2 + random.below(4);
        const Matrix b = random_matrix(n, d, random);
        const Matrix l = random_matrix(d, d, random);
        const auto size = static_cast<std::size_t>(d);
        Matrix p(size, std::vector<double>(size, 0.0));
        auto matrix = std::make_shared<KernelMatrix>();
        matrix->file = "p.npy";
        matrix->rows = d;
        matrix->columns = d;
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t j = 0; j < size; ++j) {
                p[i][j] = i == j ? 0.5 : 0.0;
                for (std::size_t k = 0; k < size; ++k) {
                    p[i][j] += l[i][k] * l[j][k];
                }
                matrix->values.push_back(p[i][j]);
            }
        }
        std::vector<double> y;
        for (index_t i = 0; i < n; ++i) {
            y.push_back(random.normal());
        }
        Dataset data = toys::make_rows(b, y);
        std::vector<double> r;
        for (index_t i = 0; i < n; ++i) {
            data.weights.push_back(random.uniform(0.3, 3.0));
            r.push_back(0.7 / data.weights.back());
        }
        KernelNode node;
        node.type = KernelType::quadratic_form;
        node.matrix = matrix;
        TrainOptions options = without_intercept("linear", 0.7);
        options.kernel = Kernel(std::make_shared<const KernelNode>(node));
        const std::vector<double> a = coefficients(train(data, options, context).model, n);
        // (I + P B'R^-1 B) t = P B'R^-1 y is the left side without the inverse of P.
        Matrix left(size, std::vector<double>(size, 0.0));
        std::vector<double> right(size, 0.0);
        std::vector<double> found(size, 0.0);
        for (std::size_t i = 0; i < size; ++i) {
            left[i][i] = 1.0;
            for (std::size_t k = 0; k < size; ++k) {
                for (std::size_t row = 0; row < y.size(); ++row) {
                    right[i] += p[i][k] * b[row][k] * y[row] / r[row];
                    found[i] += p[i][k] * b[row][k] * a[row];
                    for (std::size_t j = 0; j < size; ++j) {
                        left[i][j] += p[i][k] * b[row][k] * b[row][j] / r[row];
                    }
                }
            }
        }
        const std::vector<double> known = solved(left, right);
        for (std::size_t j = 0; j < size; ++j) {
            largest = std::max(largest, std::abs(found[j] - known[j]) / (1.0 + std::abs(known[j])));
        }
    }
    expect_fact("RR7", "random P, diagonal R: largest relative difference of trained weights",
                largest);
}

TEST(RidgeIdentities, ADuplicateRowSharesAndOnlyTheFunctionIsUnique) {
    Context context;
    const Dataset twice = toys::make_rows({{1.0}, {1.0}}, {1, 1});
    const Model model = train(twice, without_intercept("linear", 1.0), context).model;
    const std::vector<double> f = decision_function(model, twice, context);
    expect_fact("RR10", "DUP, y = (1, 1), n lambda = 1: f of the fit", f);
    Problem problem;
    problem.gram = make_gram(linear_kernel(), twice);
    problem.targets = {1, 1};
    problem.costs = {0.5, 0.5};
    problem.loss = SquaredLoss{};
    problem.intercept = false;
    const auto certificate = [&](std::vector<double> a) { return certify(problem, a, context); };
    // (K K + K) a = K y for both, and the functions are equal.
    for (const auto& [key, a] : {std::pair{"(1/3, 1/3)", std::vector<double>{1.0 / 3, 1.0 / 3}},
                                 std::pair{"(2/3, 0)", std::vector<double>{2.0 / 3, 0.0}}}) {
        const std::vector<double> value = decision_values(problem, a, context);
        expect_fact("RR10", std::string("f of ") + key, value);
        std::vector<double> sum{value[0] + a[0], value[1] + a[1]};
        std::vector<double> left = decision_values(problem, sum, context);  // K (K a + a)
        expect_fact("RR10", std::string("(K^2 + K) a of ") + key + ", K y = (2, 2)", left);
    }
    EXPECT_NEAR(certificate({1.0 / 3.0, 1.0 / 3.0}).primal, certificate({2.0 / 3.0, 0.0}).primal,
                1e-15);
    EXPECT_NEAR(certificate({1.0 / 3.0 - 2.0 / 3.0, 1.0 / 3.0}).squared_norm, 0.0, 1e-15);
    // Without a diagonal: the least-norm coefficients, and f is the mean.
    const Dataset split = toys::make_rows({{1.0}, {1.0}}, {1, 0});
    const Model flat = train(split, without_intercept("linear", 0.0), context).model;
    expect_fact("RR9", "DUP, y = (1, 0): alpha of krr at 0", coefficients(flat, 2));
    expect_fact("RR9", "DUP, y = (1, 0): f", decision_function(flat, split, context));
}

TEST(RidgeIdentities, DeltaKernelShrinksEveryTargetAlone) {
    Context context;
    Random random(6);
    const index_t n = 12;
    std::vector<double> y;
    for (index_t i = 0; i < n; ++i) {
        y.push_back(random.normal());
    }
    TrainOptions options = without_intercept("delta", kNaN);
    options.objective.lambda = 0.25;
    const Dataset data = toys::make_rows(random_matrix(n, 3, random), y);
    const std::vector<double> a = coefficients(train(data, options, context).model, n);
    double largest = 0.0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        largest = std::max(largest, std::abs(a[i] - y[i] / (1.0 + 12 * 0.25)));
    }
    expect_fact("K10", "ridge: largest |a - y/(1 + n lambda)|", largest);
}

/// The rows mapped to explicit coordinates.
Dataset mapped(const FeatureMap& map, const Dataset& data) {
    Matrix rows;
    std::vector<double> x(static_cast<std::size_t>(data.columns()));
    for (index_t i = 0; i < data.rows(); ++i) {
        data.copy_row(i, x);
        rows.emplace_back(static_cast<std::size_t>(map.dimension()));
        map.map(x, rows.back());
    }
    Dataset out = toys::make_rows(rows, data.targets);
    out.label_names = data.label_names;
    return out;
}

class KernelTrick : public ::testing::TestWithParam<const char*> {
protected:
    /// The largest difference of a decision of `kernel` on the rows and one of a linear kernel on
    /// the coordinates, relative to 1 + its size.
    double largest_difference(const Dataset& data, const Dataset& probe, TrainOptions options,
                              double tolerance) {
        const FeatureMap map = make_feature_map(options.kernel, data.columns(), {});
        const Model implicit = train(data, options, context_).model;
        options.kernel = linear_kernel();
        const Model expl = train(mapped(map, data), options, context_).model;
        const std::vector<double> f = decision_function(implicit, probe, context_);
        const std::vector<double> g = decision_function(expl, mapped(map, probe), context_);
        double largest = 0.0;
        for (std::size_t i = 0; i < f.size(); ++i) {
            largest = std::max(largest, std::abs(f[i] - g[i]) / (1.0 + std::abs(f[i])));
        }
        EXPECT_LE(largest, tolerance);
        EXPECT_NEAR(implicit.certificates[0].primal, expl.certificates[0].primal,
                    tolerance * implicit.certificates[0].primal);
        return largest;
    }

    Context context_;
};

TEST_P(KernelTrick, RidgeAndVectorMachineAreTheSameOnExplicitCoordinates) {
    Random random(7);
    const Matrix x = random_matrix(40, 3, random);
    const Dataset probe = toys::make_rows(random_matrix(15, 3, random), {});
    std::vector<double> numbers;
    std::vector<double> classes;
    for (const std::vector<double>& row : x) {
        numbers.push_back(row[0] * row[1] + 0.1 * random.normal());
        classes.push_back(row[0] * row[1] + row[2] > 0.0 ? 1.0 : 0.0);
    }
    for (const bool intercept : {true, false}) {
        TrainOptions ridge = krr_options(GetParam(), 0.3);
        ridge.objective.intercept = intercept;
        const double ridges = largest_difference(toys::make_rows(x, numbers), probe, ridge, 1e-9);
        TrainOptions machine = toys::svc_options(GetParam(), 0.5);
        machine.objective.intercept = intercept;
        machine.run.gap_tolerance = 1e-13;
        const double machines =
            largest_difference(toys::make_classes(x, classes), probe, machine, 1e-5);
        if (std::string(GetParam()) == "monomial(degree=2)") {
            expect_fact("K23", "krr, monomial(degree=2): largest difference", ridges);
            expect_fact("K23", "svc, monomial(degree=2): largest difference", machines);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, KernelTrick,
                         ::testing::Values("monomial(degree=2)", "poly(degree=2, coef0=1, scale=1)",
                                           "poly(degree=3, coef0=0.5, scale=0.5)",
                                           "2 * linear + monomial(degree=2)"));

TEST(RidgeIdentities, AComponentOffTheRowsOnlyAddsToTheNorm) {
    // Explicit coordinates: the minimiser lies in the span of the rows. h = (1, -1, 1) is
    // orthogonal to both rows of the hand-made problem.
    Context context;
    const Matrix x{{1, 1, 0}, {0, 1, 1}};
    const std::vector<double> h{1, -1, 1};
    const Model model = train(toys::ridge_pair(), without_intercept("linear", 1.0), context).model;
    const std::vector<double> theta = weights_of(x, coefficients(model, 2));
    const auto objective = [&](const std::vector<double>& w) {
        double value = 0.0;
        for (const double entry : w) {
            value += 0.5 * entry * entry;
        }
        for (std::size_t i = 0; i < 2; ++i) {
            const double f = x[i][0] * w[0] + x[i][1] * w[1] + x[i][2] * w[2];
            value += 0.5 * std::pow(f - (i == 0 ? 1.0 : 0.0), 2);
        }
        return value;
    };
    expect_fact("RT1", "KRR2: part of theta along (1, -1, 1)",
                std::abs(theta[0] * h[0] + theta[1] * h[1] + theta[2] * h[2]));
    std::vector<double> raised;
    double moved = 0.0;
    for (const double step : {-0.5, 0.1, 2.0}) {
        std::vector<double> other = theta;
        for (std::size_t j = 0; j < 3; ++j) {
            other[j] += step * h[j];
        }
        raised.push_back(objective(other) - objective(theta));
        for (const std::vector<double>& row : x) {
            double change = 0.0;
            for (std::size_t j = 0; j < 3; ++j) {
                change += row[j] * (other[j] - theta[j]);
            }
            moved = std::max(moved, std::abs(change));
        }
    }
    expect_fact("RT1", "KRR2: objective raised by -1/2, 1/10, 2 times (1, -1, 1)", raised);
    expect_fact("RT1", "KRR2: values at the rows moved by it", moved);
}

TEST(RidgeIdentities, ExplicitSolutionsLieInTheSpanOfTheMappedRows) {
    // Six rows, ten coordinates of poly(degree=2): ridge in the coordinates themselves.
    Random random(8);
    Context context;
    double worst = 0.0;
    for (int round = 0; round < 10; ++round) {
        Dataset data = toys::make_rows(random_matrix(6, 3, random), {});
        for (index_t i = 0; i < 6; ++i) {
            data.targets.push_back(random.normal());
        }
        const Kernel kernel = parse_kernel("poly(degree=2, coef0=1, scale=1)").value();
        const FeatureMap map = make_feature_map(kernel, 3, {});
        Matrix rows;
        std::vector<double> flat;
        std::vector<double> x(3);
        for (index_t i = 0; i < 6; ++i) {
            data.copy_row(i, x);
            rows.emplace_back(static_cast<std::size_t>(map.dimension()));
            map.map(x, rows.back());
            flat.insert(flat.end(), rows.back().begin(), rows.back().end());
        }
        LinearProblem problem;
        problem.rows = {flat.data(), 6, map.dimension()};
        problem.targets = data.targets;
        problem.alpha = 0.3;
        problem.intercept = false;
        std::vector<double> w = solve_linear(problem, "primal", 0, context).w;
        // Take out of w what lies along the rows, made orthogonal one after the other.
        double norm = 0.0;
        for (const double entry : w) {
            norm += entry * entry;
        }
        const auto inner = [](const std::vector<double>& a, const std::vector<double>& b) {
            double sum = 0.0;
            for (std::size_t j = 0; j < a.size(); ++j) {
                sum += a[j] * b[j];
            }
            return sum;
        };
        const auto take_out = [&](std::vector<double>& from, const std::vector<double>& along) {
            const double share = inner(from, along) / inner(along, along);
            for (std::size_t j = 0; j < from.size(); ++j) {
                from[j] -= share * along[j];
            }
        };
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (int twice = 0; twice < 2; ++twice) {
                for (std::size_t k = 0; k < i; ++k) {
                    take_out(rows[i], rows[k]);
                }
            }
            take_out(w, rows[i]);
        }
        worst = std::max(worst, std::sqrt(inner(w, w) / norm));
    }
    expect_fact("RT1", "poly(degree=2), 10 random problems: part of w off the mapped rows", worst);
}

TEST(RidgeIdentities, PredictionsAreKernelRowsTimesTheInverse) {
    // y(x) = k(x)'(K + lambda I)^-1 t, by elimination.
    Random random(9);
    Context context;
    double worst = 0.0;
    for (int round = 0; round < 10; ++round) {
        const Matrix x = random_matrix(9, 2, random);
        const Matrix probe = random_matrix(5, 2, random);
        std::vector<double> y;
        for (std::size_t i = 0; i < x.size(); ++i) {
            y.push_back(random.normal());
        }
        const auto value = [](const std::vector<double>& a, const std::vector<double>& b) {
            return std::exp(-0.5 * (std::pow(a[0] - b[0], 2) + std::pow(a[1] - b[1], 2)));
        };
        Matrix k;
        for (std::size_t i = 0; i < x.size(); ++i) {
            k.emplace_back();
            for (std::size_t j = 0; j < x.size(); ++j) {
                k[i].push_back(value(x[i], x[j]) + (i == j ? 0.2 : 0.0));
            }
        }
        const std::vector<double> a = solved(k, y);
        const Model model =
            train(toys::make_rows(x, y), without_intercept("rbf(gamma=0.5)", 0.2), context).model;
        const std::vector<double> f = decision_function(
            model, toys::make_rows(probe, std::vector<double>(probe.size(), 0.0)), context);
        for (std::size_t p = 0; p < probe.size(); ++p) {
            double known = 0.0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                known += a[i] * value(x[i], probe[p]);
            }
            worst = std::max(worst, std::abs(f[p] - known));
        }
    }
    expect_fact("RR8", "rbf, 10 random problems: f and k(x)'(K + lambda I)^-1 t apart", worst);
}

}  // namespace
}  // namespace mercer
