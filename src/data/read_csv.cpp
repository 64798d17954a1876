// SPDX-License-Identifier: Apache-2.0
//
// src/data/read_csv.cpp - comma or tab separated text, one row per record.
//
// Feature columns hold numbers; the target column may hold text. Fields may be quoted with `"`, a
// quote inside is doubled, and a quoted field may contain line ends. Blanks around a field are
// dropped, empty lines passed over. The first record decides the number of columns.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "data/bad_input.hpp"
#include "data/number.hpp"
#include "data/readers.hpp"
#include "data/targets.hpp"
#include "data/text_blocks.hpp"

namespace mercer::data {

namespace {

/// The memory of the result.
struct DenseRows {
    explicit DenseRows(const std::shared_ptr<MemoryBudget>& budget)
        : values(budget, "values"), charge(budget) {}

    GrowingArray<double> values;
    Charge charge;
};

struct Field {
    std::string_view text;
    index_t line = 0;
    index_t column = 0;
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

/// Cuts a block of text into fields.
class CsvScanner {
public:
    CsvScanner(TextBlocks& blocks, char separator) : blocks_(blocks), separator_(separator) {}

    void start_block() {
        p_ = blocks_.block().data();
        end_ = p_ + blocks_.block().size();
        line_begin_ = p_;
    }

    /// Passes over empty lines; false at the end of the block.
    [[nodiscard]] bool find_record() {
        while (p_ != end_) {
            const char* q = p_;
            while (is_blank(*q) || (*q == '\r' && q[1] == '\n')) {
                ++q;
            }
            if (*q != '\n') {
                record_begin_ = p_;
                record_line_ = blocks_.line;
                record_done_ = false;
                return true;
            }
            p_ = q;
            end_line();
        }
        return false;
    }

    /// True after the last field of a record has been taken.
    [[nodiscard]] bool record_done() const { return record_done_; }

    /// Takes the next field. False when the block ends inside it: more text is needed.
    [[nodiscard]] bool next_field(Field& field) {
        while (is_blank(*p_)) {
            ++p_;
        }
        field.line = blocks_.line;
        field.column = p_ - line_begin_ + 1;
        if (*p_ == '"') {
            return quoted_field(field);
        }
        const char* begin = p_;
        while (*p_ != separator_ && *p_ != '\n') {
            if (*p_ == '\0') {
                fail(field.line, p_ - line_begin_ + 1, "NUL byte in the text");
            }
            ++p_;
        }
        const char* last = p_;
        while (last != begin && (is_blank(last[-1]) || (last[-1] == '\r' && *p_ == '\n'))) {
            --last;
        }
        field.text = {begin, static_cast<std::size_t>(last - begin)};
        end_field();
        return true;
    }

    /// Takes a plain number, the usual case, without looking at its characters twice.
    [[nodiscard]] bool next_number(double& value) {
        const ParsedNumber number = parse_number(p_, end_);
        if (number.status != NumberStatus::ok) {
            return false;
        }
        const char* after = number.end;
        after += *after == '\r' && after[1] == '\n' ? 1 : 0;
        if (*after != separator_ && *after != '\n') {
            return false;
        }
        value = number.value;
        p_ = after;
        end_field();
        return true;
    }

    /// Goes back to the start of a record that was torn; returns how far into the block that is.
    [[nodiscard]] index_t rewind() {
        blocks_.line = record_line_;
        return record_begin_ - blocks_.block().data();
    }

    [[nodiscard]] index_t line() const { return blocks_.line; }
    [[nodiscard]] index_t column() const { return p_ - line_begin_ + 1; }

    [[noreturn]] void fail(index_t line, index_t column, std::string message) const {
        refuse(blocks_.name(), std::move(message), line, column);
    }

private:
    [[nodiscard]] bool is_blank(char c) const { return c == ' ' || (c == '\t' && c != separator_); }

    void end_line() {
        ++p_;
        ++blocks_.line;
        line_begin_ = p_;
    }

    void end_field() {
        record_done_ = *p_ == '\n';
        if (record_done_) {
            end_line();
        } else {
            ++p_;
        }
    }

    [[nodiscard]] bool quoted_field(Field& field) {
        unquoted_.clear();
        ++p_;
        while (true) {
            const char* begin = p_;
            while (p_ != end_ && *p_ != '"' && *p_ != '\n' && *p_ != '\0') {
                ++p_;
            }
            unquoted_.append(begin, p_);
            if (p_ == end_) {
                if (blocks_.at_end()) {
                    fail(field.line, field.column, "quote is not closed");
                }
                return false;
            }
            if (*p_ == '\0') {
                fail(blocks_.line, p_ - line_begin_ + 1, "NUL byte in the text");
            }
            if (*p_ == '\n') {
                unquoted_ += '\n';
                end_line();
            } else if (p_[1] == '"') {
                unquoted_ += '"';
                p_ += 2;
            } else {
                ++p_;
                break;
            }
        }
        while (is_blank(*p_) || (*p_ == '\r' && p_[1] == '\n')) {
            ++p_;
        }
        if (*p_ != separator_ && *p_ != '\n') {
            fail(blocks_.line, p_ - line_begin_ + 1, "unexpected text after a closing quote");
        }
        field.text = unquoted_;
        end_field();
        return true;
    }

    TextBlocks& blocks_;
    char separator_;
    const char* p_ = nullptr;
    const char* end_ = nullptr;
    const char* line_begin_ = nullptr;
    const char* record_begin_ = nullptr;
    index_t record_line_ = 1;
    bool record_done_ = false;
    std::string unquoted_;
};

class CsvReader {
public:
    CsvReader(Reading& reading, CsvScanner& scanner)
        : options_(reading.options),
          context_(reading.context),
          scanner_(scanner),
          rows_(std::make_shared<DenseRows>(reading.context.memory())),
          targets_(reading.context.memory()) {}

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
            if (c != target_ && scanner_.next_number(row_[filled])) {
                ++filled;
                continue;
            }
            Field field;
            if (!scanner_.next_field(field)) {
                return false;
            }
            if (c == target_) {
                target = parse_target(field);
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
        if (has_header_) {
            for (index_t c = 0; c < width_; ++c) {
                if (c != target_) {
                    data.column_names.push_back(std::move(names_[static_cast<std::size_t>(c)]));
                }
            }
        }
        return data;
    }

private:
    struct Target {
        double number = 0.0;
        std::optional<std::string> text;
    };

    [[nodiscard]] index_t feature_count() const { return width_ - (target_ >= 0 ? 1 : 0); }

    [[nodiscard]] bool take_first_record() {
        constexpr index_t kNameOverhead = 128;  // three strings at most, and a number
        std::vector<std::string> fields;
        std::vector<Field> places;
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
        resolve_target(places.front());
        if (!has_header_ && options_.header != "no") {
            has_header_ = options_.header == "yes" || features_name_columns();
        }
        if (has_header_) {
            return true;
        }
        for (std::size_t c = 0; c < places.size(); ++c) {
            places[c].text = names_[c];
            if (static_cast<index_t>(c) == target_) {
                first_target_ = parse_target(places[c]);
            } else {
                row_.push_back(parse_feature(places[c], static_cast<index_t>(c)));
            }
        }
        if (first_target_.text.has_value() && options_.header == "auto") {
            first_row_ = row_;  // `0,1,label` may still be a header: the second record tells
        } else {
            add_row(row_, first_target_);
        }
        return true;
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

    void resolve_target(const Field& place) {
        const std::string& wanted = options_.target;
        if (wanted.empty() || wanted == "none") {
            target_ = wanted.empty() ? width_ - 1 : -1;
            return;
        }
        index_t index = 0;
        const char* last = wanted.data() + wanted.size();
        const auto parsed = std::from_chars(wanted.data(), last, index);
        const bool is_index = parsed.ec == std::errc() && parsed.ptr == last;
        const auto named = std::find(names_.begin(), names_.end(), wanted);
        if (named != names_.end() && options_.header != "no" &&
            (!is_index || options_.header == "yes")) {
            target_ = named - names_.begin();
            has_header_ = true;
            return;
        }
        if (!is_index) {
            scanner_.fail(place.line, place.column,
                          fmt::format("target: no column is named {}", quoted(wanted)));
        }
        target_ = index < 0 ? width_ + index : index;
        if (target_ < 0 || target_ >= width_) {
            scanner_.fail(
                place.line, place.column,
                fmt::format("target: there is no column {}; the file has {}", index, width_));
        }
    }

    [[nodiscard]] bool features_name_columns() const {
        for (index_t c = 0; c < width_; ++c) {
            const std::string& name = names_[static_cast<std::size_t>(c)];
            if (c != target_ && !is_missing(name) && !is_number(name)) {
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

    [[nodiscard]] Target parse_target(const Field& field) const {
        const char* last = field.text.data() + field.text.size();
        const ParsedNumber number = parse_number(field.text.data(), last);
        if (number.status == NumberStatus::ok && number.end == last) {
            return {number.value, std::nullopt};
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
        return {0.0, std::string(field.text)};
    }

    void add_row(const std::vector<double>& row, const Target& target) {
        std::copy(row.begin(), row.end(), rows_->values.extend(static_cast<index_t>(row.size())));
        ++row_count_;
        if (target_ >= 0 && target.text.has_value()) {
            targets_.add_text(*target.text);
        } else if (target_ >= 0) {
            targets_.add_number(target.number);
        }
    }

    const ReadOptions& options_;
    Context& context_;
    CsvScanner& scanner_;
    std::shared_ptr<DenseRows> rows_;
    TargetColumn targets_;
    index_t width_ = -1;
    index_t target_ = -1;
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
