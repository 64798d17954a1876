// SPDX-License-Identifier: Apache-2.0
//
// src/data/read.cpp - detecting the format of a file, and passing it to its reader.
#include "mercer/data/read.hpp"

#include <algorithm>
#include <string_view>

#include "data/bad_input.hpp"
#include "data/column_list.hpp"
#include "data/decompress.hpp"
#include "data/readers.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/labels.hpp"

namespace mercer {

namespace {

using namespace std::string_view_literals;

bool looks_like_idx(std::string_view bytes) {
    return bytes.size() >= 4 && bytes[0] == 0 && bytes[1] == 0 &&
           "\x08\x09\x0B\x0C\x0D\x0E"sv.find(bytes[2]) != std::string_view::npos && bytes[3] >= 1 &&
           bytes[3] <= 8;
}

/// The format that the first bytes of a binary file state; empty for text.
std::string_view format_of_bytes(std::string_view bytes) {
    if (bytes.starts_with("\x93NUMPY"sv)) {
        return "npy";
    }
    if (bytes.starts_with("PK\x03\x04"sv) || bytes.starts_with("PK\x05\x06"sv)) {
        return "npz";
    }
    return looks_like_idx(bytes) ? "idx" : "";
}

/// Text of an unknown kind: a first line with commas or tabs but without `:` is CSV.
std::string_view format_of_text(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        if (line.find_first_not_of(" \t\r") != std::string_view::npos && !line.starts_with('#')) {
            const bool separated = line.find_first_of(",\t") != std::string_view::npos;
            return separated && line.find(':') == std::string_view::npos ? "csv" : "libsvm";
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return "libsvm";
}

std::string choose_format(const std::string& path, const ReadOptions& options,
                          data::PeekSource& source) {
    constexpr index_t kFirstLook = 4096;
    if (options.format != "auto") {
        return options.format;
    }
    const std::string_view bytes = source.peek(kFirstLook);
    if (const std::string_view binary = format_of_bytes(bytes); !binary.empty()) {
        return std::string(binary);
    }
    const std::string known = format_of_path(path);
    return known.empty() ? std::string(format_of_text(bytes)) : known;
}

Dataset read_as(const std::string& format, data::Reading& reading) {
    if (format == "csv" || format == "tsv") {
        return data::read_csv(reading, format == "tsv" ? '\t' : '\0');
    }
    return data::choose_columns(format == "npy"   ? data::read_npy(reading)
                                : format == "npz" ? data::read_npz(reading)
                                : format == "idx" ? data::read_idx(reading)
                                                  : data::read_libsvm(reading),
                                reading);
}

}  // namespace

namespace data {

std::vector<double> read_labels(Reading& reading) {
    const std::string& path = reading.options.labels;
    const std::string name = source_name(path);
    const auto source = open_source(path, name, reading.context, reading.files);
    ReadOptions options;
    options.target = "none";
    Reading labels{*source, name, options, reading.context, reading.files};
    const std::string format(format_of_bytes(source->peek(kCompressionMagic)));
    Dataset data = read_as(format, labels);
    if (format.empty()) {
        return std::move(data.targets);
    }
    if (data.columns() != 1) {
        refuse(name, "labels: the array must have one number per row");
    }
    std::vector<double> targets(static_cast<std::size_t>(data.rows()));
    for (std::size_t i = 0; i < targets.size(); ++i) {
        data.copy_row(static_cast<index_t>(i), std::span(&targets[i], 1));
    }
    return targets;
}

}  // namespace data

std::string format_of_path(const std::string& path) {
    std::string name(data::without_compression(path));
    name.erase(0, name.find_last_of('/') + 1);
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    for (const std::string_view format : {"csv"sv, "tsv"sv, "npy"sv, "npz"sv, "idx"sv}) {
        if (name.ends_with("." + std::string(format))) {
            return std::string(format);
        }
    }
    if (name.ends_with("ubyte")) {
        return "idx";
    }
    for (const std::string_view suffix :
         {".svm"sv, ".libsvm"sv, ".svmlight"sv, ".t"sv, ".scale"sv}) {
        if (name.ends_with(suffix)) {
            return "libsvm";
        }
    }
    return "";
}

ColumnNames names_of(const Dataset& data) {
    constexpr std::size_t kMostBytes = std::size_t{2} << 20;  // fits into a model's header
    std::size_t bytes = 0;
    for (const std::string& name : data.column_names) {
        bytes += name.size() + sizeof(name);
    }
    if (bytes > kMostBytes) {
        return {};
    }
    std::vector<std::string> sorted = data.column_names;
    std::sort(sorted.begin(), sorted.end());
    const bool distinct = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    if (!distinct || are_numbers(sorted)) {  // also when there are none
        return {};
    }
    return {data.column_names, data.target_column.name};
}

Result<Dataset> read_dataset(const std::string& path, const ReadOptions& options, Context& context,
                             Files& files) {
    validate(options);
    if (!options.drop.empty() && !options.only.empty()) {
        throw InvalidArgument("drop", options.drop, "must stand alone", "only says the rest");
    }
    const std::string name = data::source_name(path);
    try {
        const auto source = data::open_source(path, name, context, files);
        data::Reading reading{*source, name, options, context, files};
        Dataset result = read_as(choose_format(path, options, *source), reading);
        if (options.task == "classification" && !result.targets.empty()) {
            result = to_classes(std::move(result));
        }
        return result;
    } catch (const data::BadInput& bad) {
        return bad.diagnostic;
    }
}

}  // namespace mercer
