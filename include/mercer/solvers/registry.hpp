// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/registry.hpp - the tables of solvers: what each solves, costs and can do.
//
// `auto`, `--dry-run`, `compare`, messages and completion all read these tables. A program adds its
// own solvers to a SolverRegistry, which it owns and passes with the options: the library holds no
// state.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/solvers/coordinate.hpp"
#include "mercer/solvers/solve.hpp"
#include "mercer/solvers/solver_id.hpp"

namespace mercer {

class Context;

/// The forms of problems that solvers are for.
enum class SolverForm : std::uint8_t {
    smooth,       ///< a kernel machine with a smooth loss: the primal, or the logistic dual
    box_dual,     ///< a kernel dual with box constraints
    equations,    ///< linear equations in K
    softmax,      ///< multinomial logistic regression as one joint problem
    columns,      ///< least squares in the columns
    sparse,       ///< a penalty on the coefficients
    basis,        ///< a greedily chosen basis
    comparisons,  ///< multipliers of comparisons between rows
    corrections,  ///< no objective: a perceptron
};

struct SolverCapabilities {
    bool checkpoint = false;  ///< a stopped run can continue from its saved state
    bool warm_start = false;  ///< can start from given coefficients
    bool trace = false;       ///< can be certified at every iteration
    bool products = false;    ///< needs only products with K and stores no matrix
    bool float32 = false;     ///< can factor in single precision and refine
};

/// Name, help text and capabilities of a solver.
struct SolverFacts {
    std::string name;
    std::string summary;  ///< a line of help
    SolverForm form = SolverForm::box_dual;
    SolverCapabilities can;
    /// Upper bound from theory on the factor by which a step multiplies the gap, given the
    /// condition number; null: no bound is known.
    double (*pace)(double condition) = nullptr;
};

/// The properties of a problem that an estimate depends on.
struct ProblemSize {
    index_t rows = 0;
    double entries_per_row = 0.0;
    index_t factor_columns = 0;  ///< columns of X if K = factor XX'; 0: K is not of that form
    index_t working_set = 0;     ///< of decomposition; 0: its default
    index_t outputs = 1;         ///< functions that are solved for together
    index_t memory_bytes = 0;    ///< free memory
    bool leave_one_out = false;  ///< leave-one-out errors are computed as well
};

[[nodiscard]] ProblemSize size_of(const Problem& problem, index_t working_set);

/// The speed of the computer, per second; measured on first use.
class Speed {
public:
    virtual ~Speed() = default;
    [[nodiscard]] virtual double kernel_values(Precision precision) = 0;
    [[nodiscard]] virtual double flops() = 0;
};

/// Estimated time and memory of a solver.
struct Estimate {
    double seconds_least = 0.0;
    double seconds_most = 0.0;
    index_t needed_bytes = 0;
    index_t matrix_bytes = 0;  ///< part of needed_bytes for a matrix of the rows
    index_t cache_bytes = 0;   ///< in addition: row cache
};

/// A row of the table of one form of problem.
template <typename ProblemType, typename SolutionType, typename OptionsType = SolveOptions>
struct SolverEntry {
    SolverFacts facts;
    /// Depends on the loss and the other choices of the problem, never on its rows.
    std::function<bool(const ProblemType&)> fits;
    /// May be empty.
    std::function<Estimate(const ProblemSize&, Speed&)> estimate;
    /// Never throws because it did not converge.
    std::function<SolutionType(const ProblemType&, const OptionsType&, Context&)> solve;
};

/// A row of the table of kernel machines with one output (the forms smooth and box_dual). It has
/// `solve`, or `make`: a solver object with state, which the driver runs, certifies, refines, saves
/// and, if it converges slowly, supports by other methods.
struct KernelSolver {
    SolverFacts facts;
    std::function<bool(const Problem&)> fits;
    std::function<Estimate(const ProblemSize&, Speed&)> estimate;
    std::function<Solution(const Problem&, const SolveOptions&, Context&)> solve;
    std::function<std::unique_ptr<CoordinateSolver>(const Problem&, const CoordinateOptions&,
                                                    Context&)>
        make;
    /// Seconds for typical data of this size, which `auto` compares; empty: `auto` never chooses
    /// it.
    std::function<double(const ProblemSize&)> typical_seconds;
};

/// The built-in solvers of kernel machines, those that `auto` prefers first.
[[nodiscard]] std::span<const KernelSolver> kernel_table();

/// The built-in solver of a box dual that `auto` chooses for problems of that form and size; null
/// when none has a typical time.
[[nodiscard]] const KernelSolver* expected_best(const Problem& form, const ProblemSize& size);

/// The facts of all built-in solvers, form by form.
[[nodiscard]] std::vector<SolverFacts> all_solvers();

/// Names of the solvers of one form.
[[nodiscard]] std::vector<std::string> solver_names(SolverForm form);

/// `auto` and the names of the solvers of all forms, each once: the values of --solver.
[[nodiscard]] std::vector<std::string> solver_words();

/// Solvers that a caller adds to the built-in ones.
///
///     SolverRegistry registry;
///     registry.add({.facts = {.name = "mine"}, .fits = ..., .solve = ...});
///     train(data, {.solver = "mine", .registry = &registry}, context);
///
/// Whatever status `solve` returns, the library projects its coefficients onto the dual set and
/// certifies them. If the certificate misses the goal, `solve` is called again with these
/// coefficients as the start and a smaller `tolerance`, as long as that helps.
class SolverRegistry {
public:
    /// Throws InvalidArgument when the name is empty or taken, the form is not that of a kernel
    /// machine with one output, or a function is missing: `fits`, and `solve` or `make` (of a dual
    /// in a box).
    void add(KernelSolver solver);

    [[nodiscard]] std::span<const KernelSolver> solvers() const noexcept { return solvers_; }

private:
    std::vector<KernelSolver> solvers_;
};

}  // namespace mercer
