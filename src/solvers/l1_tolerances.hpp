// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_tolerances.hpp - what counts as equal, nonsingular or optimal on an l1 path.
#pragma once

#include "mercer/base/index.hpp"
#include "mercer/base/types.hpp"

namespace mercer::l1 {

// Relative to lambda:
inline constexpr double kTie = 1e-13;       // closer events count as simultaneous
inline constexpr double kIdle = 1e-11;      // a shorter segment is no progress
inline constexpr double kPastShare = 1e-3;  // first jump past a point of endless events
inline constexpr double kNowhere = 0.1;     // after more progress the next jump is a first one
inline constexpr double kLonger = 4.0;      // otherwise: times the previous jump
// Relative to lambda_max:
inline constexpr double kPast = 1e-8;        // the longest such jump
inline constexpr double kEnd = 1e-12;        // events closer to the end are ignored
inline constexpr double kClose = 5e-10;      // a knot this close counts as the end
inline constexpr double kWarmOnly = 1e-8;    // below, restarts are never from zero coefficients
inline constexpr double kResidual = 1e-12;   // of the active gradients: above, a Newton step
inline constexpr double kTolerated = 7e-10;  // violation: above, a restart
inline constexpr double kJumped = 5e-9;      // violation allowed where the path is resumed
// Relative to the terms of a sum:
inline constexpr double kRateNoise = 1e-11;  // noise of a gradient's rate
inline constexpr double kNone = 1e-14;       // zero gradient at zero coefficients
// Linear systems. A column is independent if its pivot exceeds this share of its diagonal: of 3,000
// random paths of kernel functions 8 do not reach the end; with 1e-14 or 1e-16, more.
inline constexpr double kRegular = 1e-15;
inline constexpr double kDigits = 1e-7;      // a smaller pivot has lost half of its digits
inline constexpr int kPivotRefinements = 2;  // steps
inline constexpr double kRefined = 1e-12;    // residual of a direction: above, it is refined
inline constexpr double kUnrefined = 1e3;    // times that: still usable
inline constexpr int kRefinements = 4;       // steps
// Counts:
inline constexpr index_t kRestarts = 20;     // plus a share of the knots, before the path ends
inline constexpr int kAttempts = 3;          // at restarting from the last knot
inline constexpr index_t kShiftedIdle = 64;  // most consecutive short segments of a shifted path
inline constexpr index_t kDoubtful = 16;     // short segments before ties go to the least index

}  // namespace mercer::l1
