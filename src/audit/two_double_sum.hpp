// SPDX-License-Identifier: Apache-2.0
//
// src/audit/two_double_sum.hpp - verification's own summation, independent of training.
#pragma once

#include <cmath>

namespace mercer {

/// A sum represented by two doubles; products are added without rounding.
class TwoDoubleSum {
public:
    void add(double term) {
        const double next = high_ + term;
        const double part = next - high_;
        low_ += (high_ - (next - part)) + (term - part);
        high_ = next;
    }
    void add_product(double a, double b) {
        const double product = a * b;
        add(product);
        low_ += std::fma(a, b, -product);
    }
    [[nodiscard]] double value() const { return high_ + low_; }

private:
    double high_ = 0.0;
    double low_ = 0.0;
};

}  // namespace mercer
