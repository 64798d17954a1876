// SPDX-License-Identifier: Apache-2.0
//
// src/data/read_csv.cpp - comma or tab separated text, one row per record.
//
// Feature columns hold numbers; the target column may hold text. Fields may be quoted with `"`, a
// quote inside is doubled, and a quoted field may contain line ends. Blanks around a field are
// dropped, empty lines passed over. The first record decides the number of columns.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>

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

/// What spreadsheets and other programs write where a value is missing.
bool is_missing(std::string_view text) {
    constexpr std::string_view kMarks[] = {"", "?", "NA", "N/A", "NaN", "nan", "null", "NULL"};
    return std::find(std::begin(kMarks), std::end(kMarks), text) != std::end(kMarks);
}

bool is_number(std::string_view text) {
    double value = 0.0;
    return parse_whole_number(text, value);
}

class CsvReader {
public:
    CsvReader(Reading& reading, CsvScanner& scanner)
        : options_(reading.options),
          context_(reading.context),
          scanner_(scanner),
          rows_(std::make_shared<DenseRows>(reading.context.memory())),
          targets_(reading.context.memory()),
          queries_(reading.context.memory(), "queries") {}

    /// Takes a record. False when the block ends inside it; nothing has changed then.
    [[nodiscard]] bool take_record() {
        if (width_ < 0) {
            return take_first_record();
        }
        Target target;
        const auto features = static_cast<std::size_t>(feature_count());
        row_.resize(features);
        std::size_t filled = 0;
        for (index_t c = 0; c < width_; ++c) {
            if (c > 0 && scanner_.record_done()) {
                scanner_.fail(scanner_.line() - 1, 0,
                              fmt::format("record has {} fields, must have {}", c, width_));
            }
            if (is_feature(c) && scanner_.next_number(row_[filled])) {
                ++filled;
                continue;
            }
            Field field;
            if (!scanner_.next_field(field)) {
                return false;
            }
            if (c == target_) {
                const index_t query = target.query;
                target = parse_target(field);
                target.query = query;
            } else if (c == query_) {
                target.query = parse_query(field);
            } else {
                row_[filled++] = parse_feature(field, c);
            }
        }
        if (!scanner_.record_done()) {
            scanner_.fail(scanner_.line(), scanner_.column(),
                          fmt::format("record has more than {} fields", width_));
        }
        settle_first_record(!target.text.has_value());
        add_row(row_, target);
        return true;
    }

    [[nodiscard]] Dataset finish() {
        settle_first_record(false);
        rows_->values.shrink_to_fit();
        const index_t features = std::max<index_t>(0, feature_count());
        Dataset data = Dataset::from_checked(
            MatrixView<const double>(rows_->values.data(), row_count_, features), rows_,
            context_.memory());
        if (target_ >= 0) {
            targets_.finish(data, rows_->charge);
        }
        rows_->charge.add(queries_.size() * static_cast<index_t>(sizeof(index_t)), "queries");
        data.queries.assign(queries_.span().begin(), queries_.span().end());
        data.target_column = file_column(target_);
        data.query_column = file_column(query_);
        if (has_header_) {
            for (index_t c = 0; c < width_; ++c) {
                if (is_feature(c)) {
                    data.column_names.push_back(std::move(names_[static_cast<std::size_t>(c)]));
                }
            }
        }
        return data;
    }

private:
    /// What a record says beside its features.
    struct Target {
        double number = 0.0;
        std::optional<std::string> text;
        index_t query = 0;
    };

    [[nodiscard]] bool is_feature(index_t c) const { return c != target_ && c != query_; }
    [[nodiscard]] index_t feature_count() const {
        return width_ - (target_ >= 0 ? 1 : 0) - (query_ >= 0 ? 1 : 0);
    }

    /// Where column c is in the file, and by what name; c < 0: it is not there.
    [[nodiscard]] FileColumn file_column(index_t c) const {
        return {has_header_ && c >= 0 ? names_[static_cast<std::size_t>(c)] : "", c};
    }

    /// The fields of the first record as names; false at the end of the data.
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
        width_ = static_cast<index_t>(fields.size());
        names_ = std::move(fields);
        names_charge_.emplace(std::move(charge));
        return true;
    }

    [[nodiscard]] bool take_first_record() {
        std::vector<Field> places;
        if (!read_names(places)) {
            return false;
        }
        resolve_columns(places.front());
        if (!has_header_ && options_.header != "no") {
            has_header_ = options_.header == "yes" || features_name_columns();
        }
        if (!has_header_) {
            take_first_row(places);
        }
        return true;
    }

    /// The first record as a row like any other.
    void take_first_row(std::vector<Field>& places) {
        for (std::size_t c = 0; c < places.size(); ++c) {
            places[c].text = names_[c];
            if (static_cast<index_t>(c) == target_) {
                const index_t query = first_target_.query;
                first_target_ = parse_target(places[c]);
                first_target_.query = query;
            } else if (static_cast<index_t>(c) == query_) {
                first_target_.query = parse_query(places[c]);
            } else {
                row_.push_back(parse_feature(places[c], static_cast<index_t>(c)));
            }
        }
        if (first_target_.text.has_value() && options_.header == "auto") {
            first_row_ = row_;  // `0,1,label` may still be a header: the second record tells
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
            has_header_ = true;
        } else {
            add_row(*first_row_, first_target_);
        }
        first_row_.reset();
    }

    void resolve_columns(const Field& place) {
        const std::string& target = options_.target;
        target_ = target.empty()     ? width_ - 1
                  : target == "none" ? -1
                                     : resolve_column("target", target, place);
        if (!options_.query.empty()) {
            query_ = resolve_column("query", options_.query, place);
            if (query_ == target_) {
                scanner_.fail(
                    place.line, place.column,
                    fmt::format("query: column {} is the target", quoted(options_.query)));
            }
        }
    }

    /// The column that an option names, or tells by its index.
    [[nodiscard]] index_t resolve_column(const char* option, const std::string& wanted,
                                         const Field& place) {
        index_t index = 0;
        const char* last = wanted.data() + wanted.size();
        const auto parsed = std::from_chars(wanted.data(), last, index);
        const bool is_index = parsed.ec == std::errc() && parsed.ptr == last;
        const auto named = std::find(names_.begin(), names_.end(), wanted);
        if (named != names_.end() && options_.header != "no" &&
            (!is_index || options_.header == "yes")) {
            has_header_ = true;
            return named - names_.begin();
        }
        if (!is_index) {
            scanner_.fail(place.line, place.column,
                          fmt::format("{}: no column is named {}", option, quoted(wanted)));
        }
        const index_t column = index < 0 ? width_ + index : index;
        if (column < 0 || column >= width_) {
            scanner_.fail(
                place.line, place.column,
                fmt::format("{}: there is no column {}; the file has {}", option, index, width_));
        }
        return column;
    }

    [[nodiscard]] bool features_name_columns() const {
        for (index_t c = 0; c < width_; ++c) {
            const std::string& name = names_[static_cast<std::size_t>(c)];
            if (is_feature(c) && !is_missing(name) && !is_number(name)) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] std::string column_text(index_t c) const {
        return has_header_ ? fmt::format("column {}", quoted(names_[static_cast<std::size_t>(c)]))
                           : fmt::format("column {}", c);
    }

    double parse_feature(const Field& field, index_t c) const {
        const char* last = field.text.data() + field.text.size();
        const ParsedNumber number = parse_number(field.text.data(), last);
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
                                      column_text(query_), quoted(field.text)));
        }
        return query;
    }

    [[nodiscard]] Target parse_target(const Field& field) const {
        const char* last = field.text.data() + field.text.size();
        const ParsedNumber number = parse_number(field.text.data(), last);
        if (options_.task != "regression" && is_beyond_doubles(field.text)) {
            scanner_.fail(field.line, field.column,
                          fmt::format("target {}: {} {}", column_text(target_), quoted(field.text),
                                      kBeyondDoubles));
        }
        if (number.status == NumberStatus::ok && number.end == last) {
            return {number.value, std::nullopt, 0};
        }
        const bool not_finite = number.status == NumberStatus::not_finite && number.end == last;
        if (is_missing(field.text) || not_finite) {
            scanner_.fail(field.line, field.column,
                          fmt::format("target {}: {} {}", column_text(target_), quoted(field.text),
                                      not_finite ? "is not finite" : "is a missing value"));
        }
        if (options_.task == "regression") {
            scanner_.fail(field.line, field.column,
                          fmt::format("target {}: {} is not a number", column_text(target_),
                                      quoted(field.text)));
        }
        return {0.0, std::string(field.text), 0};
    }

    void add_row(const std::vector<double>& row, const Target& target) {
        std::copy(row.begin(), row.end(), rows_->values.extend(static_cast<index_t>(row.size())));
        ++row_count_;
        if (target_ >= 0 && target.text.has_value()) {
            targets_.add_text(*target.text);
        } else if (target_ >= 0) {
            targets_.add_number(target.number);
        }
        if (query_ >= 0) {
            queries_.push_back(target.query);
        }
    }

    const ReadOptions& options_;
    Context& context_;
    CsvScanner& scanner_;
    std::shared_ptr<DenseRows> rows_;
    TargetColumn targets_;
    GrowingArray<index_t> queries_;
    index_t width_ = -1;
    index_t target_ = -1;
    index_t query_ = -1;
    index_t row_count_ = 0;
    bool has_header_ = false;
    std::vector<std::string> names_;
    std::optional<Charge> names_charge_;
    std::vector<double> row_;
    std::optional<std::vector<double>> first_row_;
    Target first_target_;
};

/// The most frequent of `,` `;` and tab in the first line, outside quotes; a comma on a draw.
char find_separator(std::string_view text) {
    constexpr std::string_view kCandidates = ",;\t";
    index_t counts[3] = {0, 0, 0};
    bool inside = false;
    for (const char c : text) {
        inside ^= c == '"';
        const std::size_t which = kCandidates.find(c);
        if (!inside && which != std::string_view::npos) {
            ++counts[which];
        }
        if (!inside && c == '\n') {
            break;
        }
    }
    return kCandidates[static_cast<std::size_t>(std::max_element(counts, counts + 3) - counts)];
}

}  // namespace

Dataset read_csv(Reading& reading, char separator) {
    constexpr index_t kFirstLook = 4096;
    if (separator == '\0') {
        separator = find_separator(reading.source.peek(kFirstLook));
    }
    TextBlocks blocks(reading.source, reading.name, reading.context);
    CsvScanner scanner(blocks, separator);
    CsvReader reader(reading, scanner);
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
