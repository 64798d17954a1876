// SPDX-License-Identifier: Apache-2.0
//
// src/search/select_folds.cpp - rows or queries dealt out by the seed.
#include "search/select_folds.hpp"

#include <fmt/core.h>

#include <map>

#include "mercer/base/error.hpp"
#include "mercer/fit/folds.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer::search {

namespace {

/// Folds of whole queries: pairs are within them.
std::vector<Split> folds_of_queries(const Dataset& data, index_t count, Context& context) {
    std::map<index_t, index_t> fold_of;
    for (const index_t query : data.queries) {
        fold_of.emplace(query, 0);
    }
    const auto queries = static_cast<index_t>(fold_of.size());
    if (count > queries) {
        throw InvalidArgument("folds", fmt::format("{}", count),
                              fmt::format("must be <= {} queries", queries));
    }
    constexpr std::uint64_t kQueryStream = 17;
    const std::vector<index_t> order = context.random(kQueryStream).permutation(queries);
    index_t next = 0;
    for (auto& [query, fold] : fold_of) {
        fold = order[static_cast<std::size_t>(next++)] % count;
    }
    std::vector<Split> folds(static_cast<std::size_t>(count));
    for (index_t i = 0; i < data.rows(); ++i) {
        const index_t own = fold_of.at(data.queries[static_cast<std::size_t>(i)]);
        for (index_t f = 0; f < count; ++f) {
            Split& split = folds[static_cast<std::size_t>(f)];
            (f == own ? split.test : split.train).push_back(i);
        }
    }
    return folds;
}

}  // namespace

std::vector<Split> folds_of(const Dataset& data, const SelectOptions& options, Context& context) {
    if (is_machine(options.train.model, MachineId::rank)) {
        if (options.leave_one_out) {
            throw InvalidArgument("loo", "", "a row left out has no other to be ranked with",
                                  "use folds");
        }
        if (!data.queries.empty()) {
            return folds_of_queries(data, options.folds, context);
        }
    }
    return fit::seeded_folds(data, options.leave_one_out ? data.rows() : options.folds, context,
                             !options.leave_one_out);
}

std::string prefix_of(const SelectOptions& options) {
    return options.validation ? "validation_" : (options.leave_one_out ? "loo_" : "cv_");
}

}  // namespace mercer::search
