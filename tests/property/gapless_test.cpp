// SPDX-License-Identifier: Apache-2.0
//
// tests/property/gapless_test.cpp - rows with and without listed columns give the same results, bit
// by bit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "gapless_rows.hpp"
#include "mercer/data/convert.hpp"
#include "mercer/data/fingerprint.hpp"
#include "mercer/data/scale.hpp"
#include "mercer/formats/libsvm_model.hpp"
#include "mercer/formats/model_file.hpp"
#include "mercer/kernels/serial_lookup.hpp"
#include "mercer/operators/linear_rows.hpp"
#include "mercer/runtime/memory_files.hpp"
#include "random_kernel.hpp"
#include "row_sets.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using testing::entries_of;
using testing::GaplessRows;
using testing::is_gapless;

using Numbers = std::vector<double>;

/// Shapes that lead to dense panels, to panels with lists of entries, and to sparse rows.
GaplessRows random_rows(Random& random, index_t columns) {
    const index_t longest =
        std::max<index_t>(1, columns / (1 + static_cast<index_t>(random.below(60))));
    return {random,
            1 + static_cast<index_t>(random.below(70)),
            columns,
            longest,
            random.below(3) == 0 ? 1.0 : random.uniform(0.0, 0.3),
            random.below(2) == 0 ? 0.0 : 0.3};
}

TEST(Gapless, every_kernel_has_the_values_of_listed_rows) {
    constexpr index_t kWidths[] = {1, 3, 40, 700};
    Random random(71);
    Context context;
    for (int round = 0; round < 200; ++round) {
        const index_t columns = kWidths[random.below(4)];
        testing::RandomKernelOptions options;
        options.positive_definite_only = false;
        options.columns = columns;
        const Kernel kernel =
            testing::random_kernel(random, 1 + static_cast<int>(random.below(3)), options);
        const GaplessRows left = random_rows(random, columns);
        const GaplessRows right = random_rows(random, columns);
        for (const Precision precision : {Precision::float64, Precision::float32}) {
            // Compared by bytes: if a kernel value is NaN, it must be NaN for both.
            const Numbers a =
                testing::compute_gram(kernel, left.gapless(), right.gapless(), precision, context);
            const Numbers b =
                testing::compute_gram(kernel, left.listed(), right.listed(), precision, context);
            ASSERT_EQ(a.size(), b.size());
            ASSERT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0)
                << to_string(kernel) << ", " << columns << " columns";
        }
        Numbers a(static_cast<std::size_t>(left.gapless().rows()));
        Numbers b = a;
        kernel_diagonal(kernel, left.gapless(), a);
        kernel_diagonal(kernel, left.listed(), b);
        ASSERT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0)
            << to_string(kernel);
    }
}

TEST(Gapless, narrow_rows_have_the_kernel_values_of_the_rows_with_zeros) {
    Random random(72);
    Context context;
    const Kernel kernel = parse_kernel("rbf(gamma=0.2) + 0.1 * laplace(gamma=0.3)").value();
    const GaplessRows narrow(random, 30, 7, 7, 0.5, 0.2);
    const GaplessRows wide(random, 40, 20, 20, 0.5, 0.2);
    const Numbers truth =
        testing::reference_gram(kernel, to_dense(narrow.listed()), to_dense(wide.listed()));
    const Numbers found = testing::compute_gram(kernel, narrow.gapless(), wide.gapless(),
                                                Precision::float64, context);
    EXPECT_LE(testing::largest_difference(found, truth), 1e-13);
}

TEST(Gapless, kernel_values_are_looked_up_by_number) {
    // Two rows that begin with their numbers; the second has no value for the second row.
    const std::vector<index_t> offsets{0, 3, 5};
    const Numbers values{1, 4, 0.5, 2, 0.5};
    const Dataset data(CsrView{offsets, {}, values, 3});
    Context context;
    EXPECT_EQ(
        testing::compute_gram(serial_lookup_kernel(), data, data, Precision::float64, context),
        (Numbers{4, 0.5, 0.5, 0}));
}

TEST(Gapless, operators_on_the_rows_give_the_sums_of_listed_rows) {
    Random random(73);
    Context context;
    for (const index_t longest : {2, 60}) {  // X'WX entry by entry, and by dense products
        const GaplessRows made(random, 900, 60, longest, longest == 2 ? 0.01 : 0.5, 0.1);
        std::vector<Numbers> results[2];
        Numbers weights(900);
        Numbers centre(60);
        for (double& weight : weights) {
            weight = random.below(3) == 0 ? 0.0 : random.uniform();
        }
        for (double& mean : centre) {
            mean = random.normal();
        }
        for (const bool listed : {false, true}) {
            const LinearRows rows(listed ? made.listed() : made.gapless());
            std::vector<Numbers>& out = results[listed ? 1 : 0];
            out.assign({Numbers(900), Numbers(60), Numbers(60), Numbers(60), Numbers(3600)});
            rows.multiply(centre, out[0], context);
            rows.multiply_transposed(weights, out[1], context);
            rows.compensated_transposed(MatrixView<const double>(weights.data(), 900, 1),
                                        MatrixView<double>(out[2].data(), 60, 1), context);
            rows.squared_sums(weights, out[3], context);
            rows.normal_matrix(weights, centre, MatrixView<double>(out[4].data(), 60, 60), context);
        }
        EXPECT_EQ(results[0], results[1]);
        EXPECT_GT(std::abs(results[0][4][0]), 0.0);
    }
}

TEST(Gapless, columns_are_scaled_as_those_of_listed_rows) {
    Random random(74);
    for (int round = 0; round < 60; ++round) {
        // Few columns are all in the map; of 9,000 only those that occur.
        const index_t columns = round % 3 == 0 ? 9000 : 1 + static_cast<index_t>(random.below(30));
        const index_t longest = std::min<index_t>(columns, 40);
        const double gapped = round % 2 == 0 ? 0.0 : 0.3;
        const GaplessRows training(random, 20, columns, longest, columns < 9000 ? 0.5 : 0.0,
                                   gapped);
        const GaplessRows others(random, 20, columns + 3, longest + 3, 0.0, gapped);
        for (const char* method : {"standard", "minmax"}) {
            ScaleOptions options;
            options.method = method;
            const Scaling a = Scaling::fit(training.gapless(), options);
            const Scaling b = Scaling::fit(training.listed(), options);
            EXPECT_EQ(a.columns, b.columns);
            EXPECT_EQ(a.offset, b.offset);
            EXPECT_EQ(a.factor, b.factor);
            ASSERT_EQ(a.column_count, b.column_count);
            for (const GaplessRows& rows : {training, others}) {
                const Dataset scaled = a.apply(rows.gapless());
                EXPECT_EQ(entries_of(scaled), entries_of(b.apply(rows.listed())));
                EXPECT_EQ(scaled.is_sparse(), a.keeps_zeros());
                EXPECT_TRUE(!scaled.is_sparse() || scaled.stored() == 0 || gapped > 0.0 ||
                            is_gapless(scaled));
                EXPECT_NO_THROW(Dataset(scaled.storage()));
            }
        }
    }
}

TEST(Gapless, the_fingerprint_is_that_of_listed_rows) {
    Random random(75);
    for (int round = 0; round < 30; ++round) {
        const GaplessRows rows = random_rows(random, 1 + static_cast<index_t>(random.below(90)));
        EXPECT_EQ(fingerprint_of(rows.gapless()).hash, fingerprint_of(rows.listed()).hash);
        EXPECT_EQ(entries_of(to_dense(rows.gapless())), entries_of(to_dense(rows.listed())));
    }
}

class GaplessMachine : public ::testing::TestWithParam<const char*> {
protected:
    static Dataset with_targets(Dataset data, index_t classes) {
        Random random(76);
        for (index_t i = 0; i < data.rows(); ++i) {
            data.targets.push_back(classes == 0 ? random.normal()
                                                : static_cast<double>(i % classes));
        }
        for (index_t c = 0; c < classes; ++c) {
            data.label_names.push_back(std::to_string(c + 1));
        }
        return data;
    }

    static std::string saved(const Model& model) {
        MemoryFiles files;
        save_model(model, "m", files);
        return files.contents["m"];
    }
    static std::string libsvm_text(const Model& model) {
        MemoryFiles files;
        write_libsvm_model(to_libsvm(model), "m", files);
        return files.contents["m"];
    }
};

TEST_P(GaplessMachine, model_predictions_and_proof_are_those_of_listed_rows) {
    const std::string machine = GetParam();
    const bool regression = machine == "krr" || machine == "svr";
    Context context;
    Random random(77);
    const auto compare = [&](const std::string& kernel, const std::string& scale, double gapped) {
        const GaplessRows made(random, 60, 12, 12, 0.4, gapped);
        const GaplessRows probe(random, 40, 9, 9, 0.4, gapped);
        const Dataset gapless = with_targets(made.gapless(), regression ? 0 : 3);
        const Dataset listed = with_targets(made.listed(), regression ? 0 : 3);
        TrainOptions options;
        options.model = machine;
        options.kernel = parse_kernel(kernel).value();
        options.scale.method = scale;
        const Model a = train(gapless, options, context).model;
        const Model b = train(listed, options, context).model;
        ASSERT_EQ(is_gapless(a.support), gapped == 0.0);
        ASSERT_FALSE(is_gapless(b.support));
        EXPECT_EQ(saved(a), saved(b)) << kernel << ", " << scale;
        MemoryFiles files;
        files.contents["m"] = saved(a);
        const Model loaded = load_model("m", context, files).value();
        for (const Model& model : {a, b, loaded}) {
            EXPECT_EQ(decision_function(model, probe.gapless(), context),
                      decision_function(b, probe.listed(), context));
            EXPECT_EQ(toys::failures(model, gapless), std::vector<std::string>{});
            EXPECT_EQ(toys::failures(model, listed), std::vector<std::string>{});
        }
        if (kernel.find("columns") == std::string::npos && scale == "none" &&
            machine.starts_with("sv")) {
            EXPECT_EQ(libsvm_text(a), libsvm_text(b));
        }
    };
    for (const char* kernel : {"rbf(gamma=0.3)", "linear", "columns(rbf(gamma=1); 0:3) + 1"}) {
        for (const char* scale : {"none", "standard"}) {
            for (const double gapped : {0.0, 0.3}) {
                compare(kernel, scale, gapped);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(machines, GaplessMachine, ::testing::Values("svc", "svr", "krr", "klr"),
                         [](const auto& machine) { return std::string(machine.param); });

}  // namespace
}  // namespace mercer
