// SPDX-License-Identifier: Apache-2.0
//
// src/search/ridge_grid.hpp - krr: measures for every alpha from one decomposition of K.
#pragma once

#include <optional>
#include <vector>

#include "mercer/data/split.hpp"
#include "mercer/fit/prepared.hpp"
#include "mercer/kernels/kernel.hpp"
#include "mercer/search/select.hpp"
#include "mercer/solvers/ridge_spectrum.hpp"
#include "search/judge.hpp"

namespace mercer::search {

/// True if the grid is evaluated this way, not by refits.
[[nodiscard]] bool takes_one_decomposition(const SelectOptions& options);

/// The scaling and a `gamma=scale` are learned once, from all rows.
class RidgeGrid {
public:
    RidgeGrid(const Dataset& data, const SelectOptions& options, Context& context)
        : data_(data), options_(options), context_(context) {}

    [[nodiscard]] SelectRow measure(const TrainOptions& train_with);

    /// Held-out sums of the last measurement, fold by fold; empty for leave-one-out.
    [[nodiscard]] const std::vector<PartSums>& parts() const { return parts_; }
    /// The folds; empty before the first measurement.
    [[nodiscard]] const std::vector<Split>& folds() const { return splits_; }

private:
    void decompose(const TrainOptions& train_with);
    void divide(const fit::Prepared& prepared);
    [[nodiscard]] PartSums sums_at(std::span<const double> residuals,
                                   std::span<const index_t> rows) const;
    static void put_errors(const PartSums& sums, const std::string& prefix, SelectRow& row);

    const Dataset& data_;
    const SelectOptions& options_;
    Context& context_;
    Kernel kernel_;
    double total_weight_ = 0.0;
    std::vector<double> targets_;
    std::vector<Split> splits_;                             ///< of all divisions
    std::vector<std::vector<std::vector<index_t>>> folds_;  ///< held-out rows, by division
    std::vector<PartSums> parts_;
    std::optional<RidgeSpectrum> spectrum_;
};

}  // namespace mercer::search
