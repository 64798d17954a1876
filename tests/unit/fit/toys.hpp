// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/toys.hpp - problems small enough to solve by hand, and how the tests train them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "mercer/audit/verify.hpp"
#include "mercer/base/random.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/goal.hpp"

namespace mercer::toys {

/// A dataset that owns its rows.
inline Dataset make_rows(const std::vector<std::vector<double>>& rows,
                         const std::vector<double>& targets) {
    auto values = std::make_shared<std::vector<double>>();
    for (const std::vector<double>& row : rows) {
        values->insert(values->end(), row.begin(), row.end());
    }
    const MatrixView<const double> view(values->data(), static_cast<index_t>(rows.size()),
                                        static_cast<index_t>(rows.front().size()));
    Dataset data(view, values);
    data.targets = targets;
    return data;
}

/// The names of the conditions of a proof that do not hold.
inline std::vector<std::string> failures(const Model& model, const Dataset& data) {
    Context context;
    std::vector<std::string> names;
    for (const VerifyCondition& condition : verify_model(model, data, context).conditions) {
        if (!condition.holds) {
            names.push_back(condition.name);
        }
    }
    return names;
}

/// Rows with classes -1 (index 0) and 1 (index 1).
inline Dataset make_classes(const std::vector<std::vector<double>>& rows,
                            const std::vector<double>& classes) {
    Dataset data = make_rows(rows, classes);
    data.label_names = {"-1", "1"};
    return data;
}

inline Dataset pair() { return make_classes({{-1.0}, {1.0}}, {0, 1}); }
inline Dataset trio() { return make_classes({{-1.0}, {1.0}, {3.0}}, {0, 1, 1}); }
inline Dataset exclusive_or() {
    return make_classes({{1, 1}, {-1, -1}, {1, -1}, {-1, 1}}, {0, 0, 1, 1});
}
inline Dataset ridge_pair() { return make_rows({{1, 1, 0}, {0, 1, 1}}, {1, 0}); }

/// NaN: no cost is given.
inline TrainOptions svc_options(const std::string& kernel, double cost) {
    TrainOptions options;
    options.kernel = parse_kernel(kernel).value();
    options.objective.cost = given(cost);
    options.run.gap_tolerance = 1e-10;
    return options;
}

/// NaN: no alpha is given.
inline TrainOptions krr_options(const std::string& kernel, double alpha) {
    TrainOptions options;
    options.model = "krr";
    options.kernel = parse_kernel(kernel).value();
    options.objective.alpha = given(alpha);
    return options;
}

/// The model's coefficient of each training row, 0 for rows without one.
inline std::vector<double> coefficients(const Model& model, index_t rows) {
    std::vector<double> all(static_cast<std::size_t>(rows), 0.0);
    for (std::size_t j = 0; j < model.support_rows.size(); ++j) {
        all[static_cast<std::size_t>(model.support_rows[j])] = model.coefficients[j];
    }
    return all;
}

/// Trains to the end.
inline TrainResult fit(const Dataset& data, const TrainOptions& options) {
    Context context;
    TrainResult result = train(data, options, context);
    EXPECT_EQ(result.model.status, "converged") << options.model << options.run.solver.name();
    return result;
}

/// f(1) - f(0): the weight of a linear machine with one column.
inline double slope_of(const Model& model) {
    Context context;
    const std::vector<double> f = decision_function(model, make_rows({{0.0}, {1.0}}, {}), context);
    return f[1] - f[0];
}

inline double primal_of(const TrainResult& result) { return result.model.certificates[0].primal; }
inline double dual_of(const TrainResult& result) { return result.model.certificates[0].dual; }

/// The name of a machine or a solver in a test suite.
inline const auto kSuiteName = [](const auto& one) {
    std::string name = one.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
};

/// Three overlapping clouds, `rows` of each.
inline Dataset clouds(index_t rows, std::uint64_t seed = 5) {
    Random random(seed);
    std::vector<std::vector<double>> x;
    std::vector<double> y;
    const double centre[3][2] = {{0, 0}, {2, 0}, {1, 2}};
    for (index_t i = 0; i < 3 * rows; ++i) {
        const auto c = static_cast<std::size_t>(i % 3);
        x.push_back({centre[c][0] + random.normal(), centre[c][1] + random.normal()});
        y.push_back(static_cast<double>(c));
    }
    Dataset data = make_rows(x, y);
    data.label_names = {"0", "1", "2"};
    return data;
}

}  // namespace mercer::toys
