// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/coordinate_run.hpp - a resumable run of a coordinate solver: solve on the active
// variables, update the others, check all of them, repeat.
#pragma once

#include <functional>
#include <optional>

#include "mercer/runtime/state_keeper.hpp"
#include "mercer/solvers/coordinate.hpp"
#include "mercer/solvers/status.hpp"
#include "solvers/dual_variables.hpp"

namespace mercer {

class Context;

/// The common loop of the coordinate solvers. A solver defines how the active variables are solved
/// and when the full problem is.
class CoordinateRun {
public:
    virtual ~CoordinateRun() = default;

    void warm_start(std::span<const double> beta, Context& context);
    void reset_values(std::span<const double> f);
    [[nodiscard]] SolveStatus run(double tolerance, Context& context);
    /// The action sees the current coefficients.
    void at_boundaries(std::function<void()> action) {
        boundary_ = [this, action = std::move(action)] {
            vars_.store();
            action();
        };
    }

    [[nodiscard]] const DualVariables& variables() const { return vars_; }
    [[nodiscard]] index_t iterations() const { return iterations_; }

protected:
    CoordinateRun(const Problem& problem, const CoordinateOptions& options,
                  const CoordinateOptions& rows, Context& context);

    /// Solves for the active variables.
    virtual SolveStatus solve_active(Context& context) = 0;
    /// Whether the full problem is solved; called with all values up to date.
    virtual bool is_end(SolveStatus status, Context& unstoppable) = 0;
    /// Resets the solver's memory: all variables are active and have new coefficients.
    virtual void forget() = 0;

    void save_place(StateWriter& state) const;
    void restore_place(StateReader& state);

    CoordinateOptions options_;
    DualVariables vars_;
    double tolerance_ = 1e-3;
    index_t iterations_ = 0;
    index_t max_iterations_;
    std::function<void()> boundary_;
    // Where a stopped run continues.
    bool goes_on_ = false;  ///< the run continues, it does not start
    bool in_step_ = false;  ///< bounds have been computed and idle variables dropped

private:
    SolveStatus solve_all(Context& context);
    void begin_anew();

    /// The status of the active variables while the values of the others are out of date; nullopt:
    /// none.
    std::optional<SolveStatus> pending_;
};

}  // namespace mercer
