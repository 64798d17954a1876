// SPDX-License-Identifier: Apache-2.0
//
// src/data/csv_dialect.hpp - the field separator and the decimal mark of a CSV file.
#pragma once

#include <string_view>

namespace mercer::data {

struct CsvDialect {
    char separator = ',';
    bool decimal_comma = false;  ///< `1,5;2,25`; never where the separator is a comma
};

/// Detects the dialect from the first bytes of the text; `separator` '\0': not known.
///
/// The separator is the most frequent of `,` `;` and tab in the first line, outside quotes, a comma
/// in case of a tie; but if splitting at `;` or at tabs leaves every comma between digits, it is
/// `;` or tab. Numbers have a decimal comma when some field has one and no field has a decimal
/// point.
[[nodiscard]] CsvDialect find_dialect(std::string_view text, char separator);

}  // namespace mercer::data
