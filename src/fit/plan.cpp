// SPDX-License-Identifier: Apache-2.0
//
// src/fit/plan.cpp - memory by arithmetic, time by a short measurement.
#include "mercer/fit/plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "fit/recipe.hpp"
#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/kernels/linear_form.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/operators/gram_kinds.hpp"
#include "mercer/operators/linear_rows.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/basis.hpp"
#include "mercer/solvers/comparisons.hpp"
#include "mercer/solvers/decomposition.hpp"
#include "mercer/solvers/l1_descent.hpp"
#include "mercer/solvers/registry.hpp"
#include "mercer/solvers/ridge.hpp"
#include "mercer/solvers/smooth.hpp"
#include "mercer/solvers/softmax.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMeasureSeconds = 0.05;
constexpr index_t kSampleRows = 256;
constexpr index_t kProductSize = 512;

/// Calls of `work` per second.
template <typename Work>
double calls_per_second(const Work& work) {
    work();  // the first call pays for page faults and thread start
    const Clock::time_point start = Clock::now();
    int calls = 0;
    double seconds = 0.0;
    do {
        work();
        ++calls;
        seconds = std::chrono::duration<double>(Clock::now() - start).count();
    } while (seconds < kMeasureSeconds);
    return calls / seconds;
}

/// A plan under construction.
struct Draft : TrainPlan {
    bool measures = true;  ///< false: bytes only, no timing
};

template <typename T>
double measure_values(const fit::Prepared& prepared, Precision precision, Context& context) {
    std::vector<index_t> some(
        static_cast<std::size_t>(std::min(kSampleRows, prepared.rows.rows())));
    const index_t step = std::max<index_t>(1, prepared.rows.rows() / kSampleRows);
    for (std::size_t i = 0; i < some.size(); ++i) {
        some[i] = static_cast<index_t>(i) * step;
    }
    const Dataset sample = prepared.rows.select(some);
    const GramMatrix gram(prepared.kernel, sample, precision, context);
    Buffer<T> values =
        context.allocate<T>(gram.rows() * gram.columns(), "a sample of kernel values");
    const MatrixView<T> block(values.data(), gram.rows(), gram.columns());
    const double rate = calls_per_second([&] { gram.copy_rows(0, block, context); });
    return rate * static_cast<double>(gram.rows()) * static_cast<double>(gram.columns());
}

double measure_flops(Context& context) {
    Buffer<double> a = context.allocate<double>(kProductSize * kProductSize, "a sample product");
    Buffer<double> c = context.allocate<double>(kProductSize * kProductSize, "a sample product");
    std::fill(a.span().begin(), a.span().end(), 1.0);
    const MatrixView<const double> left(a.data(), kProductSize, kProductSize);
    const MatrixView<double> out(c.data(), kProductSize, kProductSize);
    const double rate =
        calls_per_second([&] { multiply(left, false, left, true, 1.0, 0.0, out, context); });
    const auto size = static_cast<double>(kProductSize);
    return rate * 2.0 * size * size * size;
}

double flops_of(const Draft& plan, Context& context) {
    return plan.measures ? measure_flops(context) : 1.0;
}

double values_of(const Draft& plan, const fit::Prepared& prepared, Context& context) {
    return plan.measures ? measure_values<double>(prepared, Precision::float64, context) : 1.0;
}

/// Bytes of that many rows laid out for kernel values, extrapolated from a sample.
index_t layout_bytes(const fit::Prepared& prepared, index_t rows, Precision precision,
                     Context& context) {
    constexpr index_t kSmall = 256;
    constexpr index_t kLarge = 1024;
    const index_t all = prepared.rows.rows();
    const auto bytes_of = [&](index_t count) {
        std::vector<index_t> some;
        for (index_t i = 0; i < count; ++i) {
            some.push_back(i * all / count);
        }
        const Dataset sample = prepared.rows.select(some);
        const index_t before = context.memory()->used();
        const GramMatrix gram(prepared.kernel, sample, precision, context);
        return context.memory()->used() - before;
    };
    if (all <= kLarge) {
        return bytes_of(all);
    }
    const index_t per_row = (bytes_of(kLarge) - bytes_of(kSmall)) / (kLarge - kSmall) + 1;
    return checked_multiply(per_row, rows);
}

/// Rows of the largest problem: all, or those of the two largest classes.
index_t largest_problem(const fit::Prepared& prepared, const TrainOptions& options) {
    const std::size_t classes = prepared.rows.label_names.size();
    if (classes <= 2 || fit::chosen_multiclass(options) != "ovo") {
        return prepared.rows.rows();
    }
    std::vector<index_t> sizes(classes, 0);
    for (const double target : prepared.rows.targets) {
        ++sizes[static_cast<std::size_t>(target)];
    }
    std::sort(sizes.rbegin(), sizes.rend());
    return sizes[0] + sizes[1];
}

/// What every solver with kernel values needs in addition: the laid-out rows, twice in float32 if
/// it requests Gram rows (all rows, and the active ones), once in float64 otherwise; the tiles of
/// each thread; the blocks in which a certificate is computed.
index_t room_for_values(const fit::Prepared& prepared, index_t rows, bool asks_for_rows,
                        Context& context) {
    constexpr index_t kBytesPerThread = index_t{1} << 20;  // tiles of 64 x 512 in both precisions
    constexpr index_t kPieces = 8;  // of 64 rows: two sides, each copied, laid out and listed
    constexpr index_t kRowsOfPiece = 64;
    const index_t layout = checked_multiply(
        layout_bytes(prepared, rows, asks_for_rows ? Precision::float32 : Precision::float64,
                     context),
        asks_for_rows ? 2 : 1);
    const index_t pieces = checked_multiply(kPieces * kRowsOfPiece,
                                            cost_of(prepared.rows).row_bytes(Precision::float64));
    return layout + pieces + kBytesPerThread * context.threads();
}

index_t stored_bytes(const Dataset& rows) {
    const auto* sparse = std::get_if<CsrView>(&rows.storage());
    const bool narrow = std::holds_alternative<MatrixView<const float>>(rows.storage());
    const index_t lists =
        sparse == nullptr ? 0 : static_cast<index_t>(sparse->indices.size_bytes());
    const index_t per_value = narrow ? sizeof(float) : sizeof(double);
    return checked_multiply(rows.stored(), per_value) + lists;
}

/// Measures on demand, and records the measurements in the plan.
class MeasuredSpeed final : public Speed {
public:
    MeasuredSpeed(Draft& plan, const fit::Prepared& prepared, Context& context)
        : plan_(plan), prepared_(prepared), context_(context) {}

    [[nodiscard]] double kernel_values(Precision precision) override {
        if (!plan_.measures) {
            return 1.0;
        }
        if (!(plan_.values_per_second > 0.0)) {
            plan_.values_per_second = precision == Precision::float32
                                          ? measure_values<float>(prepared_, precision, context_)
                                          : measure_values<double>(prepared_, precision, context_);
        }
        return plan_.values_per_second;
    }
    [[nodiscard]] double flops() override {
        if (!(plan_.flops_per_second > 0.0)) {
            plan_.flops_per_second = flops_of(plan_, context_);
        }
        return plan_.flops_per_second;
    }

private:
    Draft& plan_;
    const fit::Prepared& prepared_;
    Context& context_;
};

/// Throws InvalidArgument for hyperparameters that training would refuse.
void require_constants(const fit::Prepared& prepared, const TrainOptions& options) {
    const Machine& machine = machine_of(options.model);
    if (machine.id == MachineId::krr) {
        static_cast<void>(fit::ridge_alpha(options, prepared.total_weight));
    } else if (machine.takes.cost || !machine.has_box_dual()) {
        static_cast<void>(fit::svc_cost(options, prepared.total_weight));
    }
}

ProblemSize size_of(const TrainPlan& plan, const fit::Prepared& prepared,
                    const TrainOptions& options) {
    return {.rows = plan.rows,
            .entries_per_row = cost_of(prepared.rows).entries_per_row(),
            .factor_columns = linear_factor(prepared.kernel) > 0.0 ? plan.columns : 0,
            .outputs = std::max<index_t>(1, static_cast<index_t>(prepared.rows.label_names.size())),
            .memory_bytes = plan.available_bytes,
            .leave_one_out = options.outputs.leave_one_out};
}

/// The estimate of a row of the solver table for a problem of the plan's size.
template <typename Row>
void plan_by(Draft& plan, const Row& row, const fit::Prepared& prepared,
             const TrainOptions& options, Context& context) {
    MeasuredSpeed speed(plan, prepared, context);
    const ProblemSize whole = size_of(plan, prepared, options);
    ProblemSize largest = whole;
    plan.problem_rows = largest_problem(prepared, options);
    largest.rows = plan.problem_rows;
    if (largest.rows < whole.rows) {
        largest.working_set = DecompositionSolver::small_set(largest.rows);
    }
    plan.solver = row.facts.name;
    if (!row.estimate) {  // the caller's own solver: no estimate
        return;
    }
    const Estimate estimate = row.estimate(whole, speed);
    const Estimate part = row.estimate(largest, speed);
    plan.seconds_least = estimate.seconds_least;
    plan.seconds_most = estimate.seconds_most;
    plan.needed_bytes =
        part.needed_bytes +
        room_for_values(prepared, largest.rows, row.facts.form == SolverForm::box_dual, context);
    plan.matrix_bytes = part.matrix_bytes;
    plan.cache_bytes = estimate.cache_bytes;
}

/// The row of the requested solver; otherwise the one that is expected to be best, or the first of
/// the machine's form.
const KernelSolver& kernel_solver(const TrainOptions& options, const ProblemSize& size) {
    const Machine& machine = machine_of(options.model);
    const SolverForm usual = machine.has_box_dual() ? SolverForm::box_dual : SolverForm::smooth;
    Problem form;
    form.loss = machine.loss;
    form.intercept = options.objective.intercept;
    form.mass = machine.free_width ? 1.0 : kNaN;
    if (options.run.solver.is_automatic() && usual == SolverForm::box_dual && size.outputs <= 2) {
        if (const KernelSolver* best = expected_best(form, size)) {
            return *best;
        }
    }
    const bool by_products =
        usual == SolverForm::smooth && !newton_matrix_fits(size.rows, size.memory_bytes);
    const auto is_wanted = [&](const KernelSolver& row) {
        return row.fits(form) &&
               (options.run.solver.is_automatic()
                    ? row.facts.form == usual && (!by_products || row.facts.can.products)
                    : row.facts.name == options.run.solver.name());
    };
    const std::span<const KernelSolver> built_in = kernel_table();
    const auto found = std::find_if(built_in.begin(), built_in.end(), is_wanted);
    if (found != built_in.end()) {
        return *found;
    }
    if (options.run.registry != nullptr) {
        const std::span<const KernelSolver> own = options.run.registry->solvers();
        const auto registered = std::find_if(own.begin(), own.end(), is_wanted);
        if (registered != own.end()) {
            return *registered;
        }
    }
    fit::require_solver_of(options);
    throw InternalError("a machine without a solver");
}

/// Kernel machines with one output, or with a problem for each pair or class.
void plan_kernel(Draft& plan, const fit::Prepared& prepared, const TrainOptions& options,
                 Context& context) {
    require_constants(prepared, options);
    plan_by(plan, kernel_solver(options, size_of(plan, prepared, options)), prepared, options,
            context);
    // Pairs of k equal classes have k (k - 1) / 2 times (2 n / k)^2 values; one against the rest
    // has n^2 for each class.
    const auto k = static_cast<double>(prepared.rows.label_names.size());
    const double machines = k <= 2.0                                   ? 1.0
                            : fit::chosen_multiclass(options) == "ovo" ? 2.0 * (k - 1.0) / k
                                                                       : k;
    plan.seconds_least *= machines;
    plan.seconds_most *= machines;
}

/// The row of the table with the requested name; otherwise the default.
template <typename Row>
const Row& named_solver(std::span<const Row> table, const Row& usual, const TrainOptions& options,
                        const std::vector<std::string>& known) {
    if (options.run.solver.is_automatic()) {
        return usual;
    }
    require_choice("solver", options.run.solver.name(), known);
    return *std::find_if(table.begin(), table.end(), [&](const Row& row) {
        return row.facts.name == options.run.solver.name();
    });
}

/// The joint multiclass problem.
void plan_softmax(Draft& plan, const fit::Prepared& prepared, const TrainOptions& options,
                  Context& context) {
    require_constants(prepared, options);
    plan_by(plan,
            named_solver(softmax_table(), usual_softmax_solver(plan.rows, plan.available_bytes),
                         options, solver_names(SolverForm::softmax)),
            prepared, options, context);
}

/// True if products with K can replace a factorisation for everything requested.
bool products_suffice(const fit::Prepared& prepared, const TrainOptions& options) {
    const double alpha = machine_of(options.model).id == MachineId::krr
                             ? fit::ridge_alpha(options, prepared.total_weight)
                             : 1.0 / fit::svc_cost(options, prepared.total_weight);
    return alpha > 0.0 && !options.outputs.leave_one_out && options.run.precision == "float64";
}

/// The factorisation; if its matrix does not fit, products with K.
const RidgeSolver& usual_equation_solver(const Draft& plan, const fit::Prepared& prepared,
                                         const TrainOptions& options, Context& context) {
    const RidgeSolver& factor = ridge_table().front();
    Draft probe = plan;
    probe.measures = false;
    plan_by(probe, factor, prepared, options, context);
    if (probe.needed_bytes <= plan.available_bytes || !products_suffice(prepared, options)) {
        return factor;
    }
    return *std::find_if(ridge_table().begin(), ridge_table().end(),
                         [](const RidgeSolver& row) { return row.facts.can.products; });
}

/// Linear equations in K.
void plan_equations(Draft& plan, const fit::Prepared& prepared, const TrainOptions& options,
                    Context& context) {
    fit::require_solver_of(options);
    require_constants(prepared, options);
    plan_by(plan,
            named_solver(ridge_table(), usual_equation_solver(plan, prepared, options, context),
                         options, machine_solvers(options.model)),
            prepared, options, context);
}

/// Sparse models: products with K, and the columns of the working set.
void plan_sparse(Draft& plan, const fit::Prepared& prepared, const TrainOptions& options,
                 Context& context) {
    constexpr double kFewProducts = 6.0;
    constexpr double kManyProducts = 200.0;
    constexpr index_t kColumns = 70;  // vectors, and a first working set
    require_constants(prepared, options);
    const auto n = static_cast<double>(plan.rows);
    plan.solver = machine_solvers(options.model, 2, options.objective.penalty).front();
    if (is_linear_machine(options.model)) {  // products with X
        const double m = std::min({n, static_cast<double>(plan.columns), 300.0});
        plan.needed_bytes = checked_multiply(plan.rows, 8 * std::min(kColumns, 20 + plan.columns)) +
                            checked_multiply(plan.columns, 8 * 8);
        plan.flops_per_second = flops_of(plan, context);
        const double product = LinearRows(prepared.rows).multiply_cost() / plan.flops_per_second;
        plan.seconds_least = kFewProducts * product;
        // A Newton step with the columns that have a weight at the end.
        plan.seconds_most = kManyProducts * (product + n * m * m / plan.flops_per_second) + 0.1;
        return;
    }
    plan.values_per_second = values_of(plan, prepared, context);
    const index_t whole = checked_multiply(checked_multiply(plan.rows, plan.rows), 8);
    plan.cache_bytes =
        std::min({whole, largest_cache(cost_of(prepared.rows)), plan.available_bytes / 4});
    plan.needed_bytes = checked_multiply(plan.rows, 8 * kColumns);
    if (parse_solver(plan.solver) ==
        SolverId::linear_program) {  // the whole matrix, in the program and in its solver
        plan.cache_bytes = 0;
        plan.needed_bytes = checked_multiply(whole, 4);
    }
    plan.seconds_least = kFewProducts * n * n / plan.values_per_second;
    plan.seconds_most = kManyProducts * n * n / plan.values_per_second;
}

/// Few functions, chosen greedily: their values on all rows, and candidates for each choice.
void plan_basis(Draft& plan, const fit::Prepared& prepared, const TrainOptions& options,
                Context& context) {
    constexpr double kFewChanges = 1.0;  // changes of the curvatures, in units of the whole matrix
    constexpr double kManyChanges = 20.0;
    require_constants(prepared, options);
    const bool columns = options.basis.features;
    const index_t size = std::min(options.basis.size, columns ? plan.columns : plan.rows);
    const auto n = static_cast<double>(plan.rows);
    const auto d = static_cast<double>(size);
    plan.solver = name_of(SolverId::greedy_basis);
    plan.basis = size;
    plan.matrix_bytes = checked_multiply(checked_multiply(plan.rows, size), 8);
    plan.needed_bytes = basis_bytes(plan.rows, size);
    plan.flops_per_second = flops_of(plan, context);
    double values = 0.0;  // seconds
    if (!columns) {
        plan.values_per_second = values_of(plan, prepared, context);
        values = n * d * static_cast<double>(options.basis.candidates) / plan.values_per_second;
    }
    plan.seconds_least = values + kFewChanges * n * d * d / plan.flops_per_second;
    plan.seconds_most = 3.0 * values + kManyChanges * n * d * d / plan.flops_per_second + 0.1;
}

/// A perceptron: a kernel row for each corrected row, or passes over the rows themselves. The
/// number of passes depends on the margin, which is unknown.
void plan_perceptron(Draft& plan, const fit::Prepared& prepared, Context& context) {
    constexpr double kManyPasses = 1000.0;
    const auto n = static_cast<double>(plan.rows);
    plan.solver = name_of(SolverId::perceptron);
    plan.needed_bytes = checked_multiply(plan.rows, 8 * 8) + checked_multiply(plan.columns, 8);
    if (linear_factor(prepared.kernel) != 0.0) {
        plan.flops_per_second = flops_of(plan, context);
        plan.seconds_least =
            4.0 * static_cast<double>(prepared.rows.stored()) / plan.flops_per_second;
        plan.seconds_most = kManyPasses * plan.seconds_least + 0.1;
        return;
    }
    plan.values_per_second = values_of(plan, prepared, context);
    plan.cache_bytes = std::min(checked_multiply(checked_multiply(plan.rows, plan.rows), 8),
                                plan.available_bytes / 2);
    plan.seconds_least = 0.01 * n * n / plan.values_per_second;
    plan.seconds_most = 2.0 * n * n / plan.values_per_second + 0.1;
}

/// Ordinal and ranking machines: a multiplier and two indices for each comparison.
void plan_comparisons(Draft& plan, const fit::Prepared& prepared, const TrainOptions& options,
                      Context& context) {
    constexpr double kFewRounds = 0.5;
    constexpr double kManyRounds = 50.0;
    static_cast<void>(fit::svc_cost(options, prepared.total_weight));
    const auto n = static_cast<double>(plan.rows);
    plan.solver = comparison_table().front().facts.name;
    plan.values_per_second = values_of(plan, prepared, context);
    plan.needed_bytes = checked_multiply(fit::comparison_count(prepared.rows, options.model),
                                         kComparisonBytes + sizeof(Comparison));
    plan.seconds_least = kFewRounds * n * n / plan.values_per_second;
    plan.seconds_most = kManyRounds * n * n / plan.values_per_second;
}

/// Linear machines: a copy of the rows and a factorisation in the columns. The columns of a
/// polynomial are its monomials.
void plan_linear(Draft& plan, const fit::Prepared&, const TrainOptions& options, Context& context) {
    double columns = static_cast<double>(plan.columns);
    if (machine_of(options.model).takes.degree) {
        double monomials = 1.0;  // C(columns + degree, degree)
        for (index_t k = 1; k <= fit::chosen_degree(options); ++k) {
            monomials *= (columns + static_cast<double>(k)) / static_cast<double>(k);
        }
        columns = std::round(monomials);
    }
    const auto n = static_cast<double>(plan.rows);
    plan.solver = options.run.solver.is_automatic() ? "direct" : options.run.solver.name();
    plan.flops_per_second = flops_of(plan, context);
    const double bytes = 16.0 * n * columns;
    plan.needed_bytes = bytes < 9e18 ? static_cast<index_t>(bytes) : plan.available_bytes + 1;
    plan.seconds_least = n * columns * std::min(n, columns) / plan.flops_per_second;
    plan.seconds_most = 20.0 * plan.seconds_least + 0.1;
}

/// The name of the column solver of a smooth machine if the kernel is linear and solving in the
/// columns is cheaper; otherwise empty.
std::string column_solver(const fit::Prepared& prepared, const TrainOptions& options,
                          Context& context) {
    const Machine& machine = machine_of(options.model);
    std::string solver;
    if (machine.form == Form::equations) {
        solver = ridge_table().front().facts.name;
    } else if ((machine.form == Form::smooth && prepared.rows.label_names.size() <= 2) ||
               machine.has_box_dual()) {
        const std::vector<std::string> smooth = smooth_solvers(machine.loss);
        solver = smooth.empty() ? "" : smooth.front();
    }
    if (solver.empty() ||
        (!options.run.solver.is_automatic() && options.run.solver.name() != solver)) {
        return {};
    }
    Problem form;
    form.gram = make_gram(prepared.kernel, prepared.rows);
    form.loss = SquaredLoss{};
    return solved_in_columns(form, context) ? solver : std::string();
}

/// Smooth machines in the columns: a matrix of the columns, or products with the rows.
void plan_columns(Draft& plan, const fit::Prepared& prepared, const TrainOptions& options,
                  const std::string& solver, Context& context) {
    require_constants(prepared, options);
    constexpr double kSteps = 20.0;
    const auto d = static_cast<double>(plan.columns);
    plan.solver = solver;
    plan.flops_per_second = flops_of(plan, context);
    const index_t square = checked_multiply(plan.columns, plan.columns);
    // Partial sums over the rows, and a dozen vectors of that length.
    plan.needed_bytes = checked_multiply(plan.rows, 8 * 12) +
                        std::min(checked_multiply(square, 8 * 4), plan.available_bytes / 2);
    const double entries = static_cast<double>(prepared.rows.stored());
    const double step = 2.0 * entries * std::min(d, 100.0) / plan.flops_per_second;
    plan.seconds_least = step;
    plan.seconds_most = 8.0 * kSteps * step + 0.1;  // slower than a dense product
}

}  // namespace

namespace {

Draft plan_prepared(const fit::Prepared& prepared, const TrainOptions& options, bool measures,
                    Context& context) {
    const Machine& machine = machine_of(options.model);
    Draft plan;
    plan.measures = measures;
    plan.kernel = prepared.kernel;
    plan.rows = prepared.rows.rows();
    plan.columns = prepared.rows.columns();
    plan.rows_bytes = stored_bytes(prepared.rows);
    plan.available_bytes = context.memory()->left();
    if (options.basis.size > 0) {
        plan_basis(plan, prepared, options, context);
    } else if (options.objective.penalty != kRkhs) {
        plan_sparse(plan, prepared, options, context);
    } else if (const std::string solver = column_solver(prepared, options, context);
               !solver.empty()) {
        plan_columns(plan, prepared, options, solver, context);
    } else if (machine.form == Form::corrections) {
        plan_perceptron(plan, prepared, context);
    } else if (machine.form == Form::comparisons) {
        plan_comparisons(plan, prepared, options, context);
    } else if (machine.is_linear()) {
        plan_linear(plan, prepared, options, context);
    } else if (machine.form == Form::equations) {
        plan_equations(plan, prepared, options, context);
    } else if (machine.form == Form::smooth && prepared.rows.label_names.size() > 2 &&
               fit::chosen_multiclass(options) == kSoftmax) {
        plan_softmax(plan, prepared, options, context);
    } else {
        plan_kernel(plan, prepared, options, context);
    }
    plan.fits = plan.needed_bytes <= plan.available_bytes;
    return plan;
}

}  // namespace

SolverChoice fit::equation_solver(const Prepared& prepared, const TrainOptions& options,
                                  Context& context) {
    constexpr index_t kAmple = index_t{64} << 20;  // in addition to two matrices
    const index_t n = prepared.rows.rows();
    if (!options.run.solver.is_automatic() ||
        context.memory()->left() - kAmple > 16 * checked_multiply(n, n) ||
        !column_solver(prepared, options, context).empty()) {
        return options.run.solver;
    }
    const std::string planned = plan_prepared(prepared, options, false, context).solver;
    return planned == ridge_table().front().facts.name ? options.run.solver : SolverChoice(planned);
}

TrainPlan plan_training(const Dataset& data, const TrainOptions& options, Context& context) {
    require_taken(options);
    fit::require_penalty(options);
    fit::require_basis(options);
    return plan_prepared(fit::prepare(data, options), options, true, context);
}

void fit::require_memory(const Dataset& data, const TrainOptions& options, Context& context) {
    // Enough for any solver that does not factor a matrix of the rows; for the others that matrix
    // is the first allocation.
    constexpr index_t kAmple = index_t{64} << 20;
    constexpr index_t kAmplePerRow = 512;
    constexpr index_t kAmplePerEntry = 128;
    const index_t left = context.memory()->left();
    const bool large = machine_of(options.model).form == Form::equations &&
                       checked_multiply(8 * data.rows(), data.rows()) > left;
    if (!large && left - kAmple > kAmplePerRow * data.rows() + kAmplePerEntry * data.stored()) {
        return;
    }
    const Prepared prepared = fit::prepare(data, options);
    const TrainPlan plan = plan_prepared(prepared, options, false, context);
    if (!plan.fits) {
        TrainOptions free = options;
        free.run.solver = SolverId::automatic;
        const TrainPlan other = plan_prepared(prepared, free, false, context);
        throw ResourceError(fmt::format(
            "memory: {} by {} needs {}, but {} of {} are left; raise --memory{}", options.model,
            plan.solver, format_byte_size(plan.needed_bytes),
            format_byte_size(plan.available_bytes), format_byte_size(context.memory()->limit()),
            other.fits ? fmt::format(", or leave --solver to auto: {} needs {}", other.solver,
                                     format_byte_size(other.needed_bytes))
                       : ""));
    }
}

}  // namespace mercer
