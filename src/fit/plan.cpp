// SPDX-License-Identifier: Apache-2.0
//
// src/fit/plan.cpp - bytes by arithmetic, seconds by a short measurement.
#include "mercer/fit/plan.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "fit/recipe.hpp"
#include "mercer/base/checked.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/kernels/linear_form.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/operators/linear_rows.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/basis.hpp"
#include "mercer/solvers/comparisons.hpp"
#include "mercer/solvers/l1_descent.hpp"
#include "mercer/solvers/smooth.hpp"
#include "mercer/solvers/softmax.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMeasureSeconds = 0.05;
constexpr index_t kSampleRows = 256;
constexpr index_t kProductSize = 512;

// Kernel values a decomposition computes, in units of n^2: a tenth when few rows support the
// solution, several when many do and the cache is small.
constexpr double kLeastPasses = 0.1;
constexpr double kMostPasses = 4.0;

/// Calls of `work` per second.
template <typename Work>
double calls_per_second(const Work& work) {
    work();  // the first call pays for pages and threads
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

index_t stored_bytes(const Dataset& rows) {
    const auto* sparse = std::get_if<CsrView>(&rows.storage());
    const bool narrow = std::holds_alternative<MatrixView<const float>>(rows.storage());
    const index_t listed = sparse == nullptr ? 0 : static_cast<index_t>(sparse->indices.size());
    const index_t per_value = narrow ? sizeof(float) : sizeof(double);
    return checked_multiply(rows.stored(), per_value) + checked_multiply(listed, sizeof(index_t));
}

void plan_svc(TrainPlan& plan, const fit::Prepared& prepared, const TrainOptions& options,
              Context& context) {
    if (machine_of(options.model).takes.cost) {
        static_cast<void>(fit::svc_cost(options, prepared.total_weight));
    }
    const auto n = static_cast<double>(plan.rows);
    plan.solver = options.solver == "auto" ? "decomposition" : options.solver;
    plan.values_per_second = measure_values<float>(prepared, Precision::float32, context);
    const index_t whole = checked_multiply(checked_multiply(plan.rows, plan.rows), 4);
    plan.cache_bytes =
        std::min({whole, largest_cache(make_gram(prepared.kernel, prepared.rows)->cost()),
                  plan.available_bytes / 2});
    plan.needed_bytes = checked_multiply(plan.rows, 4 * 2 + 8 * 8);  // two rows and the vectors
    // Pairs of k equal classes have k (k - 1) / 2 times (2 n / k)^2 values; one against the rest
    // has n^2 for each class.
    const auto k = static_cast<double>(prepared.rows.label_names.size());
    const double machines = k <= 2.0                                   ? 1.0
                            : fit::chosen_multiclass(options) == "ovo" ? 2.0 * (k - 1.0) / k
                                                                       : k;
    plan.seconds_least = kLeastPasses * machines * n * n / plan.values_per_second;
    plan.seconds_most = kMostPasses * machines * n * n / plan.values_per_second;
}

/// A solver that asks for products with K alone: some vectors, and a product for each step.
void plan_products(TrainPlan& plan, const std::string& solver) {
    constexpr index_t kVectors = 50;  // lbfgs remembers twenty pairs
    constexpr double kFewSteps = 20.0;
    constexpr double kManySteps = 2000.0;
    const auto n = static_cast<double>(plan.rows);
    plan.solver = solver;
    plan.matrix_bytes = 0;
    plan.needed_bytes = checked_multiply(plan.rows, 8 * kVectors);
    plan.seconds_least = kFewSteps * n * n / plan.values_per_second;
    plan.seconds_most = kManySteps * n * n / plan.values_per_second;
}

/// True for the solvers that store no matrix.
bool asks_for_products(const std::string& solver) {
    return solver == "conjugate-gradient" || solver == "gradient-descent" || solver == "lbfgs";
}

void plan_krr(TrainPlan& plan, const fit::Prepared& prepared, const TrainOptions& options,
              Context& context) {
    fit::require_ridge_solver(options);
    static_cast<void>(fit::ridge_alpha(options, prepared.total_weight));
    const auto n = static_cast<double>(plan.rows);
    plan.solver = "cholesky";
    plan.values_per_second = measure_values<double>(prepared, Precision::float64, context);
    if (asks_for_products(options.solver)) {
        plan_products(plan, options.solver);
        return;
    }
    plan.flops_per_second = measure_flops(context);
    plan.matrix_bytes = checked_multiply(checked_multiply(plan.rows, plan.rows), 8);
    plan.needed_bytes = plan.matrix_bytes;
    const double flops = n * n * n * (options.leave_one_out ? 1.0 : 1.0 / 3.0);
    plan.seconds_least = n * n / plan.values_per_second + flops / plan.flops_per_second;
    // The certificate computes K once more, and a factorisation is slower than a product.
    plan.seconds_most = 2.0 * n * n / plan.values_per_second + 2.0 * flops / plan.flops_per_second;
}

/// The joint problem of many classes: Newton's method with a factorisation per class, or
/// first-order steps with one product each.
void plan_softmax(TrainPlan& plan, index_t classes, const std::string& solver) {
    const auto n = static_cast<double>(plan.rows);
    const auto k = static_cast<double>(classes);
    plan.solver = solver != "auto"                     ? solver
                  : plan.rows <= softmax_newton_rows() ? "newton"
                                                       : "lbfgs";
    const double product = n * n / plan.values_per_second + 2.0 * n * n * k / plan.flops_per_second;
    if (plan.solver == "newton") {
        plan.matrix_bytes = checked_multiply(checked_multiply(plan.rows, plan.rows), 32);
        plan.needed_bytes = plan.matrix_bytes;
        const double step = product + 8.0 / 3.0 * k * n * n * n / plan.flops_per_second;
        plan.seconds_least = 4.0 * step;
        plan.seconds_most = 20.0 * step;
        return;
    }
    plan.matrix_bytes = 0;
    plan.needed_bytes = checked_multiply(checked_multiply(plan.rows, classes), 8 * 50);
    plan.seconds_least = 30.0 * product;
    plan.seconds_most = 2000.0 * product;
}

/// Classifiers with a smooth loss: one or several factorisations of a matrix of all rows.
void plan_newton(TrainPlan& plan, const fit::Prepared& prepared, const TrainOptions& options,
                 Context& context) {
    static_cast<void>(fit::svc_cost(options, prepared.total_weight));
    constexpr double kFewSteps = 4.0;
    constexpr double kManySteps = 20.0;
    const bool once = machine_of(options.model).form == Form::equations;
    const auto n = static_cast<double>(plan.rows);
    plan.solver = once ? "cholesky" : "newton";
    plan.values_per_second = measure_values<double>(prepared, Precision::float64, context);
    plan.flops_per_second = measure_flops(context);
    plan.matrix_bytes = checked_multiply(checked_multiply(plan.rows, plan.rows), 8);
    plan.needed_bytes = plan.matrix_bytes;
    const double step =
        2.0 * n * n / plan.values_per_second + n * n * n / 3.0 / plan.flops_per_second;
    const auto classes = static_cast<index_t>(prepared.rows.label_names.size());
    if (classes > 2 && fit::chosen_multiclass(options) == kSoftmax) {
        plan_softmax(plan, classes, options.solver);
        return;
    }
    if (asks_for_products(options.solver)) {
        plan_products(plan, options.solver);
        return;
    }
    plan.seconds_least = (once ? 1.0 : kFewSteps) * step;
    plan.seconds_most = (once ? 2.0 : kManySteps) * step;
}

/// Few coefficients: products with K, and the columns of those that are worked on.
void plan_sparse(TrainPlan& plan, const fit::Prepared& prepared, const TrainOptions& options,
                 Context& context) {
    constexpr double kFewProducts = 6.0;
    constexpr double kManyProducts = 200.0;
    constexpr index_t kColumns = 70;  // vectors, and a first working set
    if (is_machine(options.model, MachineId::krr)) {
        static_cast<void>(fit::ridge_alpha(options, prepared.total_weight));
    } else {
        static_cast<void>(fit::svc_cost(options, prepared.total_weight));
    }
    const auto n = static_cast<double>(plan.rows);
    plan.solver = machine_solvers(options.model, 2, options.penalty).front();
    if (is_linear_machine(options.model)) {  // products with X
        const double m = std::min({n, static_cast<double>(plan.columns), 300.0});
        plan.needed_bytes = checked_multiply(plan.rows, 8 * std::min(kColumns, 20 + plan.columns)) +
                            checked_multiply(plan.columns, 8 * 8);
        plan.flops_per_second = measure_flops(context);
        const double product = LinearRows(prepared.rows).multiply_cost() / plan.flops_per_second;
        plan.seconds_least = kFewProducts * product;
        // A step of Newton's method, with the columns that have a weight at the end.
        plan.seconds_most = kManyProducts * (product + n * m * m / plan.flops_per_second) + 0.1;
        return;
    }
    plan.values_per_second = measure_values<double>(prepared, Precision::float64, context);
    const index_t whole = checked_multiply(checked_multiply(plan.rows, plan.rows), 8);
    plan.cache_bytes =
        std::min({whole, largest_cache(make_gram(prepared.kernel, prepared.rows)->cost()),
                  plan.available_bytes / 4});
    plan.needed_bytes = checked_multiply(plan.rows, 8 * kColumns);
    if (plan.solver == "linear-program") {  // the whole matrix, in the programme and in its solver
        plan.cache_bytes = 0;
        plan.needed_bytes = checked_multiply(whole, 4);
    }
    plan.seconds_least = kFewProducts * n * n / plan.values_per_second;
    plan.seconds_most = kManyProducts * n * n / plan.values_per_second;
}

/// Few functions, chosen greedily: their values on all rows, and candidates for each choice.
void plan_basis(TrainPlan& plan, const fit::Prepared& prepared, const TrainOptions& options,
                Context& context) {
    constexpr double kFewChanges = 1.0;  // of the curvatures, as often as the whole matrix
    constexpr double kManyChanges = 20.0;
    if (is_machine(options.model, MachineId::krr)) {
        static_cast<void>(fit::ridge_alpha(options, prepared.total_weight));
    } else {
        static_cast<void>(fit::svc_cost(options, prepared.total_weight));
    }
    const bool columns = options.basis.features;
    const index_t size = std::min(options.basis.size, columns ? plan.columns : plan.rows);
    const auto n = static_cast<double>(plan.rows);
    const auto d = static_cast<double>(size);
    plan.solver = kGreedyBasis;
    plan.basis = size;
    plan.matrix_bytes = checked_multiply(checked_multiply(plan.rows, size), 8);
    plan.needed_bytes = basis_bytes(plan.rows, size);
    plan.flops_per_second = measure_flops(context);
    double values = 0.0;  // seconds
    if (!columns) {
        plan.values_per_second = measure_values<double>(prepared, Precision::float64, context);
        values = n * d * static_cast<double>(options.basis.candidates) / plan.values_per_second;
    }
    plan.seconds_least = values + kFewChanges * n * d * d / plan.flops_per_second;
    plan.seconds_most = 3.0 * values + kManyChanges * n * d * d / plan.flops_per_second + 0.1;
}

/// A perceptron: a kernel row for each row it corrects, or looks at the rows themselves. How many
/// passes they take depends on the margin, which is not known.
void plan_perceptron(TrainPlan& plan, const fit::Prepared& prepared, Context& context) {
    constexpr double kManyPasses = 1000.0;
    const auto n = static_cast<double>(plan.rows);
    plan.solver = machine_of(MachineId::perceptron).name;
    plan.needed_bytes = checked_multiply(plan.rows, 8 * 8) + checked_multiply(plan.columns, 8);
    if (linear_factor(prepared.kernel) != 0.0) {
        plan.flops_per_second = measure_flops(context);
        plan.seconds_least =
            4.0 * static_cast<double>(prepared.rows.stored()) / plan.flops_per_second;
        plan.seconds_most = kManyPasses * plan.seconds_least + 0.1;
        return;
    }
    plan.values_per_second = measure_values<double>(prepared, Precision::float64, context);
    plan.cache_bytes = std::min(checked_multiply(checked_multiply(plan.rows, plan.rows), 8),
                                plan.available_bytes / 2);
    plan.seconds_least = 0.01 * n * n / plan.values_per_second;
    plan.seconds_most = 2.0 * n * n / plan.values_per_second + 0.1;
}

/// Ordinal and ranking machines: a multiplier and two places for each comparison.
void plan_comparisons(TrainPlan& plan, const fit::Prepared& prepared, const TrainOptions& options,
                      Context& context) {
    constexpr double kFewRounds = 0.5;
    constexpr double kManyRounds = 50.0;
    static_cast<void>(fit::svc_cost(options, prepared.total_weight));
    const auto n = static_cast<double>(plan.rows);
    plan.solver = comparison_solvers().front();
    plan.values_per_second = measure_values<double>(prepared, Precision::float64, context);
    plan.needed_bytes = checked_multiply(fit::comparison_count(prepared.rows, options.model),
                                         kComparisonBytes + sizeof(Comparison));
    plan.seconds_least = kFewRounds * n * n / plan.values_per_second;
    plan.seconds_most = kManyRounds * n * n / plan.values_per_second;
}

/// Linear machines: a copy of the rows and a factorisation in the columns. A polynomial's columns
/// are its monomials.
void plan_linear(TrainPlan& plan, const fit::Prepared&, const TrainOptions& options,
                 Context& context) {
    double columns = static_cast<double>(plan.columns);
    if (machine_of(options.model).takes.degree) {
        double monomials = 1.0;  // C(columns + degree, degree)
        for (index_t k = 1; k <= options.degree; ++k) {
            monomials *= (columns + static_cast<double>(k)) / static_cast<double>(k);
        }
        columns = std::round(monomials);
    }
    const auto n = static_cast<double>(plan.rows);
    plan.solver = options.solver == "auto" ? "direct" : options.solver;
    plan.flops_per_second = measure_flops(context);
    const double bytes = 16.0 * n * columns;
    plan.needed_bytes = bytes < 9e18 ? static_cast<index_t>(bytes) : plan.available_bytes + 1;
    plan.seconds_least = n * columns * std::min(n, columns) / plan.flops_per_second;
    plan.seconds_most = 20.0 * plan.seconds_least + 0.1;
}

/// The solver of a smooth machine that works in the columns when the kernel is linear and that is
/// cheaper; empty when this training does not.
std::string column_solver(const fit::Prepared& prepared, const TrainOptions& options,
                          Context& context) {
    const Machine& machine = machine_of(options.model);
    std::string solver;
    if (machine.form == Form::equations) {
        solver = "cholesky";
    } else if (machine.form == Form::smooth && prepared.rows.label_names.size() <= 2) {
        solver = "newton";
    } else if (machine.has_box_dual() && !smooth_solvers(machine.loss).empty()) {
        solver = "finite-newton";
    }
    if (solver.empty() || (options.solver != "auto" && options.solver != solver)) {
        return {};
    }
    Problem form;
    form.gram = make_gram(prepared.kernel, prepared.rows);
    form.loss = SquaredLoss{};
    return solved_in_columns(form, context) ? solver : std::string();
}

/// Smooth machines in the columns: a matrix of the columns, or products with the rows.
void plan_columns(TrainPlan& plan, const fit::Prepared& prepared, const TrainOptions& options,
                  const std::string& solver, Context& context) {
    if (is_machine(options.model, MachineId::krr)) {
        fit::require_ridge_solver(options);
        static_cast<void>(fit::ridge_alpha(options, prepared.total_weight));
    } else {
        static_cast<void>(fit::svc_cost(options, prepared.total_weight));
    }
    constexpr double kSteps = 20.0;
    const auto d = static_cast<double>(plan.columns);
    plan.solver = solver;
    plan.flops_per_second = measure_flops(context);
    const index_t square = checked_multiply(plan.columns, plan.columns);
    // Partial sums over the rows, and a dozen vectors of their length.
    plan.needed_bytes = checked_multiply(plan.rows, 8 * 12) +
                        std::min(checked_multiply(square, 8 * 4), plan.available_bytes / 2);
    const double entries = static_cast<double>(prepared.rows.stored());
    const double step = 2.0 * entries * std::min(d, 100.0) / plan.flops_per_second;
    plan.seconds_least = step;
    plan.seconds_most = 8.0 * kSteps * step + 0.1;  // not at the pace of a dense product
}

}  // namespace

TrainPlan plan_training(const Dataset& data, const TrainOptions& options, Context& context) {
    fit::require_penalty(options);
    fit::require_basis(options);
    const fit::Prepared prepared = fit::prepare(data, options);
    const Machine& machine = machine_of(options.model);
    TrainPlan plan;
    plan.kernel = prepared.kernel;
    plan.rows = prepared.rows.rows();
    plan.columns = prepared.rows.columns();
    plan.rows_bytes = stored_bytes(prepared.rows);
    plan.available_bytes = context.memory()->left();
    if (options.basis.size > 0) {
        plan_basis(plan, prepared, options, context);
    } else if (options.penalty != kRkhs) {
        plan_sparse(plan, prepared, options, context);
    } else if (const std::string solver = column_solver(prepared, options, context);
               !solver.empty()) {
        plan_columns(plan, prepared, options, solver, context);
    } else if (machine.form == Form::corrections) {
        plan_perceptron(plan, prepared, context);
    } else if (machine.has_box_dual()) {
        plan_svc(plan, prepared, options, context);
    } else if (machine.form == Form::comparisons) {
        plan_comparisons(plan, prepared, options, context);
    } else if (machine.is_linear()) {
        plan_linear(plan, prepared, options, context);
    } else if (machine.has_classes()) {
        plan_newton(plan, prepared, options, context);
    } else {
        plan_krr(plan, prepared, options, context);
    }
    plan.fits = plan.needed_bytes <= plan.available_bytes;
    return plan;
}

}  // namespace mercer
