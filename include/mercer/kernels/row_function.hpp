// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/row_function.hpp - the f of scaled(k; f): a real function of one row.
//
//     one number   norm2 (= |x|^2)   norm   column(j)   exp(f)   f + f   f * f   f ^ n   -f
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

enum class RowFunctionType { number, norm2, norm, column, exponential, sum, product, power };

/// An immutable expression tree over one row.
struct RowFunction {
    RowFunctionType type = RowFunctionType::number;
    double value = 0.0;  ///< the number, the column index, or the integer exponent >= 0
    std::vector<std::shared_ptr<const RowFunction>> children;

    /// f(x). Throws InvalidArgument when a column is out of range.
    [[nodiscard]] double operator()(std::span<const double> x) const;
};

/// Checks the node and brings it to canonical form (flat sums and products); throws
/// InvalidArgument when it is malformed, too deep or too large.
[[nodiscard]] std::shared_ptr<const RowFunction> make_row_function(RowFunction function);

[[nodiscard]] bool operator==(const RowFunction& a, const RowFunction& b);
[[nodiscard]] std::string to_string(const RowFunction& function);

}  // namespace mercer
