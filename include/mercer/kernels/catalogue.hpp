// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/catalogue.hpp - constructors of kernels, the parser, and resolution against data.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "mercer/base/result.hpp"
#include "mercer/kernels/kernel.hpp"
#include "mercer/runtime/options.hpp"

namespace mercer {

class Quad;

/// One parameter of a catalogue entry, in the order of KernelNode::parameters.
struct KernelParameter {
    std::string_view name;
    double standard = 0.0;  ///< default value; NaN stands for `scale`
    Range range;
    bool integer = false;
    bool accepts_scale = false;
    std::string_view help;
};

/// Describes a kernel that is a function of |x-z|^2 and its parameters p alone; the reference
/// value, the compiled program, definiteness and its reason are taken from here.
struct RadialForm {
    double (*value)(double squared_distance, const double* p) = nullptr;
    Quad (*precise)(Quad squared_distance, const double* p) = nullptr;  ///< the same in 113 bits
    /// Bound on |d value / d squared_distance| near 0; infinite when there is a kink at 0.
    double (*sensitivity)(const double* p) = nullptr;
    Definiteness definiteness = Definiteness::indefinite;
    std::string_view reason;  ///< why the definiteness holds
};

/// One kernel of the catalogue, described once for the parser, the printer, validation and docs.
struct CatalogueEntry {
    KernelType type = KernelType::linear;
    std::string_view name;          ///< as written in an expression; empty for operators
    std::string_view usage;         ///< "rbf(gamma=scale)"; shows the default values
    std::string_view formula;       ///< "exp(-gamma |x-z|^2)"
    std::string_view help;          ///< one sentence
    std::string_view definiteness;  ///< what the construction proves, in words
    std::string_view domain;        ///< rows it is defined on; empty: any
    std::span<const KernelParameter> parameters;
    std::span<const std::string_view> synonyms;  ///< names in other packages, for "did you mean"
    const RadialForm* radial = nullptr;  ///< null: not a function of |x-z|^2, or handled separately
};

/// The entry of a kernel.
[[nodiscard]] const CatalogueEntry& entry_of(KernelType type) noexcept;

/// Every kernel and every construction, in the order of KernelType.
[[nodiscard]] std::span<const CatalogueEntry> kernel_catalogue() noexcept;

/// Reads the files that an expression names (quadratic-form, mixture). Supplied by the caller, so
/// that this room needs no reader.
class KernelFiles {
public:
    virtual ~KernelFiles() = default;
    /// The matrix A of quadratic-form(file.npy).
    [[nodiscard]] virtual Result<KernelMatrix> read_matrix(const std::string& file) const = 0;
    /// The text of mixture(file.json).
    [[nodiscard]] virtual Result<std::string> read_text(const std::string& file) const = 0;
};

/// Parses the text form. The column of a diagnostic points at the offending character; `files` may
/// be null when the expression names no file. Refuses what is not a kernel (negative factors,
/// negative polynomial coefficients, parameters out of range, matrices that are not positive
/// semidefinite). Indefinite and conditionally positive definite kernels are accepted: callers that
/// need more check definiteness().
[[nodiscard]] Result<Kernel> parse_kernel(std::string_view text,
                                          const KernelFiles* files = nullptr);

/// The line of `text` that a diagnostic refers to and, below it, a caret under its column.
[[nodiscard]] std::string point_at(std::string_view text, const Diagnostic& diagnostic);

/// Makes one node after checking parameters, child count and selection; throws InvalidArgument
/// `gamma: got -1, must be finite and > 0`. All kernels are built through this function. It also
/// brings the node to its canonical form: sums and products are flat, a product has a single factor
/// in front, a factor 1 is dropped.
[[nodiscard]] Kernel make_kernel(KernelNode node);

[[nodiscard]] Kernel linear_kernel();
/// For degree 0, which the expression `poly` does not accept, the result is constant(1).
[[nodiscard]] Kernel poly_kernel(double degree, double coef0 = 1.0, double scale = 1.0);
[[nodiscard]] Kernel rbf_kernel(double gamma);
[[nodiscard]] Kernel laplace_kernel(double gamma);
[[nodiscard]] Kernel matern_kernel(double nu, double length);
[[nodiscard]] Kernel constant_kernel(double value);
[[nodiscard]] Kernel precomputed_kernel();
[[nodiscard]] Kernel operator*(double factor, const Kernel& kernel);
[[nodiscard]] Kernel operator+(const Kernel& a, const Kernel& b);
[[nodiscard]] Kernel operator*(const Kernel& a, const Kernel& b);
[[nodiscard]] Kernel exp(const Kernel& kernel);
[[nodiscard]] Kernel pow(const Kernel& kernel, int exponent);
[[nodiscard]] Kernel normalized(const Kernel& kernel);
/// sum_i coefficients[i] k^i; all coefficients >= 0.
[[nodiscard]] Kernel polynomial(const Kernel& kernel, std::vector<double> coefficients);
/// f(x) k(x, z) f(z).
[[nodiscard]] Kernel scaled(const Kernel& kernel, std::shared_ptr<const RowFunction> function);
/// k of the chosen columns, in the order given.
[[nodiscard]] Kernel columns(const Kernel& kernel, std::vector<ColumnRange> selection);

/// Sets every parameter left at `scale` to `scale_gamma`; other kernels are returned unchanged.
[[nodiscard]] Kernel resolve_kernel(const Kernel& kernel, double scale_gamma);

/// The kernel with every parameter of that name set to `value`. Throws InvalidArgument when no
/// parameter has that name (the message lists the names), or when the value is out of range.
[[nodiscard]] Kernel with_parameter(const Kernel& kernel, std::string_view name, double value);

/// Throws InvalidArgument when the kernel cannot be applied to rows of `columns` entries (column
/// selections out of range, one-dimensional kernels, matrix sizes).
void require_columns(const Kernel& kernel, index_t columns);

/// Empty when `row` lies in the kernel's domain, otherwise a message that names the column:
/// "column 3: got -1, chi2 needs entries >= 0". The row's length has passed require_columns().
[[nodiscard]] std::string domain_violation(const Kernel& kernel, std::span<const double> row);

/// True when some part of the kernel is `precomputed`, so that values come from a matrix.
[[nodiscard]] bool is_precomputed(const Kernel& kernel);

/// True when some values come with the rows: precomputed, or a custom kernel that reads a table.
[[nodiscard]] bool reads_table(const Kernel& kernel);

/// k(x, x) by the reference formulas.
[[nodiscard]] double diagonal(const Kernel& kernel, std::span<const double> x);

namespace detail {
template <typename Scalar>
class ScalarKernel final : public CustomKernel {
public:
    explicit ScalarKernel(Scalar scalar) : scalar_(std::move(scalar)) {}
    [[nodiscard]] std::string name() const override { return Scalar::kName; }
    [[nodiscard]] Definiteness definiteness() const override { return Scalar::kDefiniteness; }
    [[nodiscard]] bool reads_table() const noexcept override {
        return requires { Scalar::kReadsTable; };
    }
    void evaluate_tile(MatrixView<const double> left, MatrixView<const double> right,
                       MatrixView<double> values) const override {
        const auto length = static_cast<std::size_t>(left.columns);
        for (index_t i = 0; i < left.rows; ++i) {
            for (index_t j = 0; j < right.rows; ++j) {
                values(i, j) = scalar_(std::span<const double>(left.row(i), length),
                                       std::span<const double>(right.row(j), length));
            }
        }
    }

private:
    Scalar scalar_;
};
}  // namespace detail

/// A user kernel from a struct of scalar functions:
///
///     struct Tanimoto {
///         static constexpr const char* kName = "tanimoto";
///         static constexpr Definiteness kDefiniteness = Definiteness::positive_definite;
///         double operator()(std::span<const double> x, std::span<const double> z) const;
///     };
///     Kernel k = 0.5 * make_custom_kernel(Tanimoto{}) + linear_kernel();
///
/// It composes like a built-in kernel; its text form is its name, which cannot be parsed.
template <typename Scalar>
[[nodiscard]] Kernel make_custom_kernel(Scalar scalar) {
    KernelNode node;
    node.type = KernelType::custom;
    node.custom = std::make_shared<detail::ScalarKernel<Scalar>>(std::move(scalar));
    return make_kernel(std::move(node));
}

}  // namespace mercer
