// SPDX-License-Identifier: Apache-2.0
//
// src/compute/program.hpp - a kernel expression lowered to pair quantities and a stack program.
//
// A tile is computed in two stages. Stage one forms the few quantities that depend on whole rows:
// dot products, distances, overlaps. Stage two runs a short elementwise program over them. The
// lowering is the same for every backend that executes programs.
#pragma once

#include <memory>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/kernel.hpp"

namespace mercer {

/// The input of a pair quantity: some columns of the rows, possibly mapped by a matrix.
struct RowSource {
    std::vector<index_t> columns;  ///< empty if `all`: every column
    bool all = true;
    /// quadratic_form: x -> R x with A = R'R.  mixture: symbol -> row of the table.
    std::shared_ptr<const KernelMatrix> map;
    bool map_is_table = false;

    friend bool operator==(const RowSource&, const RowSource&) = default;
};

enum class PairOp {
    dot,
    squared_distance,
    absolute_distance,
    inequality,  ///< 0 only for equal rows: the absolute distance, not centred in float64
    chi2,
    minimum,     ///< sum of the entrywise minima
    maximum,     ///< sum of the entrywise maxima
    difference,  ///< sum of x - z (one-column kernels)
    lookup,      ///< precomputed: the left row's entry at the right row's index
    custom,
};

struct PairQuantity {
    PairOp op = PairOp::dot;
    int source = 0;
    std::shared_ptr<const CustomKernel> custom;
};

enum class RowOp { squared_norm, diagonal, function };

/// A number per row, computed once when rows are prepared.
struct RowQuantity {
    RowOp op = RowOp::squared_norm;
    int source = 0;
    Kernel kernel;  ///< whose diagonal is needed
    std::shared_ptr<const RowFunction> function;
};

enum class Op {
    push_pair,           ///< push pair quantity `index`
    push_constant,       ///< push a
    affine,              ///< a x + b
    exponential,         ///< exp(a x + b)
    hyperbolic_tangent,  ///< tanh(a x + b)
    power,               ///< x^index, index >= 0
    horner,              ///< polynomial with `coefficients`, ascending
    add,                 ///< pop y: x + y
    multiply,            ///< pop y: x * y
    scale_rows,          ///< x * u_i * u_j, u = row quantity `index`
    normalize,           ///< x / sqrt(u_i u_j); 0 where that is 0
    gaussian_rows,       ///< exp(a (u_i + u_j) + b x + c)
    radial,              ///< of a squared distance: `radial` with `coefficients` for its parameters
    negative_distance,   ///< -(x^(a/2)) of a squared distance
    sinc,                ///< of a difference; bandwidth = a
    is_zero,             ///< 1 where x == 0, otherwise 0
    brownian_bridge,     ///< pop y: x (1 - y), x the minimum and y the maximum
};

struct Instruction {
    Op op = Op::push_constant;
    int index = 0;
    double a = 0.0;
    double b = 0.0;
    double c = 0.0;
    std::vector<double> coefficients;
    const RadialForm* radial = nullptr;
    KernelType type = KernelType::linear;  ///< the kernel: some radial kernels have vector code
};

struct Program {
    std::vector<RowSource> sources;
    std::vector<PairQuantity> pairs;
    std::vector<RowQuantity> row_quantities;
    std::vector<Instruction> instructions;
    int stack_depth = 0;
    /// Bound on |d k / d d2| near d2 = 0 over all squared distances: how much a rounding error of
    /// a squared distance is amplified. Infinite for kernels with a kink at zero distance.
    double distance_sensitivity = 0.0;
};

/// Lowers a resolved kernel for rows of `columns` entries.
[[nodiscard]] Program lower(const Kernel& kernel, index_t columns);

}  // namespace mercer
