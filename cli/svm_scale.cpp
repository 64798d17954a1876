// SPDX-License-Identifier: Apache-2.0
//
// cli/svm_scale.cpp - svm-scale: scales columns to an interval by their smallest and largest
// entries.
//
// Not the same map as mercer data scale: constant columns are left out, and the range file has
// LIBSVM's format, so that either program reads the other's.
#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>

#include "mercer/base/error.hpp"
#include "mercer/data/entries.hpp"
#include "mercer/runtime/files.hpp"
#include "option_registrar.hpp"
#include "stoppable_files.hpp"
#include "svm_programs.hpp"
#include "text_file.hpp"

namespace mercer::cli {

namespace {

constexpr const char* kScaleUsage =
    "Usage: svm-scale [options] data_filename\n"
    "options:\n"
    "-l lower : lower limit (default -1)   -u upper : upper limit (default +1)\n"
    "-y y_lower y_upper : limits of the targets (default: targets stay)\n"
    "-s save_filename : keep the map   -r restore_filename : apply the map kept";

/// From [from.lower, from.upper] to [to.lower, to.upper].
double mapped(double value, const Interval& from, const Interval& to) {
    if (value == from.lower) {
        return to.lower;
    }
    if (value == from.upper) {
        return to.upper;
    }
    return to.lower + (to.upper - to.lower) * (value - from.lower) / (from.upper - from.lower);
}

/// The content of a range file.
struct Ranges {
    Interval limits{-1.0, 1.0};
    std::optional<Interval> target_limits;
    Interval targets;
    std::map<index_t, Interval> columns;  ///< by 0-based column; may include constant ones
};

struct ScaleFlags {
    Ranges ranges;
    std::string save;
    std::string restore;
    std::string data;
};

ScaleFlags read_scale_flags(const std::vector<std::string>& words) {
    ScaleFlags wanted;
    SvmFlags flags(kScaleUsage, words);
    for (std::optional<std::string> flag = flags.flag(); flag; flag = flags.flag()) {
        if (*flag == "-l") {
            wanted.ranges.limits.lower = flags.number();
        } else if (*flag == "-u") {
            wanted.ranges.limits.upper = flags.number();
        } else if (*flag == "-y") {
            const double lower = flags.number();
            wanted.ranges.target_limits = Interval{lower, flags.number()};
        } else if (*flag == "-s") {
            wanted.save = flags.text();
        } else if (*flag == "-r") {
            wanted.restore = flags.text();
        } else {
            flags.refuse_flag();
        }
    }
    const auto increasing = [](const Interval& x) { return x.lower < x.upper; };
    if (!increasing(wanted.ranges.limits) ||
        (wanted.ranges.target_limits && !increasing(*wanted.ranges.target_limits))) {
        flags.refuse("inconsistent lower/upper specification");
    }
    if (!wanted.save.empty() && !wanted.restore.empty()) {
        flags.refuse("cannot use -r and -s simultaneously");
    }
    const std::vector<std::string> files = flags.files();
    if (files.size() != 1) {
        flags.refuse("one data file is wanted");
    }
    wanted.data = files[0];
    return wanted;
}

/// Reads the words of a range file one by one.
class RangeReader {
public:
    RangeReader(std::string path, std::string text)
        : path_(std::move(path)), text_(std::move(text)), rest_(text_) {}

    Ranges read() {
        Ranges ranges;
        std::string_view mark = word();
        if (mark == "y") {
            ranges.target_limits = interval();
            ranges.targets = interval();
            mark = word();
        }
        if (mark != "x") {
            refuse(mark, "x");
        }
        ranges.limits = interval();
        while (true) {
            const std::string_view token = word();
            if (token.empty()) {
                return ranges;
            }
            index_t index = 0;
            const auto parsed = std::from_chars(token.data(), token.data() + token.size(), index);
            if (parsed.ec != std::errc() || parsed.ptr != token.data() + token.size() ||
                index < 1 || index > 2147483647) {
                refuse(token, "a column's index");
            }
            ranges.columns[index - 1] = interval();
        }
    }

private:
    std::string_view word() {
        constexpr std::string_view kSpace = " \t\r\n";
        const std::size_t begin = std::min(rest_.find_first_not_of(kSpace), rest_.size());
        line_ +=
            std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
        rest_.remove_prefix(begin);
        const std::size_t end = std::min(rest_.find_first_of(kSpace), rest_.size());
        const std::string_view token = rest_.substr(0, end);
        rest_.remove_prefix(end);
        return token;
    }
    Interval interval() {
        Interval out;
        for (double* side : {&out.lower, &out.upper}) {
            const std::string_view token = word();
            const std::optional<double> value = read_number(token);
            if (!value || !(std::abs(*value) < kInfinity)) {
                refuse(token, "a finite number");
            }
            *side = *value;
        }
        return out;
    }
    [[noreturn]] void refuse(std::string_view token, const char* wanted) const {
        throw DataError(
            fmt::format("{}:{}: got '{}', must be {}", path_, line_, token.substr(0, 40), wanted));
    }

    std::string path_;
    std::string text_;
    std::string_view rest_;
    index_t line_ = 1;
};

/// Smallest and largest entry of each column, including zeros.
std::map<index_t, Interval> column_ranges(const Dataset& data) {
    struct Seen {
        Interval range{kInfinity, -kInfinity};
        index_t count = 0;
    };
    std::map<index_t, Seen> seen;
    data::for_each_entry(data, [&](index_t, index_t j, double value) {
        Seen& column = seen[j];
        column.range.lower = std::min(column.range.lower, value);
        column.range.upper = std::max(column.range.upper, value);
        ++column.count;
    });
    std::map<index_t, Interval> out;
    for (auto& [column, found] : seen) {
        if (found.count < data.rows()) {
            found.range.lower = std::min(found.range.lower, 0.0);
            found.range.upper = std::max(found.range.upper, 0.0);
        }
        out[column] = found.range;
    }
    return out;
}

std::string range_text(const Ranges& ranges) {
    std::string text;
    const auto line = [&](const std::string& before, const Interval& x) {
        fmt::format_to(std::back_inserter(text), "{}{:.17g} {:.17g}\n", before, x.lower, x.upper);
    };
    if (ranges.target_limits) {
        line("y\n", *ranges.target_limits);
        line("", ranges.targets);
    }
    line("x\n", ranges.limits);
    for (const auto& [column, range] : ranges.columns) {
        if (range.lower != range.upper) {
            line(fmt::format("{} ", column + 1), range);
        }
    }
    return text;
}

/// Warns, with LIBSVM's message, about varying columns that are missing in the restored ranges.
void warn_of_dropped(Session& session, const ScaleFlags& wanted, const Dataset& data) {
    for (const auto& [column, range] : column_ranges(data)) {
        if (range.lower != range.upper && !wanted.ranges.columns.contains(column)) {
            session.say(fmt::format(
                "WARNING: feature index {} appeared in file {} was not seen in the scaling factor "
                "file {}. The feature is scaled to 0.",
                column + 1, wanted.data, wanted.restore));
        }
    }
}

/// Appends one row: every column of the ranges, absent entries as zeros, without other columns.
/// Returns the number of entries.
index_t append_row(std::string& text, const CsrView& rows, std::size_t i, const Ranges& ranges) {
    const auto row = static_cast<index_t>(i);
    index_t k = rows.offsets[i];
    const index_t end = rows.offsets[i + 1];
    index_t entries = 0;
    for (const auto& [column, range] : ranges.columns) {
        while (k < end && rows.column(row, k) < column) {
            ++k;
        }
        const bool stored = k < end && rows.column(row, k) == column;
        const double value = stored ? rows.values[static_cast<std::size_t>(k)] : 0.0;
        if (range.lower == range.upper) {
            continue;
        }
        const double scaled = mapped(value, range, ranges.limits);
        if (scaled != 0.0) {
            fmt::format_to(std::back_inserter(text), "{}:{:g} ", column + 1, scaled);
            ++entries;
        }
    }
    return entries;
}

/// Returns the number of entries of all rows.
index_t write_scaled(const Dataset& data, const Ranges& ranges, Files& files) {
    constexpr std::size_t kFlush = std::size_t{1} << 20;
    const CsrView& rows = std::get<CsrView>(data.storage());
    const std::unique_ptr<WriteFile> file = files.create("-");
    std::string text;
    index_t entries = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(data.rows()); ++i) {
        const bool move = ranges.target_limits && ranges.targets.lower < ranges.targets.upper;
        const double target =
            move ? mapped(data.targets[i], ranges.targets, *ranges.target_limits) : data.targets[i];
        fmt::format_to(std::back_inserter(text), "{:.17g} ", target);
        entries += append_row(text, rows, i, ranges);
        text += '\n';
        if (text.size() > kFlush) {
            file->write(text);
            text.clear();
        }
    }
    file->write(text);
    file->commit();
    return entries;
}

}  // namespace

ExitStatus run_svm_scale(Session& session, const std::vector<std::string>& words) {
    ScaleFlags wanted = read_scale_flags(words);
    session.files.add(FileRole::input, "data_filename", wanted.data);
    session.files.add(FileRole::input, "-r", wanted.restore);
    session.files.add(FileRole::output, "-s", wanted.save);
    StoppableFiles files(session.context());
    Ranges& ranges = wanted.ranges;
    if (!wanted.restore.empty()) {
        ranges = RangeReader(wanted.restore, read_text_file(wanted.restore, files)).read();
    }
    const Dataset data = read_svm_data(session, wanted.data);
    if (wanted.restore.empty()) {
        ranges.columns = column_ranges(data);
        if (!data.targets.empty()) {
            const auto [least, greatest] =
                std::minmax_element(data.targets.begin(), data.targets.end());
            ranges.targets = {*least, *greatest};
        }
    } else {
        warn_of_dropped(session, wanted, data);
    }
    if (!wanted.save.empty()) {
        write_text_file(wanted.save, range_text(ranges), files);
    }
    if (const index_t entries = write_scaled(data, ranges, files); entries > data.stored()) {
        session.say(fmt::format(
            "WARNING: original #nonzeros {}\n       > new      #nonzeros {}\nIf feature values are "
            "non-negative and sparse, use -l 0 rather than the default -l -1",
            data.stored(), entries));
    }
    return ExitStatus::done;
}

}  // namespace mercer::cli
