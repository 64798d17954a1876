// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/precomputed_test.cpp - precomputed kernel values give the machine of the kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/formats/libsvm_model.hpp"
#include "mercer/formats/model_file.hpp"
#include "mercer/runtime/memory_files.hpp"
#include "mercer/search/cross_validation.hpp"
#include "mercer/search/select.hpp"
#include "support/facts.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using ::testing::HasSubstr;

constexpr double kGamma = 0.7;
constexpr const char* kNamed = "rbf(gamma=0.7)";
constexpr index_t kRows = 40;

std::vector<std::vector<double>> points(index_t rows, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::vector<double>> out;
    for (index_t i = 0; i < rows; ++i) {
        out.push_back({random.normal(), random.normal()});
    }
    return out;
}

/// k of every row of `left` with every row of `right`, computed independently.
std::vector<std::vector<double>> values(const std::vector<std::vector<double>>& left,
                                        const std::vector<std::vector<double>>& right) {
    std::vector<std::vector<double>> out;
    for (const auto& x : left) {
        out.emplace_back();
        for (const auto& z : right) {
            const double dx = x[0] - z[0];
            const double dy = x[1] - z[1];
            out.back().push_back(std::exp(-kGamma * (dx * dx + dy * dy)));
        }
    }
    return out;
}

/// The same rows as points and as a matrix of kernel values, and other rows in both forms.
struct Both {
    Dataset named;
    Dataset matrix;
    Dataset named_test;
    Dataset matrix_test;

    explicit Both(index_t classes, bool weighted = false) {
        const auto x = points(kRows, 3);
        const auto z = points(15, 4);
        std::vector<double> targets;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double f = std::sin(2.0 * x[i][0]) + x[i][1];
            if (classes == 0) {
                targets.push_back(f);
            } else {
                targets.push_back(
                    std::min(static_cast<double>(classes - 1), std::floor(std::max(0.0, f + 1.0))));
            }
        }
        named = toys::make_rows(x, targets);
        matrix = toys::make_rows(values(x, x), targets);
        named_test = toys::make_rows(z, {});
        matrix_test = toys::make_rows(values(z, x), {});
        for (Dataset* data : {&named, &matrix}) {
            for (index_t c = 0; c < classes; ++c) {
                data->label_names.push_back(std::to_string(c + 1));
            }
            for (index_t i = 0; weighted && i < kRows; ++i) {
                data->weights.push_back(i % 7 == 3 ? 0.0 : 1.0 + static_cast<double>(i % 3));
            }
        }
    }
};

TrainOptions options_for(const std::string& model, const std::string& kernel) {
    TrainOptions options;
    options.model = model;
    options.kernel = parse_kernel(kernel).value();
    if (model == "nu-svc" || model == "nu-svr" || model == "one-class") {
        options.objective.nu = 0.3;
    }
    if (model == "klr" || model == "ls-svc" || model == "krr") {
        options.run.gap_tolerance = 1e-13;
    } else {
        options.run.gap_tolerance = 1e-9;
        options.run.tolerance = model == "hard-margin" ? 1e-8 : 1e-10;
    }
    return options;
}

void expect_same(const Both& data, const std::string& model,
                 const std::string& multiclass = "auto") {
    Context context;
    TrainOptions by_name = options_for(model, kNamed);
    TrainOptions by_values = options_for(model, "precomputed");
    for (TrainOptions* options : {&by_name, &by_values}) {
        options->outputs.multiclass = multiclass;
    }
    const Model a = train(data.named, by_name, context).model;
    const Model b = train(data.matrix, by_values, context).model;
    EXPECT_EQ(a.status, "converged") << model;
    EXPECT_EQ(b.status, "converged") << model;
    ASSERT_EQ(a.certificates.size(), b.certificates.size());
    for (std::size_t t = 0; t < a.certificates.size(); ++t) {
        const double primal = a.certificates[t].primal;
        expect_fact("X25", "twelve machines: |P - P of the named kernel| / max(1, |P|)",
                    std::abs(primal - b.certificates[t].primal) / std::max(1.0, std::abs(primal)));
    }
    const std::vector<double> f = decision_function(a, data.named_test, context);
    const std::vector<double> g = decision_function(b, data.matrix_test, context);
    ASSERT_EQ(f.size(), g.size());
    double apart = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        apart = std::max(apart, std::abs(f[i] - g[i]) / std::max(1.0, std::abs(f[i])));
    }
    expect_fact("X25", "twelve machines: |f - f of the named kernel| / max(1, |f|), new rows",
                apart);
    expect_fact("K25", "twelve machines: largest relative difference of a prediction", apart);
    EXPECT_EQ(to_string(b.kernel), "precomputed");
    EXPECT_EQ(b.columns, kRows);
    EXPECT_EQ(toys::failures(b, data.matrix), std::vector<std::string>()) << model;
}

class Precomputed : public ::testing::TestWithParam<std::string> {};

TEST_P(Precomputed, IsTheMachineOfTheKernelItself) {
    const index_t classes = is_classifier(GetParam()) ? 2 : 0;
    expect_same(Both(classes), GetParam());
    if (GetParam() != "krr") {  // krr refuses a row of weight 0
        expect_same(Both(classes, true), GetParam());
    }
}

TEST_P(Precomputed, TellsManyClassesApart) {
    if (!is_classifier(GetParam()) ||
        GetParam() == "nu-svc") {  // its nu may be infeasible for three classes
        return;
    }
    for (const char* multiclass : {"ovo", "ovr"}) {
        expect_same(Both(3), GetParam(), multiclass);
    }
    if (GetParam() == "klr") {
        expect_same(Both(3), GetParam());
    }
}

INSTANTIATE_TEST_SUITE_P(Machines, Precomputed,
                         ::testing::Values("svc", "nu-svc", "l2-svc", "huber-svc", "hard-margin",
                                           "ls-svc", "klr", "svr", "l2-svr", "nu-svr", "one-class",
                                           "krr"),
                         toys::kSuiteName);

TEST(PrecomputedValues, ModelsKeepNumbersOnlyAndComeBackFromTheirFile) {
    const Both data(2);
    Context context;
    const Model model = train(data.matrix, options_for("svc", "precomputed"), context).model;
    EXPECT_EQ(model.support.stored(), 0);
    MemoryFiles files;
    save_model(model, "m", files);
    const Model again = load_model("m", context, files).value();
    EXPECT_EQ(decision_function(again, data.matrix_test, context),
              decision_function(model, data.matrix_test, context));
    EXPECT_EQ(toys::failures(again, data.matrix), std::vector<std::string>());
    // LIBSVM identifies such rows by their numbers, from 1.
    const LibsvmModel theirs = to_libsvm(model);
    EXPECT_EQ(theirs.kernel_type, "precomputed");
    std::vector<double> row(1);
    for (std::size_t j = 0; j < theirs.support_rows.size(); ++j) {
        theirs.support.copy_row(static_cast<index_t>(j), row);
        EXPECT_EQ(row[0], static_cast<double>(theirs.support_rows[j] + 1));
    }
    // Another matrix is not the training data.
    Dataset other = data.matrix;
    other.targets[0] = 1.0 - other.targets[0];
    EXPECT_NE(toys::failures(model, other), std::vector<std::string>());
}

TEST(PrecomputedValues, ExpressionsOfThemAreTakenAndThoseOfRowsAreNot) {
    const Both data(0);
    Context context;
    TrainOptions by_name = options_for("svr", "2 * rbf(gamma=0.7) + 1");
    TrainOptions by_values = options_for("svr", "2 * precomputed + 1");
    const Model a = train(data.named, by_name, context).model;
    const Model b = train(data.matrix, by_values, context).model;
    const std::vector<double> f = decision_function(a, data.named_test, context);
    const std::vector<double> g = decision_function(b, data.matrix_test, context);
    for (std::size_t i = 0; i < f.size(); ++i) {
        EXPECT_NEAR(f[i], g[i], 1e-8);
    }
    by_values.kernel = parse_kernel("precomputed + linear").value();
    EXPECT_THROW((void)train(data.matrix, by_values, context), InvalidArgument);
}

TEST(PrecomputedValues, FoldsAndChancesUseTheColumnsOfTheirRows) {
    const Both data(2);
    Context context;
    for (const char* model : {"svc", "krr"}) {
        Dataset named = data.named;
        Dataset matrix = data.matrix;
        if (!is_classifier(model)) {
            named.label_names.clear();
            matrix.label_names.clear();
        }
        TrainOptions by_name = options_for(model, kNamed);
        TrainOptions by_values = options_for(model, "precomputed");
        const std::vector<double> a = cross_validate(named, by_name, 5, context);
        const std::vector<double> b = cross_validate(matrix, by_values, 5, context);
        for (std::size_t i = 0; i < a.size(); ++i) {
            EXPECT_NEAR(a[i], b[i], 1e-7) << model;
        }
    }
    TrainOptions by_name = options_for("svc", kNamed);
    TrainOptions by_values = options_for("svc", "precomputed");
    by_name.outputs.probability = true;
    by_values.outputs.probability = true;
    const Link a = train(data.named, by_name, context).model.link;
    const Link b = train(data.matrix, by_values, context).model.link;
    EXPECT_NEAR(a.a[0], b.a[0], 1e-6 * std::abs(a.a[0]));
    SelectOptions wanted;
    wanted.train = options_for("svc", "precomputed");
    wanted.grid = {{"C", {0.1, 1.0, 10.0}}};
    wanted.folds = 4;
    const SelectResult chosen = select_model(data.matrix, wanted, context);
    wanted.train = options_for("svc", kNamed);
    const SelectResult known = select_model(data.named, wanted, context);
    ASSERT_EQ(chosen.table.size(), known.table.size());
    EXPECT_EQ(chosen.best, known.best);
    for (std::size_t k = 0; k < known.table.size(); ++k) {
        EXPECT_NEAR(chosen.table[k].measures[0].second, known.table[k].measures[0].second, 1e-9);
    }
}

TEST(PrecomputedValues, AStartGoesOnAndAnotherKernelIsRefused) {
    const Both data(2);
    Context context;
    TrainOptions options = options_for("svc", "precomputed");
    const Model first = train(data.matrix, options, context).model;
    options.run.start = &first;
    const TrainResult again = train(data.matrix, options, context);
    EXPECT_EQ(again.model.status, "converged");
    EXPECT_NEAR(again.model.certificates[0].primal, first.certificates[0].primal, 1e-8);
    EXPECT_LT(again.model.iterations, first.iterations / 2 + 2);
    Model other = first;
    other.kernel = parse_kernel("2 * precomputed").value();
    options.run.start = &other;
    EXPECT_THROW((void)train(data.matrix, options, context), InvalidArgument);
}

std::string refusal(const Dataset& data, const std::string& model) {
    Context context;
    try {
        static_cast<void>(train(data, options_for(model, "precomputed"), context));
    } catch (const DataError& fault) {
        return fault.what();
    }
    return "accepted";
}

TEST(PrecomputedValues, MatricesThatAreNoneAreRefusedWithTheirPlace) {
    for (const std::string model : {"svc", "krr", "one-class", "klr"}) {
        const std::vector<double> targets =
            is_classifier(model) ? std::vector<double>{0, 1, 1} : std::vector<double>{0.5, 1, 2};
        const auto data = [&](std::vector<std::vector<double>> k) {
            Dataset out = toys::make_rows(k, targets);
            if (is_classifier(model)) {
                out.label_names = {"-1", "1"};
            }
            return out;
        };
        const std::string oblong = refusal(data({{1, 0}, {0, 1}, {0, 0}}), model);
        expect_fact("X26", "3 rows of 2 columns are refused with both numbers",
                    oblong.find("3 rows and 2 columns") != std::string::npos);
        const std::string skew = refusal(data({{2, 1, 0}, {1, 2, 0.5}, {0, 0.25, 2}}), model);
        expect_fact(
            "X26", "k(3, 2) = 0.25 beside k(2, 3) = 0.5 is refused with row and column",
            skew.find("row 3, column 2 is 0.25, row 2, column 3 is 0.5") != std::string::npos);
        // Two orders of one sum differ only by rounding.
        EXPECT_EQ(refusal(data({{2, 1, 0}, {1.0 + 1e-15, 2, 0.5}, {0, 0.5, 2}}), model),
                  "accepted");
    }
    Context context;
    TrainOptions options = options_for("svc", "precomputed");
    options.scale.method = "standard";
    EXPECT_THROW((void)train(Both(2).matrix, options, context), InvalidArgument);
}

TEST(PrecomputedValues, BitsDoNotDependOnTheThreads) {
    const Both data(3);
    std::vector<double> known;
    for (const int threads : {1, 2, 5}) {
        Context context({.threads = threads});
        const Model model = train(data.matrix, options_for("svc", "precomputed"), context).model;
        known = known.empty() ? model.coefficients : known;
        EXPECT_EQ(model.coefficients, known);
    }
}

}  // namespace
}  // namespace mercer
