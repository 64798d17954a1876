// SPDX-License-Identifier: Apache-2.0
//
// tests/support/random_l1_paths.hpp - random paths of few coefficients, and what holds on them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/random.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/problems/sparse.hpp"
#include "mercer/problems/sparse_columns.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/l1_path.hpp"
#include "support/l1_conditions.hpp"

namespace mercer::testing {

/// A loss, a basis (kernel functions at the rows, or the columns), and what is paid beside l1.
struct L1PathKind {
    std::string_view loss;
    L1Ridge ridge = L1Ridge::none;
    bool of_kernel = false;
};

inline std::ostream& operator<<(std::ostream& out, const L1PathKind& kind) {
    return out << kind.loss << (kind.of_kernel ? " kernel" : " columns")
               << (kind.ridge == L1Ridge::none ? "" : " ridge");
}

/// Rows of an integer grid, some of them twice and with other targets, or of normals; columns that
/// are equal, opposite, constant or zero; more columns than rows or fewer.
class RandomL1Path {
public:
    RandomL1Path(const L1PathKind& kind, index_t largest, Random& random) : kind_(kind) {
        n_ = 6 + random.below(largest - 5);
        d_ = kind.of_kernel ? 1 + random.below(4)
                            : 1 + random.below(random.below(3) == 0 ? 2 * n_ : 10);
        const bool grid = random.below(3) != 0;
        fill_rows(grid, random);
        if (!kind.of_kernel && grid) {
            spoil_columns(random);
        }
        kernel_ =
            random.below(2) == 0 ? linear_kernel() : rbf_kernel(random.below(2) == 0 ? 0.5 : 2.0);
        const index_t p = kind.of_kernel ? n_ : d_;
        for (index_t j = 0; j < p; ++j) {
            for (index_t i = 0; i < n_; ++i) {
                columns_.push_back(kind.of_kernel ? kernel_(row(j), row(i)) : x_[at(i * d_ + j)]);
            }
        }
        problem_.columns = {columns_.data(), p, n_};
        problem_.loss = *loss_by_name(kind.loss);
        problem_.ridge = kind.ridge;
        problem_.intercept = random.below(2) == 0;
        fill_targets(grid, random);
    }
    RandomL1Path(const RandomL1Path&) = delete;
    RandomL1Path& operator=(const RandomL1Path&) = delete;

    [[nodiscard]] const L1PathProblem& problem() const noexcept { return problem_; }

    /// Of the point on the path.
    [[nodiscard]] Certificate certificate(const L1Point& point, Context& context) const {
        Problem risk;
        risk.gram = make_gram(kind_.of_kernel ? kernel_ : linear_kernel(),
                              Dataset(MatrixView<const double>(x_.data(), n_, d_)));
        risk.targets = problem_.targets;
        risk.costs = problem_.costs;
        risk.loss = problem_.loss;
        risk.intercept = problem_.intercept;
        const bool ridge = kind_.ridge != L1Ridge::none;
        if (kind_.of_kernel) {
            return certify(SparseProblem{risk, point.lambda, ridge}, point.beta, context);
        }
        return certify(SparseColumnProblem{risk, point.lambda, ridge}, point.beta, context);
    }

    /// What the last digit of the coefficients alone does to a gradient: it moves every value by as
    /// much as eps max |Z| sum |beta|, and the gradients by that, the costs and max |Z| again.
    [[nodiscard]] double rounding(const L1Point& point) const {
        double largest = 0.0;
        for (const double z : columns_) {
            largest = std::max(largest, std::abs(z));
        }
        double costs = 0.0;
        for (const double cost : problem_.costs) {
            costs += cost;
        }
        return std::numeric_limits<double>::epsilon() * costs * largest * largest * sizes(point);
    }

    /// And to the relative gap, which is sum |beta| times as much.
    [[nodiscard]] double least_gap(const L1Point& point, double primal) const {
        return rounding(point) * sizes(point) / std::max(1.0, std::abs(primal));
    }

private:
    [[nodiscard]] static double sizes(const L1Point& point) {
        double sum = 0.0;
        for (const double beta : point.beta) {
            sum += std::abs(beta);
        }
        return sum;
    }

    static std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

    void fill_rows(bool grid, Random& random) {
        for (index_t i = 0; i < n_; ++i) {
            const index_t twin = grid && i > 0 && random.below(4) == 0 ? random.below(i) : -1;
            for (index_t j = 0; j < d_; ++j) {
                x_.push_back(twin >= 0 ? x_[at(twin * d_ + j)]
                             : grid    ? static_cast<double>(random.below(4)) - 1.0
                                       : random.normal());
            }
        }
    }

    void spoil_columns(Random& random) {
        for (index_t j = 1; j < d_; ++j) {
            const index_t way = random.below(12);
            const index_t other = random.below(j);
            for (index_t i = 0; i < n_ && way < 4; ++i) {
                const double theirs = x_[at(i * d_ + other)];
                x_[at(i * d_ + j)] = way == 0 ? theirs : way == 1 ? -theirs : way == 2 ? 1.0 : 0.0;
            }
        }
    }

    void fill_targets(bool grid, Random& random) {
        const double cost = std::pow(10.0, random.uniform(-1.5, 1.5));
        const double noise = random.below(2) == 0 ? 0.3 : 1.0;
        const double shift = random.below(2) == 0 ? 0.0 : 0.7;
        for (index_t i = 0; i < n_; ++i) {
            const double side = x_[at(i * d_)] - shift + noise * random.normal();
            problem_.targets.push_back(is_classification(problem_.loss) ? (side > 0.0 ? 1.0 : -1.0)
                                       : grid                           ? std::round(2.0 * side)
                                                                        : side);
            problem_.costs.push_back(grid ? cost : cost * random.uniform(0.5, 2.0));
        }
    }

    [[nodiscard]] std::span<const double> row(index_t i) const {
        return {x_.data() + i * d_, at(d_)};
    }

    L1PathKind kind_;
    index_t n_ = 0;
    index_t d_ = 0;
    std::vector<double> x_;
    std::vector<double> columns_;
    Kernel kernel_;
    L1PathProblem problem_;
};

/// What was found on many paths. Violations are beyond rounding and relative to lambda_max.
struct L1PathTally {
    index_t paths = 0;
    index_t events = 0;
    index_t restarts = 0;
    index_t flat_moves = 0;
    index_t unfinished = 0;      ///< ended above the end, with a status that says so
    double unfinished_at = 0.0;  ///< the greatest share of lambda_max where one ended
    index_t silent = 0;          ///< ended above the end as if they had not
    double at_knots = 0.0;       ///< worst violation, but for the end
    double between = 0.0;        ///< the same at random values
    double at_end = 0.0;         ///< gradient without penalty
    double understated = 0.0;    ///< violation beyond what the path says of itself
    index_t uncertified = 0;     ///< random values with a gap above 1e-9 and above rounding
    index_t rounded = 0;         ///< random values with a gap above 1e-9
    double worst_gap = 0.0;      ///< relative
};

inline L1PathTally tally_l1_paths(const L1PathKind& kind, index_t count, std::uint64_t seed) {
    constexpr double kGap = 1e-9;
    L1PathTally out;
    for (index_t k = 0; k < count; ++k) {
        Random random(seed, static_cast<std::uint64_t>(k));
        const RandomL1Path each(kind, 60, random);
        Context context(ContextOptions{.threads = 1});
        const L1Path path = trace_l1_path(each.problem(), 0.0, context);
        const double unit = std::max(path.lambda_max, 1e-300);
        const auto violation = [&](double lambda) {
            const L1Point point = path.at(lambda);
            const auto seen = static_cast<double>(check(each.problem(), point).violation);
            return std::max(0.0, seen - each.rounding(point)) / unit;
        };
        ++out.paths;
        out.events += static_cast<index_t>(path.knots.size());
        out.restarts += path.restarts;
        out.flat_moves += path.flat_moves;
        double own = 0.0;
        for (const L1Knot& knot : path.knots) {
            own = std::max(own, knot.lambda > 0.0 ? violation(knot.lambda) : 0.0);
        }
        out.at_knots = std::max(out.at_knots, own);
        const double end = path.knots.back().lambda;
        if (end > 0.0) {
            ++(path.status == SolveStatus::reduced ? out.unfinished : out.silent);
            out.unfinished_at = std::max(out.unfinished_at, end / unit);
        } else {
            out.at_end = std::max(out.at_end, violation(0.0));
        }
        for (int draw = 0; draw < 20 && path.lambda_max > end; ++draw) {
            const double lambda =
                draw % 2 == 0
                    ? random.uniform(end, path.lambda_max)
                    : std::max(end, path.lambda_max * std::pow(10.0, random.uniform(-6.0, 0.0)));
            const double here = violation(lambda);
            own = std::max(own, here);
            out.between = std::max(out.between, here);
            const L1Point point = path.at(lambda);
            const Certificate proof = each.certificate(point, context);
            const double gap = relative_gap(proof);
            out.rounded += gap <= kGap ? 0 : 1;
            out.uncertified += gap <= std::max(kGap, each.least_gap(point, proof.primal)) ? 0 : 1;
            out.worst_gap = gap <= out.worst_gap ? out.worst_gap : gap;
        }
        out.understated = std::max(out.understated, own - path.max_violation / unit);
    }
    return out;
}

}  // namespace mercer::testing
