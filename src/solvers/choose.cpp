// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/choose.cpp - a cost model of the coordinate solvers and the interior point.
//
// Method   time = kernel entries computed * (one + more per stored entry of a row)
//               + steps * entries a step touches * one touch.
//          smo touches all n values in a step. decomposition touches its working set, 1,024 values
//          or the whole problem up to 2,048 rows, whose kernel matrix it computes once; or the
//          requested set.
// Measured Zen 4, two cores, hinge loss, Gaussian kernel, tolerance 1e-3: ijcnn1, a9a, covtype,
//          SUSY, mnist, cod-rna and a mixture of Gaussians, 2,000 to 50,000 rows, C of 1 to 32: 41
//          problems, both solvers on each. The constants minimise the squared relative errors.
//          Given steps and rows, half of the estimates are within 25 %, the worst is off by a
//          factor of 2.7 (shrinking is not modelled). Steps and rows are not known beforehand:
//          their medians are used.
// Result   time of smo / time of decomposition was 0.72 to 2.4, with geometric mean 1.13; at 16,000
//          rows and more 0.95 to 1.6. Where smo was faster, it was by milliseconds or less than the
//          noise, so it is chosen only if expected to be faster by a quarter.
// Interior point  its number of steps hardly depends on the data, so its time is known better.
//          Coordinate steps win on typical data of a few thousand rows; beyond, n^2 kernel values
//          cost more than n r^2 multiplications.
// Notation n rows of the problem, e stored entries per row
#include "solvers/choose.hpp"

#include <algorithm>

#include "mercer/operators/linear_rows.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/solvers/decomposition.hpp"
#include "solvers/find_solver.hpp"
#include "solvers/kernel_solvers.hpp"
#include "solvers/normal_system.hpp"

namespace mercer {

namespace {

// Medians of the measured problems, per row of the problem.
constexpr double kSmoSteps = 0.67;
constexpr double kSmoRows = 0.49;
constexpr double kDecompositionSteps = 1.32 * kSmoSteps;
constexpr double kDecompositionRows = 1.05 * kSmoRows;

/// Seconds per kernel entry, per stored entry of its row, and per value touched by a step.
struct UnitTimes {
    double entry;
    double stored;
    double touch;
};
constexpr UnitTimes kSmo{1.66e-9, 5.3e-11, 3.9e-10};
constexpr UnitTimes kWhole{1.55e-9, 2.8e-11, 1.48e-9};
constexpr UnitTimes kSets{1.12e-9, 4.5e-11, 4.4e-9};
constexpr double kSmoStart = 5e-3;  // fixed cost: threads synchronise at every step
constexpr double kWorkingSet = 1024.0;

// Steps of the interior point method, and the cost of a multiplication and of a row in one step:
// measured on 36 files of 250 to 23,000 rows, hinge and tube, unscaled columns, C of 1, 100 and
// 10,000 (bench/linear).
constexpr double kInteriorSteps = 24.0;
constexpr double kMultiplication = 5e-11;
constexpr double kInteriorRow = 7e-7;

// Passes of dual descent, and the cost of an entry and of a row (in entries) in one pass. Set by
// hand, not fitted: a prototype took 15 to 840 passes to a gap of 1e-4 on scaled files, at 1.5 to
// 5 ns per entry on a busy computer.
constexpr double kDescentPasses = 60.0;
constexpr double kDescentEntry = 2.0e-9;
constexpr double kDescentRow = 4.0;

constexpr double kClearlyFaster = 0.75;

double seconds(const UnitTimes& unit, double entries, double e, double touched) {
    return entries * (unit.entry + unit.stored * e) + touched * unit.touch;
}

}  // namespace

double typical_smo_seconds(const ProblemSize& size) {
    const auto n = static_cast<double>(size.rows);
    return kSmoStart + seconds(kSmo, kSmoRows * n * n, size.entries_per_row, kSmoSteps * n * n);
}

double typical_decomposition_seconds(const ProblemSize& size) {
    const auto n = static_cast<double>(size.rows);
    const double e = size.entries_per_row;
    if (size.rows <=
        (size.working_set > 0 ? size.working_set : DecompositionSolver::kWholeProblem)) {
        return seconds(kWhole, n * n, e, kSmoSteps * n * n);
    }
    const double set = size.working_set > 0 ? static_cast<double>(size.working_set) : kWorkingSet;
    return seconds(kSets, kDecompositionRows * n * n, e, kDecompositionSteps * n * set);
}

double typical_interior_point_seconds(const ProblemSize& size) {
    return works_in_columns(size) ? kInteriorSteps * (step_cost(size) * kMultiplication +
                                                      static_cast<double>(size.rows) * kInteriorRow)
                                  : kInfinity;
}

double dual_descent_entries(index_t rows, index_t stored) {
    return static_cast<double>(stored) + kDescentRow * static_cast<double>(rows);
}

double dual_descent_seconds(double entries) { return kDescentEntry * entries; }

double typical_dual_descent_seconds(const ProblemSize& size) {
    const auto n = static_cast<double>(size.rows);
    return size.factor_columns > 0
               ? dual_descent_seconds(kDescentPasses * n * (size.entries_per_row + kDescentRow))
               : kInfinity;
}

ProblemSize size_of(const Problem& problem, index_t working_set) {
    const LinearFactor* linear = problem.gram->linear();
    return {.rows = problem.size(),
            .entries_per_row = problem.gram->cost().entries_per_row(),
            .factor_columns = linear != nullptr ? linear->rows.columns() : 0,
            .working_set = working_set};
}

std::vector<ExpectedTime> expected_times(const std::vector<const KernelSolver*>& solvers,
                                         const ProblemSize& size) {
    std::vector<ExpectedTime> times;
    for (const KernelSolver* solver : solvers) {
        const double seconds = solver->typical_seconds ? solver->typical_seconds(size) : kInfinity;
        if (seconds < kInfinity) {
            times.push_back({solver->facts.name, seconds});
        }
    }
    return times;
}

std::size_t cheapest(const std::vector<ExpectedTime>& times) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < times.size(); ++k) {
        const double bound = (best == 0 ? kClearlyFaster : 1.0) * times[best].seconds;
        best = times[k].seconds < bound ? k : best;
    }
    return best;
}

const KernelSolver* expected_best(const Problem& form, const ProblemSize& size) {
    const std::vector<const KernelSolver*> rows = kernel_solvers(form, SolverForm::box_dual);
    const std::vector<ExpectedTime> times = expected_times(rows, size);
    return times.empty() ? nullptr : find_solver(rows, times[cheapest(times)].solver);
}

}  // namespace mercer
