// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/precise_columns.cpp - Z' = QR, so that ZZ' = R'R.
//
// Method   Householder reflections with column pivoting, rows of Z' sorted by size: then the error
//          of each row is proportional to its own size (Cox and Higham, Stability of Householder QR
//          factorization for weighted least squares problems, 1998).
// Cost     2 n^2 r multiplications in 113 bits, n rows and r columns of Z.
#include "solvers/precise_columns.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace mercer {

namespace {

constexpr double kNoise = 0x1p-104;  // relative to the largest entry of a row

/// Z' on its way to triangular form.
class Reflections {
public:
    explicit Reflections(const PreciseFeatures& z)
        : rows_(z.count), columns_(z.values.size() / z.count), order_(columns_) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::vector<std::pair<Quad, std::size_t>> sizes;
        for (std::size_t k = 0; k < rows_; ++k) {
            Quad largest = 0.0;
            for (std::size_t i = 0; i < columns_; ++i) {
                largest = std::max(largest, fabs(z.values[i * z.count + k]));
            }
            sizes.emplace_back(-largest, k);
        }
        std::sort(sizes.begin(), sizes.end());
        for (const auto& [size, k] : sizes) {
            noise_.push_back(-size * kNoise);
            for (std::size_t i = 0; i < columns_; ++i) {
                values_.push_back(z.values[i * z.count + k]);
            }
        }
    }

    /// Processes the columns of Z' in order; those that are only rounding relative to the rows add
    /// no direction.
    [[nodiscard]] PreciseMatrix parts() {
        PreciseMatrix out(columns_);
        std::size_t next = 0;
        for (std::size_t k = 0; k < columns_ && next < rows_; ++k) {
            if (is_noise(next, k)) {
                continue;
            }
            reflect(next, k);
            out(k, k) = at(next, k) * at(next, k);
            for (std::size_t j = k + 1; j < columns_; ++j) {
                out(j, k) = at(next, j) / at(next, k);
            }
            ++next;
        }
        return out;
    }

    /// The rows of Y: the columns of R in their original order.
    [[nodiscard]] PreciseFeatures triangle() {
        for (std::size_t k = 0; k < columns_; ++k) {
            bring_largest(k);
            reflect(k, k);
        }
        PreciseFeatures out{std::vector<Quad>(columns_ * columns_), columns_};
        for (std::size_t j = 0; j < columns_; ++j) {
            for (std::size_t k = 0; k <= j; ++k) {
                out.values[order_[j] * columns_ + k] = at(k, j);
            }
        }
        return out;
    }

private:
    [[nodiscard]] Quad& at(std::size_t row, std::size_t column) {
        return values_[row * columns_ + column];
    }

    [[nodiscard]] Quad squared_norm(std::size_t from, std::size_t column) {
        Quad sum = 0.0;
        for (std::size_t i = from; i < rows_; ++i) {
            sum += at(i, column) * at(i, column);
        }
        return sum;
    }

    void bring_largest(std::size_t k) {
        std::size_t best = k;
        Quad most = -1.0;
        for (std::size_t j = k; j < columns_; ++j) {
            const Quad norm = squared_norm(k, j);
            if (norm > most) {
                most = norm;
                best = j;
            }
        }
        std::swap(order_[k], order_[best]);
        for (std::size_t i = 0; i < rows_; ++i) {
            std::swap(at(i, k), at(i, best));
        }
    }

    [[nodiscard]] bool is_noise(std::size_t from, std::size_t column) {
        for (std::size_t i = from; i < rows_; ++i) {
            if (fabs(at(i, column)) > noise_[i]) {
                return false;
            }
        }
        return true;
    }

    /// Makes the column zero below the row.
    void reflect(std::size_t row, std::size_t column) {
        const Quad norm = sqrt(squared_norm(row, column));
        if (!(norm > 0.0)) {
            return;
        }
        const Quad head = at(row, column) > 0.0 ? -norm : norm;
        std::vector<Quad> v;
        for (std::size_t i = row; i < rows_; ++i) {
            v.push_back(at(i, column));
        }
        v[0] -= head;
        const Quad half = -head * v[0];  // v'v / 2
        for (std::size_t j = column; j < columns_; ++j) {
            Quad dot = 0.0;
            for (std::size_t i = row; i < rows_; ++i) {
                dot += v[i - row] * at(i, j);
            }
            const Quad share = dot / half;
            for (std::size_t i = row; i < rows_; ++i) {
                at(i, j) -= share * v[i - row];
            }
        }
        at(row, column) = head;
    }

    std::size_t rows_;
    std::size_t columns_;
    std::vector<std::size_t> order_;  ///< the current order of the columns of Z'
    std::vector<Quad> values_;
    std::vector<Quad> noise_;  ///< rounding level of each row
};

}  // namespace

PreciseMatrix orthogonal_parts(const PreciseFeatures& columns) {
    return Reflections(columns).parts();
}

PreciseFeatures compressed(PreciseFeatures columns) {
    if (columns.count == 0 || columns.count * columns.count <= columns.values.size()) {
        return columns;
    }
    return Reflections(columns).triangle();
}

}  // namespace mercer
