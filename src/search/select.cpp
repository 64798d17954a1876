// SPDX-License-Identifier: Apache-2.0
//
// src/search/select.cpp - every combination of a grid, evaluated on held-out rows.
#include "mercer/search/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/fit/prepared.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/search/score_statistics.hpp"
#include "mercer/solvers/status.hpp"
#include "search/choice.hpp"
#include "search/fold_search.hpp"
#include "search/grid.hpp"
#include "search/judge.hpp"
#include "search/last_fit.hpp"
#include "search/path_select.hpp"
#include "search/ridge_grid.hpp"
#include "search/select_folds.hpp"
#include "search/try_grid.hpp"

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

void require_path(const SelectOptions& options) {
    constexpr std::string_view kWeight = "weight";  // not a hyperparameter of a grid
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

/// Throws InvalidArgument, with the name in the grid, for a value that the machine does not take.
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

/// The names of the table's values. Throws InvalidArgument for an invalid grid or path.
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

/// The full name of the requested measure.
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

/// The combinations of each kernel by increasing weight of the losses: a machine starts from the
/// one with the next smaller weight.
std::vector<search::Chain> chains_of(const std::vector<GridAxis>& axes,
                                     const std::vector<std::vector<double>>& grid) {
    std::vector<search::Chain> chains = search::by_kernel(axes, grid);
    for (std::size_t a = 0; a < axes.size(); ++a) {
        if (!search::weighs_losses(axes[a].name)) {
            continue;
        }
        const bool ascending = search::is_cost(axes[a].name);
        for (search::Chain& chain : chains) {
            std::stable_sort(chain.begin(), chain.end(), [&](std::size_t i, std::size_t j) {
                return ascending ? grid[i][a] < grid[j][a] : grid[i][a] > grid[j][a];
            });
        }
    }
    return chains;
}

/// Tries the combinations, grouped by kernel.
class GridSearch {
public:
    GridSearch(const Dataset& data, const SelectOptions& options,
               const std::vector<search::Combination>& grid, search::FoldMemory* memory,
               Context& context)
        : data_(data),
          options_(options),
          context_(context),
          grid_(grid),
          memory_(memory),
          ridge_(data, options, context),
          for_last_fit_(context, 0.0) {
        result_.names = names_of(options);
        result_.one_decomposition = !options.path && search::takes_one_decomposition(options);
        if (!result_.one_decomposition && !options.validation) {
            folds_ = search::folds_of(data, options, context);
        }
        result_.table.resize(grid_.size());
        parts_.resize(grid_.size());
        limit_ = context.seconds_left();
        began_ = context.elapsed();
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
        }
        score_rows();
        return std::move(result_);
    }

private:
    void judge_all() {
        const std::vector<search::Chain> chains = chains_of(options_.grid, grid_);
        if (!options_.path && !result_.one_decomposition && !options_.validation) {
            judge_by_folds(chains);
            return;
        }
        for (const search::Chain& chain : chains) {
            for (const std::size_t k : chain) {
                context_.throw_if_stopped("select");
                keep(k, judged(search::options_at(options_, grid_[k])));
                parts_[k] = ridge_.parts();
            }
        }
    }

    void judge_by_folds(const std::vector<search::Chain>& chains) {
        std::vector<TrainOptions> candidates;
        for (const std::vector<double>& values : grid_) {
            candidates.push_back(search::options_at(options_, values));
        }
        const std::string prefix = search::prefix_of(options_);
        search::search_folds(data_,
                             {.candidates = candidates,
                              .chains = chains,
                              .folds = folds_,
                              .warm_start = options_.warm_start,
                              .judged =
                                  [&](std::size_t k, const std::vector<search::PartSums>& parts) {
                                      search::PartSums all;
                                      for (const search::PartSums& part : parts) {
                                          all.add(part);
                                      }
                                      SelectRow row;
                                      row.measures = all.measures(prefix);
                                      row.converged = all.converged;
                                      parts_[k] = parts;
                                      keep(k, std::move(row));
                                  },
                              .memory = memory_},
                             context_);
    }

    /// Computes the fold scores of the deciding measure, and selects a row.
    void score_rows() {
        const std::vector<Split>& folds = result_.one_decomposition ? ridge_.folds() : folds_;
        const std::string prefix = search::prefix_of(options_);
        for (std::size_t k = 0; k < parts_.size(); ++k) {
            SelectRow& row = result_.table[k];
            for (const search::PartSums& part : parts_[k]) {
                const double score = search::measure_of(part.measures(prefix), result_.measure);
                if (!std::isnan(score)) {
                    row.scores.push_back(score);
                }
            }
            if (row.scores.size() != parts_[k].size()) {
                row.scores.clear();  // the measure is not defined for single folds
            }
            row.standard_error =
                standard_error(row.scores, search::folds_per_division(options_, row.scores.size()));
        }
        if (result_.unjudged > 0) {
            std::erase_if(result_.table, [](const SelectRow& row) { return row.measures.empty(); });
        }
        result_.share = folds.empty() ? kNaN : test_share(folds);
        search::choose(result_, options_.search.rule);
    }

    /// Stores the row of combination k, and reports progress.
    void keep(std::size_t k, SelectRow row) {
        row.values.insert(row.values.begin(), grid_[k].begin(), grid_[k].end());
        if (done_ == 0) {
            result_.measure = measure_name(options_, row, !data_.label_names.empty());
        }
        tell_best(row);
        result_.table[k] = std::move(row);
        ++done_;
        if (std::isfinite(limit_) && options_.refit) {
            const double mean = (context_.elapsed() - began_) / static_cast<double>(done_);
            for_last_fit_.set(std::min(0.5 * limit_, last_fit(mean)));
        }
        context_.report(
            {.stage = "select", .done = done_, .total = static_cast<index_t>(grid_.size())});
    }

    /// Writes a note if the combination is the best so far.
    void tell_best(const SelectRow& row) {
        const double value = search::measure_of(row.measures, result_.measure);
        const double loss = greater_is_better(result_.measure) ? -value : value;
        if (row.converged && loss < least_loss_) {
            least_loss_ = loss;
            context_.note(fmt::format("best so far: {} {:.6g} at {}={:.6g}", result_.measure, value,
                                      fmt::join(result_.names, ","), fmt::join(row.values, ",")));
        }
    }

    /// Estimated seconds of a fit on all rows from those of a combination: quadratic in the rows.
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
        const Model model = search::finished(train(data_, chosen, context_)).model;
        row.measures = search::judge_model(model, *options_.validation, {}, context_)
                           .measures(search::prefix_of(options_));
        row.converged = model.status == to_string(SolveStatus::converged);
        return row;
    }

    const Dataset& data_;
    const SelectOptions& options_;
    Context& context_;
    const std::vector<search::Combination>& grid_;
    search::FoldMemory* memory_;
    std::vector<Split> folds_;
    search::RidgeGrid ridge_;
    std::vector<std::vector<search::PartSums>> parts_;  ///< for each combination, by fold
    index_t done_ = 0;
    double least_loss_ = kInfinity;
    double limit_ = kInfinity;  ///< seconds available at the start
    double began_ = 0.0;
    Context::ReservedTime for_last_fit_;
    SelectResult result_;
};

}  // namespace

bool greater_is_better(std::string_view measure) {
    for (const std::string_view name : {"accuracy", "auc", "r2", "log_likelihood", "tau"}) {
        if (measure.ends_with(name)) {
            return true;
        }
    }
    return false;
}

TrainOptions search::options_at(const SelectOptions& options, const Combination& values) {
    TrainOptions chosen = options.train;
    for (std::size_t a = 0; a < options.grid.size(); ++a) {
        search::set_value(chosen, options.grid[a].name, values[a]);
    }
    return values.size() > options.grid.size()
               ? search::machine_at(path_of(options, chosen), values.back())
               : chosen;
}

void search::require_selectable(const Dataset& data, const SelectOptions& options) {
    require_trainable(data, options.train.model);
    fit::require_class_weights(options.train);
    static_cast<void>(fit::named_class_weights(options.train, data.label_names));
    static_cast<void>(names_of(options));
    if (options.search.kind != SearchKind::grid && options.path) {
        throw InvalidArgument("path", "", "takes every value", "it goes with the search grid");
    }
    if (options.search.kind == SearchKind::random && options.search.draws < 1) {
        throw InvalidArgument("draws", "", "a random search needs their number");
    }
    if (options.search.kind == SearchKind::grid && options.search.draws > 0) {
        throw InvalidArgument("draws", "", "belong to the searches random and halving");
    }
}

SelectResult search::try_combinations(const Dataset& data, const SelectOptions& options,
                                      const std::vector<Combination>& combinations,
                                      FoldMemory* memory, Context& context) {
    return GridSearch(data, options, combinations, memory, context).run();
}

void search::refit_best(const Dataset& data, const SelectOptions& options, SelectResult& result,
                        Context& context) {
    if (options.refit) {
        const TrainOptions best = search::options_at(options, result.table[result.best].values);
        result.refit = search::last_fit(data, best, context);
    }
}

SelectResult select_model(const Dataset& data, const SelectOptions& options, Context& context) {
    return select_refined(data, options, 0, context);
}

}  // namespace mercer
