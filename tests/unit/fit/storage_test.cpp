// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/storage_test.cpp - machines do not depend on how rows are stored or grouped.
#include <gtest/gtest.h>

#include <cmath>

#include "row_sets.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using testing::RowSet;

class Storage : public ::testing::TestWithParam<const char*> {
protected:
    void with_targets(Dataset& data, bool classes) {
        Random random(41);
        std::vector<double> x(static_cast<std::size_t>(data.columns()));
        for (index_t i = 0; i < data.rows(); ++i) {
            data.copy_row(i, x);
            const double value = x[0] - x[1] * x[2] + 0.3 * random.normal();
            data.targets.push_back(classes ? (value > 0.0 ? 1.0 : 0.0) : value);
        }
        if (classes) {
            data.label_names = {"-1", "1"};
        }
    }

    TrainOptions options(bool classes) {
        TrainOptions made =
            classes ? toys::svc_options(GetParam(), 2.0) : toys::krr_options(GetParam(), 0.5);
        made.run.gap_tolerance = classes ? std::optional(1e-13) : std::nullopt;
        return made;
    }

    RowSet set_{150, 8, 40, 0.4};
    RowSet probe_{40, 8, 42, 0.4};
    Context context_;
};

TEST_P(Storage, DenseAndSparseRowsTrainTheSameMachine) {
    for (const bool classes : {true, false}) {
        Dataset dense = set_.dense();
        with_targets(dense, classes);
        Dataset sparse = set_.sparse();
        with_targets(sparse, classes);
        const Model a = train(dense, options(classes), context_).model;
        const Model b = train(sparse, options(classes), context_).model;
        EXPECT_NEAR(a.certificates[0].primal, b.certificates[0].primal,
                    1e-12 * a.certificates[0].primal);
        EXPECT_EQ(a.fingerprint.hash, b.fingerprint.hash);
        const std::vector<double> f = decision_function(a, probe_.dense(), context_);
        const std::vector<double> g = decision_function(b, probe_.sparse(), context_);
        // The gap of svc bounds f only weakly: |f - f*| <= sqrt(2 gap).
        const double tolerance = classes ? 1e-6 : 1e-12;
        for (std::size_t i = 0; i < f.size(); ++i) {
            EXPECT_NEAR(f[i], g[i], tolerance * (1.0 + std::abs(f[i]))) << i;
        }
        // The same model on the same rows, stored differently.
        const std::vector<double> h = decision_function(a, probe_.sparse(), context_);
        for (std::size_t i = 0; i < f.size(); ++i) {
            EXPECT_NEAR(f[i], h[i], 1e-12 * (1.0 + std::abs(f[i]))) << i;
        }
    }
}

TEST_P(Storage, ARowAloneHasTheBitsItHasInABatch) {
    for (const bool classes : {true, false}) {
        Dataset data = set_.dense();
        with_targets(data, classes);
        const Model model = train(data, options(classes), context_).model;
        for (const Dataset& probe : {probe_.dense(), probe_.sparse()}) {
            const std::vector<double> batch = decision_function(model, probe, context_);
            for (index_t i = 0; i < probe.rows(); ++i) {
                const index_t one[] = {i};
                EXPECT_EQ(decision_function(model, probe.select(one), context_).front(),
                          batch[static_cast<std::size_t>(i)])
                    << i;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Storage,
                         ::testing::Values("rbf(gamma=0.3)", "linear",
                                           "poly(degree=3, coef0=1, scale=0.5)",
                                           "laplace(gamma=0.5) + 0.5 * linear"));

}  // namespace
}  // namespace mercer
