// SPDX-License-Identifier: Apache-2.0
//
// src/audit/coefficient_sum.cpp - bounds on values of f, and their exact evaluation for few rows.
#include "audit/coefficient_sum.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "mercer/base/roundoff.hpp"
#include "mercer/data/entries.hpp"
#include "mercer/data/equal_rows.hpp"
#include "mercer/kernels/linear_form.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

RowSizes sizes_of(const Dataset& rows) {
    RowSizesGatherer gatherer(rows.columns());
    data::for_each_entry(rows, [&](index_t i, index_t, double value) { gatherer.add(i, value); });
    return gatherer.sizes();
}

}  // namespace

std::vector<std::size_t> worst_half(const std::vector<double>& excess) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < excess.size(); ++i) {
        if (excess[i] > 0.0) {
            order.push_back(i);
        }
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return excess[a] > excess[b]; });
    order.resize((order.size() + 1) / 2);
    return order;
}

KernelBounds::KernelBounds(const Model& model, const TrainingRows& training,
                           std::vector<index_t> numbers)
    : model_(model),
      data_(training.rows),
      looked_up_(training.looked_up),
      numbers_(std::move(numbers)) {
    constexpr double kOfDiagonal = 1.001;  // it is rounded as well
    scales_.reserve(numbers_.size());
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
        scales_.push_back(kOfDiagonal * std::sqrt(diagonal(i)));
    }
    rounding_ = rounding_of_values();
    if (!std::isfinite(rounding_.relative)) {
        for (double& scale : scales_) {
            scale = std::sqrt(scale * scale + rounding_.error) * (1.0 + 8.0 * kRoundoff);
        }
    }
}

/// k(x, x) of a row; a row of kernel values has it in the column of its own number.
double KernelBounds::diagonal(std::size_t i) const {
    std::vector<double> x(static_cast<std::size_t>(data_.columns()));
    data_.copy_row(numbers_[i], x);
    if (!looked_up_) {
        return std::max(0.0, model_.kernel(x, x));
    }
    std::vector<double> unit(x.size(), 0.0);
    unit[static_cast<std::size_t>(numbers_[i])] = 1.0;
    return std::max(0.0, model_.kernel(unit, x));
}

bool KernelBounds::is_precise() const {
    return looked_up_ ? is_plain() : has_precise_values(model_.kernel);
}

/// True if the kernel is a table, with no expression around it.
bool KernelBounds::is_plain() const { return model_.kernel.node().children.empty(); }

/// A table of values is the problem itself and not rounded; an expression around it is.
KernelRounding KernelBounds::rounding_of_values() const {
    double most = 0.0;
    for (const double scale : scales_) {
        most = std::max(most, scale * scale);
    }
    if (looked_up_) {
        constexpr double kOperations = 16.0;
        return {is_plain() ? 0.0 : rounding_of(kOperations) * most, most};
    }
    KernelRounding out = kernel_rounding(model_.kernel, sizes_of(data_));
    out.largest = std::min(out.largest, most + out.error);
    out.error = std::min(out.error, out.relative * out.largest);  // for the rows of this output
    if (!std::isfinite(out.error)) {
        out.largest = most;
        out.error = kAssumedRounding * most;
    }
    return out;
}

CoefficientSum::CoefficientSum(const KernelBounds& bounds, std::vector<double> beta)
    : bounds_(bounds), beta_(std::move(beta)) {
    for (std::size_t i = 0; i < beta_.size(); ++i) {
        l1_ += std::abs(beta_[i]);
        weight_ += std::abs(beta_[i]) * bounds.scale(i);
        support_ += beta_[i] != 0.0 ? 1.0 : 0.0;
    }
    l1_ *= 1.0 + rounding_of(static_cast<double>(beta_.size()));
}

double CoefficientSum::error_of(std::size_t i) const {
    const KernelRounding& values = bounds_.rounding();
    const double whole = values.error * l1_;
    return std::isfinite(values.relative)
               ? std::min(whole, values.relative * bounds_.scale(i) * weight_)
               : whole;
}

double CoefficientSum::plain_error() const {
    const KernelRounding& values = bounds_.rounding();
    const double steps =
        static_cast<double>(beta_.size()) + static_cast<double>(bounds_.data().columns());
    return (values.error + rounding_of(steps + 8.0) * (values.largest + values.error)) * l1_;
}

void CoefficientSum::at_rows(std::span<const std::size_t> rows, Context& context,
                             const std::function<void(std::size_t, Quad, double)>& take) {
    prepare();
    parallel_for(context, static_cast<index_t>(rows.size()), [&](index_t k, int) {
        const std::size_t i = rows[static_cast<std::size_t>(k)];
        take(i, precise_value(i), precise_error(i));
    });
}

void CoefficientSum::prepare() {
    if (!gathered_.empty()) {
        return;
    }
    gather_equal_rows();
    for (std::size_t j = 0; j < gathered_.size(); ++j) {
        const double size = std::abs(static_cast<double>(gathered_[j])) + rounded_off_[j] / lost();
        gathered_l1_ += size * (1.0 + 8.0 * kRoundoff);
        gathered_weight_ += size * bounds_.scale(j) * (1.0 + 8.0 * kRoundoff);
    }
    sum_columns();
}

/// Relative rounding of a sum in 113 bits.
double CoefficientSum::lost() const {
    constexpr double kOperations = 256.0;  // per kernel value, in addition to one per column
    return 0x1p-111 * (support_ + static_cast<double>(bounds_.data().columns()) + kOperations);
}

double CoefficientSum::precise_error(std::size_t i) const {
    const double whole = lost() * bounds_.rounding().largest * gathered_l1_;
    return std::isfinite(bounds_.rounding().relative)
               ? std::min(whole, lost() * bounds_.scale(i) * gathered_weight_)
               : whole;
}

/// Adds the coefficients of equal rows, whose kernel values have the same errors. Rows of kernel
/// values stay apart.
void CoefficientSum::gather_equal_rows() {
    const std::span<const index_t> numbers = bounds_.numbers();
    gathered_.assign(beta_.size(), Quad(0.0));
    rounded_off_.assign(beta_.size(), 0.0);
    const std::vector<index_t> first =
        bounds_.looked_up() ? std::vector<index_t>() : first_equal_rows(bounds_.data());
    std::map<index_t, std::size_t> places;
    for (std::size_t i = 0; i < beta_.size(); ++i) {
        const index_t number = numbers[i];
        const index_t kind = bounds_.looked_up() ? number : first[static_cast<std::size_t>(number)];
        const std::size_t at = places.emplace(kind, i).first->second;
        const Quad a = gathered_[at];
        const Quad b = beta_[i];
        gathered_[at] = a + b;
        const Quad larger = fabs(a) < fabs(b) ? b : a;
        const Quad smaller = fabs(a) < fabs(b) ? a : b;
        const Quad off = smaller - (gathered_[at] - larger);  // exact
        rounded_off_[at] += std::abs(static_cast<double>(off));
    }
}

/// With a linear kernel the weights of the columns determine every value.
void CoefficientSum::sum_columns() {
    const Dataset& data = bounds_.data();
    if (bounds_.looked_up() || data.columns() == 0 ||
        linear_factor(bounds_.model().kernel) == 0.0) {
        return;
    }
    std::vector<double> z(static_cast<std::size_t>(data.columns()), 0.0);
    z.front() = 1.0;
    const Quad factor = evaluate_precisely(bounds_.model().kernel, z, z);
    columns_.assign(z.size(), Quad(0.0));
    for (std::size_t j = 0; j < beta_.size(); ++j) {
        if (gathered_[j] != 0.0) {
            data.copy_row(bounds_.numbers()[j], z);
            for (std::size_t k = 0; k < z.size(); ++k) {
                columns_[k] += z[k] != 0.0 ? factor * gathered_[j] * z[k] : Quad(0.0);
            }
        }
    }
}

Quad CoefficientSum::precise_value(std::size_t i) const {
    const Dataset& data = bounds_.data();
    std::vector<double> x(static_cast<std::size_t>(data.columns()));
    std::vector<double> z(x.size());
    data.copy_row(bounds_.numbers()[i], x);
    Quad sum = 0.0;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
        sum += columns_[k] * x[k];
    }
    if (!columns_.empty()) {
        return sum;
    }
    for (std::size_t j = 0; j < beta_.size(); ++j) {
        const auto number = static_cast<std::size_t>(bounds_.numbers()[j]);
        if (gathered_[j] != 0.0 && bounds_.looked_up()) {
            sum += gathered_[j] * x[number];
        } else if (gathered_[j] != 0.0) {
            data.copy_row(bounds_.numbers()[j], z);
            sum += gathered_[j] * evaluate_precisely(bounds_.model().kernel, z, x);
        }
    }
    return sum;
}

}  // namespace mercer
