// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/coordinate_run.cpp - the loop over active variables, and its state after a stop.
#include "solvers/coordinate_run.hpp"

#include <algorithm>
#include <memory>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

CoordinateRun::CoordinateRun(const Problem& problem, const CoordinateOptions& options,
                             const CoordinateOptions& rows, Context& context)
    : options_(options),
      vars_(problem, rows, context),
      max_iterations_(options.max_iterations > 0
                          ? options.max_iterations
                          : std::max<index_t>(10'000'000, 100 * problem.size())) {}

void CoordinateRun::warm_start(std::span<const double> beta, Context& context) {
    vars_.warm_start(beta, context);
    forget();
    begin_anew();
}

void CoordinateRun::reset_values(std::span<const double> f) {
    vars_.reset_values(f);
    begin_anew();
}

SolveStatus CoordinateRun::run(double tolerance, Context& context) {
    tolerance_ = tolerance;
    try {
        return solve_all(context);
    } catch (const Interrupted&) {  // values may be out of date, the coefficients are consistent
        vars_.store();
        goes_on_ = true;
        return SolveStatus::interrupted;
    }
}

SolveStatus CoordinateRun::solve_all(Context& context) {
    const std::unique_ptr<Context> unstoppable = Context::unstoppable(context);
    while (true) {
        if (!pending_) {
            const SolveStatus status = solve_active(context);
            vars_.store();
            if (status == SolveStatus::interrupted || !vars_.shrunk()) {
                return status;
            }
            pending_ = status;
        }
        vars_.restore_values(context);  // a stop in here leaves pending_ set, to continue from
        const SolveStatus status = *pending_;
        begin_anew();
        if (is_end(status, *unstoppable)) {
            return status;
        }
    }
}

void CoordinateRun::begin_anew() {
    pending_.reset();
    in_step_ = false;
    goes_on_ = false;
}

void CoordinateRun::save_place(StateWriter& state) const {
    state.number(pending_ ? static_cast<index_t>(*pending_) : index_t{-1});
}

void CoordinateRun::restore_place(StateReader& state) {
    const index_t pending = state.integer(-1, static_cast<index_t>(SolveStatus::reduced));
    pending_ = pending < 0 ? std::nullopt : std::optional(static_cast<SolveStatus>(pending));
    goes_on_ = true;
}

}  // namespace mercer
