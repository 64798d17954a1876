// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/hinge_program.cpp - the hinge loss with an l1 penalty as a linear programme.
//
//     minimise   l1 sum_j |beta_j| + sum_i c_i xi_i   subject to   y_i ((K beta)_i + b) >= 1 - xi_i
//
// Method   CLP solves the dual, which is half as large: maximise sum_i alpha_i over
//          0 <= alpha <= c with |sum_i K_ij y_i alpha_i| <= l1 for all j, and y'alpha = 0 with an
//          intercept. The multipliers of its rows are -beta and -b.
// Fits     a few thousand rows: CLP needs all of K.
// Cost     memory 32 n^2 bytes: the programme, and CLP's copy of it.
// Stops    at CLP's tolerance; the certificate measures the result.
#include "solvers/hinge_program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/base/index.hpp"
#include "mercer/compute/linear_program.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/goal.hpp"

namespace mercer {

namespace {

constexpr double kNothing = 1e-13;  // relative to the largest coefficient: rounding of CLP
constexpr index_t kEntryBytes = 32;

/// The dual programme; with an intercept its last row is the sum constraint.
LinearProgram dual_program(const SparseProblem& problem, Context& context) {
    const Problem& risk = problem.risk;
    const index_t n = risk.size();
    const std::unique_ptr<const GramBlock> gram = risk.gram->whole(Precision::float64, context);
    LinearProgram program;
    program.row_lower.assign(at(n), -problem.l1);
    program.row_upper.assign(at(n), problem.l1);
    if (risk.intercept) {
        program.row_lower.push_back(0.0);
        program.row_upper.push_back(0.0);
    }
    std::vector<double> row(at(n));
    for (index_t i = 0; i < n; ++i) {
        context.throw_if_stopped(name_of(SolverId::linear_program));
        gram->copy_rows(i, MatrixView<double>(row.data(), 1, n), context);
        program.add_column(-1.0, 0.0, risk.costs[at(i)]);
        for (index_t j = 0; j < n; ++j) {
            if (row[at(j)] != 0.0) {
                program.add_entry(j, risk.targets[at(i)] * row[at(j)]);
            }
        }
        if (risk.intercept) {
            program.add_entry(n, risk.targets[at(i)]);
        }
    }
    return program;
}

/// Minus the multipliers of the programme's rows; those that are only rounding become 0.
std::vector<double> coefficients_of(const std::vector<double>& duals, index_t n) {
    std::vector<double> beta(at(n), 0.0);
    double largest = 0.0;
    for (index_t j = 0; j < n; ++j) {
        beta[at(j)] = -duals[at(j)];
        largest = std::max(largest, std::abs(beta[at(j)]));
    }
    for (double& each : beta) {
        each = std::abs(each) <= kNothing * largest ? 0.0 : each;
    }
    return beta;
}

}  // namespace

Solution solve_hinge_program(const SparseProblem& problem, const SolveOptions& options,
                             Context& context) {
    const index_t n = problem.size();
    const index_t bytes = checked_multiply(checked_multiply(n, n), kEntryBytes);
    if (bytes > context.memory()->left()) {
        throw ResourceError(fmt::format(
            "memory: the linear programme of {} rows needs {}, {} are left; l2-svc and huber-svc "
            "need less memory with penalty l1",
            n, format_byte_size(bytes), format_byte_size(context.memory()->left())));
    }
    Solution out;
    out.solver = name_of(SolverId::linear_program);
    out.beta.assign(at(n), 0.0);
    out.multipliers.assign(at(n), 0.0);
    SolveStatus ended = SolveStatus::interrupted;
    try {
        ProgramOptions wanted;
        wanted.max_iterations = options.max_iterations;
        const ProgramSolution solved =
            solve_linear_program(dual_program(problem, context), wanted, context);
        out.iterations = solved.iterations;
        ended = solved.status == ProgramStatus::optimal ? SolveStatus::reduced
                                                        : SolveStatus::iteration_limit;
        if (static_cast<index_t>(solved.x.size()) == n) {
            out.beta = coefficients_of(solved.duals, n);
            for (index_t i = 0; i < n; ++i) {
                out.multipliers[at(i)] = problem.risk.targets[at(i)] * solved.x[at(i)];
            }
        }
    } catch (const Interrupted&) {  // leaves f = 0 and the best constant
    }
    const double start = context.elapsed();
    const std::unique_ptr<Context> unstoppable = Context::unstoppable(context);
    out.adopt(certify(problem, out.beta, out.multipliers, *unstoppable));
    out.status = goal_of(options, kDefaultGapTolerance).status(out.certificate(), ended);
    out.certify_seconds = context.elapsed() - start;
    return out;
}

}  // namespace mercer
