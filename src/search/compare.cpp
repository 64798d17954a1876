// SPDX-License-Identifier: Apache-2.0
//
// src/search/compare.cpp - runs the requested solvers on the same problem.
#include "mercer/search/compare.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "mercer/base/error.hpp"
#include "mercer/fit/machine_problem.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/ridge.hpp"
#include "mercer/solvers/smooth.hpp"

namespace mercer {

namespace {

/// The loss of a machine, with the requested tube width.
Loss loss_of(const TrainOptions& options) {
    Loss loss = machine_of(options.model).loss;
    const double epsilon = options.objective.epsilon.value_or(0.1);
    if (auto* tube = std::get_if<EpsilonInsensitiveLoss>(&loss)) {
        tube->epsilon = epsilon;
    } else if (auto* squared = std::get_if<SquaredEpsilonLoss>(&loss)) {
        squared->epsilon = epsilon;
    }
    return loss;
}

/// True if the solvers are run on the machine's problem, so that most have a trace. Other machines
/// are trained as a whole.
bool has_traces(const Machine& machine) {
    return (machine.has_box_dual() && machine.takes.cost && !machine.free_width) ||
           machine.has_own_link();
}

constexpr const char* kInFloat32 = "-float32";  // suffix of a solver that factors in float32

/// A solver of ridge equations, and the precision of its factorisation.
struct RidgeContestant {
    const RidgeSolver* solver = nullptr;
    Precision precision = Precision::float64;
};

RidgeContestant ridge_contestant(const std::string& name) {
    for (const RidgeSolver& row : ridge_table()) {
        if (row.facts.name == name) {
            return {&row, Precision::float64};
        }
        if (row.facts.can.float32 && row.facts.name + kInFloat32 == name) {
            return {&row, Precision::float32};
        }
    }
    throw InvalidArgument("solver", "", fmt::format("'{}' does not solve ridge equations", name));
}

/// The problem, its solvers, and how to run one of them.
class Contest {
public:
    Contest(const Dataset& data, const TrainOptions& options)
        : data_(data), options_(options), prepared_(fit::prepare(data, options)) {
        if (is_linear_machine(options.model)) {
            fit::require_no_kernel(options);
        }
        // Maximum likelihood has no cost, and only one solver.
        const Machine& machine = machine_of(options.model);
        ridge_ = machine.id == MachineId::krr;
        whole_ = !ridge_ &&
                 (!has_traces(machine) || (machine.is_linear() && options.objective.lambda == 0.0));
        if (whole_) {
            return;
        }
        if (ridge_) {
            equations_.gram = make_gram(prepared_.kernel, prepared_.rows);
            equations_.targets = prepared_.rows.targets;
            equations_.weights = prepared_.rows.weights;
            equations_.alpha = fit::ridge_alpha(options, prepared_.total_weight);
            require_in_range("alpha", equations_.alpha, Range::positive());
            equations_.intercept = options.objective.intercept;
            return;
        }
        const Loss loss = loss_of(options);
        const Model model = fit::describe_smooth(data, options, prepared_, loss,
                                                 fit::svc_cost(options, prepared_.total_weight));
        problem_ = fit::smooth_problem(prepared_, model, loss);
    }

    void run(SolverRun& run, Context& context) const {
        if (whole_) {
            run_training(run, context);
        } else if (ridge_) {
            run_ridge(run, context);
        } else {
            run_problem(run, context);
        }
    }

private:
    void run_training(SolverRun& run, Context& context) const {
        TrainOptions wanted = options_;
        wanted.run.solver = run.solver;
        const TrainResult result = train(data_, wanted, context);
        run.seconds = result.fit_seconds;
        run.status = result.model.status;
        run.iterations = result.model.iterations;
        run.certificate = result.model.certificates.front();
    }

    void run_ridge(SolverRun& run, Context& context) const {
        RidgeOptions wanted;
        const RidgeContestant contestant = ridge_contestant(run.solver);
        const SolverFacts& facts = contestant.solver->facts;
        wanted.solver = facts.name;
        wanted.precision = contestant.precision;
        wanted.max_iterations = options_.run.max_iterations;
        wanted.trace = facts.can.trace;
        wanted.proof.relative =
            options_.run.gap_tolerance.value_or(machine_of(options_.model).gap_tolerance);
        const double start = context.elapsed();
        const RidgeSolution solution = solve_ridge(equations_, wanted, context);
        run.seconds = context.elapsed() - start - solution.certify_seconds;
        run.status = to_string(solution.status);
        run.iterations = solution.iterations;
        run.certificate = solution.certificates.front();
        run.trace = solution.trace;
        run.pace = pace_of(run.trace);
        run.pace.condition = solution.condition;
        if (facts.pace != nullptr) {
            run.pace.bound = facts.pace(solution.condition);
        }
    }

    void run_problem(SolverRun& run, Context& context) const {
        SolveOptions wanted;
        wanted.gap_tolerance = options_.run.gap_tolerance;
        wanted.tolerance = options_.run.tolerance;
        wanted.max_iterations = options_.run.max_iterations;
        wanted.solver = run.solver;
        if (wanted.solver == SolverId::dual) {  // for logistic
            wanted.solver = SolverId::smo;
        }
        const std::vector<std::string> smooth = smooth_solvers(problem_.loss);
        wanted.trace =
            std::find(smooth.begin(), smooth.end(), wanted.solver.name()) != smooth.end();
        const double start = context.elapsed();
        const Solution solution = wanted.trace ? solve_smooth(problem_, wanted, context)
                                               : solve(problem_, wanted, context);
        run.seconds = context.elapsed() - start - solution.certify_seconds;
        run.status = to_string(solution.status);
        run.iterations = solution.iterations;
        run.certificate = solution.certificate();
        run.trace = solution.trace;
        run.pace = pace_of(run.trace);
    }

    const Dataset& data_;
    const TrainOptions& options_;
    bool whole_ = false;  ///< trained, not only solved
    fit::Prepared prepared_;
    Problem problem_;
    bool ridge_ = false;  ///< krr
    RidgeProblem equations_;
};

constexpr double kRounding = 1e-14;  // smaller relative gaps are noise

}  // namespace

Pace pace_of(const std::vector<TracePoint>& trace) {
    std::vector<TracePoint> falling;  // while the gaps are above noise
    for (const TracePoint& point : trace) {
        if (!(point.relative_gap > kRounding)) {
            break;
        }
        falling.push_back(point);
    }
    Pace out;
    if (falling.size() >= 3) {
        const TracePoint& from = falling[(falling.size() - 1) / 2];
        const TracePoint& to = falling.back();
        if (to.iteration > from.iteration) {
            out.seen = std::pow(to.relative_gap / from.relative_gap,
                                1.0 / static_cast<double>(to.iteration - from.iteration));
        }
        const double last = falling[falling.size() - 2].relative_gap;
        const double before = falling[falling.size() - 3].relative_gap;
        out.order = std::log(to.relative_gap / last) / std::log(last / before);
    }
    return out;
}

std::vector<std::string> solvers_of(const std::string& model) {
    if (is_machine(model, MachineId::krr)) {
        std::vector<std::string> names;
        for (const RidgeSolver& row : ridge_table()) {
            names.push_back(row.facts.name);
            if (row.facts.can.float32) {
                names.push_back(row.facts.name + kInFloat32);
            }
        }
        return names;
    }
    return machine_solvers(model);
}

std::vector<SolverRun> compare_solvers(const Dataset& data, const TrainOptions& options,
                                       const std::vector<std::string>& solvers, Context& context) {
    require_trainable(data, options.model);
    require_taken(options);
    if (options.objective.penalty != kRkhs) {
        throw InvalidArgument("penalty", "",
                              fmt::format("{} has one solver, there is nothing to compare",
                                          options.objective.penalty),
                              "rkhs has several");
    }
    const std::vector<std::string> all = solvers_of(options.model);
    if (data.label_names.size() > 2 && is_classifier(options.model)) {
        throw InvalidArgument("model", "",
                              fmt::format("{} of {} classes is several problems", options.model,
                                          data.label_names.size()),
                              "solvers are compared on two classes");
    }
    const Contest contest(data, options);
    std::vector<SolverRun> runs;
    for (const std::string& solver : solvers.empty() ? all : solvers) {
        SolverRun run;
        run.solver = solver;
        const Context::WorkMeter meter(context);
        try {
            contest.run(run, context);
            if (run.trace.empty() ||
                run.trace.back().relative_gap != relative_gap(run.certificate)) {
                run.trace.push_back({run.iterations, run.seconds, run.certificate.primal,
                                     relative_gap(run.certificate)});
            }
        } catch (const InvalidArgument& fault) {
            run.problem = fault.what();
        } catch (const ResourceError& fault) {
            run.problem = fault.what();
        }
        run.work = meter.work();
        runs.push_back(std::move(run));
    }
    return runs;
}

}  // namespace mercer
