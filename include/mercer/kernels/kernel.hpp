// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/kernel.hpp - kernel expressions: values that can be built, printed and queried.
//
//     Kernel k = 0.7 * rbf_kernel(0.5) + 0.3 * linear_kernel();
//     Kernel same = parse_kernel("0.7 * rbf(gamma=0.5) + 0.3 * linear").value();
//
// A Kernel is an immutable tree with value semantics; copying shares the nodes. The text form is
// the same on every surface, and parse_kernel(to_string(k)) == k.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/result.hpp"
#include "mercer/base/types.hpp"
#include "mercer/kernels/row_function.hpp"

namespace mercer {

/// What follows from the construction of a kernel alone.
enum class Definiteness {
    strictly_positive_definite,       ///< Gram matrices of distinct points are invertible
    positive_definite,                ///< Gram matrices have no negative eigenvalue
    conditionally_positive_definite,  ///< on coefficient vectors that sum to zero
    indefinite,                       ///< nothing can be proved
};

/// Name for messages and JSON: "strictly positive definite", ...
[[nodiscard]] std::string_view to_string(Definiteness definiteness) noexcept;

enum class KernelType {
    // leaves
    linear,
    poly,
    monomial,
    rbf,
    laplace,
    matern,
    rational_quadratic,
    sigmoid,
    delta,
    brownian_bridge,
    sinc,
    cosine,
    chi2,
    intersection,
    constant,
    quadratic_form,
    mixture,
    latent_gaussian,
    negative_distance,
    precomputed,
    custom,
    // algebra
    scale,
    sum,
    product,
    exponential,
    polynomial,
    normalized,
    row_scaled,
    columns,
    power,
};

/// A kernel written by the user: one scalar function of two rows (see make_custom_kernel).
class CustomKernel {
public:
    virtual ~CustomKernel() = default;
    [[nodiscard]] virtual std::string name() const = 0;
    [[nodiscard]] virtual Definiteness definiteness() const = 0;
    /// True when a value is an entry of the left row, at a position that the right row gives: the
    /// rows are those of a table, not points (kernels/serial_lookup.hpp).
    [[nodiscard]] virtual bool reads_table() const noexcept { return false; }
    /// values(i, j) = k(left row i, right row j): one virtual call per tile.
    virtual void evaluate_tile(MatrixView<const double> left, MatrixView<const double> right,
                               MatrixView<double> values) const = 0;
};

/// A half-open range of columns, 0-based.
struct ColumnRange {
    index_t begin = 0;
    index_t end = 0;
    friend bool operator==(const ColumnRange&, const ColumnRange&) = default;
};

/// A dense matrix read from a file named in the expression, with that name.
struct KernelMatrix {
    std::string file;
    index_t rows = 0;
    index_t columns = 0;
    std::vector<double> values;  ///< row-major
};

struct KernelNode;

/// A kernel expression.
class Kernel {
public:
    /// The linear kernel.
    Kernel();
    explicit Kernel(std::shared_ptr<const KernelNode> node) : node_(std::move(node)) {}

    [[nodiscard]] const KernelNode& node() const noexcept { return *node_; }
    [[nodiscard]] KernelType type() const noexcept;

    /// Follows from the construction, never from data.
    [[nodiscard]] Definiteness definiteness() const;

    /// Structural equality: same tree, same parameters.
    friend bool operator==(const Kernel& a, const Kernel& b);

    /// The reference value of k(x, z), in double, by the scalar formulas. `x` and `z` have equal
    /// length. Every faster path is tested against it. Throws InvalidArgument where the kernel is
    /// not defined (dimension, range of x, precomputed, parameters still "scale").
    [[nodiscard]] double operator()(std::span<const double> x, std::span<const double> z) const;

    /// True when no parameter depends on the data (`gamma=scale`).
    [[nodiscard]] bool is_resolved() const;

private:
    std::shared_ptr<const KernelNode> node_;
};

/// One node. `parameters` follow the order of the catalogue entry; NaN stands for `scale`, the
/// value 1 / (columns * variance of all entries) that resolve_kernel() fills in.
///
///   linear -            poly {degree, coef0, scale}     monomial {degree}        rbf {gamma}
///   laplace {gamma}     matern {nu, length}             rational_quadratic {alpha, length}
///   sigmoid {gamma, coef0}   delta -   brownian_bridge -   sinc {bandwidth}   cosine -
///   chi2 {gamma}        intersection -                  constant {value}
///   latent_gaussian {s, tau}                            negative_distance {power}
///   scale {factor}, 1 child; sum, product: 2 or more children; exponential, normalized: 1 child;
///   polynomial: 1 child, parameters = coefficients, ascending powers; power {exponent}, 1 child;
///   row_scaled: 1 child and `row_function`; columns: 1 child and `selection`;
///   quadratic_form: `matrix` A (symmetric), k = x'Az;  mixture: `matrix` P, where row s holds
///   sqrt(p(i)) p(s|i) over the states i, and the one column of the data holds the symbol s.
struct KernelNode {
    KernelType type = KernelType::linear;
    std::vector<double> parameters;
    std::vector<Kernel> children;
    std::vector<ColumnRange> selection;
    std::shared_ptr<const RowFunction> row_function;
    std::shared_ptr<const KernelMatrix> matrix;
    std::shared_ptr<const CustomKernel> custom;
};

/// Canonical text. Doubles are printed in the shortest form that reads back exactly.
[[nodiscard]] std::string to_string(const Kernel& kernel);

}  // namespace mercer
