// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/targets.hpp - chooses among Highway's targets at run time, and dispatches calls.
//
// Highway's own dispatch lives in a shared library that calibrates a timer at every start of the
// process (3 ms of 6) for a benchmark that is never run. Everything else is in its headers, so the
// choice is made here and that library is not linked. The tables have Highway's layout.
//
//     MERCER_EXPORT(f);               after HWY_AFTER_NAMESPACE, under #if HWY_ONCE
//     MERCER_DISPATCH(f)(arguments)   calls the best f that was compiled and that the CPU runs
#pragma once

#include <hwy/targets.h>

#include <cstdint>

namespace mercer::cpu {

/// Those of HWY_SSSE3, HWY_SSE4, HWY_AVX2 and HWY_AVX3 that CPU and system support, and the target
/// that every CPU of this architecture supports.
[[nodiscard]] std::int64_t supported_targets();

/// For tests: restricts the choice to `targets`; 0 restores all that the CPU supports.
void restrict_targets(std::int64_t targets);

/// The choice that MERCER_DISPATCH uses. The CPU is queried once, at the first call.
[[nodiscard]] const hwy::ChosenTarget& chosen_target();

}  // namespace mercer::cpu

#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0  // one target only: nothing to choose

#define MERCER_EXPORT(FUNCTION) HWY_EXPORT(FUNCTION)
#define MERCER_DISPATCH(FUNCTION) HWY_STATIC_DISPATCH(FUNCTION)

#else

#define MERCER_TABLE(FUNCTION) HWY_CONCAT(FUNCTION, _of_target)
#define MERCER_EXPORT(FUNCTION)                                                              \
    static decltype(&HWY_STATIC_DISPATCH(FUNCTION)) const MERCER_TABLE(                      \
        FUNCTION)[HWY_MAX_DYNAMIC_TARGETS + 2] = {nullptr, HWY_CHOOSE_TARGET_LIST(FUNCTION), \
                                                  HWY_CHOOSE_FALLBACK(FUNCTION)}
#define MERCER_DISPATCH(FUNCTION) \
    (*(MERCER_TABLE(FUNCTION)[::mercer::cpu::chosen_target().GetIndex()]))

#endif
