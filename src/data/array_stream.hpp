// SPDX-License-Identifier: Apache-2.0
//
// src/data/array_stream.hpp - arrays of raw numbers in a byte stream (.npy, .npz and idx files).
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "data/byte_source.hpp"
#include "data/growing_array.hpp"
#include "data/readers.hpp"
#include "data/targets.hpp"

namespace mercer::data {

enum class ElementKind { signed_integer, unsigned_integer, floating, bytes, unicode };

/// How one number, or one text of fixed length, is stored.
struct ElementType {
    ElementKind kind = ElementKind::floating;
    index_t width = 8;  ///< bytes
    bool big_endian = false;

    [[nodiscard]] bool is_text() const noexcept {
        return kind == ElementKind::bytes || kind == ElementKind::unicode;
    }
};

/// What a header says about an array.
struct ArrayHeader {
    ElementType type;
    bool fortran_order = false;
    std::vector<index_t> shape;
};

/// Numbers in row-major order. Small types become floats, which hold them exactly; others become
/// doubles.
struct ArrayValues {
    std::variant<GrowingArray<float>, GrowingArray<double>> values;
    index_t rows = 0;
    index_t columns = 0;
};

/// Reads the numbers that follow a header: the first dimension counts the rows, the product of the
/// others the columns. Memory grows with the bytes that arrive, never with what the header
/// promises. Refuses numbers that are not finite and integers that a double cannot hold, with row
/// and column.
[[nodiscard]] ArrayValues read_array(const ArrayHeader& header, ByteSource& source,
                                     const std::string& name, Context& context);

/// Reads texts, one per row, as labels in UTF-8; texts of numbers become numbers. Refuses more than
/// one column, empty texts and invalid code points, with the row.
[[nodiscard]] TargetColumn read_text_labels(const ArrayHeader& header, ByteSource& source,
                                            const std::string& name, const Reading& reading);

/// Refuses bytes after the end of what a file should hold.
void expect_end(ByteSource& source, const std::string& name);

/// The array as a Dataset, with the targets that `options` name (a column, or a file of labels).
[[nodiscard]] Dataset make_dataset(ArrayValues array, Reading& reading);

/// The numbers of an array with one column.
[[nodiscard]] std::vector<double> to_vector(const ArrayValues& array);

/// Reads a .npy header, versions 1 to 3 (read_npy.cpp).
[[nodiscard]] ArrayHeader read_npy_header(ByteSource& source, const std::string& name);

}  // namespace mercer::data
