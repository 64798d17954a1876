// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/logistic_smo.hpp - pairwise descent for the dual of kernel logistic regression.
#pragma once

#include <memory>
#include <span>

#include "mercer/base/types.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer {

class Context;

/// Retains its state: run() may be called again with a smaller tolerance.
class LogisticSmo {
public:
    /// Throws InvalidArgument unless the loss is logistic.
    LogisticSmo(const Problem& problem, Context& context);
    ~LogisticSmo();

    /// Iterates until max H - min H <= tolerance (|H| without an intercept), or `max_iterations` in
    /// all. F = K beta is recomputed first.
    [[nodiscard]] SolveStatus run(double tolerance, index_t max_iterations, Context& context);

    [[nodiscard]] std::span<const double> beta() const noexcept;
    [[nodiscard]] index_t iterations() const noexcept;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace mercer
