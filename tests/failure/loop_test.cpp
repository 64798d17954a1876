// SPDX-License-Identifier: Apache-2.0
//
// tests/failure/loop_test.cpp - reading, training, saving, loading and predicting with the k-th
// allocation or file operation failing, for every k until the whole run completes.
//
// For each k there must be an exception of a documented type, all budgeted memory must be released,
// and under the model's name there must be the old file or the new one, complete. Leaks are left to
// the address sanitizer.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "failure/failing_new.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/data/read.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/formats/model_file.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"
#include "support/faulty_files.hpp"

namespace mercer {
namespace {

using testing::FailingNew;
using testing::FaultyFiles;

constexpr const char* kRows =
    "-1 1:0.5 2:1\n1 1:2 3:-1\n-1 2:2\n1 1:1.5 2:0.25\n-1 1:-1 3:1\n1 1:3\n1 1:1 2:-2 3:0.5\n-1 "
    "3:2\n";

struct Machine {
    const char* name;
    const char* scale;
};

class failure : public ::testing::TestWithParam<Machine> {
protected:
    /// Rows of the file "rows".
    static Dataset read(Files& files, Context& context) {
        ReadOptions reading;
        const bool classes = std::string(GetParam().name) == "svc";
        reading.task = classes ? "classification" : "regression";
        Result<Dataset> result = read_dataset("rows", reading, context, files);
        Dataset data = std::move(result).value();
        return classes ? to_classes(std::move(data)) : data;
    }

    static Model fit(const Dataset& data, Context& context) {
        TrainOptions options;
        options.model = GetParam().name;
        options.kernel = parse_kernel("rbf(gamma=0.5)").value();
        options.scale.method = GetParam().scale;
        return train(data, options, context).model;
    }

    /// The whole sequence; returns the decision values at its end.
    static std::vector<double> run(Files& files, Context& context) {
        const Dataset data = read(files, context);
        save_model(fit(data, context), "model", files);
        const Model again = load_model("model", context, files).value();
        return decision_function(again, data, context);
    }

    static FaultyFiles fresh() {
        FaultyFiles files;
        files.contents["rows"] = kRows;
        files.contents["model"] = "old";
        return files;
    }

    void SetUp() override {
        FaultyFiles files = fresh();
        Context context({.threads = 1});
        expected_ = run(files, context);
        new_file_ = files.contents["model"];
        operations_ = files.operations;
        ASSERT_EQ(expected_.size(), 8U);
    }

    /// True if the run completed. `files` fail as configured.
    bool completes(FaultyFiles& files, Context& context, std::string& trouble) {
        try {
            const std::vector<double> f = run(files, context);
            trouble = f == expected_ ? "" : "other decisions";
            return true;
        } catch (const ResourceError&) {
            trouble = "";
        } catch (const std::bad_alloc&) {
            trouble = "";
        } catch (const std::exception& error) {
            trouble = error.what();
        }
        return false;
    }

    void expect_intact(const FaultyFiles& files, const Context& context, index_t k) {
        const std::string& file = files.contents.at("model");
        EXPECT_TRUE(file == "old" || file == new_file_) << k << ": " << file.size() << " bytes";
        EXPECT_EQ(files.contents.size(), 2U) << k;
        EXPECT_EQ(context.memory()->used(), 0) << k;
    }

    std::vector<double> expected_;
    std::string new_file_;
    index_t operations_ = 0;
};

TEST_P(failure, of_the_kth_allocation_is_a_typed_error_and_leaves_the_old_file) {
    for (const bool forever : {false, true}) {
        for (index_t k = 0;; ++k) {
            FaultyFiles files = fresh();
            bool done = false;
            std::string trouble;
            trouble.reserve(1000);
            bool reached = false;
            {
                Context context({.threads = 1});
                {
                    const FailingNew failing(k, forever);
                    done = completes(files, context, trouble);
                    reached = FailingNew::seen() > k;
                }
                expect_intact(files, context, k);
            }
            ASSERT_EQ(trouble, "") << k;
            if (!reached) {
                ASSERT_TRUE(done);
                ASSERT_GT(k, 200) << "the loop saw the whole run";
                break;
            }
        }
    }
}

TEST_P(failure, of_an_allocation_on_any_thread_is_a_typed_error) {
    for (index_t k = 0;; k += 5) {
        FaultyFiles files = fresh();
        std::string trouble;
        trouble.reserve(1000);
        bool reached = false;
        Context context({.threads = 3});
        {
            const FailingNew failing(k, false);
            static_cast<void>(completes(files, context, trouble));
            reached = FailingNew::seen() > k;
        }
        expect_intact(files, context, k);
        ASSERT_EQ(trouble, "") << k;
        if (!reached) {
            break;
        }
    }
}

TEST_P(failure, of_the_budget_at_any_limit_is_a_typed_error) {
    index_t refusals = 0;
    for (index_t limit = 64;; limit += 192) {
        FaultyFiles files = fresh();
        Context context({.threads = 1, .memory = limit});
        std::string trouble;
        const bool done = completes(files, context, trouble);
        expect_intact(files, context, limit);
        ASSERT_EQ(trouble, "") << limit;
        if (done) {
            break;
        }
        ++refusals;
        ASSERT_LT(limit, index_t{64} << 20);
    }
    EXPECT_GT(refusals, 10);
}

TEST_P(failure, of_the_kth_file_operation_is_a_typed_error_and_leaves_the_old_file) {
    ASSERT_GT(operations_, 5);
    for (const bool forever : {false, true}) {
        for (index_t k = 0; k <= operations_; ++k) {
            FaultyFiles files = fresh();
            files.fail_at = k;
            files.fail_forever = forever;
            Context context({.threads = 1});
            std::string trouble;
            const bool done = completes(files, context, trouble);
            expect_intact(files, context, k);
            EXPECT_EQ(trouble, "") << k;
            EXPECT_EQ(done, k == operations_) << k;
        }
    }
}

/// The real file system, with one operation that fails before it is done.
class FailingFiles final : public Files {
public:
    FailingFiles(std::string folder, index_t fail_at)
        : folder_(std::move(folder)), fail_at_(fail_at) {}

    [[nodiscard]] std::unique_ptr<ReadFile> open(const std::string& path) override {
        operate("open");
        return system_files().open(folder_ + "/" + path);
    }
    [[nodiscard]] std::unique_ptr<WriteFile> create(const std::string& path) override {
        operate("create");
        return std::make_unique<Writer>(*this, system_files().create(folder_ + "/" + path));
    }
    [[nodiscard]] index_t operations() const { return operations_; }

private:
    void operate(const char* what) {
        if (operations_++ == fail_at_) {
            throw ResourceError(std::string("injected failure of ") + what);
        }
    }

    class Writer final : public WriteFile {
    public:
        Writer(FailingFiles& files, std::unique_ptr<WriteFile> file)
            : files_(files), file_(std::move(file)) {}
        void write(std::span<const char> bytes) override {
            file_->write(bytes.first(bytes.size() / 2));  // a disk that becomes full half way
            files_.operate("write");
            file_->write(bytes.subspan(bytes.size() / 2));
        }
        void write_at(index_t offset, std::span<const char> bytes) override {
            files_.operate("write_at");
            file_->write_at(offset, bytes);
        }
        void commit() override {
            files_.operate("commit");
            file_->commit();
        }

    private:
        FailingFiles& files_;
        std::unique_ptr<WriteFile> file_;
    };

    std::string folder_;
    index_t fail_at_;
    index_t operations_ = 0;
};

TEST_P(failure, on_a_real_disk_leaves_the_old_file_and_nothing_else) {
    std::string folder =
        (std::filesystem::temp_directory_path() / "mercer-failure-XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    const auto write = [&](const char* name, const std::string& text) {
        std::ofstream(folder + "/" + name, std::ios::binary) << text;
    };
    write("rows", kRows);
    index_t failures = 0;
    for (index_t k = 0;; ++k) {
        write("model", "old");
        FailingFiles files(folder, k);
        Context context({.threads = 1});
        bool done = false;
        try {
            EXPECT_EQ(run(files, context), expected_);
            done = true;
        } catch (const ResourceError& error) {
            EXPECT_NE(std::string(error.what()).find("injected"), std::string::npos);
            ++failures;
        }
        std::ostringstream text;
        text << std::ifstream(folder + "/model", std::ios::binary).rdbuf();
        EXPECT_TRUE(text.str() == "old" || text.str() == new_file_) << k;
        index_t entries = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) {
            ++entries;
        }
        EXPECT_EQ(entries, 2) << k;
        if (done) {
            break;
        }
    }
    EXPECT_GE(failures, 5);  // open, create, write, commit, open
    std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(machines, failure,
                         ::testing::Values(Machine{"svc", "none"}, Machine{"svc", "standard"},
                                           Machine{"krr", "none"}),
                         [](const auto& each) {
                             return std::string(each.param.name) + "_" + each.param.scale;
                         });

}  // namespace
}  // namespace mercer
