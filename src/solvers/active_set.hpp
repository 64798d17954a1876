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

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/solvers/solve.hpp"
#include "solvers/free_columns.hpp"
#include "solvers/updated_cholesky.hpp"

namespace mercer {

class Context;

/// A number that moves with the parameter: start + t * rate.
struct Moving {
    double start = 0.0;
    double rate = 0.0;

    [[nodiscard]] double at(double t) const noexcept { return start + t * rate; }
};

/// One row of the dual (problems/problem.hpp, DualTerm) whose numbers move.
struct MovingTerm {
    Moving lower;
    Moving upper;
    Moving linear;
    Moving width;
    double ridge = 0.0;
    bool kinked = false;  ///< |b| has a kink inside the box

    /// The side of zero a coefficient is on that is not at the kink and not across it.
    [[nodiscard]] double only_side(double t) const { return upper.at(t) > 0.0 ? 1.0 : -1.0; }
};

/// The dual of `problem` with numbers that move. A group is a set of rows whose coefficients have a
/// given sum: all rows (intercept or mass), or those above zero and those below (both).
struct MovingDual {
    const Problem* problem = nullptr;  ///< for its rows and kernel
    std::vector<MovingTerm> terms;
    int groups = 0;
    std::array<Moving, 2> sums;
    bool tube = false;  ///< the two groups are the sides of a tube, which closes where they meet

    [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(terms.size()); }
};

/// The dual of the problem as it is: nothing moves.
[[nodiscard]] MovingDual fixed_dual(const Problem& problem);

/// Where a row's coefficient is.
enum class Place : std::uint8_t { lower, zero, upper, free };

/// A row at an end of its piece that could move: what it gains per unit, and how fast that grows.
struct Move {
    index_t row = -1;
    bool up = true;
    double gain = 0.0;
    double rate = 0.0;
};

/// How everything moves with t while the set of free rows stays what it is.
struct SetDirection {
    std::vector<double> beta;    ///< of the free rows, in their order
    std::vector<double> values;  ///< of all rows
    std::array<double, 2> multipliers{};
    double scale = 0.0;  ///< bound of the parts that a value's rate is summed from
};

class ActiveSet {
public:
    /// Starts from `beta` in the dual set at `t`. Rows strictly inside their piece are free. The
    /// context is to be one that never asks to stop.
    ActiveSet(const MovingDual& dual, std::span<const double> beta, double t, Context& context);

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

    /// Lets free rows aim at the flat side of their loss, this many units of the noise from its
    /// edge: a cost of 1e10 makes a loss of 1e-3 of the last bits of f. Not for a free width, nor
    /// for a loss that has no flat side.
    void aim_inside(double units) noexcept { spare_ = units; }

    /// Puts the free rows at the best point of their set, wherever they are: for a set that is
    /// known to be the right one. False when the numbers are not finite.
    bool place_free();

    [[nodiscard]] SetDirection direction();

    /// Moves t, and all that moves with it.
    void advance(const SetDirection& direction, double step);

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

    [[nodiscard]] index_t size() const noexcept { return dual_.size(); }
    [[nodiscard]] double parameter() const noexcept { return t_; }
    [[nodiscard]] const MovingDual& dual() const noexcept { return dual_; }
    [[nodiscard]] const std::vector<index_t>& free_rows() const noexcept { return free_; }
    [[nodiscard]] const std::vector<double>& beta() const noexcept { return beta_; }
    [[nodiscard]] const std::vector<double>& values() const noexcept { return values_; }
    [[nodiscard]] const std::vector<Place>& places() const noexcept { return places_; }
    [[nodiscard]] const std::array<double, 2>& multipliers() const noexcept { return multipliers_; }

    /// True when a free row is below the kink of its box.
    [[nodiscard]] bool is_below(index_t row) const {
        return term(row).kinked && sign_[at(row)] < 0;
    }
    /// Ends of the piece a free row is on.
    [[nodiscard]] Moving lower_end(index_t row) const;
    [[nodiscard]] Moving upper_end(index_t row) const;

    /// Calls use(move) for every row at an end and every way it could move.
    template <typename Use>
    void for_each_move(const SetDirection* direction, const Use& use) const {
        std::array<Move, 2> moves;
        for (index_t row = 0; row < size(); ++row) {
            const int count = moves_of(row, direction, moves);
            for (int k = 0; k < count; ++k) {
                use(moves[static_cast<std::size_t>(k)]);
            }
        }
    }

    [[nodiscard]] std::size_t group_of(index_t row) const;
    [[nodiscard]] std::size_t group_of(const Move& move) const;
    [[nodiscard]] index_t free_in(std::size_t group) const;

    /// The last free row of a group has to leave: the multiplier goes to where the next row of the
    /// group that could move `up` gains nothing, and that row is set free. False: there is none.
    bool hand_over(std::size_t position, bool up);

    /// Largest violation of the conditions of optimality, and what rounding explains of it.
    [[nodiscard]] double violation() const;
    [[nodiscard]] double noise() const noexcept { return noise_; }

    [[nodiscard]] index_t columns_computed() const noexcept { return columns_.computed(); }
    [[nodiscard]] index_t exchanges() const noexcept { return exchanges_; }
    /// Systems of free rows that settle() has solved so far and that moved a coefficient; the
    /// refinements of a solution are part of it.
    [[nodiscard]] index_t steps() const noexcept { return steps_; }

private:
    static std::size_t at(index_t i) { return static_cast<std::size_t>(i); }
    [[nodiscard]] const MovingTerm& term(index_t row) const { return dual_.terms[at(row)]; }
    [[nodiscard]] std::size_t group_by(double side) const {
        return dual_.groups == 2 && side < 0.0 ? 1 : 0;
    }
    [[nodiscard]] double side_of(index_t row) const;
    [[nodiscard]] double width(index_t row) const;
    [[nodiscard]] int moves_of(index_t row, const SetDirection* direction,
                               std::array<Move, 2>& out) const;
    [[nodiscard]] double bound_rate(index_t row) const;
    [[nodiscard]] Move best_move(std::size_t group, bool up, index_t except) const;

    struct FreeSolution {
        std::vector<double> x;
        std::array<double, 2> r{};
    };
    [[nodiscard]] FreeSolution solve_free(std::vector<double> h, const std::array<double, 2>& d);
    [[nodiscard]] bool depends(double pivot, index_t row) const;
    [[nodiscard]] double meeting(index_t i, index_t j, double value) const;
    /// Takes a row that counts as free into the factor, after exchanges where it depends on others.
    Entered set_free(index_t row, bool up, std::span<const double> column);
    bool free_together(std::span<const index_t> rows);
    void add_free(index_t row, double pivot, std::span<const double> column);
    void set_bound(index_t row, bool at_upper_end);
    bool slide(index_t row, bool up, std::span<const double> column, Entered& ended);
    bool step_to_best(double& length, bool past_ends);
    void restore_sums();
    void measure();
    /// The row to set free, when one gains more than rounding explains, `doubt` times over.
    [[nodiscard]] bool price(Pricing pricing, double doubt, Move& chosen);

    const MovingDual& dual_;
    Context& context_;
    FreeColumns columns_;
    double t_;
    std::vector<double> beta_;
    std::vector<double> values_;  ///< l - (K + R) b
    std::vector<double> drive_;   ///< (K + R)_{:,B} times the rates of the rows B at an end
    std::vector<Place> places_;
    std::vector<std::int8_t> sign_;  ///< the side of a free kinked row
    std::array<double, 2> multipliers_{};
    double sigma_ = 1.0;  ///< M = K + R + sigma E E'
    std::vector<index_t> free_;
    UpdatedCholesky factor_;
    std::vector<double> product_;  ///< scratch, one number a row
    double largest_ = 0.0;         ///< of the diagonal of K + R
    double noise_ = 0.0;
    double spare_ = 0.0;
    index_t exchanges_ = 0;
    index_t steps_ = 0;
    bool moved_ = false;          ///< the last step had a length
    double work_ = 0.0;           ///< multiplications so far
    std::vector<index_t> order_;  ///< cyclic pricing looks at the rows in this order
    index_t cursor_ = 0;          ///< and goes on here
    std::vector<double> ray_;
};

}  // namespace mercer

#include "solvers/active_set-inl.hpp"
