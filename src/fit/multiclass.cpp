// SPDX-License-Identifier: Apache-2.0
//
// src/fit/multiclass.cpp - any number of classes by machines that tell two apart.
//
// The one loop over the two-class problems of a classifier. A problem is solved on one thread when
// there are enough of them for all threads, else one after the other on all threads; a solution
// has the same bits either way.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "fit/calibrate.hpp"
#include "fit/kept_run.hpp"
#include "fit/recipe.hpp"
#include "fit/start.hpp"
#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/fingerprint.hpp"
#include "mercer/models/class_pairs.hpp"
#include "mercer/operators/gram_kinds.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"
#include "mercer/solvers/basis.hpp"
#include "mercer/solvers/decomposition.hpp"

namespace mercer::fit {

namespace {

constexpr index_t kCalibrationParts = 5;
// Streams of random numbers from here on are those of the outputs' cross-validation.
constexpr std::uint64_t kCalibrationStream = std::uint64_t{1} << 32;

// Kernel rows within a class are kept for all pairs that need them when data rows have so many
// entries, in half of the memory of the data at the most. Processor seconds without and with it:
// 8 classes, 4,000 rows of 1,500 entries, 6.1 and 5.5; usps (257 entries) 0.74 and 0.73, letter
// (17) 0.92 and 0.93: there they are not worth their memory.
constexpr index_t kCostlyEntries = 400;
constexpr index_t kKeptBytesPerEntry = 4;

using RowLists = std::vector<std::vector<index_t>>;

/// One two-class problem: the classes +1 and -1 (-1: all others), and its rows among the prepared
/// ones.
struct Task {
    index_t positive = 1;
    index_t negative = -1;
    bool all = true;  ///< every row; else those of both classes, one after the other
    std::span<const index_t> positive_rows;
    std::span<const index_t> negative_rows;

    [[nodiscard]] index_t row(std::size_t i) const {
        return all                        ? static_cast<index_t>(i)
               : i < positive_rows.size() ? positive_rows[i]
                                          : negative_rows[i - positive_rows.size()];
    }
    /// The rows of a pair, and how many they are.
    [[nodiscard]] index_t size() const {
        return static_cast<index_t>(positive_rows.size() + negative_rows.size());
    }
    [[nodiscard]] std::vector<index_t> rows() const {
        std::vector<index_t> out;
        out.reserve(static_cast<std::size_t>(size()));
        out.assign(positive_rows.begin(), positive_rows.end());
        out.insert(out.end(), negative_rows.begin(), negative_rows.end());
        return out;
    }
};

/// What a task found. Its coefficients are kept where they are not zero: with many classes there
/// are many more of them than rows.
struct TaskResult {
    bool done = false;
    Solution solution;          ///< without beta
    std::vector<bool> support;  ///< rows of the task that have a coefficient
    std::vector<double> beta;   ///< of those, in order
    std::vector<bool> bounded;  ///< rows of the task whose coefficient is at its bound
    OutputSummary summary;
    Sigmoid sigmoid;
};

index_t class_of(const Prepared& prepared, index_t row) {
    return static_cast<index_t>(prepared.rows.targets[static_cast<std::size_t>(row)]);
}

/// The rows of each class, in order.
RowLists rows_by_class(const Prepared& prepared, const Model& model) {
    RowLists members(model.labels.size());
    std::vector<std::size_t> counts(members.size(), 0);
    for (index_t i = 0; i < prepared.rows.rows(); ++i) {
        ++counts[static_cast<std::size_t>(class_of(prepared, i))];
    }
    for (std::size_t c = 0; c < members.size(); ++c) {
        members[c].reserve(counts[c]);
    }
    for (index_t i = 0; i < prepared.rows.rows(); ++i) {
        members[static_cast<std::size_t>(class_of(prepared, i))].push_back(i);
    }
    return members;
}

/// `members`, the rows of each class, must outlive the tasks.
std::vector<Task> make_tasks(const RowLists& members, const Model& model) {
    const auto classes = static_cast<index_t>(members.size());
    std::vector<Task> tasks;
    if (model.multiclass.empty()) {
        tasks.push_back({.positive = 1, .negative = 0});
        return tasks;
    }
    if (model.multiclass == "ovr") {
        for (index_t c = 0; c < classes; ++c) {
            tasks.push_back({.positive = c});
        }
        return tasks;
    }
    for (index_t place = 0; place < pair_count(classes); ++place) {
        const ClassPair pair = pair_at(place, classes);
        tasks.push_back({pair.first, pair.second, false,
                         members[static_cast<std::size_t>(pair.first)],
                         members[static_cast<std::size_t>(pair.second)]});
    }
    return tasks;
}

/// Costs C w_class w_row of all prepared rows, checked.
std::vector<double> row_costs(const Prepared& prepared, const Model& model) {
    std::vector<double> class_weight;
    for (const std::string& label : model.labels) {
        const auto found = model.class_weights.find(label);
        class_weight.push_back(found == model.class_weights.end() ? 1.0 : found->second);
    }
    std::vector<double> costs;
    costs.reserve(static_cast<std::size_t>(prepared.rows.rows()));
    for (index_t i = 0; i < prepared.rows.rows(); ++i) {
        const auto own = static_cast<std::size_t>(class_of(prepared, i));
        costs.push_back(model.cost * class_weight[own] * prepared.weight(i));
        if (!std::isfinite(costs.back())) {
            throw InvalidArgument(fmt::format("cost: row {} has C * weight = {}, must be finite",
                                              prepared.original(i) + 1, costs.back()));
        }
    }
    return costs;
}

/// Everything the tasks share.
class Classifier {
public:
    Classifier(const Prepared& prepared, const TrainOptions& options, const Model& model,
               const ClassMachine& machine)
        : prepared_(prepared),
          options_(options),
          model_(model),
          machine_(machine),
          costs_(row_costs(prepared, model)),
          gram_(make_tiled_gram(prepared.kernel, prepared.rows)) {}

    [[nodiscard]] TaskResult run(const Task& task, index_t number, index_t cache_bytes,
                                 Context& context) const {
        const Problem problem = make_problem(task);
        std::vector<double> start;
        SolveOptions wanted = solve_options(options_);
        if (cache_bytes > 0) {  // what is asked for is a limit
            wanted.cache_bytes =
                wanted.cache_bytes > 0 ? std::min(wanted.cache_bytes, cache_bytes) : cache_bytes;
        }
        if (!task.all) {  // whether solved alone or beside others: the same bits
            wanted.working_set = DecompositionSolver::small_set(problem.size());
        }
        CheckpointSlot* slot =
            options_.checkpoint == nullptr ? nullptr : &options_.checkpoint->slot(number);
        KeptResult kept = solve_kept(problem, started(wanted, task, problem, start, context), slot,
                                     context, machine_.solve);
        TaskResult result;
        result.solution = kept.solution;
        summarise(problem, result);
        if (kept.sigmoid) {
            result.sigmoid = *kept.sigmoid;
        } else if (learns_link() && !context.should_stop()) {
            try {
                const std::vector<double> f = held_out_values(problem, number, wanted, context);
                result.sigmoid = fit_sigmoid(f, problem.targets, weights_of(task));
                kept.sigmoid = result.sigmoid;
                if (slot != nullptr) {
                    slot->finish(kept_bytes(kept));
                }
            } catch (const Interrupted&) {  // the machine stays, without probabilities
            }
        }
        result.done = true;
        return result;
    }

    /// Bytes of kernel rows that are worth keeping when several tasks are solved at once: those of
    /// half a working set, which stays for the next round. All of it, or twice as much, saves 3 %
    /// of the time of letter and nothing of that of usps. Where rows are costly, all of them: 8
    /// classes of 1,500 entries take 4.6 s, not 5.5.
    [[nodiscard]] index_t usual_cache(const Task& task) const {
        const index_t rows = task.all ? prepared_.rows.rows() : task.size();
        const index_t kept = rows_are_costly() ? rows : DecompositionSolver::small_set(rows) / 2;
        return std::min(largest_cache(gram_->cost()),
                        checked_multiply(checked_multiply(rows, kept), sizeof(float)));
    }

    /// The logistic loss is the link itself.
    [[nodiscard]] bool has_own_link() const {
        return std::holds_alternative<LogisticLoss>(machine_.loss);
    }
    [[nodiscard]] bool learns_link() const { return options_.probability && !has_own_link(); }

    /// Has kernel rows within a class retained for all pairs where they are worth their memory.
    void retain_rows(const RowLists& members, Context& context) {
        if (model_.multiclass != "ovo" || !has_box_dual(machine_.loss) ||
            options_.penalty != kRkhs || !rows_are_costly()) {
            return;
        }
        const index_t bytes = kKeptBytesPerEntry * prepared_.rows.stored();
        try {
            gram_->retain_rows_within(members, std::min(bytes, context.memory()->left() / 8),
                                      context);
        } catch (const Interrupted&) {  // each problem computes its own, as far as it gets
        }
    }

private:
    [[nodiscard]] bool rows_are_costly() const {
        return prepared_.rows.stored() >= kCostlyEntries * prepared_.rows.rows();
    }

    [[nodiscard]] Problem make_problem(const Task& task) const {
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

    /// The options with the coefficients of the model to start from, which go to `start`.
    [[nodiscard]] SolveOptions started(SolveOptions wanted, const Task& task,
                                       const Problem& problem, std::vector<double>& start,
                                       Context& context) const {
        if (options_.start != nullptr) {
            const auto name = [&](index_t label) {
                return label < 0 ? std::string() : model_.labels[static_cast<std::size_t>(label)];
            };
            start = start_coefficients(*options_.start, prepared_,
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

    [[nodiscard]] std::vector<double> weights_of(const Task& task) const {
        std::vector<double> weights;
        if (!prepared_.rows.weights.empty()) {
            const std::size_t size =
                task.all ? prepared_.rows.weights.size() : static_cast<std::size_t>(task.size());
            for (std::size_t i = 0; i < size; ++i) {
                weights.push_back(prepared_.weight(task.row(i)));
            }
        }
        return weights;
    }

    /// Takes the coefficients out of the solution.
    void summarise(const Problem& problem, TaskResult& result) const {
        OutputSummary& out = result.summary;
        out.iterations = result.solution.iterations;
        out.basis = result.solution.basis;
        const std::vector<double> beta = std::exchange(result.solution.beta, {});
        out.support = std::count_if(beta.begin(), beta.end(), [](double v) { return v != 0.0; });
        result.support.resize(beta.size());
        result.bounded.resize(beta.size());
        result.beta.reserve(static_cast<std::size_t>(out.support));
        for (std::size_t i = 0; i < beta.size(); ++i) {
            out.absolute_sum += std::abs(beta[i]);
            out.total_cost += problem.costs[i];
            if (beta[i] == 0.0) {
                continue;
            }
            result.support[i] = true;
            result.beta.push_back(beta[i]);
            // Coefficients that are paid for are in no box.
            const Interval box = dual_box(problem, static_cast<index_t>(i));
            result.bounded[i] =
                options_.penalty == kRkhs && (beta[i] <= box.lower || beta[i] >= box.upper);
        }
        out.bounded = std::count(result.bounded.begin(), result.bounded.end(), true);
    }

    /// f of every row by machines that have not seen it.
    [[nodiscard]] std::vector<double> held_out_values(const Problem& problem, index_t number,
                                                      const SolveOptions& wanted,
                                                      Context& context) const {
        Random random = context.random(kCalibrationStream + static_cast<std::uint64_t>(number));
        const std::vector<index_t> part = deal_parts(problem.targets, kCalibrationParts, random);
        std::vector<double> f(problem.targets.size(), 0.0);
        for (index_t p = 0; p < kCalibrationParts; ++p) {
            std::vector<index_t> seen;
            std::vector<index_t> held;
            for (std::size_t i = 0; i < part.size(); ++i) {
                (part[i] == p ? held : seen).push_back(static_cast<index_t>(i));
            }
            if (!held.empty()) {
                const std::vector<double> values =
                    values_from(problem, seen, held, wanted, context);
                for (std::size_t i = 0; i < held.size(); ++i) {
                    f[static_cast<std::size_t>(held[i])] = values[i];
                }
            }
        }
        return f;
    }

    /// f of the rows `held` by the machine trained on the rows `seen`.
    [[nodiscard]] std::vector<double> values_from(const Problem& problem,
                                                  const std::vector<index_t>& seen,
                                                  const std::vector<index_t>& held,
                                                  const SolveOptions& wanted,
                                                  Context& context) const {
        Problem part = problem;
        part.gram = subset(problem.gram, seen);
        part.targets.clear();
        part.costs.clear();
        for (const index_t i : seen) {
            part.targets.push_back(problem.targets[static_cast<std::size_t>(i)]);
            part.costs.push_back(problem.costs[static_cast<std::size_t>(i)]);
        }
        const bool positive = std::count(part.targets.begin(), part.targets.end(), 1.0) > 0;
        const bool negative = std::count(part.targets.begin(), part.targets.end(), -1.0) > 0;
        std::vector<double> f(held.size(), positive == negative ? 0.0 : positive ? 1.0 : -1.0);
        if (!positive || !negative) {
            return f;  // one class is left: all that can be said is its name
        }
        complete(part);
        const Solution solution = machine_.solve(part, wanted, context);
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
            problem.gram->block(held, support, Precision::float64, context)
                ->multiply({beta.data(), static_cast<index_t>(beta.size()), 1},
                          {f.data(), static_cast<index_t>(f.size()), 1}, context);
        } else {
            std::fill(f.begin(), f.end(), 0.0);
        }
        for (double& value : f) {
            value += solution.intercept;
        }
        return f;
    }

    const Prepared& prepared_;
    const TrainOptions& options_;
    const Model& model_;
    const ClassMachine& machine_;
    std::vector<double> costs_;
    std::shared_ptr<TiledGram> gram_;  ///< of all rows
};

/// The loop over the tasks.
std::vector<TaskResult> run_tasks(const Classifier& classifier, const std::vector<Task>& tasks,
                                  Context& context) {
    const auto count = static_cast<index_t>(tasks.size());
    std::vector<TaskResult> results(tasks.size());
    if (context.threads() > 1 && count >= 2 * context.threads()) {
        std::vector<std::unique_ptr<Context>> alone;
        for (int worker = 0; worker < context.threads(); ++worker) {
            alone.push_back(Context::single_threaded(context));
        }
        const index_t share = context.memory()->left() / 2 / context.threads();
        const auto cache_of = [&](const Task& task) {
            return std::min(classifier.usual_cache(task), share) + 1;  // 0 would mean: choose
        };
        index_t largest = 0;
        for (const Task& task : tasks) {
            largest = std::max(largest, cache_of(task));
        }
        context.note(fmt::format("{} two-class machines, {} at a time, row cache up to {} each",
                                 count, context.threads(), format_byte_size(largest)));
        try {
            parallel_for(context, count, [&](index_t t, int worker) {
                const Task& task = tasks[static_cast<std::size_t>(t)];
                results[static_cast<std::size_t>(t)] = classifier.run(
                    task, t, cache_of(task), *alone[static_cast<std::size_t>(worker)]);
                context.report({.stage = "fit", .done = t, .total = count});
            });
        } catch (const Interrupted&) {  // what is missing is made below, as far as it goes
        }
    }
    for (index_t t = 0; t < count; ++t) {
        TaskResult& result = results[static_cast<std::size_t>(t)];
        if (!result.done) {
            result = classifier.run(tasks[static_cast<std::size_t>(t)], t, 0, context);
        }
    }
    return results;
}

/// What the model is told before the solver runs.
Model describe_machine(const Dataset& data, const TrainOptions& options, const Prepared& prepared,
                       const ClassMachine& machine) {
    Model model;
    model.machine = machine.name;
    model.kernel = prepared.kernel;
    model.columns = data.columns();
    model.labels = data.label_names;
    model.multiclass = data.label_names.size() > 2 ? chosen_multiclass(options) : "";
    model.scaling = prepared.scaling;
    model.has_intercept = options.intercept;
    model.loss = name_of(machine.loss);
    model.cost = svc_cost(options, prepared.total_weight);
    model.class_weights = named_class_weights(options, data.label_names);
    model.row_weights = !data.weights.empty();
    model.tolerance = options.tolerance;
    model.gap_tolerance = std::isnan(options.gap_tolerance) && std::isnan(options.tolerance)
                              ? machine.gap_tolerance
                              : options.gap_tolerance;
    model.fingerprint = fingerprint_of(data);
    return model;
}

/// Where a task's coefficients go among those of a row.
index_t column_of(const Task& task, std::size_t number, index_t own, const Model& model) {
    if (model.multiclass != "ovo") {
        return static_cast<index_t>(number);
    }
    return column_against(own, own == task.positive ? task.negative : task.positive);
}

/// The prepared rows that some task has marked.
std::vector<bool> marked_rows(const Prepared& prepared, const std::vector<Task>& tasks,
                              const std::vector<TaskResult>& results,
                              std::vector<bool> TaskResult::*marks) {
    std::vector<bool> rows(static_cast<std::size_t>(prepared.rows.rows()), false);
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        const std::vector<bool>& own = results[t].*marks;
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (own[i]) {
                rows[static_cast<std::size_t>(tasks[t].row(i))] = true;
            }
        }
    }
    return rows;
}

/// The rows that have a coefficient, pairs of classes by class: LIBSVM's order.
std::vector<index_t> support_of(const Prepared& prepared, const RowLists& members,
                                const std::vector<bool>& used, Model& model) {
    std::vector<index_t> chosen;
    const auto choose = [&](index_t row) {
        if (used[static_cast<std::size_t>(row)]) {
            chosen.push_back(row);
        }
    };
    if (model.multiclass != "ovo") {
        for (index_t i = 0; i < prepared.rows.rows(); ++i) {
            choose(i);
        }
        return chosen;
    }
    for (const std::vector<index_t>& rows : members) {
        const std::size_t before = chosen.size();
        std::for_each(rows.begin(), rows.end(), choose);
        model.class_support.push_back(static_cast<index_t>(chosen.size() - before));
    }
    return chosen;
}

/// Puts the coefficients of all tasks side by side and keeps the rows that have some.
void keep_coefficients(const Prepared& prepared, const RowLists& members,
                       const std::vector<Task>& tasks, std::vector<TaskResult>& results,
                       Model& model) {
    const index_t width = model.multiclass == "ovo" ? static_cast<index_t>(model.labels.size()) - 1
                                                    : static_cast<index_t>(tasks.size());
    const std::vector<index_t> chosen = support_of(
        prepared, members, marked_rows(prepared, tasks, results, &TaskResult::support), model);
    std::vector<index_t> place(static_cast<std::size_t>(prepared.rows.rows()), -1);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        place[static_cast<std::size_t>(chosen[i])] = static_cast<index_t>(i);
    }
    const index_t size = checked_multiply(static_cast<index_t>(chosen.size()), width);
    model.coefficients.assign(static_cast<std::size_t>(size), 0.0);
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        const std::vector<double> beta = std::exchange(results[t].beta, {});
        auto next = beta.begin();
        for (std::size_t i = 0; i < results[t].support.size(); ++i) {
            if (results[t].support[i]) {
                const index_t row = tasks[t].row(i);
                const index_t column = column_of(tasks[t], t, class_of(prepared, row), model);
                const index_t at = place[static_cast<std::size_t>(row)] * width + column;
                model.coefficients[static_cast<std::size_t>(at)] = *next++;
            }
        }
    }
    take_support_rows(prepared, chosen, model);
}

/// The one word for all tasks: the worst.
std::string combined_status(const std::vector<TaskResult>& results) {
    for (const SolveStatus status :
         {SolveStatus::interrupted, SolveStatus::iteration_limit, SolveStatus::reduced}) {
        if (std::any_of(results.begin(), results.end(), [status](const TaskResult& result) {
                return result.solution.status == status;
            })) {
            return std::string(to_string(status));
        }
    }
    return std::string(to_string(SolveStatus::converged));
}

/// The dual point of the next task, where it has one to be kept, by row of the training data.
void keep_multipliers(const Prepared& prepared, const Task& task,
                      const std::vector<double>& multipliers, Model& model) {
    if (multipliers.empty()) {
        return;
    }
    const std::size_t begin = model.row_multipliers.size();
    model.row_multipliers.resize(begin + static_cast<std::size_t>(model.fingerprint.rows), 0.0);
    for (std::size_t i = 0; i < multipliers.size(); ++i) {
        const index_t row = prepared.original(task.row(i));
        model.row_multipliers[begin + static_cast<std::size_t>(row)] = multipliers[i];
    }
}

/// Everything the tasks found, in the model and beside it.
void collect(const Prepared& prepared, const RowLists& members, const std::vector<Task>& tasks,
             std::vector<TaskResult>& results, TrainResult& out) {
    Model& model = out.model;
    std::set<std::string> solvers;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        const Solution& solution = results[t].solution;
        Certificate proof = solution.certificate;
        if (proof.worst_sample >= 0) {
            proof.worst_sample = tasks[t].row(static_cast<std::size_t>(proof.worst_sample));
        }
        model.certificates.push_back(with_original_row(proof, prepared));
        model.intercepts.push_back(solution.intercept);
        model.iterations += solution.iterations;
        solvers.insert(solution.solver);
        out.certify_seconds += solution.certify_seconds;
        keep_multipliers(prepared, tasks[t], solution.multipliers, model);
        OutputSummary& summary = results[t].summary;
        for (const index_t i : summary.basis ? summary.basis->chosen : std::vector<index_t>()) {
            summary.basis_rows.push_back(
                prepared.original(tasks[t].row(static_cast<std::size_t>(i))));
        }
        out.outputs.push_back(summary);
    }
    model.solver = fmt::format("{}", fmt::join(solvers, "+"));
    model.status = combined_status(results);
    const std::vector<bool> bounded = marked_rows(prepared, tasks, results, &TaskResult::bounded);
    out.bounded_support = std::count(bounded.begin(), bounded.end(), true);
    keep_coefficients(prepared, members, tasks, results, model);
}

}  // namespace

TrainResult train_classes(const Dataset& data, const TrainOptions& options,
                          const ClassMachine& machine, Context& context) {
    const Prepared prepared = prepare(data, options);
    TrainResult out;
    out.model = describe_machine(data, options, prepared, machine);
    const RowLists members = rows_by_class(prepared, out.model);
    const std::vector<Task> tasks = make_tasks(members, out.model);
    const double start = context.elapsed();
    Classifier classifier(prepared, options, out.model, machine);
    classifier.retain_rows(members, context);
    std::vector<TaskResult> results = run_tasks(classifier, tasks, context);
    context.memory()->release_idle();
    collect(prepared, members, tasks, results, out);
    if (classifier.has_own_link() || (classifier.learns_link() && !context.should_stop())) {
        out.model.link.kind = "sigmoid";
        for (const TaskResult& result : results) {
            out.model.link.a.push_back(classifier.has_own_link() ? -1.0 : result.sigmoid.a);
            out.model.link.b.push_back(classifier.has_own_link() ? 0.0 : result.sigmoid.b);
        }
    }
    out.fit_seconds = std::max(0.0, context.elapsed() - start - out.certify_seconds);
    return out;
}

}  // namespace mercer::fit
