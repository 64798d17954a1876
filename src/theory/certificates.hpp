// SPDX-License-Identifier: Apache-2.0
//
// src/theory/certificates.hpp - from the integers of a decision to numbers that a user can check.
#pragma once

#include "mercer/theory/separability.hpp"
#include "theory/gordan.hpp"

namespace mercer::theory {

/// The separator of a direction that is on the correct side of every scaled row: in doubles if they
/// separate, otherwise with as few bits as suffice.
[[nodiscard]] Separator make_separator(GordanRows& rows, const Sides& sides,
                                       std::span<const Integer> direction);

/// The common point of the hulls, from weights of the scaled rows.
[[nodiscard]] MeetingHulls make_hulls(const ScaledRows& rows, const Sides& sides,
                                      const Alternative& alternative);

/// Signs of labels; throws InvalidArgument unless there is one label, -1 or +1, for each row.
[[nodiscard]] std::vector<signed char> signs_of(std::span<const double> labels, index_t rows);

}  // namespace mercer::theory
