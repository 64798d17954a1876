// SPDX-License-Identifier: Apache-2.0
//
// mercer/data/write.hpp - writing datasets and matrices.
//
// Every writer replaces its destination atomically through Files. Numbers are printed in the
// shortest form that reads back bit for bit. A name ending in .gz .xz .bz2 or .zst is compressed.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "mercer/data/dataset.hpp"
#include "mercer/runtime/files.hpp"
#include "mercer/runtime/options.hpp"

namespace mercer {

namespace data {
class Output;
}

/// How a Dataset is written.
struct WriteOptions {
    std::string format = "auto";
    std::string precision = "float64";
    bool zero_based = false;

    template <typename Visitor>
    static void describe(Visitor& visitor, WriteOptions& options) {
        visitor.choice("format", options.format, {"auto", "libsvm", "csv", "tsv", "npy", "npz"},
                       "format to write; auto goes by the file's suffix, LIBSVM for unknown ones");
        visitor.choice("precision", options.precision, {"float32", "float64"},
                       "width of the numbers in .npy and .npz files");
        visitor.flag("zero_based", options.zero_based, "LIBSVM indices count from 0, not from 1");
    }
};

/// Writes `data` in the format given by the options or by the suffix of `path`. `.npy` holds the
/// rows without targets; `.npz` holds X, y, weights and qid. Throws InvalidArgument for bad
/// options, ResourceError when the file cannot be written.
void write_dataset(const std::string& path, const Dataset& data, const WriteOptions& options = {},
                   Files& files = system_files());

/// `label qid:N index:value ...` lines without the zeros; qid only when there are queries, label 0
/// when there are no targets. Classes whose names are all numbers are written as these numbers,
/// others as their indices (labels.hpp).
void write_libsvm(const std::string& path, const Dataset& data, bool zero_based = false,
                  Files& files = system_files());

/// A header line and one line per row. The target (as its label name) and the query have the
/// columns and names of the file that they were read from; otherwise the last column is `target`,
/// and the one before it `qid`. Features without names are called x0, x1, ...
void write_csv(const std::string& path, const Dataset& data, char separator = ',',
               Files& files = system_files());

/// A matrix as .npy, version 1.0, C order, in its own precision.
void write_npy(const std::string& path, MatrixView<const double> matrix,
               Files& files = system_files());
void write_npy(const std::string& path, MatrixView<const float> matrix,
               Files& files = system_files());

/// X and, when present, y, weights and qid, in an uncompressed zip archive like numpy.savez.
void write_npz(const std::string& path, const Dataset& data,
               Precision precision = Precision::float64, Files& files = system_files());

/// A .npy matrix of known shape written row block by row block, for matrices larger than memory.
class NpyWriter {
public:
    /// Writes the header. Throws ResourceError when the file cannot be written.
    NpyWriter(const std::string& path, index_t rows, index_t columns, Precision precision,
              Files& files = system_files());
    ~NpyWriter();

    /// Appends numbers in row order, converted to the writer's precision; a row may be split over
    /// several calls. Throws InvalidArgument when there are more than the shape has.
    void append(std::span<const double> values);
    void append(std::span<const float> values);

    /// Makes the file visible. Throws InvalidArgument when numbers are missing.
    void commit();

private:
    template <typename T>
    void append_values(std::span<const T> values);

    std::unique_ptr<data::Output> output_;
    index_t missing_ = 0;
    Precision precision_;
};

}  // namespace mercer
