// SPDX-License-Identifier: Apache-2.0
//
// src/data/column_list.cpp - reading a list of columns, and selecting them from arrays.
#include "data/column_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "data/bad_input.hpp"
#include "data/number.hpp"
#include "data/rows.hpp"
#include "mercer/base/nearest_word.hpp"

namespace mercer::data {

namespace {

struct NumberRange {
    index_t first = 0;
    index_t last = 0;
};

/// Parses `7`, `-1` or `2-5`; nothing for any other text.
std::optional<NumberRange> read_range(std::string_view text) {
    NumberRange range;
    const char* end = text.data() + text.size();
    auto parsed = std::from_chars(text.data(), end, range.first);
    if (parsed.ec != std::errc()) {
        return std::nullopt;
    }
    range.last = range.first;
    if (parsed.ptr != end && *parsed.ptr == '-') {
        parsed = std::from_chars(parsed.ptr + 1, end, range.last);
        if (parsed.ec != std::errc() || range.last < range.first || range.first < 0) {
            return std::nullopt;
        }
    }
    return parsed.ptr == end ? std::optional(range) : std::nullopt;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
    text.remove_prefix(first);
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// Reads one list.
class ListReader {
public:
    ListReader(std::string_view option, const ListedColumns& columns, const std::string& source)
        : option_(option), columns_(columns), source_(source) {
        list_.chosen.assign(static_cast<std::size_t>(columns.count), 0);
    }

    void take(std::string_view word, bool names_first) {
        const auto& names = columns_.names;
        const auto named = std::find(names.begin(), names.end(), word);
        const std::optional<NumberRange> range = read_range(word);
        if (named != names.end() && (!range || names_first)) {
            list_.by_name = true;
            list_.chosen[static_cast<std::size_t>(named - names.begin())] = 1;
        } else if (range) {
            take(*range);
        } else {
            fail(names.empty() ? fmt::format("{} is not a number, and the columns have no names",
                                             quoted(word))
                               : unknown_column(word, names));
        }
    }

    [[nodiscard]] ColumnList release() && { return std::move(list_); }

private:
    [[noreturn]] void fail(const std::string& why) const {
        refuse(source_, fmt::format("{}: {}", option_, why));
    }

    void take(NumberRange range) {
        const index_t end = columns_.first + columns_.count;
        if (range.first < 0) {
            range = {end + range.first, end + range.last};
        }
        if (range.first < columns_.first || range.last >= end) {
            fail(fmt::format("there is no column {}; they are {} to {}",
                             range.first < columns_.first ? range.first : range.last,
                             columns_.first, end - 1));
        }
        std::fill(list_.chosen.begin() + (range.first - columns_.first),
                  list_.chosen.begin() + (range.last - columns_.first + 1), 1);
    }

    std::string_view option_;
    const ListedColumns& columns_;
    const std::string& source_;
    ColumnList list_;
};

/// The column of an array with `columns` columns that is the target; -1: none.
index_t array_target(const ReadOptions& options, index_t columns) {
    index_t index = 0;
    const char* end = options.target.data() + options.target.size();
    const auto parsed = std::from_chars(options.target.data(), end, index);
    if (parsed.ec != std::errc() || parsed.ptr != end) {
        return -1;
    }
    return index < 0 ? columns + index : index;
}

/// A copy of the retained columns of `matrix`.
template <typename T>
Dataset narrowed(const Dataset& data, const MatrixView<const T>& matrix,
                 const std::vector<char>& retained) {
    const auto count = static_cast<index_t>(std::count(retained.begin(), retained.end(), 1));
    auto owned = std::make_shared<Buffer<T>>(data.budget(), checked_multiply(matrix.rows, count),
                                             "chosen columns");
    T* out = owned->data();
    for (index_t i = 0; i < matrix.rows; ++i) {
        for (index_t j = 0; j < matrix.columns; ++j) {
            if (retained[static_cast<std::size_t>(j)] != 0) {
                *out++ = matrix.row(i)[j];
            }
        }
    }
    return data.with_rows(MatrixView<const T>(owned->data(), matrix.rows, count), owned);
}

Dataset narrowed(const Dataset& data, const CsrView& rows, const std::vector<char>& retained) {
    index_t stored = 0;
    const auto is_retained = [&](index_t column) {
        return retained[static_cast<std::size_t>(column)] != 0;
    };
    for (index_t i = 0; i < rows.rows(); ++i) {
        for_each_entry(rows, i, [&](index_t column, double) { stored += is_retained(column); });
    }
    auto owned =
        std::make_shared<OwnedCsr>(data.budget(), rows.rows(), stored, stored, "chosen columns");
    std::vector<double> values;
    std::vector<index_t> columns;
    for (index_t i = 0; i < rows.rows(); ++i) {
        values.clear();
        columns.clear();
        for_each_entry(rows, i, [&](index_t column, double value) {
            if (is_retained(column)) {
                values.push_back(value);
                columns.push_back(column);
            }
        });
        owned->add(values, columns);
    }
    return data.with_rows(owned->view(rows.column_count), owned);
}

}  // namespace

ColumnList read_column_list(std::string_view option, const std::string& text,
                            const ListedColumns& columns, bool names_first,
                            const std::string& source) {
    ListReader reader(option, columns, source);
    std::string_view rest = text;
    while (true) {
        const std::size_t comma = rest.find(',');
        reader.take(trimmed(rest.substr(0, comma)), names_first);
        if (comma == std::string_view::npos) {
            return std::move(reader).release();
        }
        rest.remove_prefix(comma + 1);
    }
}

std::string unknown_column(std::string_view wanted, const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 20;
    std::vector<std::string> shown;
    for (std::size_t c = 0; c < std::min(kShown, names.size()); ++c) {
        shown.push_back(quoted(names[c]));
    }
    const std::string nearest = nearest_word(wanted, names);
    return fmt::format(
        "no column is named {}; {} columns are {}{}", quoted(wanted),
        nearest.empty() ? "the" : fmt::format("did you mean {}? The", quoted(nearest)),
        fmt::join(shown, ", "),
        names.size() > kShown ? fmt::format(" and {} more", names.size() - kShown) : "");
}

Dataset choose_columns(Dataset data, const Reading& reading) {
    const ReadOptions& options = reading.options;
    if (options.drop.empty() && options.only.empty()) {
        return data;
    }
    const index_t target = data.is_sparse() ? -1 : array_target(options, data.columns() + 1);
    const std::vector<std::string> none;
    const ListedColumns columns{none, data.columns() + (target >= 0 ? 1 : 0),
                                data.is_sparse() && !options.zero_based ? 1 : 0};
    const bool drops = options.only.empty();
    std::vector<char> retained =
        read_column_list(drops ? "drop" : "only", drops ? options.drop : options.only, columns,
                         false, reading.name)
            .chosen;
    if (target >= 0) {
        retained.erase(retained.begin() + target);
    }
    if (drops) {
        for (char& one : retained) {
            one = one == 0 ? 1 : 0;
        }
    }
    if (std::find(retained.begin(), retained.end(), 1) == retained.end()) {
        refuse(reading.name, fmt::format("{}: no feature column is left", drops ? "drop" : "only"));
    }
    return std::visit([&](const auto& rows) { return narrowed(data, rows, retained); },
                      data.storage());
}

}  // namespace mercer::data
