// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_tracer.hpp - follows an l1 path from event to event.
#pragma once

#include "mercer/base/random.hpp"
#include "solvers/l1_steps.hpp"

namespace mercer::l1 {

/// Traces one path.
class Tracer : private PathSteps {
public:
    Tracer(const L1PathProblem& problem, double to, Context& context);

    L1Path run();

private:
    /// Zero coefficients: lambda_max.
    double begin();
    void follow();
    /// Ends the path at the last optimal knot; or at the requested end, if that is so close that
    /// the last knot's coefficients are optimal there as well, within the tolerance.
    void give_up();
    /// The worst violation of this point and of the knots from the given one on.
    [[nodiscard]] double violation_since(std::size_t knot) const;
    /// Removes the last knots.
    void forget(std::size_t count);
    /// Finds the optimum at the present lambda or a little below, from the last knot or from zero
    /// coefficients.
    bool restart();
    /// Where a restart resumes the path: a jump below lambda.
    [[nodiscard]] double past(double lambda) const;
    /// Returns to the last knot. False when its columns are linearly dependent.
    bool take_last_knot();
    /// Finds the optimum at the present lambda from these coefficients.
    bool find_again();
    /// Records in the last knot the violation in the middle between the last two.
    bool measure_jump();

    Context& context_;
    index_t rows_;
    Random random_;
    bool ended_ = false;  ///< the last knot has been recorded
    double restarted_at_ = kNaN;
    double jumped_at_ = kNaN;
    double jump_ = kPastShare;  ///< share of lambda
};

}  // namespace mercer::l1
