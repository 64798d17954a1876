// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_squared_risk.cpp - the squared loss of an l1 path by its normal matrix.
//
// With an intercept, columns and targets are centred: b follows from the coefficients, and H is the
// matrix of the centred columns, without cancellation against the means.
//
// Notation   D  c_i times the curvature     H = R + Z'D Z     q = Z'D y, both centred
//            L = 1/2 y'D y - q'beta + 1/2 beta'H beta         gradient H beta - q
#include "solvers/l1_squared_risk.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "mercer/base/checked.hpp"
#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/index.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/compute/primitives.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

// A curvature below this share of its terms is rounding.
constexpr double kCurvatureNoise = 1e-13;
constexpr index_t kBlock = 1024;  // rows that are centred and weighted at a time

class SquaredRisk final : public L1Risk {
public:
    SquaredRisk(const L1PathProblem& problem, Context& context)
        : device_(context.device()),
          p_(problem.columns.rows),
          h_(context.allocate<double>(checked_multiply(p_, p_), "the normal matrix")),
          q_(at(p_), 0.0),
          means_(at(p_), 0.0),
          gradient_(at(p_)),
          gradient_rate_(at(p_)) {
        fill(problem, context);
        for (index_t j = 0; j < p_; ++j) {
            diagonal_.push_back(row(j)[j]);
        }
    }

    void reset() override {}
    void settle() override {}
    [[nodiscard]] index_t variables() const override { return p_; }
    [[nodiscard]] index_t free_column() const override { return -1; }
    [[nodiscard]] std::span<const double> diagonal() const override { return diagonal_; }

    void hessian(index_t j, std::span<const index_t> columns,
                 std::span<double> out) const override {
        for (std::size_t k = 0; k < columns.size(); ++k) {
            out[k] = row(j)[columns[k]];
        }
    }

    void move(std::span<const index_t> columns, std::span<const double> values) override {
        times_h(columns, values, gradient_);
        CompensatedSum risk;
        CompensatedSum centre;
        risk.add(0.5 * squares_);
        centre.add(mean_);
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const auto j = at(columns[k]);
            // H beta - 2 q is the gradient minus q.
            risk.add(0.5 * values[k] * (gradient_[j] - 2.0 * q_[j]));
            centre.add(-means_[j] * values[k]);
        }
        for (std::size_t j = 0; j < q_.size(); ++j) {
            gradient_[j] -= q_[j];
        }
        value_ = std::max(0.0, risk.value());
        intercept_ = centre.value();
    }

    [[nodiscard]] std::span<const double> gradient() const override { return gradient_; }
    [[nodiscard]] double value() const override { return value_; }
    [[nodiscard]] double intercept() const override { return intercept_; }

    void direct(std::span<const index_t> columns, std::span<const double> rates) override {
        times_h(columns, rates, gradient_rate_);
        curvature_ = 0.0;
        double terms = 0.0;
        for (std::size_t k = 0; k < columns.size(); ++k) {
            curvature_ += rates[k] * gradient_rate_[at(columns[k])];
            terms += std::abs(rates[k]) * std::sqrt(diagonal_[at(columns[k])]);
        }
        curvature_ = curvature_ > kCurvatureNoise * terms * terms ? curvature_ : 0.0;
    }
    [[nodiscard]] double curvature() const override { return curvature_; }
    [[nodiscard]] std::span<const double> gradient_rates() const override { return gradient_rate_; }

    [[nodiscard]] ZoneChange next_change(double, bool, bool) const override { return {}; }
    [[nodiscard]] double weight_change(const ZoneChange&) const override { return 0.0; }
    void change(const ZoneChange&) override {}
    void row_values(index_t, std::span<const index_t>, std::span<double>) const override {}

private:
    [[nodiscard]] const double* row(index_t j) const { return h_.data() + j * p_; }

    void times_h(std::span<const index_t> columns, std::span<const double> values,
                 std::vector<double>& out) const {
        std::fill(out.begin(), out.end(), 0.0);
        for (std::size_t k = 0; k < columns.size(); ++k) {
            accumulate_transposed(MatrixView<const double>(row(columns[k]), 1, p_),
                                  MatrixView<const double>(&values[k], 1, 1),
                                  MatrixView<double>(out.data(), p_, 1), device_);
        }
    }

    void fill(const L1PathProblem& problem, Context& context) {
        const std::vector<double> d = curvatures(problem);
        if (problem.intercept) {
            take_means(problem, d, context);
        }
        const std::vector<double> residual = take_targets(problem, d);
        add_columns(problem.columns, d, residual, context);
        add_ridge(problem);
    }

    /// D.
    static std::vector<double> curvatures(const L1PathProblem& problem) {
        std::vector<double> d(problem.targets.size());
        std::visit(
            [&](const auto& loss) {
                for (std::size_t i = 0; i < d.size(); ++i) {
                    d[i] = problem.costs[i] * loss.curvature(problem.targets[i], 0.0);
                }
            },
            problem.loss);
        return d;
    }

    /// Sets y'D y of the centred targets and returns their D y.
    std::vector<double> take_targets(const L1PathProblem& problem, const std::vector<double>& d) {
        std::vector<double> residual(d.size());
        CompensatedSum squares;
        for (std::size_t i = 0; i < residual.size(); ++i) {
            const double y = problem.targets[i] - mean_;
            residual[i] = d[i] * y;
            squares.add(d[i] * y * y);
        }
        squares_ = squares.value();
        return residual;
    }

    /// H = Z'D Z and q = Z'D y, a block of rows at a time.
    void add_columns(MatrixView<const double> z, const std::vector<double>& d,
                     const std::vector<double>& residual, Context& context) {
        const index_t n = z.columns;
        Buffer<double> block =
            context.allocate<double>(checked_multiply(p_, std::min(n, kBlock)), "centred columns");
        const MatrixView<double> h(h_.data(), p_, p_);
        for (index_t begin = 0; begin < n; begin += kBlock) {
            const index_t count = std::min(kBlock, n - begin);
            parallel_for(context, p_, [&](index_t j, int) {
                double* out = block.data() + j * count;
                double sum = 0.0;
                for (index_t i = 0; i < count; ++i) {
                    const double value = z(j, begin + i) - means_[at(j)];
                    sum += value * residual[at(begin + i)];
                    out[i] = value * std::sqrt(d[at(begin + i)]);
                }
                q_[at(j)] += sum;
            });
            const MatrixView<const double> x(block.data(), p_, count);
            multiply(x, false, x, true, 1.0, begin == 0 ? 0.0 : 1.0, h, context);
        }
    }

    /// H += R.
    void add_ridge(const L1PathProblem& problem) {
        const MatrixView<double> h(h_.data(), p_, p_);
        for (index_t j = 0; j < p_ && problem.ridge != L1Ridge::none; ++j) {
            if (problem.ridge == L1Ridge::identity) {
                h(j, j) += 1.0;
                continue;
            }
            for (index_t k = 0; k < p_; ++k) {
                h(j, k) += problem.columns(j, k);
            }
        }
    }

    void take_means(const L1PathProblem& problem, const std::vector<double>& d, Context& context) {
        CompensatedSum weights;
        CompensatedSum targets;
        for (std::size_t i = 0; i < d.size(); ++i) {
            weights.add(d[i]);
            targets.add(d[i] * problem.targets[i]);
        }
        mean_ = targets.value() / weights.value();
        parallel_for(context, p_, [&](index_t j, int) {
            CompensatedSum sum;
            for (std::size_t i = 0; i < d.size(); ++i) {
                sum.add(d[i] * problem.columns(j, static_cast<index_t>(i)));
            }
            means_[at(j)] = sum.value() / weights.value();
        });
    }

    Device device_;
    index_t p_;
    Buffer<double> h_;
    std::vector<double> q_;
    std::vector<double> means_;  ///< of the columns
    double mean_ = 0.0;          ///< of the targets
    double squares_ = 0.0;       ///< y'D y
    std::vector<double> diagonal_;
    std::vector<double> gradient_;
    std::vector<double> gradient_rate_;
    double curvature_ = 0.0;
    double value_ = 0.0;
    double intercept_ = 0.0;  ///< b of the last move()
};

}  // namespace

std::unique_ptr<L1Risk> make_squared_risk(const L1PathProblem& problem, Context& context) {
    return std::make_unique<SquaredRisk>(problem, context);
}

}  // namespace mercer
