// SPDX-License-Identifier: Apache-2.0
//
// src/data/csv_columns.hpp - what each column of a CSV file is for.
#pragma once

#include <string>
#include <vector>

#include "mercer/data/read.hpp"

namespace mercer::data {

/// True for the marks that spreadsheets and other programs write for a missing value.
[[nodiscard]] bool is_missing(std::string_view text);

/// The roles of the columns, from the first record and the options.
struct CsvColumns {
    index_t width = 0;     ///< of the file
    index_t features = 0;  ///< columns of the result
    index_t target = -1;
    index_t query = -1;
    bool has_header = false;     ///< the first record names columns, judged by itself alone
    std::vector<index_t> place;  ///< index of each column among the features; -1: not a feature

    [[nodiscard]] bool is_feature(index_t c) const {
        return place[static_cast<std::size_t>(c)] >= 0;
    }
    [[nodiscard]] bool is_read(index_t c) const {
        return is_feature(c) || c == target || c == query;
    }
};

/// The place of the first record, for messages, and how it writes numbers.
struct RecordPlace {
    const std::string& source;
    index_t line = 0;
    index_t column = 0;
    bool decimal_comma = false;
};

/// Throws BadInput for a column that does not exist.
[[nodiscard]] CsvColumns resolve_csv_columns(const std::vector<std::string>& first_record,
                                             const ReadOptions& options, const RecordPlace& place);

}  // namespace mercer::data
