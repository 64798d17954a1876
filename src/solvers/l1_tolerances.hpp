// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_tolerances.hpp - what counts as equal, regular or optimal on a path of few
// coefficients.
#pragma once

#include "mercer/base/index.hpp"
#include "mercer/base/types.hpp"

namespace mercer::l1 {

// Relative to lambda:
inline constexpr double kTie = 1e-13;       // events so near are one
inline constexpr double kIdle = 1e-11;      // a stretch so short is no progress
inline constexpr double kPastShare = 1e-3;  // a first jump past a point where events do not end
inline constexpr double kNowhere = 0.1;     // progress after which the next jump is a first one
inline constexpr double kLonger = 4.0;      // times the jump before
// Relative to lambda_max:
inline constexpr double kPast = 1e-8;        // the longest such jump
inline constexpr double kEnd = 1e-12;        // events so near the end are not looked for
inline constexpr double kClose = 5e-10;      // the last knot is as good as the end
inline constexpr double kWarmOnly = 1e-8;    // below, no restart is from zero coefficients
inline constexpr double kResidual = 1e-12;   // of the active gradients, before a Newton step
inline constexpr double kTolerated = 7e-10;  // violation before a restart
inline constexpr double kJumped = 5e-9;      // violation where the path is taken up again
// Relative to the terms of a sum:
inline constexpr double kRateNoise = 1e-11;  // of a gradient's rate
inline constexpr double kNone = 1e-14;       // of the gradient at zero coefficients
// Of the linear systems. A column is regular when it leaves that part of its diagonal: of 3,000
// random paths of kernel functions 8 do not reach the end, with 1e-14 or 1e-16 more.
inline constexpr double kRegular = 1e-15;
inline constexpr double kDigits = 1e-7;      // a pivot below has lost half of them
inline constexpr int kPivotRefinements = 2;  // steps
inline constexpr double kRefined = 1e-12;    // residual of a direction, before it is refined
inline constexpr double kUnrefined = 1e3;    // times that, which is still of use
inline constexpr int kRefinements = 4;       // steps
// Counts:
inline constexpr index_t kRestarts = 20;     // and one for so many knots, before the path ends
inline constexpr int kAttempts = 3;          // of a restart from the last knot
inline constexpr index_t kShiftedIdle = 64;  // short stretches in a row: a random shift has no ties
inline constexpr index_t kDoubtful = 16;     // short stretches in a row before the least index goes

}  // namespace mercer::l1
