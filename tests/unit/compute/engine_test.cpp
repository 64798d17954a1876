// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/compute/engine_test.cpp - the promises of a tile: right, exact where it must be, and
// the same bits however it is computed.
#include "mercer/compute/engine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "compute/cpu/targets.hpp"
#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "row_sets.hpp"

namespace mercer {
namespace {

using testing::compute_gram;
using testing::RowSet;

Kernel parse(const char* text) { return parse_kernel(text).value(); }

TEST(engine, rbf_of_a_row_with_itself_is_exactly_one) {
    RowSet set(100, 37, 1);
    Context context;
    for (const Precision precision : {Precision::float32, Precision::float64}) {
        const std::vector<double> gram =
            compute_gram(parse("rbf(gamma=0.01)"), set.dense(), set.dense(), precision, context);
        for (index_t i = 0; i < 100; ++i) {
            EXPECT_EQ(gram[static_cast<std::size_t>(i * 100 + i)], 1.0);
        }
    }
}

TEST(engine, duplicate_rows_give_equal_rows_and_columns) {
    RowSet set(70, 11, 2);
    for (index_t k = 0; k < 11; ++k) {
        set.at(69, k) = set.at(3, k);
    }
    Context context;
    for (const char* text : {"rbf(gamma=0.5)", "laplace(gamma=0.1)", "poly(degree=3)",
                             "matern(nu=1.5, length=2)", "normalized(poly(degree=2))"}) {
        const std::vector<double> gram =
            compute_gram(parse(text), set.dense(), set.dense(), Precision::float32, context);
        for (std::size_t j = 0; j < 70; ++j) {
            EXPECT_EQ(gram[3 * 70 + j], gram[69 * 70 + j]) << text;
            EXPECT_EQ(gram[j * 70 + 3], gram[j * 70 + 69]) << text;
        }
    }
}

TEST(engine, rows_offset_by_1e8_keep_their_distances) {
    RowSet set(40, 7, 3);
    for (index_t i = 0; i < 40; ++i) {
        for (index_t k = 0; k < 7; ++k) {
            set.at(i, k) += 1e8;
        }
    }
    Context context;
    const Kernel kernel = parse("rbf(gamma=0.3)");
    for (const bool sparse : {false, true}) {
        const Dataset rows = sparse ? set.sparse() : set.dense();
        const std::vector<double> exact = testing::reference_gram(kernel, rows, rows);
        const std::vector<double> wide =
            compute_gram(kernel, rows, rows, Precision::float64, context);
        const std::vector<double> narrow =
            compute_gram(kernel, rows, rows, Precision::float32, context);
        EXPECT_LE(testing::largest_difference(wide, exact), 1e-12);
        EXPECT_LE(testing::largest_difference(narrow, exact), 1e-5);
    }
}

TEST(engine, two_clusters_far_apart_keep_the_distances_within_each) {
    RowSet set(60, 5, 4);
    for (index_t i = 0; i < 60; ++i) {
        for (index_t k = 0; k < 5; ++k) {
            set.at(i, k) += i % 2 == 0 ? 1e6 : -1e6;
        }
    }
    Context context;
    const Kernel kernel = parse("rbf(gamma=0.5)");
    const std::vector<double> exact = testing::reference_gram(kernel, set.dense(), set.dense());
    const std::vector<double> wide =
        compute_gram(kernel, set.dense(), set.dense(), Precision::float64, context);
    EXPECT_LE(testing::largest_difference(wide, exact), 1e-12);
}

TEST(engine, a_row_alone_has_the_bits_of_the_row_in_a_batch) {
    RowSet set(130, 23, 5);
    RowSet thin(130, 400, 5, 0.015);
    Context context;
    for (const char* text :
         {"rbf(gamma=0.05)", "laplace(gamma=0.1)", "0.5 * poly(degree=3) + rbf(gamma=1)"}) {
        for (const bool sparse : {false, true}) {
            const Dataset rows = sparse ? thin.sparse() : set.dense();
            const Kernel kernel = parse(text);
            const auto engine =
                make_engine(kernel, rows, {.precision = Precision::float32}, context);
            const auto all = engine->prepare(rows, context);
            const auto scratch = engine->make_scratch(context);
            std::vector<float> batch(64 * 130);
            engine->tile(*all, {50, 64}, *all, {0, 130}, MatrixView<float>(batch.data(), 64, 130),
                         *scratch);
            for (index_t i = 0; i < 64; ++i) {
                const std::vector<index_t> chosen{50 + i};
                const Dataset alone = rows.select(chosen);
                const auto prepared = engine->prepare(alone, context);
                std::vector<float> row(130);
                engine->tile(*prepared, {0, 1}, *all, {0, 130},
                             MatrixView<float>(row.data(), 1, 130), *scratch);
                ASSERT_EQ(std::memcmp(row.data(), batch.data() + i * 130, 130 * sizeof(float)), 0)
                    << text << " row " << i;
            }
        }
    }
}

TEST(engine, dense_and_sparse_storage_give_the_same_bits) {
    Context context;
    for (const char* text :
         {"linear", "rbf(gamma=0.05)", "laplace(gamma=0.1)", "cosine", "matern(nu=0.5, length=3)",
          "delta", "columns(rbf(gamma=1); 2:9) + normalized(poly(degree=2))"}) {
        for (const double density : {0.01, 0.02, 0.15, 0.9}) {
            RowSet set(100, 90, 6, density);
            const Kernel kernel = parse(text);
            for (const Precision precision : {Precision::float32, Precision::float64}) {
                EXPECT_EQ(compute_gram(kernel, set.dense(), set.dense(), precision, context),
                          compute_gram(kernel, set.sparse(), set.sparse(), precision, context))
                    << text << " density " << density;
            }
        }
    }
}

TEST(engine, selected_rows_equal_the_rows_they_came_from) {
    RowSet set(90, 13, 7, 0.2);
    Context context;
    const Kernel kernel = parse("rbf(gamma=0.1) + 0.2 * normalized(poly(degree=2))");
    for (const auto& [sparse, side] :
         {std::pair{false, TileSide::either}, std::pair{false, TileSide::right},
          std::pair{true, TileSide::either}, std::pair{true, TileSide::right}}) {
        const Dataset rows = sparse ? set.sparse() : set.dense();
        const auto engine = make_engine(kernel, rows, {}, context);
        const auto all = engine->prepare(rows, context);
        const std::vector<index_t> chosen{88, 3, 41, 3, 0};
        const auto few = engine->select(*all, chosen, side, context);
        const auto scratch = engine->make_scratch(context);
        std::vector<double> whole(64 * 90);
        engine->tile(*all, {0, 64}, *all, {0, 90}, MatrixView<double>(whole.data(), 64, 90),
                     *scratch);
        std::vector<double> part(64 * 5);
        engine->tile(*all, {0, 64}, *few, {0, 5}, MatrixView<double>(part.data(), 64, 5), *scratch);
        for (std::size_t i = 0; i < 64; ++i) {
            for (std::size_t j = 0; j < 5; ++j) {
                EXPECT_EQ(part[i * 5 + j], whole[i * 90 + static_cast<std::size_t>(chosen[j])]);
            }
        }
    }
}

TEST(engine, every_simd_target_of_this_cpu_agrees_with_the_reference) {
    RowSet set(67, 29, 17, 0.5);
    Context context;
    const Kernel kernel =
        parse("rbf(gamma=0.05) + 0.1 * laplace(gamma=0.2) + 0.01 * poly(degree=3)");
    const std::vector<double> exact = testing::reference_gram(kernel, set.dense(), set.dense());
    std::vector<double> fused_bits;
    for (std::int64_t targets = cpu::supported_targets() & HWY_TARGETS; targets != 0;
         targets &= targets - 1) {
        const std::int64_t target = targets & -targets;
        cpu::restrict_targets(target);
        for (const bool sparse : {false, true}) {
            const Dataset rows = sparse ? set.sparse() : set.dense();
            const std::vector<double> gram =
                compute_gram(kernel, rows, rows, Precision::float64, context);
            EXPECT_LE(testing::largest_difference(gram, exact), 1e-12) << hwy::TargetName(target);
        }
        // Products have the same bits on every target with a fused multiply-add.
        if (target <= HWY_AVX2) {
            const std::vector<double> products = compute_gram(
                parse("linear"), set.dense(), set.dense(), Precision::float64, context);
            fused_bits = fused_bits.empty() ? products : fused_bits;
            EXPECT_EQ(products, fused_bits) << hwy::TargetName(target);
        }
    }
    cpu::restrict_targets(0);
}

struct Tanimoto {
    static constexpr const char* kName = "tanimoto";
    static constexpr Definiteness kDefiniteness = Definiteness::positive_definite;
    double operator()(std::span<const double> x, std::span<const double> z) const {
        double both = 0.0;
        double all = 0.0;
        for (std::size_t k = 0; k < x.size(); ++k) {
            both += x[k] * z[k];
            all += x[k] * x[k] + z[k] * z[k] - x[k] * z[k];
        }
        return all == 0.0 ? 1.0 : both / all;
    }
};

TEST(engine, a_user_kernel_composes_like_a_built_in_one) {
    RowSet set(33, 6, 8);
    Context context;
    const Kernel kernel = 0.5 * make_custom_kernel(Tanimoto{}) + rbf_kernel(0.2);
    const std::vector<double> exact = testing::reference_gram(kernel, set.dense(), set.dense());
    for (const bool sparse : {false, true}) {
        const Dataset rows = sparse ? set.sparse() : set.dense();
        EXPECT_LE(testing::largest_difference(
                      compute_gram(kernel, rows, rows, Precision::float64, context), exact),
                  1e-13);
    }
}

TEST(engine, precomputed_values_are_the_file_s_own) {
    RowSet set(20, 20, 9);
    Context context;
    const std::vector<double> gram =
        compute_gram(precomputed_kernel(), set.dense(), set.dense(), Precision::float64, context);
    EXPECT_EQ(gram, set.values());
    const std::vector<double> doubled = compute_gram(2.0 * precomputed_kernel(), set.dense(),
                                                     set.dense(), Precision::float64, context);
    EXPECT_EQ(doubled[21], 2.0 * set.values()[21]);
}

TEST(engine, a_kernel_computed_beforehand_gives_the_matrix_it_was_computed_to) {
    RowSet set(50, 4, 18);
    Context context;
    const std::vector<double> on_demand = compute_gram(parse("rbf(gamma=0.3)"), set.dense(),
                                                       set.dense(), Precision::float64, context);
    const Dataset beforehand(MatrixView<const double>(on_demand.data(), 50, 50));
    EXPECT_EQ(
        compute_gram(precomputed_kernel(), beforehand, beforehand, Precision::float64, context),
        on_demand);
}

TEST(engine, a_value_outside_the_domain_is_refused_with_its_place) {
    RowSet set(5, 3, 10);
    set.at(3, 1) = -1.0;
    Context context;
    try {
        compute_gram(parse("chi2(gamma=1)"), set.absolute_but(3, 1), set.absolute_but(3, 1),
                     Precision::float64, context);
        FAIL() << "accepted a negative entry";
    } catch (const DataError& error) {
        EXPECT_NE(std::string(error.what()).find("row 4"), std::string::npos) << error.what();
    }
}

TEST(engine, a_value_too_large_for_float32_is_refused_with_its_place) {
    RowSet set(4, 2, 11);
    set.at(2, 1) = 1e300;
    Context context;
    try {
        compute_gram(parse("linear"), set.dense(), set.dense(), Precision::float32, context);
        FAIL() << "accepted 1e300 in float32";
    } catch (const DataError& error) {
        EXPECT_NE(std::string(error.what()).find("row 3, column 2"), std::string::npos);
    }
}

TEST(engine, the_tile_s_limits_are_checked) {
    RowSet set(100, 3, 12);
    Context context;
    const auto engine = make_engine(parse("linear"), set.dense(), {}, context);
    const auto rows = engine->prepare(set.dense(), context);
    const auto scratch = engine->make_scratch(context);
    std::vector<double> out(100 * 100);
    const MatrixView<double> view(out.data(), 100, 100);
    EXPECT_THROW(engine->tile(*rows, {0, 65}, *rows, {0, 10}, view, *scratch), InvalidArgument);
    EXPECT_THROW(engine->tile(*rows, {90, 11}, *rows, {0, 10}, view, *scratch), InvalidArgument);
    EXPECT_THROW(engine->tile(*rows, {0, 10}, *rows, {7, 10}, view, *scratch), InvalidArgument);
    EXPECT_THROW(engine->tile(*rows, {-1, 1}, *rows, {0, 10}, view, *scratch), InvalidArgument);
    std::vector<float> narrow(100);
    EXPECT_THROW(engine->tile(*rows, {0, 1}, *rows, {0, 10},
                              MatrixView<float>(narrow.data(), 1, 100), *scratch),
                 InvalidArgument);
}

TEST(engine, wider_rows_than_prepared_for_are_refused) {
    RowSet narrow(3, 2, 13);
    RowSet wide(3, 4, 14);
    Context context;
    const auto engine = make_engine(parse("linear"), narrow.dense(), {}, context);
    EXPECT_THROW((void)engine->prepare(wide.dense(), context), InvalidArgument);
    const auto roomy = make_engine(parse("linear"), narrow.dense(), {.columns = 4}, context);
    EXPECT_EQ(roomy->prepare(wide.dense(), context)->rows(), 3);
}

TEST(engine, sparse_columns_no_reference_row_has_still_count_in_distances) {
    RowSet train(4, 50, 15, 0.05);
    RowSet test(4, 50, 16, 0.3);
    Context context;
    for (const char* text : {"rbf(gamma=0.1)", "laplace(gamma=0.1)", "linear", "cosine"}) {
        const Kernel kernel = parse(text);
        const std::vector<double> exact =
            testing::reference_gram(kernel, test.dense(), train.dense());
        EXPECT_LE(testing::largest_difference(compute_gram(kernel, test.sparse(), train.sparse(),
                                                           Precision::float64, context),
                                              exact),
                  1e-14)
            << text;
        EXPECT_LE(testing::largest_difference(compute_gram(kernel, test.dense(), train.sparse(),
                                                           Precision::float64, context),
                                              exact),
                  1e-14)
            << text;
    }
}

}  // namespace
}  // namespace mercer
