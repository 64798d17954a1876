// SPDX-License-Identifier: Apache-2.0
//
// src/theory/separability.cpp - propose in floating point, decide in integers, check the result.
#include "mercer/theory/separability.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <variant>

#include "mercer/base/error.hpp"
#include "mercer/data/entries.hpp"
#include "mercer/runtime/context.hpp"
#include "theory/certificates.hpp"
#include "theory/exact_system.hpp"
#include "theory/gordan.hpp"
#include "theory/scaled_rows.hpp"
#include "theory/separating_program.hpp"

namespace mercer {

namespace {

using theory::Integer;
using theory::Rational;

// Below these the exact method alone takes less time than loading CLP.
constexpr index_t kFewRows = 64;
constexpr index_t kFewColumns = 8;

std::vector<Integer> integers_of(std::span<const double> v) {
    constexpr long kShift = 1074;
    std::vector<Integer> out;
    for (const double x : v) {
        out.push_back(std::isfinite(x) ? theory::scaled_integer(x, kShift) : Integer(0));
    }
    return out;
}

/// The decision: the linear programme's direction if it is exactly positive, otherwise the exact
/// method started from the programme's rows.
theory::Alternative decide_rows(theory::GordanRows& rows, const theory::Sides& sides,
                                const SeparabilityOptions& options, index_t& programs,
                                Context& context) {
    const theory::ScaledRows& scaled = rows.scaled();
    theory::Proposal proposal;
    const bool small = scaled.rows() <= kFewRows && scaled.dimension() <= kFewColumns;
    if (scaled.rows() > 0 && scaled.dimension() > 0 && (!small || options.always_program)) {
        proposal = theory::propose(scaled, sides, context);
        programs = proposal.programs;
        theory::Alternative found;
        found.direction = integers_of(proposal.direction);
        if (theory::is_positive(rows, sides, found.direction)) {
            found.decision = theory::Decision::positive;
            return found;
        }
    }
    theory::ExactLimits limits;
    limits.operations = options.exact_operations;
    return theory::decide(rows, sides, proposal.rows, limits, context);
}

/// The numbers of a separator as rationals, whether given as doubles or as text.
struct ExactPlane {
    std::vector<Rational> w;
    Rational b;
};

ExactPlane exact_plane(const Separator& separator) {
    ExactPlane plane;
    if (separator.exact_b.empty()) {
        for (const double x : separator.w) {
            plane.w.push_back(theory::rational_of(x));
        }
        plane.b = theory::rational_of(separator.b);
    } else {
        for (const std::string& text : separator.exact_w) {
            plane.w.push_back(theory::parse_rational(text));
        }
        plane.b = theory::parse_rational(separator.exact_b);
    }
    return plane;
}

template <typename Use>
void for_each_entry_of(const Dataset& rows, index_t i, Use&& use) {
    std::visit([&](const auto& view) { data::for_each_entry(view, rows.source_row(i), use); },
               rows.source());
}

/// True when doubles alone prove t (<w, x> + b) >= 1.
bool clearly_beyond_one(const Dataset& rows, index_t i, double label, const Separator& separator) {
    double sum = separator.b;
    double size = std::fabs(separator.b);
    double count = 4.0;
    for_each_entry_of(rows, i, [&](index_t j, double x) {
        const double product = separator.w[static_cast<std::size_t>(j)] * x;
        sum += product;
        size += std::fabs(product);
        count += 1.0;
    });
    const double error = 1.01 * count * std::numeric_limits<double>::epsilon() * size +
                         count * std::numeric_limits<double>::min();
    return label * sum - error >= 1.0;  // false for NaN
}

bool check_separator(const Dataset& rows, std::span<const double> labels, bool homogeneous,
                     const Separator& separator) {
    const ExactPlane plane = exact_plane(separator);
    if (static_cast<index_t>(plane.w.size()) != rows.columns() || (homogeneous && plane.b != 0)) {
        return false;
    }
    // With one common denominator and rows times 2^1074 all numbers are integers.
    constexpr long kShift = 1074;
    Integer denominator = plane.b.get_den();
    for (const Rational& x : plane.w) {
        denominator = lcm(denominator, x.get_den());
    }
    std::vector<Integer> w;
    for (const Rational& x : plane.w) {
        w.push_back(x.get_num() * (denominator / x.get_den()));
    }
    const Integer b = (plane.b.get_num() * (denominator / plane.b.get_den())) << kShift;
    const Integer one = denominator << kShift;
    for (index_t i = 0; i < rows.rows(); ++i) {
        const double label = labels[static_cast<std::size_t>(i)];
        if (separator.exact_b.empty() && clearly_beyond_one(rows, i, label, separator)) {
            continue;
        }
        Integer value = b;
        for_each_entry_of(rows, i, [&](index_t j, double x) {
            value += w[static_cast<std::size_t>(j)] * theory::scaled_integer(x, kShift);
        });
        if ((label > 0.0 ? value : Integer(-value)) < one) {
            return false;
        }
    }
    return true;
}

bool check_hulls(const Dataset& rows, std::span<const double> labels, bool homogeneous,
                 const MeetingHulls& hulls) {
    if (hulls.rows.empty() || hulls.rows.size() != hulls.exact_weights.size()) {
        return false;
    }
    std::vector<Rational> weights;
    Integer denominator = 1;
    for (const std::string& text : hulls.exact_weights) {
        weights.push_back(theory::parse_rational(text));
        denominator = lcm(denominator, weights.back().get_den());
    }
    constexpr long kShift = 1074;
    std::vector<Integer> sums(static_cast<std::size_t>(rows.columns()));
    Integer balance;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        const index_t i = hulls.rows[k];
        if (weights[k] <= 0 || i < 0 || i >= rows.rows()) {
            return false;
        }
        Integer weight = weights[k].get_num() * (denominator / weights[k].get_den());
        if (labels[static_cast<std::size_t>(i)] < 0.0) {
            weight = -weight;
        }
        balance += weight;
        for_each_entry_of(rows, i, [&](index_t j, double x) {
            sums[static_cast<std::size_t>(j)] += weight * theory::scaled_integer(x, kShift);
        });
    }
    return (homogeneous || balance == 0) &&
           std::all_of(sums.begin(), sums.end(), [](const Integer& x) { return x == 0; });
}

}  // namespace

Separability test_separability(const Dataset& rows, std::span<const double> labels,
                               const SeparabilityOptions& options, Context& context) {
    const theory::Sides sides{theory::signs_of(labels, rows.rows()), {}};
    const theory::ScaledRows scaled(rows, !options.homogeneous);
    theory::GordanRows exact(scaled);
    Separability out;
    const theory::Alternative found = decide_rows(exact, sides, options, out.programs, context);
    out.systems = found.systems;
    switch (found.decision) {
        case theory::Decision::positive:
            out.answer = SeparabilityAnswer::separable;
            out.separator = theory::make_separator(exact, sides, found.direction);
            break;
        case theory::Decision::zero:
            out.answer = SeparabilityAnswer::not_separable;
            out.hulls = theory::make_hulls(scaled, sides, found);
            break;
        case theory::Decision::undecided:
            out.reason = fmt::format(
                "floating point does not decide it, and an exact system of up to {} equations in "
                "numbers of "
                "{} bits exceeds the limit of {:.2g} word operations",
                std::min(scaled.rows(), scaled.dimension() + 1) + 1, 2 * scaled.bits(),
                options.exact_operations);
            return out;
    }
    out.exact_check = check_certificate(rows, labels, options.homogeneous, out);
    return out;
}

bool check_certificate(const Dataset& rows, std::span<const double> labels, bool homogeneous,
                       const Separability& separability) {
    static_cast<void>(theory::signs_of(labels, rows.rows()));
    switch (separability.answer) {
        case SeparabilityAnswer::separable:
            return check_separator(rows, labels, homogeneous, separability.separator);
        case SeparabilityAnswer::not_separable:
            return check_hulls(rows, labels, homogeneous, separability.hulls);
        case SeparabilityAnswer::undecided:
            return false;
    }
    return false;
}

}  // namespace mercer
