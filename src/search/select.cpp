// SPDX-License-Identifier: Apache-2.0
//
// src/search/select.cpp - every combination of a grid, judged by rows that did not train.
#include "mercer/search/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/fit/folds.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/fit/numbered_rows.hpp"
#include "mercer/fit/prepared.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "search/grid.hpp"
#include "search/judge.hpp"
#include "search/last_fit.hpp"
#include "search/path_select.hpp"
#include "search/ridge_grid.hpp"
#include "search/select_folds.hpp"

namespace mercer {

namespace {

PathOptions path_of(const SelectOptions& options, const TrainOptions& machine) {
    PathOptions path;
    path.machine = machine;
    path.over = options.path->name;
    path.from = options.path->from;
    path.to = options.path->to;
    return path;
}

/// `values` of the grid, and of the path when there is one and it has a value.
TrainOptions options_at(const SelectOptions& options, const std::vector<double>& values) {
    TrainOptions chosen = options.train;
    for (std::size_t a = 0; a < options.grid.size(); ++a) {
        search::set_value(chosen, options.grid[a].name, values[a]);
    }
    return values.size() > options.grid.size()
               ? search::machine_at(path_of(options, chosen), values.back())
               : chosen;
}

void require_path(const SelectOptions& options) {
    constexpr std::string_view kWeight = "weight";  // no hyperparameter of a grid
    std::vector<std::string> known = path_parameters(options.train.model);
    known.erase(std::remove(known.begin(), known.end(), kWeight), known.end());
    if (known.empty() || machine_of(options.train.model).task == Task::inliers) {
        throw InvalidArgument(
            "path", "", fmt::format("{} has no exact path to be judged by", options.train.model),
            "svc, svr, nu-svc and nu-svr do");
    }
    if (std::find(known.begin(), known.end(), options.path->name) == known.end()) {
        throw InvalidArgument(
            "path", fmt::format("'{}'", options.path->name),
            fmt::format("{} has a path over {}", options.train.model, fmt::join(known, ", ")));
    }
    for (const GridAxis& axis : options.grid) {
        const bool same = axis.name == options.path->name;
        if (same || (options.path->name == "C" && search::weighs_losses(axis.name))) {
            throw InvalidArgument("grid", "",
                                  fmt::format("{} is given, though the path is over {}", axis.name,
                                              options.path->name));
        }
    }
}

/// Throws InvalidArgument, by the name in the grid, for a value that the machine does not take.
void require_grid_taken(const SelectOptions& options) {
    require_taken(options.train);
    for (const GridAxis& axis : options.grid) {
        TrainOptions chosen = options.train;
        try {
            if (!axis.values.empty()) {
                search::set_value(chosen, axis.name, axis.values.front());
            }
            require_taken(chosen);
        } catch (const InvalidArgument& fault) {
            throw InvalidArgument("grid", "", fmt::format("{}", fault.what()));
        }
    }
}

/// The names of the table's values. Throws InvalidArgument where the grid or the path cannot be.
std::vector<std::string> names_of(const SelectOptions& options) {
    std::vector<std::string> names;
    for (const GridAxis& axis : options.grid) {
        if (std::count(names.begin(), names.end(), axis.name) > 0) {
            throw InvalidArgument("grid", "", fmt::format("{} is given twice", axis.name));
        }
        names.push_back(axis.name);
    }
    require_grid_taken(options);
    if (options.path) {
        require_path(options);
        names.push_back(options.path->name);
    }
    return names;
}

/// The machine of each fold at the value of C before this one; none in the beginning.
using FoldStarts = std::vector<std::optional<Model>>;

/// True when the machine can go on from another one's coefficients.
bool takes_start(const TrainOptions& options) {
    return machine_of(options.model).starts && options.objective.penalty == kRkhs &&
           options.basis.size == 0 && options.run.solver == kAuto && !options.outputs.leave_one_out;
}

/// Trains on each part and judges by the rest.
search::Measures judge_folds(const Dataset& data, const TrainOptions& train_with,
                             std::span<const Split> folds, const std::string& prefix,
                             FoldStarts* starts, Context& context) {
    if (is_precomputed(train_with.kernel)) {
        const fit::NumberedRows numbered = fit::number_rows(data, train_with, context);
        return judge_folds(numbered.rows, numbered.options, folds, prefix, starts, context);
    }
    std::vector<search::PartReport> parts(folds.size());
    fit::run_folds(
        folds, {.name = "select", .tells_fold = true},
        [&](const fit::FoldRun& fold) {
            const auto k = static_cast<std::size_t>(fold.number);
            const Dataset seen = fit::rows_at(data, fold.rows.train);
            TrainOptions wanted = fold.within_limit(train_with, seen);
            if (starts != nullptr && (*starts)[k]) {
                wanted.run.start = &*(*starts)[k];
            }
            Model model = search::finished(train(seen, wanted, fold.context)).model;
            parts[k] = search::report_of(model, fit::rows_at(data, fold.rows.test), fold.context);
            if (starts != nullptr && !model.support_rows.empty()) {
                (*starts)[k] = std::move(model);
            }
        },
        context);
    search::Judge judge;
    for (const search::PartReport& part : parts) {
        judge.add(part);
    }
    return judge.measures(prefix);
}

/// The measure asked for, by its full name.
std::string measure_name(const SelectOptions& options, const SelectRow& row, bool classes) {
    const std::string metric = !options.metric.empty()                            ? options.metric
                               : classes                                          ? "accuracy"
                               : is_machine(options.train.model, MachineId::rank) ? "pair_accuracy"
                                                                                  : "rmse";
    for (const std::string& name : {search::prefix_of(options) + metric, metric}) {
        if (std::any_of(row.measures.begin(), row.measures.end(),
                        [&name](const auto& measure) { return measure.first == name; })) {
            return name;
        }
    }
    std::vector<std::string> known;
    for (const auto& [name, value] : row.measures) {
        known.push_back(name);
    }
    throw InvalidArgument("metric", fmt::format("'{}'", metric),
                          fmt::format("must be one of {}", fmt::join(known, ", ")));
}

void choose_best(SelectResult& result) {
    const double sign = search::greater_is_better(result.measure) ? -1.0 : 1.0;
    double least = kInfinity;
    for (std::size_t i = 0; i < result.table.size(); ++i) {
        const double value = sign * search::measure_of(result.table[i].measures, result.measure);
        if (value < least) {
            least = value;
            result.best = i;
        }
    }
    if (std::isinf(least) && least > 0.0) {
        throw InvalidArgument("metric", "",
                              fmt::format("{} is not defined for any combination", result.measure));
    }
}

/// Tries the combinations, those of one kernel after each other.
class GridSearch {
public:
    GridSearch(const Dataset& data, const SelectOptions& options, Context& context)
        : data_(data),
          options_(options),
          context_(context),
          grid_(search::combinations(options.grid)),
          ridge_(data, options, context) {
        result_.names = names_of(options);
        result_.one_decomposition = !options.path && search::takes_one_decomposition(options);
        if (!result_.one_decomposition && !options.validation) {
            folds_ = search::folds_of(data, options, context);
        }
        result_.table.resize(grid_.size());
    }

    SelectResult run() {
        try {
            judge_all();
        } catch (const Interrupted&) {
            if (done_ == 0) {
                throw Interrupted(
                    fmt::format("select: stopped before the first of {} combinations was judged",
                                grid_.size()));
            }
            result_.unjudged = static_cast<index_t>(grid_.size()) - done_;
            std::erase_if(result_.table, [](const SelectRow& row) { return row.measures.empty(); });
        }
        choose_best(result_);
        return std::move(result_);
    }

private:
    void judge_all() {
        Context::KeptBack for_last_fit(context_, 0.0);
        const double limit = context_.seconds_left();
        for (const std::vector<std::size_t>& group : search::by_kernel(options_.grid, grid_)) {
            starts_.assign(folds_.size(), std::nullopt);
            for (const std::size_t k : group) {
                context_.throw_if_stopped("select");
                const double start = context_.elapsed();
                SelectRow row = judged(options_at(options_, grid_[k]));
                row.values.insert(row.values.begin(), grid_[k].begin(), grid_[k].end());
                if (done_ == 0) {
                    result_.measure = measure_name(options_, row, !data_.label_names.empty());
                }
                result_.table[k] = std::move(row);
                if (std::isfinite(limit) && options_.refit) {
                    for_last_fit.set(std::min(0.5 * limit, last_fit(context_.elapsed() - start)));
                }
                context_.report({.stage = "select",
                                 .done = ++done_,
                                 .total = static_cast<index_t>(grid_.size())});
            }
        }
    }

    /// Seconds of a fit on all rows, by those of a combination: time grows as the rows squared.
    [[nodiscard]] double last_fit(double seconds) const {
        if (folds_.empty()) {
            return seconds;
        }
        const auto folds = static_cast<double>(folds_.size());
        const double whole = folds / (folds - 1.0);
        return seconds / folds * whole * whole;
    }

    [[nodiscard]] SelectRow judged(const TrainOptions& chosen) {
        if (options_.path) {
            return search::select_on_path(data_, path_of(options_, chosen), options_, folds_,
                                          context_);
        }
        if (result_.one_decomposition) {
            return ridge_.measure(chosen);
        }
        SelectRow row;
        const std::string prefix = search::prefix_of(options_);
        if (options_.validation) {
            search::Judge judge;
            judge.add(search::report_of(search::finished(train(data_, chosen, context_)).model,
                                        *options_.validation, context_));
            row.measures = judge.measures(prefix);
        } else {
            FoldStarts* starts = options_.warm_start && takes_start(chosen) ? &starts_ : nullptr;
            row.measures = judge_folds(data_, chosen, folds_, prefix, starts, context_);
        }
        return row;
    }

    const Dataset& data_;
    const SelectOptions& options_;
    Context& context_;
    std::vector<std::vector<double>> grid_;
    std::vector<Split> folds_;
    FoldStarts starts_;
    search::RidgeGrid ridge_;
    index_t done_ = 0;
    SelectResult result_;
};

}  // namespace

SelectResult select_model(const Dataset& data, const SelectOptions& options, Context& context) {
    require_trainable(data, options.train.model);
    fit::require_class_weights(options.train);
    static_cast<void>(fit::named_class_weights(options.train, data.label_names));
    SelectResult result = GridSearch(data, options, context).run();
    if (options.refit) {
        const TrainOptions best = options_at(options, result.table[result.best].values);
        result.refit = search::last_fit(data, best, context);
    }
    return result;
}

}  // namespace mercer
