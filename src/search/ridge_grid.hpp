// SPDX-License-Identifier: Apache-2.0
//
// src/search/ridge_grid.hpp - krr: measures of every alpha from one reduction of a kernel matrix.
#pragma once

#include <optional>
#include <vector>

#include "mercer/kernels/kernel.hpp"
#include "mercer/search/select.hpp"
#include "mercer/solvers/ridge_spectrum.hpp"

namespace mercer::search {

/// True when the grid is judged by this, not by refits.
[[nodiscard]] bool takes_one_decomposition(const SelectOptions& options);

/// The scaling and a `gamma=scale` are learnt from all rows, once.
class RidgeGrid {
public:
    RidgeGrid(const Dataset& data, const SelectOptions& options, Context& context)
        : data_(data), options_(options), context_(context) {}

    [[nodiscard]] SelectRow measure(const TrainOptions& train_with);

private:
    void decompose(const TrainOptions& train_with);

    const Dataset& data_;
    const SelectOptions& options_;
    Context& context_;
    Kernel kernel_;
    double total_weight_ = 0.0;
    std::vector<std::vector<index_t>> folds_;
    std::optional<RidgeSpectrum> spectrum_;
};

}  // namespace mercer::search
