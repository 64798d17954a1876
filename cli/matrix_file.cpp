// SPDX-License-Identifier: Apache-2.0
//
// cli/matrix_file.cpp - writes numbers as the shortest text that reads back, or raw.
#include "matrix_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>

#include "mercer/base/error.hpp"
#include "option_registrar.hpp"

namespace mercer::cli {

std::string matrix_format(const std::string& path) {
    return path == "-" || path.ends_with(".csv") ? "csv" : "npy";
}

void add_precision_option(CLI::App& command, std::string& precision) {
    OptionRegistrar(command).choice("precision", precision,
                                    {"double", "float", "single", "float64", "float32"},
                                    "width of the numbers that are written");
}

Precision parse_precision(const std::string& word) {
    return word == "double" || word == "float64" ? Precision::float64 : Precision::float32;
}

const char* to_string(Precision precision) {
    return precision == Precision::float64 ? "float64" : "float32";
}

MatrixFile::MatrixFile(const std::string& path, const std::string& format, index_t rows,
                       index_t columns, Precision precision, Files& files)
    : precision_(precision) {
    if (format == "csv") {
        csv_ = files.create(path);
    } else {
        npy_ = std::make_unique<NpyWriter>(path, rows, columns, precision, files);
    }
}

void MatrixFile::append_rows(MatrixView<const double> rows) { append(rows); }
void MatrixFile::append_rows(MatrixView<const float> rows) { append(rows); }

template <typename T>
void MatrixFile::append(MatrixView<const T> rows) {
    constexpr std::size_t kTextBlock = std::size_t{1} << 16;
    for (index_t i = 0; i < rows.rows; ++i) {
        const std::span<const T> row(rows.row(i), static_cast<std::size_t>(rows.columns));
        require_representable(row);
        ++written_;
        if (npy_) {
            npy_->append(row);
            continue;
        }
        for (std::size_t j = 0; j < row.size(); ++j) {
            if (j > 0) {
                text_ += ',';
            }
            if (precision_ == Precision::float32) {
                fmt::format_to(std::back_inserter(text_), "{}", static_cast<float>(row[j]));
            } else {
                fmt::format_to(std::back_inserter(text_), "{}", row[j]);
            }
            if (text_.size() >= kTextBlock) {
                csv_->write(text_);
                text_.clear();
            }
        }
        text_ += '\n';
    }
}

template <typename T>
void MatrixFile::require_representable(std::span<const T> row) const {
    if (precision_ == Precision::float64) {
        return;
    }
    constexpr double kLargest = std::numeric_limits<float>::max();
    for (const T value : row) {
        if (std::abs(static_cast<double>(value)) > kLargest) {
            throw DataError(fmt::format("row {}: the value {} leaves the range of float32",
                                        written_ + 1, static_cast<double>(value)));
        }
    }
}

void MatrixFile::commit() {
    if (npy_) {
        npy_->commit();
        return;
    }
    csv_->write(text_);
    csv_->commit();
}

}  // namespace mercer::cli
