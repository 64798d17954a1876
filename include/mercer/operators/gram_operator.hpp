// SPDX-License-Identifier: Apache-2.0
//
// mercer/operators/gram_operator.hpp - the Gram matrix as problems and solvers see it.
//
// A GramOperator is K of n rows with themselves, which nobody has to store. It knows where its
// values come from (tiles of a kernel, X itself, a table, some rows of another operator); who asks
// it does not. Block solvers ask for blocks and products, coordinate solvers for rows.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

class Context;
class Dataset;
class Kernel;
class LinearRows;
struct GramOrigin;
struct PreciseFeatures;
struct PreciseValues;

/// K between two lists of rows, laid out: virtual per block, never per value. Results have the same
/// bits for any thread count.
class GramBlock {
public:
    virtual ~GramBlock() = default;

    [[nodiscard]] virtual index_t rows() const noexcept = 0;
    [[nodiscard]] virtual index_t columns() const noexcept = 0;
    [[nodiscard]] virtual Precision precision() const noexcept = 0;

    /// Rows begin .. begin + values.rows - 1 into `values` (columns() wide). The overload must match
    /// precision(), here and in copy_lower().
    virtual void copy_rows(index_t begin, MatrixView<float> values, Context& context) const = 0;
    virtual void copy_rows(index_t begin, MatrixView<double> values, Context& context) const = 0;

    /// The lower triangle, diagonal included; what lies above it is not defined afterwards. For
    /// factorisations, which read no more than that.
    virtual void copy_lower(MatrixView<float> values, Context& context) const = 0;
    virtual void copy_lower(MatrixView<double> values, Context& context) const = 0;

    /// out = K v;   v columns() x t, out rows() x t. Sums in double.
    virtual void multiply(MatrixView<const double> v, MatrixView<double> out,
                          Context& context) const = 0;
    /// out = K v and transposed = K'u from one pass.
    virtual void multiply_both(std::span<const double> v, std::span<const double> u,
                               std::span<double> out, std::span<double> transposed,
                               Context& context) const = 0;
    /// out = K'(W (K v) - Z) from one pass;   weights rows() (empty: all 1), z rows() x t (data
    /// null: zero).
    virtual void multiply_normal(MatrixView<const double> v, std::span<const double> weights,
                                 MatrixView<const double> z, MatrixView<double> out,
                                 Context& context) const = 0;

    /// K of other rows of the same operator against the same columns, which are not laid out again.
    [[nodiscard]] virtual std::unique_ptr<const GramBlock> beside(std::span<const index_t> left,
                                                                  Context& context) const = 0;
};

/// Rows of K in float32 for a coordinate solver: any rows, cut to its active columns. Used by one
/// thread at a time; it computes on the threads of the context it is given.
class GramRows {
public:
    virtual ~GramRows() = default;

    [[nodiscard]] virtual index_t size() const noexcept = 0;
    /// K(i, i), float64 by the scalar formulas.
    [[nodiscard]] virtual std::span<const double> diagonal() const noexcept = 0;

    /// From now on column j of a row is column columns[j] of K.
    virtual void set_columns(std::span<const index_t> columns, Context& context) = 0;
    virtual void set_all_columns() noexcept = 0;

    /// Columns first .. end - 1 of row wanted[i] into targets[i] + first. A few columns before the
    /// first may be written, too: blocks are aligned. Returns the number of blocks.
    virtual index_t fill(std::span<const index_t> wanted, index_t first, index_t end,
                         std::span<float* const> targets, Context& context) = 0;

    /// values(i, j) = K(left[i], right[j]), numbered as in K.
    virtual void block(std::span<const index_t> left, std::span<const index_t> right,
                       MatrixView<float> values, Context& context) = 0;
};

/// What a kernel value reads and a row takes: the facts that cost models and memory plans need.
struct GramCost {
    index_t rows = 0;
    index_t columns = 0;  ///< of a row
    index_t stored = 0;   ///< entries of all rows
    bool sparse = false;

    [[nodiscard]] double entries_per_row() const noexcept;
    /// Of a row laid out: all columns, or the entries and their columns where they are few.
    [[nodiscard]] index_t row_bytes(Precision precision) const noexcept;
};

/// What rounding does to values of K that are computed in float64.
struct GramRounding {
    double error = 0.0;    ///< |computed - exact| at the most
    double largest = 0.0;  ///< |exact| at the most
    /// |computed - exact| at the most, in units of sqrt(K(i, i) K(j, j)).
    double relative = kInfinity;
};

/// K = factor X X'.
struct LinearFactor {
    const LinearRows& rows;  ///< X
    double factor = 1.0;     ///< > 0
};

/// Rows that K has not seen, beside those it has.
struct NewRows {
    std::unique_ptr<const GramBlock> cross;    ///< K(x_i, new row j)
    std::vector<double> diagonal;              ///< k(x, x) of the new rows
    std::shared_ptr<const LinearRows> linear;  ///< the new rows where K is factor X X'; else null
};

class GramOperator {
public:
    virtual ~GramOperator() = default;

    [[nodiscard]] virtual index_t size() const noexcept = 0;
    [[nodiscard]] virtual GramCost cost() const = 0;

    /// K(i, i) of the given rows, or of all, float64 by the scalar formulas.
    [[nodiscard]] virtual std::vector<double> diagonal(std::span<const index_t> places) const = 0;
    [[nodiscard]] std::vector<double> diagonal() const;

    /// True when K is positive semi-definite for any rows: without it a dual value bounds nothing.
    [[nodiscard]] virtual bool is_definite() const = 0;
    /// True when K(i, j) and K(j, i) are the same value by construction.
    [[nodiscard]] virtual bool is_symmetric() const noexcept = 0;
    /// False when K stands for another matrix, and a proof for it is none for that one.
    [[nodiscard]] virtual bool is_exact() const noexcept { return true; }

    /// True when the rows are some of another operator's: several such problems may be solved at
    /// once, so each lays out little at a time.
    [[nodiscard]] virtual bool is_part() const noexcept { return false; }

    /// Numbers, one for each of the given rows, that those share whose values of K are the same, column
    /// by column and to the last bit. Empty: not known, or hardly any are.
    [[nodiscard]] virtual std::vector<index_t> kinds(std::span<const index_t> places) const;

    /// X where K = factor X X'; otherwise null.
    [[nodiscard]] virtual const LinearFactor* linear() const noexcept { return nullptr; }

    /// K(left, right); among the same rows each value is computed once. The rows of a borrowed data
    /// set must outlive the block.
    [[nodiscard]] virtual std::unique_ptr<const GramBlock> block(std::span<const index_t> left,
                                                                 std::span<const index_t> right,
                                                                 Precision precision,
                                                                 Context& context) const = 0;
    /// All of K.
    [[nodiscard]] virtual std::unique_ptr<const GramBlock> whole(Precision precision,
                                                                 Context& context) const = 0;

    /// The given rows for a coordinate solver, which numbers them 0, 1, ... Values are computed in
    /// `precision` and rounded to float32.
    [[nodiscard]] virtual std::unique_ptr<GramRows> rows(std::span<const index_t> places,
                                                         Precision precision,
                                                         Context& context) const = 0;
    [[nodiscard]] std::unique_ptr<GramRows> rows(Precision precision, Context& context) const;

    /// K beta in float64, over the coefficients that are not 0. Of equal rows (kinds()) one value is
    /// computed, and the sum of their coefficients is theirs.
    [[nodiscard]] std::vector<double> multiply(std::span<const double> beta,
                                               Context& context) const;

    /// K(rows, columns) weights, by blocks that the free memory holds.
    [[nodiscard]] std::vector<double> multiply(std::span<const index_t> rows,
                                               std::span<const index_t> columns,
                                               std::span<const double> weights, Precision precision,
                                               Context& context) const;

    /// Over all pairs of rows; for proofs.
    [[nodiscard]] virtual GramRounding rounding() const = 0;

    /// Roundings that follow each other in a value of multiply(beta, ...), at the most.
    [[nodiscard]] double product_steps(std::span<const double> beta) const;

    /// How far multiply(beta, ...) is from the exact K beta, at the most, in every row.
    [[nodiscard]] double product_error(std::span<const double> beta) const;

    /// The given values of K beta in 113 bits. For few rows, unless K is linear: each takes a kernel
    /// value for every coefficient, fifty times as long as in double. `entries` is the rounding of those that take
    /// part: rounding(), or less where this operator has rows that another one leaves out.
    [[nodiscard]] virtual PreciseValues multiply_precisely(std::span<const index_t> rows,
                                                           std::span<const double> beta,
                                                           const GramRounding& entries,
                                                           Context& context) const;

    /// Operations in 113 bits that multiply_precisely() takes for so many rows, roughly.
    [[nodiscard]] double precise_operations(index_t rows, std::span<const double> beta) const;

    /// Z with K = ZZ' in 113 bits, of the given rows; none where more than `most` columns are needed.
    [[nodiscard]] virtual PreciseFeatures precise_features(std::span<const index_t> places,
                                                           index_t most) const;

    /// K times a number > 0; null when its values cannot be scaled before they are rounded.
    [[nodiscard]] virtual std::shared_ptr<const GramOperator> scaled(double factor) const = 0;

    /// The rows that the operator has, beside new ones. Throws InvalidArgument where there is no
    /// kernel to ask.
    [[nodiscard]] virtual NewRows beside(const Dataset& rows, Context& context) const = 0;

    /// The kernel and the rows it is made of (operators/gram_kinds.hpp), for who may look behind an
    /// operator: recipes and theory. Throws InvalidArgument where there are none.
    [[nodiscard]] virtual GramOrigin origin() const = 0;
};

/// K of `rows`, by what suits the kernel: LinearGram, TableGram or TiledGram. Rows that are only
/// borrowed must outlive it.
[[nodiscard]] std::shared_ptr<const GramOperator> make_gram(const Kernel& kernel,
                                                            const Dataset& rows);

/// Some rows of K as an operator of their own: row i is row places[i] of `gram`, no row twice. The
/// kernel stays compiled and the rows stay where they are.
[[nodiscard]] std::shared_ptr<const GramOperator> subset(std::shared_ptr<const GramOperator> gram,
                                                         std::vector<index_t> places);

/// K + shift: shift[i] is added where row and column are sample i, by index and never by equal
/// values.
[[nodiscard]] std::shared_ptr<const GramOperator> shifted(std::shared_ptr<const GramOperator> gram,
                                                          std::span<const double> shift);

}  // namespace mercer
