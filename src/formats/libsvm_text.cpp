// SPDX-License-Identifier: Apache-2.0
//
// src/formats/libsvm_text.cpp - parsing and writing the text of LIBSVM's model files.
//
// Header lines `key value ...` up to a line `SV`, then one line per support row: its coefficients
// and its entries `index:value`. Counts are checked against the remaining bytes before memory is
// allocated.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <string_view>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/entries.hpp"
#include "mercer/formats/libsvm_model.hpp"
#include "mercer/models/class_pairs.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr index_t kFirstBlock = index_t{1} << 16;
constexpr index_t kLargestIndex = std::numeric_limits<std::int32_t>::max();

/// A parse error with its position.
struct BadText {
    std::string message;
    index_t line = 0;
    index_t column = 0;
};

/// The bytes of a file, charged to the budget.
struct Text {
    Buffer<char> bytes;
    index_t size = 0;

    [[nodiscard]] std::string_view view() const {
        return {bytes.data(), static_cast<std::size_t>(size)};
    }
};

Text read_all(ReadFile& file, Context& context) {
    Text text;
    const index_t known = file.size();
    text.bytes = context.allocate<char>(known >= 0 ? known + 1 : kFirstBlock, "the model's text");
    while (true) {
        if (text.size == text.bytes.size()) {  // a pipe, or a file that grew
            Buffer<char> larger =
                context.allocate<char>(checked_multiply(text.bytes.size(), 2), "the model's text");
            std::copy_n(text.bytes.data(), text.size, larger.data());
            text.bytes = std::move(larger);
        }
        const index_t got =
            file.read(text.bytes.span().subspan(static_cast<std::size_t>(text.size)));
        if (got == 0) {
            return text;
        }
        text.size += got;
    }
}

std::string shown(std::string_view token) {
    std::string out;
    for (const char c : token.substr(0, 40)) {
        out += c >= ' ' && c <= '~' ? std::string(1, c)
                                    : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return out;
}

/// Splits the text into lines and words.
class Scanner {
public:
    explicit Scanner(std::string_view text) : rest_(text) {}

    /// Advances to the next line; false at the end of the text.
    bool next_line() {
        if (rest_.empty()) {
            line_ = {};
            return false;
        }
        const std::size_t end = rest_.find('\n');
        line_ = rest_.substr(0, end);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        if (line_.ends_with('\r')) {
            line_.remove_suffix(1);
        }
        begin_ = line_.data();
        ++number_;
        return true;
    }

    /// The next word of the line; empty if there is none.
    std::string_view word() {
        const std::size_t begin = std::min(line_.find_first_not_of(" \t"), line_.size());
        line_.remove_prefix(begin);
        const std::size_t end = std::min(line_.find_first_of(" \t"), line_.size());
        const std::string_view token = line_.substr(0, end);
        at_ = token.data();
        line_.remove_prefix(end);
        return token;
    }

    [[nodiscard]] index_t bytes_left() const { return static_cast<index_t>(rest_.size()); }

    /// Throws at the last word, or `offset` characters into it.
    [[noreturn]] void refuse(const std::string& message, std::ptrdiff_t offset = 0) const {
        throw BadText{message, number_, at_ == nullptr ? 1 : at_ - begin_ + 1 + offset};
    }

    /// Throws at the end of the line.
    [[noreturn]] void refuse_end(const std::string& message) const {
        throw BadText{message, number_, line_.data() + line_.size() - begin_ + 1};
    }

    double number(std::string_view token, std::ptrdiff_t offset = 0) const {
        const char* first = token.data() + (token.starts_with('+') ? 1 : 0);
        const char* last = token.data() + token.size();
        double value = 0.0;
        const auto parsed = std::from_chars(first, last, value);
        if (parsed.ec != std::errc() || parsed.ptr != last || first == last) {
            refuse(fmt::format("got '{}', must be a number in the range of a double", shown(token)),
                   offset);
        }
        if (!std::isfinite(value)) {
            refuse(fmt::format("got '{}', must be finite", shown(token)), offset);
        }
        return value;
    }

    index_t integer(std::string_view token, index_t least, index_t most,
                    std::ptrdiff_t offset = 0) const {
        index_t value = 0;
        const char* last = token.data() + token.size();
        const auto parsed = std::from_chars(token.data(), last, value);
        if (parsed.ec != std::errc() || parsed.ptr != last || value < least || value > most) {
            refuse(fmt::format("got '{}', must be an integer from {} to {}", shown(token), least,
                               most),
                   offset);
        }
        return value;
    }

private:
    std::string_view rest_;
    std::string_view line_;
    const char* begin_ = nullptr;
    const char* at_ = nullptr;
    index_t number_ = 0;
};

/// The memory of the support rows.
struct SupportRows {
    Buffer<index_t> offsets;
    Buffer<index_t> columns;
    Buffer<double> values;
};

class Reader {
public:
    Reader(std::string_view text, Context& context)
        : text_(text), scanner_(text), context_(context) {}

    LibsvmModel read() {
        read_header();
        check_header();
        read_support();
        if (!text_.ends_with('\n')) {
            scanner_.refuse_end("the file ends within a line: it is cut short");
        }
        while (scanner_.next_line()) {
            if (!scanner_.word().empty()) {
                scanner_.refuse(fmt::format("a line after the {} support rows", total_));
            }
        }
        return std::move(model_);
    }

private:
    using KeyReaders = std::map<std::string_view, std::function<void()>>;

    /// How to read the value of each header key.
    [[nodiscard]] KeyReaders key_readers() {
        return {
            {"svm_type",
             [&] {
                 model_.svm_type =
                     choice({"c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr"});
             }},
            {"kernel_type",
             [&] {
                 model_.kernel_type =
                     choice({"linear", "polynomial", "rbf", "sigmoid", "precomputed"});
             }},
            {"degree", [&] { model_.degree = static_cast<double>(integer(0, 1000000)); }},
            {"gamma", [&] { model_.gamma = number(); }},
            {"coef0", [&] { model_.coef0 = number(); }},
            {"nr_class", [&] { model_.classes = integer(2, kMostClasses); }},
            {"total_sv", [&] { total_ = integer(0, scanner_.bytes_left()); }},
            {"rho", [&] { model_.rho = numbers(); }},
            {"label", [&] { read_labels(); }},
            {"probA", [&] { model_.prob_a = numbers(); }},
            {"probB", [&] { model_.prob_b = numbers(); }},
            {"prob_density_marks", [&] { model_.density_marks = numbers(); }},
            {"nr_sv", [&] { read_counts(); }},
        };
    }

    void read_header() {
        const KeyReaders keys = key_readers();
        while (true) {
            if (!scanner_.next_line()) {
                scanner_.refuse("the file ends before the line SV");
            }
            const std::string_view key = scanner_.word();
            if (key == "SV") {
                end_line();
                return;
            }
            const auto found = keys.find(key);
            if (found == keys.end()) {
                scanner_.refuse(
                    fmt::format("got '{}', which is no key of a LIBSVM model", shown(key)));
            }
            if (!seen_.emplace(std::string(key), true).second) {
                scanner_.refuse(fmt::format("the key '{}' stands twice", key));
            }
            found->second();
            end_line();
        }
    }

    void require_key(const char* key) const {
        if (seen_.count(key) == 0) {
            scanner_.refuse(fmt::format("the header lacks the key '{}'", key));
        }
    }
    void require_count(const char* key, std::size_t count, index_t wanted) const {
        if (static_cast<index_t>(count) != wanted) {
            scanner_.refuse(fmt::format("'{}' has {} numbers, must have {}", key, count, wanted));
        }
    }

    /// Checks that every required key is present, with the right number of values.
    void check_header() {
        for (const char* key : {"svm_type", "kernel_type", "nr_class", "total_sv", "rho"}) {
            require_key(key);
        }
        const std::string& kernel = model_.kernel_type;
        if (kernel == "polynomial") {
            require_key("degree");
        }
        if (kernel != "linear" && kernel != "precomputed") {
            require_key("gamma");
        }
        if (kernel == "polynomial" || kernel == "sigmoid") {
            require_key("coef0");
        }
        const index_t pairs = pair_count(model_.classes);
        require_count("rho", model_.rho.size(), pairs);
        if (model_.is_classifier()) {
            require_key("label");
            require_key("nr_sv");
            require_count("label", model_.labels.size(), model_.classes);
            require_count("nr_sv", model_.class_support.size(), model_.classes);
            index_t sum = 0;
            for (const index_t count : model_.class_support) {
                sum += count;  // at most 2000 counts, each below the file's size
            }
            if (sum != total_) {
                scanner_.refuse(fmt::format("'nr_sv' sums to {}, 'total_sv' is {}", sum, total_));
            }
        } else if (model_.classes != 2 || seen_.count("label") + seen_.count("nr_sv") > 0) {
            scanner_.refuse(fmt::format("{} has no classes", model_.svm_type));
        }
        check_probabilities(pairs);
    }

    void check_probabilities(index_t pairs) const {
        const bool a = seen_.count("probA") > 0;
        const bool b = seen_.count("probB") > 0;
        if (a) {
            require_count("probA", model_.prob_a.size(), model_.is_classifier() ? pairs : 1);
        }
        if (b) {
            require_count("probB", model_.prob_b.size(), pairs);
        }
        if (model_.is_classifier() ? a != b : b) {
            scanner_.refuse("'probA' and 'probB' do not fit the type of the model");
        }
        if (a && model_.svm_type == "one_class") {
            scanner_.refuse("'probA' belongs to classes and regressions");
        }
        if (a && !model_.is_classifier() && !(model_.prob_a.front() >= 0.0)) {
            scanner_.refuse("'probA' of a regression is the width of its noise, must be >= 0");
        }
        if (seen_.count("prob_density_marks") > 0) {
            require_count("prob_density_marks", model_.density_marks.size(), kDensityMarks);
            if (model_.svm_type != "one_class") {
                scanner_.refuse("'prob_density_marks' belongs to one_class");
            }
        }
    }

    void read_labels() {
        for (std::string_view token = scanner_.word(); !token.empty(); token = scanner_.word()) {
            model_.labels.push_back(static_cast<std::int32_t>(
                scanner_.integer(token, std::numeric_limits<std::int32_t>::min(),
                                 std::numeric_limits<std::int32_t>::max())));
            limit_list(model_.labels.size(), kMostClasses);
        }
        std::vector<std::int32_t> sorted = model_.labels;
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
            scanner_.refuse("a label stands twice");
        }
    }

    void read_counts() {
        for (std::string_view token = scanner_.word(); !token.empty(); token = scanner_.word()) {
            model_.class_support.push_back(scanner_.integer(token, 0, scanner_.bytes_left()));
            limit_list(model_.class_support.size(), kMostClasses);
        }
    }

    std::vector<double> numbers() {
        std::vector<double> out;
        for (std::string_view token = scanner_.word(); !token.empty(); token = scanner_.word()) {
            out.push_back(scanner_.number(token));
            limit_list(out.size(), pair_count(kMostClasses));
        }
        return out;
    }
    void limit_list(std::size_t size, index_t most) const {
        if (static_cast<index_t>(size) > most) {
            scanner_.refuse(fmt::format("more than {} numbers", most));
        }
    }

    double number() { return scanner_.number(scanner_.word()); }
    index_t integer(index_t least, index_t most) {
        return scanner_.integer(scanner_.word(), least, most);
    }
    std::string choice(const std::vector<std::string>& choices) {
        const std::string_view token = scanner_.word();
        const auto found = std::find(choices.begin(), choices.end(), token);
        if (found == choices.end()) {
            scanner_.refuse(
                fmt::format("got '{}', must be one of {}", shown(token), fmt::join(choices, ", ")));
        }
        return *found;
    }
    void end_line() {
        if (const std::string_view extra = scanner_.word(); !extra.empty()) {
            scanner_.refuse(fmt::format("got '{}' at the end of the line", shown(extra)));
        }
    }

    void read_support() {
        const index_t width = model_.classes - 1;
        // Every coefficient takes at least one character and a space, every entry at least a colon.
        if (total_ > scanner_.bytes_left() / std::max<index_t>(1, 2 * width - 1) + 1) {
            scanner_.refuse(fmt::format("{} support rows are announced, {} bytes are left", total_,
                                        scanner_.bytes_left()));
        }
        const std::string_view body =
            text_.substr(text_.size() - static_cast<std::size_t>(scanner_.bytes_left()));
        const index_t entries = std::count(body.begin(), body.end(), ':');
        auto rows = std::make_shared<SupportRows>();
        rows->offsets = context_.allocate<index_t>(total_ + 1, "support rows");
        rows->columns = context_.allocate<index_t>(entries, "support rows");
        rows->values = context_.allocate<double>(entries, "support rows");
        model_.coefficients.reserve(static_cast<std::size_t>(checked_multiply(total_, width)));
        index_t stored = 0;
        index_t columns = 0;
        for (index_t i = 0; i < total_; ++i) {
            if (!scanner_.next_line()) {
                scanner_.refuse(
                    fmt::format("the file ends after {} of {} support rows", i, total_));
            }
            for (index_t t = 0; t < width; ++t) {
                model_.coefficients.push_back(scanner_.number(coefficient_word(t, width)));
            }
            stored = read_entries(*rows, stored);
            columns = std::max(
                columns, stored > rows->offsets[i] ? rows->columns[stored - 1] + 1 : index_t{0});
            rows->offsets[i + 1] = stored;
        }
        const auto used = static_cast<std::size_t>(stored);
        const CsrView view{std::as_const(rows->offsets).span(),
                           std::as_const(rows->columns).span().first(used),
                           std::as_const(rows->values).span().first(used), columns};
        model_.support = Dataset::from_checked(view, rows, context_.memory());
    }

    std::string_view coefficient_word(index_t t, index_t width) {
        const std::string_view token = scanner_.word();
        if (token.empty() || token.find(':') != std::string_view::npos) {
            scanner_.refuse(fmt::format("the row has {} coefficients, must have {}", t, width));
        }
        return token;
    }

    /// Reads the entries of a line; returns the number of entries stored so far.
    index_t read_entries(SupportRows& rows, index_t stored) {
        // A row of precomputed kernel values consists of its number, at index 0.
        const index_t base = model_.kernel_type == "precomputed" ? 0 : 1;
        index_t previous = base - 1;
        for (std::string_view token = scanner_.word(); !token.empty(); token = scanner_.word()) {
            const std::size_t colon = token.find(':');
            if (colon == std::string_view::npos) {
                scanner_.refuse(fmt::format("got '{}', must be index:value", shown(token)));
            }
            const index_t index = scanner_.integer(token.substr(0, colon), base, kLargestIndex);
            if (base == 0 && index != 0) {
                scanner_.refuse("a row of precomputed kernel values is its number, 0:number");
            }
            if (index <= previous) {
                scanner_.refuse(
                    fmt::format("index {} after {}: indices must ascend", index, previous));
            }
            const auto offset = static_cast<std::ptrdiff_t>(colon) + 1;
            rows.values[stored] = scanner_.number(token.substr(colon + 1), offset);
            rows.columns[stored] = index - base;
            previous = index;
            ++stored;
        }
        return stored;
    }

    std::string_view text_;
    Scanner scanner_;
    Context& context_;
    LibsvmModel model_;
    index_t total_ = 0;
    std::map<std::string, bool> seen_;
};

template <typename Numbers>
void append_list(std::string& text, const char* key, const Numbers& numbers) {
    if (!numbers.empty()) {
        fmt::format_to(std::back_inserter(text), "{} {}\n", key, fmt::join(numbers, " "));
    }
}

std::string header_text(const LibsvmModel& model) {
    std::string text =
        fmt::format("svm_type {}\nkernel_type {}\n", model.svm_type, model.kernel_type);
    if (model.kernel_type == "polynomial") {
        text += fmt::format("degree {}\n", model.degree);
    }
    if (model.kernel_type != "linear" && model.kernel_type != "precomputed") {
        text += fmt::format("gamma {}\n", model.gamma);
    }
    if (model.kernel_type == "polynomial" || model.kernel_type == "sigmoid") {
        text += fmt::format("coef0 {}\n", model.coef0);
    }
    text += fmt::format("nr_class {}\ntotal_sv {}\n", model.classes, model.support.rows());
    append_list(text, "rho", model.rho);
    append_list(text, "label", model.labels);
    append_list(text, "probA", model.prob_a);
    append_list(text, "probB", model.prob_b);
    append_list(text, "prob_density_marks", model.density_marks);
    append_list(text, "nr_sv", model.class_support);
    return text + "SV\n";
}

template <typename T>
void append_entries(std::string& text, const MatrixView<const T>& rows, index_t i) {
    for (index_t j = 0; j < rows.columns; ++j) {
        if (rows(i, j) != T{0}) {
            fmt::format_to(std::back_inserter(text), " {}:{}", j + 1,
                           static_cast<double>(rows(i, j)));
        }
    }
}

void append_entries(std::string& text, const CsrView& rows, index_t i) {
    data::for_each_entry(rows, i, [&](index_t column, double value) {
        fmt::format_to(std::back_inserter(text), " {}:{}", column + 1, value);
    });
}

}  // namespace

Result<LibsvmModel> read_libsvm_model(const std::string& path, Context& context, Files& files) {
    const std::unique_ptr<ReadFile> file = files.open(path);
    try {
        const Text text = read_all(*file, context);
        LibsvmModel model = Reader(text.view(), context).read();
        require_consistent(model);
        return model;
    } catch (const BadText& fault) {
        return Diagnostic{fault.message, path, fault.line, fault.column};
    } catch (const InvalidArgument& fault) {
        return Diagnostic{fault.what(), path, 0, 0};
    }
}

void write_libsvm_model(const LibsvmModel& model, const std::string& path, Files& files) {
    constexpr std::size_t kFlush = std::size_t{64} << 10;
    require_consistent(model);
    const std::unique_ptr<WriteFile> file = files.create(path);
    std::string text = header_text(model);
    const auto width = static_cast<std::size_t>(model.classes - 1);
    for (index_t i = 0; i < model.support.rows(); ++i) {
        const auto first = model.coefficients.begin() +
                           static_cast<std::ptrdiff_t>(static_cast<std::size_t>(i) * width);
        fmt::format_to(std::back_inserter(text), "{}",
                       fmt::join(first, first + static_cast<std::ptrdiff_t>(width), " "));
        if (model.kernel_type == "precomputed") {
            std::vector<double> row(static_cast<std::size_t>(model.support.columns()));
            model.support.copy_row(i, row);
            fmt::format_to(std::back_inserter(text), " 0:{}", row[0]);
        } else {
            std::visit([&](const auto& rows) { append_entries(text, rows, i); },
                       model.support.storage());
        }
        text += " \n";  // trailing space as in LIBSVM, whose reader requires it
        if (text.size() > kFlush) {
            file->write(text);
            text.clear();
        }
    }
    file->write(text);
    file->commit();
}

}  // namespace mercer
