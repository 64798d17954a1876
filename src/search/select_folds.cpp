// SPDX-License-Identifier: Apache-2.0
//
// src/search/select_folds.cpp - folds of rows, groups or periods of time, by the seed.
#include "search/select_folds.hpp"

#include <fmt/core.h>

#include "mercer/base/error.hpp"
#include "mercer/data/fold_kinds.hpp"
#include "mercer/fit/folds.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer::search {

namespace {

/// Throws InvalidArgument for conflicting kinds of division.
void require_one_way(const Dataset& data, const SelectOptions& options) {
    const FoldChoices& choices = options.division;
    const int ways =
        static_cast<int>(options.leave_one_out) + static_cast<int>(choices.time_ordered) +
        static_cast<int>(!choices.given.empty()) + static_cast<int>(!choices.groups.empty());
    if (ways > 1) {
        throw InvalidArgument(
            "folds", "",
            "leave-one-out, groups, the order of time and given folds exclude each other");
    }
    if (choices.repeats < 1) {
        throw InvalidArgument("repeats", fmt::format("{}", choices.repeats), "must be >= 1");
    }
    if (choices.repeats > 1 && ways > 0 && choices.groups.empty()) {
        throw InvalidArgument("repeats", "",
                              "these folds are the same however often they are made");
    }
    if (!choices.groups.empty() && static_cast<index_t>(choices.groups.size()) != data.rows()) {
        throw InvalidArgument(
            "groups", "", fmt::format("got {} for {} rows", choices.groups.size(), data.rows()));
    }
}

/// The groups that are never split; empty if there are none.
const std::vector<index_t>& groups_of(const Dataset& data, const SelectOptions& options) {
    const bool queries = is_machine(options.train.model, MachineId::rank) &&
                         options.division.groups.empty() && !data.queries.empty();
    return queries ? data.queries : options.division.groups;
}

}  // namespace

std::vector<Split> folds_of(const Dataset& data, const SelectOptions& options, Context& context) {
    require_one_way(data, options);
    if (!options.division.given.empty()) {
        std::vector<Split> given;
        for (const GivenFold& fold : options.division.given) {
            given.push_back({fold.train, fold.test});
        }
        require_folds(given, data.rows());
        return given;
    }
    if (options.division.time_ordered) {
        return make_time_folds(data.rows(), options.folds);
    }
    if (options.leave_one_out) {
        if (is_machine(options.train.model, MachineId::rank)) {
            throw InvalidArgument("loo", "", "a row left out has no other to be ranked with",
                                  "use folds");
        }
        return fit::seeded_folds(data, data.rows(), context, {.stratify = false});
    }
    const std::vector<index_t>& groups = groups_of(data, options);
    std::vector<Split> all;
    for (index_t repeat = 0; repeat < options.division.repeats; ++repeat) {
        std::vector<Split> one =
            groups.empty()
                ? fit::seeded_folds(data, options.folds, context, {.repeat = repeat})
                : make_group_folds(groups, options.folds, fit::fold_seed(context, repeat));
        all.insert(all.end(), std::make_move_iterator(one.begin()),
                   std::make_move_iterator(one.end()));
    }
    return all;
}

index_t folds_per_division(const SelectOptions& options, std::size_t folds) {
    return static_cast<index_t>(folds) / options.division.repeats;
}

std::string prefix_of(const SelectOptions& options) {
    return options.validation ? "validation_" : (options.leave_one_out ? "loo_" : "cv_");
}

}  // namespace mercer::search
