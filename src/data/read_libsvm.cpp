// SPDX-License-Identifier: Apache-2.0
//
// src/data/read_libsvm.cpp - LIBSVM / svmlight text: `label [qid:N] index:value ... # comment`.
//
// One pass over blocks of whole lines. Each block ends in '\n', so scanning loops need no bounds
// check: every one of them stops at a line end. The grammar is strict; anything unexpected is
// refused with the place of the first character that does not fit.
#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "data/bad_input.hpp"
#include "data/number.hpp"
#include "data/readers.hpp"
#include "data/targets.hpp"
#include "data/text_blocks.hpp"

namespace mercer::data {

namespace {

/// The memory of the result.
struct SparseRows {
    explicit SparseRows(const std::shared_ptr<MemoryBudget>& budget)
        : offsets(budget, "row offsets"),
          indices(budget, "column indices"),
          lists(budget, "places of column indices"),
          values(budget, "values"),
          targets_charge(budget) {}

    GrowingArray<index_t> offsets;
    GrowingArray<index_t> indices;  ///< of the rows that have a gap
    GrowingArray<index_t> lists;
    GrowingArray<double> values;
    Charge targets_charge;
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

class LibsvmParser {
public:
    LibsvmParser(Reading& reading, TextBlocks& blocks)
        : blocks_(blocks),
          base_(reading.options.zero_based ? 0 : 1),
          labels_may_name_(reading.options.task != "regression"),
          rows_(std::make_shared<SparseRows>(reading.context.memory())),
          targets_(reading.context.memory(), "targets"),
          queries_(reading.context.memory(), "queries") {
        rows_->offsets.push_back(0);
        rows_->lists.push_back(0);
    }

    void parse_block(std::string_view block) {
        p_ = block.data();
        end_ = p_ + block.size();
        while (p_ != end_) {
            line_begin_ = p_;
            parse_line();
            ++blocks_.line;
        }
    }

    [[nodiscard]] Dataset finish(index_t least_columns,
                                 const std::shared_ptr<MemoryBudget>& budget) {
        rows_->offsets.shrink_to_fit();
        rows_->indices.shrink_to_fit();
        if (rows_->indices.size() == 0 || rows_->indices.size() == rows_->values.size()) {
            rows_->lists.truncate(0);  // no row has a list, or they begin at the offsets
        }
        rows_->lists.shrink_to_fit();
        rows_->values.shrink_to_fit();
        rows_->targets_charge.add(targets_.size() * static_cast<index_t>(sizeof(double)),
                                  "targets");
        rows_->targets_charge.add(queries_.size() * static_cast<index_t>(sizeof(index_t)),
                                  "queries");
        const CsrView view{rows_->offsets.span(), rows_->indices.span(), rows_->values.span(),
                           std::max(column_count_, least_columns), rows_->lists.span()};
        Dataset data = Dataset::from_checked(view, rows_, budget);
        data.targets.assign(targets_.span().begin(), targets_.span().end());
        data.queries.assign(queries_.span().begin(), queries_.span().end());
        return data;
    }

private:
    void parse_line() {
        skip_blanks();
        if (!at_line_end()) {
            parse_label();
            skip_blanks();
            parse_query();
            index_t previous = -1;
            listed_ = false;
            while (skip_blanks(), !at_line_end()) {
                previous = parse_entry(previous);
            }
            column_count_ = std::max(column_count_, previous + 1);
            rows_->offsets.push_back(rows_->values.size());
            rows_->lists.push_back(rows_->indices.size());
        }
        skip_line_end();
    }

    void skip_blanks() {
        while (is_blank(*p_)) {
            ++p_;
        }
    }

    /// A line ends at '\n', at "\r\n", or where a comment starts.
    [[nodiscard]] bool at_line_end() const {
        return *p_ == '\n' || *p_ == '#' || (*p_ == '\r' && p_[1] == '\n');
    }

    void skip_line_end() {
        if (*p_ == '#') {
            const auto* newline = static_cast<const char*>(
                std::memchr(p_, '\n', static_cast<std::size_t>(end_ - p_)));
            const void* nul = std::memchr(p_, '\0', static_cast<std::size_t>(newline - p_));
            if (nul != nullptr) {
                fail(static_cast<const char*>(nul), "NUL byte in the text");
            }
            p_ = newline;
        }
        p_ += *p_ == '\r' ? 2 : 1;
    }

    void parse_label() {
        const ParsedNumber label = parse_number(p_, end_);
        if (label.status != NumberStatus::ok || !ends_token(label.end)) {
            fail_label(label);
        }
        if (std::abs(label.value) >= 0x1.0p53 && labels_may_name_ &&
            is_beyond_doubles(token_at(p_))) {
            fail(p_, fmt::format("label: {} {}", quoted(token_at(p_)), kBeyondDoubles));
        }
        targets_.push_back(label.value);
        p_ = label.end;
    }

    /// Reads `qid:N`, which either all rows have or none.
    void parse_query() {
        constexpr std::string_view kName = "qid:";
        const std::string_view token = *p_ == 'q' ? token_at(p_) : std::string_view();
        const bool given = token.starts_with(kName);
        if (targets_.size() > 1 && given != (queries_.size() > 0)) {
            fail(p_, given ? "qid: the rows before have none; every row has its query, or none has"
                           : "qid: missing; every row has its query, or none has");
        }
        if (!given) {
            return;
        }
        index_t query = 0;
        const auto parsed =
            std::from_chars(token.data() + kName.size(), token.data() + token.size(), query);
        if (parsed.ec != std::errc() || parsed.ptr != token.data() + token.size()) {
            fail(p_, fmt::format("qid: {} does not name a query by a whole number of 64 bits",
                                 quoted(token)));
        }
        queries_.push_back(query);
        p_ = parsed.ptr;
    }

    /// Reads `index:value`; returns the column, counted from 0.
    index_t parse_entry(index_t previous) {
        const char* begin = p_;
        std::uint64_t digits = 0;
        while (static_cast<unsigned char>(*p_ - '0') < 10) {
            digits = digits * 10 + static_cast<unsigned char>(*p_++ - '0');
        }
        constexpr index_t kSafeDigits = 18;  // any 18 digits fit 64 bits
        auto index = static_cast<index_t>(digits);
        const bool overflow = p_ - begin > kSafeDigits && !parse_long_index(begin, index);
        if (p_ == begin || *p_ != ':' || overflow) {
            fail_index(begin, overflow);
        }
        const index_t column = index - base_;
        if (column <= previous) {
            fail_order(begin, index, previous + base_);
        }
        ++p_;
        const ParsedNumber value = parse_number(p_, end_);
        if (value.status != NumberStatus::ok || !ends_token(value.end)) {
            fail_number("value", value);
        }
        if (column != previous + 1 && !listed_) {
            list_columns(previous + 1);
        }
        if (listed_) {
            rows_->indices.push_back(column);
        }
        rows_->values.push_back(value.value);
        p_ = value.end;
        return column;
    }

    /// Lists the columns of the row's entries so far, none of which follows a gap.
    void list_columns(index_t count) {
        listed_ = true;
        index_t* index = rows_->indices.extend(count);
        std::iota(index, index + count, index_t{0});
    }

    /// Reads digits again, checking for overflow; the number of columns, one more, must also fit.
    [[nodiscard]] bool parse_long_index(const char* begin, index_t& index) const {
        index = 0;
        for (const char* p = begin; p != p_; ++p) {
            if (__builtin_mul_overflow(index, index_t{10}, &index) ||
                __builtin_add_overflow(index, index_t{*p - '0'}, &index)) {
                return false;
            }
        }
        return index - base_ < std::numeric_limits<index_t>::max();
    }

    [[nodiscard]] static bool ends_token(const char* p) {
        return is_blank(*p) || *p == '\n' || *p == '#' || (*p == '\r' && p[1] == '\n');
    }

    [[nodiscard]] static std::string_view token_at(const char* p) {
        const char* end = p;
        while (!ends_token(end)) {
            ++end;
        }
        return {p, static_cast<std::size_t>(end - p)};
    }

    [[noreturn]] void fail(const char* place, std::string message) const {
        if (*place == '\0') {
            message = "NUL byte in the text";
        }
        refuse(blocks_.name(), std::move(message), blocks_.line, place - line_begin_ + 1);
    }

    /// Refuses the number that should start at p_.
    [[noreturn]] void fail_number(const char* what, const ParsedNumber& number) const {
        const std::string_view token = token_at(p_);
        if (token.empty()) {
            fail(p_, fmt::format("{}: missing after ':'", what));
        }
        if (number.status == NumberStatus::not_finite && ends_token(number.end)) {
            fail(p_, fmt::format("{}: {} is not finite", what, quoted(token)));
        }
        // `1.5x`: the number is fine up to the x, so that is where to look.
        const char* place = number.status == NumberStatus::ok ? number.end : p_;
        fail(place, fmt::format("{}: {} is not a number", what, quoted(token)));
    }

    [[noreturn]] void fail_label(const ParsedNumber& label) const {
        if (label.status == NumberStatus::ok && *label.end == ',') {
            fail(label.end, fmt::format("label: {} has several labels; one per row is supported",
                                        quoted(token_at(p_))));
        }
        if (label.status == NumberStatus::ok && *label.end == ':') {
            fail(p_, fmt::format("label: missing; the line starts with {}", quoted(token_at(p_))));
        }
        fail_number("label", label);
    }

    [[noreturn]] void fail_index(const char* begin, bool overflow) const {
        const std::string_view token = token_at(begin);
        if (token.starts_with("qid:")) {
            fail(begin, "qid: stands once, between the label and the first index");
        }
        if (overflow) {
            fail(begin, fmt::format("index: {} does not fit 64 bits", quoted(token)));
        }
        if (token.starts_with(':')) {
            fail(begin, "index: missing before ':'");
        }
        if (p_ == begin) {
            fail(begin, fmt::format("index: {} is not index:value with a whole index >= {}",
                                    quoted(token), base_));
        }
        fail(p_, fmt::format("index: expected ':' after {} in {}",
                             quoted({begin, static_cast<std::size_t>(p_ - begin)}), quoted(token)));
    }

    [[noreturn]] void fail_order(const char* begin, index_t index, index_t previous) const {
        if (index < base_) {
            fail(begin,
                 "index: 0 in a file that counts from 1; if it counts from 0, read it with "
                 "zero_based (--zero-based)");
        }
        fail(begin, index == previous
                        ? fmt::format("index: {} occurs twice in the line", index)
                        : fmt::format("index: {} after {}; indices must ascend", index, previous));
    }

    TextBlocks& blocks_;
    index_t base_;
    bool labels_may_name_;  ///< classes; false: they are quantities
    std::shared_ptr<SparseRows> rows_;
    GrowingArray<double> targets_;
    GrowingArray<index_t> queries_;
    index_t column_count_ = 0;
    bool listed_ = false;  ///< the current row has had a gap
    const char* p_ = nullptr;
    const char* end_ = nullptr;
    const char* line_begin_ = nullptr;
};

}  // namespace

Dataset read_libsvm(Reading& reading) {
    TextBlocks blocks(reading.source, reading.name, reading.context);
    LibsvmParser parser(reading, blocks);
    while (blocks.next()) {
        parser.parse_block(blocks.block());
    }
    return parser.finish(reading.options.columns, reading.context.memory());
}

}  // namespace mercer::data
