// SPDX-License-Identifier: Apache-2.0
//
// mercer/data/dataset.hpp - rows, dense or sparse, with their targets, weights and label names.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/index_list.hpp"
#include "mercer/runtime/memory.hpp"

namespace mercer {

/// Compressed sparse rows, borrowed. Row i holds values[offsets[i] .. offsets[i+1]) and a list of
/// their column indices, ascending, without duplicates, in 32-bit or 64-bit integers.
///
/// A row without a gap, whose values are those of columns 0, 1, ... in turn, needs no list. If some
/// rows have none, `lists` tells where the lists of the others begin; if no row has one, `indices`
/// is empty. All forms of the same rows are equivalent; without lists they take half the memory.
struct CsrView {
    std::span<const index_t> offsets;  ///< rows + 1 entries, the first 0
    IndexList indices;                 ///< column indices of the rows that have a list
    std::span<const double> values;
    index_t column_count = 0;
    std::span<const index_t> lists = {};  ///< rows + 1 positions in `indices`; empty: `offsets`

    /// True when no row has a list; also when there are no entries at all.
    [[nodiscard]] bool gapless() const noexcept { return indices.empty(); }

    [[nodiscard]] std::span<const double> row_values(index_t i) const noexcept {
        const auto row = static_cast<std::size_t>(i);
        return values.subspan(static_cast<std::size_t>(offsets[row]),
                              static_cast<std::size_t>(offsets[row + 1] - offsets[row]));
    }
    /// The columns of row i; empty when it has no gap.
    [[nodiscard]] IndexList list(index_t i) const noexcept {
        if (gapless()) {
            return {};
        }
        const auto row = static_cast<std::size_t>(i);
        const std::span<const index_t>& begins = lists.empty() ? offsets : lists;
        return indices.subspan(static_cast<std::size_t>(begins[row]),
                               static_cast<std::size_t>(begins[row + 1] - begins[row]));
    }

    /// Column of entry k, which belongs to row i.
    [[nodiscard]] index_t column(index_t i, index_t k) const noexcept {
        const IndexList columns = list(i);
        const index_t place = k - offsets[static_cast<std::size_t>(i)];
        return columns.empty() ? place : columns[static_cast<std::size_t>(place)];
    }

    [[nodiscard]] index_t rows() const noexcept {
        return offsets.empty() ? 0 : static_cast<index_t>(offsets.size()) - 1;
    }
};

/// The rows themselves in one of the three kinds of storage.
using RowStorage = std::variant<MatrixView<const float>, MatrixView<const double>, CsrView>;

/// Name and position in the file of a column that is not a feature.
struct FileColumn {
    std::string name;    ///< empty: the file had no header
    index_t place = -1;  ///< among all columns of the file, from 0; -1: not known
};

/// Names of the columns of a file with a header; empty: there was no header.
struct ColumnNames {
    std::vector<std::string> features;
    std::string target;

    [[nodiscard]] bool empty() const noexcept { return features.empty(); }
};

/// A set of rows. Copying copies views, never numbers: owned memory is shared.
///
/// A Dataset either borrows memory the caller keeps alive, or shares ownership of it through
/// `owner`. All values are finite: the readers and the checked constructors refuse anything else
/// and report its row and column.
class Dataset {
public:
    Dataset() = default;

    /// Rows from a view. `owner` (may be null: borrowed) is kept alive with the Dataset.
    /// Throws InvalidArgument on a malformed view or a value that is not finite.
    explicit Dataset(RowStorage rows, std::shared_ptr<const void> owner = nullptr);

    /// Rows whose form and values the caller has already checked; they are not checked again.
    /// Blocks made from this Dataset later are allocated from `budget` (null: no limit).
    [[nodiscard]] static Dataset from_checked(RowStorage rows, std::shared_ptr<const void> owner,
                                              std::shared_ptr<MemoryBudget> budget);

    [[nodiscard]] index_t rows() const noexcept;
    [[nodiscard]] index_t columns() const noexcept;
    [[nodiscard]] bool is_sparse() const noexcept;
    /// Stored entries: rows * columns when dense.
    [[nodiscard]] index_t stored() const noexcept;
    /// The rows as they lie in memory. The rows of a view are copied on the first call; throws
    /// ResourceError when they do not fit.
    [[nodiscard]] const RowStorage& storage() const;
    /// The storage that holds the rows: row i is its row source_row(i). Never copies.
    [[nodiscard]] const RowStorage& source() const noexcept { return rows_; }
    [[nodiscard]] index_t source_row(index_t i) const noexcept {
        return chosen_ == nullptr ? i : (*chosen_)[static_cast<std::size_t>(i)];
    }
    [[nodiscard]] bool is_view() const noexcept { return chosen_ != nullptr; }
    /// The budget that pays for blocks derived from this Dataset; never null.
    [[nodiscard]] std::shared_ptr<MemoryBudget> budget() const;

    /// Writes row i, widened to double and with its zeros, into `out` (columns() long).
    void copy_row(index_t i, std::span<double> out) const;

    /// Targets: empty, or one double per row. For classes, an index into label_names().
    std::vector<double> targets;
    /// Row weights: empty (all 1) or one double >= 0 per row.
    std::vector<double> weights;
    /// Query of each row (`qid:` of LIBSVM text): empty (all rows are of one query) or one integer
    /// per row. Ranking compares the rows of a query with each other.
    std::vector<index_t> queries;
    /// Names of the classes in ascending order (numbers numerically, then text); empty when the
    /// targets are numbers to regress on.
    std::vector<std::string> label_names;
    /// Names of the columns if the file had a header; otherwise empty.
    std::vector<std::string> column_names;
    /// Where the file had the targets and the queries, so that a copy can be written in the same
    /// way.
    FileColumn target_column;
    FileColumn query_column;
    /// The numbers of the file were written with a decimal comma.
    bool decimal_comma = false;

    /// The rows of the given indices, in that order, with targets, weights and queries. Owns its
    /// memory. Throws InvalidArgument for an index out of range, ResourceError when it does not
    /// fit.
    [[nodiscard]] Dataset select(std::span<const index_t> rows) const;

    /// A view of the same rows, without a copy: code that reads rows one by one (copy_row(), the
    /// layout of kernel engines, select()) reads them in their place. Targets, weights and queries
    /// are left out. Throws InvalidArgument for an index out of range.
    [[nodiscard]] Dataset view(std::span<const index_t> rows) const;

    /// All rows of source(), without targets, weights and queries.
    [[nodiscard]] Dataset whole() const { return from_checked(rows_, owner_, budget_); }

    /// This Dataset with other rows: targets, weights, queries and label names stay. Throws
    /// InvalidArgument when the number of rows differs.
    [[nodiscard]] Dataset with_rows(RowStorage rows, std::shared_ptr<const void> owner) const;

private:
    /// The rows of a view, copied on first use.
    struct Copy;

    void require_rows(std::span<const index_t> rows, const char* what) const;
    [[nodiscard]] std::vector<index_t> source_rows(std::span<const index_t> rows) const;

    RowStorage rows_ = MatrixView<const double>{};
    std::shared_ptr<const std::vector<index_t>> chosen_;  ///< of a view: its rows in rows_
    std::shared_ptr<Copy> copy_;                          ///< of a view
    std::shared_ptr<const void> owner_;
    std::shared_ptr<MemoryBudget> budget_;
};

}  // namespace mercer
