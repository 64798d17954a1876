// SPDX-License-Identifier: Apache-2.0
//
// mercer/base/compensated_sum.hpp - sums that retain the digits a plain sum loses.
#pragma once

#include <cmath>

namespace mercer {

/// Neumaier's sum: the error does not grow with the number of terms.
class CompensatedSum {
public:
    void add(double term) {
        const double next = sum_ + term;
        lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
        sum_ = next;
    }
    [[nodiscard]] double value() const { return sum_ + lost_; }

private:
    double sum_ = 0.0;
    double lost_ = 0.0;
};

}  // namespace mercer
