// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/data/write_test.cpp - what is written reads back bit for bit, or leaves the old file.
#include "mercer/data/write.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <cmath>

#include "mercer/data/convert.hpp"
#include "mercer/data/labels.hpp"
#include "support/faulty_files.hpp"
#include "unit/data/reading.hpp"

namespace mercer {
namespace {

using testing::FaultyFiles;
using testing::same_data;

using Row = std::vector<double>;

Dataset dense(std::vector<double> values, index_t rows, index_t columns) {
    auto owner = std::make_shared<std::vector<double>>(std::move(values));
    return Dataset(MatrixView<const double>(owner->data(), rows, columns), owner);
}

/// Any finite double: all bit patterns but those of infinities and NaN; zeros are positive, for a
/// format that leaves out zeros cannot keep their sign.
double any_finite() {
    const double value = std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
    return std::isfinite(value) ? value + 0.0 : 0.0;
}

Dataset any_matrix() {
    const auto rows = *rc::gen::inRange<index_t>(1, 8);
    const auto columns = *rc::gen::inRange<index_t>(1, 6);
    std::vector<double> values;
    for (index_t i = 0; i < rows * columns; ++i) {
        values.push_back(*rc::gen::arbitrary<bool>() ? any_finite() : 0.0);
    }
    values.back() = 1.5;  // the last column occurs, so that a sparse file keeps the width
    Dataset data = dense(std::move(values), rows, columns);
    for (index_t i = 0; i < rows; ++i) {
        data.targets.push_back(any_finite());
    }
    return data;
}

Dataset round_trip(const Dataset& data, const std::string& path, const WriteOptions& options = {}) {
    FaultyFiles files;
    write_dataset(path, data, options, files);
    Context context;
    return read_dataset(path, {}, context, files).value();
}

TEST(Write, random_matrices_read_back_bit_for_bit_from_every_format) {
    EXPECT_TRUE(rc::check([] {
        const Dataset data = any_matrix();
        for (const char* path : {"a.svm", "a.csv", "a.tsv", "a.npz"}) {
            RC_ASSERT(same_data(round_trip(data, path), data));
        }
        const Dataset sparse = to_sparse(data);
        for (const char* path : {"a.svm", "a.csv", "a.npz"}) {
            RC_ASSERT(same_data(round_trip(sparse, path), data));
        }
        Dataset rows = data;
        rows.targets.clear();
        RC_ASSERT(same_data(round_trip(data, "a.npy"), rows));
    }));
}

TEST(Write, every_compression_reads_back_from_every_format) {
    Dataset data = dense({1.0, 0.1, -2e-320, 0.0, 1e308, 3.0}, 3, 2);
    data.targets = {1.0, -1.0, 0.5};
    for (const char* format : {".svm", ".csv", ".tsv", ".npz"}) {
        for (const char* suffix : {"", ".gz", ".xz", ".bz2", ".zst"}) {
            const std::string path = std::string("a") + format + suffix;
            EXPECT_TRUE(same_data(round_trip(data, path), data)) << path;
        }
    }
}

TEST(Write, libsvm_text_is_the_shortest_that_reads_back) {
    FaultyFiles files;
    Dataset data = dense({0.1, 0.0, 100.0, 1e-5, 0.0, 0.0}, 2, 3);
    data.targets = {1.0, 0.0};
    data.label_names = {"-1", "1"};
    write_libsvm("a.svm", data, false, files);
    EXPECT_EQ(files.contents["a.svm"], "1 1:0.1 3:100\n-1 1:1e-05\n");
    write_libsvm("a.svm", data, true, files);
    EXPECT_EQ(files.contents["a.svm"], "1 0:0.1 2:100\n-1 0:1e-05\n");
    data.label_names = {"cat", "dog"};
    write_libsvm("a.svm", data, false, files);
    EXPECT_EQ(files.contents["a.svm"], "1 1:0.1 3:100\n0 1:1e-05\n");
    data.targets.clear();
    write_libsvm("a.svm", data, false, files);
    EXPECT_EQ(files.contents["a.svm"], "0 1:0.1 3:100\n0 1:1e-05\n");
}

TEST(Write, csv_keeps_names_and_labels) {
    Dataset data = dense({1.0, 2.0, 3.0, 4.0}, 2, 2);
    data.targets = {1.0, 0.0};
    data.label_names = {"a \"quoted\", name", "plain"};
    data.column_names = {"first,one", "second"};
    FaultyFiles files;
    write_csv("a.csv", data, ',', files);
    EXPECT_EQ(files.contents["a.csv"],
              "\"first,one\",second,target\n1,2,plain\n3,4,\"a \"\"quoted\"\", name\"\n");
    Context context;
    const Dataset back = read_dataset("a.csv", {}, context, files).value();
    EXPECT_TRUE(same_data(back, data));
    EXPECT_EQ(back.column_names, data.column_names);
}

TEST(Write, csv_puts_target_and_query_where_they_were) {
    const std::string text = "\"the class\",x,q,y\nb,1,7,2\na,3,8,4\n";
    FaultyFiles files;
    files.contents["a.csv"] = text;
    Context context;
    const Dataset data =
        read_dataset("a.csv", {.target = "the class", .query = "q"}, context, files).value();
    EXPECT_EQ(data.target_column.name, "the class");
    EXPECT_EQ(data.target_column.place, 0);
    EXPECT_EQ(data.query_column.place, 2);
    const std::vector<index_t> both{0, 1};
    write_csv("b.csv", data.select(both), ',', files);
    EXPECT_EQ(files.contents["b.csv"], "the class,x,q,y\nb,1,7,2\na,3,8,4\n");
    Dataset last = data;
    last.target_column.place = 9;  // of a wider file
    write_csv("b.csv", last, ',', files);
    EXPECT_EQ(files.contents["b.csv"], "x,y,q,the class\n1,2,7,b\n3,4,8,a\n");
}

TEST(Write, queries_read_back_from_every_format_that_holds_targets) {
    Dataset data = dense({1, 2, 3, 4, 5, 6}, 3, 2);
    data.targets = {0, 1, 2};
    data.queries = {4, 4, -7};
    for (const char* path : {"a.svm", "a.csv", "a.tsv", "a.npz"}) {
        FaultyFiles files;
        write_dataset(path, data, {}, files);
        Context context;
        ReadOptions options;
        options.query = "qid";
        const Dataset back = read_dataset(path, options, context, files).value();
        EXPECT_TRUE(same_data(data, back)) << path;
        EXPECT_EQ(back.queries, data.queries) << path;
    }
}

TEST(Write, npz_keeps_weights_and_halves_the_width_on_request) {
    Dataset data = dense({1.0, 0.5}, 2, 1);
    data.targets = {1.0, 2.0};
    data.weights = {0.5, 3.0};
    EXPECT_TRUE(same_data(round_trip(data, "a.npz"), data));
    WriteOptions options;
    options.precision = "float32";
    const Dataset narrow = round_trip(data, "a.npz", options);
    EXPECT_TRUE(std::holds_alternative<MatrixView<const float>>(narrow.storage()));
    EXPECT_TRUE(same_data(narrow, data));
}

TEST(Write, npy_bytes_are_those_of_numpy) {
    const std::vector<double> values{1.0, 2.0};
    FaultyFiles files;
    write_npy("a.npy", MatrixView<const double>(values.data(), 1, 2), files);
    const std::string& bytes = files.contents["a.npy"];
    ASSERT_EQ(bytes.size(), 128 + 16);
    EXPECT_EQ(bytes.substr(0, 70),
              std::string("\x93NUMPY\x01\x00\x76\x00", 10) +
                  "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }" + " ");
    EXPECT_EQ(bytes[127], '\n');
}

TEST(Write, npy_writer_takes_blocks_of_any_size_and_minds_the_shape) {
    FaultyFiles files;
    NpyWriter writer("a.npy", 2, 3, Precision::float32, files);
    writer.append(std::vector<double>{1.0, 2.0});
    writer.append(std::vector<float>{3.0F, 4.0F, 5.0F});
    EXPECT_THROW(writer.commit(), InvalidArgument);
    EXPECT_THROW(writer.append(std::vector<double>{6.0, 7.0}), InvalidArgument);
    EXPECT_EQ(files.contents.count("a.npy"), 0U);
    writer.append(std::vector<double>{6.0});
    writer.commit();
    Context context;
    const Dataset data = read_dataset("a.npy", {}, context, files).value();
    EXPECT_EQ(testing::row_of(data, 0), (Row{1, 2, 3}));
    EXPECT_EQ(testing::row_of(data, 1), (Row{4, 5, 6}));
    EXPECT_THROW(NpyWriter("b.npy", -1, 2, Precision::float32, files), InvalidArgument);
}

TEST(Write, whatever_fails_the_destination_is_the_old_file_or_the_new_one) {
    Dataset data = dense(std::vector<double>(40000, 0.125), 20000, 2);
    data.targets.assign(20000, 1.0);
    for (const char* path :
         {"a.svm", "a.csv", "a.npy", "a.npz", "a.svm.gz", "a.svm.xz", "a.svm.bz2", "a.svm.zst"}) {
        FaultyFiles files;
        write_dataset(path, data, {}, files);
        const std::string fresh = files.contents[path];
        const index_t operations = files.operations;
        ASSERT_GE(operations, 3) << path;
        for (index_t k = 0; k < operations; ++k) {
            for (const bool forever : {false, true}) {
                files.contents[path] = "old";
                files.operations = 0;
                files.fail_at = k;
                files.fail_forever = forever;
                EXPECT_THROW(write_dataset(path, data, {}, files), ResourceError) << path << k;
                EXPECT_EQ(files.contents[path], "old") << path << k;
            }
        }
        files.fail_at = -1;
        write_dataset(path, data, {}, files);
        EXPECT_EQ(files.contents[path], fresh) << path;
    }
}

TEST(Write, whatever_fails_while_reading_is_a_resource_error_and_frees_all_memory) {
    FaultyFiles files;
    Dataset data = dense(std::vector<double>(4000, 0.125), 2000, 2);
    data.targets.assign(2000, 1.0);
    for (const char* path : {"a.svm", "a.csv.gz", "a.npy", "a.npz.xz"}) {
        files.fail_at = -1;
        write_dataset(path, data, {}, files);
        files.read_size = 1000;
        Context context;
        files.operations = 0;
        EXPECT_TRUE(read_dataset(path, {}, context, files).ok());
        const index_t operations = files.operations;
        for (index_t k = 0; k < operations; ++k) {
            files.operations = 0;
            files.fail_at = k;
            EXPECT_THROW((void)read_dataset(path, {}, context, files), ResourceError) << path << k;
            EXPECT_EQ(context.memory()->used(), 0);
        }
    }
}

TEST(Write, idx_and_unknown_formats_are_refused) {
    FaultyFiles files;
    EXPECT_THROW(write_dataset("a.idx", Dataset(), {}, files), InvalidArgument);
    WriteOptions options;
    options.format = "arff";
    EXPECT_THROW(write_dataset("a.svm", Dataset(), options, files), InvalidArgument);
}

}  // namespace
}  // namespace mercer
