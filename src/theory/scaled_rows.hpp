// SPDX-License-Identifier: Apache-2.0
//
// src/theory/scaled_rows.hpp - rows (x, 1) or x, scaled by powers of two.
//
// Column j is centred at m_j and multiplied by 2^c_j, row i by 2^r_i: entries become
//     a_ij = (x_ij - m_j) 2^(c_j + r_i),   and the constant   a_i,d = 2^r_i,
// of magnitude about 1. None of this changes which labelings hyperplanes realise. An entry is
// available in two forms: as a double, whose error dot() bounds, and as the exact integer
// a_ij 2^shift().
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "mercer/data/dataset.hpp"
#include "theory/exact_number.hpp"

namespace mercer::theory {

/// A row of integers without its zeros, columns ascending.
using IntegerRow = std::vector<std::pair<index_t, Integer>>;

/// A product in floating point, and a bound on its error.
struct BoundedValue {
    double value = 0.0;
    double error = 0.0;
};

class ScaledRows {
public:
    /// Rows with the constant (affine) or without. `data` must outlive the object.
    ScaledRows(const Dataset& data, bool affine);

    [[nodiscard]] index_t rows() const noexcept { return data_.rows(); }
    /// Columns of the data, plus one for the constant.
    [[nodiscard]] index_t dimension() const noexcept {
        return data_.columns() + static_cast<index_t>(affine_);
    }
    [[nodiscard]] bool affine() const noexcept { return affine_; }
    [[nodiscard]] const Dataset& data() const noexcept { return data_; }

    /// Calls use(j, a_ij) for the entries of row i that may differ from 0, as doubles.
    template <typename Use>
    void for_each(index_t i, Use&& use) const;

    /// <a_i, v> for a v that is accurate to 52 bits in each coordinate.
    [[nodiscard]] BoundedValue dot(index_t i, std::span<const double> v) const;

    /// a_i 2^shift().
    [[nodiscard]] IntegerRow integers(index_t i) const;
    [[nodiscard]] long shift() const noexcept { return shift_; }
    /// Bits of the largest entry of integers().
    [[nodiscard]] std::size_t bits() const noexcept { return static_cast<std::size_t>(shift_) + 2; }

    [[nodiscard]] double centre(index_t j) const { return centres_[static_cast<std::size_t>(j)]; }
    [[nodiscard]] int column_exponent(index_t j) const {
        return column_exponents_[static_cast<std::size_t>(j)];
    }
    [[nodiscard]] int row_exponent(index_t i) const {
        return row_exponents_[static_cast<std::size_t>(i)];
    }

private:
    void choose_columns();
    void choose_rows();

    template <typename Use>
    void for_each_stored(index_t i, Use&& use) const;

    const Dataset& data_;
    bool affine_;
    std::vector<double> centres_;  ///< 0 for sparse rows and without the constant
    std::vector<double> column_factors_;
    std::vector<int> column_exponents_;
    std::vector<int> row_exponents_;
    std::vector<double> row_factors_;
    long shift_ = 0;
};

/// <a, v> of integers.
[[nodiscard]] Integer dot(const IntegerRow& a, std::span<const Integer> v);
[[nodiscard]] Integer dot(const IntegerRow& a, const IntegerRow& b);

}  // namespace mercer::theory

#include "theory/scaled_rows-inl.hpp"
