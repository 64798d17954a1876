// SPDX-License-Identifier: Apache-2.0
//
// src/data/read_csv.cpp - text separated by commas, semicolons or tabs, one row per record.
//
// Feature columns hold numbers; the target column may hold text. Fields may be quoted with `"`, a
// quote inside is doubled, and a quoted field may contain line ends. Blanks around a field are
// dropped, empty lines are skipped. The first record decides the number of columns. Where fields
// are separated by `;` or tabs, numbers may have a decimal comma (csv_dialect.hpp).
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "data/csv_columns.hpp"
#include "data/csv_dialect.hpp"
#include "data/csv_scanner.hpp"
#include "data/number.hpp"
#include "data/readers.hpp"
#include "data/targets.hpp"

namespace mercer::data {

namespace {

/// The memory of the result.
struct DenseRows {
    explicit DenseRows(const std::shared_ptr<MemoryBudget>& budget)
        : values(budget, "values"), charge(budget) {}

    GrowingArray<double> values;
    Charge charge;
};

class CsvReader {
public:
    CsvReader(Reading& reading, CsvScanner& scanner, bool decimal_comma)
        : name_(reading.name),
          options_(reading.options),
          context_(reading.context),
          scanner_(scanner),
          rows_(std::make_shared<DenseRows>(reading.context.memory())),
          targets_(reading.context.memory()),
          queries_(reading.context.memory(), "queries"),
          decimal_comma_(decimal_comma) {}

    /// Takes a record. False, and nothing changed, when the block ends inside it.
    [[nodiscard]] bool take_record() {
        if (columns_.width == 0) {
            return take_first_record();
        }
        Target target;
        row_.resize(static_cast<std::size_t>(columns_.features));
        for (index_t c = 0; c < columns_.width; ++c) {
            if (c > 0 && scanner_.record_done()) {
                scanner_.fail(scanner_.line() - 1, 0,
                              fmt::format("record has {} fields, must have {}", c, columns_.width));
            }
            if (columns_.is_feature(c) && !decimal_comma_ && scanner_.next_number(feature(c))) {
                continue;
            }
            Field field;
            if (!scanner_.next_field(field)) {
                return false;
            }
            take_field(field, c, target);
        }
        if (!scanner_.record_done()) {
            scanner_.fail(scanner_.line(), scanner_.column(),
                          fmt::format("record has more than {} fields", columns_.width));
        }
        settle_first_record(!target.text.has_value());
        add_row(row_, target);
        return true;
    }

    [[nodiscard]] Dataset finish() {
        settle_first_record(false);
        rows_->values.shrink_to_fit();
        Dataset data = Dataset::from_checked(
            MatrixView<const double>(rows_->values.data(), row_count_, columns_.features), rows_,
            context_.memory());
        if (columns_.target >= 0) {
            targets_.finish(data, rows_->charge);
        }
        rows_->charge.add(queries_.size() * static_cast<index_t>(sizeof(index_t)), "queries");
        data.queries.assign(queries_.span().begin(), queries_.span().end());
        data.target_column = file_column(columns_.target);
        data.query_column = file_column(columns_.query);
        data.decimal_comma = decimal_comma_;
        if (columns_.has_header) {
            data.column_names.resize(static_cast<std::size_t>(columns_.features));
            for (std::size_t c = 0; c < names_.size(); ++c) {
                if (columns_.place[c] >= 0) {
                    data.column_names[static_cast<std::size_t>(columns_.place[c])] =
                        std::move(names_[c]);
                }
            }
        }
        return data;
    }

private:
    /// Target and query of a record.
    struct Target {
        double number = 0.0;
        std::optional<std::string> text;
        index_t query = 0;
    };

    /// Where the number of column c goes in the row.
    [[nodiscard]] double& feature(index_t c) {
        return row_[static_cast<std::size_t>(columns_.place[static_cast<std::size_t>(c)])];
    }

    /// Takes a field that is not a plain number; fields of unused columns may hold anything.
    void take_field(const Field& field, index_t c, Target& target) {
        if (c == columns_.target) {
            const index_t query = target.query;
            target = parse_target(field);
            target.query = query;
        } else if (c == columns_.query) {
            target.query = parse_query(field);
        } else if (columns_.is_feature(c)) {
            feature(c) = parse_feature(field, c);
        }
    }

    /// Name of column c and its position among the columns that are read; c < 0: there is none.
    [[nodiscard]] FileColumn file_column(index_t c) const {
        index_t place = c < 0 ? -1 : 0;
        for (index_t before = 0; before < c; ++before) {
            place += columns_.is_read(before) ? 1 : 0;
        }
        return {columns_.has_header && c >= 0 ? names_[static_cast<std::size_t>(c)] : "", place};
    }

    /// Reads the fields of the first record as names; false at the end of the data.
    [[nodiscard]] bool read_names(std::vector<Field>& places) {
        constexpr index_t kNameOverhead = 128;  // three strings at most, and a number
        std::vector<std::string> fields;
        Charge charge(context_.memory());
        do {
            Field field;
            if (!scanner_.next_field(field)) {
                return false;
            }
            charge.add(kNameOverhead + 2 * static_cast<index_t>(field.text.size()), "first record");
            fields.emplace_back(field.text);
            places.push_back(field);
        } while (!scanner_.record_done());
        names_ = std::move(fields);
        names_charge_.emplace(std::move(charge));
        return true;
    }

    [[nodiscard]] bool take_first_record() {
        std::vector<Field> places;
        if (!read_names(places)) {
            return false;
        }
        columns_ = resolve_csv_columns(
            names_, options_, {name_, places.front().line, places.front().column, decimal_comma_});
        note_unused();
        if (!columns_.has_header) {
            take_first_row(places);
        }
        return true;
    }

    /// Notes which columns of the file a model with column names ignores.
    void note_unused() {
        std::string unused;
        for (index_t c = 0; c < columns_.width && !options_.names.empty(); ++c) {
            if (columns_.has_header && !columns_.is_read(c)) {
                unused +=
                    (unused.empty() ? "" : ", ") + quoted(names_[static_cast<std::size_t>(c)]);
            }
        }
        if (!unused.empty()) {
            context_.note(fmt::format("{}: columns that are not used: {}", name_, unused));
        }
    }

    /// Takes the first record as a row like any other.
    void take_first_row(std::vector<Field>& places) {
        row_.resize(static_cast<std::size_t>(columns_.features));
        for (std::size_t c = 0; c < places.size(); ++c) {
            places[c].text = names_[c];
            take_field(places[c], static_cast<index_t>(c), first_target_);
        }
        if (first_target_.text.has_value() && options_.header == "auto") {
            first_row_ = row_;  // `0,1,label` may still be a header: the second record decides
        } else {
            add_row(row_, first_target_);
        }
    }

    /// Decides about a first record whose features are numbers and whose target is text: it names
    /// columns when the target of the second record is a number.
    void settle_first_record(bool next_target_is_number) {
        if (!first_row_.has_value()) {
            return;
        }
        if (next_target_is_number) {
            columns_.has_header = true;
        } else {
            add_row(*first_row_, first_target_);
        }
        first_row_.reset();
    }

    [[nodiscard]] std::string column_text(index_t c) const {
        return columns_.has_header
                   ? fmt::format("column {}", quoted(names_[static_cast<std::size_t>(c)]))
                   : fmt::format("column {}", c);
    }

    /// The field with a decimal point, to be parsed as a number.
    [[nodiscard]] std::string_view pointed(std::string_view text) {
        if (!decimal_comma_) {
            return text;
        }
        pointed_ = text;
        std::replace(pointed_.begin(), pointed_.end(), ',', '.');
        return pointed_;
    }

    double parse_feature(const Field& field, index_t c) {
        const std::string_view text = pointed(field.text);
        const char* last = text.data() + text.size();
        const ParsedNumber number = parse_number(text.data(), last);
        if (number.status == NumberStatus::ok && number.end == last) {
            return number.value;
        }
        std::string why = "is not a number; text is allowed in the target column only";
        if (is_missing(field.text)) {
            why = "is a missing value";
        } else if (number.status == NumberStatus::not_finite && number.end == last) {
            why = "is not finite";
        }
        scanner_.fail(field.line, field.column,
                      fmt::format("{}: {} {}", column_text(c), quoted(field.text), why));
    }

    [[nodiscard]] index_t parse_query(const Field& field) const {
        index_t query = 0;
        const char* last = field.text.data() + field.text.size();
        const auto parsed = std::from_chars(field.text.data(), last, query);
        if (parsed.ec != std::errc() || parsed.ptr != last) {
            scanner_.fail(field.line, field.column,
                          fmt::format("query {}: {} is not a whole number of 64 bits",
                                      column_text(columns_.query), quoted(field.text)));
        }
        return query;
    }

    [[nodiscard]] Target parse_target(const Field& field) {
        const std::string_view text = pointed(field.text);
        const char* last = text.data() + text.size();
        const ParsedNumber number = parse_number(text.data(), last);
        if (options_.task != "regression" && is_beyond_doubles(field.text)) {
            scanner_.fail(field.line, field.column,
                          fmt::format("target {}: {} {}", column_text(columns_.target),
                                      quoted(field.text), kBeyondDoubles));
        }
        if (number.status == NumberStatus::ok && number.end == last) {
            return {number.value, std::nullopt, 0};
        }
        const bool not_finite = number.status == NumberStatus::not_finite && number.end == last;
        if (is_missing(field.text) || not_finite) {
            scanner_.fail(
                field.line, field.column,
                fmt::format("target {}: {} {}", column_text(columns_.target), quoted(field.text),
                            not_finite ? "is not finite" : "is a missing value"));
        }
        if (options_.task == "regression") {
            scanner_.fail(field.line, field.column,
                          fmt::format("target {}: {} is not a number", column_text(columns_.target),
                                      quoted(field.text)));
        }
        return {0.0, std::string(field.text), 0};
    }

    void add_row(const std::vector<double>& row, const Target& target) {
        std::copy(row.begin(), row.end(), rows_->values.extend(static_cast<index_t>(row.size())));
        ++row_count_;
        if (columns_.target >= 0 && target.text.has_value()) {
            targets_.add_text(*target.text);
        } else if (columns_.target >= 0) {
            targets_.add_number(target.number);
        }
        if (columns_.query >= 0) {
            queries_.push_back(target.query);
        }
    }

    const std::string& name_;
    const ReadOptions& options_;
    Context& context_;
    CsvScanner& scanner_;
    std::shared_ptr<DenseRows> rows_;
    TargetColumn targets_;
    GrowingArray<index_t> queries_;
    bool decimal_comma_;
    CsvColumns columns_;
    index_t row_count_ = 0;
    std::vector<std::string> names_;
    std::optional<Charge> names_charge_;
    std::vector<double> row_;
    std::string pointed_;
    std::optional<std::vector<double>> first_row_;
    Target first_target_;
};

}  // namespace

Dataset read_csv(Reading& reading, char separator) {
    constexpr index_t kFirstLook = 4096;
    const CsvDialect dialect = find_dialect(reading.source.peek(kFirstLook), separator);
    TextBlocks blocks(reading.source, reading.name, reading.context);
    CsvScanner scanner(blocks, dialect.separator);
    CsvReader reader(reading, scanner, dialect.decimal_comma);
    bool more = blocks.next();
    while (more) {
        scanner.start_block();
        bool torn = false;
        while (!torn && scanner.find_record()) {
            torn = !reader.take_record();
        }
        more = torn ? blocks.next(scanner.rewind()) : blocks.next();
    }
    return reader.finish();
}

}  // namespace mercer::data
