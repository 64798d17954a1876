// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/checkpoint_test.cpp - interrupted runs, and how their checkpoints continue.
#include "mercer/fit/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/formats/model_file.hpp"
#include "support/faulty_files.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using testing::FaultyFiles;
using ::testing::HasSubstr;
using testing::Killed;

Dataset rings(index_t rows, index_t classes) {
    Random random(4);
    std::vector<std::vector<double>> points;
    std::vector<double> targets;
    for (index_t i = 0; i < rows; ++i) {
        points.push_back({random.normal(), random.normal()});
        const double radius = std::hypot(points.back()[0], points.back()[1]);
        const double noisy = radius + 0.3 * random.normal();
        targets.push_back(
            std::min(static_cast<double>(classes - 1), std::max(0.0, std::floor(1.5 * noisy))));
    }
    Dataset data = toys::make_rows(points, targets);
    for (index_t c = 0; c < classes; ++c) {
        data.label_names.push_back(std::to_string(c));
    }
    return data;
}

struct Case {
    const char* model;
    index_t classes;
    bool probability;
};

class checkpoint : public ::testing::TestWithParam<Case> {
protected:
    [[nodiscard]] static TrainOptions options() {
        TrainOptions options;
        options.model = GetParam().model;
        options.kernel = parse_kernel("rbf(gamma=1)").value();
        options.objective.cost = is_costless() ? std::nullopt : std::optional(10.0);
        options.objective.nu = is_costless() ? std::optional(0.2) : std::nullopt;
        options.run.gap_tolerance = 1e-4;
        options.outputs.probability = GetParam().probability;
        return options;
    }
    [[nodiscard]] static bool is_costless() {
        return std::string(GetParam().model) == "one-class" ||
               std::string(GetParam().model) == "nu-svc";
    }
    [[nodiscard]] static Dataset data() {
        Dataset rows = rings(150, std::max<index_t>(2, GetParam().classes));
        if (GetParam().classes == 0) {
            rows.label_names.clear();
        }
        return rows;
    }

    /// Trains with a checkpoint at every boundary and returns the bytes of the model.
    static std::string run(FaultyFiles& files, bool resume) {
        Context context({.threads = 1});
        Checkpoint kept({.path = "run", .seconds = 0.0, .resume = resume}, context, files);
        TrainOptions wanted = options();
        wanted.run.checkpoint = &kept;
        const TrainResult result = train(data(), wanted, context);
        FaultyFiles out;
        save_model(result.model, "model", out);
        return out.contents["model"];
    }
};

TEST_P(checkpoint, of_any_moment_leads_to_the_same_bytes) {
    Context context({.threads = 1});
    FaultyFiles out;
    save_model(train(data(), options(), context).model, "model", out);
    const std::string expected = out.contents["model"];
    FaultyFiles whole;
    EXPECT_EQ(run(whole, false), expected);
    ASSERT_GT(whole.operations, 6);
    const index_t step = std::max<index_t>(1, whole.operations / 8);
    index_t resumed = 0;
    for (index_t k = 1; k < whole.operations; k += step) {
        FaultyFiles files;
        files.fail_at = k;
        files.fail_forever = true;
        files.kills = true;
        EXPECT_THROW(static_cast<void>(run(files, false)), Killed) << k;
        files.fail_at = -1;
        resumed += static_cast<index_t>(files.exists("run"));
        EXPECT_EQ(run(files, true), expected) << k;
    }
    EXPECT_GT(resumed, 2);
    EXPECT_EQ(run(whole, true), expected) << "killed after the end, before the file was removed";
}

TEST_P(checkpoint, that_cannot_be_written_does_not_end_the_run) {
    FaultyFiles whole;
    const std::string expected = run(whole, false);
    FaultyFiles files;
    files.fail_at = 1;  // the first write is the test before any work
    files.fail_forever = true;
    EXPECT_EQ(run(files, false), expected);
    EXPECT_FALSE(files.exists("run"));
    files.fail_at = 0;
    EXPECT_THROW(static_cast<void>(run(files, false)), ResourceError) << "before any work";
}

TEST(checkpoints, say_why_the_last_one_was_not_written) {
    Context context({.threads = 1});
    FaultyFiles files;
    Checkpoint kept({.path = "run", .seconds = 0.0}, context, files);
    kept.begin({}, "");
    files.fail_at = files.operations;
    files.fail_forever = true;
    kept.slot(0).save("a state");
    EXPECT_THAT(kept.failure(), HasSubstr("injected failure"));
    files.fail_at = -1;
    kept.slot(0).save("another");
    EXPECT_EQ(kept.failure(), "");
    EXPECT_TRUE(files.exists("run"));
}

INSTANTIATE_TEST_SUITE_P(machines, checkpoint,
                         ::testing::Values(Case{"svc", 2, false}, Case{"svc", 3, true},
                                           Case{"nu-svc", 2, false}, Case{"svr", 0, false},
                                           Case{"l2-svr", 0, false}, Case{"nu-svr", 0, false},
                                           Case{"one-class", 0, false}, Case{"l2-svc", 2, false},
                                           Case{"huber-svc", 3, false}));

/// The checkpoint of a run that failed to write its second version.
FaultyFiles broken_off(const Dataset& data, const TrainOptions& options) {
    FaultyFiles files;
    Context context({.threads = 1});
    Checkpoint kept({.path = "run", .seconds = 0.0}, context, files);
    TrainOptions wanted = options;
    wanted.run.checkpoint = &kept;
    static_cast<void>(train(data, wanted, context));
    return files;
}

std::string refusal(FaultyFiles& files, const Dataset& data, const TrainOptions& options,
                    std::uint64_t seed = 0) {
    Context context({.threads = 1, .seed = seed});
    try {
        Checkpoint kept({.path = "run", .resume = true}, context, files);
        TrainOptions wanted = options;
        wanted.run.checkpoint = &kept;
        static_cast<void>(train(data, wanted, context));
    } catch (const DataError& error) {
        return error.what();
    }
    return "";
}

TEST(checkpoints, are_refused_for_other_data_and_every_other_option) {
    const Dataset data = rings(120, 2);
    TrainOptions options;
    options.kernel = parse_kernel("rbf(gamma=1)").value();
    FaultyFiles files = broken_off(data, options);
    EXPECT_EQ(refusal(files, data, options), "");
    Dataset other = data;
    other.targets[0] = 1.0 - other.targets[0];
    EXPECT_THAT(refusal(files, other, options), HasSubstr("run: the checkpoint is of other data"));
    TrainOptions changed = options;
    changed.objective.cost = 2.0;
    EXPECT_THAT(refusal(files, data, changed), HasSubstr("cost: it was 'nan', now it is '2'"));
    changed = options;
    changed.run.gap_tolerance = 1e-5;
    EXPECT_THAT(refusal(files, data, changed), HasSubstr("gap_tolerance"));
    changed = options;
    changed.scale.method = "standard";
    EXPECT_THAT(refusal(files, data, changed), HasSubstr("scale"));
    changed = options;
    changed.objective.class_weights["1"] = 2.0;
    EXPECT_THAT(refusal(files, data, changed),
                HasSubstr("weight of 1: it was not given, now it is '2'"));
    FaultyFiles weighted = broken_off(data, changed);
    EXPECT_EQ(refusal(weighted, data, changed), "");
    EXPECT_THAT(refusal(weighted, data, options),
                HasSubstr("weight of 1: it was '2', now it is not given"));
    changed = options;
    changed.run.solver = "smo";
    EXPECT_THAT(refusal(files, data, changed), HasSubstr("solver"));
    EXPECT_THAT(refusal(files, data, options, 1), HasSubstr("seed: it was '0', now it is '1'"));
}

TEST(checkpoints, are_refused_when_a_bit_or_the_end_is_wrong) {
    const Dataset data = rings(60, 2);
    TrainOptions options;
    options.kernel = parse_kernel("rbf(gamma=1)").value();
    FaultyFiles files = broken_off(data, options);
    const std::string whole = files.contents.at("run");
    for (std::size_t at = 0; at < whole.size(); at += 7) {
        files.contents["run"] = whole;
        files.contents["run"][at] ^= 4;
        EXPECT_THAT(refusal(files, data, options), HasSubstr("run: ")) << at;
        files.contents["run"] = whole.substr(0, at);
        EXPECT_THAT(refusal(files, data, options), HasSubstr("run: ")) << at;
    }
}

TEST(checkpoints, are_not_for_machines_without_rounds) {
    FaultyFiles files;
    Context context;
    Checkpoint kept({.path = "run"}, context, files);
    TrainOptions options;
    options.run.checkpoint = &kept;
    options.kernel = parse_kernel("rbf(gamma=1)").value();
    Dataset data = rings(40, 2);
    for (const char* model : {"klr", "ls-svc", "krr", "ridge"}) {
        options.model = model;
        if (!is_classifier(model)) {
            data.label_names.clear();
        }
        try {
            static_cast<void>(train(data, options, context));
            FAIL() << model;
        } catch (const InvalidArgument& error) {
            EXPECT_THAT(error.what(), HasSubstr("does not take it; these do: svc, nu-svc, "));
        }
    }
}

}  // namespace
}  // namespace mercer
