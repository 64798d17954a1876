// SPDX-License-Identifier: Apache-2.0
//
// mercer/compute/backend.hpp - the operations of a device: the table that every backend fills.
//
// A backend is a constant without state. Callers do not use one directly: make_engine() and the
// functions of primitives.hpp, coordinate.hpp and linear_algebra.hpp check their arguments, then
// call the backend of the context's device. What they promise holds for every backend. Calls are
// virtual per tile or per vector, never per number.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "mercer/base/types.hpp"
#include "mercer/compute/coordinate.hpp"
#include "mercer/runtime/device.hpp"

namespace mercer {

class Context;
class Dataset;
class Kernel;
class KernelEngine;
struct EngineOptions;

/// A matrix in a product, or its transpose.
template <typename T>
struct Operand {
    MatrixView<const T> matrix;
    bool transposed = false;

    [[nodiscard]] index_t rows() const { return transposed ? matrix.columns : matrix.rows; }
    [[nodiscard]] index_t columns() const { return transposed ? matrix.rows : matrix.columns; }
    [[nodiscard]] T operator()(index_t i, index_t j) const {
        return transposed ? matrix(j, i) : matrix(i, j);
    }
};

class Backend {
public:
    [[nodiscard]] virtual Device device() const noexcept = 0;
    /// The user's name for it: "cpu".
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;
    /// What computes, in one line for `mercer doctor`.
    [[nodiscard]] virtual std::string description() const = 0;

    /// Kernels (engine.hpp). The kernel is resolved and fits options.columns, which is set.
    [[nodiscard]] virtual std::unique_ptr<KernelEngine> compile(const Kernel& kernel,
                                                                const Dataset& reference,
                                                                const EngineOptions& options,
                                                                Context& context) const = 0;

    /// Products with a tile, and loops over arrays (primitives.hpp). The shapes fit.
    virtual void accumulate_product(MatrixView<const float> tile, MatrixView<const double> v,
                                    MatrixView<double> out) const = 0;
    virtual void accumulate_product(MatrixView<const double> tile, MatrixView<const double> v,
                                    MatrixView<double> out) const = 0;
    virtual void accumulate_transposed(MatrixView<const float> tile, MatrixView<const double> u,
                                       MatrixView<double> out) const = 0;
    virtual void accumulate_transposed(MatrixView<const double> tile, MatrixView<const double> u,
                                       MatrixView<double> out) const = 0;
    virtual void exponential(std::span<const float> x, std::span<float> out) const = 0;
    virtual void exponential(std::span<const double> x, std::span<double> out) const = 0;
    virtual void stream_rows(MatrixView<const float> tile,
                             std::span<float* const> targets) const = 0;

    /// Passes of a coordinate method (coordinate.hpp).
    [[nodiscard]] virtual Extremes find_extremes(const CoordinateArrays& arrays) const = 0;
    [[nodiscard]] virtual Extremes step_and_find(const CoordinateArrays& arrays,
                                                 const float* row_up, const float* row_down,
                                                 double delta) const = 0;
    [[nodiscard]] virtual index_t choose_partner(const CoordinateArrays& arrays, const float* row,
                                                 double row_diagonal, double maximum) const = 0;
    virtual void subtract_rows(double* values, index_t begin, index_t end,
                               const WeightedRows& rows) const = 0;

    /// Dense linear algebra (linear_algebra.hpp). The shapes fit, nothing is empty, and all entries
    /// that must be finite are.
    virtual void multiply(Operand<float> a, Operand<float> b, float alpha, float beta,
                          MatrixView<float> c, Context& context) const = 0;
    virtual void multiply(Operand<double> a, Operand<double> b, double alpha, double beta,
                          MatrixView<double> c, Context& context) const = 0;
    [[nodiscard]] virtual bool cholesky(MatrixView<double> a, Context& context) const = 0;
    [[nodiscard]] virtual bool cholesky(MatrixView<float> a, Context& context) const = 0;
    /// L x = b, or L' x = b, for every column of b, in place.
    virtual void solve_triangle(MatrixView<const double> factor, bool transposed,
                                MatrixView<double> b, Context& context) const = 0;
    virtual void solve_triangle(MatrixView<const float> factor, bool transposed,
                                MatrixView<double> b, Context& context) const = 0;
    virtual void inverse_diagonal(MatrixView<const double> factor, std::span<double> out,
                                  Context& context) const = 0;
    virtual void symmetric_eigen(MatrixView<double> a, std::span<double> values, bool vectors,
                                 Context& context) const = 0;
    virtual void singular_values(MatrixView<double> a, MatrixView<double> left,
                                 std::span<double> values, MatrixView<double> right,
                                 Context& context) const = 0;

protected:
    ~Backend() = default;  // backends are not owned
};

[[nodiscard]] const Backend& reference_backend() noexcept;
[[nodiscard]] const Backend& cpu_backend() noexcept;
[[nodiscard]] const Backend& backend_of(Device device) noexcept;

/// All backends, the fastest first.
[[nodiscard]] std::span<const Backend* const> backends() noexcept;

/// The backend of that name; null when there is none.
[[nodiscard]] const Backend* find_backend(std::string_view name) noexcept;

}  // namespace mercer
