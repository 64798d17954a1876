// SPDX-License-Identifier: Apache-2.0
//
// src/data/fold_kinds.cpp - groups to the smallest fold, blocks in time order, given folds.
#include "mercer/data/fold_kinds.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"

namespace mercer {

namespace {

constexpr std::uint64_t kGroupStream = 17;

void require_side(const std::vector<index_t>& side, std::vector<bool>& seen, std::size_t fold) {
    if (side.empty()) {
        throw InvalidArgument(
            "folds", "", fmt::format("fold {} has no training rows or no test rows", fold + 1));
    }
    for (const index_t row : side) {
        if (row < 0 || row >= static_cast<index_t>(seen.size())) {
            throw InvalidArgument("folds", "",
                                  fmt::format("fold {} has row {}, the data has {} rows", fold + 1,
                                              row, seen.size()));
        }
        if (seen[static_cast<std::size_t>(row)]) {
            throw InvalidArgument("folds", "",
                                  fmt::format("fold {} has row {} twice", fold + 1, row));
        }
        seen[static_cast<std::size_t>(row)] = true;
    }
}

}  // namespace

std::vector<Split> make_group_folds(std::span<const index_t> groups, index_t folds, index_t seed) {
    std::map<index_t, std::vector<index_t>> members;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        members[groups[i]].push_back(static_cast<index_t>(i));
    }
    const auto count = static_cast<index_t>(members.size());
    if (folds < 2 || folds > count) {
        throw InvalidArgument("folds", fmt::format("{}", folds),
                              fmt::format("must be 2 .. {}, the number of groups", count));
    }
    std::vector<const std::vector<index_t>*> lists;
    for (const auto& [group, rows] : members) {
        lists.push_back(&rows);
    }
    Random random(static_cast<std::uint64_t>(seed), kGroupStream);
    std::vector<index_t> order = random.permutation(count);
    std::stable_sort(order.begin(), order.end(), [&](index_t a, index_t b) {
        return lists[static_cast<std::size_t>(a)]->size() >
               lists[static_cast<std::size_t>(b)]->size();
    });
    std::vector<std::size_t> sizes(static_cast<std::size_t>(folds), 0);
    std::vector<std::size_t> fold_of(groups.size());
    for (const index_t group : order) {
        const auto emptiest = std::min_element(sizes.begin(), sizes.end());
        const std::vector<index_t>& rows = *lists[static_cast<std::size_t>(group)];
        *emptiest += rows.size();
        for (const index_t row : rows) {
            fold_of[static_cast<std::size_t>(row)] =
                static_cast<std::size_t>(emptiest - sizes.begin());
        }
    }
    std::vector<Split> out(sizes.size());
    for (std::size_t i = 0; i < fold_of.size(); ++i) {
        for (std::size_t f = 0; f < out.size(); ++f) {
            (fold_of[i] == f ? out[f].test : out[f].train).push_back(static_cast<index_t>(i));
        }
    }
    return out;
}

std::vector<Split> make_time_folds(index_t rows, index_t folds) {
    if (folds < 1 || rows < folds + 1) {
        throw InvalidArgument(
            "folds", "",
            fmt::format("got {} folds in time order, must be 1 .. {}, one less than the rows",
                        folds, rows - 1));
    }
    std::vector<Split> out;
    const index_t stretches = folds + 1;
    const auto end_of = [&](index_t k) {  // of block k - 1
        return k * (rows / stretches) + std::min(k, rows % stretches);
    };
    for (index_t k = 1; k <= folds; ++k) {
        Split split;
        for (index_t row = 0; row < end_of(k + 1); ++row) {
            (row < end_of(k) ? split.train : split.test).push_back(row);
        }
        out.push_back(std::move(split));
    }
    return out;
}

void require_folds(std::span<const Split> folds, index_t rows) {
    if (folds.empty()) {
        throw InvalidArgument("folds", "", "none were given");
    }
    for (std::size_t f = 0; f < folds.size(); ++f) {
        std::vector<bool> seen(static_cast<std::size_t>(rows), false);
        require_side(folds[f].train, seen, f);
        require_side(folds[f].test, seen, f);
    }
}

}  // namespace mercer
