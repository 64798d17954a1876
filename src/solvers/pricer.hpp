// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/pricer.hpp - chooses the row that an active set frees next.
#pragma once

#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/solvers/solve.hpp"
#include "solvers/dual_rows.hpp"

namespace mercer {

class Context;

class Pricer {
public:
    /// Chooses a row to set free that gains more than `least`. False: there is none.
    [[nodiscard]] bool choose(const DualRows& rows, Pricing pricing, double least, Move& chosen,
                              Context& context);

private:
    [[nodiscard]] bool choose_in_turn(const DualRows& rows, index_t block, Move& chosen);

    std::vector<index_t> order_;  ///< of the rows in cyclic pricing
    index_t cursor_ = 0;          ///< where the next search starts
};

}  // namespace mercer
