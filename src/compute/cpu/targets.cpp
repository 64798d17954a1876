// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/targets.cpp - detects the vector instructions that CPU and operating system
// support.
//
// A target needs the features that Highway compiles it with (hwy/ops/set_macros-inl.h). Wide
// registers also need a system that saves them: bits of XCR0, which only XGETBV reads.
#include "compute/cpu/targets.hpp"

#if HWY_ARCH_X86
#include <cpuid.h>
#endif

namespace mercer::cpu {

namespace {

#if HWY_ARCH_X86

bool has(unsigned value, unsigned bits) { return (value & bits) == bits; }

/// XCR0: the register states that the system saves on a context switch.
unsigned saved_states() {
    unsigned low = 0;
    unsigned high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

std::int64_t ask_the_cpu() {
    constexpr unsigned kXmmYmm = 0x06;   // halves of the 256-bit registers
    constexpr unsigned kMaskZmm = 0xE0;  // masks, upper halves and upper 16 of the 512-bit ones
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || !has(c, bit_SSE3 | bit_SSSE3)) {
        return 0;
    }
    std::int64_t targets = HWY_SSSE3;
    if (!has(c, bit_SSE4_1 | bit_SSE4_2 | bit_PCLMUL | bit_AES)) {
        return targets;
    }
    targets |= HWY_SSE4;
    const unsigned states = has(c, bit_OSXSAVE) ? saved_states() : 0;
    if (!has(states, kXmmYmm) || !has(c, bit_AVX | bit_FMA | bit_F16C) ||
        __get_cpuid(0x80000001U, &a, &b, &c, &d) == 0 || !has(c, bit_LZCNT) ||
        __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || !has(b, bit_AVX2 | bit_BMI | bit_BMI2)) {
        return targets;
    }
    targets |= HWY_AVX2;
    if (has(states, kXmmYmm | kMaskZmm) &&
        has(b, bit_AVX512F | bit_AVX512VL | bit_AVX512DQ | bit_AVX512BW | bit_AVX512CD)) {
        targets |= HWY_AVX3;
    }
    return targets;
}

#else

std::int64_t ask_the_cpu() { return 0; }  // elsewhere only the compiler's target exists

#endif

/// The chosen targets, determined on first use.
hwy::ChosenTarget& choice() {
    static hwy::ChosenTarget chosen;
    if (!chosen.IsInitialized()) {  // two threads may both get here: they store the same value
        chosen.Update(supported_targets());
    }
    return chosen;
}

}  // namespace

std::int64_t supported_targets() { return ask_the_cpu() | HWY_STATIC_TARGET; }

void restrict_targets(std::int64_t targets) {
    choice().Update(targets != 0 ? targets & supported_targets() : supported_targets());
}

const hwy::ChosenTarget& chosen_target() { return choice(); }

}  // namespace mercer::cpu
