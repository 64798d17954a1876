// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/active_set.hpp - the dual on a set of free rows, with an updated factorisation.
//
//     minimise   1/2 b'(K + R)b - l'b + w'|b|     in the box, with up to two sum constraints
//
// All numbers of the problem may be linear in a parameter t; a regularisation path is the optimum
// as a function of t (mercer/solvers/path.hpp). At a fixed t settle() finds the optimum.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/solvers/solve.hpp"
#include "solvers/dual_rows.hpp"
#include "solvers/free_factor.hpp"
#include "solvers/pricer.hpp"

namespace mercer {

class Context;

/// The rows with a set of free rows, which moves to its optimum and changes on the way.
class ActiveSet : public DualRows {
public:
    /// Starts from `beta` in the dual set at `t`. Rows strictly inside their piece are free. The
    /// context must be uninterruptible.
    ActiveSet(const MovingDual& dual, std::span<const double> beta, double t, Context& context);

    ActiveSet(const ActiveSet&) = delete;
    ActiveSet& operator=(const ActiveSet&) = delete;

    enum class Ending : std::uint8_t { optimal, unbounded, out_of_steps, stopped };

    /// The budget of settle().
    struct Limits {
        index_t steps = 0;        ///< 0: a limit that grows with the number of rows
        double work = kInfinity;  ///< multiplications
    };

    /// Moves to the optimum at the present t, unless `stop` requests a stop.
    [[nodiscard]] Ending settle(const Context& stop, Pricing pricing, const Limits& limits);
    [[nodiscard]] Ending settle(const Context& stop) { return settle(stop, Pricing::worst, {}); }

    /// After Ending::unbounded: a direction of all coefficients that stays in the dual set without
    /// limit, does not change f, and gains ray_gain() > 0 per unit. For a hard margin it proves
    /// that the hulls of the classes intersect: its positive and its negative part are the same
    /// point.
    [[nodiscard]] const std::vector<double>& ray() const noexcept { return ray_; }
    [[nodiscard]] double ray_gain() const;

    /// Moves the free rows to the optimum of their set, even past their ends: for a set that is
    /// known to be optimal. False when the numbers are not finite.
    bool place_free();

    [[nodiscard]] SetDirection direction();

    /// The result of setting a row free.
    enum class Entered : std::uint8_t { free, other_end, unbounded };

    /// Sets a row free that will increase (`up`) or decrease. A row that depends linearly on the
    /// free ones is exchanged for one of them, at the present t and without changing f, or reaches
    /// its other end.
    Entered enter(index_t row, bool up);

    /// Puts the free row at this position of free_rows() at an end of its piece.
    void leave(std::size_t position, bool at_upper_end);

    /// Recomputes l - (K + R) b for all rows, exactly.
    void refresh();

    /// Lets the last free row of a group leave: the multiplier is set so that the next row of the
    /// group that could move `up` gains nothing, and that row is set free. False: there is none.
    bool hand_over(std::size_t position, bool up);

    [[nodiscard]] index_t columns_computed() const noexcept { return factor_.columns_computed(); }
    [[nodiscard]] index_t exchanges() const noexcept { return exchanges_; }
    /// Systems of free rows that settle() has solved so far and that moved a coefficient; a system
    /// and its refinements count once.
    [[nodiscard]] index_t steps() const noexcept { return steps_; }

private:
    class Search;

    void start_drive();
    void drive(double rate, std::span<const double> column);
    /// Adds a row that counts as free to the factor, after exchanges if it depends on other rows.
    Entered set_free(index_t row, bool up, std::span<const double> column);
    bool slide(index_t row, bool up, std::span<const double> column, Entered& ended);
    void take_ray(index_t row, double sign, std::span<const double> x);
    bool step_to_best(double& length, bool past_ends);
    [[nodiscard]] FreeSolution best_step() const;

    Context& context_;
    FreeFactor factor_;
    std::vector<double> drive_;    ///< (K + R)_{:,B} times the rates of the rows B at an end
    std::vector<double> product_;  ///< scratch, one number per row
    double largest_ = 0.0;         ///< largest diagonal entry of K + R
    index_t exchanges_ = 0;
    index_t steps_ = 0;
    bool moved_ = false;  ///< the last step had a positive length
    double work_ = 0.0;   ///< multiplications so far
    Pricer pricer_;
    std::vector<double> ray_;
};

}  // namespace mercer
