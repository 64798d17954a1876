// SPDX-License-Identifier: Apache-2.0
//
// src/data/write_text.cpp - LIBSVM and CSV text, and the choice of a format by name.
#include <fmt/format.h>

#include <iterator>

#include "data/output.hpp"
#include "data/rows.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/data/read.hpp"
#include "mercer/data/write.hpp"

namespace mercer {

namespace {

/// A CSV field, quoted when it has to be.
std::string csv_field(const std::string& text, char separator) {
    const bool plain = text.find_first_of("\"\r\n") == std::string::npos &&
                       text.find(separator) == std::string::npos && !text.empty() &&
                       text.front() != ' ' && text.back() != ' ';
    if (plain) {
        return text;
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c;
        if (c == '"') {
            quoted += '"';
        }
    }
    return quoted + '"';
}

void append_number(std::string& text, double value) {
    fmt::format_to(std::back_inserter(text), "{}", value);
}

std::string target_field(const Dataset& data, index_t row, char separator) {
    const double target = data.targets[static_cast<std::size_t>(row)];
    if (target >= 0.0 && target < static_cast<double>(data.label_names.size())) {
        return csv_field(data.label_names[static_cast<std::size_t>(target)], separator);
    }
    return fmt::format("{}", target);
}

/// The columns of a CSV file: target and query where they were read from, otherwise at the end.
struct CsvLayout {
    explicit CsvLayout(const Dataset& data)
        : width(data.columns() + (data.targets.empty() ? 0 : 1) + (data.queries.empty() ? 0 : 1)) {
        if (!data.targets.empty()) {
            target = place_of(data.target_column, width - 1);
        }
        if (!data.queries.empty()) {
            const index_t last = target == width - 1 ? width - 2 : width - 1;
            query = place_of(data.query_column, last);
            query = query == target ? last : query;
        }
    }

    index_t width;
    index_t target = -1;
    index_t query = -1;

private:
    [[nodiscard]] index_t place_of(const FileColumn& column, index_t otherwise) const {
        return column.place >= 0 && column.place < width ? column.place : otherwise;
    }
};

std::string named_field(const FileColumn& column, const char* otherwise, char separator) {
    return column.name.empty() ? otherwise : csv_field(column.name, separator);
}

std::string feature_field(const Dataset& data, index_t j, char separator) {
    return static_cast<index_t>(data.column_names.size()) == data.columns()
               ? csv_field(data.column_names[static_cast<std::size_t>(j)], separator)
               : fmt::format("x{}", j);
}

}  // namespace

void write_libsvm(const std::string& path, const Dataset& data, bool zero_based, Files& files) {
    const std::vector<double> targets = target_numbers(data);
    const index_t base = zero_based ? 0 : 1;
    data::Output output(path, files);
    std::visit(
        [&](const auto& rows) {
            for (index_t i = 0; i < data.rows(); ++i) {
                append_number(output.text,
                              targets.empty() ? 0.0 : targets[static_cast<std::size_t>(i)]);
                if (!data.queries.empty()) {
                    fmt::format_to(std::back_inserter(output.text), " qid:{}",
                                   data.queries[static_cast<std::size_t>(i)]);
                }
                data::for_each_entry(rows, i, [&](index_t j, double value) {
                    if (value != 0.0) {
                        fmt::format_to(std::back_inserter(output.text), " {}:{}", j + base, value);
                    }
                });
                output.text += '\n';
                output.flush_if_full();
            }
        },
        data.storage());
    output.finish();
}

void write_csv(const std::string& path, const Dataset& data, char separator, Files& files) {
    data::Output output(path, files);
    const CsvLayout layout(data);
    const auto end_field = [&](index_t c) {
        output.text += c + 1 < layout.width ? separator : '\n';
        output.flush_if_full();
    };
    index_t feature = 0;
    for (index_t c = 0; c < layout.width; ++c) {
        output.text += c == layout.target  ? named_field(data.target_column, "target", separator)
                       : c == layout.query ? named_field(data.query_column, "qid", separator)
                                           : feature_field(data, feature++, separator);
        end_field(c);
    }
    std::vector<double> row(static_cast<std::size_t>(data.columns()));
    for (index_t i = 0; i < data.rows(); ++i) {
        data.copy_row(i, row);
        std::size_t next = 0;
        for (index_t c = 0; c < layout.width; ++c) {
            if (c == layout.target) {
                output.text += target_field(data, i, separator);
            } else if (c == layout.query) {
                fmt::format_to(std::back_inserter(output.text), "{}",
                               data.queries[static_cast<std::size_t>(i)]);
            } else {
                append_number(output.text, row[next++]);
            }
            end_field(c);
        }
    }
    output.finish();
}

void write_dataset(const std::string& path, const Dataset& data, const WriteOptions& options,
                   Files& files) {
    validate(options);
    const std::string format = options.format == "auto" ? format_of_path(path) : options.format;
    const Precision precision =
        options.precision == "float32" ? Precision::float32 : Precision::float64;
    if (format == "idx") {
        throw InvalidArgument(fmt::format("{}: idx files are read, not written", path));
    }
    if (format == "csv" || format == "tsv") {
        write_csv(path, data, format == "tsv" ? '\t' : ',', files);
    } else if (format == "npz") {
        write_npz(path, data, precision, files);
    } else if (format == "npy") {
        NpyWriter writer(path, data.rows(), data.columns(), precision, files);
        std::vector<double> row(static_cast<std::size_t>(data.columns()));
        for (index_t i = 0; i < data.rows(); ++i) {
            data.copy_row(i, row);
            writer.append(row);
        }
        writer.commit();
    } else {
        write_libsvm(path, data, options.zero_based, files);
    }
}

}  // namespace mercer
