// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/active_set.hpp - the dual on a set of free rows, with a factor that follows the set.
//
//     minimise   1/2 b'(K + R)b - l'b + w'|b|     in the box, with up to two sums that are given
//
// Every number of the problem may move with a parameter t; the paths of the machines are what the
// optimum does while t moves (mercer/solvers/path.hpp). At a fixed t settle() finds the
// optimum.
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

/// The rows with a set of free ones, which moves to its best point and changes on the way.
class ActiveSet : public DualRows {
public:
    /// Starts from `beta` in the dual set at `t`. Rows strictly inside their piece are free. The
    /// context is to be one that never asks to stop.
    ActiveSet(const MovingDual& dual, std::span<const double> beta, double t, Context& context);

    ActiveSet(const ActiveSet&) = delete;
    ActiveSet& operator=(const ActiveSet&) = delete;

    enum class Ending : std::uint8_t { optimal, unbounded, out_of_steps, stopped };

    /// What settle() may use.
    struct Limits {
        index_t steps = 0;        ///< 0: as many as the rows may need
        double work = kInfinity;  ///< multiplications
    };

    /// Moves to the optimum at the present t, until `stop` asks to stop.
    [[nodiscard]] Ending settle(const Context& stop, Pricing pricing, const Limits& limits);
    [[nodiscard]] Ending settle(const Context& stop) { return settle(stop, Pricing::worst, {}); }

    /// After Ending::unbounded: a direction of all coefficients that stays in the dual set for
    /// ever, does not change f, and gains ray_gain() > 0 per unit. Of a margin that is hard it is a
    /// proof that the classes' hulls meet: the two parts of it are the same point of both.
    [[nodiscard]] const std::vector<double>& ray() const noexcept { return ray_; }
    [[nodiscard]] double ray_gain() const;

    /// Puts the free rows at the best point of their set, wherever they are: for a set that is
    /// known to be the right one. False when the numbers are not finite.
    bool place_free();

    [[nodiscard]] SetDirection direction();

    /// What became of a row that was to be set free.
    enum class Entered : std::uint8_t { free, other_end, unbounded };

    /// Sets a row free that will rise (`up`) or fall. A row that depends on the free ones is
    /// exchanged for one of them, at the present t and without a change of f; or it reaches its
    /// other end on the way.
    Entered enter(index_t row, bool up);

    /// Puts the free row at this position of free_rows() at an end of its piece.
    void leave(std::size_t position, bool at_upper_end);

    /// Recomputes l - (K + R) b for all rows, exactly.
    void refresh();

    /// The last free row of a group has to leave: the multiplier goes to where the next row of the
    /// group that could move `up` gains nothing, and that row is set free. False: there is none.
    bool hand_over(std::size_t position, bool up);

    [[nodiscard]] index_t columns_computed() const noexcept { return factor_.columns_computed(); }
    [[nodiscard]] index_t exchanges() const noexcept { return exchanges_; }
    /// Systems of free rows that settle() has solved so far and that moved a coefficient; the
    /// refinements of a solution are part of it.
    [[nodiscard]] index_t steps() const noexcept { return steps_; }

private:
    class Search;

    void start_drive();
    void drive(double rate, std::span<const double> column);
    /// Takes a row that counts as free into the factor, after exchanges where it depends on others.
    Entered set_free(index_t row, bool up, std::span<const double> column);
    bool slide(index_t row, bool up, std::span<const double> column, Entered& ended);
    void take_ray(index_t row, double sign, std::span<const double> x);
    bool step_to_best(double& length, bool past_ends);
    [[nodiscard]] FreeSolution best_step() const;

    Context& context_;
    FreeFactor factor_;
    std::vector<double> drive_;    ///< (K + R)_{:,B} times the rates of the rows B at an end
    std::vector<double> product_;  ///< scratch, one number a row
    double largest_ = 0.0;         ///< of the diagonal of K + R
    index_t exchanges_ = 0;
    index_t steps_ = 0;
    bool moved_ = false;  ///< the last step had a length
    double work_ = 0.0;   ///< multiplications so far
    Pricer pricer_;
    std::vector<double> ray_;
};

}  // namespace mercer
