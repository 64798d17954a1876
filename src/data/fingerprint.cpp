// SPDX-License-Identifier: Apache-2.0
//
// src/data/fingerprint.cpp - one number for rows, targets and weights, whatever their storage.
//
// The hash covers, row by row, the count of non-zeros and each (column, value as float64); then
// targets and weights with their counts, and the queries when there are any. Stored zeros equal
// absent ones.
#include "mercer/data/fingerprint.hpp"

#include <cstring>
#include <variant>
#include <vector>

#include "mercer/data/dataset.hpp"
#include "mercer/data/entries.hpp"
#include "mercer/runtime/hash.hpp"

namespace mercer {

namespace {

template <typename T>
void append(std::vector<char>& bytes, T value) {
    const std::size_t end = bytes.size();
    bytes.resize(end + sizeof(T));
    std::memcpy(bytes.data() + end, &value, sizeof(T));
}

template <typename T>
void add_numbers(Hash& hash, const std::vector<T>& numbers) {
    const std::uint64_t count = numbers.size();
    hash.add(bytes_of(std::span<const std::uint64_t>(&count, 1)));
    hash.add(bytes_of(std::span<const T>(numbers)));
}

}  // namespace

TrainingFingerprint fingerprint_of(const Dataset& rows) {
    Hash hash;
    std::vector<char> bytes;
    std::visit(
        [&](const auto& storage) {
            for (index_t i = 0; i < rows.rows(); ++i) {
                bytes.clear();
                data::for_each_entry(storage, i, [&](index_t column, double value) {
                    if (value != 0.0) {
                        append(bytes, column);
                        append(bytes, value);
                    }
                });
                const std::uint64_t length = bytes.size();
                hash.add(bytes_of(std::span<const std::uint64_t>(&length, 1)));
                hash.add(bytes);
            }
        },
        rows.storage());
    add_numbers(hash, rows.targets);
    add_numbers(hash, rows.weights);
    if (!rows.queries.empty()) {
        add_numbers(hash, rows.queries);
    }
    return {rows.rows(), rows.columns(), hash.value()};
}

}  // namespace mercer
