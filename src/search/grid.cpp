// SPDX-License-Identifier: Apache-2.0
//
// src/search/grid.cpp - every combination once, grouped by kernel.
#include "search/grid.hpp"

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/kernels/catalogue.hpp"

namespace mercer::search {

bool weighs_losses(std::string_view name) {
    return is_cost(name) || name == "lambda" || name == "alpha";
}

bool is_cost(std::string_view name) { return name == "C" || name == "cost"; }

void set_value(TrainOptions& options, std::string_view name, double value) {
    if (is_cost(name)) {
        options.objective.cost = value;
    } else if (name == "lambda") {
        options.objective.lambda = value;
    } else if (name == "alpha") {
        options.objective.alpha = value;
    } else if (name == "epsilon") {
        options.objective.epsilon = value;
    } else if (name == "l1") {
        options.objective.l1 = value;
    } else if (name == "nu" && machine_of(options.model).takes.nu) {
        options.objective.nu = value;  // otherwise nu is a kernel hyperparameter
    } else if (name == "degree" && machine_of(options.model).takes.degree) {
        require_in_range("degree", value - std::floor(value), Range::within(0.0, 0.0));
        options.objective.degree = static_cast<index_t>(value);
    } else {
        const std::string_view prefix = "kernel.";  // for a kernel that has its own alpha
        options.kernel = with_parameter(
            options.kernel, name.starts_with(prefix) ? name.substr(prefix.size()) : name, value);
    }
}

bool by_factors(const std::vector<double>& values) {
    const std::size_t n = values.size();
    return n >= 2 && values.front() > 0.0 &&
           (n == 2 || values[n - 1] - values[n - 2] > 1.5 * (values[1] - values[0]));
}

std::vector<std::vector<double>> combinations(const std::vector<GridAxis>& grid) {
    index_t count = 1;
    for (const GridAxis& axis : grid) {
        if (axis.values.empty()) {
            throw InvalidArgument("grid", "", fmt::format("{} has no values", axis.name));
        }
        count *= static_cast<index_t>(axis.values.size());
        if (count > kMostCombinations) {
            throw InvalidArgument("grid", "",
                                  fmt::format("more than {} combinations", kMostCombinations));
        }
    }
    std::vector<std::vector<double>> all{{}};
    for (const GridAxis& axis : grid) {
        std::vector<std::vector<double>> longer;
        for (const std::vector<double>& start : all) {
            for (const double value : axis.values) {
                longer.push_back(start);
                longer.back().push_back(value);
            }
        }
        all = std::move(longer);
    }
    return all;
}

std::vector<std::vector<std::size_t>> by_kernel(const std::vector<GridAxis>& axes,
                                                const std::vector<std::vector<double>>& grid) {
    std::map<std::vector<double>, std::vector<std::size_t>> groups;
    for (std::size_t k = 0; k < grid.size(); ++k) {
        std::vector<double> key;
        for (std::size_t a = 0; a < axes.size(); ++a) {
            if (!weighs_losses(axes[a].name)) {
                key.push_back(grid[k][a]);
            }
        }
        groups[key].push_back(k);
    }
    std::vector<std::vector<std::size_t>> out;
    for (auto& [key, members] : groups) {
        out.push_back(std::move(members));
    }
    return out;
}

}  // namespace mercer::search
