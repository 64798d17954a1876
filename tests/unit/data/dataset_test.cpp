// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/data/dataset_test.cpp - views, selections, storages and labels.
#include "mercer/data/dataset.hpp"

#include "mercer/base/error.hpp"
#include "mercer/data/convert.hpp"
#include "mercer/data/labels.hpp"
#include "unit/data/reading.hpp"

namespace mercer {
namespace {

using testing::row_of;

using Row = std::vector<double>;
using Names = std::vector<std::string>;

TEST(Dataset, an_empty_one_has_no_rows) {
    const Dataset data;
    EXPECT_EQ(data.rows(), 0);
    EXPECT_EQ(data.columns(), 0);
    EXPECT_EQ(data.stored(), 0);
    EXPECT_FALSE(data.is_sparse());
    EXPECT_EQ(Dataset(CsrView{}).rows(), 0);
}

TEST(Dataset, strided_floats_are_widened_row_by_row) {
    const std::vector<float> values{1, 2, 99, 3, 4, 99};
    const Dataset data(MatrixView<const float>(values.data(), 2, 2, 3));
    EXPECT_EQ(row_of(data, 1), (Row{3, 4}));
    EXPECT_EQ(data.stored(), 4);
    Row out(1);
    EXPECT_THROW(data.copy_row(0, out), InvalidArgument);
    out.resize(2);
    EXPECT_THROW(data.copy_row(2, out), InvalidArgument);
    EXPECT_THROW(data.copy_row(-1, out), InvalidArgument);
}

TEST(Dataset, values_that_are_not_finite_are_refused_with_row_and_column) {
    const std::vector<double> values{1, 2, 3, kNaN};
    try {
        const Dataset data(MatrixView<const double>(values.data(), 2, 2));
        FAIL();
    } catch (const InvalidArgument& error) {
        EXPECT_STREQ(error.what(), "row 1, column 1: got nan, must be finite");
    }
}

TEST(Dataset, malformed_sparse_views_are_refused) {
    const std::vector<index_t> offsets{0, 2};
    const std::vector<double> values{1, 2};
    const std::vector<double> infinite{1, kInfinity};
    const std::vector<index_t> good{0, 5};
    const std::vector<index_t> twice{3, 3};
    const std::vector<index_t> negative{-1, 3};
    const std::vector<index_t> falling{0, 3, 2};
    const std::vector<index_t> short_offsets{0, 1};
    EXPECT_NO_THROW(Dataset(CsrView{offsets, good, values, 6}));
    EXPECT_THROW(Dataset(CsrView{offsets, good, values, 5}), InvalidArgument);
    EXPECT_THROW(Dataset(CsrView{offsets, twice, values, 6}), InvalidArgument);
    EXPECT_THROW(Dataset(CsrView{offsets, negative, values, 6}), InvalidArgument);
    EXPECT_THROW(Dataset(CsrView{offsets, good, infinite, 6}), InvalidArgument);
    EXPECT_THROW(Dataset(CsrView{short_offsets, good, values, 6}), InvalidArgument);
    EXPECT_THROW(Dataset(CsrView{falling, good, values, 6}), InvalidArgument);
    EXPECT_THROW(Dataset(CsrView{{}, good, values, 6}), InvalidArgument);
    EXPECT_THROW(Dataset(MatrixView<const double>(nullptr, 2, 2)), InvalidArgument);
    EXPECT_THROW(Dataset(MatrixView<const double>(values.data(), 1, 2, 1)), InvalidArgument);
}

TEST(Dataset, rows_without_indices_hold_the_first_columns) {
    const std::vector<index_t> offsets{0, 3, 3, 4};
    const std::vector<double> values{1, 0, 3, 4};
    const CsrView view{offsets, {}, values, 5};
    const Dataset data(view);
    EXPECT_TRUE(view.gapless());
    EXPECT_TRUE(data.is_sparse());
    EXPECT_EQ(data.columns(), 5);
    EXPECT_EQ(data.stored(), 4);
    EXPECT_EQ(view.column(0, 2), 2);
    EXPECT_EQ(view.column(2, 3), 0);
    EXPECT_EQ(row_of(data, 0), (Row{1, 0, 3, 0, 0}));
    EXPECT_EQ(row_of(data, 1), (Row{0, 0, 0, 0, 0}));
    EXPECT_EQ(row_of(data, 2), (Row{4, 0, 0, 0, 0}));
    const Dataset chosen = data.select(std::vector<index_t>{2, 0, 1, 2});
    EXPECT_TRUE(std::get<CsrView>(chosen.storage()).gapless());
    EXPECT_EQ(chosen.stored(), 5);
    EXPECT_EQ(row_of(chosen, 1), (Row{1, 0, 3, 0, 0}));
    EXPECT_EQ(row_of(chosen, 3), (Row{4, 0, 0, 0, 0}));
    EXPECT_NO_THROW(Dataset(chosen.storage()));
}

TEST(Dataset, some_rows_may_have_a_list_of_columns) {
    const std::vector<index_t> offsets{0, 3, 3, 4, 6};
    const std::vector<index_t> lists{0, 0, 0, 1, 3};
    const std::vector<index_t> indices{2, 0, 4};
    const std::vector<double> values{1, 0, 3, 4, 5, 6};
    const CsrView view{offsets, indices, values, 5, lists};
    const Dataset data(view);
    EXPECT_FALSE(view.gapless());
    EXPECT_EQ(row_of(data, 0), (Row{1, 0, 3, 0, 0}));
    EXPECT_EQ(row_of(data, 1), (Row{0, 0, 0, 0, 0}));
    EXPECT_EQ(row_of(data, 2), (Row{0, 0, 4, 0, 0}));
    EXPECT_EQ(row_of(data, 3), (Row{5, 0, 0, 0, 6}));
    const Dataset mixed = data.select(std::vector<index_t>{3, 0, 1, 2});
    EXPECT_EQ(std::get<CsrView>(mixed.storage()).indices.size(), 3U);
    EXPECT_EQ(row_of(mixed, 0), (Row{5, 0, 0, 0, 6}));
    EXPECT_EQ(row_of(mixed, 1), (Row{1, 0, 3, 0, 0}));
    EXPECT_NO_THROW(Dataset(mixed.storage()));
    EXPECT_TRUE(std::get<CsrView>(data.select(std::vector<index_t>{0, 1}).storage()).gapless());
    const Dataset listed = data.select(std::vector<index_t>{3, 2});
    EXPECT_TRUE(std::get<CsrView>(listed.storage()).lists.empty());
    EXPECT_EQ(row_of(listed, 1), (Row{0, 0, 4, 0, 0}));
    const std::vector<index_t> short_list{0, 0, 0, 1, 2};
    const std::vector<index_t> two{0, 4};
    EXPECT_THROW(Dataset(CsrView{offsets, two, values, 5, short_list}), InvalidArgument);
    EXPECT_THROW(Dataset(CsrView{offsets, two, values, 5, lists}), InvalidArgument);
    const std::vector<index_t> few{0, 3};
    EXPECT_THROW(Dataset(CsrView{offsets, indices, values, 5, few}), InvalidArgument);
}

TEST(Dataset, columns_of_32_bits_are_read_where_they_lie) {
    const std::vector<index_t> offsets{0, 2, 2, 3};
    std::vector<std::int32_t> indices{0, 3, 2};
    const std::vector<double> values{1, 2, 3};
    const auto budget = std::make_shared<MemoryBudget>(0);
    const CsrView view{offsets, indices, values, 5};
    EXPECT_TRUE(view.indices.is_narrow());
    EXPECT_EQ(view.indices.size_bytes(), 12U);
    const Dataset data =
        Dataset::from_checked(view, nullptr, budget);  // nothing to pay a copy from
    EXPECT_EQ(std::get<CsrView>(data.storage()).indices.data(), indices.data());
    EXPECT_EQ(std::get<CsrView>(data.view(std::vector<index_t>{2}).source()).indices.data(),
              indices.data());
    EXPECT_EQ(row_of(data, 0), (Row{1, 0, 0, 2, 0}));
    EXPECT_EQ(row_of(data, 2), (Row{0, 0, 3, 0, 0}));
    EXPECT_EQ(view.column(0, 1), 3);
    const Dataset chosen = Dataset(view).select(std::vector<index_t>{2, 0});
    EXPECT_EQ(row_of(chosen, 0), (Row{0, 0, 3, 0, 0}));
    EXPECT_EQ(row_of(chosen, 1), (Row{1, 0, 0, 2, 0}));
    for (const std::int32_t wrong : {-1, 0, 5}) {
        indices[1] = wrong;
        EXPECT_THROW(Dataset{view}, InvalidArgument) << wrong;
    }
}

TEST(Dataset, malformed_views_without_indices_are_refused) {
    const std::vector<index_t> offsets{0, 1, 3};
    const std::vector<index_t> falling{0, 4, 3};
    const std::vector<index_t> one{0};
    const std::vector<double> values{1, 2, 3};
    const std::vector<double> infinite{1, 2, kInfinity};
    const auto refusal_of = [](const CsrView& view) -> std::string {
        try {
            const Dataset data(view);
        } catch (const InvalidArgument& error) {
            return error.what();
        }
        return "was taken";
    };
    EXPECT_EQ(refusal_of({offsets, {}, values, 2}), "was taken");
    EXPECT_EQ(refusal_of({offsets, {}, values, 1}),
              "row 1: got column 1 after 0, must ascend and be less than 1");
    EXPECT_EQ(refusal_of({offsets, {}, infinite, 2}), "row 1, column 1: got inf, must be finite");
    EXPECT_EQ(refusal_of({falling, {}, values, 9}), "row 0: its offsets do not ascend");
    EXPECT_EQ(refusal_of({offsets, one, values, 2}), "rows: the sparse view is malformed");
    EXPECT_EQ(refusal_of({offsets, {}, values, -1}), "rows: the sparse view is malformed");
    EXPECT_EQ(refusal_of({{}, {}, values, 2}), "rows: the sparse view is malformed");
}

TEST(Dataset, a_selection_of_rows_without_indices_pays_for_offsets_and_values) {
    MemoryFiles files;
    files.contents["a.svm"] = "1 1:1 2:2 3:3\n1 1:4\n";
    Context context;
    const Dataset data = read_dataset("a.svm", {}, context, files).value();
    const index_t before = context.memory()->used();
    const Dataset chosen = data.select(std::vector<index_t>(10000, 0));
    // Blocks are counted in whole lines of the cache, so a little more than the numbers.
    const index_t numbers = (10001 + 30000) * 8;
    EXPECT_GE(context.memory()->used() - before, numbers);
    EXPECT_LT(context.memory()->used() - before, numbers + 1024);
}

TEST(Dataset, selected_rows_own_their_memory_and_keep_targets_and_weights) {
    Dataset chosen;
    {
        Dataset data = testing::read_text("1 1:1 3:3\n2 2:2\n3\n4 1:4\n").value();
        data.weights = {0.1, 0.2, 0.3, 0.4};
        const std::vector<index_t> rows{3, 2, 0, 0};
        chosen = data.select(rows);
        const std::vector<index_t> outside{4};
        EXPECT_THROW((void)data.select(outside), InvalidArgument);
    }
    EXPECT_EQ(chosen.targets, (Row{4, 3, 1, 1}));
    EXPECT_EQ(chosen.weights, (Row{0.4, 0.3, 0.1, 0.1}));
    EXPECT_EQ(row_of(chosen, 0), (Row{4, 0, 0}));
    EXPECT_EQ(row_of(chosen, 1), (Row{0, 0, 0}));
    EXPECT_EQ(row_of(chosen, 3), (Row{1, 0, 3}));
    const Dataset dense = to_dense(chosen).select(std::vector<index_t>{1, 2});
    EXPECT_EQ(row_of(dense, 1), (Row{1, 0, 3}));
}

TEST(Dataset, a_view_reads_rows_where_they_lie) {
    const Dataset sparse = testing::read_text("1 1:1 3:3\n2 2:2\n3\n4 1:4\n").value();
    for (const Dataset& data : {sparse, to_dense(sparse)}) {
        const Dataset some = data.view(std::vector<index_t>{3, 2, 0, 0});
        EXPECT_TRUE(some.is_view());
        EXPECT_EQ(some.rows(), 4);
        EXPECT_EQ(some.columns(), 3);
        EXPECT_EQ(some.stored(), data.is_sparse() ? 5 : 12);
        EXPECT_EQ(some.is_sparse(), data.is_sparse());
        EXPECT_TRUE(some.targets.empty());
        EXPECT_EQ(row_of(some, 0), (Row{4, 0, 0}));
        EXPECT_EQ(row_of(some, 3), (Row{1, 0, 3}));
        EXPECT_EQ(some.source_row(2), 0);
        const Dataset fewer = some.view(std::vector<index_t>{3, 1});  // of rows 0 and 2
        EXPECT_EQ(fewer.source_row(1), 2);
        EXPECT_EQ(row_of(fewer, 0), (Row{1, 0, 3}));
        EXPECT_EQ(row_of(fewer.select(std::vector<index_t>{0}), 0), (Row{1, 0, 3}));
        EXPECT_FALSE(fewer.select(std::vector<index_t>{0}).is_view());
        EXPECT_EQ(fewer.whole().rows(), 4);
        EXPECT_THROW((void)some.view(std::vector<index_t>{4}), InvalidArgument);
        EXPECT_THROW((void)some.view(std::vector<index_t>{-1}), InvalidArgument);
        const Dataset copied(some.storage());  // the copy has the rows of the view, in its order
        EXPECT_TRUE(testing::same_data(copied, some));
        EXPECT_EQ(&some.storage(), &some.storage());
    }
}

TEST(Dataset, the_copy_of_a_view_is_paid_for_from_the_budget) {
    MemoryFiles files;
    files.contents["a.svm"] = "1 1:1\n";
    Context context(ContextOptions{.memory = 200000});
    const Dataset data = read_dataset("a.svm", {}, context, files).value();
    const Dataset many = data.view(std::vector<index_t>(100000, 0));
    EXPECT_EQ(row_of(many, 99999), (Row{1}));
    EXPECT_THROW((void)many.storage(), ResourceError);
}

TEST(Dataset, dense_and_sparse_storage_hold_the_same_rows) {
    const Dataset sparse = testing::read_text("1 1:1 3:3\n2\n3 2:5\n").value();
    const Dataset dense = to_dense(sparse);
    EXPECT_FALSE(dense.is_sparse());
    EXPECT_TRUE(testing::same_data(dense, sparse));
    const Dataset back = to_sparse(dense);
    EXPECT_TRUE(back.is_sparse());
    EXPECT_EQ(back.stored(), 3);
    EXPECT_TRUE(testing::same_data(back, sparse));
    EXPECT_NO_THROW(Dataset(back.storage()));
}

TEST(Dataset, a_selection_beyond_the_budget_is_refused) {
    MemoryFiles files;
    files.contents["a.svm"] = "1 1:1\n";
    Context context(ContextOptions{.memory = 200000});
    const Dataset data = read_dataset("a.svm", {}, context, files).value();
    EXPECT_THROW((void)data.select(std::vector<index_t>(100000, 0)), ResourceError);
}

TEST(Labels, numbers_become_classes_in_numeric_order) {
    Dataset data;
    data.targets = {10, -1, 2, 10, -0.0, 0.0};
    const Dataset classes = to_classes(data);
    EXPECT_EQ(classes.label_names, (Names{"-1", "0", "2", "10"}));
    EXPECT_EQ(classes.targets, (Row{3, 0, 2, 3, 1, 1}));
    EXPECT_EQ(target_numbers(classes), (Row{10, -1, 2, 10, 0, 0}));
    EXPECT_EQ(to_classes(classes).targets, classes.targets);
}

TEST(Labels, text_is_the_shortest_that_reads_back) {
    EXPECT_EQ(label_text(1.0), "1");
    EXPECT_EQ(label_text(-1.0), "-1");
    EXPECT_EQ(label_text(-0.0), "0");
    EXPECT_EQ(label_text(0.1), "0.1");
    EXPECT_EQ(label_text(9007199254740992.0), "9007199254740992");
}

TEST(Labels, classes_are_aligned_by_number_or_name) {
    Dataset data;
    data.targets = {1, -1, 7};
    const Dataset aligned = align_classes(data, {"+1.0", "-1"});
    EXPECT_EQ(aligned.targets, (Row{0, 1, -1}));
    Dataset named;
    named.targets = {0, 1};
    named.label_names = {"cat", "dog"};
    EXPECT_EQ(align_classes(named, {"dog", "eel"}).targets, (Row{-1, 0}));
}

TEST(Labels, rows_without_targets_have_no_classes) {
    const std::vector<double> values{1.0};
    EXPECT_THROW((void)to_classes(Dataset(MatrixView<const double>(values.data(), 1, 1))),
                 InvalidArgument);
}

}  // namespace
}  // namespace mercer
