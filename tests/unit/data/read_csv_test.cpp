// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/data/read_csv_test.cpp - headers, quotes, labels and missing values in CSV.
#include <fmt/format.h>

#include "support/faulty_files.hpp"
#include "unit/data/reading.hpp"

namespace mercer {
namespace {

using testing::read_text;
using testing::row_of;

using Row = std::vector<double>;
using Names = std::vector<std::string>;

std::string refusal(const std::string& text, const ReadOptions& options = {}) {
    return testing::refusal(text, "a.csv", options);
}

Dataset read(const std::string& text, const ReadOptions& options = {}) {
    return read_text(text, "a.csv", options).value();
}

TEST(ReadCsv, the_last_column_is_the_target) {
    const Dataset data = read("1,2,3\n4,5.5,-6e1\n");
    EXPECT_FALSE(data.is_sparse());
    EXPECT_EQ(row_of(data, 0), (Row{1, 2}));
    EXPECT_EQ(row_of(data, 1), (Row{4, 5.5}));
    EXPECT_EQ(data.targets, (Row{3, -60}));
    EXPECT_TRUE(data.column_names.empty());
}

TEST(ReadCsv, a_column_of_queries_is_taken_out_of_the_features) {
    const ReadOptions by_name{.query = "session"};
    const Dataset data = read("session,a,b,grade\n5,1,2,3\n-6,4,5.5,0\n", by_name);
    EXPECT_EQ(data.queries, (std::vector<index_t>{5, -6}));
    EXPECT_EQ(row_of(data, 1), (Row{4, 5.5}));
    EXPECT_EQ(data.targets, (Row{3, 0}));
    EXPECT_EQ(data.column_names, (std::vector<std::string>{"a", "b"}));
    const Dataset plain = read("1,9,7\n2,8,6\n", {.query = "1"});
    EXPECT_EQ(plain.queries, (std::vector<index_t>{9, 8}));
    EXPECT_EQ(row_of(plain, 0), (Row{1}));
    EXPECT_EQ(refusal("a,b\n1.5,2\n", {.query = "a"}),
              "a.csv:2:1: query column 'a': '1.5' is not a whole number of 64 bits");
    EXPECT_EQ(refusal("a,b\n1,2\n", {.query = "b"}), "a.csv:1:1: query: column 'b' is the target");
    EXPECT_EQ(refusal("a,b\n1,2\n", {.query = "c"}),
              "a.csv:1:1: query: no column is named 'c'; the columns are 'a', 'b'");
}

TEST(ReadCsv, a_header_is_found_and_names_the_columns) {
    const Dataset data = read("age, \"blood pressure\",target\n1,2,3\n");
    EXPECT_EQ(data.rows(), 1);
    EXPECT_EQ(data.column_names, (Names{"age", "blood pressure"}));
}

TEST(ReadCsv, a_header_of_numbers_and_a_target_name_is_found_by_the_second_record) {
    const Dataset numeric = read("0,1,label\n5,6,7\n");
    EXPECT_EQ(numeric.rows(), 1);
    EXPECT_EQ(numeric.column_names, (Names{"0", "1"}));
    const Dataset text = read("0,1,cat\n5,6,dog\n");
    EXPECT_EQ(text.rows(), 2);
    EXPECT_EQ(text.label_names, (Names{"cat", "dog"}));
    EXPECT_EQ(read("0,1,cat\n").rows(), 1);
}

TEST(ReadCsv, the_header_option_overrules_the_guess) {
    ReadOptions options;
    options.header = "yes";
    EXPECT_EQ(read("1,2,3\n4,5,6\n", options).rows(), 1);
    options.header = "no";
    EXPECT_EQ(
        refusal("a,b,c\n4,5,6\n", options),
        "a.csv:1:1: column 0: 'a' is not a number; text is allowed in the target column only");
}

TEST(ReadCsv, text_labels_become_classes_numbers_first) {
    const Dataset data = read("1,setosa\n2,virginica\n3,10\n4,+2\n5,2.0\n6,setosa\n");
    EXPECT_EQ(data.label_names, (Names{"2", "10", "setosa", "virginica"}));
    EXPECT_EQ(data.targets, (Row{2, 3, 1, 0, 0, 2}));
}

TEST(ReadCsv, regression_refuses_text_labels) {
    ReadOptions options;
    options.task = "regression";
    EXPECT_EQ(refusal("a,b\n1,2\n1,x\n", options),
              "a.csv:3:3: target column 'b': 'x' is not a number");
}

TEST(ReadCsv, the_target_is_found_by_name_or_index) {
    ReadOptions options;
    options.target = "b";
    Dataset data = read("a,b,c\n1,2,3\n", options);
    EXPECT_EQ(data.targets, (Row{2}));
    EXPECT_EQ(data.column_names, (Names{"a", "c"}));
    options.target = "0";
    EXPECT_EQ(read("1,2,3\n", options).targets, (Row{1}));
    options.target = "-2";
    EXPECT_EQ(read("1,2,3\n", options).targets, (Row{2}));
    options.target = "none";
    data = read("1,2,3\n", options);
    EXPECT_TRUE(data.targets.empty());
    EXPECT_EQ(data.columns(), 3);
    options.target = "zz";
    EXPECT_EQ(refusal("a,b\n1,2\n", options),
              "a.csv:1:1: target: no column is named 'zz'; the columns are 'a', 'b'");
    options.target = "2";
    EXPECT_EQ(refusal("1,2\n", options), "a.csv:1:1: target: there is no column 2; the file has 2");
    options.target = "-3";
    EXPECT_EQ(refusal("1,2\n", options),
              "a.csv:1:1: target: there is no column -3; the file has 2");
}

TEST(ReadCsv, a_column_listed_by_name_proves_a_header_and_a_number_does_not) {
    const Dataset numbered = read("1,2,0\n3,4,1\n", {.drop = "0"});
    EXPECT_EQ(numbered.rows(), 2);
    EXPECT_EQ(row_of(numbered, 0), (Row{2}));
    EXPECT_TRUE(numbered.column_names.empty());
    const Dataset named = read("id,7,8\n1,2,0\n3,4,1\n", {.drop = "id"});
    EXPECT_EQ(named.rows(), 2);
    EXPECT_EQ(row_of(named, 0), (Row{2}));
    EXPECT_EQ(named.column_names, (Names{"7"}));
}

TEST(ReadCsv, missing_values_are_refused_with_line_and_column) {
    EXPECT_EQ(refusal("a,b,c\n1,,3\n"), "a.csv:2:3: column 'b': '' is a missing value");
    EXPECT_EQ(refusal("1,2,3\n1,?,3\n"), "a.csv:2:3: column 1: '?' is a missing value");
    EXPECT_EQ(refusal("1,2,3\n1,nan,3\n"), "a.csv:2:3: column 1: 'nan' is a missing value");
    EXPECT_EQ(refusal("1,2,3\n1,2,\n"), "a.csv:2:5: target column 2: '' is a missing value");
    EXPECT_EQ(refusal("?,2,3\n"), "a.csv:1:1: column 0: '?' is a missing value");
    EXPECT_EQ(refusal("1,2,NA\n"), "a.csv:1:5: target column 2: 'NA' is a missing value");
}

TEST(ReadCsv, values_that_are_not_finite_or_not_numbers_are_refused) {
    EXPECT_EQ(refusal("1,2\n1e400,2\n"), "a.csv:2:1: column 0: '1e400' is not finite");
    EXPECT_EQ(refusal("1,2\n1,inf\n"), "a.csv:2:3: target column 1: 'inf' is not finite");
    EXPECT_EQ(refusal("x,y\nred,2\n"),
              "a.csv:2:1: column 'x': 'red' is not a number; text is allowed in the target column "
              "only");
}

TEST(ReadCsv, records_of_another_width_are_refused) {
    EXPECT_EQ(refusal("1,2,3\n1,2\n"), "a.csv:2: record has 2 fields, must have 3");
    EXPECT_EQ(refusal("1,2,3\n1,2,3,4\n"), "a.csv:2:7: record has more than 3 fields");
}

TEST(ReadCsv, quotes_hold_separators_line_ends_and_quotes) {
    const Dataset data = read("\"a,\"\"b\"\"\",\"c\nd\",y\n\"1\",\"2.5\" ,\"x\ny\"\n3,4,z\n");
    EXPECT_EQ(data.column_names, (Names{"a,\"b\"", "c\nd"}));
    EXPECT_EQ(data.label_names, (Names{"x\ny", "z"}));
}

TEST(ReadCsv, quotes_around_blank_padded_numbers_are_refused_as_text) {
    EXPECT_EQ(refusal("1,2\n\" 2.5\",3\n"),
              "a.csv:2:1: column 0: ' 2.5' is not a number; text is allowed in the target column "
              "only");
}

TEST(ReadCsv, bad_quotes_and_nul_bytes_are_refused) {
    using namespace std::string_literals;
    EXPECT_EQ(refusal("1,\"abc\n2,3\n"), "a.csv:1:3: quote is not closed");
    EXPECT_EQ(refusal("1,\"a\"b\n"), "a.csv:1:6: unexpected text after a closing quote");
    EXPECT_EQ(refusal("1,2\n3,4\0"s), "a.csv:2:4: NUL byte in the text");
    EXPECT_EQ(refusal("1,\"x\0\"\n"s), "a.csv:1:5: NUL byte in the text");
}

TEST(ReadCsv, line_ends_blanks_and_marks_do_not_matter) {
    const Dataset plain = read("1,2,3\n4,5,6\n");
    for (const char* text : {"1,2,3\r\n4,5,6\r\n", "1,2,3\n4,5,6",
                             "\xEF\xBB\xBF"
                             "1,2,3\n4,5,6\n",
                             "\n 1 , 2 ,\t3 \n  \r\n4,5,6\n\n", "1;2;3\n4;5;6\n",
                             "1\t2\t3\n4\t5\t6", "\"1\",2,\"3\"\r\n4,\"5\",6\r\n"}) {
        EXPECT_TRUE(testing::same_data(read(text), plain)) << text;
    }
    EXPECT_TRUE(testing::same_data(read_text("1\t2\t3\n4\t5\t6\n", "a.tsv").value(), plain));
}

TEST(ReadCsv, an_empty_file_has_no_rows_and_a_header_alone_names_columns) {
    EXPECT_EQ(read("").rows(), 0);
    const Dataset data = read("a,b,c\n");
    EXPECT_EQ(data.rows(), 0);
    EXPECT_EQ(data.columns(), 2);
}

TEST(ReadCsv, reads_of_any_size_give_the_same_rows) {
    std::string text = "a,b,y\n";
    for (int i = 0; i < 300; ++i) {
        text += fmt::format("{},\"{}\",\"l\n{}\"\r\n", i, i * 0.1, i % 3);
    }
    const Dataset whole = read(text);
    EXPECT_EQ(whole.rows(), 300);
    for (const index_t size : {1, 2, 5, 1000}) {
        testing::FaultyFiles files;
        files.contents["a.csv"] = text;
        files.read_size = size;
        files.sizes_known = size != 5;
        Context context;
        EXPECT_TRUE(testing::same_data(read_dataset("a.csv", {}, context, files).value(), whole));
    }
}

TEST(ReadCsv, a_long_header_is_paid_for) {
    std::string text;
    for (int i = 0; i < 200000; ++i) {
        text += "a,";
    }
    testing::FaultyFiles files;
    files.contents["a.csv"] = text + "a\n";
    Context context(ContextOptions{.memory = 4 << 20});
    EXPECT_THROW((void)read_dataset("a.csv", {}, context, files), ResourceError);
}

TEST(ReadCsv, many_text_labels_are_paid_for) {
    std::string text;
    for (int i = 0; i < 50000; ++i) {
        text += fmt::format("1,label{}\n", i);
    }
    testing::FaultyFiles files;
    files.contents["a.csv"] = text;
    Context context(ContextOptions{.memory = 4 << 20});
    EXPECT_THROW((void)read_dataset("a.csv", {}, context, files), ResourceError);
}

}  // namespace
}  // namespace mercer
