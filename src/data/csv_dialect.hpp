// SPDX-License-Identifier: Apache-2.0
//
// src/data/csv_dialect.hpp - how a CSV file ends its fields and writes its numbers.
#pragma once

#include <string_view>

namespace mercer::data {

struct CsvDialect {
    char separator = ',';
    bool decimal_comma = false;  ///< `1,5;2,25`; never where the separator is a comma
};

/// Tells by the first bytes of the text; `separator` '\0': not known.
///
/// The separator is the most frequent of `,` `;` and tab in the first line, outside quotes, a comma
/// on a draw; where `;` or a tab cuts the line so that every comma stands between digits, it is that
/// one. Numbers have a decimal comma when some field has one and none has a decimal point.
[[nodiscard]] CsvDialect find_dialect(std::string_view text, char separator);

}  // namespace mercer::data
