// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/dual_variables.hpp - the variables of a kernel dual, and the active ones of a solver.
//
//     minimise   1/2 beta'(K + R)beta - p'beta + e'|beta|      (problems/problem.hpp, DualTerm)
//
// A coordinate solver drops variables that are likely to stay where they are. The active ones are
// in contiguous arrays in the order of active(); store() copies them back to the full arrays.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/operators/row_cache.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/solvers/coordinate.hpp"

namespace mercer {

class Context;
class StateReader;
class StateWriter;

/// State shared by the coordinate solvers. Values are p - (K + R) beta: minus the gradient of the
/// smooth part, in double, updated from float32 rows.
class DualVariables {
public:
    DualVariables(const Problem& problem, const CoordinateOptions& options, Context& context);

    /// Starts from these coefficients; all variables become active.
    void warm_start(std::span<const double> beta, Context& context);

    /// Takes exact f = K beta for all rows, beta as stored.
    void reset_values(std::span<const double> f);

    /// The solver's estimate of f = K beta for all rows. Only valid if no value is out of date.
    [[nodiscard]] std::vector<double> estimated_values() const;

    [[nodiscard]] index_t size() const noexcept { return problem_.size(); }
    [[nodiscard]] index_t active_size() const noexcept {
        return static_cast<index_t>(active_.size());
    }
    [[nodiscard]] bool shrunk() const noexcept { return active_size() < size(); }
    [[nodiscard]] const std::vector<index_t>& active() const noexcept { return active_; }
    [[nodiscard]] const std::vector<double>& beta() const noexcept { return beta_; }
    [[nodiscard]] const std::vector<double>& values() const noexcept { return values_; }
    [[nodiscard]] const DualTerm& term_of_row(index_t row) const {
        return terms_[static_cast<std::size_t>(row)];
    }
    [[nodiscard]] bool are_rows_held() const { return problem_.gram->cost().held; }
    [[nodiscard]] RowCache& cache() noexcept { return cache_; }
    [[nodiscard]] const RowCache& cache() const noexcept { return cache_; }

    // The active variables, k = 0 .. active_size() - 1. Padded to kCoordinateLanes.
    [[nodiscard]] double& b(index_t k) { return b_[static_cast<std::size_t>(k)]; }
    [[nodiscard]] double b(index_t k) const { return b_[static_cast<std::size_t>(k)]; }
    [[nodiscard]] double& v(index_t k) { return v_[static_cast<std::size_t>(k)]; }
    [[nodiscard]] double v(index_t k) const { return v_[static_cast<std::size_t>(k)]; }
    [[nodiscard]] index_t row(index_t k) const { return active_[static_cast<std::size_t>(k)]; }
    [[nodiscard]] const DualTerm& term(index_t k) const { return term_of_row(row(k)); }
    /// K(k, k) + R(k).
    [[nodiscard]] float diagonal(index_t k) const { return diagonal_[static_cast<std::size_t>(k)]; }
    [[nodiscard]] double* v_data() noexcept { return v_.data(); }
    [[nodiscard]] const float* diagonal_data() const noexcept { return diagonal_.data(); }

    /// To be called before active variables change: the values of inactive ones become out of date.
    void begin_steps() noexcept { complete_ = !shrunk(); }

    /// Writes the active variables back to the full arrays.
    void store();

    /// Makes these the active variables; the current ones must have been stored.
    void activate(std::vector<index_t> active, Context& context);
    void activate_all(Context& context);

    /// Brings the values of inactive rows up to date: one float32 Gram product of those rows with
    /// the rows whose coefficient has changed since all values were last up to date.
    void restore_values(Context& context);

    /// Notes a step of `delta` along a row whose entries are as large as `size`.
    void add_drift(double delta, double size);

    /// True when the rounding of float32 rows, modelled as a random walk over the steps since the
    /// values were last exact, approaches the remaining violation.
    [[nodiscard]] bool lost_digits(double violation) const;

    /// Writes all arrays; the active variables must have been stored.
    void save(StateWriter& state);
    void restore(StateReader& state, Context& context);

private:
    void load();

    /// sum_j K(row, columns[j]) weights[j] of each of the rows.
    [[nodiscard]] std::vector<double> product(std::span<const index_t> rows,
                                              std::span<const index_t> columns,
                                              std::span<const double> weights, Context& context);

    const Problem& problem_;
    Precision precision_;
    RowCache cache_;
    std::vector<DualTerm> terms_;
    std::vector<double> beta_;       ///< full
    std::vector<double> values_;     ///< full; out of date for inactive rows
    std::vector<double> base_beta_;  ///< when all values were last up to date, with these values
    std::vector<double> base_values_;
    std::vector<index_t> active_;
    std::vector<double> b_;
    std::vector<double> v_;
    std::vector<float> diagonal_;
    bool complete_ = true;  ///< values_ and v_ together are up to date for all rows
    double drift2_ = 0.0;   ///< square of the estimated error of v due to float32 rows
};

}  // namespace mercer
