// SPDX-License-Identifier: Apache-2.0
//
// src/problems/problem.cpp - the dual set, and the intercept as a one-dimensional problem.
#include "mercer/problems/problem.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr int kMaxBisections = 200;
constexpr double kZeroSlope = 1e-14;  // relative to the size of its terms: zero up to rounding

/// sum_i clip(beta_i - shift).
double shifted_sum(std::span<const double> beta, const std::vector<Interval>& box, double shift) {
    CompensatedSum sum;
    for (std::size_t i = 0; i < beta.size(); ++i) {
        sum.add(std::clamp(beta[i] - shift, box[i].lower, box[i].upper));
    }
    return sum.value();
}

/// The shift that makes the clipped sum zero; the sum is nonincreasing in the shift.
double balancing_shift(std::span<const double> beta, const std::vector<Interval>& box) {
    double step = 0.0;
    for (std::size_t i = 0; i < beta.size(); ++i) {
        step = std::max(step, std::abs(beta[i]));
    }
    step = std::max(step * 1e-16, 1e-300);
    const double start = shifted_sum(beta, box, 0.0);
    if (start == 0.0) {
        return 0.0;
    }
    const double direction = start > 0.0 ? 1.0 : -1.0;
    double near = 0.0;
    double far = direction * step;
    while (direction * shifted_sum(beta, box, far) > 0.0 && std::abs(far) < 1e300) {
        near = far;
        far *= 4.0;
    }
    for (int i = 0; i < kMaxBisections; ++i) {
        const double middle = 0.5 * (near + far);
        if (middle == near || middle == far) {
            break;
        }
        (direction * shifted_sum(beta, box, middle) > 0.0 ? near : far) = middle;
    }
    return far;
}

/// Corrects a sum that misses `target` by rounding. Only coefficients strictly inside their box are
/// moved: one moved off its bound would become a free support vector because of a rounding error.
/// False when the error is more than rounding, or no coefficient is free.
bool absorb_rounding(std::span<double> beta, const std::vector<Interval>& box, double target) {
    constexpr int kRepeats = 4;
    constexpr double kRounding = 1e-9;
    const double exact = std::max(1e-15, 0x1p-53 * static_cast<double>(beta.size()));
    for (int repeat = 0; repeat <= kRepeats; ++repeat) {
        CompensatedSum sum;
        double size = std::abs(target);
        std::size_t free = 0;
        for (std::size_t i = 0; i < beta.size(); ++i) {
            sum.add(beta[i]);
            size += std::abs(beta[i]);
            free += static_cast<std::size_t>(beta[i] > box[i].lower && beta[i] < box[i].upper);
        }
        const double missing = target - sum.value();
        if (std::abs(missing) <= exact * size) {
            return true;
        }
        if (free == 0 || std::abs(missing) > kRounding * size || repeat == kRepeats) {
            return false;
        }
        const double step = missing / static_cast<double>(free);
        for (std::size_t i = 0; i < beta.size(); ++i) {
            if (beta[i] > box[i].lower && beta[i] < box[i].upper) {
                beta[i] = std::clamp(beta[i] + step, box[i].lower, box[i].upper);
            }
        }
    }
    return false;
}

/// Shifts and clips the rows of one sign so that they sum to `mass`; they stay on their side of 0.
void project_side(std::span<double> beta, const std::vector<Interval>& box, double sign,
                  double mass) {
    std::vector<double> side;
    std::vector<Interval> room;
    for (std::size_t i = 0; i < beta.size(); ++i) {
        if (beta[i] * sign > 0.0) {
            side.push_back(beta[i] * sign);
            room.push_back({0.0, sign > 0.0 ? box[i].upper : -box[i].lower});
        }
    }
    double shift = 0.0;
    if (!absorb_rounding(side, room, mass)) {
        // A fixed coordinate -mass turns the target of the sum into zero.
        side.push_back(-mass);
        room.push_back({-mass, -mass});
        shift = balancing_shift(side, room);
    }
    std::size_t next = 0;
    for (double& value : beta) {
        if (value * sign > 0.0) {
            value = sign * std::clamp(side[next] - shift, room[next].lower, room[next].upper);
            ++next;
        }
    }
}

double project_onto_mass(const Problem& problem, std::span<double> beta,
                         const std::vector<Interval>& box) {
    const std::vector<double> before(beta.begin(), beta.end());
    for (std::size_t i = 0; i < beta.size(); ++i) {
        beta[i] = std::clamp(beta[i], box[i].lower, box[i].upper);
    }
    project_side(beta, box, 1.0, problem.intercept ? 0.5 * problem.mass : problem.mass);
    if (problem.intercept) {
        project_side(beta, box, -1.0, 0.5 * problem.mass);
    }
    double moved = 0.0;
    for (std::size_t i = 0; i < beta.size(); ++i) {
        moved = std::max(moved, std::abs(beta[i] - before[i]));
    }
    return moved;
}

/// Throws unless the loss has a width and the costs are large enough for the mass.
void require_mass(const Problem& problem) {
    const bool margin = width_kind(problem.loss) == Width::margin;
    if (!std::visit([](const auto& loss) { return loss.kFreeWidth; }, problem.loss)) {
        throw InvalidArgument(
            fmt::format("loss: {} has no width, so nu does not apply", name_of(problem.loss)));
    }
    double side[2] = {0.0, 0.0};
    for (std::size_t i = 0; i < problem.costs.size(); ++i) {
        side[problem.targets[i] > 0.0 ? 1 : 0] += problem.costs[i];
    }
    double most = side[0] + side[1];
    if (margin && problem.intercept) {
        most = 2.0 * std::min(side[0], side[1]);
    } else if (margin && side[0] > 0.0) {
        throw InvalidArgument("intercept: a nu-machine of two classes needs one");
    }
    if (!(problem.mass > 0.0) || problem.mass > most * (1.0 + 1e-12)) {
        throw InvalidArgument(
            fmt::format("nu: the coefficients would have to sum to {}, the costs allow at most {}",
                        problem.mass, most));
    }
}

/// Derivative in b of the total loss, and the size of its terms, which decides what counts as zero.
struct Slope {
    double value = 0.0;
    double scale = 0.0;
};

Slope slope_at(const Problem& problem, std::span<const double> f, double b) {
    CompensatedSum sum;
    double scale = 0.0;
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < f.size(); ++i) {
                const double term =
                    problem.costs[i] * loss.derivative(problem.targets[i], f[i] + b);
                sum.add(term);
                scale += std::abs(term);
            }
        },
        problem.loss);
    return {sum.value(), scale};
}

/// The sign of the slope: -1, +1, or 0 when the slope is zero up to rounding.
int sign_of(const Slope& slope) {
    if (std::abs(slope.value) <= kZeroSlope * slope.scale) {
        return 0;
    }
    return slope.value > 0.0 ? 1 : -1;
}

/// A range of b and the slopes at its ends.
struct Bracket {
    Interval range;
    Slope at_lower;
    Slope at_upper;
};

/// The boundary in the bracket between sign <= below and sign > below, to the last bit.
///
/// Illinois' variant of the false position on the distance of the slope from the band that counts
/// as zero, with a bisection whenever a step does not halve the bracket. A point within a few units
/// in the last place of an end is moved away from it, so that both ends come close: a slope that is
/// linear in b takes about eight evaluations where bisection takes 55.
double boundary(const Problem& problem, std::span<const double> f, const Bracket& bracket,
                int below) {
    constexpr double kNudge = 4.0 * std::numeric_limits<double>::epsilon();
    const auto distance = [&](const Slope& slope) {
        return slope.value + (below < 0 ? kZeroSlope : -kZeroSlope) * slope.scale;
    };
    double low = bracket.range.lower;
    double high = bracket.range.upper;
    double at_low = distance(bracket.at_lower);
    double at_high = distance(bracket.at_upper);
    int last_side = 0;
    bool bisect = false;
    for (int i = 0; i < kMaxBisections; ++i) {
        const double width = high - low;
        double next = low + 0.5 * width;
        if (next <= low || next >= high) {
            break;
        }
        const double nudge = kNudge * std::max(std::abs(low), std::abs(high));
        const double part = at_low / (at_low - at_high);  // not a number if both underflow
        if (!bisect && part >= 0.0 && part <= 1.0 && width > 2.0 * nudge) {
            next = std::clamp(low + part * width, low + nudge, high - nudge);
        }
        const Slope slope = slope_at(problem, f, next);
        const int side = sign_of(slope) <= below ? -1 : 1;
        (side < 0 ? low : high) = next;
        (side < 0 ? at_low : at_high) = distance(slope);
        if (side == last_side) {
            (side < 0 ? at_high : at_low) *= 0.5;
        }
        last_side = side;
        bisect = high - low > 0.5 * width;
    }
    return below < 0 ? high : low;
}

/// The kinks of the total loss in b, and the slope left of all of them in `start`; empty when the
/// loss has none.
std::vector<Jump> kinks_of(const Problem& problem, std::span<const double> f, double& start) {
    std::vector<Jump> kinks;
    CompensatedSum slope;
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < f.size(); ++i) {
                const double c = problem.costs[i];
                for (const Jump& kink : loss.kinks(problem.targets[i], f[i])) {
                    if (c > 0.0) {
                        kinks.push_back({kink.position, kink.size * c});
                    }
                }
                slope.add(c * loss.conjugate_domain(problem.targets[i]).lower);
            }
        },
        problem.loss);
    start = slope.value();
    return kinks;
}

/// A place in the walk over the kinks: one of them, and the slope behind it.
struct KinkAt {
    double position = kInfinity;
    double slope = kNaN;
};

/// The first kink behind which the slope, which never falls, is `reached`. The kinks are halved by
/// selection: sorting them took a sixth of the time of dual descent on a9a.
template <typename Reached>
KinkAt first_kink(std::span<Jump> kinks, CompensatedSum slope, const Reached& reached) {
    constexpr std::size_t kFew = 32;
    const auto before = [](const Jump& a, const Jump& b) { return a.position < b.position; };
    while (kinks.size() > kFew) {
        const std::size_t middle = kinks.size() / 2;
        std::ranges::nth_element(kinks, kinks.begin() + static_cast<std::ptrdiff_t>(middle),
                                 before);
        CompensatedSum behind = slope;
        for (const Jump& kink : kinks.first(middle)) {
            behind.add(kink.size);
        }
        if (reached(behind.value())) {
            kinks = kinks.first(middle);
        } else {
            slope = behind;
            kinks = kinks.subspan(middle);
        }
    }
    std::ranges::sort(kinks, before);
    for (const Jump& kink : kinks) {
        slope.add(kink.size);
        if (reached(slope.value())) {
            return {kink.position, slope.value()};
        }
    }
    return {};
}

/// Where the slope, `start` left of all kinks, changes sign: a weighted quantile.
Interval walk_kinks(std::vector<Jump> kinks, double start) {
    CompensatedSum slope;
    slope.add(start);
    double total = std::abs(start);
    for (const Jump& kink : kinks) {
        total += kink.size;
    }
    const double zero = 1e-14 * total;
    const auto rises = [zero](double value) { return value > zero; };
    if (std::abs(start) <= zero) {  // flat from minus infinity
        return {-kInfinity, first_kink(kinks, slope, rises).position};
    }
    const KinkAt lower = first_kink(kinks, slope, [zero](double value) { return value >= -zero; });
    if (lower.position == kInfinity) {
        return {-kInfinity, kInfinity};
    }
    return {lower.position,
            rises(lower.slope) ? lower.position : first_kink(kinks, slope, rises).position};
}

/// A range of b that contains every minimiser of a smooth loss; if there is none, the slope at an
/// end has the wrong sign.
Bracket bracket_minimisers(const Problem& problem, std::span<const double> f) {
    constexpr double kFar = 1e12;
    double scale = 1.0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        scale = std::max({scale, std::abs(f[i]), std::abs(problem.targets[i])});
    }
    const auto at_end = [&](double& end) {
        Slope slope = slope_at(problem, f, end);
        const int outward = end < 0.0 ? -1 : 1;
        while (outward * sign_of(slope) <= 0 && std::abs(end) < kFar * scale) {
            end *= 2.0;
            slope = slope_at(problem, f, end);
        }
        return slope;
    };
    Bracket bracket{.range = {-scale, scale}};
    bracket.at_lower = at_end(bracket.range.lower);
    bracket.at_upper = at_end(bracket.range.upper);
    return bracket;
}

}  // namespace

void require_well_formed(const Problem& problem) {
    const auto n = static_cast<std::size_t>(problem.size());
    if (problem.targets.size() != n || problem.costs.size() != n) {
        throw InvalidArgument(fmt::format("problem: {} rows, {} targets, {} costs", n,
                                          problem.targets.size(), problem.costs.size()));
    }
    for (std::size_t i = 0; i < n; ++i) {
        const double y = problem.targets[i];
        if (!std::isfinite(y)) {
            throw InvalidArgument(fmt::format("row {}: the target {} is not finite", i + 1, y));
        }
        if (is_classification(problem.loss) && y != 1.0 && y != -1.0) {
            throw InvalidArgument(fmt::format("row {}: the target {} must be -1 or +1", i + 1, y));
        }
        if (!(problem.costs[i] >= 0.0) || !std::isfinite(problem.costs[i])) {
            throw InvalidArgument(
                fmt::format("row {}: cost times weight is {}, must be finite "
                            "and >= 0",
                            i + 1, problem.costs[i]));
        }
    }
    if (problem.has_mass()) {
        require_mass(problem);
    }
}

DualTerm dual_term(const Problem& problem, index_t i) {
    const auto row = static_cast<std::size_t>(i);
    const double c = problem.costs[row];
    DualTerm out{.box = dual_box(problem, i)};
    std::visit(
        [&]<typename Kind>(const Kind& loss) {
            if constexpr (Kind::kBoxDual) {
                const DualForm form = loss.dual_form(problem.targets[row]);
                const bool free_margin = problem.has_mass() && Kind::kWidth == Width::margin;
                out.linear = free_margin ? 0.0 : form.linear;
                out.width = problem.has_mass() ? 0.0 : form.width;
                out.ridge = c > 0.0 ? form.ridge / c : 0.0;
            }
        },
        problem.loss);
    return out;
}

Interval dual_box(const Problem& problem, index_t i) {
    const auto row = static_cast<std::size_t>(i);
    const double c = problem.costs[row];
    const Interval domain =
        std::visit([&](const auto& loss) { return loss.conjugate_domain(problem.targets[row]); },
                   problem.loss);
    if (c == 0.0) {
        return {0.0, 0.0};
    }
    return {domain.upper == 0.0 ? 0.0 : -c * domain.upper,
            domain.lower == 0.0 ? 0.0 : -c * domain.lower};
}

double project_onto_dual(const Problem& problem, std::span<double> beta) {
    std::vector<Interval> box;
    box.reserve(beta.size());
    for (std::size_t i = 0; i < beta.size(); ++i) {
        box.push_back(dual_box(problem, static_cast<index_t>(i)));
    }
    if (problem.has_mass()) {
        return project_onto_mass(problem, beta, box);
    }
    const std::vector<double> before(beta.begin(), beta.end());
    for (std::size_t i = 0; i < beta.size(); ++i) {
        beta[i] = std::clamp(beta[i], box[i].lower, box[i].upper);
    }
    if (problem.intercept && !absorb_rounding(beta, box, 0.0)) {
        const double shift = balancing_shift(before, box);
        for (std::size_t i = 0; i < beta.size(); ++i) {
            beta[i] = std::clamp(before[i] - shift, box[i].lower, box[i].upper);
        }
    }
    double moved = 0.0;
    for (std::size_t i = 0; i < beta.size(); ++i) {
        moved = std::max(moved, std::abs(beta[i] - before[i]));
    }
    return moved;
}

std::vector<double> multipliers_of(const Problem& problem, std::span<const double> f,
                                   double intercept) {
    std::vector<double> a(f.size());
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < a.size(); ++i) {
                a[i] = -problem.costs[i] * loss.derivative(problem.targets[i], f[i] + intercept);
            }
        },
        problem.loss);
    project_onto_dual(problem, a);
    return a;
}

std::vector<double> decision_values(const Problem& problem, std::span<const double> beta,
                                    Context& context) {
    return problem.gram->multiply(beta, context);
}

Loss best_loss(const Problem& problem, std::span<const double> f, Interval& intercepts) {
    if (!problem.has_mass()) {
        intercepts = best_intercepts(problem, f);
        return problem.loss;
    }
    const bool margin = width_kind(problem.loss) == Width::margin;
    const double share = problem.intercept ? 0.5 * problem.mass : problem.mass;
    std::vector<Jump> above;  // the kinks that determine the upper edge
    std::vector<Jump> below;
    double total = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        const double c = problem.costs[i];
        if (c == 0.0) {
            continue;
        }
        total += c;
        if (!margin) {
            above.push_back({problem.targets[i] - f[i], c});
            below.push_back({problem.targets[i] - f[i], c});
        } else if (problem.targets[i] > 0.0) {
            above.push_back({f[i], c});
        } else {
            below.push_back({-f[i], c});
        }
    }
    if (margin) {
        const double plus = choose_intercept(walk_kinks(above, -share));
        const double minus = problem.intercept ? choose_intercept(walk_kinks(below, -share)) : plus;
        const double b = 0.5 * (minus - plus);
        intercepts = {b, b};
        return with_width(problem.loss, 0.5 * (plus + minus));
    }
    const double upper = choose_intercept(walk_kinks(above, share - total));
    const double lower = choose_intercept(walk_kinks(below, -share));
    const double b = 0.5 * (upper + lower);
    intercepts = {b, b};
    if (upper >= lower) {
        return with_width(problem.loss, 0.5 * (upper - lower));
    }
    Problem closed = problem;  // the tube width cannot be negative
    closed.loss = with_width(problem.loss, 0.0);
    intercepts = best_intercepts(closed, f);
    return closed.loss;
}

Interval best_intercepts(const Problem& problem, std::span<const double> f) {
    if (!problem.intercept || f.empty()) {
        return {0.0, 0.0};
    }
    double start = 0.0;
    std::vector<Jump> kinks = kinks_of(problem, f, start);
    if (!kinks.empty()) {
        return walk_kinks(std::move(kinks), start);
    }
    if (std::all_of(problem.costs.begin(), problem.costs.end(),
                    [](double c) { return c == 0.0; })) {
        return {-kInfinity, kInfinity};
    }
    const Bracket bracket = bracket_minimisers(problem, f);
    const bool open_low = sign_of(bracket.at_lower) >= 0;
    const bool open_high = sign_of(bracket.at_upper) <= 0;
    return {open_low ? -kInfinity : boundary(problem, f, bracket, -1),
            open_high ? kInfinity : boundary(problem, f, bracket, 0)};
}

double choose_intercept(const Interval& interval) noexcept {
    const bool low = std::isfinite(interval.lower);
    const bool high = std::isfinite(interval.upper);
    if (low && high) {
        return 0.5 * (interval.lower + interval.upper);
    }
    return low ? interval.lower : (high ? interval.upper : 0.0);
}

}  // namespace mercer
