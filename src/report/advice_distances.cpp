// SPDX-License-Identifier: Apache-2.0
//
// src/report/advice_distances.cpp - kernel widths, costs and outliers from distances between rows.
//
// Method   Widths by the median (Gretton et al., 2012) and by three quantiles of |x - z|^2 (Caputo
//          et al., 2002; kernlab's sigest). Costs of a regression around max |mean +- 3 deviations|
//          of the targets (Cherkassky and Ma, 2004).
#include <algorithm>
#include <cmath>

#include "mercer/data/scale.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "report/advice_parts.hpp"
#include "report/gathering.hpp"

namespace mercer::report {

namespace {

constexpr index_t kDistanceRows = 500;
constexpr index_t kSearchedRows = 20'000;
constexpr index_t kMostColumns = 20'000;  // rows are used in dense form
constexpr double kFar = 1.0 / 20.0;       // share of the median of the mean kernel values

/// Rows as dense numbers.
std::vector<std::vector<double>> dense_rows(const Dataset& rows) {
    std::vector<std::vector<double>> out(static_cast<std::size_t>(rows.rows()));
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i].resize(static_cast<std::size_t>(rows.columns()));
        rows.copy_row(static_cast<index_t>(i), out[i]);
    }
    return out;
}

double squared_distance(const std::vector<double>& x, const std::vector<double>& z) {
    double sum = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) {
        sum += (x[j] - z[j]) * (x[j] - z[j]);
    }
    return sum;
}

/// Nonzero distances, ascending.
std::vector<double> squared_distances(const std::vector<std::vector<double>>& rows) {
    std::vector<double> out;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            if (const double squared = squared_distance(rows[i], rows[k]);
                squared > 0.0 && std::isfinite(squared)) {
                out.push_back(squared);
            }
        }
    }
    std::sort(out.begin(), out.end());
    return out;
}

double quantile_of(const std::vector<double>& sorted, double probability) {
    const double place = probability * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

void suggest_costs(const DatasetSummary& summary, SuggestedHyperparameters& out) {
    out.least_cost = 0.1;
    out.greatest_cost = 1000.0;
    if (summary.classes.empty() && std::isfinite(summary.target_deviation)) {
        const double spread = 3.0 * summary.target_deviation;
        const double typical = std::max(std::abs(summary.target_mean + spread),
                                        std::abs(summary.target_mean - spread));
        out.least_cost = typical > 0.0 ? 0.1 * typical : 0.1;
        out.greatest_cost = 100.0 * out.least_cost;
    }
}

/// Rows whose mean kernel value with the `others` is a small fraction of the median.
void find_outliers(const Dataset& rows, const std::vector<std::vector<double>>& others,
                   const std::vector<index_t>& numbers, DataAdvice& out, Context& context) {
    constexpr index_t kFewRows = 20;
    out.searched_rows = static_cast<index_t>(numbers.size());
    if (out.searched_rows < kFewRows) {
        return;
    }
    const Kernel kernel = rbf_kernel(out.suggested.median_gamma);
    std::vector<double> means;
    std::vector<double> row(static_cast<std::size_t>(rows.columns()));
    for (const index_t i : numbers) {
        context.throw_if_stopped("data info");
        rows.copy_row(i, row);
        double sum = -1.0;  // minus its own value, if it is among the others
        bool own = false;
        for (const std::vector<double>& other : others) {
            sum += kernel(row, other);
            own = own || other == row;
        }
        means.push_back((own ? sum : sum + 1.0) /
                        static_cast<double>(others.size() - (own ? 1 : 0)));
    }
    std::vector<double> sorted = means;
    std::nth_element(sorted.begin(),
                     sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
    const double median = sorted[sorted.size() / 2];
    for (std::size_t k = 0; k < means.size(); ++k) {
        if (means[k] < kFar * median) {
            out.outliers.push_back(numbers[k]);
        }
    }
}

}  // namespace

ColumnScales::ColumnScales(const Dataset& data) {
    const Scaling scaling = Scaling::fit(data, {.method = "standard"});
    deviations_.assign(static_cast<std::size_t>(data.columns()), 0.0);
    for (std::size_t k = 0; k < scaling.factor.size(); ++k) {
        const std::size_t j =
            scaling.columns.empty() ? k : static_cast<std::size_t>(scaling.columns[k]);
        deviations_[j] = scaling.factor[k] == 0.0 ? 0.0 : 1.0 / scaling.factor[k];
    }
    if (!data.is_sparse()) {
        offsets_ = scaling.offset;
    }
}

void look_at_distances(const Dataset& data, const DatasetSummary& summary, DataAdvice& out,
                       Context& context) {
    if (data.columns() > kMostColumns) {
        return;
    }
    const Dataset rows =
        out.suggested.scaled ? Scaling::fit(data, {.method = "standard"}).apply(data) : data;
    const std::vector<std::vector<double>> some =
        dense_rows(rows.view(some_of(rows.rows(), kDistanceRows, context)));
    const std::vector<double> squared = squared_distances(some);
    if (squared.empty()) {
        return;
    }
    out.suggested.median_gamma = 0.5 / quantile_of(squared, 0.5);
    out.suggested.sigest = {1.0 / quantile_of(squared, 0.9), 1.0 / quantile_of(squared, 0.5),
                            1.0 / quantile_of(squared, 0.1)};
    suggest_costs(summary, out.suggested);
    find_outliers(rows, some, some_of(rows.rows(), kSearchedRows, context), out, context);
}

}  // namespace mercer::report
