// SPDX-License-Identifier: Apache-2.0
//
// tests/gapless_rows.hpp - random rows with their columns listed where a row has a gap, in numbers of
// either width, and in full.
#pragma once

#include <span>
#include <tuple>
#include <vector>

#include "mercer/base/random.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/data/entries.hpp"

namespace mercer::testing {

/// Rows of columns 0, 1, ... up to a random length, or, a share `gapped` of them, some of these; a
/// fifth of the entries are stored zeros. Datasets borrow from it.
class GaplessRows {
public:
    /// A share `full` of the rows has all columns, the others have up to `longest`.
    GaplessRows(Random& random, index_t rows, index_t columns, index_t longest, double full,
                double gapped = 0.0)
        : columns_(columns) {
        for (index_t i = 0; i < rows; ++i) {
            const index_t length =
                random.uniform() < full
                    ? columns
                    : static_cast<index_t>(random.below(static_cast<std::uint64_t>(longest) + 1));
            const bool gaps = gapped > 0.0 && random.uniform() < gapped;
            const std::size_t begin = indices_.size();
            for (index_t k = 0; k < length; ++k) {
                if (!gaps || random.below(4) != 0) {
                    indices_.push_back(k);
                    values_.push_back(random.below(5) == 0 ? 0.0 : random.normal());
                }
            }
            offsets_.push_back(static_cast<index_t>(values_.size()));
            if (indices_.size() > begin &&
                indices_.back() + 1 != static_cast<index_t>(indices_.size() - begin)) {
                lists_.insert(lists_.end(), indices_.begin() + static_cast<std::ptrdiff_t>(begin),
                              indices_.end());
            }
            places_.push_back(static_cast<index_t>(lists_.size()));
        }
        narrow_lists_.assign(lists_.begin(), lists_.end());
    }

    /// Listed where there is a gap; half of all sets of rows have lists of 32-bit numbers.
    [[nodiscard]] Dataset gapless() const {
        const bool narrow = values_.size() % 2 == 0;
        return Dataset(CsrView{offsets_, narrow ? IndexList(narrow_lists_) : IndexList(lists_),
                               values_, columns_,
                               lists_.empty() ? std::span<const index_t>() : places_});
    }
    [[nodiscard]] Dataset listed() const {
        return Dataset(CsrView{offsets_, indices_, values_, columns_});
    }
    [[nodiscard]] std::vector<double>& values() { return values_; }

private:
    index_t columns_;
    std::vector<index_t> offsets_{0};
    std::vector<index_t> indices_;
    std::vector<index_t> lists_;  ///< indices of the rows with a gap
    std::vector<std::int32_t> narrow_lists_;
    std::vector<index_t> places_{0};
    std::vector<double> values_;
};

/// Row, column and value of every stored entry.
inline std::vector<std::tuple<index_t, index_t, double>> entries_of(const Dataset& data) {
    std::vector<std::tuple<index_t, index_t, double>> entries;
    data::for_each_entry(
        data, [&](index_t i, index_t j, double value) { entries.emplace_back(i, j, value); });
    return entries;
}

inline bool is_gapless(const Dataset& data) { return std::get<CsrView>(data.storage()).gapless(); }

}  // namespace mercer::testing
