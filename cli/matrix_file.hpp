// SPDX-License-Identifier: Apache-2.0
//
// cli/matrix_file.hpp - writes a matrix row by row, as .npy or as CSV.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/write.hpp"

namespace CLI {
class App;
}

namespace mercer::cli {

/// The matrix format for a file name: csv for .csv and standard output, otherwise npy.
[[nodiscard]] std::string matrix_format(const std::string& path);

/// Registers --precision.
void add_precision_option(CLI::App& command, std::string& precision);

/// The width that a --precision word means, and its name.
[[nodiscard]] Precision parse_precision(const std::string& word);
[[nodiscard]] const char* to_string(Precision precision);

/// A matrix file being written; nothing is visible before commit().
class MatrixFile {
public:
    MatrixFile(const std::string& path, const std::string& format, index_t rows, index_t columns,
               Precision precision, Files& files);

    /// Appends whole rows. Both overloads convert to the file's precision; an overflow is a
    /// DataError.
    void append_rows(MatrixView<const double> rows);
    void append_rows(MatrixView<const float> rows);

    void commit();

private:
    template <typename T>
    void append(MatrixView<const T> rows);
    template <typename T>
    void require_representable(std::span<const T> row) const;

    Precision precision_;
    index_t written_ = 0;
    std::unique_ptr<NpyWriter> npy_;
    std::unique_ptr<WriteFile> csv_;
    std::string text_;
};

}  // namespace mercer::cli
