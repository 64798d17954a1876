// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/smo.hpp - sequential minimal optimisation for the box-constrained kernel dual.
#pragma once

#include <memory>

#include "mercer/problems/problem.hpp"
#include "mercer/solvers/coordinate.hpp"

namespace mercer {

/// Sequential minimal optimisation with second-order selection and shrinking. For losses whose dual
/// has no kink at zero: hinge, squared hinge, modified Huber, absolute, squared; no free width.
class SmoSolver final : public CoordinateSolver {
public:
    /// Throws InvalidArgument when the problem does not fit.
    SmoSolver(const Problem& problem, const CoordinateOptions& options, Context& context);
    ~SmoSolver() override;

    [[nodiscard]] static bool fits(const Problem& problem);

    void warm_start(std::span<const double> beta, Context& context) override;
    [[nodiscard]] SolveStatus run(double tolerance, Context& context) override;
    void reset_values(std::span<const double> f) override;
    [[nodiscard]] std::span<const double> beta() const noexcept override;
    [[nodiscard]] std::vector<double> estimated_values() const override;
    [[nodiscard]] index_t iterations() const noexcept override;
    [[nodiscard]] index_t rows_computed() const noexcept override;
    [[nodiscard]] index_t working_set() const noexcept override;
    void at_boundaries(std::function<void()> action) override;
    void save(StateWriter& state) override;
    void restore(StateReader& state, Context& context) override;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace mercer
