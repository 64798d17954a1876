// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/normal_system.cpp - interior-point steps by a matrix of the columns or of the rows.
//
// Method   In the columns, K = c XX': w = c X'beta is a separate variable with the residual
//          r = c X'beta - w, which avoids cancellation with large columns:
//              (I/c + X'NX) dw + X'NE y = X'N rho + r/c,   E'NX dw + (E'NE + M) y = E'N rho - r_e
//          In the rows: B = I + N^1/2 K N^1/2, d = N^1/2 B^-1 N^1/2 (rho - E y), and y by the
//          remaining q equations.
// Cost     n r^2 + r^3/3 per step with r columns; otherwise n^3/3 and n^2/2 kernel values, which
//          are not stored.
// Notation A  the matrix of the columns with its border     S  its scale, diag(A)^-1/2
#include "solvers/normal_system.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "mercer/base/checked.hpp"
#include "mercer/base/index.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/operators/linear_rows.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

// Limits on the weights, in units of 1 / K(i, i), tried in turn until all pivots are positive
// despite rounding. A limit makes the step a little shorter; residuals are recomputed after it.
constexpr std::array kMostWeight{kInfinity, 1e15, 1e14, 1e13, 1e12, 1e11, 1e10, 1e8};
constexpr double kLeastPivot = 1e-15;  // of a matrix with a unit diagonal

// Free rows have weights of 1e10 and more, which amplify the rounding of rho - X dw. A refinement
// has no such difference: after it c X'd equals dw to full accuracy.
constexpr int kRefinements = 1;

/// A symmetric matrix, scaled to a unit diagonal and factored in place.
class ScaledFactor {
public:
    ScaledFactor(index_t size, const char* what, Context& context)
        : size_(size), room_(context.allocate<double>(checked_multiply(size, size), what)) {}

    [[nodiscard]] MatrixView<double> matrix() { return {room_.data(), size_, size_}; }

    /// `fill` writes the lower triangle. The weights are reduced until it has a factor.
    template <typename Fill>
    [[nodiscard]] bool factor(RowSystem& system, std::span<const double> diagonal, const Fill& fill,
                              Context& context) {
        for (const double most : kMostWeight) {
            for (std::size_t i = 0; i < system.weights.size(); ++i) {
                system.weights[i] /= 1.0 + system.weights[i] * diagonal[i] / most;
            }
            fill(matrix());
            if (!scale()) {
                return false;
            }
            if (cholesky(matrix(), context) && least_pivot() >= kLeastPivot) {
                return true;
            }
        }
        return false;
    }

    /// Solves for every column of b, in place.
    void solve(MatrixView<double> b, Context& context) {
        apply_scale(b);
        cholesky_solve(MatrixView<const double>(room_.data(), size_, size_), b, context);
        apply_scale(b);
    }

private:
    [[nodiscard]] double least_pivot() {
        double least = 1.0;
        for (index_t j = 0; j < size_; ++j) {
            least = std::min(least, matrix()(j, j) * matrix()(j, j));
        }
        return least;
    }

    [[nodiscard]] bool scale() {
        const MatrixView<double> a = matrix();
        scale_.resize(at(size_));
        for (index_t j = 0; j < size_; ++j) {
            if (!std::isfinite(a(j, j)) || a(j, j) < 0.0) {
                return false;
            }
            scale_[at(j)] = a(j, j) > 0.0 ? 1.0 / std::sqrt(a(j, j)) : 1.0;
        }
        for (index_t i = 0; i < size_; ++i) {
            for (index_t j = 0; j < i; ++j) {
                a(i, j) *= scale_[at(i)] * scale_[at(j)];
            }
            a(i, i) = 1.0;
        }
        return true;
    }

    void apply_scale(MatrixView<double> b) const {
        for (index_t i = 0; i < size_; ++i) {
            for (index_t c = 0; c < b.columns; ++c) {
                b(i, c) *= scale_[at(i)];
            }
        }
    }

    index_t size_;
    Buffer<double> room_;
    std::vector<double> scale_;
};

MatrixView<double> column(std::vector<double>& values) {
    return {values.data(), static_cast<index_t>(values.size()), 1};
}

/// N times a vector, or N E column by column.
std::vector<double> weighted(const RowSystem& system, std::span<const double> values,
                             std::size_t width) {
    std::vector<double> out(values.begin(), values.end());
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] *= system.weights[i / width];
    }
    return out;
}

/// out += E'u.
void add_border(const RowSystem& system, std::span<const double> u, std::span<double> out) {
    for (std::size_t i = 0; i < u.size(); ++i) {
        const std::span<const double> e = system.border_row(i);
        for (std::size_t j = 0; j < out.size(); ++j) {
            out[j] += e[j] * u[i];
        }
    }
}

/// right - (E'd - M y): the residual of the equations after a step.
std::vector<double> missing(const RowSystem& system, const RowStep& step,
                            std::span<const double> right) {
    const std::size_t q = right.size();
    std::vector<double> sums(q, 0.0);
    add_border(system, step.rows, sums);
    std::vector<double> out(right.begin(), right.end());
    for (std::size_t j = 0; j < q; ++j) {
        out[j] -= sums[j];
        for (std::size_t l = 0; l < q; ++l) {
            out[j] += system.corner[j * q + l] * step.equations[l];
        }
    }
    return out;
}

void add(std::span<const double> more, std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] += more[i];
    }
}

class ColumnNormalSystem final : public NormalSystem {
public:
    ColumnNormalSystem(const GramOperator& gram, index_t equations, Context& context)
        : x_(gram.linear()->rows),
          c_(gram.linear()->factor),
          equations_(equations),
          diagonal_(gram.diagonal()),
          factor_(x_.columns() + equations, "the matrix of the columns", context) {}

    [[nodiscard]] std::string form() const override { return "columns"; }
    [[nodiscard]] bool has_own_values() const override { return true; }

    void start(std::span<const double> beta, Context& context) override {
        w_ = weights_of(beta, context);
        residual_.assign(w_.size(), 0.0);
        step_.assign(w_.size(), 0.0);
    }

    [[nodiscard]] std::vector<double> values(Context& context) override {
        std::vector<double> f(at(x_.rows()));
        x_.multiply(std::span<const double>(w_), f, context);
        return f;
    }

    [[nodiscard]] bool factor(RowSystem& system, Context& context) override {
        return factor_.factor(
            system, diagonal_, [&](MatrixView<double> a) { fill(system, a, context); }, context);
    }

    [[nodiscard]] RowStep solve(const RowSystem& system, std::span<const double> rho,
                                std::span<const double> right, bool rough,
                                Context& context) override {
        Step out = solve_once(system, rho, residual_, right, context);
        for (int round = 0; round < (rough ? 0 : kRefinements); ++round) {
            std::vector<double> lacks = weights_of(out.rows.rows, context);
            for (std::size_t j = 0; j < lacks.size(); ++j) {
                lacks[j] += residual_[j] - out.w[j];
            }
            const std::vector<double> wants = missing(system, out.rows, right);
            const Step more = solve_once(system, {}, lacks, wants, context);
            add(more.w, out.w);
            add(more.rows.rows, out.rows.rows);
            add(more.rows.equations, out.rows.equations);
        }
        step_ = std::move(out.w);
        return std::move(out.rows);
    }

    [[nodiscard]] RowStep restoring_step(const RowSystem& system, std::span<const double> beta,
                                         std::span<const double> right, Context& context) override {
        std::vector<double> lacks = weights_of(beta, context);
        for (std::size_t j = 0; j < lacks.size(); ++j) {
            lacks[j] -= w_[j];
        }
        return solve_once(system, {}, lacks, right, context).rows;
    }

    void advance(double length, std::span<const double> beta, Context& context) override {
        residual_ = weights_of(beta, context);
        for (std::size_t j = 0; j < w_.size(); ++j) {
            w_[j] += length * step_[j];
            residual_[j] -= w_[j];
        }
    }

private:
    struct Step {
        std::vector<double> w;
        RowStep rows;
    };

    /// The step of w, rows and equations; `lacks` is c X'beta - w, an empty rho means zeros.
    [[nodiscard]] Step solve_once(const RowSystem& system, std::span<const double> rho,
                                  std::span<const double> lacks, std::span<const double> right,
                                  Context& context) {
        const index_t r = x_.columns();
        std::vector<double> b(at(r + equations_), 0.0);
        const std::span<double> top(b.data(), at(r));
        const std::span<double> bottom(b.data() + r, at(equations_));
        if (!rho.empty()) {
            const std::vector<double> u = weighted(system, rho, 1);
            x_.multiply_transposed(std::span<const double>(u), top, context);
            add_border(system, u, bottom);
        }
        for (std::size_t j = 0; j < top.size(); ++j) {
            top[j] += lacks[j] / c_;
        }
        for (std::size_t j = 0; j < bottom.size(); ++j) {
            bottom[j] -= right[j];
        }
        factor_.solve(column(b), context);
        Step out;
        out.w.assign(b.begin(), b.begin() + r);
        out.rows.equations.assign(b.begin() + r, b.end());
        out.rows.rows.resize(at(x_.rows()));
        x_.multiply(std::span<const double>(out.w), out.rows.rows, context);
        for (std::size_t i = 0; i < out.rows.rows.size(); ++i) {
            const std::span<const double> e = system.border_row(i);
            double rest = (rho.empty() ? 0.0 : rho[i]) - out.rows.rows[i];
            for (std::size_t j = 0; j < e.size(); ++j) {
                rest -= e[j] * out.rows.equations[j];
            }
            out.rows.rows[i] = system.weights[i] * rest;
        }
        return out;
    }

    [[nodiscard]] std::vector<double> weights_of(std::span<const double> beta, Context& context) {
        std::vector<double> w(at(x_.columns()));
        x_.compensated_transposed({beta.data(), x_.rows(), 1}, column(w), context);
        for (double& value : w) {
            value *= c_;
        }
        return w;
    }

    /// [I/c + X'NX, .; E'NX, E'NE + M], the lower triangle.
    void fill(const RowSystem& system, MatrixView<double> a, Context& context) {
        const index_t r = x_.columns();
        x_.normal_matrix(system.weights, {}, MatrixView<double>(a.data, r, r, a.stride), context);
        for (index_t j = 0; j < r; ++j) {
            a(j, j) += 1.0 / c_;
        }
        if (equations_ == 0) {
            return;
        }
        const auto q = at(equations_);
        const std::vector<double> u = weighted(system, system.border, q);
        std::vector<double> sides(at(r) * q);
        const MatrixView<double> side(sides.data(), r, equations_);
        x_.multiply_transposed({u.data(), x_.rows(), equations_}, side, context);
        for (index_t e = 0; e < equations_; ++e) {
            for (index_t j = 0; j < r; ++j) {
                a(r + e, j) = side(j, e);
            }
            for (index_t l = 0; l <= e; ++l) {
                double sum = system.corner[at(e) * q + at(l)];
                for (std::size_t i = 0; i < system.weights.size(); ++i) {
                    sum += u[i * q + at(e)] * system.border[i * q + at(l)];
                }
                a(r + e, r + l) = sum;
            }
        }
    }

    const LinearRows& x_;
    double c_;
    index_t equations_;
    std::vector<double> diagonal_;  ///< of K
    ScaledFactor factor_;
    std::vector<double> w_;
    std::vector<double> residual_;  ///< c X'beta - w
    std::vector<double> step_;      ///< of w
};

class RowNormalSystem final : public NormalSystem {
public:
    RowNormalSystem(const GramOperator& gram, index_t equations, Context& context)
        : n_(gram.size()),
          equations_(equations),
          diagonal_(gram.diagonal()),
          factor_(n_, "the matrix of the rows", context),
          gram_(gram.whole(Precision::float64, context)) {}

    [[nodiscard]] std::string form() const override { return "rows"; }
    [[nodiscard]] bool has_own_values() const override { return false; }

    void start(std::span<const double> beta, Context& context) override {
        advance(0.0, beta, context);
    }

    [[nodiscard]] std::vector<double> values(Context&) override { return f_; }

    [[nodiscard]] bool factor(RowSystem& system, Context& context) override {
        return factor_.factor(
                   system, diagonal_, [&](MatrixView<double> b) { fill(system, b, context); },
                   context) &&
               factor_equations(system, context);
    }

    [[nodiscard]] RowStep solve(const RowSystem& system, std::span<const double> rho,
                                std::span<const double> right, bool, Context& context) override {
        std::vector<double> u(rho.begin(), rho.end());
        solve_rows(column(u), context);
        RowStep out;
        out.equations.assign(at(equations_), 0.0);
        add_border(system, u, out.equations);
        for (std::size_t j = 0; j < out.equations.size(); ++j) {
            out.equations[j] -= right[j];
        }
        solve_equations(out.equations);
        out.rows = std::move(u);
        for (std::size_t i = 0; i < out.rows.size(); ++i) {
            for (std::size_t j = 0; j < out.equations.size(); ++j) {
                out.rows[i] -= sides_[i * out.equations.size() + j] * out.equations[j];
            }
        }
        return out;
    }

    [[nodiscard]] RowStep restoring_step(const RowSystem& system, std::span<const double> beta,
                                         std::span<const double> right, Context& context) override {
        std::vector<double> rho(at(n_));
        gram_->multiply({beta.data(), n_, 1}, column(rho), context);
        for (std::size_t i = 0; i < rho.size(); ++i) {
            rho[i] = f_[i] - rho[i];
        }
        return solve(system, rho, right, false, context);
    }

    void advance(double, std::span<const double> beta, Context& context) override {
        f_.resize(at(n_));
        gram_->multiply({beta.data(), n_, 1}, column(f_), context);
    }

private:
    void fill(const RowSystem& system, MatrixView<double> b, Context& context) {
        root_.resize(at(n_));
        std::transform(system.weights.begin(), system.weights.end(), root_.begin(),
                       [](double weight) { return std::sqrt(weight); });
        gram_->copy_lower(b, context);
        for (index_t i = 0; i < n_; ++i) {
            for (index_t j = 0; j <= i; ++j) {
                b(i, j) *= root_[at(i)] * root_[at(j)];
            }
            b(i, i) += 1.0;
        }
    }

    /// b = N^1/2 B^-1 N^1/2 b.
    void solve_rows(MatrixView<double> b, Context& context) {
        const auto apply_root = [&] {
            for (index_t i = 0; i < n_; ++i) {
                for (index_t c = 0; c < b.columns; ++c) {
                    b(i, c) *= root_[at(i)];
                }
            }
        };
        apply_root();
        factor_.solve(b, context);
        apply_root();
    }

    /// T = E'(K + 1/N)^-1 E + M of the equations; false when an equation has no rows to move.
    [[nodiscard]] bool factor_equations(const RowSystem& system, Context& context) {
        if (equations_ == 0) {
            return true;
        }
        sides_ = system.border;
        solve_rows({sides_.data(), n_, equations_}, context);
        const auto q = at(equations_);
        schur_ = system.corner;
        for (std::size_t i = 0; i < at(n_); ++i) {
            for (std::size_t j = 0; j < q; ++j) {
                for (std::size_t l = 0; l < q; ++l) {
                    schur_[j * q + l] += system.border[i * q + j] * sides_[i * q + l];
                }
            }
        }
        const double determinant =
            q == 1 ? schur_[0] : schur_[0] * schur_[3] - schur_[1] * schur_[2];
        return determinant > 0.0 && std::isfinite(determinant);
    }

    /// y = T^-1 y, by Cramer's rule: one equation or two.
    void solve_equations(std::vector<double>& y) const {
        if (equations_ == 1) {
            y[0] /= schur_[0];
        } else if (equations_ == 2) {
            const double determinant = schur_[0] * schur_[3] - schur_[1] * schur_[2];
            const double first = (y[0] * schur_[3] - schur_[1] * y[1]) / determinant;
            y[1] = (schur_[0] * y[1] - schur_[2] * y[0]) / determinant;
            y[0] = first;
        }
    }

    index_t n_;
    index_t equations_;
    std::vector<double> diagonal_;  ///< of K
    ScaledFactor factor_;
    std::unique_ptr<const GramBlock> gram_;
    std::vector<double> f_;
    std::vector<double> root_;   ///< N^1/2
    std::vector<double> sides_;  ///< (K + 1/N)^-1 E
    std::vector<double> schur_;
};

// Passes over X in a step, and the cost of a multiplication in a pass or in a sparse X'NX relative
// to a dense product (measured in operators/linear_rows.cpp).
constexpr double kPasses = 6.0;
constexpr double kStreamed = 8.0;
constexpr double kGathered = 34.0;
constexpr double kScattered = 17.0;

double column_cost(const ProblemSize& size) {
    const auto n = static_cast<double>(size.rows);
    const auto r = static_cast<double>(size.factor_columns);
    const double e = size.entries_per_row;
    const bool sparse = e < 0.5 * r;
    const double normal = sparse ? std::min(n * r * r, 0.5 * kScattered * n * e * e) : n * r * r;
    return normal + kPasses * (sparse ? kGathered : kStreamed) * n * e + r * r * r / 3.0;
}

double row_cost(const ProblemSize& size) {
    const auto n = static_cast<double>(size.rows);
    return n * n * n / 3.0 + kPasses * kStreamed * n * n;
}

}  // namespace

bool works_in_columns(const ProblemSize& size) {
    return size.factor_columns > 0 && column_cost(size) < row_cost(size);
}

double step_cost(const ProblemSize& size) {
    return works_in_columns(size) ? column_cost(size) : row_cost(size);
}

std::unique_ptr<NormalSystem> make_normal_system(const Problem& problem, index_t equations,
                                                 Context& context) {
    if (works_in_columns(size_of(problem, 0))) {
        return std::make_unique<ColumnNormalSystem>(*problem.gram, equations, context);
    }
    return std::make_unique<RowNormalSystem>(*problem.gram, equations, context);
}

}  // namespace mercer
