// SPDX-License-Identifier: Apache-2.0
//
// mercer/compute/engine.hpp - a kernel compiled for a backend: rows in, Gram tiles out.
//
//     auto engine = make_engine(kernel, rows, {}, context);          // compile and plan
//     auto prepared = engine->prepare(rows, context);                // lay the rows out
//     engine->tile(*prepared, {0, 64}, *prepared, {0, 512}, values, *scratch);
//
// Values are a function of the two rows alone: they have the same bits whatever tile, batch,
// thread count or storage (dense or sparse) they are computed in, and k(x, z) == k(z, x).
#pragma once

#include <memory>
#include <span>
#include <string>

#include "mercer/base/types.hpp"
#include "mercer/kernels/kernel.hpp"

namespace mercer {

class Context;
class Dataset;

/// Rows in the layout that the tiles of an engine need. Owns its memory, charged to the budget.
class PreparedRows {
public:
    virtual ~PreparedRows() = default;
    [[nodiscard]] virtual index_t rows() const noexcept = 0;
};

/// Working memory of one thread.
class TileScratch {
public:
    virtual ~TileScratch() = default;
};

/// Rows begin .. begin + count - 1 of a prepared set.
struct RowRange {
    index_t begin = 0;
    index_t count = 0;
};

/// A tile covers at most this many rows and columns, and starts at a multiple of
/// kColumnAlignment in its columns.
inline constexpr index_t kTileRows = 64;
inline constexpr index_t kTileColumns = 512;
inline constexpr index_t kColumnAlignment = 32;

/// How to compile a kernel.
struct EngineOptions {
    Precision precision = Precision::float64;
    index_t columns = 0;  ///< largest number of columns; 0: that of the reference rows
};

/// The side of a tile that selected rows are used on. Rows used on the right only need less extra
/// memory; the values are the same.
enum class TileSide { either, right };

/// A kernel bound to a backend. Immutable; its const functions may run on many threads at once,
/// each with its own scratch.
class KernelEngine {
public:
    virtual ~KernelEngine() = default;

    [[nodiscard]] virtual Precision precision() const noexcept = 0;

    /// How the work is done, in one line for -v: "dot products, dense float32 panels".
    [[nodiscard]] virtual std::string plan() const = 0;

    /// True when k(x, z) and k(z, x) have the same bits by construction: half of a matrix then
    /// determines the other half. False for values from outside (precomputed, custom kernels).
    [[nodiscard]] virtual bool is_symmetric() const noexcept = 0;

    /// Lays `rows` out for tiles. Throws InvalidArgument when they have more columns than the
    /// engine was made for, DataError naming row and column when a value is outside the kernel's
    /// domain, ResourceError when the memory does not suffice.
    [[nodiscard]] virtual std::unique_ptr<PreparedRows> prepare(const Dataset& rows,
                                                                Context& context) const = 0;

    /// A prepared set of the given rows of another one (an active set).
    [[nodiscard]] virtual std::unique_ptr<PreparedRows> select(const PreparedRows& rows,
                                                               std::span<const index_t> chosen,
                                                               TileSide side,
                                                               Context& context) const = 0;

    [[nodiscard]] virtual std::unique_ptr<TileScratch> make_scratch(Context& context) const = 0;

    /// values(i, j) = k(left row rows.begin + i, right row columns.begin + j).
    /// The overload must match precision(); the other one throws InvalidArgument. Limits: see
    /// kTileRows, kTileColumns, kColumnAlignment.
    virtual void tile(const PreparedRows& left, RowRange rows, const PreparedRows& right,
                      RowRange columns, MatrixView<float> values, TileScratch& scratch) const = 0;
    virtual void tile(const PreparedRows& left, RowRange rows, const PreparedRows& right,
                      RowRange columns, MatrixView<double> values, TileScratch& scratch) const = 0;
};

/// Compiles `kernel` (resolved) for the context's device and rows like `reference`, usually the
/// training set. The reference rows may influence how distances are computed, never their meaning.
/// Throws InvalidArgument when kernel and columns do not fit.
[[nodiscard]] std::unique_ptr<KernelEngine> make_engine(const Kernel& kernel,
                                                        const Dataset& reference,
                                                        const EngineOptions& options,
                                                        Context& context);

/// Fills `out` with k(x, x) of rows `rows`, in double by the scalar formulas.
void kernel_diagonal(const Kernel& kernel, const Dataset& rows, std::span<double> out);

}  // namespace mercer
