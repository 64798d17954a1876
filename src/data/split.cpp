// SPDX-License-Identifier: Apache-2.0
//
// src/data/split.cpp - dividing rows.
#include "mercer/data/split.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"

namespace mercer {

namespace {

// Streams of the seed, so that a split and the folds of the same seed are unrelated.
constexpr std::uint64_t kSplitStream = 1;
constexpr std::uint64_t kFoldStream = 2;

/// The class of every row; all 0 when the division is not stratified.
std::vector<std::size_t> strata(const Dataset& data, bool stratify) {
    std::vector<std::size_t> classes(static_cast<std::size_t>(data.rows()), 0);
    if (stratify && !data.label_names.empty()) {
        for (std::size_t i = 0; i < classes.size(); ++i) {
            // Labels a model does not know are -1: they are a stratum of their own, the last.
            const double target = data.targets[i];
            classes[i] = target < 0.0 ? data.label_names.size() : static_cast<std::size_t>(target);
        }
    }
    return classes;
}

/// Test rows per class: exact shares rounded by largest remainder, so that they add up.
std::vector<index_t> test_places(const std::vector<std::size_t>& classes, double fraction) {
    std::vector<index_t> sizes(
        classes.empty() ? 0 : *std::max_element(classes.begin(), classes.end()) + 1, 0);
    for (const std::size_t c : classes) {
        ++sizes[c];
    }
    std::vector<index_t> places;
    for (const index_t size : sizes) {
        places.push_back(static_cast<index_t>(fraction * static_cast<double>(size)));
    }
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    const auto remainder = [&](std::size_t c) {
        return fraction * static_cast<double>(sizes[c]) - static_cast<double>(places[c]);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return remainder(a) > remainder(b); });
    index_t left = std::llround(fraction * static_cast<double>(classes.size())) -
                   std::accumulate(places.begin(), places.end(), index_t{0});
    for (const std::size_t c : order) {
        if (left-- <= 0) {
            break;
        }
        ++places[c];
    }
    return places;
}

}  // namespace

Split split_rows(const Dataset& data, const SplitOptions& options) {
    validate(options);
    const std::vector<std::size_t> classes = strata(data, options.stratify);
    std::vector<index_t> places = test_places(classes, options.test_fraction);
    Split split;
    Random random(static_cast<std::uint64_t>(options.seed), kSplitStream);
    for (const index_t row : random.permutation(data.rows())) {
        index_t& left = places[classes[static_cast<std::size_t>(row)]];
        (left > 0 ? split.test : split.train).push_back(row);
        left -= left > 0;
    }
    std::sort(split.train.begin(), split.train.end());
    std::sort(split.test.begin(), split.test.end());
    return split;
}

std::vector<Split> make_folds(const Dataset& data, const FoldOptions& options) {
    validate(options);
    if (options.folds > data.rows()) {
        throw InvalidArgument("folds", fmt::format("{}", options.folds),
                              fmt::format("must be <= {} rows", data.rows()));
    }
    // Rows in random order, grouped by class: dealing them out in turn balances folds and classes.
    Random random(static_cast<std::uint64_t>(options.seed), kFoldStream);
    std::vector<index_t> order = random.permutation(data.rows());
    const std::vector<std::size_t> classes = strata(data, options.stratify);
    std::stable_sort(order.begin(), order.end(), [&](index_t a, index_t b) {
        return classes[static_cast<std::size_t>(a)] < classes[static_cast<std::size_t>(b)];
    });
    std::vector<index_t> fold_of(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        fold_of[static_cast<std::size_t>(order[i])] = static_cast<index_t>(i) % options.folds;
    }
    std::vector<Split> folds(static_cast<std::size_t>(options.folds));
    for (std::size_t f = 0; f < folds.size(); ++f) {
        for (index_t row = 0; row < data.rows(); ++row) {
            const bool is_test = fold_of[static_cast<std::size_t>(row)] == static_cast<index_t>(f);
            (is_test ? folds[f].test : folds[f].train).push_back(row);
        }
    }
    return folds;
}

}  // namespace mercer
