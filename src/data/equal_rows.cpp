// SPDX-License-Identifier: Apache-2.0
//
// src/data/equal_rows.cpp - rows are sorted by hash; those with equal hashes are compared.
//
// A row is compared only with the first row of its hash. If two different rows share a hash, later
// rows that equal the second are not recognised as equal; rows reported as equal always are.
#include "mercer/data/equal_rows.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <variant>

#include "mercer/data/dataset.hpp"
#include "mercer/data/entries.hpp"
#include "mercer/runtime/hash.hpp"

namespace mercer {

namespace {

struct Entry {
    index_t column = 0;
    double value = 0.0;

    bool operator==(const Entry&) const = default;
};

struct HashedRow {
    std::uint64_t hash = 0;
    index_t row = 0;

    auto operator<=>(const HashedRow&) const = default;
};

/// The entries of a row that are not 0.
void copy_entries(const Dataset& rows, index_t i, std::vector<Entry>& out) {
    out.clear();
    std::visit(
        [&](const auto& storage) {
            data::for_each_entry(storage, rows.source_row(i), [&](index_t column, double value) {
                if (value != 0.0) {
                    out.push_back({column, value});
                }
            });
        },
        rows.source());
}

}  // namespace

std::vector<index_t> first_equal_rows(const Dataset& rows) {
    std::vector<HashedRow> hashed;
    hashed.reserve(static_cast<std::size_t>(rows.rows()));
    std::vector<Entry> entries;
    for (index_t i = 0; i < rows.rows(); ++i) {
        copy_entries(rows, i, entries);
        hashed.push_back({hash_of(bytes_of(std::span<const Entry>(entries))), i});
    }
    std::sort(hashed.begin(), hashed.end());
    std::vector<index_t> first(hashed.size());
    std::vector<Entry> own;
    for (std::size_t k = 0; k < hashed.size();) {
        const HashedRow leader = hashed[k];
        first[static_cast<std::size_t>(leader.row)] = leader.row;
        bool loaded = false;
        for (++k; k < hashed.size() && hashed[k].hash == leader.hash; ++k) {
            if (!loaded) {
                copy_entries(rows, leader.row, entries);
                loaded = true;
            }
            copy_entries(rows, hashed[k].row, own);
            first[static_cast<std::size_t>(hashed[k].row)] =
                own == entries ? leader.row : hashed[k].row;
        }
    }
    return first;
}

}  // namespace mercer
