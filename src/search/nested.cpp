// SPDX-License-Identifier: Apache-2.0
//
// src/search/nested.cpp - a selection in each outer fold, evaluated on the held-out rows.

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/fit/folds.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/search/score_statistics.hpp"
#include "mercer/search/select.hpp"
#include "search/judge.hpp"
#include "search/last_fit.hpp"
#include "search/select_folds.hpp"

namespace mercer {

namespace {

/// The measure without `cv_` or `loo_`. Throws InvalidArgument for a measure that held-out rows do
/// not have: the criteria of krr.
std::string bare_name(const std::string& measure, const std::string& prefix) {
    if (!measure.starts_with(prefix)) {
        throw InvalidArgument("nested: " + measure + " is no measure of rows held out; choose by " +
                              "rmse, mae or another that is");
    }
    return measure.substr(prefix.size());
}

}  // namespace

NestedResult nested_estimate(const Dataset& data, const SelectOptions& options, index_t outer,
                             index_t rounds, Context& context) {
    if (options.validation || !options.division.given.empty()) {
        throw InvalidArgument("nested", "", "divides the rows twice",
                              "it does not go with validation rows or given folds");
    }
    SelectOptions division = options;
    division.folds = outer;
    division.leave_one_out = false;
    division.division.repeats = 1;
    const std::vector<Split> folds = search::folds_of(data, division, context);
    NestedResult out;
    for (const Split& fold : folds) {
        context.throw_if_stopped("nested cross-validation");
        SelectOptions inner = options;
        inner.refit = true;
        inner.search.checkpoint = nullptr;
        inner.division.groups.clear();
        for (const index_t row :
             options.division.groups.empty() ? std::vector<index_t>() : fold.train) {
            inner.division.groups.push_back(options.division.groups[static_cast<std::size_t>(row)]);
        }
        SelectResult found = select_refined(fit::rows_at(data, fold.train), inner, rounds, context);
        if (found.unjudged > 0) {
            throw Interrupted("nested cross-validation: stopped before it was done");
        }
        const Model model = search::finished(std::move(*found.refit)).model;
        out.measure = bare_name(found.measure, search::prefix_of(options));
        out.scores.push_back(search::measure_of(
            search::judge_model(model, fit::rows_at(data, fold.test), {}, context).measures(""),
            out.measure));
        out.choices.push_back(found.table[found.best].values);
        context.report({.stage = "nested",
                        .done = static_cast<index_t>(out.scores.size()),
                        .total = static_cast<index_t>(folds.size())});
    }
    out.estimate = corrected_interval(out.scores, test_share(folds));
    return out;
}

}  // namespace mercer
