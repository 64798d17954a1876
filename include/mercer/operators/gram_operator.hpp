// SPDX-License-Identifier: Apache-2.0
//
// mercer/operators/gram_operator.hpp - the Gram matrix as problems and solvers see it.
//
// A GramOperator is K of n rows with themselves, which need not be stored. Only the operator knows
// where its values come from (tiles of a kernel, X itself, a table, some rows of another operator);
// its users do not. Block solvers use blocks and products, coordinate solvers use rows.
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

/// K between two lists of rows, prepared for evaluation: virtual per block, never per value.
/// Results have the same bits for any thread count.
class GramBlock {
public:
    virtual ~GramBlock() = default;

    [[nodiscard]] virtual index_t rows() const noexcept = 0;
    [[nodiscard]] virtual index_t columns() const noexcept = 0;
    [[nodiscard]] virtual Precision precision() const noexcept = 0;

    /// Rows begin .. begin + values.rows - 1 into `values`, which has columns() columns. The
    /// overload must match precision(), here and in copy_lower().
    virtual void copy_rows(index_t begin, MatrixView<float> values, Context& context) const = 0;
    virtual void copy_rows(index_t begin, MatrixView<double> values, Context& context) const = 0;

    /// The lower triangle with the diagonal; entries above it are unspecified. For factorisations,
    /// which read only the lower triangle.
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

    /// K of other rows of the same operator against the same columns, which are not prepared again.
    [[nodiscard]] virtual std::unique_ptr<const GramBlock> beside(std::span<const index_t> left,
                                                                  Context& context) const = 0;
};

/// Rows of K in float32 for a coordinate solver: any rows, restricted to its active columns. For
/// one thread at a time; it computes on the threads of the context it is given.
class GramRows {
public:
    virtual ~GramRows() = default;

    [[nodiscard]] virtual index_t size() const noexcept = 0;
    /// K(i, i), float64 by the scalar formulas.
    [[nodiscard]] virtual std::span<const double> diagonal() const noexcept = 0;

    /// From now on column j of a row is column columns[j] of K.
    virtual void set_columns(std::span<const index_t> columns, Context& context) = 0;
    virtual void set_all_columns() noexcept = 0;

    /// Columns first .. end - 1 of row wanted[i] into targets[i] + first. As blocks are aligned, a
    /// few columns before the first may be written, too. Returns the number of blocks.
    virtual index_t fill(std::span<const index_t> wanted, index_t first, index_t end,
                         std::span<float* const> targets, Context& context) = 0;

    /// values(i, j) = K(left[i], right[j]), numbered as in K.
    virtual void block(std::span<const index_t> left, std::span<const index_t> right,
                       MatrixView<float> values, Context& context) = 0;
};

/// The cost of kernel values and the size of rows, for cost models and memory plans.
struct GramCost {
    index_t rows = 0;
    index_t columns = 0;  ///< of a row
    index_t stored = 0;   ///< entries of all rows
    bool sparse = false;
    bool held = false;  ///< values are looked up: half of a symmetric product saves nothing

    [[nodiscard]] double entries_per_row() const noexcept;
    /// Of a prepared row: all columns, or the entries and their columns when they are few.
    [[nodiscard]] index_t row_bytes(Precision precision) const noexcept;
};

/// Rounding errors of values of K that are computed in float64.
struct GramRounding {
    double error = 0.0;    ///< bound on |computed - exact|
    double largest = 0.0;  ///< bound on |exact|
    /// Bound on |computed - exact| in units of sqrt(K(i, i) K(j, j)).
    double relative = kInfinity;

    /// Bound on the error of a sum of values times coefficients: `norm` is the sum of the absolute
    /// coefficients, `lost` the relative error of the summation itself.
    [[nodiscard]] double of_sum(double norm, double lost) const noexcept {
        return (error + lost * (largest + error)) * norm;
    }
    /// The same for values in units of sqrt(K(i, i) K(j, j)).
    [[nodiscard]] double of_relative_sum(double norm, double lost) const noexcept {
        return (relative + lost * (1.0 + relative)) * norm;
    }
};

/// K = factor X X'.
struct LinearFactor {
    const LinearRows& rows;  ///< X
    double factor = 1.0;     ///< > 0
};

/// New rows, in relation to those of K.
struct NewRows {
    std::unique_ptr<const GramBlock> cross;    ///< K(x_i, new row j)
    std::vector<double> diagonal;              ///< k(x, x) of the new rows
    std::shared_ptr<const LinearRows> linear;  ///< the new rows if K is factor X X'; otherwise null
};

class GramOperator {
public:
    virtual ~GramOperator() = default;

    [[nodiscard]] virtual index_t size() const noexcept = 0;
    [[nodiscard]] virtual GramCost cost() const = 0;

    /// K(i, i) of the given rows, or of all, float64 by the scalar formulas.
    [[nodiscard]] virtual std::vector<double> diagonal(std::span<const index_t> places) const = 0;
    [[nodiscard]] std::vector<double> diagonal() const;

    /// True when K is positive semidefinite for any rows: otherwise a dual value is not a bound.
    [[nodiscard]] virtual bool is_definite() const = 0;
    /// True when K(i, j) and K(j, i) are the same value by construction.
    [[nodiscard]] virtual bool is_symmetric() const noexcept = 0;
    /// False when K approximates another matrix; a proof for K then says nothing about that matrix.
    [[nodiscard]] virtual bool is_exact() const noexcept { return true; }

    /// True when the rows are a subset of another operator's: several such problems may be solved
    /// at once, so each prepares few rows at a time.
    [[nodiscard]] virtual bool is_part() const noexcept { return false; }

    /// A number for each of the given rows. Rows with the same number have the same values of K,
    /// column by column and to the last bit. Empty: not known, or hardly any rows are equal.
    [[nodiscard]] virtual std::vector<index_t> kinds(std::span<const index_t> places) const;

    /// X if K = factor X X'; otherwise null.
    [[nodiscard]] virtual const LinearFactor* linear() const noexcept { return nullptr; }

    /// K(left, right); if the two lists are the same, each value is computed once. The rows of a
    /// borrowed dataset must outlive the block.
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

    /// K beta in float64, over the nonzero coefficients. Of equal rows (kinds()) only one is
    /// computed, with the sum of their coefficients.
    [[nodiscard]] std::vector<double> multiply(std::span<const double> beta,
                                               Context& context) const;

    /// K(rows, columns) weights, by blocks that fit into the free memory.
    [[nodiscard]] std::vector<double> multiply(std::span<const index_t> rows,
                                               std::span<const index_t> columns,
                                               std::span<const double> weights, Precision precision,
                                               Context& context) const;

    /// Bounds over all pairs of rows; for proofs.
    [[nodiscard]] virtual GramRounding rounding() const = 0;

    /// Upper bound on the number of consecutive roundings in a value of multiply(beta, ...).
    [[nodiscard]] double product_steps(std::span<const double> beta) const;
    /// The same for a product of whole() with vectors that have at most that many nonzero entries.
    [[nodiscard]] double product_steps(index_t terms) const;

    /// The given values of K beta in 113 bits. For few rows, unless K is linear: each needs a
    /// kernel value for every coefficient, which takes fifty times as long as in double. `entries`
    /// is the rounding of the values involved: rounding(), or less when only a subset of the rows
    /// is used.
    [[nodiscard]] virtual PreciseValues multiply_precisely(std::span<const index_t> rows,
                                                           std::span<const double> beta,
                                                           const GramRounding& entries,
                                                           Context& context) const;

    /// Approximate number of operations in 113 bits that multiply_precisely() takes for that many
    /// rows.
    [[nodiscard]] double precise_operations(index_t rows, std::span<const double> beta) const;

    /// Z with K = ZZ' in 113 bits, of the given rows; empty when more than `most` columns are
    /// needed.
    [[nodiscard]] virtual PreciseFeatures precise_features(std::span<const index_t> places,
                                                           index_t most) const;

    /// K times a number > 0; null when its values cannot be scaled before they are rounded.
    [[nodiscard]] virtual std::shared_ptr<const GramOperator> scaled(double factor) const = 0;

    /// K between the rows of the operator and new ones. Throws InvalidArgument when there is no
    /// kernel to evaluate.
    [[nodiscard]] virtual NewRows beside(const Dataset& rows, Context& context) const = 0;

    /// The kernel and the rows it is made of (operators/gram_kinds.hpp), for code that may look
    /// behind an operator: recipes and theory. Throws InvalidArgument when there are none.
    [[nodiscard]] virtual GramOrigin origin() const = 0;
};

/// K of `rows`, as the kernel requires: LinearGram, TableGram or TiledGram. Borrowed rows must
/// outlive it.
[[nodiscard]] std::shared_ptr<const GramOperator> make_gram(const Kernel& kernel,
                                                            const Dataset& rows);

/// An operator on some rows of K: row i is row places[i] of `gram`, no row twice. The kernel is not
/// compiled again and the rows are not copied.
[[nodiscard]] std::shared_ptr<const GramOperator> subset(std::shared_ptr<const GramOperator> gram,
                                                         std::vector<index_t> places);

/// K + shift: shift[i] is added where row and column are sample i, compared by index and not by
/// value.
[[nodiscard]] std::shared_ptr<const GramOperator> shifted(std::shared_ptr<const GramOperator> gram,
                                                          std::span<const double> shift);

}  // namespace mercer
