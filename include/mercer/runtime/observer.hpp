// SPDX-License-Identifier: Apache-2.0
//
// mercer/runtime/observer.hpp - how a long computation reports its progress.
#pragma once

#include <string_view>

#include "mercer/base/types.hpp"

namespace mercer {

/// One moment of a long task. Fields that have no meaning for the task stay NaN or 0.
struct Progress {
    std::string_view stage;  ///< what is being done: "read", "gram", "smo"
    index_t done = 0;        ///< units finished (tiles, iterations, bytes)
    index_t total = 0;       ///< units in all; 0 when not known
    double gap = kNaN;       ///< current estimate of the relative gap, solvers only
    index_t memory = 0;      ///< bytes taken from the budget now
};

/// Receives progress. Called from one thread at a time, at most a few times per second.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void progress(const Progress& progress) = 0;

    /// A decision worth a line in verbose output: which solver, how large a cache.
    virtual void note(std::string_view) {}
};

}  // namespace mercer
