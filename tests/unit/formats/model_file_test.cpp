// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/formats/model_file_test.cpp - saved models are loaded bit for bit.
#include "mercer/formats/model_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernel_files.hpp"
#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "support/faulty_files.hpp"
#include "support/hand_models.hpp"

namespace mercer {
namespace {

using namespace testing;

struct Mine {
    static constexpr const char* kName = "mine";
    static constexpr Definiteness kDefiniteness = Definiteness::positive_definite;
    double operator()(std::span<const double>, std::span<const double>) const { return 1.0; }
};

/// Loads a saved model, compares all comparable parts, and saves it again.
void expect_round_trip(const Model& model) {
    Context context;
    const std::string bytes = saved(model);
    const Result<Model> result = loaded(bytes, context);
    ASSERT_TRUE(result.ok()) << result.diagnostic().text();
    const Model& again = result.value();
    EXPECT_EQ(again.machine, model.machine);
    EXPECT_EQ(again.kernel, model.kernel);
    EXPECT_EQ(again.support_rows, model.support_rows);
    EXPECT_EQ(again.coefficients, model.coefficients);
    EXPECT_EQ(again.intercepts, model.intercepts);
    EXPECT_EQ(again.labels, model.labels);
    EXPECT_EQ(again.class_weights, model.class_weights);
    EXPECT_EQ(again.has_intercept, model.has_intercept);
    EXPECT_EQ(again.cost, model.cost);
    EXPECT_EQ(again.fingerprint.hash, model.fingerprint.hash);
    EXPECT_EQ(again.support.storage().index(), model.support.storage().index());
    ASSERT_EQ(again.support.rows(), model.support.rows());
    ASSERT_EQ(again.support.columns(), model.support.columns());
    std::vector<double> before(static_cast<std::size_t>(model.support.columns()));
    std::vector<double> after(before.size());
    for (index_t i = 0; i < model.support.rows(); ++i) {
        model.support.copy_row(i, before);
        again.support.copy_row(i, after);
        EXPECT_EQ(before, after);
    }
    EXPECT_EQ(saved(again), bytes);
}

TEST(model_file, hand_made_models_come_back) {
    for (const TrainedModel& made : {pair_model(), trio_model(), xor_model(), krr2_model()}) {
        expect_round_trip(made.model);
    }
}

TEST(model_file, every_storage_comes_back) {
    for (const char* storage : {"f64", "f32", "csr"}) {
        expect_round_trip(random_model("rbf(gamma=0.1)", 9, 4, storage));
        expect_round_trip(random_model("0.1 * linear + rbf(gamma=0.3)", 5, 3, storage, 3));
        expect_round_trip(random_model("linear", 300, 700, storage));  // larger than one write
    }
}

TEST(model_file, models_without_support_rows_come_back) {
    Model model = pair_model().model;
    model.support = Dataset();
    model.support_rows.clear();
    model.coefficients.clear();
    expect_round_trip(model);
    model.support = Dataset(CsrView{{}, {}, {}, 1});
    Context context;
    EXPECT_EQ(loaded(saved(model), context).value().support.rows(), 0);
}

TEST(model_file, strides_do_not_reach_the_file) {
    Model model = random_model("linear", 2, 2, "f64");
    const std::vector<double> tight = {1, 2, 3, 4};
    const std::vector<double> loose = {1, 2, 99, 3, 4, 99};
    model.support = dense_rows(tight, 2);
    const std::string bytes = saved(model);
    model.support = Dataset(MatrixView<const double>(loose.data(), 2, 2, 3));
    EXPECT_EQ(saved(model), bytes);
}

TEST(model_file, odd_numbers_come_back) {
    Model model = random_model("rbf(gamma=0.1)", 3, 2, "f64");
    model.coefficients = {-0.0, 5e-324, std::numeric_limits<double>::max()};
    model.cost = 0.1 + 0.2;
    model.epsilon = 5e-324;
    model.intercepts = {1.0 / 3.0};
    Certificate& certificate = model.certificates.front();
    certificate.primal = 1.0 / 3.0;
    certificate.dual = -kInfinity;
    certificate.kkt_violation = kInfinity;
    certificate.intercepts = {-kInfinity, 2.0 / 3.0};
    expect_round_trip(model);
    Context context;
    const Model again = loaded(saved(model), context).value();
    EXPECT_TRUE(std::signbit(again.coefficients[0]));
    EXPECT_EQ(again.epsilon, 5e-324);
    EXPECT_EQ(again.certificates.front().primal, 1.0 / 3.0);
    EXPECT_EQ(again.certificates.front().dual, -kInfinity);
    EXPECT_EQ(again.certificates.front().intercepts.upper, 2.0 / 3.0);
    EXPECT_TRUE(std::isnan(again.certificates.front().gap));
    EXPECT_TRUE(std::isnan(again.gap_tolerance));
}

TEST(model_file, names_of_any_bytes_come_back) {
    Model model = pair_model().model;
    model.labels = {"caf\xe9", "\"quoted\" \xce\xbb"};
    model.class_weights = {{"caf\xe9", 2.5}};
    expect_round_trip(model);
}

TEST(model_file, names_of_columns_come_back_and_fit_the_columns) {
    Model model = random_model("linear", 6, 3, "f64");
    model.names = {{"a", "\xff", ""}, "y"};
    expect_round_trip(model);
    Context context;
    const Model again = loaded(saved(model), context).value();
    EXPECT_EQ(again.names.features, model.names.features);
    EXPECT_EQ(again.names.target, "y");
    model.names.features = {"a", "b"};
    EXPECT_THROW(static_cast<void>(saved(model)), InvalidArgument);
    model.names.features = {"a", "b", "a"};
    EXPECT_THROW(static_cast<void>(saved(model)), InvalidArgument);
}

TEST(model_file, scalings_come_back) {
    Model model = random_model("linear", 3, 4, "f64");
    model.scaling = Scaling{"minmax", 4, {}, {1, 2, 3, 4}, {0.1, 0.2, 0.3, 0}, -1.0};
    expect_round_trip(model);
    model.scaling = Scaling{"standard", 4, {1, 3}, {0, 0}, {0.1, 0.7}, 0.0};
    expect_round_trip(model);
    Context context;
    EXPECT_EQ(loaded(saved(model), context).value().scaling->columns, (std::vector<index_t>{1, 3}));
}

TEST(model_file, kernels_keep_their_matrices) {
    MemoryKernelFiles files;
    files.matrices["a.npy"] = {"a.npy", 2, 2, {2.0, 1.0 / 3.0, 1.0 / 3.0, 1.0}};
    files.texts["p.json"] = R"({"prior": [0.3, 0.7], "conditional": [[0.1, 0.9], [0.6, 0.4]]})";
    Model model = random_model("linear", 3, 2, "f64");
    model.kernel =
        parse_kernel("0.5 * quadratic-form(a.npy) + columns(mixture(p.json); 0)", &files).value();
    expect_round_trip(model);
}

TEST(model_file, kernels_written_in_cpp_are_refused) {
    Model model = random_model("linear", 3, 2, "f64");
    model.kernel = linear_kernel() + make_custom_kernel(Mine{});
    EXPECT_THROW(static_cast<void>(saved(model)), InvalidArgument);
}

TEST(model_file, untrained_and_unfit_models_are_refused) {
    EXPECT_THROW(static_cast<void>(saved(Model())), InvalidArgument);
    const auto refuse = [](auto change) {
        Model model = random_model("rbf(gamma=0.1)", 3, 2, "f64");
        change(model);
        EXPECT_THROW(require_consistent(model), InvalidArgument);
    };
    refuse([](Model& m) { m.coefficients[1] = kNaN; });
    refuse([](Model& m) { m.intercepts[0] = kInfinity; });
    refuse([](Model& m) { m.coefficients.pop_back(); });
    refuse([](Model& m) { m.support_rows[0] = -1; });
    refuse([](Model& m) { m.support_rows[1] = m.support_rows[2]; });
    refuse([](Model& m) { m.fingerprint.rows = 2; });
    refuse([](Model& m) { m.columns = 3; });
    refuse([](Model& m) { m.loss = "no such loss"; });
    refuse([](Model& m) { m.loss = "hinge"; });
    refuse([](Model& m) { m.cost = 0.0; });
    refuse([](Model& m) { m.kernel = parse_kernel("rbf(gamma=scale)").value(); });
    refuse([](Model& m) { m.certificates.clear(); });
    refuse([](Model& m) { m.labels = {"a", "a"}; });
    refuse([](Model& m) { m.class_weights["a"] = 1.0; });
    refuse([](Model& m) { m.has_intercept = false; });
    refuse([](Model& m) { m.scaling = Scaling{"standard", 2, {1, 0}, {0, 0}, {1, 1}, 0.0}; });
    refuse([](Model& m) { m.scaling = Scaling{"standard", 2, {}, {0}, {1, 1}, 0.0}; });
    refuse([](Model& m) { m.certificates[0].worst_sample = 1000; });
    refuse([](Model& m) { m.certificates[0].worst_sample = m.fingerprint.rows; });
    refuse([](Model& m) { m.certificates[0].worst_sample = -2; });
}

TEST(model_file, failed_writes_leave_the_old_file) {
    const Model old_model = pair_model().model;
    const Model model = random_model("rbf(gamma=0.1)", 300, 700, "f64");
    FaultyFiles counted;
    save_model(model, "m", counted);
    for (index_t k = 0; k < counted.operations; ++k) {
        FaultyFiles files;
        save_model(old_model, "m", files);
        const std::string before = files.contents["m"];
        files.fail_at = files.operations + k;
        EXPECT_THROW(save_model(model, "m", files), ResourceError);
        EXPECT_EQ(files.contents["m"], before);
    }
}

TEST(model_file, failed_reads_throw_and_small_ones_do_not_matter) {
    Context context;
    FaultyFiles files;
    save_model(xor_model().model, "m", files);
    const std::string bytes = files.contents["m"];
    files.operations = 0;
    ASSERT_TRUE(load_model("m", context, files).ok());
    const index_t operations = files.operations;
    for (index_t k = 0; k < operations; ++k) {
        files.operations = 0;
        files.fail_at = k;
        EXPECT_THROW(static_cast<void>(load_model("m", context, files)), ResourceError);
    }
    files.fail_at = -1;
    files.read_size = 1;
    EXPECT_EQ(saved(load_model("m", context, files).value()), bytes);
    files.sizes_known = false;  // a pipe
    EXPECT_EQ(saved(load_model("m", context, files).value()), bytes);
    EXPECT_THROW(static_cast<void>(load_model("none", context, files)), DataError);
}

TEST(model_file, rows_are_paid_for) {
    Context context;
    const Model model = random_model("linear", 300, 700, "f64");
    {
        const Model again = loaded(saved(model), context).value();
        EXPECT_GE(context.memory()->used(), 300 * 700 * 8);
    }
    EXPECT_EQ(context.memory()->used(), 0);
    Context poor({.memory = 1 << 20});
    EXPECT_THROW(static_cast<void>(loaded(saved(model), poor)), ResourceError);
}

}  // namespace
}  // namespace mercer
