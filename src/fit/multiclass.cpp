// SPDX-License-Identifier: Apache-2.0
//
// src/fit/multiclass.cpp - any number of classes by two-class machines.
//
// The only loop over the two-class problems of a classifier. If there are enough problems for all
// threads, each is solved on one thread, otherwise one after the other on all threads; a solution
// has the same bits either way.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "fit/calibrate.hpp"
#include "fit/class_tasks.hpp"
#include "fit/kept_run.hpp"
#include "fit/recipe.hpp"
#include "fit/start.hpp"
#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/fingerprint.hpp"
#include "mercer/fit/folds.hpp"
#include "mercer/operators/gram_kinds.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"
#include "mercer/solvers/decomposition.hpp"

namespace mercer::fit {

namespace {

constexpr index_t kCalibrationParts = 5;
// Random number streams from here on belong to the cross-validation of the outputs.
constexpr std::uint64_t kCalibrationStream = std::uint64_t{1} << 32;

// If data rows have this many entries, kernel rows within a class are retained for all pairs that
// need them, in at most half the memory of the data. CPU seconds without and with it: 8 classes,
// 4,000 rows of 1,500 entries, 6.1 and 5.5; usps (257 entries) 0.74 and 0.73, letter (17) 0.92 and
// 0.93: for these the retained rows are not worth their memory.
constexpr index_t kCostlyEntries = 400;
constexpr index_t kKeptBytesPerEntry = 4;

/// The state that all tasks share.
class Classifier {
public:
    Classifier(const Prepared& prepared, const TrainOptions& options, const Model& model,
               const ClassMachine& machine)
        : prepared_(prepared),
          options_(options),
          model_(model),
          machine_(machine),
          costs_(row_costs(prepared, model)),
          class_costs_(model.labels.size(), 0.0),
          made_(options.run.gram == nullptr ? make_tiled_gram(prepared.kernel, prepared.rows)
                                            : nullptr),
          gram_(made_ == nullptr ? gram_of(prepared, options) : made_) {
        for (index_t i = 0; i < prepared.rows.rows(); ++i) {
            class_costs_[static_cast<std::size_t>(class_of(prepared, i))] +=
                costs_[static_cast<std::size_t>(i)];
        }
    }

    [[nodiscard]] TaskResult run(const ClassTask& task, index_t number, index_t cache_bytes,
                                 Context& context) const {
        const Problem problem = make_problem(task);
        std::vector<double> start;
        SolveOptions wanted = solve_options(options_);
        if (cache_bytes > 0) {  // the requested size is a limit
            index_t& limit = wanted.coordinates.cache_bytes;
            limit = limit > 0 ? std::min(limit, cache_bytes) : cache_bytes;
        }
        if (!task.all) {  // the same bits whether solved alone or concurrently
            wanted.coordinates.working_set = DecompositionSolver::small_set(problem.size());
        }
        CheckpointSlot* slot =
            options_.run.checkpoint == nullptr ? nullptr : &options_.run.checkpoint->slot(number);
        KeptResult kept = solve_kept(problem, started(wanted, task, problem, start, context), slot,
                                     context, machine_.solve);
        TaskResult result;
        result.solution = kept.solution;
        summarise(problem, options_.objective.penalty, result);
        result.sigmoid = kept.sigmoid;
        if (!kept.sigmoid && learns_link() && !context.should_stop()) {
            try {
                const std::vector<double> f = held_out_values(problem, number, wanted, context);
                context.throw_if_stopped("calibration");  // otherwise machines may be half trained
                result.sigmoid = fit_sigmoid(f, problem.targets, weights_of(prepared_, task));
                kept.sigmoid = result.sigmoid;
                if (slot != nullptr) {
                    slot->finish(kept_bytes(kept));
                }
            } catch (const Interrupted&) {  // the machine remains, without probabilities
            }
        }
        result.done = true;
        return result;
    }

    /// True if unreached() is feasible: the problem has no sum constraint besides that of the
    /// intercept.
    [[nodiscard]] bool may_pass_by() const { return !machine_.complete; }

    /// The result of a task that a stop left out: f = 0, the best constant, and their certificate.
    /// All rows of a class are then alike, so one row per class with the total cost proves the
    /// same.
    [[nodiscard]] TaskResult unreached(const ClassTask& task) const {
        const index_t firsts[] = {first_row(task, true), first_row(task, false)};
        Problem problem;
        problem.gram = subset(gram_, {task.row(firsts[0]), task.row(firsts[1])});
        problem.loss = machine_.loss;
        problem.intercept = model_.has_intercept;
        problem.targets = {1.0, -1.0};
        problem.costs = {class_costs_[static_cast<std::size_t>(task.positive)], 0.0};
        problem.costs[1] =
            task.all
                ? std::accumulate(class_costs_.begin(), class_costs_.end(), 0.0) - problem.costs[0]
                : class_costs_[static_cast<std::size_t>(task.negative)];
        const std::vector<double> zero(2, 0.0);
        TaskResult result;
        Solution& solution = result.solution;
        Certificate proof = certify_values(problem, zero, zero);
        proof.worst_sample = firsts[proof.worst_sample == 0 ? 0 : 1];
        solution.adopt(proof);
        solution.status = SolveStatus::interrupted;
        result.summary.total_cost = problem.costs[0] + problem.costs[1];
        return result;
    }

    /// Useful bytes of row cache when several tasks are solved at once: the rows of half a working
    /// set, which remains for the next round. A whole one, or two, saves 3 % of the time of letter
    /// and nothing for usps. If rows are costly, all of them: 8 classes of 1,500 entries take 4.6 s
    /// instead of 5.5.
    [[nodiscard]] index_t usual_cache(const ClassTask& task) const {
        const index_t rows = task.all ? prepared_.rows.rows() : task.size();
        const index_t kept = rows_are_costly() ? rows : DecompositionSolver::small_set(rows) / 2;
        return std::min(largest_cache(gram_->cost()),
                        checked_multiply(checked_multiply(rows, kept), sizeof(float)));
    }

    /// The logistic loss defines the link.
    [[nodiscard]] bool has_own_link() const {
        return std::holds_alternative<LogisticLoss>(machine_.loss);
    }
    [[nodiscard]] bool learns_link() const {
        return options_.outputs.probability && !has_own_link();
    }

    /// Retains kernel rows within a class for all pairs if they are worth their memory.
    void retain_rows(const RowLists& members, Context& context) {
        if (made_ == nullptr || model_.multiclass != "ovo" || !has_box_dual(machine_.loss) ||
            options_.objective.penalty != kRkhs || !rows_are_costly()) {
            return;
        }
        const index_t bytes = kKeptBytesPerEntry * prepared_.rows.stored();
        try {
            made_->retain_rows_within(members, std::min(bytes, context.memory()->left() / 8),
                                      context);
        } catch (const Interrupted&) {  // each problem then computes its own rows
        }
    }

private:
    [[nodiscard]] bool rows_are_costly() const {
        return prepared_.rows.stored() >= kCostlyEntries * prepared_.rows.rows();
    }

    /// The first row of the positive class, or of the others, in a task that has both.
    [[nodiscard]] index_t first_row(const ClassTask& task, bool positive) const {
        std::size_t i = 0;
        while ((class_of(prepared_, task.row(i)) == task.positive) != positive) {
            ++i;
        }
        return static_cast<index_t>(i);
    }

    [[nodiscard]] Problem make_problem(const ClassTask& task) const {
        Problem problem;
        problem.gram = gram_;
        if (!task.all) {
            problem.gram = subset(gram_, task.rows());
        }
        problem.loss = machine_.loss;
        problem.intercept = model_.has_intercept;
        problem.targets.reserve(static_cast<std::size_t>(problem.size()));
        problem.costs.reserve(static_cast<std::size_t>(problem.size()));
        for (std::size_t i = 0; i < static_cast<std::size_t>(problem.size()); ++i) {
            const index_t row = task.row(i);
            problem.targets.push_back(class_of(prepared_, row) == task.positive ? 1.0 : -1.0);
            problem.costs.push_back(costs_[static_cast<std::size_t>(row)]);
        }
        complete(problem);
        return problem;
    }

    /// The options with a warm start from the given model; the coefficients are stored in `start`.
    [[nodiscard]] SolveOptions started(SolveOptions wanted, const ClassTask& task,
                                       const Problem& problem, std::vector<double>& start,
                                       Context& context) const {
        if (options_.run.start != nullptr) {
            const auto name = [&](index_t label) {
                return label < 0 ? std::string() : model_.labels[static_cast<std::size_t>(label)];
            };
            start = start_coefficients(*options_.run.start, prepared_,
                                       {name(task.positive), name(task.negative)},
                                       {problem, task.rows()}, context);
            wanted.start = start;
        }
        return wanted;
    }

    void complete(Problem& problem) const {
        if (machine_.complete) {
            machine_.complete(problem);
        }
    }

    /// f of every row by machines that were trained without it.
    [[nodiscard]] std::vector<double> held_out_values(const Problem& problem, index_t number,
                                                      const SolveOptions& wanted,
                                                      Context& context) const {
        Random random = context.random(kCalibrationStream + static_cast<std::uint64_t>(number));
        const std::vector<Split> folds = folds_of_parts(
            deal_parts(problem.targets, kCalibrationParts, random), kCalibrationParts);
        std::vector<double> f(problem.targets.size(), 0.0);
        run_folds(
            folds, {.name = "calibration"},
            [&](const FoldRun& fold) {
                SolveOptions limited = wanted;
                limited.coordinates.cache_bytes =
                    fold.cache_bytes(wanted.coordinates.cache_bytes, problem.gram->cost());
                fold.put(values_from(problem, fold, limited), f);
            },
            context);
        return f;
    }

    /// The same problem on some of its rows.
    [[nodiscard]] static Problem with_rows(const Problem& problem,
                                           const std::vector<index_t>& seen) {
        Problem part = problem;
        part.gram = subset(problem.gram, seen);
        part.targets.clear();
        part.costs.clear();
        for (const index_t i : seen) {
            part.targets.push_back(problem.targets[static_cast<std::size_t>(i)]);
            part.costs.push_back(problem.costs[static_cast<std::size_t>(i)]);
        }
        return part;
    }

    /// f of the held-out rows of a fold by the machine trained on the others.
    [[nodiscard]] std::vector<double> values_from(const Problem& problem, const FoldRun& fold,
                                                  const SolveOptions& wanted) const {
        const std::vector<index_t>& seen = fold.rows.train;
        const std::vector<index_t>& held = fold.rows.test;
        Problem part = with_rows(problem, seen);
        if (const std::optional<double> only = only_class(part.targets, {})) {
            return std::vector<double>(held.size(), *only);  // only this class is known
        }
        complete(part);
        const Solution solution = machine_.solve(part, wanted, fold.context);
        std::vector<double> f(held.size(), 0.0);
        std::vector<index_t> support;
        std::vector<double> beta;
        for (std::size_t i = 0; i < solution.beta.size(); ++i) {
            if (solution.beta[i] != 0.0) {
                support.push_back(static_cast<index_t>(i));
                beta.push_back(solution.beta[i]);
            }
        }
        if (!support.empty()) {
            for (index_t& row : support) {
                row = seen[static_cast<std::size_t>(row)];
            }
            problem.gram->block(held, support, Precision::float64, fold.context)
                ->multiply({beta.data(), static_cast<index_t>(beta.size()), 1},
                           {f.data(), static_cast<index_t>(f.size()), 1}, fold.context);
        }
        for (double& value : f) {
            value += solution.intercept();
        }
        return f;
    }

    const Prepared& prepared_;
    const TrainOptions& options_;
    const Model& model_;
    const ClassMachine& machine_;
    std::vector<double> costs_;
    std::vector<double> class_costs_;           ///< total cost of each class
    std::shared_ptr<TiledGram> made_;           ///< made here; null: the caller provides one
    std::shared_ptr<const GramOperator> gram_;  ///< of all rows: made_, or the caller's
};

/// The loop over the tasks.
std::vector<TaskResult> run_tasks(const Classifier& classifier, const std::vector<ClassTask>& tasks,
                                  Context& context) {
    const auto count = static_cast<index_t>(tasks.size());
    std::vector<TaskResult> results(tasks.size());
    if (context.threads() > 1 && count >= index_t{2} * context.threads()) {
        std::vector<std::unique_ptr<Context>> alone;
        for (int worker = 0; worker < context.threads(); ++worker) {
            alone.push_back(Context::single_threaded(context));
        }
        const index_t share = context.memory()->left() / 2 / context.threads();
        const auto cache_of = [&](const ClassTask& task) {
            return std::min(classifier.usual_cache(task), share) + 1;  // 0 would mean automatic
        };
        index_t largest = 0;
        for (const ClassTask& task : tasks) {
            largest = std::max(largest, cache_of(task));
        }
        context.note(fmt::format("{} two-class machines, {} at a time, row cache up to {} each",
                                 count, context.threads(), format_byte_size(largest)));
        try {
            parallel_for(context, count, [&](index_t t, int worker) {
                const ClassTask& task = tasks[static_cast<std::size_t>(t)];
                results[static_cast<std::size_t>(t)] = classifier.run(
                    task, t, cache_of(task), *alone[static_cast<std::size_t>(worker)]);
                context.report({.stage = "fit", .done = t, .total = count});
            });
        } catch (const Interrupted&) {    // the missing tasks follow below
        } catch (const ResourceError&) {  // they may fit one after the other
        }
    }
    bool any = std::any_of(results.begin(), results.end(),
                           [](const TaskResult& result) { return result.done; });
    for (index_t t = 0; t < count; ++t) {
        TaskResult& result = results[static_cast<std::size_t>(t)];
        const ClassTask& task = tasks[static_cast<std::size_t>(t)];
        if (result.done) {
            continue;
        }
        const bool pass_by = any && context.should_stop() && classifier.may_pass_by();
        result = pass_by ? classifier.unreached(task) : classifier.run(task, t, 0, context);
        any = true;
    }
    return results;
}

/// Reports the part of the machine that a stop left out.
void note_unreached(const std::vector<TaskResult>& results, TrainResult& out) {
    const auto left = std::count_if(results.begin(), results.end(),
                                    [](const TaskResult& result) { return !result.done; });
    if (left > 0) {
        note_stopped(out,
                     fmt::format("{}: stopped when {} of {} were trained; the others vote for "
                                 "the class of more weight",
                                 out.model.multiclass == "ovo" ? "pairs of classes"
                                                               : "classes against the rest",
                                 results.size() - static_cast<std::size_t>(left), results.size()));
    }
}

/// Where the link of a classifier comes from.
enum class LinkSource { none, loss, calibration };

LinkSource link_source(const Classifier& classifier) {
    return classifier.has_own_link()  ? LinkSource::loss
           : classifier.learns_link() ? LinkSource::calibration
                                      : LinkSource::none;
}

/// The links of all tasks; empty if one of them was not learned.
void keep_link(LinkSource source, const std::vector<TaskResult>& results, TrainResult& out) {
    if (source == LinkSource::none) {
        return;
    }
    Link link{"sigmoid", {}, {}};
    for (const TaskResult& result : results) {
        if (source == LinkSource::calibration && !result.sigmoid) {
            note_stopped(out, kNoProbabilities);
            return;
        }
        const Sigmoid own = result.sigmoid.value_or(Sigmoid{-1.0, 0.0});  // f is the log odds
        link.a.push_back(own.a);
        link.b.push_back(own.b);
    }
    out.model.link = std::move(link);
}

}  // namespace

TrainResult train_classes(const Dataset& data, const TrainOptions& options,
                          const ClassMachine& machine, Context& context) {
    const Prepared prepared = prepare(data, options);
    require_weighted_classes(data, static_cast<index_t>(data.label_names.size()));
    TrainResult out;
    out.model = describe_machine(data, options, prepared, machine);
    const bool pairs = out.model.multiclass == "ovo";
    const RowLists members =
        pairs ? rows_by_class(prepared, out.model) : RowLists(out.model.labels.size());
    const std::vector<ClassTask> tasks = make_tasks(members, out.model);
    const double start = context.elapsed();
    std::vector<TaskResult> results;
    LinkSource link = LinkSource::none;
    {
        Classifier classifier(prepared, options, out.model, machine);
        classifier.retain_rows(members, context);
        results = run_tasks(classifier, tasks, context);
        link = link_source(classifier);
    }  // what the tasks shared is freed before the model takes memory
    context.memory()->release_idle();
    collect(prepared, members, tasks, results, out);
    note_unreached(results, out);
    keep_link(link, results, out);
    out.fit_seconds = std::max(0.0, context.elapsed() - start - out.certify_seconds);
    return out;
}

}  // namespace mercer::fit
