// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/proof_time.cpp - seconds of a certificate, from a measured product.
#include "solvers/proof_time.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "mercer/operators/gram_operator.hpp"

namespace mercer {

namespace {

constexpr index_t kSampleRows = 256;
constexpr index_t kSampleColumns = 512;
// Coefficients that may become nonzero before the next check: those of a working set.
constexpr index_t kMoreByNextLook = 1024;
// Largest share of the remaining time: certifying is useless without time to solve.
constexpr double kMostShare = 0.5;
// Safety factor on the measured time: other programs use the processor as well.
constexpr double kCaution = 1.25;
// Losses, conjugates and the intercept, for each row; SUSY (30,000 rows) takes 4 ms.
constexpr double kSecondsPerRow = 2e-7;
// After the certificate the model is assembled, written and synced.
constexpr double kSecondsToWrite = 0.02;

/// Evenly spaced rows.
std::vector<index_t> spread(index_t rows, index_t wanted) {
    std::vector<index_t> out;
    const index_t count = std::min(rows, wanted);
    for (index_t i = 0; i < count; ++i) {
        out.push_back(i * rows / count);
    }
    return out;
}

/// Number of distinct rows: a product computes values once for equal rows.
index_t different_rows(const GramOperator& gram) {
    std::vector<index_t> kinds = gram.kinds(spread(gram.size(), gram.size()));
    if (kinds.empty()) {
        return gram.size();
    }
    std::sort(kinds.begin(), kinds.end());
    return std::unique(kinds.begin(), kinds.end()) - kinds.begin();
}

}  // namespace

ProofTime::ProofTime(const Problem& problem, Context& context)
    : problem_(problem),
      context_(context),
      limited_(std::isfinite(context.seconds_left())),
      most_(kMostShare * context.seconds_left()),
      reserved_time_(context, 0.0) {}

void ProofTime::reserve_time_for(std::span<const double> beta) {
    if (!limited_) {
        return;
    }
    if (per_value_ < 0.0) {
        per_value_ = seconds_per_value();
        different_ =
            problem_.gram->linear() != nullptr ? problem_.size() : different_rows(*problem_.gram);
    }
    const auto n = static_cast<double>(problem_.size());
    const auto rows = static_cast<double>(different_);
    const index_t now = std::count_if(beta.begin(), beta.end(), [](double b) { return b != 0.0; });
    const auto support = static_cast<double>(std::min(different_, now + kMoreByNextLook));
    reserved_time_.set(std::min(
        most_, kSecondsToWrite + n * kSecondsPerRow + kCaution * rows * support * per_value_));
}

double ProofTime::seconds_per_value() const {
    if (problem_.gram->linear() != nullptr) {
        return 0.0;  // two passes over the rows
    }
    const std::vector<index_t> rows = spread(problem_.size(), kSampleRows);
    const std::vector<index_t> columns = spread(problem_.size(), kSampleColumns);
    const std::vector<double> weights(columns.size(), 1.0);
    const std::unique_ptr<Context> uninterruptible = Context::unstoppable(context_);
    const Context::Uncounted measuring(*uninterruptible);
    double seconds = kInfinity;
    for (int repeat = 0; repeat < 3; ++repeat) {  // the first has page faults
        const double start = context_.elapsed();
        static_cast<void>(
            problem_.gram->multiply(rows, columns, weights, Precision::float64, *uninterruptible));
        seconds = std::min(seconds, context_.elapsed() - start);
    }
    return seconds / (static_cast<double>(rows.size()) * static_cast<double>(columns.size()));
}

}  // namespace mercer
