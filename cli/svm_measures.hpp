// SPDX-License-Identifier: Apache-2.0
//
// cli/svm_measures.hpp - mean squared error and squared correlation, as LIBSVM's programs print.
#pragma once

#include <cstddef>
#include <vector>

namespace mercer::cli {

class SquaredMeasures {
public:
    SquaredMeasures(const std::vector<double>& targets, const std::vector<double>& predicted)
        : count_(static_cast<double>(targets.size())) {
        double mean_v = 0.0;
        double mean_y = 0.0;
        for (std::size_t i = 0; i < targets.size(); ++i) {
            error_ += (predicted[i] - targets[i]) * (predicted[i] - targets[i]);
            mean_v += predicted[i] / count_;
            mean_y += targets[i] / count_;
        }
        for (std::size_t i = 0; i < targets.size(); ++i) {  // avoids cancellation
            const double v = predicted[i] - mean_v;
            const double y = targets[i] - mean_y;
            vv_ += v * v;
            yy_ += y * y;
            vy_ += v * y;
        }
    }
    [[nodiscard]] double mean() const { return error_ / count_; }
    /// NaN if one of the two is constant.
    [[nodiscard]] double correlation() const { return vy_ * vy_ / (vv_ * yy_); }

private:
    double count_;
    double error_ = 0.0;
    double vv_ = 0.0;
    double yy_ = 0.0;
    double vy_ = 0.0;
};

}  // namespace mercer::cli
