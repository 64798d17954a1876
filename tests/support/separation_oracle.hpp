// SPDX-License-Identifier: Apache-2.0
//
// tests/support/separation_oracle.hpp - systems of homogeneous inequalities in 64-bit integers,
// decided by Fourier and Motzkin's elimination.
//
// Independent of the library: no linear programme, no rational arithmetic, no geometry. One unknown
// after the other is eliminated by adding rows of opposite sign in it; in the end rows without
// unknowns remain, and 0 > 0 among them is the only contradiction there can be.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace mercer::oracle {

/// <a, v> > 0, or >= 0 when not strict.
struct Inequality {
    std::vector<std::int64_t> a;
    bool strict = true;

    friend bool operator<(const Inequality& x, const Inequality& y) {
        return std::pair(x.a, x.strict) < std::pair(y.a, y.strict);
    }
};

inline void divide_by_gcd(std::vector<std::int64_t>& a) {
    std::int64_t divisor = 0;
    for (const std::int64_t x : a) {
        divisor = std::gcd(divisor, x);
    }
    for (std::int64_t& x : a) {
        x /= divisor == 0 ? 1 : divisor;
    }
}

/// True when some v satisfies all of them.
inline bool has_solution(const std::vector<Inequality>& system) {
    std::set<Inequality> rows(system.begin(), system.end());
    const std::size_t unknowns = system.empty() ? 0 : system[0].a.size();
    for (std::size_t j = 0; j < unknowns; ++j) {
        std::set<Inequality> next;
        for (const Inequality& up : rows) {
            if (up.a[j] == 0) {
                next.insert(up);
            }
            for (const Inequality& down : rows) {
                if (up.a[j] <= 0 || down.a[j] >= 0) {
                    continue;
                }
                Inequality sum{{}, up.strict || down.strict};
                for (std::size_t k = 0; k < unknowns; ++k) {
                    std::int64_t left = 0;
                    std::int64_t right = 0;
                    if (__builtin_mul_overflow(-down.a[j], up.a[k], &left) ||
                        __builtin_mul_overflow(up.a[j], down.a[k], &right) ||
                        __builtin_add_overflow(left, right, &left)) {
                        throw std::overflow_error("oracle: 64 bits do not suffice");
                    }
                    sum.a.push_back(left);
                }
                divide_by_gcd(sum.a);
                next.insert(sum);
            }
        }
        rows = std::move(next);
    }
    return std::none_of(rows.begin(), rows.end(), [](const Inequality& row) { return row.strict; });
}

}  // namespace mercer::oracle
