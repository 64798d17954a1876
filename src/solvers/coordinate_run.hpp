// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/coordinate_run.hpp - a run of a coordinate solver: solve on the active variables,
// bring the others up to date, look again; and go on where it was left.
#pragma once

#include <functional>
#include <optional>

#include "mercer/runtime/state_keeper.hpp"
#include "mercer/solvers/coordinate.hpp"
#include "mercer/solvers/status.hpp"
#include "solvers/dual_variables.hpp"

namespace mercer {

class Context;

/// What the coordinate solvers share. A solver says how the active variables are solved and when
/// that is the end of all.
class CoordinateRun {
public:
    virtual ~CoordinateRun() = default;

    void warm_start(std::span<const double> beta, Context& context);
    void reset_values(std::span<const double> f);
    [[nodiscard]] SolveStatus run(double tolerance, Context& context);
    /// The action sees the coefficients of that moment.
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

    /// Works on the active variables to its own end.
    virtual SolveStatus solve_active(Context& context) = 0;
    /// With all values right again: whether the end of the active variables is that of all.
    virtual bool is_end(SolveStatus status, Context& unstoppable) = 0;
    /// All variables are active, and have new coefficients.
    virtual void forget() = 0;

    void save_place(StateWriter& state) const;
    void restore_place(StateReader& state);

    CoordinateOptions options_;
    DualVariables vars_;
    double tolerance_ = 1e-3;
    index_t iterations_ = 0;
    index_t max_iterations_;
    std::function<void()> boundary_;
    // Where a run that was left goes on.
    bool goes_on_ = false;  ///< not at the beginning
    bool in_step_ = false;  ///< bounds are found and idle variables dropped

private:
    SolveStatus solve_all(Context& context);
    void begin_anew();

    /// How the active variables ended while the others lag behind; nothing: there is no such end.
    std::optional<SolveStatus> pending_;
};

}  // namespace mercer
