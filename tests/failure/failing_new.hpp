// SPDX-License-Identifier: Apache-2.0
//
// tests/failure/failing_new.hpp - the program's operator new, which can be told to fail.
//
// Only the suite in this folder links it. Large blocks do not come from operator new but through
// the memory budget; the suite makes that fail by its limit.
#pragma once

#include "mercer/base/types.hpp"

namespace mercer::testing {

/// While it lives, allocation number `fail_at` (from 0) of the program throws std::bad_alloc; with
/// `forever` all later ones do as well.
class FailingNew {
public:
    FailingNew(index_t fail_at, bool forever);
    ~FailingNew();
    FailingNew(const FailingNew&) = delete;
    FailingNew& operator=(const FailingNew&) = delete;

    /// Allocations asked for so far.
    [[nodiscard]] static index_t seen();
};

}  // namespace mercer::testing
