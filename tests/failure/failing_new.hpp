// SPDX-License-Identifier: Apache-2.0
//
// tests/failure/failing_new.hpp - an operator new that can be made to fail.
//
// Only the suite in this folder links it. Large blocks do not come from operator new but from the
// memory budget; the suite makes that fail by its limit.
#pragma once

#include "mercer/base/types.hpp"

namespace mercer::testing {

/// During its lifetime, allocation number `fail_at` (from 0) of the program throws std::bad_alloc;
/// with `forever` all later ones do as well.
class FailingNew {
public:
    FailingNew(index_t fail_at, bool forever);
    ~FailingNew();
    FailingNew(const FailingNew&) = delete;
    FailingNew& operator=(const FailingNew&) = delete;

    /// Number of allocations requested so far.
    [[nodiscard]] static index_t seen();
};

}  // namespace mercer::testing
