// SPDX-License-Identifier: Apache-2.0
//
// src/fit/cross_validation.cpp - train on all folds but one, predict that one.
#include "mercer/fit/cross_validation.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "fit/calibrate.hpp"
#include "fit/precomputed.hpp"
#include "fit/recipe.hpp"
#include "mercer/data/split.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

/// The rows with the classes that occur among them with a weight, numbered anew; `kept` are these
/// classes.
Dataset with_present_classes(Dataset rows, std::vector<index_t>& kept) {
    std::vector<index_t> place(rows.label_names.size(), -1);
    for (std::size_t i = 0; i < rows.targets.size(); ++i) {
        if (rows.weights.empty() || rows.weights[i] > 0.0) {
            place[static_cast<std::size_t>(rows.targets[i])] = 0;
        }
    }
    std::vector<std::string> names;
    for (std::size_t c = 0; c < place.size(); ++c) {
        if (place[c] == 0) {
            place[c] = static_cast<index_t>(kept.size());
            kept.push_back(static_cast<index_t>(c));
            names.push_back(rows.label_names[c]);
        }
    }
    if (kept.size() < place.size()) {
        std::vector<index_t> chosen;
        for (std::size_t i = 0; i < rows.targets.size(); ++i) {
            if (place[static_cast<std::size_t>(rows.targets[i])] >= 0) {
                chosen.push_back(static_cast<index_t>(i));
            }
        }
        rows = rows.select(chosen);
        for (double& target : rows.targets) {
            target = static_cast<double>(place[static_cast<std::size_t>(target)]);
        }
        rows.label_names = names;
    }
    return rows;
}

/// The options for rows that may lack a class: its weight would name nothing.
TrainOptions options_for(const TrainOptions& options, const Dataset& all, const Dataset& rows) {
    TrainOptions out = options;
    out.probability = false;
    out.leave_one_out = false;
    out.checkpoint = nullptr;  // it is of the machine of all rows
    out.start = nullptr;
    if (rows.label_names.size() < all.label_names.size()) {
        out.class_weights.clear();
        for (const auto& [label, weight] : fit::named_class_weights(options, all.label_names)) {
            if (std::find(rows.label_names.begin(), rows.label_names.end(), label) !=
                rows.label_names.end()) {
                out.class_weights.emplace(label, weight);
            }
        }
    }
    return out;
}

std::vector<double> predict_fold(const Dataset& data, const Split& split,
                                 const TrainOptions& options, Context& context) {
    Dataset seen = data.select(split.train);
    const Dataset held = data.select(split.test);
    if (data.label_names.empty()) {
        const Model model = train(seen, options_for(options, data, seen), context).model;
        return decision_function(model, held, context);
    }
    std::vector<index_t> kept;
    seen = with_present_classes(std::move(seen), kept);
    std::vector<double> out(split.test.size(),
                            kept.empty() ? 0.0 : static_cast<double>(kept.front()));
    if (kept.size() >= 2) {
        const Model model = train(seen, options_for(options, data, seen), context).model;
        const std::vector<index_t> classes =
            predict_classes(model, decision_function(model, held, context));
        std::transform(classes.begin(), classes.end(), out.begin(), [&](index_t c) {
            return static_cast<double>(kept[static_cast<std::size_t>(c)]);
        });
    }
    return out;
}

}  // namespace

std::vector<double> cross_validate(const Dataset& data, const TrainOptions& options, index_t folds,
                                   Context& context) {
    require_trainable(data, options.model);
    if (is_precomputed(options.kernel)) {
        const fit::NumberedRows numbered = fit::number_rows(data, options, context);
        return cross_validate(numbered.rows, numbered.options, folds, context);
    }
    FoldOptions division;
    division.folds = folds;
    division.seed = static_cast<index_t>(context.seed() & 0x7fffffffffffffff);
    std::vector<double> out(static_cast<std::size_t>(data.rows()), 0.0);
    for (const Split& split : make_folds(data, division)) {
        context.throw_if_stopped("cross-validation");
        const std::vector<double> values = predict_fold(data, split, options, context);
        for (std::size_t i = 0; i < split.test.size(); ++i) {
            out[static_cast<std::size_t>(split.test[i])] = values[i];
        }
    }
    return out;
}

namespace fit {

Link laplace_link(const Dataset& data, const TrainOptions& options, Context& context) {
    constexpr index_t kFolds = 5;
    const index_t folds = std::min(kFolds, data.rows());
    Link link;
    link.kind = "laplace";
    if (folds < 2) {
        link.a = {0.0};  // one row leaves nothing to learn a spread from
        return link;
    }
    std::vector<double> errors = cross_validate(data, options, folds, context);
    double sum = 0.0;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        errors[i] = std::abs(data.targets[i] - errors[i]);
        sum += errors[i];
    }
    // The mean absolute error without rows beyond five deviations, as in LIBSVM.
    const double mean = sum / static_cast<double>(errors.size());
    const double limit = 5.0 * std::sqrt(2.0 * mean * mean);
    double kept = 0.0;
    double count = 0.0;
    for (const double error : errors) {
        if (error <= limit) {
            kept += error;
            count += 1.0;
        }
    }
    link.a = {kept / count};
    return link;
}

Link density_link(const Dataset& data, const Model& model, Context& context) {
    const std::unique_ptr<Context> patient = Context::unstoppable(context);
    Link link;
    link.a = density_marks(decision_function(model, data, *patient), data.weights);
    link.kind = link.a.empty() ? "" : "density";
    return link;
}

}  // namespace fit

}  // namespace mercer
