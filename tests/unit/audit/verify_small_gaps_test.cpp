// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/audit/verify_small_gaps_test.cpp - a gap that is stated too small is found, however
// small it is.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mercer/audit/verify.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/runtime/context.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

/// Eleven points of a plane in three classes that overlap.
Dataset eleven() {
    Dataset data = toys::make_rows(
        {{0, 1}, {1, 3}, {2, 0}, {3, 2}, {4, 4}, {1, 1}, {5, 1}, {2, 5}, {3, 3}, {6, 2}, {0, 4}},
        {0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 2});
    data.label_names = {"1", "2", "3"};
    return data;
}

/// The optimum of the machine with all coefficients and multipliers times 1 - `step`, and the values
/// that verify finds for it.
Model near_optimum(const std::string& machine, const Dataset& data, double step, Context& context) {
    TrainOptions options;
    options.model = machine;
    options.kernel = parse_kernel("rbf(gamma=0.3)").value();
    options.objective.cost = 0.5;
    options.run.gap_tolerance = 1e-12;
    Model model = train(data, options, context).model;
    for (double& value : model.coefficients) {
        value *= 1.0 - step;
    }
    for (double& value : model.compared.multipliers) {
        value *= 1.0 - step;
    }
    model.certificates = verify_model(model, data, context).recomputed;
    return model;
}

TEST(verify, a_gap_stated_too_small_is_found_however_small_it_is) {
    Context context;
    struct Known {
        const char* machine;
        double step;  ///< makes a gap far below the tolerance for two values
    };
    for (const auto& [machine, step] : {Known{"klr", 1e-5}, {"ordinal", 1e-9}, {"rank", 1e-9}}) {
        Dataset data = eleven();
        if (std::string(machine) == "rank") {
            data.label_names.clear();
        }
        Model model = near_optimum(machine, data, step, context);
        Certificate& stated = model.certificates.front();
        const double gap = stated.gap;
        EXPECT_GT(gap, 1e-11) << machine;
        EXPECT_LT(gap, 4e-8) << machine;
        stated.gap = 1.01 * gap;
        EXPECT_EQ(toys::failures(model, data), std::vector<std::string>{}) << machine;
        stated.gap = 0.5 * gap;
        EXPECT_EQ(toys::failures(model, data), std::vector<std::string>{"gap"}) << machine;
    }
}

}  // namespace
}  // namespace mercer
