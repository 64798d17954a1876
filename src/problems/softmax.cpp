// SPDX-License-Identifier: Apache-2.0
//
// src/problems/softmax.cpp - the dual set of the joint problem of many classes, and its gap.
//
// The values are what float64 gives; the gap is a bound on the exact one (softmax_bound.hpp).
//
// Notation   u = p - e_y = -beta / c     t  tilt of the classes     q  probabilities after the tilt
#include "mercer/problems/softmax.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/checked.hpp"
#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/error.hpp"
#include "mercer/losses/softmax.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/runtime/context.hpp"
#include "problems/fenchel_term.hpp"
#include "problems/softmax_bound.hpp"

namespace mercer {

namespace {

constexpr int kMostSteps = 200;
constexpr int kMostHalvings = 60;
constexpr double kLeastCurvature = 1e-14;  // of a Newton step, relative to the costs

// Logarithm of the smallest positive double: smaller probabilities are stored as 0.
constexpr double kLogUnderflow = -745.0;

std::span<const double> row_of(std::span<const double> matrix, std::size_t i, std::size_t width) {
    return matrix.subspan(i * width, width);
}

/// Solves H x = r, H symmetric positive definite, by elimination in place; false when a pivot
/// fails. There are as many variables as classes: the system is too small for LAPACK.
bool solve_small(std::vector<double>& h, std::vector<double>& r) {
    const std::size_t n = r.size();
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < j; ++k) {
            const double factor = h[j * n + k];
            for (std::size_t i = j; i < n; ++i) {
                h[i * n + j] -= h[i * n + k] * factor;
            }
        }
        if (!(h[j * n + j] > 0.0)) {
            return false;
        }
        const double root = std::sqrt(h[j * n + j]);
        for (std::size_t i = j; i < n; ++i) {
            h[i * n + j] /= root;
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            r[i] -= h[i * n + k] * r[k];
        }
        r[i] /= h[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) {
            r[i] -= h[k * n + i] * r[k];
        }
        r[i] /= h[i * n + i];
    }
    return true;
}

/// The shift t of the classes that minimises sum_i c_i loss(y_i, z_i + t), by Newton's method. With
/// z = f it is the best intercept; with z = log p it is the tilt that balances the probabilities p.
class ClassShift {
public:
    ClassShift(const SoftmaxProblem& problem, std::span<const double> z)
        : problem_(problem),
          z_(z),
          k_(static_cast<std::size_t>(problem.class_count)),
          t_(k_, 0.0),
          shifted_(k_) {}

    /// True when the columns sum to 0 up to rounding.
    bool solve() {
        Balance now = balance(t_);
        for (int step = 0; step < kMostSteps; ++step) {
            if (now.worst <= 1e-16) {
                return true;
            }
            const std::vector<double> direction = newton_direction(now);
            const double slope = inner(now.gradient, direction);
            if (!(slope < 0.0)) {
                break;
            }
            Balance next;
            double length = 1.0;
            bool found = false;
            for (int k = 0; k < kMostHalvings && !found; ++k, length *= 0.5) {
                std::vector<double> t = t_;
                for (std::size_t c = 0; c < k_; ++c) {
                    t[c] += length * direction[c];
                }
                next = balance(t);
                // The function is convex: as long as its slope has not turned much, it has
                // decreased.
                if (inner(next.gradient, direction) <= -0.5 * slope) {
                    found = true;
                    t_ = std::move(t);
                }
            }
            if (!found || !(next.worst < now.worst || next.worst > 1e-12)) {
                now = found ? next : now;
                break;  // only rounding is left
            }
            now = std::move(next);
        }
        centre();
        return now.worst <= 1e-12;
    }

    [[nodiscard]] const std::vector<double>& shift() const { return t_; }

private:
    struct Balance {
        std::vector<double> gradient;  ///< column sums of c u
        double worst = 0.0;            ///< the greatest of them, relative to its terms
    };

    /// u of row i after the shift t, in shifted_.
    void derivative(std::size_t i, const std::vector<double>& t) {
        const std::span<const double> z = row_of(z_, i, k_);
        for (std::size_t c = 0; c < k_; ++c) {
            shifted_[c] = z[c] + t[c];
        }
        std::vector<double>& out = shifted_;
        SoftmaxLoss::derivative(problem_.classes[i], out, out);
    }

    Balance balance(const std::vector<double>& t) {
        std::vector<CompensatedSum> sums(k_);
        std::vector<double> sizes(k_, 0.0);
        for (std::size_t i = 0; i < problem_.costs.size(); ++i) {
            derivative(i, t);
            for (std::size_t c = 0; c < k_; ++c) {
                const double term = problem_.costs[i] * shifted_[c];
                sums[c].add(term);
                sizes[c] += std::abs(term);
            }
        }
        Balance out;
        for (std::size_t c = 0; c < k_; ++c) {
            out.gradient.push_back(sums[c].value());
            if (out.gradient[c] != 0.0) {
                out.worst = std::max(out.worst, std::abs(out.gradient[c]) / sizes[c]);
            }
        }
        return out;
    }

    /// The lower half of H = sum_i c_i (diag q - q q').
    [[nodiscard]] std::vector<double> curvature() {
        std::vector<double> h(k_ * k_, 0.0);
        for (std::size_t i = 0; i < problem_.costs.size(); ++i) {
            derivative(i, t_);
            const auto own = static_cast<std::size_t>(problem_.classes[i]);
            const double cost = problem_.costs[i];
            for (std::size_t c = 0; c < k_; ++c) {
                const double q = (c == own ? 1.0 : 0.0) + shifted_[c];
                // q (1 - q) without cancellation: 1 - q is -u for the row's own class.
                h[c * k_ + c] += cost * q * (c == own ? -shifted_[c] : 1.0 - q);
                for (std::size_t d = 0; d < c; ++d) {
                    h[c * k_ + d] -= cost * q * ((d == own ? 1.0 : 0.0) + shifted_[d]);
                }
            }
        }
        return h;
    }

    /// -H^-1 gradient; the sum of t is held at 0. Where all probabilities are 0 or 1 the curvature
    /// underflows, but the gradient need not: then a multiple of the unit matrix replaces it.
    std::vector<double> newton_direction(const Balance& now) {
        const std::vector<double> curved = curvature();
        double trace = 0.0;
        for (std::size_t c = 0; c < k_; ++c) {
            trace += curved[c * k_ + c];
        }
        const double even = trace / static_cast<double>(k_ * k_);
        const double total = std::accumulate(problem_.costs.begin(), problem_.costs.end(), 0.0);
        const double least =
            std::max(kLeastCurvature * std::max(trace, total), std::numeric_limits<double>::min());
        for (double more = trace > least ? 0.0 : least; more < kInfinity;
             more = more == 0.0 ? least : 100.0 * more) {
            std::vector<double> h = curved;
            std::vector<double> out;
            for (std::size_t c = 0; c < k_; ++c) {
                for (std::size_t d = 0; d <= c; ++d) {
                    h[c * k_ + d] += even + (c == d ? more : 0.0);
                }
                out.push_back(-now.gradient[c]);
            }
            if (solve_small(h, out)) {
                return out;
            }
        }
        return std::vector<double>(k_, 0.0);
    }

    static double inner(const std::vector<double>& a, const std::vector<double>& b) {
        double sum = 0.0;
        for (std::size_t c = 0; c < a.size(); ++c) {
            sum += a[c] * b[c];
        }
        return sum;
    }

    void centre() {
        CompensatedSum sum;
        for (const double t : t_) {
            sum.add(t);
        }
        for (double& t : t_) {
            t -= sum.value() / static_cast<double>(k_);
        }
    }

    const SoftmaxProblem& problem_;
    std::span<const double> z_;
    std::size_t k_;
    std::vector<double> t_;
    std::vector<double> shifted_;
};

/// Projects beta of one row onto c times the simplex: coefficients of other classes are at most 0,
/// and that of the row's own class makes the row sum to 0.
void project_row(std::span<double> beta, std::size_t own, double cost) {
    double others = 0.0;
    for (std::size_t c = 0; c < beta.size(); ++c) {
        if (c != own) {
            beta[c] = std::min(0.0, beta[c]);
            others -= beta[c];
        }
    }
    if (others > cost) {
        for (std::size_t c = 0; c < beta.size(); ++c) {
            beta[c] = c == own || cost == 0.0 ? 0.0 : beta[c] * (cost / others);
        }
        others = cost;
    }
    beta[own] = others;
}

/// log p of every row; -inf where a probability is 0.
std::vector<double> log_probabilities(const SoftmaxProblem& problem, std::span<const double> beta) {
    const auto k = static_cast<std::size_t>(problem.class_count);
    std::vector<double> out(beta.size(), 0.0);
    for (std::size_t i = 0; i < problem.costs.size(); ++i) {
        const double c = problem.costs[i];
        const auto own = static_cast<std::size_t>(problem.classes[i]);
        for (std::size_t j = 0; j < k && c > 0.0; ++j) {
            const double u = -beta[i * k + j] / c;
            out[i * k + j] = j == own ? std::log1p(std::max(-1.0, u)) : std::log(u);
        }
    }
    return out;
}

/// Sets the probability of each class to its share of the costs: always in the dual set.
void spread_evenly(const SoftmaxProblem& problem, std::span<double> beta) {
    const auto k = static_cast<std::size_t>(problem.class_count);
    std::vector<double> share(k, 0.0);
    double total = 0.0;
    for (std::size_t i = 0; i < problem.costs.size(); ++i) {
        share[static_cast<std::size_t>(problem.classes[i])] += problem.costs[i];
        total += problem.costs[i];
    }
    for (std::size_t i = 0; i < problem.costs.size(); ++i) {
        for (std::size_t c = 0; c < k; ++c) {
            beta[i * k + c] = -problem.costs[i] * share[c] / total;
        }
        project_row(beta.subspan(i * k, k), static_cast<std::size_t>(problem.classes[i]),
                    problem.costs[i]);
    }
}

/// The sums of the certificate, row by row.
class Sums {
public:
    void add(index_t y, double c, std::span<const double> beta, std::span<const double> z) {
        u_.resize(beta.size());
        for (std::size_t k = 0; k < beta.size(); ++k) {
            u_[k] = beta[k] == 0.0 ? 0.0 : -beta[k] / c;
        }
        const auto own = static_cast<std::size_t>(y);
        u_[own] = std::max(-1.0, u_[own]);
        const double loss = SoftmaxLoss::value(y, z);
        losses.add(c * loss);
        conjugates.add(c * SoftmaxLoss::conjugate(y, u_));
        violation = std::max(violation, spread(y, z, loss));
    }

    CompensatedSum losses;
    CompensatedSum conjugates;
    double violation = 0.0;

private:
    /// How far log p - z is from being the same number for all classes.
    [[nodiscard]] double spread(index_t y, std::span<const double> z, double loss) const {
        const auto own = static_cast<std::size_t>(y);
        double low = kInfinity;
        double high = -kInfinity;
        for (std::size_t k = 0; k < z.size(); ++k) {
            const double wanted =
                k == own ? -loss : (z[k] - z[own]) - loss;  // log of the probability
            const double found = k == own ? std::log1p(u_[k]) : std::log(u_[k]);
            if (std::isinf(found) && wanted <= kLogUnderflow) {
                continue;
            }
            low = std::min(low, found - wanted);
            high = std::max(high, found - wanted);
        }
        return std::max(0.0, high - low);
    }

    std::vector<double> u_;
};

}  // namespace

void require_well_formed(const SoftmaxProblem& problem) {
    const auto n = static_cast<std::size_t>(problem.size());
    if (problem.class_count < 2) {
        throw InvalidArgument(
            fmt::format("classes: got {}, must be two or more", problem.class_count));
    }
    if (problem.classes.size() != n || problem.costs.size() != n) {
        throw InvalidArgument(fmt::format("problem: {} rows, {} classes, {} costs", n,
                                          problem.classes.size(), problem.costs.size()));
    }
    std::vector<bool> present(static_cast<std::size_t>(problem.class_count), false);
    for (std::size_t i = 0; i < n; ++i) {
        if (problem.classes[i] < 0 || problem.classes[i] >= problem.class_count) {
            throw InvalidArgument(fmt::format("row {}: the class {} must be in 0 .. {}", i + 1,
                                              problem.classes[i], problem.class_count - 1));
        }
        if (!(problem.costs[i] >= 0.0) || !std::isfinite(problem.costs[i])) {
            throw InvalidArgument(
                fmt::format("row {}: cost times weight is {}, must be finite and >= 0", i + 1,
                            problem.costs[i]));
        }
        if (problem.costs[i] > 0.0) {
            present[static_cast<std::size_t>(problem.classes[i])] = true;
        }
    }
    const auto missing = std::find(present.begin(), present.end(), false);
    if (problem.intercept && missing != present.end()) {
        throw InvalidArgument(
            fmt::format("classes: class {} has no row of cost > 0", missing - present.begin()));
    }
}

double project_onto_dual(const SoftmaxProblem& problem, std::span<double> beta) {
    const auto k = static_cast<std::size_t>(problem.class_count);
    const std::vector<double> before(beta.begin(), beta.end());
    for (std::size_t i = 0; i < problem.costs.size(); ++i) {
        project_row(beta.subspan(i * k, k), static_cast<std::size_t>(problem.classes[i]),
                    problem.costs[i]);
    }
    const bool none = std::all_of(beta.begin(), beta.end(), [](double b) { return b == 0.0; });
    if (problem.intercept && !none) {
        std::vector<double> z = log_probabilities(problem, beta);
        ClassShift tilt(problem, z);
        if (tilt.solve()) {
            std::vector<double> u(k);
            for (std::size_t i = 0; i < problem.costs.size(); ++i) {
                for (std::size_t c = 0; c < k; ++c) {
                    z[i * k + c] += tilt.shift()[c];
                }
                SoftmaxLoss::derivative(problem.classes[i], row_of(z, i, k), u);
                for (std::size_t c = 0; c < k; ++c) {
                    beta[i * k + c] = u[c] == 0.0 ? 0.0 : -problem.costs[i] * u[c];
                }
            }
        } else {
            spread_evenly(problem, beta);
        }
    }
    double moved = 0.0;
    for (std::size_t i = 0; i < beta.size(); ++i) {
        moved = std::max(moved, std::abs(beta[i] - before[i]));
    }
    return moved;
}

std::vector<double> decision_values(const SoftmaxProblem& problem, std::span<const double> beta,
                                    Context& context) {
    const index_t n = problem.size();
    const index_t k = problem.class_count;
    std::vector<double> f(beta.size(), 0.0);
    if (std::any_of(beta.begin(), beta.end(), [](double b) { return b != 0.0; })) {
        problem.gram->whole(Precision::float64, context)
            ->multiply(MatrixView<const double>(beta.data(), n, k),
                       MatrixView<double>(f.data(), n, k), context);
    }
    return f;
}

std::vector<double> best_intercepts(const SoftmaxProblem& problem, std::span<const double> f) {
    if (!problem.intercept) {
        return std::vector<double>(static_cast<std::size_t>(problem.class_count), 0.0);
    }
    ClassShift shift(problem, f);
    static_cast<void>(shift.solve());  // its accuracy does not matter: any b gives a valid bound
    return shift.shift();
}

SoftmaxCertificate certify(const SoftmaxProblem& problem, std::span<double> beta,
                           Context& context) {
    const Context::Uncounted judging(context);
    require_well_formed(problem);
    const auto k = static_cast<std::size_t>(problem.class_count);
    if (beta.size() != problem.costs.size() * k) {
        throw InvalidArgument(fmt::format("beta: got {} coefficients, must be {}", beta.size(),
                                          problem.costs.size() * k));
    }
    SoftmaxCertificate out;
    out.intercepts.assign(k, 0.0);
    if (!std::all_of(beta.begin(), beta.end(), [](double b) { return std::isfinite(b); })) {
        return out;
    }
    Certificate& proof = out.certificate;
    proof.dual_infeasibility = project_onto_dual(problem, beta);
    std::vector<double> z = decision_values(problem, beta, context);
    out.intercepts = best_intercepts(problem, z);
    CompensatedSum norm;
    for (std::size_t i = 0; i < z.size(); ++i) {
        norm.add(beta[i] * z[i]);
        z[i] += out.intercepts[i % k];
    }
    Sums sums;
    for (std::size_t i = 0; i < problem.costs.size(); ++i) {
        if (problem.costs[i] > 0.0) {
            sums.add(problem.classes[i], problem.costs[i], row_of(beta, i, k), row_of(z, i, k));
        }
    }
    const SoftmaxBound gap(problem, beta, z, out.intercepts);
    proof.squared_norm = std::isnan(norm.value()) ? kNaN : std::max(0.0, norm.value());
    proof.primal = 0.5 * proof.squared_norm + sums.losses.value();
    proof.dual = -0.5 * proof.squared_norm - sums.conjugates.value();
    proof.gap = std::isnan(gap.computed()) ? kNaN : gap.bound();
    proof.rounding = proof.gap - gap.computed();
    proof.kkt_violation = sums.violation;
    proof.worst_sample = gap.worst_row();
    proof.exact = proves(*problem.gram);
    return out;
}

}  // namespace mercer
