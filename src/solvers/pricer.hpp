// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/pricer.hpp - which row at an end an active set tries next.
#pragma once

#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/solvers/solve.hpp"
#include "solvers/dual_rows.hpp"

namespace mercer {

class Context;

class Pricer {
public:
    /// The row to set free, when one gains more than `least`. False: there is none.
    [[nodiscard]] bool choose(const DualRows& rows, Pricing pricing, double least, Move& chosen,
                              Context& context);

private:
    [[nodiscard]] bool choose_in_turn(const DualRows& rows, index_t block, Move& chosen);

    std::vector<index_t> order_;  ///< cyclic pricing looks at the rows in this order
    index_t cursor_ = 0;          ///< and goes on here
};

}  // namespace mercer
