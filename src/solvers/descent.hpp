// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/descent.hpp - the iterate, line search and stopping rules of unconstrained methods.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "mercer/solvers/optimise.hpp"

namespace mercer {

/// Constants of Wolfe's conditions: a line search ends if |slope| <= curvature * |first slope|.
inline constexpr double kArmijo = 1e-4;
inline constexpr double kWolfeQuasiNewton = 0.9;
inline constexpr double kWolfeConjugate = 0.1;
inline constexpr double kWolfeExact = 1e-10;

/// An iterate with its value and gradient, the counters, and the stopping rules.
class Descent {
public:
    Descent(Objective& objective, std::span<const double> start, const OptimiserOptions& options,
            Context& context);

    [[nodiscard]] std::span<const double> gradient() const { return gradient_; }
    [[nodiscard]] std::span<const double> x() const { return x_; }
    [[nodiscard]] double value() const { return value_; }
    [[nodiscard]] double inner(std::span<const double> a, std::span<const double> b) const {
        return objective_.inner(a, b);
    }
    [[nodiscard]] OptimiserResult& result() { return result_; }

    /// True when the method ends here; the status is then set.
    [[nodiscard]] bool ended();

    /// x += step * direction, evaluated there. False when the value is not finite.
    bool move(std::span<const double> direction, double step);

    /// Moves along the direction to a point that meets Wolfe's conditions with `sharpness`; `first`
    /// is the step to try first. False when no lower value was found: the iterate is then
    /// unchanged.
    bool search(std::span<const double> direction, double first, double sharpness);

    /// Ends the method: no further progress is possible.
    void stall(const char* remedy);

    /// For methods without a line search: true, and marked as diverged, when values or gradients
    /// grow.
    [[nodiscard]] bool running_away();

    [[nodiscard]] OptimiserResult release() &&;

private:
    struct Trial {
        double step = 0.0;
        double value = kNaN;
        double slope = kNaN;
        std::vector<double> x;
        std::vector<double> gradient;

        [[nodiscard]] bool finite() const { return std::isfinite(value) && std::isfinite(slope); }
    };
    /// The steps between which the slope changes its sign.
    struct Bracket {
        Trial low;                ///< low enough, with a negative slope
        double high_step = kNaN;  ///< NaN: not found yet
        double high_slope = kNaN;

        void tighten(Trial trial, bool descending);
        /// The step to try after `step`; nullopt when the bracket has no other double.
        [[nodiscard]] std::optional<double> next(double step) const;
    };
    [[nodiscard]] bool low_enough(const Trial& trial, double slope) const;
    Trial try_step(std::span<const double> direction, double step);
    void accept(Trial trial);

    Objective& objective_;
    const OptimiserOptions& options_;
    Context& context_;
    std::vector<double> x_;
    std::vector<double> gradient_;
    double value_ = kNaN;
    double first_norm_ = kNaN;
    double first_value_ = kNaN;
    double last_step_ = kNaN;
    double least_norm_ = kInfinity;
    int rising_ = 0;
    OptimiserResult result_;
};

}  // namespace mercer
