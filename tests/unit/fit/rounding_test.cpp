// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/rounding_test.cpp - smooth machines if the rounding of K exceeds 1 / C.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/fit/machines.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

/// Columns of sizes 1, 100 and 100,000: K of poly(degree=2) reaches 10^20, its rounding 10^4.
Dataset unscaled(index_t classes) {
    Random random(11);
    std::vector<std::vector<double>> rows;
    std::vector<double> targets;
    for (int i = 0; i < 90; ++i) {
        rows.push_back({random.normal(), 100.0 * random.normal(), 1e5 * std::abs(random.normal())});
        const double score =
            rows.back()[0] + rows.back()[1] / 100.0 + rows.back()[2] / 1e5 + 0.5 * random.normal();
        targets.push_back(classes == 0 ? score
                                       : std::min(static_cast<double>(classes - 1),
                                                  std::max(0.0, std::floor(score))));
    }
    Dataset data = toys::make_rows(rows, targets);
    for (index_t c = 0; c < classes; ++c) {
        data.label_names.push_back(std::to_string(c));
    }
    return data;
}

TrainOptions options_of(MachineId id, const char* kernel) {
    TrainOptions options;
    options.model = machine_of(id).name;
    options.kernel = parse_kernel(kernel).value();
    return options;
}

/// The objective of f = 0 with the best constants: an upper bound on the optimum.
double constant_objective(const Dataset& data, const TrainOptions& options, Context& context) {
    TrainOptions flat = options;
    flat.kernel = parse_kernel("1e-30 * rbf(gamma=1)").value();
    return train(data, flat, context).model.certificates.front().primal;
}

struct Case {
    MachineId id;
    index_t classes;
    const char* kernel;
};

class LostInRounding : public ::testing::TestWithParam<Case> {};

TEST_P(LostInRounding, the_machine_is_reduced_and_better_than_a_constant) {
    Context context;
    const Dataset data = unscaled(GetParam().classes);
    const TrainOptions options = options_of(GetParam().id, GetParam().kernel);
    const TrainResult result = train(data, options, context);
    EXPECT_EQ(result.model.status, "reduced");
    EXPECT_TRUE(result.missing.empty());
    const Certificate& proof = result.model.certificates.front();
    EXPECT_TRUE(std::isfinite(proof.gap));
    EXPECT_LE(proof.dual, proof.primal);
    EXPECT_LT(proof.primal, constant_objective(data, options, context));
}

class RowsLeftOut : public ::testing::TestWithParam<Case> {};

TEST_P(RowsLeftOut, are_said_to_be_missing_where_rounding_hides_them) {
    Context context;
    TrainOptions options = options_of(GetParam().id, GetParam().kernel);
    options.outputs.leave_one_out = true;
    const TrainResult result = train(unscaled(GetParam().classes), options, context);
    EXPECT_EQ(result.model.status, "reduced");
    EXPECT_TRUE(result.leave_one_out.empty());
    EXPECT_TRUE(result.leave_one_out_loss.empty());
    EXPECT_THAT(result.missing, Contains(HasSubstr("leave-one-out error: in double precision")));
}

INSTANTIATE_TEST_SUITE_P(machines, RowsLeftOut,
                         ::testing::Values(Case{MachineId::krr, 0, "poly(degree=2)"},
                                           Case{MachineId::ls_svc, 2, "poly(degree=2)"},
                                           Case{MachineId::klr, 2, "poly(degree=2)"}));

INSTANTIATE_TEST_SUITE_P(machines, LostInRounding,
                         ::testing::Values(Case{MachineId::krr, 0, "poly(degree=2)"},
                                           Case{MachineId::krr, 0, "poly(degree=3)"},
                                           Case{MachineId::ls_svc, 2, "poly(degree=2)"},
                                           Case{MachineId::klr, 2, "poly(degree=2)"},
                                           Case{MachineId::klr, 3, "poly(degree=2)"}));

TEST(rounding, an_indefinite_kernel_is_told_from_it) {
    Context context;
    TrainOptions options = options_of(MachineId::krr, "sigmoid(gamma=1, coef0=-3)");
    options.allow_indefinite = true;
    options.objective.alpha = 1e-3;
    EXPECT_THROW(static_cast<void>(train(toys::exclusive_or(), options, context)), InvalidArgument);
}

}  // namespace
}  // namespace mercer
