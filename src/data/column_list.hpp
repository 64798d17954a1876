// SPDX-License-Identifier: Apache-2.0
//
// src/data/column_list.hpp - columns that a user lists: names, numbers, ranges of numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/readers.hpp"
#include "mercer/base/types.hpp"

namespace mercer::data {

/// The columns that can be listed, and how a file counts them.
struct ListedColumns {
    const std::vector<std::string>& names;  ///< empty: the file has none
    index_t count = 0;
    index_t first = 0;  ///< number of the first column
};

/// A list of columns, read.
struct ColumnList {
    std::vector<char> chosen;  ///< one for each column
    bool by_name = false;      ///< some column was told by its name
};

/// Reads `text`: by commas names, numbers (negative: from the end) and ranges such as 2-5. A name
/// that is also a number is taken for the number unless `names_first`. Throws BadInput with
/// `source` and, beside a name, those that there are; `option` says whose list it is.
[[nodiscard]] ColumnList read_column_list(std::string_view option, const std::string& text,
                                          const ListedColumns& columns, bool names_first,
                                          const std::string& source);

/// `no column is named 'hight'; did you mean 'height'? The columns are ...`.
[[nodiscard]] std::string unknown_column(std::string_view wanted,
                                         const std::vector<std::string>& names);

/// The data without the columns that options.drop lists, or with those alone that options.only
/// lists. Sparse rows keep the numbers of their columns: what is left out reads as zero. For files
/// without names of columns.
[[nodiscard]] Dataset choose_columns(Dataset data, const Reading& reading);

}  // namespace mercer::data
