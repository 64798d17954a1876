// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/separability.hpp - can a hyperplane separate two classes? An answer with proof.
//
// The classes are strictly separable when some (w, b) has t_i (<w, x_i> + b) > 0 for every row;
// otherwise weights lambda >= 0, not all 0, have sum lambda_i t_i x_i = 0 and sum lambda_i t_i = 0:
// the convex hulls of the classes share a point (Gordan, Farkas). The answer carries (w, b) or
// lambda, checked in rational arithmetic on the given doubles: floating point only proposes.
// Homogeneous: b = 0, and the second equation is not required.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/kernels/kernel.hpp"

namespace mercer {

class Context;

struct SeparabilityOptions {
    bool homogeneous = false;  ///< hyperplanes through 0
    /// Limit on the word operations of the exact systems; about 1e8 take a second.
    double exact_operations = 5e9;
    /// By default small problems are decided without a linear programme; true: always use one.
    bool always_program = false;
};

enum class SeparabilityAnswer {
    separable,
    not_separable,
    undecided,  ///< not decided by floating point, and exact work exceeds the limit
};

/// (w, b) with t_i (<w, x_i> + b) >= 1. If no doubles satisfy this, `exact_w` and `exact_b` hold
/// rationals that do, as text "p/q", and w and b are close to them; otherwise they are empty.
struct Separator {
    std::vector<double> w;
    double b = 0.0;
    std::vector<std::string> exact_w;
    std::string exact_b;
    double functional_margin = kNaN;  ///< least t_i (<w, x_i> + b), rounded to a double
};

/// A point in both convex hulls: the sum of weight * row over the rows of each class, with weights
/// that sum to 1 in each. Homogeneous: all weights sum to 1, and the sum of weight * t * row is 0.
struct MeetingHulls {
    std::vector<index_t> rows;
    std::vector<double> weights;             ///< rounded; > 0
    std::vector<std::string> exact_weights;  ///< "p/q"
    std::vector<double> point;               ///< rounded; empty when homogeneous
    std::vector<std::string> exact_point;
};

struct Separability {
    SeparabilityAnswer answer = SeparabilityAnswer::undecided;
    Separator separator;       ///< when separable
    MeetingHulls hulls;        ///< when not
    bool exact_check = false;  ///< the result of check_certificate()
    index_t programs = 0;      ///< linear programmes solved
    index_t systems = 0;       ///< exact systems solved
    std::string reason;        ///< why it is undecided
};

/// Decides whether a hyperplane separates the rows with label +1 from those with -1.
///
/// Method: a linear programme over a growing part of the rows proposes (w, b) or weights; both are
/// checked exactly, and if neither holds an exact method continues from the proposal. Throws
/// InvalidArgument when the labels are wrong, ResourceError when CLP is missing, Interrupted.
[[nodiscard]] Separability test_separability(const Dataset& rows, std::span<const double> labels,
                                             const SeparabilityOptions& options, Context& context);

/// The rows in which a kernel's surfaces f(x) + b = 0 are hyperplanes.
enum class KernelRowsKind {
    given,     ///< k is a multiple of <x, z>: the rows themselves
    features,  ///< phi(x) of a kernel with fewer coordinates than there are rows
    gram,      ///< the rows of K: f = sum_j w_j k(x_j, .)
};

struct KernelRows {
    Dataset rows;
    KernelRowsKind kind = KernelRowsKind::given;
};

/// Computes these rows. Features and K are rounded to doubles, and test_separability() separates
/// these doubles. A rank-deficient K has full rank after rounding; therefore features are used
/// where possible. Throws DataError naming two rows whose value is not finite.
[[nodiscard]] KernelRows kernel_rows(const Kernel& kernel, const Dataset& rows, Context& context);

/// True when the certificate holds as it stands, by rational arithmetic on the rows' doubles.
[[nodiscard]] bool check_certificate(const Dataset& rows, std::span<const double> labels,
                                     bool homogeneous, const Separability& separability);

/// The least number of rows that a hyperplane must put on the wrong side.
struct Disagreement {
    bool exact = false;         ///< lower == upper was proved
    index_t lower = 0;          ///< no hyperplane does better
    index_t upper = 0;          ///< some hyperplane achieves this
    std::vector<index_t> rows;  ///< its rows on the wrong side
    index_t decisions = 0;      ///< separability problems decided
};

/// The minimum disagreement, by branching over the rows of intersecting hulls, one of which must be
/// misclassified. The problem is NP-hard: after `limit` decisions the bounds found so far are
/// returned. A point on the hyperplane counts as +1, as in prediction.
[[nodiscard]] Disagreement minimum_disagreement(const Dataset& rows, std::span<const double> labels,
                                                bool homogeneous, index_t limit, Context& context);

}  // namespace mercer
