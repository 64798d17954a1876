// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/solution_state.cpp - writes and reads the fields of a solution.
#include "mercer/solvers/solution_state.hpp"

#include "mercer/runtime/state_keeper.hpp"

namespace mercer {

void save_solution(const Solution& solution, StateWriter& state) {
    const Certificate& proof = solution.certificate();
    state.array(solution.beta);
    state.number(solution.intercept());
    state.number(static_cast<index_t>(solution.status));
    state.number(solution.iterations);
    state.array(std::span<const char>(solution.solver));
    for (const double value :
         {proof.primal, proof.dual, proof.gap, proof.rounding, proof.kkt_violation,
          proof.dual_infeasibility, proof.squared_norm, proof.intercept, proof.intercepts.lower,
          proof.intercepts.upper, proof.width}) {
        state.number(value);
    }
    state.number(proof.worst_sample);
    state.number(static_cast<index_t>(proof.exact));
}

Solution restore_solution(index_t size, StateReader& state) {
    Solution solution;
    Certificate& proof = solution.certificate();
    solution.beta = state.array<double>(size);
    solution.intercepts = {state.number<double>()};
    solution.status =
        static_cast<SolveStatus>(state.integer(0, static_cast<index_t>(SolveStatus::reduced)));
    solution.iterations = state.number<index_t>();
    const std::vector<char> solver = state.array<char>();
    solution.solver.assign(solver.begin(), solver.end());
    for (double* value :
         {&proof.primal, &proof.dual, &proof.gap, &proof.rounding, &proof.kkt_violation,
          &proof.dual_infeasibility, &proof.squared_norm, &proof.intercept, &proof.intercepts.lower,
          &proof.intercepts.upper, &proof.width}) {
        *value = state.number<double>();
    }
    proof.worst_sample = state.integer(-1, size - 1);
    proof.exact = state.integer(0, 1) == 1;
    return solution;
}

}  // namespace mercer
