// SPDX-License-Identifier: Apache-2.0
//
// src/theory/gordan.hpp - Gordan's alternative, decided in integers: some vector is on the positive
// side of all rows, or a weighted sum of rows is zero.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "theory/exact_number.hpp"
#include "theory/scaled_rows.hpp"

namespace mercer {
class Context;
}

namespace mercer::theory {

/// The required sides of the rows a_i: sign_i <a_i, v> > 0, or >= 0 for weak rows. A row with sign
/// 0 is ignored.
struct Sides {
    std::vector<signed char> signs;
    std::vector<signed char> weak;  ///< 1 for a weak row; empty: no row is weak
};

enum class Decision { positive, zero, undecided };

/// The decision with its proof.
struct Alternative {
    Decision decision = Decision::undecided;
    std::vector<Integer> direction;  ///< v, when positive
    /// Otherwise rows and weights > 0 with sum_i weight_i sign_i a_i = 0, at least one row not
    /// weak.
    std::vector<index_t> rows;
    std::vector<Integer> weights;
    index_t systems = 0;  ///< number of systems solved exactly
};

/// Limit on the exact work.
struct ExactLimits {
    double operations = 5e9;  ///< word operations of all systems together; about a minute
};

/// Rows with a cache of the integers and inner products computed so far.
class GordanRows {
public:
    explicit GordanRows(const ScaledRows& rows) : rows_(rows) {}

    [[nodiscard]] const ScaledRows& scaled() const noexcept { return rows_; }
    [[nodiscard]] const IntegerRow& integers(index_t i);
    [[nodiscard]] const Integer& product(index_t i, index_t j);

private:
    const ScaledRows& rows_;
    std::map<index_t, IntegerRow> integers_;
    std::map<std::pair<index_t, index_t>, Integer> products_;
};

/// Decides the alternative. `start` are rows that probably have the weights, from a floating-point
/// solution; they affect the time, not the decision. Throws Interrupted.
[[nodiscard]] Alternative decide(GordanRows& rows, const Sides& sides,
                                 std::span<const index_t> start, const ExactLimits& limits,
                                 Context& context);

/// True when v is on the required side of every row, in exact arithmetic.
[[nodiscard]] bool is_positive(GordanRows& rows, const Sides& sides, std::span<const Integer> v);

}  // namespace mercer::theory
