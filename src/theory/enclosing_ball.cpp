// SPDX-License-Identifier: Apache-2.0
//
// src/theory/enclosing_ball.cpp - the smallest ball by pairwise steps of its dual.
//
//     maximise   sum_i a_i k_ii - a'Ka     subject to   a >= 0, sum(a) = 1
//
// Method   Pairwise Frank-Wolfe steps (Lacoste-Julien and Jaggi, NIPS 2015): weight moves from the
//          nearest row of the centre's support to the farthest of all rows.
// Stops    when the distance of the farthest row meets the dual value, a lower bound for any ball.
// Notation a weights of the centre   q = Ka   g = k_ii - 2 q_i, distance^2 minus |centre|^2
#include "mercer/theory/enclosing_ball.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

struct Centre {
    std::span<const double> diagonal;
    const GramRow& row;
    std::vector<double> a;
    std::vector<double> q;
    std::vector<double> far_row;
    std::vector<double> near_row;

    Centre(std::span<const double> diagonal_in, const GramRow& row_in)
        : diagonal(diagonal_in),
          row(row_in),
          a(diagonal_in.size(), 0.0),
          q(diagonal_in.size()),
          far_row(diagonal_in.size()),
          near_row(diagonal_in.size()) {
        a[0] = 1.0;
        copy(0, q);
    }

    void copy(std::size_t i, std::vector<double>& out) const {
        row(static_cast<index_t>(i), out);
        out[i] = diagonal[i];
    }

    [[nodiscard]] double gradient(std::size_t i) const { return diagonal[i] - 2.0 * q[i]; }

    /// Moves weight from `near` to `far` by an exact line search.
    void move(std::size_t far, std::size_t near) {
        copy(far, far_row);
        copy(near, near_row);
        const double curvature = diagonal[far] + diagonal[near] - 2.0 * far_row[near];
        const double wanted = (gradient(far) - gradient(near)) / (2.0 * curvature);
        const double step = curvature > 0.0 ? std::min(wanted, a[near]) : a[near];
        a[far] += step;
        a[near] = step < a[near] ? a[near] - step : 0.0;
        for (std::size_t i = 0; i < q.size(); ++i) {
            q[i] += step * (far_row[i] - near_row[i]);
        }
    }
};

}  // namespace

EnclosingBall enclosing_ball(std::span<const double> diagonal, const GramRow& row, Context& context,
                             double tolerance, index_t max_iterations) {
    if (diagonal.empty()) {
        throw InvalidArgument("enclosing ball: there are no rows");
    }
    if (!(tolerance > 0.0)) {
        throw InvalidArgument("tolerance: must be > 0");
    }
    Centre centre(diagonal, row);
    EnclosingBall ball;
    for (;; ++ball.iterations) {
        context.throw_if_stopped("enclosing ball");
        context.report({"enclosing ball", ball.iterations, max_iterations, kNaN, 0});
        std::size_t far = 0;
        std::size_t near = diagonal.size();
        CompensatedSum mean_square;
        CompensatedSum square;  // |centre|^2
        for (std::size_t i = 0; i < diagonal.size(); ++i) {
            far = centre.gradient(i) > centre.gradient(far) ? i : far;
            if (centre.a[i] > 0.0) {
                near = near == diagonal.size() || centre.gradient(i) < centre.gradient(near) ? i
                                                                                             : near;
                mean_square.add(centre.a[i] * diagonal[i]);
                square.add(centre.a[i] * centre.q[i]);
            }
        }
        const double most = std::max(0.0, centre.gradient(far) + square.value());
        const double least = std::max(0.0, mean_square.value() - square.value());
        if (most - least <= tolerance * most || ball.iterations == max_iterations || far == near) {
            ball.radius = std::sqrt(most);
            ball.least_radius = std::sqrt(std::min(least, most));
            ball.weights = std::move(centre.a);
            return ball;
        }
        centre.move(far, near);
    }
}

}  // namespace mercer
