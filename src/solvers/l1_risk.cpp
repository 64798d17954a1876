// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_risk.cpp - piecewise quadratic losses, by products with the columns.
//
// Notation   f = Z beta + b     u_i = c_i loss'(y_i, f_i)     D_i  c_i times the zone's curvature
//            H = R + Z'D Z      gradient R beta + Z'u
#include "solvers/l1_risk.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/index.hpp"
#include "mercer/compute/primitives.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"
#include "solvers/l1_squared_risk.hpp"

namespace mercer {

namespace {

constexpr index_t kTile = 64;  // columns that a thread multiplies at a time
// A rate below this share of its terms is rounding.
constexpr double kRateNoise = 2e-15;
constexpr double kGramNoise = 50.0;  // times that, for a curvature that is not a sum of squares

/// The pieces of a loss along f for one sign of y.
struct Zones {
    std::vector<double> ends;        ///< ascending
    std::vector<double> curvatures;  ///< one more
};

Zones zones_of(const Loss& loss, double y) {
    return std::visit(
        [&](const auto& each) {
            Zones out;
            for (const Jump& bend : each.bends(y)) {
                out.ends.push_back(bend.position);
            }
            std::sort(out.ends.begin(), out.ends.end());
            for (std::size_t k = 0; k <= out.ends.size(); ++k) {
                const double inside = out.ends.empty() ? 0.0
                                      : k == 0         ? out.ends[0] - 1.0
                                      : k == out.ends.size()
                                          ? out.ends[k - 1] + 1.0
                                          : 0.5 * (out.ends[k - 1] + out.ends[k]);
                out.curvatures.push_back(each.curvature(y, inside));
            }
            return out;
        },
        loss);
}

class ZonedRisk final : public L1Risk {
public:
    ZonedRisk(const L1PathProblem& problem, Context& context)
        : problem_(problem),
          context_(context),
          n_(problem.columns.columns),
          p_(problem.columns.rows),
          below_(zones_of(problem.loss, -1.0)),
          above_(zones_of(problem.loss, 1.0)),
          f_(at(n_)),
          u_(at(n_)),
          f_rate_(at(n_)),
          gradient_(at(variables())),
          gradient_rate_(at(variables())),
          diagonal_(at(variables())),
          largest_(at(p_), 0.0) {
        largest_.resize(at(variables()), 1.0);  // of the intercept's column
        for (index_t j = 0; j < p_; ++j) {
            for (index_t i = 0; i < n_; ++i) {
                largest_[at(j)] = std::max(largest_[at(j)], std::abs(problem_.columns(j, i)));
            }
        }
        reset();
    }

    void reset() override {
        double b = 0.0;
        if (problem_.intercept) {
            CompensatedSum targets;
            CompensatedSum costs;
            for (std::size_t i = 0; i < problem_.targets.size(); ++i) {
                targets.add(problem_.costs[i] * problem_.targets[i]);
                costs.add(problem_.costs[i]);
            }
            b = targets.value() / costs.value();
        }
        intercept_ = b;
        std::fill(f_.begin(), f_.end(), b);
        settle();
    }

    void settle() override {
        zone_.clear();
        d_.clear();
        for (index_t i = 0; i < n_; ++i) {
            const Zones& zones = zones_at(i);
            const double f = f_[at(i)];
            const auto place = std::lower_bound(zones.ends.begin(), zones.ends.end(), f);
            zone_.push_back(static_cast<std::int8_t>(place - zones.ends.begin()));
            // Only one class: b is where its loss becomes flat, and the zone is the curved one.
            if (at(zone_.back()) < zones.ends.size() && zones.curvatures[at(zone_.back())] == 0.0 &&
                *place == f) {
                ++zone_.back();
            }
            d_.push_back(problem_.costs[at(i)] * zones.curvatures[at(zone_.back())]);
        }
        for (index_t j = 0; j < p_; ++j) {
            double squares = 0.0;
            for (index_t i = 0; i < n_; ++i) {
                const double z = problem_.columns(j, i);
                squares += d_[at(i)] * z * z;
            }
            diagonal_[at(j)] = squares + ridge(j, j);
        }
        if (problem_.intercept) {
            CompensatedSum weights;
            for (const double d : d_) {
                weights.add(d);
            }
            diagonal_[at(p_)] = weights.value();
        }
    }

    [[nodiscard]] index_t variables() const override { return p_ + (problem_.intercept ? 1 : 0); }
    [[nodiscard]] index_t free_column() const override { return problem_.intercept ? p_ : -1; }
    [[nodiscard]] std::span<const double> diagonal() const override { return diagonal_; }

    void hessian(index_t j, std::span<const index_t> columns,
                 std::span<double> out) const override {
        std::vector<double> weighted(d_);
        if (j < p_) {
            for (index_t i = 0; i < n_; ++i) {
                weighted[at(i)] *= problem_.columns(j, i);
            }
        }
        for (std::size_t k = 0; k < columns.size(); ++k) {
            out[k] = dot(columns[k], weighted) + ridge(j, columns[k]);
        }
    }

    void move(std::span<const index_t> columns, std::span<const double> values) override {
        values_of(columns, values, f_);
        intercept_ = 0.0;
        for (std::size_t k = 0; k < columns.size(); ++k) {
            intercept_ = columns[k] == p_ ? values[k] : intercept_;
        }
        CompensatedSum risk;
        std::visit(
            [&](const auto& loss) {
                for (std::size_t i = 0; i < u_.size(); ++i) {
                    const double y = problem_.targets[i];
                    u_[i] = problem_.costs[i] * loss.derivative(y, f_[i]);
                    risk.add(problem_.costs[i] * loss.value(y, f_[i]));
                }
            },
            problem_.loss);
        transposed(u_, gradient_);
        add_ridge(columns, values, f_, intercept_, gradient_);
        for (std::size_t k = 0; k < columns.size(); ++k) {
            if (columns[k] < p_ && problem_.ridge == L1Ridge::identity) {
                risk.add(0.5 * values[k] * values[k]);
            } else if (columns[k] < p_ && problem_.ridge == L1Ridge::gram) {
                risk.add(0.5 * values[k] * (f_[at(columns[k])] - intercept_));
            }
        }
        value_ = risk.value();
    }

    [[nodiscard]] std::span<const double> gradient() const override { return gradient_; }
    [[nodiscard]] double value() const override { return value_; }
    [[nodiscard]] double intercept() const override { return intercept_; }

    void direct(std::span<const index_t> columns, std::span<const double> rates) override {
        values_of(columns, rates, f_rate_);
        double rate = 0.0;
        noise_ = 0.0;
        for (std::size_t k = 0; k < columns.size(); ++k) {
            rate = columns[k] == p_ ? rates[k] : rate;
            noise_ += kRateNoise * std::abs(rates[k]) * largest_[at(columns[k])];
        }
        std::vector<double> weighted(at(n_));
        for (std::size_t i = 0; i < weighted.size(); ++i) {
            weighted[i] = d_[i] * f_rate_[i];
        }
        transposed(weighted, gradient_rate_);
        add_ridge(columns, rates, f_rate_, rate, gradient_rate_);
        curvature_ = curvature_of(columns, rates, rate);
    }

    [[nodiscard]] double curvature() const override { return curvature_; }

    [[nodiscard]] std::span<const double> gradient_rates() const override { return gradient_rate_; }

    [[nodiscard]] ZoneChange next_change(double tie, bool least, bool flat) const override {
        if (below_.ends.empty()) {
            return {};
        }
        double first = kInfinity;
        for (index_t i = 0; i < n_; ++i) {
            first = std::min(first, change_of(i, flat).length);
        }
        ZoneChange best;
        for (index_t i = 0; i < n_; ++i) {
            const ZoneChange each = change_of(i, flat);
            if (each.length <= first + tie && each.row >= 0 &&
                (best.row < 0 || (!least && each.rate > best.rate))) {
                best = each;
            }
        }
        best.length = first;
        return best;
    }

    [[nodiscard]] double weight_change(const ZoneChange& change) const override {
        const Zones& zones = zones_at(change.row);
        const auto zone = static_cast<std::size_t>(zone_[at(change.row)]);
        const double next = zones.curvatures[change.up ? zone + 1 : zone - 1];
        return problem_.costs[at(change.row)] * (next - zones.curvatures[zone]);
    }

    void change(const ZoneChange& change) override {
        const double weight = weight_change(change);
        const auto i = at(change.row);
        zone_[i] = static_cast<std::int8_t>(zone_[i] + (change.up ? 1 : -1));
        d_[i] = problem_.costs[i] * zones_at(change.row).curvatures[at(zone_[i])];
        for (index_t j = 0; j < variables(); ++j) {
            const double z = j < p_ ? problem_.columns(j, change.row) : 1.0;
            diagonal_[at(j)] = std::max(0.0, diagonal_[at(j)] + weight * z * z);
        }
    }

    void row_values(index_t row, std::span<const index_t> columns,
                    std::span<double> out) const override {
        for (std::size_t k = 0; k < columns.size(); ++k) {
            out[k] = columns[k] < p_ ? problem_.columns(columns[k], row) : 1.0;
        }
    }

private:
    /// A sum of squares of f_rate_, which loses less to cancellation than a product with H.
    [[nodiscard]] double curvature_of(std::span<const index_t> columns,
                                      std::span<const double> rates, double rate) const {
        double sum = 0.0;
        double rounding = 0.0;
        for (std::size_t i = 0; i < f_rate_.size(); ++i) {
            sum += d_[i] * f_rate_[i] * f_rate_[i];
            rounding += d_[i] * noise_ * noise_;
        }
        for (std::size_t k = 0; k < columns.size() && problem_.ridge != L1Ridge::none; ++k) {
            const bool gram = problem_.ridge == L1Ridge::gram;
            const double each = columns[k] == p_ ? 0.0
                                : gram           ? rates[k] * (f_rate_[at(columns[k])] - rate)
                                                 : rates[k] * rates[k];
            sum += each;
            rounding += gram ? kGramNoise * std::abs(rates[k]) * noise_ : 0.0;
        }
        return sum > rounding ? sum : 0.0;
    }

    /// Where a row reaches the end of its zone.
    [[nodiscard]] ZoneChange change_of(index_t i, bool flat) const {
        const double rate = f_rate_[at(i)];
        if (std::abs(rate) <= noise_ || (flat && d_[at(i)] > 0.0)) {
            return {};
        }
        const Zones& zones = zones_at(i);
        const std::size_t zone = at(zone_[at(i)]);
        if (rate > 0.0 ? zone == zones.ends.size() : zone == 0) {
            return {};
        }
        const double end = zones.ends[rate > 0.0 ? zone : zone - 1];
        return {std::max(0.0, (end - f_[at(i)]) / rate), std::abs(rate), i, rate > 0.0};
    }

    [[nodiscard]] const Zones& zones_at(index_t i) const {
        return problem_.targets[at(i)] < 0.0 ? below_ : above_;
    }

    [[nodiscard]] double ridge(index_t j, index_t k) const {
        if (problem_.ridge == L1Ridge::none || j == p_ || k == p_) {
            return 0.0;
        }
        return problem_.ridge == L1Ridge::gram ? problem_.columns(j, k) : (j == k ? 1.0 : 0.0);
    }

    /// R times the coefficients, whose values with intercept are `f`.
    void add_ridge(std::span<const index_t> columns, std::span<const double> values,
                   std::span<const double> f, double intercept, std::span<double> out) const {
        if (problem_.ridge == L1Ridge::gram) {
            for (index_t j = 0; j < p_; ++j) {
                out[at(j)] += f[at(j)] - intercept;
            }
        } else if (problem_.ridge == L1Ridge::identity) {
            for (std::size_t k = 0; k < columns.size(); ++k) {
                out[at(columns[k])] += columns[k] < p_ ? values[k] : 0.0;
            }
        }
    }

    [[nodiscard]] double dot(index_t j, std::span<const double> v) const {
        double sum = 0.0;
        if (j < p_) {
            accumulate_product(MatrixView<const double>(problem_.columns.row(j), 1, n_),
                               MatrixView<const double>(v.data(), n_, 1),
                               MatrixView<double>(&sum, 1, 1), context_.device());
            return sum;
        }
        for (const double each : v) {
            sum += each;
        }
        return sum;
    }

    /// Z times the values, the intercept included.
    void values_of(std::span<const index_t> columns, std::span<const double> values,
                   std::vector<double>& out) const {
        std::fill(out.begin(), out.end(), 0.0);
        for (std::size_t k = 0; k < columns.size(); ++k) {
            if (columns[k] < p_) {
                accumulate_transposed(
                    MatrixView<const double>(problem_.columns.row(columns[k]), 1, n_),
                    MatrixView<const double>(&values[k], 1, 1),
                    MatrixView<double>(out.data(), n_, 1), context_.device());
            } else {
                for (double& each : out) {
                    each += values[k];
                }
            }
        }
    }

    /// Z'v, the intercept's column included.
    void transposed(const std::vector<double>& v, std::vector<double>& out) const {
        std::fill(out.begin(), out.end(), 0.0);
        const MatrixView<const double> z = problem_.columns;
        parallel_for(context_, (p_ + kTile - 1) / kTile, [&](index_t tile, int) {
            const index_t begin = tile * kTile;
            const index_t count = std::min(kTile, p_ - begin);
            accumulate_product(MatrixView<const double>(z.row(begin), count, n_, z.stride),
                               MatrixView<const double>(v.data(), n_, 1),
                               MatrixView<double>(out.data() + begin, count, 1), context_.device());
        });
        if (problem_.intercept) {
            out[at(p_)] = dot(p_, v);
        }
    }

    const L1PathProblem& problem_;
    Context& context_;
    index_t n_;
    index_t p_;
    Zones below_;  ///< of rows with y < 0
    Zones above_;
    std::vector<std::int8_t> zone_;
    std::vector<double> d_;
    std::vector<double> f_;
    std::vector<double> u_;
    std::vector<double> f_rate_;
    std::vector<double> gradient_;
    std::vector<double> gradient_rate_;
    std::vector<double> diagonal_;
    std::vector<double> largest_;  ///< |z_ij| of each column
    double intercept_ = 0.0;
    double value_ = 0.0;
    double noise_ = 0.0;  ///< of f_rate_
    double curvature_ = 0.0;
};

/// One piece, with one curvature.
bool is_quadratic(const Loss& loss) {
    return std::visit(
        [](const auto& kind) {
            return kind.kSlope && kind.kPiecewiseQuadratic &&
                   kCount<decltype(kind.bends(0.0))> == 0;
        },
        loss);
}

}  // namespace

std::unique_ptr<L1Risk> make_l1_risk(const L1PathProblem& problem, Context& context) {
    const index_t n = problem.columns.columns;
    const index_t p = problem.columns.rows;
    // Z'Z costs as much as p products with Z, which is about what a path needs if n >= p. But its
    // condition number is the square of Z's: not for nearly dependent columns such as a kernel's.
    if (is_quadratic(problem.loss) && (problem.ridge == L1Ridge::none ? 2 * p <= n : p <= n) &&
        p <= context.memory()->left() / 2 / std::max<index_t>(1, p) / 8) {
        return make_squared_risk(problem, context);
    }
    return std::make_unique<ZonedRisk>(problem, context);
}

}  // namespace mercer
