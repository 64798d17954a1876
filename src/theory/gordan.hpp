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

/// What is asked of the rows a_i: sign_i <a_i, v> > 0, or >= 0 for the weak ones. A sign of 0
/// leaves a row out.
struct Sides {
    std::vector<signed char> signs;
    std::vector<signed char> weak;  ///< empty: none is; else 1 for a weak row
};

enum class Decision { positive, zero, undecided };

/// The decision with its proof.
struct Alternative {
    Decision decision = Decision::undecided;
    std::vector<Integer> direction;  ///< v, when positive
    /// Otherwise rows and weights > 0 with sum_i weight_i sign_i a_i = 0, some row of it not weak.
    std::vector<index_t> rows;
    std::vector<Integer> weights;
    index_t systems = 0;  ///< that were solved exactly
};

/// Limits of the exact work.
struct ExactLimits {
    double operations = 5e9;  ///< word operations of all systems together; about a minute
};

/// Rows with the integers and inner products that were needed so far.
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

/// Decides. `start` names rows that may carry the weights (of a floating-point answer); it changes
/// the time taken, not the answer. Throws Interrupted.
[[nodiscard]] Alternative decide(GordanRows& rows, const Sides& sides,
                                 std::span<const index_t> start, const ExactLimits& limits,
                                 Context& context);

/// True when v is on the asked side of every row, exactly.
[[nodiscard]] bool is_positive(GordanRows& rows, const Sides& sides, std::span<const Integer> v);

}  // namespace mercer::theory
