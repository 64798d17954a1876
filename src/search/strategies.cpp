// SPDX-License-Identifier: Apache-2.0
//
// src/search/strategies.cpp - which combinations are tried: a grid, random draws, successive
// halving.
//
// Method   Successive halving (Jamieson and Talwalkar, AISTATS 2016): all combinations are
// evaluated on
//          few rows, the best third of them on three times as many, and so on up to all rows. Each
//          set of rows contains the previous one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "mercer/base/error.hpp"
#include "mercer/fit/checkpoint.hpp"
#include "mercer/fit/folds.hpp"
#include "mercer/runtime/context.hpp"
#include "search/choice.hpp"
#include "search/grid.hpp"
#include "search/select_folds.hpp"
#include "search/try_grid.hpp"

namespace mercer::search {

namespace {

constexpr std::uint64_t kDrawStream = 23;
constexpr std::uint64_t kRowStream = 24;
constexpr double kFactor = 3.0;        // growth of the rows, decay of the combinations
constexpr index_t kLeastPerFold = 10;  // rows of a fold, and of a class in it, in the first round
constexpr index_t kLeastRows = 60;

/// A random value between the ends of the axis, uniform or log-uniform according to its steps.
double draw(const GridAxis& axis, Random& random) {
    std::vector<double> values = axis.values;
    std::sort(values.begin(), values.end());
    const double low = values.front();
    const double high = values.back();
    const double share = random.uniform();
    const double value =
        by_factors(values) ? low * std::pow(high / low, share) : low + (high - low) * share;
    return axis.name == "degree" ? std::round(value) : std::clamp(value, low, high);
}

/// The rows in an order with prefixes that represent all rows: by class, or in whole groups; rows
/// ordered by time from the last one backwards.
std::vector<index_t> growing_order(const Dataset& data, const SelectOptions& options,
                                   const Context& context) {
    const index_t n = data.rows();
    std::vector<index_t> order(static_cast<std::size_t>(n));
    if (options.division.time_ordered) {
        std::iota(order.rbegin(), order.rend(), index_t{0});
        return order;
    }
    order = context.random(kRowStream).permutation(n);
    const std::vector<index_t>& groups = options.division.groups;
    if (!groups.empty()) {  // groups in the order of their first rows
        std::map<index_t, std::size_t> first;
        for (const index_t row : order) {
            first.emplace(groups[static_cast<std::size_t>(row)], first.size());
        }
        std::stable_sort(order.begin(), order.end(), [&](index_t a, index_t b) {
            return first[groups[static_cast<std::size_t>(a)]] <
                   first[groups[static_cast<std::size_t>(b)]];
        });
    } else if (!data.label_names.empty()) {
        std::map<double, double> size;
        for (const double target : data.targets) {
            size[target] += 1.0;
        }
        std::map<double, double> seen;
        std::vector<double> key(order.size());
        for (const index_t row : order) {
            const double target = data.targets[static_cast<std::size_t>(row)];
            key[static_cast<std::size_t>(row)] = (seen[target] + 0.5) / size[target];
            seen[target] += 1.0;
        }
        std::stable_sort(order.begin(), order.end(), [&](index_t a, index_t b) {
            return key[static_cast<std::size_t>(a)] < key[static_cast<std::size_t>(b)];
        });
    }
    return order;
}

/// The first `count` rows of the order, or a few more so that no group is split; ascending.
std::vector<index_t> beginning(const std::vector<index_t>& order, index_t count,
                               const std::vector<index_t>& groups) {
    auto end = static_cast<std::size_t>(count);
    while (!groups.empty() && end < order.size() &&
           groups[static_cast<std::size_t>(order[end])] ==
               groups[static_cast<std::size_t>(order[end - 1])]) {
        ++end;
    }
    std::vector<index_t> rows(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(end));
    std::sort(rows.begin(), rows.end());
    return rows;
}

/// The rounds of successive halving.
class Halving {
public:
    Halving(const Dataset& data, const SelectOptions& options, FoldMemory* memory, Context& context)
        : data_(data), options_(options), memory_(memory), context_(context) {
        if (!options.division.given.empty()) {
            throw InvalidArgument("search", "", "halving divides growing lists of rows",
                                  "given folds do not");
        }
    }

    SelectResult run() {
        std::vector<Combination> left = wanted_combinations(options_, context_);
        const std::vector<index_t> order = growing_order(data_, options_, context_);
        const index_t rounds = round_count(left.size());
        for (index_t round = 0; round < rounds; ++round) {
            const index_t count =
                static_cast<index_t>(static_cast<double>(data_.rows()) /
                                     std::pow(kFactor, static_cast<double>(rounds - 1 - round)));
            if (!try_round(left, beginning(order, count, options_.division.groups))) {
                break;
            }
            const auto best =
                static_cast<std::size_t>(std::ceil(static_cast<double>(left.size()) / kFactor));
            left = best_of(best);
        }
        choose(all_, options_.search.rule);
        return std::move(all_);
    }

private:
    /// One round for each factor in the number of combinations, while the first has enough rows.
    [[nodiscard]] index_t round_count(std::size_t combinations) const {
        const auto classes =
            static_cast<index_t>(std::max<std::size_t>(1, data_.label_names.size()));
        const index_t least =
            std::max(kLeastRows, kLeastPerFold * (options_.leave_one_out ? 1 : options_.folds) *
                                     (data_.label_names.empty() ? 1 : classes));
        const double most =
            std::log(static_cast<double>(std::max<index_t>(1, data_.rows() / least)));
        const double wanted = std::log(static_cast<double>(combinations));
        return 1 + static_cast<index_t>(std::max(0.0, std::min(most, wanted)) / std::log(kFactor) +
                                        1e-9);
    }

    /// False after a stop; the table has what was evaluated before.
    bool try_round(const std::vector<Combination>& left, const std::vector<index_t>& rows) {
        SelectOptions own = options_;
        own.search.rule = SelectionRule::best;
        own.division.groups.clear();
        for (const index_t row : options_.division.groups.empty() ? std::vector<index_t>() : rows) {
            own.division.groups.push_back(options_.division.groups[static_cast<std::size_t>(row)]);
        }
        try {
            round_ = try_combinations(fit::rows_at(data_, rows), own, left, memory_, context_);
        } catch (const Interrupted&) {
            if (all_.table.empty()) {
                throw;
            }
            all_.unjudged = static_cast<index_t>(left.size());
            return false;
        }
        for (SelectRow& row : round_.table) {
            row.rows = static_cast<index_t>(rows.size());
        }
        merge();
        return round_.unjudged == 0;
    }

    /// Replaces the earlier row of a combination by the later one.
    void merge() {
        std::vector<SelectRow> table = std::move(all_.table);
        all_ = round_;
        for (const SelectRow& row : round_.table) {
            const auto same = std::find_if(table.begin(), table.end(), [&](const SelectRow& other) {
                return other.values == row.values;
            });
            if (same == table.end()) {
                table.push_back(row);
            } else {
                *same = row;
            }
        }
        all_.table = std::move(table);
    }

    /// The best combinations of the last round, in its order.
    [[nodiscard]] std::vector<Combination> best_of(std::size_t count) const {
        const std::vector<std::size_t> order = ranked(round_);
        std::vector<std::size_t> taken(
            order.begin(),
            order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size())));
        std::sort(taken.begin(), taken.end());
        std::vector<Combination> out;
        for (const std::size_t k : taken) {
            out.push_back(round_.table[k].values);
        }
        return out;
    }

    const Dataset& data_;
    const SelectOptions& options_;
    FoldMemory* memory_;
    Context& context_;
    SelectResult round_;
    SelectResult all_;
};

}  // namespace

std::vector<Combination> wanted_combinations(const SelectOptions& options, const Context& context) {
    if (options.search.draws == 0) {
        return combinations(options.grid);
    }
    static_cast<void>(combinations(options.grid));  // reports a fault of an axis
    if (options.search.draws > kMostCombinations) {
        throw InvalidArgument("draws", fmt::format("{}", options.search.draws),
                              fmt::format("must be at most {}", kMostCombinations));
    }
    Random random = context.random(kDrawStream);
    std::vector<Combination> out;
    for (index_t k = 0; k < options.search.draws; ++k) {
        Combination one;
        for (const GridAxis& axis : options.grid) {
            one.push_back(draw(axis, random));
        }
        if (std::find(out.begin(), out.end(), one) == out.end()) {
            out.push_back(std::move(one));
        }
    }
    return out;
}

SelectResult try_wanted(const Dataset& data, const SelectOptions& options, FoldMemory* memory,
                        Context& context) {
    return options.search.kind == SearchKind::halving
               ? Halving(data, options, memory, context).run()
               : try_combinations(data, options, wanted_combinations(options, context), memory,
                                  context);
}

std::string description(const Dataset& data, const SelectOptions& options, const Context& context) {
    std::string out = fit::run_description(data, options.train, context);
    const auto line = [&](std::string_view name, const std::string& value) {
        out += fmt::format("{}={}\n", name, value);
    };
    for (const GridAxis& axis : options.grid) {
        line("grid of " + axis.name, fmt::format("{}", fmt::join(axis.values, ",")));
    }
    line("search", fmt::format("{}", static_cast<int>(options.search.kind)));
    line("draws", fmt::format("{}", options.search.draws));
    line("warm starts", fmt::format("{}", options.warm_start));
    line("metric", options.metric);  // the metric decides what is extended or refined
    line("rule", fmt::format("{}", static_cast<int>(options.search.rule)));
    line("extensions", fmt::format("{}", options.search.extensions));
    line("leave one out", fmt::format("{}", options.leave_one_out));
    line("folds", fmt::format("{}", options.folds));
    line("repeats", fmt::format("{}", options.division.repeats));
    line("time ordered", fmt::format("{}", options.division.time_ordered));
    line("groups", fmt::format("{}", fmt::join(options.division.groups, ",")));
    for (const GivenFold& fold : options.division.given) {
        line("fold", fmt::format("{} | {}", fmt::join(fold.train, ","), fmt::join(fold.test, ",")));
    }
    return out;
}

}  // namespace mercer::search
