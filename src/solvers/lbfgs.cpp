// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/lbfgs.cpp - quasi-Newton methods: the full matrix and the last few pairs.
//
// Method   BFGS updates of the inverse (Nocedal and Wright, chapters 6 and 7); L-BFGS by the two
//          loops over the retained pairs, scaled by s'y / y'y. A pair without curvature is skipped.
// Fits     smooth functions whose second derivatives are not available.
// Cost     one gradient per step; memory n^2 (BFGS) or 2 n memory (L-BFGS).
// Stops    at the gradient's tolerance.
// Notation s  step   y  change of the gradient   H  approximate inverse of the second derivatives
#include <algorithm>
#include <cmath>
#include <deque>

#include "mercer/base/checked.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/memory.hpp"
#include "solvers/descent.hpp"

namespace mercer {

namespace {

constexpr double kLeastCurvature = 1e-10;  // s'y below this share of |s| |y| is rounding

struct Pair {
    std::vector<double> s;
    std::vector<double> y;
    double product = 0.0;  ///< <s, y>
};

/// Stores the start of a step and makes the pair at its end.
class PairMaker {
public:
    explicit PairMaker(const Descent& descent)
        : x_(descent.x().begin(), descent.x().end()),
          gradient_(descent.gradient().begin(), descent.gradient().end()) {}

    /// False when the curvature along the step is not positive.
    bool make(const Descent& descent, Pair& pair) const {
        pair.s.resize(x_.size());
        pair.y.resize(x_.size());
        for (std::size_t i = 0; i < x_.size(); ++i) {
            pair.s[i] = descent.x()[i] - x_[i];
            pair.y[i] = descent.gradient()[i] - gradient_[i];
        }
        pair.product = descent.inner(pair.s, pair.y);
        const double sizes =
            std::sqrt(descent.inner(pair.s, pair.s) * descent.inner(pair.y, pair.y));
        return pair.product > kLeastCurvature * sizes;
    }

private:
    std::vector<double> x_;
    std::vector<double> gradient_;
};

/// -H g from the retained pairs, newest last.
std::vector<double> two_loops(const Descent& descent, const std::deque<Pair>& pairs) {
    std::vector<double> d(descent.gradient().begin(), descent.gradient().end());
    std::vector<double> along(pairs.size());
    for (std::size_t k = pairs.size(); k-- > 0;) {
        along[k] = descent.inner(pairs[k].s, d) / pairs[k].product;
        for (std::size_t i = 0; i < d.size(); ++i) {
            d[i] -= along[k] * pairs[k].y[i];
        }
    }
    const double scale =
        pairs.empty() ? 1.0 : pairs.back().product / descent.inner(pairs.back().y, pairs.back().y);
    for (double& value : d) {
        value *= scale;
    }
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const double back = along[k] - descent.inner(pairs[k].y, d) / pairs[k].product;
        for (std::size_t i = 0; i < d.size(); ++i) {
            d[i] += back * pairs[k].s[i];
        }
    }
    for (double& value : d) {
        value = -value;
    }
    return d;
}

/// The first step, when the scale is not known yet: 1 / |g|, at most 1.
double first_step(const Descent& descent) {
    const double norm = std::sqrt(descent.inner(descent.gradient(), descent.gradient()));
    return std::min(1.0, 1.0 / norm);
}

/// H <- (I - s y'/p) H (I - y s'/p) + s s'/p.
void update_inverse(MatrixView<double> h, const Pair& pair) {
    const index_t n = h.rows;
    std::vector<double> hy(static_cast<std::size_t>(n), 0.0);
    double yhy = 0.0;
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            hy[static_cast<std::size_t>(i)] += h(i, j) * pair.y[static_cast<std::size_t>(j)];
        }
        yhy += hy[static_cast<std::size_t>(i)] * pair.y[static_cast<std::size_t>(i)];
    }
    const double p = pair.product;
    for (index_t i = 0; i < n; ++i) {
        const auto a = static_cast<std::size_t>(i);
        for (index_t j = 0; j < n; ++j) {
            const auto b = static_cast<std::size_t>(j);
            h(i, j) += (1.0 + yhy / p) * pair.s[a] * pair.s[b] / p -
                       (hy[a] * pair.s[b] + pair.s[a] * hy[b]) / p;
        }
    }
}

}  // namespace

OptimiserResult lbfgs(Objective& objective, std::span<const double> start,
                      const OptimiserOptions& options, Context& context) {
    Descent descent(objective, start, options, context);
    std::deque<Pair> pairs;
    descent.result().memory_bytes = 2 * objective.size() * options.memory * 8;
    while (!descent.ended()) {
        const std::vector<double> direction = two_loops(descent, pairs);
        const PairMaker maker(descent);
        const double first = pairs.empty() ? first_step(descent) : 1.0;
        if (!descent.search(direction, first, options.exact ? kWolfeExact : kWolfeQuasiNewton)) {
            if (pairs.empty()) {
                descent.stall("no lower value along the gradient in double precision");
                break;
            }
            pairs.clear();  // the pairs mislead: restart from the gradient
            ++descent.result().restarts;
            continue;
        }
        Pair pair;
        if (maker.make(descent, pair)) {
            pairs.push_back(std::move(pair));
            if (static_cast<index_t>(pairs.size()) > options.memory) {
                pairs.pop_front();
            }
        }
    }
    return std::move(descent).release();
}

OptimiserResult bfgs(Objective& objective, std::span<const double> start,
                     const OptimiserOptions& options, Context& context) {
    Descent descent(objective, start, options, context);
    const index_t n = objective.size();
    Buffer<double> matrix = context.allocate<double>(checked_multiply(n, n), "the BFGS matrix");
    const MatrixView<double> h(matrix.data(), n, n);
    descent.result().memory_bytes = n * n * 8;
    bool scaled = false;  // H is the identity until the first pair gives it a scale
    for (index_t i = 0; i < n; ++i) {
        h(i, i) = 1.0;
    }
    while (!descent.ended()) {
        std::vector<double> direction(static_cast<std::size_t>(n), 0.0);
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < n; ++j) {
                direction[static_cast<std::size_t>(i)] -=
                    h(i, j) * descent.gradient()[static_cast<std::size_t>(j)];
            }
        }
        const PairMaker maker(descent);
        if (!descent.search(direction, scaled ? 1.0 : first_step(descent),
                            options.exact ? kWolfeExact : kWolfeQuasiNewton)) {
            descent.stall("no lower value along the quasi-Newton step in double precision");
            break;
        }
        Pair pair;
        if (!maker.make(descent, pair)) {
            continue;
        }
        if (!scaled) {
            const double scale = pair.product / descent.inner(pair.y, pair.y);
            for (index_t i = 0; i < n; ++i) {
                h(i, i) = scale;
            }
            scaled = true;
        }
        update_inverse(h, pair);
    }
    return std::move(descent).release();
}

}  // namespace mercer
