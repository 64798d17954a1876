// SPDX-License-Identifier: Apache-2.0
//
// src/search/choice.cpp - the best, the simplest within a standard error of it, and the next best.
#include "search/choice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/search/score_statistics.hpp"
#include "search/grid.hpp"
#include "search/judge.hpp"

namespace mercer::search {

namespace {

/// The eligible rows, best first; ties in the order of the table.
class Ranking {
public:
    explicit Ranking(const SelectResult& result) : result_(result) {
        index_t most = 0;
        for (const SelectRow& row : result.table) {
            most = std::max(most, row.rows);
        }
        for (std::size_t i = 0; i < result.table.size(); ++i) {
            if (result.table[i].rows == most && !std::isnan(loss(i))) {
                order_.push_back(i);
            }
        }
        std::stable_sort(order_.begin(), order_.end(), [&](std::size_t i, std::size_t j) {
            const bool better = result_.table[i].converged;
            const bool other = result_.table[j].converged;
            return better != other ? better : loss(i) < loss(j);
        });
    }

    [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }
    /// The measure, negated if greater values are better.
    [[nodiscard]] double loss(std::size_t i) const {
        const double value = measure_of(result_.table[i].measures, result_.measure);
        return greater_is_better(result_.measure) ? -value : value;
    }

private:
    const SelectResult& result_;
    std::vector<std::size_t> order_;
};

/// +1: smaller is simpler; -1: greater is simpler; 0: neither.
double simpler_direction(std::string_view name) {
    for (const std::string_view less : {"C", "cost", "gamma", "degree", "bandwidth"}) {
        if (name == less) {
            return 1.0;
        }
    }
    for (const std::string_view more : {"lambda", "alpha", "epsilon", "length", "sigma", "l1"}) {
        if (name == more) {
            return -1.0;
        }
    }
    return 0.0;
}

/// The sort key of simplicity: the weight of the losses first, then the other hyperparameters in
/// order.
std::vector<double> complexity(const SelectResult& result, std::size_t row) {
    std::vector<double> first;
    std::vector<double> then;
    for (std::size_t a = 0; a < result.names.size(); ++a) {
        const double direction = simpler_direction(result.names[a]);
        if (direction != 0.0) {
            (weighs_losses(result.names[a]) ? first : then)
                .push_back(direction * result.table[row].values[a]);
        }
    }
    first.insert(first.end(), then.begin(), then.end());
    return first;
}

/// The simplest row within one standard error of the first.
std::size_t simplest(const SelectResult& result, const Ranking& ranking) {
    const std::size_t top = ranking.order().front();
    const double error = result.table[top].standard_error;
    if (std::isnan(error)) {
        throw InvalidArgument("rule", "",
                              "one-standard-error needs the scores of two folds or more, by a "
                              "measure that each of them has");
    }
    std::size_t best = top;
    for (const std::size_t i : ranking.order()) {  // on ties the better one comes first
        if (result.table[i].converged == result.table[top].converged &&
            ranking.loss(i) <= ranking.loss(top) + error &&
            complexity(result, i) < complexity(result, best)) {
            best = i;
        }
    }
    return best;
}

}  // namespace

std::vector<std::size_t> ranked(const SelectResult& result) { return Ranking(result).order(); }

void choose(SelectResult& result, SelectionRule rule) {
    const Ranking ranking(result);
    const std::vector<std::size_t>& order = ranking.order();
    if (order.empty()) {
        throw InvalidArgument("metric", "",
                              fmt::format("{} is not defined for any combination", result.measure));
    }
    result.top = order.front();
    result.best = rule == SelectionRule::best ? result.top : simplest(result, ranking);
    result.runner_up.reset();
    if (order.size() > 1 && !std::isnan(result.share) &&
        result.table[order[1]].scores.size() == result.table[order[0]].scores.size() &&
        result.table[order[0]].scores.size() > 1) {
        result.runner_up =
            RunnerUp{order[1], compare_paired(result.table[order[0]].scores,
                                              result.table[order[1]].scores, result.share)};
    }
}

}  // namespace mercer::search
