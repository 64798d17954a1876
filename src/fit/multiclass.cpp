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

#include "fit/calibrate.hpp"
#include "fit/kept_run.hpp"
#include "fit/recipe.hpp"
#include "fit/start.hpp"
#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/models/class_pairs.hpp"
#include "mercer/models/model_file.hpp"
#include "mercer/operators/shared_rows.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"
#include "mercer/solvers/decomposition.hpp"

namespace mercer::fit {

namespace {

constexpr index_t kCalibrationParts = 5;
// Streams of random numbers from here on are those of the outputs' cross-validation.
constexpr std::uint64_t kCalibrationStream = std::uint64_t{1} << 32;

/// One two-class problem: the classes +1 and -1 (-1: all others), and its rows among the prepared
/// ones (empty: all of them).
struct Task {
    index_t positive = 1;
    index_t negative = -1;
    std::vector<index_t> rows;

    [[nodiscard]] index_t row(std::size_t i) const {
        return rows.empty() ? static_cast<index_t>(i) : rows[i];
    }
};

struct TaskResult {
    bool done = false;
    Solution solution;
    std::vector<bool> bounded;  ///< rows whose coefficient is at its bound
    OutputSummary summary;
    Sigmoid sigmoid;
};

index_t class_of(const Prepared& prepared, index_t row) {
    return static_cast<index_t>(prepared.rows.targets[static_cast<std::size_t>(row)]);
}

/// The rows of each class, in order.
std::vector<std::vector<index_t>> rows_by_class(const Prepared& prepared, const Model& model) {
    std::vector<std::vector<index_t>> members(model.labels.size());
    for (index_t i = 0; i < prepared.rows.rows(); ++i) {
        members[static_cast<std::size_t>(class_of(prepared, i))].push_back(i);
    }
    return members;
}

std::vector<Task> make_tasks(const Prepared& prepared, const Model& model) {
    const auto classes = static_cast<index_t>(model.labels.size());
    std::vector<Task> tasks;
    if (model.multiclass.empty()) {
        tasks.push_back({1, 0, {}});
        return tasks;
    }
    if (model.multiclass == "ovr") {
        for (index_t c = 0; c < classes; ++c) {
            tasks.push_back({c, -1, {}});
        }
        return tasks;
    }
    const std::vector<std::vector<index_t>> members = rows_by_class(prepared, model);
    for (index_t place = 0; place < pair_count(classes); ++place) {
        const ClassPair pair = pair_at(place, classes);
        const auto& a = members[static_cast<std::size_t>(pair.first)];
        const auto& b = members[static_cast<std::size_t>(pair.second)];
        Task task{pair.first, pair.second, a};
        task.rows.insert(task.rows.end(), b.begin(), b.end());
        tasks.push_back(std::move(task));
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

/// The rows of a problem without what belongs to the whole data.
Dataset bare(Dataset rows) {
    rows.targets.clear();
    rows.weights.clear();
    return rows;
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
          costs_(row_costs(prepared, model)) {}

    [[nodiscard]] TaskResult run(const Task& task, index_t number, index_t cache_bytes,
                                 Context& context) const {
        const Problem problem = make_problem(task);
        std::vector<double> start;
        SolveOptions wanted = solve_options(options_);
        wanted.cache_bytes = options_.cache_bytes > 0 ? options_.cache_bytes : cache_bytes;
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

    [[nodiscard]] index_t largest_cache() const { return mercer::largest_cache(prepared_.rows); }

    /// The logistic loss is the link itself.
    [[nodiscard]] bool has_own_link() const {
        return std::holds_alternative<LogisticLoss>(machine_.loss);
    }
    [[nodiscard]] bool learns_link() const { return options_.probability && !has_own_link(); }

    /// Lays the rows of all pairs out once, and K within each class, when memory has the room.
    void share_rows(const std::vector<Task>& tasks, Context& context) {
        const index_t room = context.memory()->left() / 4;
        if (model_.multiclass != "ovo" || !has_box_dual(machine_.loss) ||
            options_.penalty != kRkhs || SharedRows::layout_bytes(prepared_.rows) > room) {
            return;
        }
        try {
            share_rows_within(room, tasks, context);
        } catch (const Interrupted&) {  // each problem lays out its own, as far as it gets
        }
    }

private:
    void share_rows_within(index_t room, const std::vector<Task>& tasks, Context& context) {
        auto shared = std::make_shared<SharedRows>(prepared_.kernel, prepared_.rows, context);
        // K within a class serves the pairs that are solved as one block; two make it worth while.
        std::vector<int> uses(model_.labels.size(), 0);
        for (const Task& task : tasks) {
            if (static_cast<index_t>(task.rows.size()) <= DecompositionSolver::kWholeProblem) {
                ++uses[static_cast<std::size_t>(task.positive)];
                ++uses[static_cast<std::size_t>(task.negative)];
            }
        }
        std::vector<std::vector<index_t>> classes = rows_by_class(prepared_, model_);
        index_t bytes = 0;
        std::vector<std::vector<index_t>> kept;
        for (std::size_t c = 0; c < classes.size(); ++c) {
            const auto size = static_cast<index_t>(classes[c].size());
            if (uses[c] >= 2) {  // so its rows are fewer than a block's: no overflow
                bytes += size * size * static_cast<index_t>(sizeof(float));
                kept.push_back(std::move(classes[c]));
            }
        }
        if (bytes <= room) {
            shared->keep_parts(std::move(kept), context);
        }
        shared_ = std::move(shared);
    }

    [[nodiscard]] Problem make_problem(const Task& task) const {
        Problem problem;
        problem.kernel = prepared_.kernel;
        problem.rows = bare(task.rows.empty() ? prepared_.rows : prepared_.rows.select(task.rows));
        if (shared_ != nullptr) {
            problem.shared = shared_;
            problem.places = task.rows;
        }
        problem.loss = machine_.loss;
        problem.intercept = model_.has_intercept;
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
                                       {problem, task.rows}, context);
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
                task.rows.empty() ? prepared_.rows.weights.size() : task.rows.size();
            for (std::size_t i = 0; i < size; ++i) {
                weights.push_back(prepared_.weight(task.row(i)));
            }
        }
        return weights;
    }

    void summarise(const Problem& problem, TaskResult& result) const {
        OutputSummary& out = result.summary;
        out.iterations = result.solution.iterations;
        result.bounded.assign(result.solution.beta.size(), false);
        for (std::size_t i = 0; i < result.solution.beta.size(); ++i) {
            const double value = result.solution.beta[i];
            const Interval box = dual_box(problem, static_cast<index_t>(i));
            const bool support = value != 0.0;
            // Coefficients that are paid for are in no box.
            result.bounded[i] =
                support && options_.penalty == kRkhs && (value <= box.lower || value >= box.upper);
            out.support += support ? 1 : 0;
            out.bounded += result.bounded[i] ? 1 : 0;
            out.absolute_sum += std::abs(value);
            out.total_cost += problem.costs[i];
        }
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
        part.rows = problem.rows.select(seen);
        part.targets.clear();
        part.costs.clear();
        part.places.clear();
        for (const index_t i : seen) {
            if (part.shared != nullptr) {
                part.places.push_back(problem.places[static_cast<std::size_t>(i)]);
            }
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
            gram_between(problem, held, support, Precision::float64, context)
                .multiply({beta.data(), static_cast<index_t>(beta.size()), 1},
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
    std::shared_ptr<const SharedRows> shared_;
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
        const index_t cache =
            std::min(classifier.largest_cache(), context.memory()->left() / 2 / context.threads()) +
            1;
        context.note(fmt::format("{} two-class machines, {} at a time, row cache {} each", count,
                                 context.threads(), format_byte_size(cache)));
        try {
            parallel_for(context, count, [&](index_t t, int worker) {
                results[static_cast<std::size_t>(t)] =
                    classifier.run(tasks[static_cast<std::size_t>(t)], t, cache,
                                   *alone[static_cast<std::size_t>(worker)]);
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

/// Puts the coefficients of all tasks side by side and keeps the rows that have some.
void keep_coefficients(const Prepared& prepared, const std::vector<Task>& tasks,
                       const std::vector<TaskResult>& results, Model& model, Context& context) {
    const bool pairs = model.multiclass == "ovo";
    const index_t width =
        pairs ? static_cast<index_t>(model.labels.size()) - 1 : static_cast<index_t>(tasks.size());
    const index_t rows = prepared.rows.rows();
    Buffer<double> beta =
        context.allocate<double>(checked_multiply(rows, width), "coefficients of all classes");
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        const Task& task = tasks[t];
        for (std::size_t i = 0; i < results[t].solution.beta.size(); ++i) {
            const index_t row = task.row(i);
            const index_t own = class_of(prepared, row);
            const index_t other = own == task.positive ? task.negative : task.positive;
            const index_t column = pairs ? column_against(own, other) : static_cast<index_t>(t);
            beta[row * width + column] = results[t].solution.beta[i];
        }
    }
    if (!pairs) {
        keep_support(prepared, beta.span(), width, model);
        return;
    }
    std::vector<index_t> chosen;
    for (std::size_t c = 0; c < model.labels.size(); ++c) {
        const std::size_t before = chosen.size();
        for (index_t i = 0; i < rows; ++i) {
            const double* row = beta.data() + i * width;
            if (class_of(prepared, i) == static_cast<index_t>(c) &&
                std::any_of(row, row + width, [](double value) { return value != 0.0; })) {
                chosen.push_back(i);
                model.coefficients.insert(model.coefficients.end(), row, row + width);
            }
        }
        model.class_support.push_back(static_cast<index_t>(chosen.size() - before));
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

index_t count_bounded_rows(const Prepared& prepared, const std::vector<Task>& tasks,
                           const std::vector<TaskResult>& results) {
    std::vector<bool> bounded(static_cast<std::size_t>(prepared.rows.rows()), false);
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        for (std::size_t i = 0; i < results[t].bounded.size(); ++i) {
            if (results[t].bounded[i]) {
                bounded[static_cast<std::size_t>(tasks[t].row(i))] = true;
            }
        }
    }
    return std::count(bounded.begin(), bounded.end(), true);
}

/// Everything the tasks found, in the model and beside it.
void collect(const Prepared& prepared, const std::vector<Task>& tasks,
             const std::vector<TaskResult>& results, TrainResult& out, Context& context) {
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
        out.outputs.push_back(results[t].summary);
    }
    model.solver = fmt::format("{}", fmt::join(solvers, "+"));
    model.status = combined_status(results);
    keep_coefficients(prepared, tasks, results, model, context);
    out.bounded_support = count_bounded_rows(prepared, tasks, results);
}

}  // namespace

TrainResult train_classes(const Dataset& data, const TrainOptions& options,
                          const ClassMachine& machine, Context& context) {
    const Prepared prepared = prepare(data, options);
    TrainResult out;
    out.model = describe_machine(data, options, prepared, machine);
    const std::vector<Task> tasks = make_tasks(prepared, out.model);
    const double start = context.elapsed();
    Classifier classifier(prepared, options, out.model, machine);
    classifier.share_rows(tasks, context);
    const std::vector<TaskResult> results = run_tasks(classifier, tasks, context);
    collect(prepared, tasks, results, out, context);
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
