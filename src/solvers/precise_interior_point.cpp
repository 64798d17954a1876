// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/precise_interior_point.cpp - small duals in 113 bits, where doubles do not suffice.
//
//     minimise   1/2 beta'(K + R)beta + sum_v phi_v(v)   over   0 <= v <= h,   A v = t
//
// Method   Primal-dual interior point with predictor and corrector (Mehrotra, SIAM J. Optim. 2,
//          1992). A row has one variable with beta = s v, or one for each side of a tube; a free
//          tube width adds a slack variable. Newton's step is reduced to the rows: an LDL'
//          factor of K + R + D with a positive diagonal D. The optimum is rounded to doubles, each
//          separately or all jointly (precise_rounding.hpp).
// Fits     problems of up to 64 rows, of any scale and condition.
// Cost     20 to 60 steps of n^3/3 multiplications in 113 bits, about 0.1 us each.
// Stops    when the KKT conditions hold to 26 digits, or do not improve any more.
// Notation v, h  variables, upper bounds    z, t  multipliers of both bounds    lambda  of A v = t
//          D  curvature by v                E  sums of 1 / D by row             f = (K + R) beta
#include "solvers/precise_interior_point.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/base/quad.hpp"
#include "mercer/problems/close_certificate.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/goal.hpp"
#include "solvers/precise_columns.hpp"
#include "solvers/precise_dual.hpp"
#include "solvers/precise_matrix.hpp"
#include "solvers/precise_rounding.hpp"
#include "solvers/precise_system.hpp"
#include "solvers/rescue.hpp"

namespace mercer {

namespace {

constexpr index_t kMostRows = 64;      // takes a third of a second
constexpr index_t kMostColumns = 256;  // compressed to as many as there are rows
constexpr int kMostSteps = 150;
constexpr int kPatience = 12;     // steps that do not halve the residual
constexpr int kLastPatience = 2;  // the same when the residual is far below the goal
constexpr double kFarBelow = 1e-3;
constexpr double kSolved = 1e-26;      // relative to the value
constexpr double kToBoundary = 0.999;  // share of the way to the nearest bound
constexpr double kToCurvedBoundary = 0.99;
constexpr double kFall = 0.05;     // factor of mu without a predictor
constexpr double kShort = 0.1;     // after a shorter step the next one is centring
constexpr double kCentring = 0.5;  // factor of mu in a centring step
constexpr double kWithResiduals = 0.1;
constexpr double kRounding = 0x1p-104;  // of a slope, relative to its parts

using Variable = PreciseVariable;
using Equations = PreciseEquations;

/// At the optimum a variable or its multiplier is 0. Before that, the one that is smaller relative
/// to the largest of its kind counts as 0. A row is held at a bound if all of its variables are;
/// NaN for other rows.
std::vector<double> held_rows(const std::vector<Variable>& variables, std::size_t rows) {
    Quad largest = 0.0;
    Quad steepest = 0.0;
    for (const Variable& each : variables) {
        largest = std::max(largest, each.v);
        steepest = std::max({steepest, each.z, each.t});
    }
    std::vector<double> out(rows, 0.0);
    for (const Variable& each : variables) {
        if (each.row == Variable::kNoRow) {
            continue;
        }
        if (each.entropy || !each.has_lower) {
            out[each.row] = kNaN;
        } else if (each.has_upper && each.room * steepest < each.t * largest) {
            out[each.row] += static_cast<double>(each.sign * each.bound);
        } else if (!(each.v * steepest < each.z * largest)) {
            out[each.row] = kNaN;
        }
    }
    return out;
}

std::vector<Quad> scales_of(const PreciseMatrix& kernel) {
    std::vector<Quad> out;
    for (std::size_t i = 0; i < kernel.size(); ++i) {
        out.push_back(sqrt(std::max(kernel(i, i), Quad(0.0))));
    }
    return out;
}

/// The derivative of phi.
Quad slope_of(const Variable& each) {
    return each.linear + each.ridge * each.v + (each.entropy ? log(each.v / each.room) : Quad(0.0));
}

/// How far a variable may have to move to remove a remaining slope.
Quad reach_of(const Variable& each) {
    return each.entropy     ? std::min(each.v, each.room)
           : each.has_upper ? std::max(each.v, each.room)
                            : each.v;
}

/// The longest step that leaves no variable and no multiplier negative.
Quad longest_step(const std::vector<Variable>& variables) {
    Quad out = kInfinity;
    const auto wall = [&](Quad distance, Quad change) {
        if (change < 0.0) {
            out = std::min(out, -distance / change);
        }
    };
    for (const Variable& each : variables) {
        if (each.has_lower) {
            wall(each.v, each.v_step);
            wall(each.z, each.z_step);
        }
        if (each.has_upper) {
            wall(each.room, -each.v_step);
            wall(each.t, each.t_step);
        }
    }
    return out;
}

/// The sum of all products of variables and multipliers after a step.
Quad complementarity_after(const std::vector<Variable>& variables, Quad length) {
    Quad sum = 0.0;
    for (const Variable& each : variables) {
        const Quad move = length * each.v_step;
        sum += (each.v + move) * (each.z + length * each.z_step) +
               (each.room - move) * (each.t + length * each.t_step);
    }
    return sum;
}

class PreciseInteriorPoint {
public:
    PreciseInteriorPoint(PreciseSystem system, PreciseDual dual)
        : system_(std::move(system)),
          scales_(scales_of(dual.kernel)),
          variables_(std::move(dual.variables)),
          equations_(dual.equations),
          totals_(dual.totals),
          by_sides_(dual.balanced ? 1 : 0),
          curved_(dual.curved) {
        start();
    }

    /// Iterates until no further progress and returns the best coefficients. Throws Interrupted.
    [[nodiscard]] std::vector<Quad> run(const Goal& goal, Context& context) {
        std::vector<Quad> best(system_.size());
        Quad least = kInfinity;
        Quad mark = kInfinity;
        int stalled = 0;
        for (steps_ = 0; steps_ < kMostSteps && stalled < (curved_ ? kMostSteps : kPatience);
             ++steps_) {
            context.throw_if_stopped("the steps in 113 bits");
            const Quad left = look();
            if (!isfinite(left)) {
                break;
            }
            if (left < least) {
                least = left;
                best = beta_;
                held_ = held_rows(variables_, system_.size());
                slack_ = variables_.empty() || variables_.back().row != Variable::kNoRow
                             ? Quad(0.0)
                             : variables_.back().v;
            }
            ++stalled;
            if (left < mark * 0.5) {
                mark = left;
                stalled = 0;
            }
            const Quad size = std::max(goal.unit, static_cast<double>(fabs(value_)));
            const bool enough = stalled >= kLastPatience && left <= size * goal.gap * kFarBelow;
            if (left <= size * kSolved || enough || !step()) {
                break;
            }
        }
        return best;
    }

    [[nodiscard]] int steps() const noexcept { return steps_; }
    /// The values of rows held at a bound; NaN for the others.
    [[nodiscard]] const std::vector<double>& held() const noexcept { return held_; }
    /// The part of the mass that the best coefficients do not use.
    [[nodiscard]] Quad slack() const noexcept { return slack_; }

private:
    void start() {
        beta_.assign(system_.size(), Quad(0.0));
        for (const Variable& each : variables_) {
            if (each.row != Variable::kNoRow) {
                beta_[each.row] += each.sign * each.v;
            }
        }
        static_cast<void>(look());
        Quad sum = 0.0;
        for (const Variable& each : variables_) {
            sum += fabs(each.slope);
        }
        // With two bounds, the multipliers z - t equal the slope.
        const Quad common =
            variables_.empty() ? Quad(0.0) : sum / static_cast<double>(variables_.size());
        for (Variable& each : variables_) {
            each.z = each.has_lower ? common + std::max(each.slope, Quad(0.0)) : Quad(0.0);
            each.t = each.has_upper ? common + std::max(-each.slope, Quad(0.0)) : Quad(0.0);
        }
    }

    /// Bound on the rounding of a slope; `weight` is sum_j |beta_j| sqrt(K(j, j)).
    [[nodiscard]] Quad rounding_of_slope(const Variable& each, Quad weight) const {
        Quad sizes = each.z + each.t + fabs(each.linear);
        for (std::size_t e = 0; e < equations_; ++e) {
            sizes += fabs(each.equations[e] * lambda_[e]);
        }
        if (each.row != Variable::kNoRow) {
            sizes += scales_[each.row] * weight;
        }
        return sizes * kRounding;
    }

    /// Computes slopes, sums and the value at the current point; returns the residual of the
    /// conditions.
    Quad look() {
        const std::vector<Quad> f = system_.multiply(beta_);
        lacks_ = totals_;
        value_ = 0.0;
        complementarity_ = 0.0;
        bounds_ = 0;
        Quad weight = 0.0;
        for (std::size_t i = 0; i < f.size(); ++i) {
            value_ += beta_[i] * f[i] * 0.5;
            weight += fabs(beta_[i]) * scales_[i];
            lacks_[0] -= by_sides_ > 0 ? beta_[i] : Quad(0.0);
        }
        Quad rest = 0.0;
        rest_ = 0.0;
        for (Variable& each : variables_) {
            each.slope = slope_of(each);
            for (std::size_t e = 0; e < equations_; ++e) {
                each.slope -= each.equations[e] * lambda_[e];
                lacks_[e] -= e >= by_sides_ ? each.equations[e] * each.v : Quad(0.0);
            }
            if (each.row != Variable::kNoRow) {
                each.slope += each.sign * f[each.row];
            }
            value_ += (each.linear + each.ridge * each.v * 0.5) * each.v;
            if (each.entropy) {
                value_ +=
                    each.v * log(each.v / each.bound) + each.room * log(each.room / each.bound);
            }
            const Quad residual = fabs(each.slope - each.z + each.t);
            const Quad own =
                each.has_lower ? residual * reach_of(each) : residual * residual / each.ridge;
            rest += own;
            if (residual > rounding_of_slope(each, weight)) {
                rest_ += own;
            }
            complementarity_ += each.v * each.z + each.room * each.t;
            bounds_ += (each.has_lower ? 1 : 0) + (each.has_upper ? 1 : 0);
        }
        for (std::size_t e = 0; e < equations_; ++e) {
            const Quad own = fabs(lacks_[e]) * (fabs(lambda_[e]) + 1.0);
            rest += own;
            rest_ += own;
        }
        return complementarity_ + rest;
    }

    /// One step; false when it makes no progress.
    bool step() {
        for (Variable& each : variables_) {
            each.curvature = each.entropy ? each.bound / (each.v * each.room) : each.ridge;
            each.curvature += each.has_lower ? each.z / each.v : Quad(0.0);
            each.curvature += each.has_upper ? each.t / each.room : Quad(0.0);
            each.lower_target = 0.0;
            each.upper_target = 0.0;
        }
        make_system();
        const Quad mu = bounds_ > 0 ? complementarity_ / static_cast<double>(bounds_) : Quad(0.0);
        if (!curved_) {
            direct();
        }
        // With the entropy terms, second-order effects are too large for a predictor-corrector
        // step.
        const bool corrects = length_ > kShort && !curved_;
        Quad target = mu * (length_ > kShort ? kFall : kCentring);
        if (corrects) {
            const Quad reach = std::min(Quad(1.0), longest_step(variables_));
            const Quad share =
                mu > 0.0 ? complementarity_after(variables_, reach) / complementarity_ : Quad(0.0);
            target = share * share * share * mu;
        }
        if (bounds_ > 0 && !curved_) {  // products must not decrease faster than residuals
            target = std::max(target, rest_ * kWithResiduals / static_cast<double>(bounds_));
        }
        for (Variable& each : variables_) {
            each.lower_target = target;
            each.upper_target = target;
            if (corrects) {
                each.lower_target -= each.v_step * each.z_step;
                each.upper_target += each.v_step * each.t_step;
            }
        }
        direct();
        length_ = std::min(Quad(1.0),
                           longest_step(variables_) * (curved_ ? kToCurvedBoundary : kToBoundary));
        for (Variable& each : variables_) {
            each.v += length_ * each.v_step;
            each.room -= length_ * each.v_step;
            each.z += length_ * each.z_step;
            each.t += length_ * each.t_step;
        }
        for (std::size_t i = 0; i < beta_.size(); ++i) {
            beta_[i] += length_ * beta_step_[i];
        }
        for (std::size_t e = 0; e < equations_; ++e) {
            lambda_[e] += length_ * lambda_step_[e];
        }
        return length_ > 1e-9;
    }

    /// The factor of K + R + 1 / E.
    void make_system() {
        inverse_.assign(system_.size(), Quad(0.0));
        for (const Variable& each : variables_) {
            if (each.row != Variable::kNoRow) {
                inverse_[each.row] += Quad(1.0) / each.curvature;
            }
        }
        system_.factor(inverse_);
    }

    /// Steps of all variables and of the coefficients, whose sides may nearly cancel.
    struct Moves {
        std::vector<Quad> variables;
        std::vector<Quad> rows;
    };

    /// The steps for these slopes: without A'dlambda, or for that part alone.
    [[nodiscard]] Moves moves(const std::vector<Quad>& pulls) const {
        const std::size_t n = system_.size();
        std::vector<Quad> scaled(n);
        for (std::size_t k = 0; k < variables_.size(); ++k) {
            if (const Variable& each = variables_[k]; each.row != Variable::kNoRow) {
                scaled[each.row] += each.sign * pulls[k] / each.curvature;
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            scaled[i] = inverse_[i] > 0.0 ? scaled[i] / inverse_[i] : Quad(0.0);
        }
        std::vector<Quad> rows = scaled;  // the steps of beta
        system_.solve(rows);
        std::vector<Quad> out(variables_.size());
        for (std::size_t k = 0; k < variables_.size(); ++k) {
            const Variable& each = variables_[k];
            if (each.row == Variable::kNoRow) {
                out[k] = pulls[k] / each.curvature;
                continue;
            }
            const bool paired = k + 1 < variables_.size() && variables_[k + 1].row == each.row;
            if (!paired) {
                out[k] = each.sign * rows[each.row];
                continue;
            }
            // The stiffer side from its own equation, which has less cancellation; the other from
            // the row.
            const std::size_t stiff = each.curvature > variables_[k + 1].curvature ? k : k + 1;
            const std::size_t soft = stiff == k ? k + 1 : k;
            const Quad g = scaled[each.row] - rows[each.row] / inverse_[each.row];
            out[stiff] = (pulls[stiff] - variables_[stiff].sign * g) / variables_[stiff].curvature;
            out[soft] =
                variables_[soft].sign * (rows[each.row] - variables_[stiff].sign * out[stiff]);
            ++k;
        }
        return {std::move(out), std::move(rows)};
    }

    /// Computes the step to the current targets.
    void direct() {
        std::vector<Quad> pulls(variables_.size());
        for (std::size_t k = 0; k < variables_.size(); ++k) {
            const Variable& each = variables_[k];
            pulls[k] = -each.slope;
            pulls[k] += each.has_lower ? each.lower_target / each.v : Quad(0.0);
            pulls[k] -= each.has_upper ? each.upper_target / each.room : Quad(0.0);
        }
        const Moves steps = moves(pulls);
        std::array<Moves, kPreciseEquations> answers;
        for (std::size_t e = 0; e < equations_; ++e) {
            for (std::size_t k = 0; k < variables_.size(); ++k) {
                pulls[k] = variables_[k].equations[e];
            }
            answers[e] = moves(pulls);
        }
        find_lambda(steps, answers);
        beta_step_ = steps.rows;
        for (std::size_t e = 0; e < equations_; ++e) {
            for (std::size_t i = 0; i < beta_step_.size(); ++i) {
                beta_step_[i] += lambda_step_[e] * answers[e].rows[i];
            }
        }
        for (std::size_t k = 0; k < variables_.size(); ++k) {
            Variable& each = variables_[k];
            each.v_step = steps.variables[k];
            for (std::size_t e = 0; e < equations_; ++e) {
                each.v_step += lambda_step_[e] * answers[e].variables[k];
            }
            each.z_step = each.has_lower
                              ? (each.lower_target - each.z * each.v_step) / each.v - each.z
                              : Quad(0.0);
            each.t_step = each.has_upper
                              ? (each.upper_target + each.t * each.v_step) / each.room - each.t
                              : Quad(0.0);
        }
    }

    /// The change of lambda that satisfies the sum constraints, at most two: Cramer's rule.
    void find_lambda(const Moves& steps, const std::array<Moves, kPreciseEquations>& answers) {
        std::array<Equations, kPreciseEquations> a{};
        Equations right = lacks_;
        for (std::size_t i = 0; by_sides_ > 0 && i < beta_.size(); ++i) {
            right[0] -= steps.rows[i];
            for (std::size_t other = 0; other < equations_; ++other) {
                a[0][other] += answers[other].rows[i];
            }
        }
        for (std::size_t k = 0; k < variables_.size(); ++k) {
            for (std::size_t e = by_sides_; e < equations_; ++e) {
                const Quad factor = variables_[k].equations[e];
                right[e] -= factor * steps.variables[k];
                for (std::size_t other = 0; other < equations_; ++other) {
                    a[e][other] += factor * answers[other].variables[k];
                }
            }
        }
        lambda_step_ = {};
        if (equations_ == 1) {
            lambda_step_[0] = right[0] / a[0][0];
        } else if (equations_ == 2) {
            const Quad determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
            lambda_step_[0] = (right[0] * a[1][1] - right[1] * a[0][1]) / determinant;
            lambda_step_[1] = (right[1] * a[0][0] - right[0] * a[1][0]) / determinant;
        }
    }

    PreciseSystem system_;       ///< K + R
    std::vector<Quad> scales_;   ///< sqrt(K(i, i))
    std::vector<Quad> inverse_;  ///< E
    std::vector<Variable> variables_;
    std::vector<Quad> beta_;  ///< has more digits than the difference of two sides
    std::vector<Quad> beta_step_;
    std::size_t equations_;
    Equations totals_;
    std::size_t by_sides_;  ///< the first equation that is not the sum of beta_
    Equations lacks_{};
    Equations lambda_{};
    Equations lambda_step_{};
    Quad complementarity_ = 0.0;
    Quad rest_ = 0.0;  ///< residual of the other conditions, in the same units
    Quad value_ = 0.0;
    Quad slack_ = 0.0;
    std::vector<double> held_;
    Quad length_ = 1.0;
    bool curved_;  ///< the dual is not quadratic
    int bounds_ = 0;
    int steps_ = 0;
};

bool is_stuck(const Solution& out) {
    return out.status == SolveStatus::reduced || out.status == SolveStatus::iteration_limit;
}

/// True when the mass is not used completely: the optimum has tube width 0, and its coefficients
/// have no sum to reach. Rounded ones may do better with a small width.
bool leaves_mass(const Problem& problem, Quad slack) {
    return may_close(problem) && slack > Quad(problem.mass) * 1e-9;
}

/// Certifies the coefficients and retains them if they are better.
void offer(const Problem& problem, const Goal& goal, std::vector<double> beta, Solution& out,
           Context& context) {
    const Certificate proof = certify_closely(problem, beta, context, goal.wanted());
    if (goal.prefers(proof, out.certificate())) {
        out.adopt(std::move(beta), proof);
    }
}

/// A dual in 113 bits, and columns Z with K = ZZ' if there are any.
struct PrecisePosed {
    PreciseDual dual;
    PreciseFeatures columns;
};

/// Solves the dual with this system and offers the solution rounded to doubles: first each
/// coefficient separately, then jointly in several ways, until one meets the goal.
void solve_precisely(const Problem& problem, const Goal& goal, const PrecisePosed& posed,
                     PreciseSystem system, Solution& out, Context& context) {
    PreciseInteriorPoint method(std::move(system), posed.dual);
    const std::vector<Quad> beta = method.run(goal, context);
    out.iterations += method.steps();
    context.note(fmt::format("113 bits: {} interior-point steps", method.steps()));
    const bool closed = leaves_mass(problem, method.slack());
    const Problem rounds = closed ? closed_tube(problem) : problem;
    const PreciseMatrix& kernel = posed.dual.kernel;
    offer(problem, goal, rounded(beta, kernel), out, context);
    const auto try_together = [&](const TogetherOptions& ways) {
        if (!goal.met(out.certificate())) {
            offer(problem, goal, rounded_together(rounds, beta, kernel, ways), out, context);
        }
    };
    try_together({});
    for (const std::span<const double> held : {std::span(method.held()), {}}) {
        for (const bool by_size : {true, false}) {
            try_together({&posed.columns, held, by_size, true});
        }
    }
}

std::vector<index_t> all_rows_of(const Problem& problem) {
    std::vector<index_t> all(static_cast<std::size_t>(problem.size()));
    std::iota(all.begin(), all.end(), index_t{0});
    return all;
}

}  // namespace

void finish_precisely(const Problem& problem, const SolveOptions& options, double standard,
                      Solution& out, Context& context) {
    if (!is_stuck(out) || !options.solver.is_automatic() || options.max_iterations > 0 ||
        options.keeper != nullptr || problem.size() > kMostRows || !problem.gram->is_definite()) {
        return;
    }
    const Goal goal = goal_of(options, standard);
    try {
        const PrecisePosed posed{
            precise_dual(problem, context),
            problem.gram->precise_features(all_rows_of(problem), kMostColumns)};
        const PreciseDual& dual = posed.dual;
        solve_precisely(problem, goal, posed, PreciseSystem(dual.kernel, dual.ridge), out, context);
        if (!goal.met(out.certificate()) && posed.columns.count > 0) {
            context.note("113 bits: by columns, which are more accurate than K");
            solve_precisely(problem, goal, posed,
                            PreciseSystem(compressed(posed.columns), dual.ridge), out, context);
        }
        out.status = goal.status(out.certificate(), SolveStatus::reduced);
    } catch (const Interrupted&) {
        out.status = SolveStatus::interrupted;
    }
}

}  // namespace mercer
