// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/data/read_libsvm_test.cpp - what LIBSVM text may say, and what is refused where.
#include <fmt/format.h>

#include <clocale>

#include "data/bad_input.hpp"
#include "data/text_blocks.hpp"
#include "mercer/data/entries.hpp"
#include "mercer/data/labels.hpp"
#include "support/faulty_files.hpp"
#include "unit/data/reading.hpp"

namespace mercer {
namespace {

using testing::read_text;
using testing::refusal;
using testing::row_of;

using Row = std::vector<double>;

TEST(ReadLibsvm, labels_indices_and_values_are_kept) {
    const Dataset data = read_text("+1 1:0.5 3:-2e3\n-1 2:.25\n").value();
    EXPECT_TRUE(data.is_sparse());
    EXPECT_EQ(data.rows(), 2);
    EXPECT_EQ(data.columns(), 3);
    EXPECT_EQ(data.stored(), 3);
    EXPECT_EQ(row_of(data, 0), (Row{0.5, 0.0, -2000.0}));
    EXPECT_EQ(row_of(data, 1), (Row{0.0, 0.25, 0.0}));
    EXPECT_EQ(data.targets, (Row{1.0, -1.0}));
    EXPECT_TRUE(data.label_names.empty());
}

TEST(ReadLibsvm, queries_stand_after_the_label_of_every_row) {
    const Dataset data = read_text("2 qid:7 1:0.5\n1 qid:-1\n3\tqid:7 2:1 # best\n").value();
    EXPECT_EQ(data.queries, (std::vector<index_t>{7, -1, 7}));
    EXPECT_EQ(data.targets, (Row{2.0, 1.0, 3.0}));
    EXPECT_EQ(row_of(data, 2), (Row{0.0, 1.0}));
    const std::vector<index_t> some{2, 1};
    EXPECT_EQ(data.select(some).queries, (std::vector<index_t>{7, -1}));
    EXPECT_TRUE(read_text("1 1:1\n").value().queries.empty());
}

TEST(ReadLibsvm, integer_labels_that_doubles_do_not_tell_apart_are_refused) {
    for (const char* label :
         {"9007199254740993", "-9007199254740993", "+00123456789012345678901"}) {
        const Result<Dataset> result = read_text("1 1:1\n" + std::string(label) + " 1:1\n");
        ASSERT_FALSE(result.ok()) << label;
        EXPECT_EQ(result.diagnostic().line, 2);
        EXPECT_EQ(result.diagnostic().column, 1);
        EXPECT_NE(result.diagnostic().message.find("beyond 2^53"), std::string::npos);
        EXPECT_TRUE(read_text(std::string(label) + " 1:1\n", "a.svm", {.task = "regression"}).ok());
    }
    EXPECT_TRUE(read_text("9007199254740992 1:1\n-0009007199254740992 1:1\n1e20 1:1\n").ok());
}

TEST(ReadLibsvm, index_beyond_32_bits_does_not_wrap) {
    const Dataset data = read_text("1 4294967297:1\n").value();
    EXPECT_EQ(data.columns(), 4294967297);
    EXPECT_EQ(std::get<CsrView>(data.storage()).indices[0], 4294967296);
    EXPECT_EQ(data.stored(), 1);
}

/// Column of every entry, from the text alone.
std::vector<index_t> columns_in(const std::string& text, index_t base) {
    std::vector<index_t> columns;
    for (std::size_t colon = text.find(':'); colon != std::string::npos;
         colon = text.find(':', colon + 1)) {
        const std::size_t begin = text.find_last_of(" \n", colon) + 1;
        columns.push_back(std::stoll(text.substr(begin, colon - begin)) - base);
    }
    return columns;
}

TEST(ReadLibsvm, columns_are_listed_where_a_row_has_a_gap) {
    const std::string gapless[] = {
        "1 1:1\n", "1 1:1 2:2 3:3\n-1 1:4 2:5 3:6\n",
        "1\n-1 1:4 2:5\n1\n\n# nothing\n1 1:0\n1\n",  // empty rows, other lengths
    };
    for (const std::string& text : gapless) {
        const Dataset data = read_text(text).value();
        const auto& rows = std::get<CsrView>(data.storage());
        EXPECT_TRUE(rows.gapless()) << text;
        EXPECT_EQ(rows.values.size(), columns_in(text, 1).size()) << text;
        EXPECT_NO_THROW(Dataset(data.storage())) << text;
    }
    const std::string gapped[] = {
        "1 2:1\n-1 1:1 2:2\n",                               // the first entry
        "1 1:1 3:1\n-1 1:1 2:2\n",                           // the first row
        "1 1:1 2:2\n1\n-1 1:3 2:4 4:5 9:6\n1 1:7 2:8\n1\n",  // a row in the middle
        "1 1:1 2:2\n-1 1:3\n1 1:1 2:2 4:3",                  // the last entry
        "1\n1\n-1 3:1\n",                                    // after empty rows
    };
    for (const std::string& text : gapped) {
        const Dataset data = read_text(text).value();
        const auto& rows = std::get<CsrView>(data.storage());
        std::vector<index_t> found;
        index_t listed = 0;
        for (index_t i = 0; i < rows.rows(); ++i) {
            index_t previous = -1;
            bool gap = false;
            for (index_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k) {
                found.push_back(rows.column(i, k));
                gap = gap || found.back() != previous + 1;
                previous = found.back();
            }
            EXPECT_EQ(rows.list(i).empty(), !gap) << text << i;
            listed += gap ? rows.offsets[i + 1] - rows.offsets[i] : 0;
        }
        EXPECT_EQ(found, columns_in(text, 1)) << text;
        EXPECT_EQ(static_cast<index_t>(rows.indices.size()), listed) << text;
        EXPECT_NO_THROW(Dataset(data.storage())) << text;
    }
}

TEST(ReadLibsvm, a_late_gap_in_a_long_file_lists_the_columns_of_its_row) {
    for (const bool zero_based : {false, true}) {
        Random random(5);
        std::string text;
        const index_t base = zero_based ? 0 : 1;
        for (int row = 0; row < 4000; ++row) {  // more than one block of text
            text += "1";
            const auto length = static_cast<index_t>(random.below(40));
            for (index_t k = 0; k < length; ++k) {
                text += fmt::format(" {}:{}", k + base, row + 0.25 * static_cast<double>(k));
            }
            text += '\n';
        }
        ReadOptions options;
        options.zero_based = zero_based;
        const Dataset before = read_text(text, "a.svm", options).value();
        EXPECT_TRUE(std::get<CsrView>(before.storage()).gapless());
        text += fmt::format("1 {}:1 {}:1\n", base, base + 2);
        const Dataset after = read_text(text, "a.svm", options).value();
        const auto& rows = std::get<CsrView>(after.storage());
        EXPECT_EQ(rows.indices.visit(
                      [](auto list) { return std::vector<index_t>(list.begin(), list.end()); }),
                  (std::vector<index_t>{0, 2}));
        std::vector<index_t> found;
        data::for_each_entry(after, [&](index_t, index_t j, double) { found.push_back(j); });
        EXPECT_EQ(found, columns_in(text, base));
        for (index_t i = 0; i < before.rows(); i += 97) {
            ASSERT_EQ(row_of(before, i), row_of(after, i));
        }
    }
}

TEST(ReadLibsvm, gapless_rows_take_no_memory_for_columns) {
    testing::FaultyFiles files;
    std::string& text = files.contents["a.svm"];
    for (int row = 0; row < 20000; ++row) {
        text += "1 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8\n";
    }
    files.contents["b.svm"] = text + "1 2:1\n";
    Context context;
    const Dataset data = read_dataset("a.svm", {}, context, files).value();
    const index_t gapless = context.memory()->used();
    // Values, offsets and targets; memory is counted in pages.
    const index_t numbers = (20000 * 8 + 20001 + 20000) * 8;
    EXPECT_GE(gapless, numbers);
    EXPECT_LT(gapless, numbers + 3 * 4096);
    const Dataset other = read_dataset("b.svm", {}, context, files).value();
    // One row with a gap: a list of one column, and where each row's list begins.
    EXPECT_GE(context.memory()->used() - gapless, numbers + 20001 * 8);
    EXPECT_LT(context.memory()->used() - gapless, numbers + 20001 * 8 + 5 * 4096 + 1024);
}

TEST(ReadLibsvm, indices_up_to_63_bits_are_exact_and_larger_ones_refused) {
    EXPECT_EQ(read_text("1 4611686018427387904:1").value().columns(), index_t{1} << 62);
    EXPECT_EQ(read_text("1 9223372036854775807:1").value().columns(), INT64_MAX);
    EXPECT_EQ(read_text("1 00000000000000000000000003:1").value().columns(), 3);
    EXPECT_EQ(refusal("1 9223372036854775808:1"),
              "a.svm:1:3: index: '9223372036854775808:1' does not fit 64 bits");
    EXPECT_EQ(refusal("1 18446744073709551617:1"),
              "a.svm:1:3: index: '18446744073709551617:1' does not fit 64 bits");
    ReadOptions options;
    options.zero_based = true;
    EXPECT_EQ(refusal("1 9223372036854775807:1", "a.svm", options),
              "a.svm:1:3: index: '9223372036854775807:1' does not fit 64 bits");
}

TEST(ReadLibsvm, counts_and_offsets_are_64_bit) {
    static_assert(sizeof(index_t) == 8);
    static_assert(std::is_same_v<decltype(CsrView::offsets)::value_type, const index_t> ||
                  std::is_same_v<decltype(CsrView::offsets)::element_type, const index_t>);
    static_assert(std::is_same_v<decltype(CsrView{}.rows()), index_t>);
    const Dataset data = read_text("1 2:1\n").value();
    EXPECT_FALSE(std::get<CsrView>(data.storage()).indices.is_narrow());
}

TEST(ReadLibsvm, the_widest_index_does_not_change_the_width_of_other_rows) {
    const Dataset data = read_text("1 2147483649:1\n-1 1:2\n").value();
    EXPECT_EQ(data.columns(), 2147483649);
    const std::vector<index_t> second{1};
    EXPECT_EQ(data.select(second).columns(), 2147483649);
}

TEST(ReadLibsvm, wide_rows_take_memory_by_entries_not_by_columns) {
    testing::FaultyFiles files;
    files.contents["a.svm"] = "1 2147483649:1\n-1 1000000:1\n";
    Context context(ContextOptions{.memory = 1 << 20});
    const Dataset data = read_dataset("a.svm", {}, context, files).value();
    EXPECT_EQ(data.columns(), 2147483649);
    EXPECT_LT(context.memory()->peak(), 1 << 20);
}

TEST(ReadLibsvm, index_zero_is_refused_with_advice_unless_the_file_counts_from_zero) {
    EXPECT_EQ(refusal("1 0:1 1:2"),
              "a.svm:1:3: index: 0 in a file that counts from 1; if it counts from 0, read it with "
              "zero_based (--zero-based)");
    ReadOptions options;
    options.zero_based = true;
    const Dataset data = read_text("1 0:1 1:2", "a.svm", options).value();
    EXPECT_EQ(row_of(data, 0), (Row{1.0, 2.0}));
}

TEST(ReadLibsvm, indices_must_ascend_without_duplicates) {
    EXPECT_EQ(refusal("1 2:1 1:2"), "a.svm:1:7: index: 1 after 2; indices must ascend");
    EXPECT_EQ(refusal("1 2:1 2:2"), "a.svm:1:7: index: 2 occurs twice in the line");
}

TEST(ReadLibsvm, numbers_that_are_not_finite_are_refused_and_subnormal_ones_read) {
    EXPECT_EQ(refusal("1 1:1\n1 1:nan\n"), "a.svm:2:5: value: 'nan' is not finite");
    EXPECT_EQ(refusal("1 1:-inf\n"), "a.svm:1:5: value: '-inf' is not finite");
    EXPECT_EQ(refusal("1 1:1e400\n"), "a.svm:1:5: value: '1e400' is not finite");
    EXPECT_EQ(refusal("nan 1:1\n"), "a.svm:1:1: label: 'nan' is not finite");
    EXPECT_EQ(refusal("1e999\n"), "a.svm:1:1: label: '1e999' is not finite");
    const Dataset data = read_text("1e-320 1:1e-320 2:1e-400 3:1.7976931348623157e308\n").value();
    EXPECT_EQ(data.targets, (Row{1e-320}));
    EXPECT_EQ(row_of(data, 0), (Row{1e-320, 0.0, 1.7976931348623157e308}));
}

TEST(ReadLibsvm, text_labels_are_refused) {
    EXPECT_EQ(refusal("1 1:1\nUNK 1:1\n"), "a.svm:2:1: label: 'UNK' is not a number");
    EXPECT_EQ(refusal("1,2 1:1\n"),
              "a.svm:1:2: label: '1,2' has several labels; one per row is supported");
    EXPECT_EQ(refusal("1:2 2:3\n"), "a.svm:1:1: label: missing; the line starts with '1:2'");
}

TEST(ReadLibsvm, query_groups_are_refused) {
    EXPECT_EQ(refusal("1 1:1 qid:3\n"),
              "a.svm:1:7: qid: stands once, between the label and the first index");
    EXPECT_EQ(refusal("1 qid:3 qid:3 1:1\n"),
              "a.svm:1:9: qid: stands once, between the label and the first index");
    EXPECT_EQ(refusal("1 qid:3 1:1\n2 1:1\n"),
              "a.svm:2:3: qid: missing; every row has its query, or none has");
    EXPECT_EQ(refusal("1 1:1\n2 qid:3 1:1\n"),
              "a.svm:2:3: qid: the rows before have none; every row has its query, or none has");
    EXPECT_EQ(refusal("1 qid:a 1:1\n"),
              "a.svm:1:3: qid: 'qid:a' does not name a query by a whole number of 64 bits");
}

TEST(ReadLibsvm, embedded_nul_is_refused_with_its_place) {
    using namespace std::string_literals;
    EXPECT_EQ(refusal("1 1:1\n1 1:2\0 3:4\n1 1:1\n"s), "a.svm:2:6: NUL byte in the text");
    EXPECT_EQ(refusal("1 1:1\n\0"s), "a.svm:2:1: NUL byte in the text");
    EXPECT_EQ(refusal("1 1:1 # a\0b\n"s), "a.svm:1:10: NUL byte in the text");
    EXPECT_EQ(refusal("1 \0:1\n"s), "a.svm:1:3: NUL byte in the text");
    EXPECT_EQ(refusal("1 3\0:1\n"s), "a.svm:1:4: NUL byte in the text");
    EXPECT_EQ(refusal("1 3:\0"s), "a.svm:1:5: NUL byte in the text");
}

TEST(ReadLibsvm, line_ends_blanks_comments_and_marks_do_not_matter) {
    const Dataset plain = read_text("1 1:1 2:2\n-1\n0.5 2:3\n").value();
    for (const char* text : {
             "1 1:1 2:2\n-1\n0.5 2:3",
             "1 1:1 2:2\r\n-1\r\n0.5 2:3\r\n",
             "\xEF\xBB\xBF"
             "1 1:1 2:2\n-1\n0.5 2:3\n",
             "\n\n1 1:1 2:2\n   \n-1 \n\t\n0.5 2:3 \t \n\n",
             "# a comment\n1 1:1 2:2 # 3:4\n-1#none\n#\n0.5\t2:3#\n",
             "  +1   1:1.0\t2:2.\r\n  -1\r\n5e-1 2:3.",
         }) {
        EXPECT_TRUE(testing::same_data(read_text(text).value(), plain)) << text;
    }
}

TEST(ReadLibsvm, malformed_entries_are_refused_with_their_place) {
    EXPECT_EQ(refusal("1 1:1 2:\n"), "a.svm:1:9: value: missing after ':'");
    EXPECT_EQ(refusal("1 1:"), "a.svm:1:5: value: missing after ':'");
    EXPECT_EQ(refusal("1 :1\n"), "a.svm:1:3: index: missing before ':'");
    EXPECT_EQ(refusal("1 1:2:3\n"), "a.svm:1:6: value: '2:3' is not a number");
    EXPECT_EQ(refusal("1;2\n"), "a.svm:1:2: label: '1;2' is not a number");
    EXPECT_EQ(refusal("1 1;2\n"), "a.svm:1:4: index: expected ':' after '1' in '1;2'");
    EXPECT_EQ(refusal("1 5\n"), "a.svm:1:4: index: expected ':' after '5' in '5'");
    EXPECT_EQ(refusal("1 -1:2\n"),
              "a.svm:1:3: index: '-1:2' is not index:value with a whole index >= 1");
    EXPECT_EQ(refusal("1 1: 2\n"), "a.svm:1:5: value: missing after ':'");
    EXPECT_EQ(refusal("1 1:0x10\n"), "a.svm:1:6: value: '0x10' is not a number");
    EXPECT_EQ(refusal("1 1:1,5\n"), "a.svm:1:6: value: '1,5' is not a number");
    EXPECT_EQ(refusal("1 1:+-1\n"), "a.svm:1:5: value: '+-1' is not a number");
    EXPECT_EQ(refusal("1 1:1e\n"), "a.svm:1:6: value: '1e' is not a number");
    EXPECT_EQ(refusal("1 1:1\r2:3\n"), "a.svm:1:6: value: '1\\x0D2:3' is not a number");
    EXPECT_EQ(refusal("1 1:0.5\n\n# x\n1 1:0.5 2:0.5 3:abc 4:1\n", "heart.svm"),
              "heart.svm:4:17: value: 'abc' is not a number");
}

TEST(ReadLibsvm, empty_text_is_a_dataset_without_rows) {
    for (const char* text : {"", "\n", "# nothing\n", "\xEF\xBB\xBF", "  "}) {
        const Dataset data = read_text(text).value();
        EXPECT_EQ(data.rows(), 0);
        EXPECT_EQ(data.columns(), 0);
    }
}

TEST(ReadLibsvm, narrow_files_are_padded_to_the_columns_asked_for) {
    ReadOptions options;
    options.columns = 5;
    EXPECT_EQ(read_text("1 2:1\n", "a.svm", options).value().columns(), 5);
    EXPECT_EQ(read_text("1 7:1\n", "a.svm", options).value().columns(), 7);
}

TEST(ReadLibsvm, short_decimals_and_long_ones_round_alike) {
    for (const char* number : {"0.1", "123456789012345", "1234567890123456789", "0.300000000000004",
                               "0.3000000000000004", "-0", "9007199254740993", "1e22", "1e23",
                               "100000000000000000000000", "2.2250738585072011e-308", "5e-324"}) {
        const Dataset data =
            read_text(fmt::format("{} 1:{}\n", number, number), "a.svm", {.task = "regression"})
                .value();
        EXPECT_EQ(data.targets[0], std::strtod(number, nullptr)) << number;
        EXPECT_EQ(row_of(data, 0)[0], std::strtod(number, nullptr)) << number;
    }
}

TEST(ReadLibsvm, decimal_commas_of_a_locale_change_nothing) {
    const char* set = std::setlocale(LC_ALL, "de_DE.UTF-8");
    if (set == nullptr) {
        set = std::setlocale(LC_ALL, "de_DE");
    }
    const Dataset data = read_text("1.5 1:0.25\n").value();
    const std::string name = label_text(1.5);
    std::setlocale(LC_ALL, "C");
    EXPECT_EQ(data.targets, (Row{1.5}));
    EXPECT_EQ(row_of(data, 0), (Row{0.25}));
    EXPECT_EQ(name, "1.5");
    if (set == nullptr) {
        GTEST_SKIP();
    }
}

TEST(ReadLibsvm, labels_that_differ_after_the_point_are_different_classes) {
    const Dataset data = to_classes(read_text("1.7 1:1\n1.2 1:2\n1.7 1:3\n").value());
    EXPECT_EQ(data.label_names, (std::vector<std::string>{"1.2", "1.7"}));
    EXPECT_EQ(data.targets, (Row{1.0, 0.0, 1.0}));
}

TEST(ReadLibsvm, reads_of_any_size_give_the_same_rows) {
    std::string text = "\xEF\xBB\xBF";
    for (int i = 0; i < 500; ++i) {
        text += fmt::format("{} {}:{} {}:{} # {}\r\n", i % 3, i + 1, i * 0.1, 2 * i + 2, -i, i);
    }
    const Dataset whole = read_text(text).value();
    for (const index_t size : {1, 2, 3, 7, 4096}) {
        for (const bool known : {true, false}) {
            testing::FaultyFiles files;
            files.contents["a.svm"] = text;
            files.read_size = size;
            files.sizes_known = known;
            Context context;
            EXPECT_TRUE(
                testing::same_data(read_dataset("a.svm", {}, context, files).value(), whole));
        }
    }
}

TEST(ReadLibsvm, rows_longer_than_a_block_are_read_whole) {
    std::string text = "1 1:1\n-1";
    for (int j = 1; j <= 200000; ++j) {
        text += fmt::format(" {}:{}", j, j * 0.5);
    }
    const Dataset data = read_text(text + "\n1 2:2\n").value();
    EXPECT_EQ(data.rows(), 3);
    EXPECT_EQ(data.stored(), 200002);
    EXPECT_EQ(data.columns(), 200000);
    EXPECT_EQ(row_of(data, 1)[199999], 100000.0);
}

TEST(ReadLibsvm, a_line_beyond_the_limit_is_refused_with_its_number) {
    testing::FaultyFiles files;
    files.contents["a"] = "1 1:1\n" + std::string(5000, ' ');
    files.sizes_known = false;
    Context context;
    const auto source = data::open_source("a", "a", context, files);
    data::TextBlocks blocks(*source, "a", context, 1024);
    EXPECT_EQ(data::TextBlocks::kLongestLine, index_t{1} << 30);
    std::string large = std::string(1 << 20, 'x');
    files.contents["b"] = large;
    const auto other = data::open_source("b", "b", context, files);
    data::TextBlocks long_line(*other, "b", context, 1024);
    long_line.line = 7;
    try {
        (void)long_line.next();
        FAIL();
    } catch (const data::BadInput& bad) {
        EXPECT_EQ(bad.diagnostic.text(), "b:7: line is longer than 1.0 KiB");
    }
}

TEST(ReadLibsvm, a_budget_that_is_too_small_ends_in_a_resource_error) {
    std::string text;
    for (int i = 0; i < 20000; ++i) {
        text += fmt::format("{} 1:{} 5:{} 9:{}\n", i % 2, i, i + 1, i + 2);
    }
    testing::FaultyFiles files;
    files.contents["a.svm"] = text;
    for (const index_t memory : {1, 4096, 100000, 300000, 1000000}) {
        Context context(ContextOptions{.memory = memory});
        EXPECT_THROW((void)read_dataset("a.svm", {}, context, files), ResourceError);
        EXPECT_EQ(context.memory()->used(), 0);
    }
    // 60,000 entries of 16 bytes, 20,000 offsets and targets twice: the peak stays near the result.
    Context context(ContextOptions{.memory = 2000000});
    const Dataset data = read_dataset("a.svm", {}, context, files).value();
    EXPECT_EQ(data.stored(), 60000);
}

TEST(ReadLibsvm, the_result_stays_charged_while_it_lives) {
    Context context;
    testing::FaultyFiles files;
    files.contents["a.svm"] = "1 1:1\n";
    {
        const Dataset data = read_dataset("a.svm", {}, context, files).value();
        EXPECT_GT(context.memory()->used(), 0);
    }
    EXPECT_EQ(context.memory()->used(), 0);
}

TEST(ReadLibsvm, a_stop_request_interrupts_reading) {
    std::atomic<bool> stop = true;
    Context context(ContextOptions{.stop_flag = &stop});
    testing::FaultyFiles files;
    files.contents["a.svm"] = "1 1:1\n";
    EXPECT_THROW((void)read_dataset("a.svm", {}, context, files), Interrupted);
}

TEST(ReadDataset, a_missing_file_and_a_bad_option_throw) {
    Context context;
    testing::FaultyFiles files;
    EXPECT_THROW((void)read_dataset("none.svm", {}, context, files), DataError);
    ReadOptions options;
    options.format = "arff";
    EXPECT_THROW((void)read_dataset("none.svm", options, context, files), InvalidArgument);
}

TEST(ReadDataset, the_format_follows_suffix_then_content) {
    EXPECT_EQ(format_of_path("dir.csv/heart_scale"), "");
    EXPECT_EQ(format_of_path("a.t.bz2"), "libsvm");
    EXPECT_EQ(format_of_path("A.CSV.gz"), "csv");
    EXPECT_EQ(format_of_path("train-images-idx3-ubyte.gz"), "idx");
    EXPECT_EQ(read_text("1,2,3\n4,5,6\n", "data").value().columns(), 2);
    EXPECT_EQ(read_text("1\t2\t3\n", "data.txt").value().columns(), 2);
    EXPECT_EQ(read_text("1 5:3\n", "data").value().columns(), 5);
    EXPECT_EQ(read_text("# x,y\n\n1 5:3\n", "-").value().columns(), 5);
    EXPECT_EQ(refusal("1 1:x", "-"), "<stdin>:1:5: value: 'x' is not a number");
    EXPECT_EQ(refusal("1,2,3\n", "a.svm"),
              "a.svm:1:2: label: '1,2,3' has several labels; one per row is supported");
}

TEST(ReadDataset, the_task_decides_what_targets_become) {
    ReadOptions options;
    options.task = "classification";
    const Dataset data = read_text("+1 1:1\n-1 1:2\n1.0 1:3", "a.svm", options).value();
    EXPECT_EQ(data.label_names, (std::vector<std::string>{"-1", "1"}));
    EXPECT_EQ(data.targets, (Row{1.0, 0.0, 1.0}));
}

}  // namespace
}  // namespace mercer
