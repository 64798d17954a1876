// SPDX-License-Identifier: Apache-2.0
//
// src/theory/leave_one_out.cpp - spans of support vectors, and simpler bounds.
//
// Method   Vapnik and Chapelle, Bounds on error expectation for support vector machines, Neural
//          Computation 12, 2000; Jaakkola and Haussler 1999; Vapnik 1998.
//          With A = K_FF + diag(ridge) over the free rows F and B the matrix A bordered by ones
//          (with an intercept), S_p^2 = 1 / (B^-1)_pp for a free row, and k_pp - v'B^-1 v,
//          v = (k_Fp, 1), for one at its bound.
// Cost     |F|^3 / 3 for the factor, |F|^2 for each row at its bound.
// Notation F free rows   a multipliers   u = A^-1 1   s = 1'A^-1 1
#include "mercer/theory/leave_one_out.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

// Relative to the greatest k(x, x): equal rows make A singular, and their span is 0.
constexpr double kJitter = 1e-12;
// Multipliers this close to their bound count as at it: solvers reach it exactly, files may round.
constexpr double kAtBound = 1e-9;

/// 1 / (curvature * cost): what the loss adds to the diagonal of K.
double ridge_of(const SupportShape& shape, double cost) {
    return shape.curvature > 0.0 ? 1.0 / (shape.curvature * cost) : 0.0;
}

bool is_bounded(const SupportSample& sample, const SupportShape& shape, std::size_t p) {
    return sample.alphas[p] >= shape.box * sample.costs[p] * (1.0 - kAtBound);
}

void require_sample(const SupportSample& sample) {
    const std::size_t m = sample.alphas.size();
    if (sample.values.size() != m || sample.costs.size() != m ||
        sample.gram.rows != static_cast<index_t>(m) || sample.gram.columns != sample.gram.rows ||
        sample.rows < sample.gram.rows) {
        throw InvalidArgument(fmt::format(
            "support: {} multipliers, {} values, {} costs and {} x {} kernel values of {} rows", m,
            sample.values.size(), sample.costs.size(), sample.gram.rows, sample.gram.columns,
            sample.rows));
    }
}

/// The free rows, factored.
class FreeRows {
public:
    FreeRows(const SupportSample& sample, const SupportShape& shape, std::vector<index_t> rows,
             Context& context)
        : sample_(sample),
          rows_(std::move(rows)),
          factor_(context.allocate<double>(size() * size(), "the span of the support rows")),
          ones_(rows_.size(), 1.0) {
        double greatest = 0.0;
        for (index_t i = 0; i < size(); ++i) {
            for (index_t j = 0; j <= i; ++j) {
                factor()(i, j) = sample.gram(row(i), row(j));
            }
            factor()(i, i) += ridge_of(shape, sample.costs[static_cast<std::size_t>(row(i))]);
            greatest = std::max(greatest, factor()(i, i));
        }
        for (index_t i = 0; i < size(); ++i) {
            factor()(i, i) += kJitter * greatest;
        }
        if (!cholesky(factor(), context)) {
            throw InvalidArgument(
                "kernel: the matrix of the support rows has a negative eigenvalue");
        }
        solve_lower(factor(), MatrixView<double>(ones_.data(), size(), 1), context);
        sum_ = std::inner_product(ones_.begin(), ones_.end(), ones_.begin(), 0.0);
    }

    [[nodiscard]] index_t size() const { return static_cast<index_t>(rows_.size()); }

    /// Writes S^2 of every free row to its entry of `out`.
    void own_spans(std::vector<double>& out, Context& context) {
        std::vector<double> inverse(rows_.size());
        inverse_diagonal(factor(), inverse, context);
        std::vector<double> u(rows_.size(), 1.0);
        cholesky_solve(factor(), MatrixView<double>(u.data(), size(), 1), context);
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            double entry = inverse[i];
            if (sample_.has_intercept) {
                entry -= u[i] * u[i] / sum_;  // 0 if the row is the only free one
                entry = entry > 1e-12 * inverse[i] ? entry : 0.0;
            }
            out[static_cast<std::size_t>(rows_[i])] = entry > 0.0 ? 1.0 / entry : kInfinity;
        }
    }

    /// S^2 of row p, which is not free.
    [[nodiscard]] double span_of(index_t p, Context& context) {
        std::vector<double> y(rows_.size());
        for (index_t i = 0; i < size(); ++i) {
            y[static_cast<std::size_t>(i)] = sample_.gram(row(i), p);
        }
        solve_lower(factor(), MatrixView<double>(y.data(), size(), 1), context);
        double span = sample_.gram(p, p) - std::inner_product(y.begin(), y.end(), y.begin(), 0.0);
        if (sample_.has_intercept) {
            const double rest = 1.0 - std::inner_product(y.begin(), y.end(), ones_.begin(), 0.0);
            span += rest * rest / sum_;
        }
        return std::max(0.0, span);
    }

private:
    [[nodiscard]] index_t row(index_t i) const { return rows_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] MatrixView<double> factor() { return {factor_.data(), size(), size()}; }

    const SupportSample& sample_;
    std::vector<index_t> rows_;
    Buffer<double> factor_;
    std::vector<double> ones_;  ///< L^-1 1
    double sum_ = 0.0;          ///< 1'A^-1 1
};

Bound support_row(const SupportSample& sample) {
    const auto count = static_cast<double>(sample.alphas.size());
    return {.name = "support-vectors",
            .value = count / static_cast<double>(sample.rows),
            .theorem = "Vapnik 1995: only support vectors can be wrong when left out",
            .note = fmt::format("{} of {} rows", sample.alphas.size(), sample.rows)};
}

Bound jaakkola_haussler_row(const SupportSample& sample) {
    Bound out{.name = "jaakkola-haussler",
              .theorem = "Jaakkola, Haussler 1999: wrong when left out => a k(x,x) >= t f(x)"};
    if (sample.has_intercept) {
        out.note = "for machines without an intercept";
        return out;
    }
    index_t wrong = 0;
    for (std::size_t p = 0; p < sample.alphas.size(); ++p) {
        const auto at = static_cast<index_t>(p);
        wrong += sample.alphas[p] * sample.gram(at, at) >= sample.values[p];
    }
    out.value = static_cast<double>(wrong) / static_cast<double>(sample.rows);
    out.note = fmt::format("{} of {} rows", wrong, sample.rows);
    return out;
}

Bound radius_margin_row(const SupportSample& sample, const SupportShape& shape, double radius) {
    Bound out{.name = "radius-margin",
              .theorem = sample.has_intercept
                             ? "Vapnik, Chapelle 2000: D^2 |w|^2 / n, D <= 2R of a ball of all rows"
                             : "Vapnik 1998: R^2 |w|^2 / n for hyperplanes through 0"};
    // A hinge whose multipliers are all below their bound violates no margin: the margin is hard.
    bool hard = !sample.alphas.empty();
    for (std::size_t p = 0; p < sample.alphas.size(); ++p) {
        hard = hard && !is_bounded(sample, shape, p);
    }
    if (!hard || sample.margin != 1.0) {
        out.note = "for hard margins and squared slacks";
        return out;
    }
    const double norm = std::accumulate(sample.alphas.begin(), sample.alphas.end(), 0.0);
    const double reach = (sample.has_intercept ? 2.0 : 1.0) * radius;
    out.value = reach * reach * norm / static_cast<double>(sample.rows);
    out.note = fmt::format("R = {:.4g}, |w|^2 = {:.4g}{}", radius, norm,
                           shape.curvature > 0.0 ? ", k + 1/c" : "");
    return out;
}

Bound span_row(const SupportSample& sample, const SpanEstimate* span, std::string_view note) {
    Bound out{.name = "span",
              .theorem =
                  "Vapnik, Chapelle 2000: wrong when left out <=> a S^2 >= t f(x), "
                  "if no other row changes its zone",
              .note = std::string(note)};
    if (span != nullptr) {
        out.value = static_cast<double>(span->wrong) / static_cast<double>(sample.rows);
        out.note = fmt::format("{} of {} rows", span->wrong, sample.rows);
    }
    return out;
}

}  // namespace

std::optional<SupportShape> support_shape(const Loss& loss) {
    return std::visit(
        [](const auto& kind) -> std::optional<SupportShape> {
            if (!kind.kBoxDual) {
                return std::nullopt;
            }
            // A row of class +1 at f = 0 has a loss > 0, so it is in the quadratic part of the
            // loss.
            return SupportShape{-kind.conjugate_domain(1.0).lower, kind.curvature(1.0, 0.0)};
        },
        loss);
}

SpanEstimate span_estimate(const SupportSample& sample, const SupportShape& shape,
                           Context& context) {
    require_sample(sample);
    std::vector<index_t> free;
    std::vector<index_t> bounded;
    for (std::size_t p = 0; p < sample.alphas.size(); ++p) {
        (is_bounded(sample, shape, p) ? bounded : free).push_back(static_cast<index_t>(p));
    }
    SpanEstimate out;
    out.squared_spans.assign(sample.alphas.size(), kInfinity);
    if (!free.empty()) {
        FreeRows rows(sample, shape, free, context);
        rows.own_spans(out.squared_spans, context);
        for (const index_t p : bounded) {
            context.throw_if_stopped("span");
            out.squared_spans[static_cast<std::size_t>(p)] = rows.span_of(p, context);
        }
    } else if (!sample.has_intercept) {
        for (const index_t p : bounded) {
            out.squared_spans[static_cast<std::size_t>(p)] = sample.gram(p, p);
        }
    }
    out.left_out_values.resize(sample.alphas.size());
    for (std::size_t p = 0; p < sample.alphas.size(); ++p) {
        out.left_out_values[p] = sample.values[p] - sample.alphas[p] * out.squared_spans[p];
    }
    for (const index_t p : free) {  // f^p does not contain the ridge of row p
        const auto at = static_cast<std::size_t>(p);
        out.left_out_values[at] += sample.alphas[at] * ridge_of(shape, sample.costs[at]);
    }
    out.wrong = std::count_if(out.left_out_values.begin(), out.left_out_values.end(),
                              [](double value) { return !(value > 0.0); });
    return out;
}

std::vector<Bound> leave_one_out_bounds(const SupportSample& sample, const SupportShape& shape,
                                        double radius, const SpanEstimate* span,
                                        std::string_view span_note) {
    require_sample(sample);
    return {support_row(sample), jaakkola_haussler_row(sample),
            radius_margin_row(sample, shape, radius), span_row(sample, span, span_note)};
}

}  // namespace mercer
