// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/data/reading.hpp - reading from strings, and comparing what was read.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "mercer/data/read.hpp"
#include "mercer/runtime/memory_files.hpp"

namespace mercer::testing {

/// Reads `text` as if it were the file `path`.
inline Result<Dataset> read_text(const std::string& text, const std::string& path = "a.svm",
                                 const ReadOptions& options = {}) {
    MemoryFiles files;
    files.contents[path] = text;
    Context context;
    return read_dataset(path, options, context, files);
}

/// The diagnostic's text for input that must be refused.
inline std::string refusal(const std::string& text, const std::string& path = "a.svm",
                           const ReadOptions& options = {}) {
    const Result<Dataset> result = read_text(text, path, options);
    return result.ok() ? "was read" : result.diagnostic().text();
}

inline std::vector<double> row_of(const Dataset& data, index_t i) {
    std::vector<double> row(static_cast<std::size_t>(data.columns()));
    data.copy_row(i, row);
    return row;
}

/// Equal shape, values and targets, bit for bit, whatever the storage.
inline ::testing::AssertionResult same_data(const Dataset& a, const Dataset& b) {
    if (a.rows() != b.rows() || a.columns() != b.columns()) {
        return ::testing::AssertionFailure() << "shape " << a.rows() << "x" << a.columns()
                                             << " and " << b.rows() << "x" << b.columns();
    }
    for (index_t i = 0; i < a.rows(); ++i) {
        const std::vector<double> left = row_of(a, i);
        const std::vector<double> right = row_of(b, i);
        for (std::size_t j = 0; j < left.size(); ++j) {
            if (std::bit_cast<std::uint64_t>(left[j]) != std::bit_cast<std::uint64_t>(right[j])) {
                return ::testing::AssertionFailure()
                       << "row " << i << ", column " << j << ": " << left[j] << " and " << right[j];
            }
        }
    }
    if (a.targets != b.targets || a.label_names != b.label_names || a.weights != b.weights) {
        return ::testing::AssertionFailure() << "targets, names or weights differ";
    }
    return ::testing::AssertionSuccess();
}

}  // namespace mercer::testing
