// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/serial_lookup.hpp - kernel values that come with the rows, as in LIBSVM.
//
// A row consists of its serial number, from 1, and its kernel values with rows 1, 2, ...: column 0
// is the number, column j the value with row j. A row keeps its meaning in any selection of rows,
// and of a support row only the number is needed.
#pragma once

#include <span>

#include "mercer/kernels/catalogue.hpp"

namespace mercer {

/// k(x, z) = the entry of x in the column given by the number of z.
struct SerialLookup {
    static constexpr const char* kName = "serial-lookup";
    static constexpr Definiteness kDefiniteness = Definiteness::indefinite;  // not checked
    static constexpr bool kReadsTable = true;

    double operator()(std::span<const double> x, std::span<const double> z) const {
        const double serial = z.empty() ? 0.0 : z[0];
        return serial >= 1.0 && serial < static_cast<double>(x.size())
                   ? x[static_cast<std::size_t>(serial)]
                   : 0.0;
    }
};

/// The same for values that are trusted to be positive definite, as those of `precomputed` are.
struct TrustedLookup : SerialLookup {
    static constexpr const char* kName = "numbered-values";
    static constexpr Definiteness kDefiniteness = Definiteness::positive_definite;
};

[[nodiscard]] inline Kernel serial_lookup_kernel() { return make_custom_kernel(SerialLookup{}); }
[[nodiscard]] inline Kernel trusted_lookup_kernel() { return make_custom_kernel(TrustedLookup{}); }

[[nodiscard]] inline bool is_serial_lookup(const Kernel& kernel) {
    return kernel.type() == KernelType::custom &&
           kernel.node().custom->name() == SerialLookup::kName;
}

}  // namespace mercer
