// SPDX-License-Identifier: Apache-2.0
//
// src/data/column_list.hpp - lists of columns by name, by number and by range of numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/readers.hpp"
#include "mercer/base/types.hpp"

namespace mercer::data {

/// The columns that can be listed, and how the file numbers them.
struct ListedColumns {
    const std::vector<std::string>& names;  ///< empty: the file has none
    index_t count = 0;
    index_t first = 0;  ///< number of the first column
};

/// A list of columns, read.
struct ColumnList {
    std::vector<char> chosen;  ///< 0 or 1 for each column
    bool by_name = false;      ///< some column was given by its name
};

/// Reads `text`: names, numbers (negative: from the end) and ranges such as 2-5, separated by
/// commas. A name that is also a number is read as the number unless `names_first`. Throws BadInput
/// with `source` and, for an unknown name, the names that exist; `option` is the option it came
/// from.
[[nodiscard]] ColumnList read_column_list(std::string_view option, const std::string& text,
                                          const ListedColumns& columns, bool names_first,
                                          const std::string& source);

/// `no column is named 'hight'; did you mean 'height'? The columns are ...`.
[[nodiscard]] std::string unknown_column(std::string_view wanted,
                                         const std::vector<std::string>& names);

/// The data without the columns listed in options.drop, or with only the columns listed in
/// options.only. Sparse rows keep their column numbers: a removed column reads as zero. For files
/// without column names.
[[nodiscard]] Dataset choose_columns(Dataset data, const Reading& reading);

}  // namespace mercer::data
