// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/registry.hpp - the tables of solvers: what each solves, costs and can do.
//
// What `auto` takes, what `--dry-run` plans, what `compare` runs and what messages and completion
// list is read from these rows. A program adds solvers of its own to a SolverRegistry, which it
// owns and passes with the options: the library holds no state.
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
    smooth,       ///< a smooth loss of a kernel function: the primal, or the logistic dual
    box_dual,     ///< a kernel dual in a box
    equations,    ///< linear equations in K
    softmax,      ///< the joint problem of many classes
    columns,      ///< squares of a function that is linear in the columns
    sparse,       ///< a penalty on the coefficients
    basis,        ///< few functions, chosen one after the other
    comparisons,  ///< multipliers of comparisons between rows
    corrections,  ///< no objective: a perceptron
};

struct SolverCapabilities {
    bool checkpoint = false;  ///< a run that was stopped goes on from its state
    bool warm_start = false;  ///< begins at coefficients that are given
    bool trace = false;       ///< can be certified at every iteration
    bool products = false;    ///< asks for products with K alone and stores no matrix
    bool float32 = false;     ///< can factor in single precision and refine
};

/// What is said of a solver.
struct SolverFacts {
    std::string name;
    std::string summary;  ///< a line of help
    SolverForm form = SolverForm::box_dual;
    SolverCapabilities can;
    /// Theory: each step multiplies the gap by this or less, given the condition number; null:
    /// theory says nothing.
    double (*pace)(double condition) = nullptr;
};

/// What an estimate needs to know of a problem.
struct ProblemSize {
    index_t rows = 0;
    double entries_per_row = 0.0;
    index_t factor_columns = 0;  ///< of X where K = factor XX'; 0: K is no such product
    index_t working_set = 0;     ///< of decomposition; 0: its own choice
    index_t outputs = 1;         ///< functions that are found together
    index_t memory_bytes = 0;    ///< that are free
    bool leave_one_out = false;  ///< errors are asked for, too
};

[[nodiscard]] ProblemSize size_of(const Problem& problem, index_t working_set);

/// What the computer does in a second; measured when it is asked for.
class Speed {
public:
    virtual ~Speed() = default;
    [[nodiscard]] virtual double kernel_values(Precision precision) = 0;
    [[nodiscard]] virtual double flops() = 0;
};

/// What a solver would take.
struct Estimate {
    double seconds_least = 0.0;
    double seconds_most = 0.0;
    index_t needed_bytes = 0;
    index_t matrix_bytes = 0;  ///< of them, for a matrix of the rows
    index_t cache_bytes = 0;   ///< beside them: for Gram rows
};

/// A row of the table of one form of problem.
template <typename ProblemType, typename SolutionType, typename OptionsType = SolveOptions>
struct SolverEntry {
    SolverFacts facts;
    /// Looks at the loss and the other choices of the problem, never at its rows.
    std::function<bool(const ProblemType&)> fits;
    /// May be empty.
    std::function<Estimate(const ProblemSize&, Speed&)> estimate;
    /// Never throws because it did not converge.
    std::function<SolutionType(const ProblemType&, const OptionsType&, Context&)> solve;
};

/// A row of the table of kernel machines with one output (the forms smooth and box_dual). It has
/// `solve`, or `make`: a solver that keeps its place, which the driver runs, certifies, refines,
/// saves and, when its steps crawl, helps along.
struct KernelSolver {
    SolverFacts facts;
    std::function<bool(const Problem&)> fits;
    std::function<Estimate(const ProblemSize&, Speed&)> estimate;
    std::function<Solution(const Problem&, const SolveOptions&, Context&)> solve;
    std::function<std::unique_ptr<CoordinateSolver>(const Problem&, const CoordinateOptions&,
                                                    Context&)>
        make;
    /// Seconds for typical data of this size, by which `auto` compares; empty: it is never taken.
    std::function<double(const ProblemSize&)> typical_seconds;
};

/// The built-in solvers of kernel machines, those that `auto` prefers first.
[[nodiscard]] std::span<const KernelSolver> kernel_table();

/// The built-in solver of a dual in a box that `auto` takes for problems of that form and size; null
/// when no time is known of any.
[[nodiscard]] const KernelSolver* expected_best(const Problem& form, const ProblemSize& size);

/// What is said of every built-in solver, form by form.
[[nodiscard]] std::vector<SolverFacts> all_solvers();

/// Names of the solvers of one form.
[[nodiscard]] std::vector<std::string> solver_names(SolverForm form);

/// `auto` and the names of all forms, each once: what may be said on a command line.
[[nodiscard]] std::vector<std::string> solver_words();

/// Solvers of a caller's own, beside the built-in ones.
///
///     SolverRegistry registry;
///     registry.add({.facts = {.name = "mine"}, .fits = ..., .solve = ...});
///     train(data, {.solver = "mine", .registry = &registry}, context);
///
/// Whatever `solve` says of its answer, the answer is projected onto the dual set and certified by
/// the library. When the proof is not there, `solve` is called again with its coefficients as the
/// start and a smaller `tolerance`, as long as that helps.
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
