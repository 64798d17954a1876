// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/bounds.hpp - bounds on the risk of a classifier from capacity and margin.
//
// All are upper bounds on the expected 0-1 risk that hold with probability 1 - delta over the draw
// of n independent rows. A risk is never above 1, so a bound of 1 or more says nothing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

/// One bound and where it comes from.
struct Bound {
    std::string name;
    double value = kNaN;  ///< infinite: no finite value is proved; NaN: it does not apply
    std::string theorem;  ///< its authors and its formula
    std::string note;     ///< what it was computed from, or why it does not apply

    [[nodiscard]] bool applies() const noexcept { return value == value; }
    [[nodiscard]] bool vacuous() const noexcept { return !(value < 1.0); }
};

/// R <= risk + sqrt((h (ln(2n/h) + 1) + ln(4/delta)) / n) for a class of VC dimension h < n.
struct VcBound {
    double complexity_term = kNaN;  ///< the square root
    double bound = kNaN;            ///< risk + complexity_term
    /// The least n for which the bound is below 1 at the same h, delta and risk; 0: there is none.
    index_t informative_rows = 0;
};

/// Throws InvalidArgument unless 0 <= dimension < rows, 0 < delta < 1 and 0 <= risk <= 1.
[[nodiscard]] VcBound vc_bound(index_t rows, index_t dimension, double delta, double risk);

/// R^2 Lambda^2: hyperplanes <w, x> = 0 with min |<w, x_i>| = 1 over points in the ball of radius R
/// about 0 and |w| <= Lambda shatter no more of these points. Throws InvalidArgument unless both
/// are finite and >= 0.
[[nodiscard]] double margin_dimension(double radius, double norm);

/// A two-class predictor f(x) = <w, phi(x)> + b on the rows it was trained on.
struct MarginSample {
    std::span<const double> targets;  ///< -1 or +1
    std::span<const double> values;   ///< f(x_i)
    double squared_norm = 0.0;        ///< |w|^2
    double intercept = 0.0;           ///< b
    bool has_intercept = true;        ///< false: the hyperplanes of the class go through 0
    double radius = 0.0;              ///< max |phi(x_i)|
    double trace = 0.0;               ///< sum of |phi(x_i)|^2
    double margin = 1.0;              ///< the margin required in training, in units of f
    index_t feature_dimension = 0;    ///< coordinates of phi; 0: n or more, or unknown
};

/// The geometry of a sample and the bounds that follow from it.
///
/// An intercept is treated as one more coordinate: phi' = (phi, R), w' = (w, b / R), so that
/// f = <w', phi'> and |phi'|^2 <= 2 R^2. Without an intercept phi' = phi.
struct MarginReport {
    double risk = kNaN;               ///< share of the rows on the wrong side
    double norm = kNaN;               ///< |w|
    double functional_margin = kNaN;  ///< min |f(x_i)|
    double geometric_margin = kNaN;   ///< min |f(x_i)| / |w|: distance to the nearest row
    double embedded_radius = kNaN;    ///< max |phi'(x_i)|
    double embedded_norm = kNaN;      ///< |w'|
    /// |w'| / min |f|: the norm in canonical form, where min |f(x_i)| = 1.
    double canonical_norm = kNaN;
    double dimension = kNaN;  ///< margin_dimension of the canonical form
    std::vector<Bound> bounds;
};

/// The bounds `vc`, `vc-margin`, `rademacher`, `rademacher-trace` and `rademacher-uniform`.
///
/// Throws InvalidArgument unless there are rows, as many values as targets, every number is finite,
/// squared_norm > 0, radius > 0, margin > 0 and 0 < delta < 1.
[[nodiscard]] MarginReport margin_bounds(const MarginSample& sample, double delta);

/// Mean of min(1, max(0, 1 - t_i f(x_i) / rho)): at least the share of misclassified rows, at most
/// the share of rows with t f < rho.
[[nodiscard]] double margin_loss(std::span<const double> targets, std::span<const double> values,
                                 double rho);

}  // namespace mercer
