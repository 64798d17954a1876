// SPDX-License-Identifier: Apache-2.0
//
// src/fit/calibrate.hpp - the sigmoid between decision values and probabilities.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/random.hpp"
#include "mercer/base/types.hpp"

namespace mercer::fit {

/// 1 / (1 + exp(a f + b)).
struct Sigmoid {
    double a = 0.0;
    double b = 0.0;
};

/// The maximum likelihood sigmoid for decision values with targets -1 and +1, where Platt's targets
/// (n+ + 1) / (n+ + 2) and 1 / (n- + 2) replace 1 and 0. Row weights count rows; empty: all 1.
[[nodiscard]] Sigmoid fit_sigmoid(std::span<const double> f, std::span<const double> targets,
                                  std::span<const double> weights);

/// A random part 0 .. parts - 1 for each row; targets -1 and +1 are assigned separately, so that
/// every part gets its share of both.
[[nodiscard]] std::vector<index_t> deal_parts(std::span<const double> targets, index_t parts,
                                              Random& random);

/// The marks of a density link (models/model.hpp): the midpoints between neighbours among eleven
/// values, 0 and five on each side of it that divide the rows there into parts of equal weight. Row
/// weights count rows; empty: all 1. Empty if a side has fewer than five rows.
[[nodiscard]] std::vector<double> density_marks(std::span<const double> f,
                                                std::span<const double> weights);

}  // namespace mercer::fit
