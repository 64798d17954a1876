// SPDX-License-Identifier: Apache-2.0
//
// src/data/csv_columns.cpp - target, query and features of a CSV file, by name or by number.
#include "data/csv_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "data/bad_input.hpp"
#include "data/column_list.hpp"
#include "data/number.hpp"

namespace mercer::data {

namespace {

class Resolver {
public:
    Resolver(const std::vector<std::string>& names, const ReadOptions& options,
             const RecordPlace& place)
        : names_(names), options_(options), place_(place) {
        out_.width = static_cast<index_t>(names.size());
    }

    [[nodiscard]] CsvColumns resolve() {
        out_.has_header = has_known_names();
        out_.target = target();
        if (!options_.query.empty()) {
            out_.query = column_of("query", options_.query);
            if (out_.query == out_.target) {
                fail(fmt::format("query: column {} is the target", quoted(options_.query)));
            }
        }
        choose_features();
        if (!out_.has_header && options_.header != "no") {
            out_.has_header = options_.header == "yes" || features_name_columns();
        }
        if (out_.has_header && !options_.names.empty()) {
            order_by_names();
        }
        return std::move(out_);
    }

private:
    [[nodiscard]] bool is_number(std::string text) const {
        if (place_.decimal_comma) {
            std::replace(text.begin(), text.end(), ',', '.');
        }
        double value = 0.0;
        return parse_whole_number(text, value);
    }

    [[noreturn]] void fail(std::string message) const {
        refuse(place_.source, std::move(message), place_.line, place_.column);
    }

    [[nodiscard]] index_t find(const std::string& name) const {
        const auto named = std::find(names_.begin(), names_.end(), name);
        return named == names_.end() ? -1 : named - names_.begin();
    }

    /// True when the record has at least half the names of the model's columns, and one of the
    /// names found is not a number.
    [[nodiscard]] bool has_known_names() const {
        const std::vector<std::string>& known = options_.names.features;
        std::size_t found = 0;
        bool is_text = false;
        for (const std::string& name : known) {
            if (find(name) >= 0) {
                ++found;
                is_text = is_text || !is_number(name);
            }
        }
        return options_.header != "no" && is_text && 2 * found >= known.size();
    }

    [[nodiscard]] index_t target() {
        if (!options_.target.empty()) {
            return options_.target == "none" ? -1 : column_of("target", options_.target);
        }
        const std::vector<std::string>& known = options_.names.features;
        if (out_.has_header && !known.empty()) {
            const index_t named = options_.names.target.empty() ? -1 : find(options_.names.target);
            const bool last_is_feature =
                std::find(known.begin(), known.end(), names_.back()) != known.end();
            if (named >= 0 || last_is_feature) {
                return named;
            }
        }
        return out_.width - 1;
    }

    /// The column that an option gives by name or by index.
    [[nodiscard]] index_t column_of(const char* option, const std::string& wanted) {
        index_t index = 0;
        const char* last = wanted.data() + wanted.size();
        const auto parsed = std::from_chars(wanted.data(), last, index);
        const bool is_index = parsed.ec == std::errc() && parsed.ptr == last;
        const index_t named = find(wanted);
        if (named >= 0 && options_.header != "no" && (!is_index || options_.header == "yes")) {
            out_.has_header = true;
            return named;
        }
        if (!is_index) {
            fail(fmt::format("{}: {}", option, unknown_column(wanted, names_)));
        }
        const index_t column = index < 0 ? out_.width + index : index;
        if (column < 0 || column >= out_.width) {
            fail(fmt::format("{}: there is no column {}; the file has {}", option, index,
                             out_.width));
        }
        return column;
    }

    void choose_features() {
        std::vector<char> used(names_.size(), 1);
        const bool drops = options_.only.empty();
        const std::string& text = drops ? options_.drop : options_.only;
        if (!text.empty()) {
            const std::vector<std::string> none;
            const ListedColumns columns{options_.header == "no" ? none : names_, out_.width, 0};
            const ColumnList list = read_column_list(drops ? "drop" : "only", text, columns,
                                                     options_.header == "yes", place_.source);
            out_.has_header = out_.has_header || list.by_name;
            for (std::size_t c = 0; c < used.size(); ++c) {
                used[c] = (list.chosen[c] != 0) != drops ? 1 : 0;
            }
        }
        for (index_t c = 0; c < out_.width; ++c) {
            const bool feature =
                used[static_cast<std::size_t>(c)] != 0 && c != out_.target && c != out_.query;
            out_.place.push_back(feature ? out_.features++ : -1);
        }
        if (out_.features == 0 && !text.empty()) {
            fail(fmt::format("{}: no feature column is left", drops ? "drop" : "only"));
        }
    }

    [[nodiscard]] bool features_name_columns() const {
        for (index_t c = 0; c < out_.width; ++c) {
            const std::string& name = names_[static_cast<std::size_t>(c)];
            if (out_.is_feature(c) && !is_missing(name) && !is_number(name)) {
                return true;
            }
        }
        return false;
    }

    /// Puts the features in the model's order; columns that the model does not know are ignored.
    void order_by_names() {
        const std::vector<std::string>& known = options_.names.features;
        std::vector<index_t> place(names_.size(), -1);
        std::vector<std::string> missing;
        for (std::size_t k = 0; k < known.size(); ++k) {
            const index_t c = find(known[k]);
            if (c < 0 || !out_.is_feature(c)) {
                missing.push_back(quoted(known[k]));
            } else {
                place[static_cast<std::size_t>(c)] = static_cast<index_t>(k);
            }
        }
        if (!missing.empty()) {
            fail_missing(std::move(missing));
        }
        out_.place = std::move(place);
        out_.features = static_cast<index_t>(known.size());
    }

    [[noreturn]] void fail_missing(std::vector<std::string> missing) const {
        constexpr std::size_t kShown = 20;
        const std::size_t count = missing.size();
        missing.resize(std::min(kShown, count));
        fail(fmt::format(
            "the file has no feature {}{}, which the model was trained on; if its first "
            "line is a row, read it with header no",
            fmt::join(missing, ", "),
            count > kShown ? fmt::format(" and {} more", count - kShown) : ""));
    }

    const std::vector<std::string>& names_;
    const ReadOptions& options_;
    const RecordPlace& place_;
    CsvColumns out_;
};

}  // namespace

bool is_missing(std::string_view text) {
    constexpr std::string_view kMarks[] = {"", "?", "NA", "N/A", "NaN", "nan", "null", "NULL"};
    return std::find(std::begin(kMarks), std::end(kMarks), text) != std::end(kMarks);
}

CsvColumns resolve_csv_columns(const std::vector<std::string>& first_record,
                               const ReadOptions& options, const RecordPlace& place) {
    return Resolver(first_record, options, place).resolve();
}

}  // namespace mercer::data
