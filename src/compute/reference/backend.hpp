// SPDX-License-Identifier: Apache-2.0
//
// src/compute/reference/backend.hpp - Device::reference: plain scalar formulas in double, on one
// thread.
//
// engine.cpp, primitives.cpp, coordinate.cpp and linear_algebra.cpp of this folder each define
// their part of it. None of them shares code with another backend.
#pragma once

#include "mercer/compute/backend.hpp"

namespace mercer::reference {

class ReferenceBackend final : public Backend {
public:
    [[nodiscard]] Device device() const noexcept override { return Device::reference; }
    [[nodiscard]] std::string_view name() const noexcept override { return "reference"; }
    [[nodiscard]] std::string description() const override;

    [[nodiscard]] std::unique_ptr<KernelEngine> compile(const Kernel& kernel,
                                                        const Dataset& reference,
                                                        const EngineOptions& options,
                                                        Context& context) const override;

    void accumulate_product(MatrixView<const float> tile, MatrixView<const double> v,
                            MatrixView<double> out) const override;
    void accumulate_product(MatrixView<const double> tile, MatrixView<const double> v,
                            MatrixView<double> out) const override;
    void accumulate_transposed(MatrixView<const float> tile, MatrixView<const double> u,
                               MatrixView<double> out) const override;
    void accumulate_transposed(MatrixView<const double> tile, MatrixView<const double> u,
                               MatrixView<double> out) const override;
    void exponential(std::span<const float> x, std::span<float> out) const override;
    void exponential(std::span<const double> x, std::span<double> out) const override;
    void stream_rows(MatrixView<const float> tile, std::span<float* const> targets) const override;

    [[nodiscard]] Extremes find_extremes(const CoordinateArrays& arrays) const override;
    [[nodiscard]] Extremes step_and_find(const CoordinateArrays& arrays, const float* row_up,
                                         const float* row_down, double delta) const override;
    [[nodiscard]] index_t choose_partner(const CoordinateArrays& arrays, const float* row,
                                         double row_diagonal, double maximum) const override;
    void subtract_rows(double* values, index_t begin, index_t end,
                       const WeightedRows& rows) const override;

    void multiply(Operand<float> a, Operand<float> b, float alpha, float beta, MatrixView<float> c,
                  Context& context) const override;
    void multiply(Operand<double> a, Operand<double> b, double alpha, double beta,
                  MatrixView<double> c, Context& context) const override;
    [[nodiscard]] bool cholesky(MatrixView<double> a, Context& context) const override;
    [[nodiscard]] bool cholesky(MatrixView<float> a, Context& context) const override;
    void solve_triangle(MatrixView<const double> factor, bool transposed, MatrixView<double> b,
                        Context& context) const override;
    void solve_triangle(MatrixView<const float> factor, bool transposed, MatrixView<double> b,
                        Context& context) const override;
    void inverse_diagonal(MatrixView<const double> factor, std::span<double> out,
                          Context& context) const override;
    void symmetric_eigen(MatrixView<double> a, std::span<double> values, bool vectors,
                         Context& context) const override;
    void singular_values(MatrixView<double> a, MatrixView<double> left, std::span<double> values,
                         MatrixView<double> right, Context& context) const override;
};

}  // namespace mercer::reference
