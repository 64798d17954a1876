// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/separability.hpp - can a hyperplane tell two classes apart? An answer with its
// proof.
//
// The classes are strictly separable when some (w, b) has t_i (<w, x_i> + b) > 0 for every row;
// otherwise weights lambda >= 0, not all 0, have sum lambda_i t_i x_i = 0 and sum lambda_i t_i = 0:
// the convex hulls of the classes share a point (Gordan, Farkas). Whichever it is, the answer
// carries it, and it is checked in rational arithmetic on the doubles that were given: floating
// point only proposes. Homogeneous: b = 0, and the second equation is not asked for.
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
    /// Word operations that the exact systems may take, some 1e8 a second.
    double exact_operations = 5e9;
    /// Small problems are decided without a linear programme, unless this asks for it.
    bool always_program = false;
};

enum class SeparabilityAnswer {
    separable,
    not_separable,
    undecided,  ///< rounding leaves it open and the exact work is beyond the limit
};

/// (w, b) with t_i (<w, x_i> + b) >= 1. Where no doubles do, `exact_w` and `exact_b` hold rationals
/// that do, as text "p/q", and w and b are near them; else these are empty.
struct Separator {
    std::vector<double> w;
    double b = 0.0;
    std::vector<std::string> exact_w;
    std::string exact_b;
    double functional_margin = kNaN;  ///< least t_i (<w, x_i> + b), rounded to a double
};

/// A point of both convex hulls: sum of weight * row over the rows of either class, whose weights
/// sum to 1. Homogeneous: all weights sum to 1, and the sum of weight * t * row is 0.
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
    bool exact_check = false;  ///< check_certificate() of what is above
    index_t programs = 0;      ///< linear programmes solved
    index_t systems = 0;       ///< exact systems solved
    std::string reason;        ///< why it is undecided
};

/// Decides whether a hyperplane separates the rows with label +1 from those with -1.
///
/// Method: a linear programme over a growing part of the rows proposes (w, b) or weights; both are
/// checked exactly, and where neither holds an exact method goes on from the proposal. Throws
/// InvalidArgument when the labels do not fit, ResourceError when CLP is missing, Interrupted.
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

/// Computes them. Features and K are rounded to doubles, and these doubles are what
/// test_separability() then separates: a K of less than full rank has full rank after rounding,
/// which is why the features go first. Throws DataError naming two rows whose value is not finite.
[[nodiscard]] KernelRows kernel_rows(const Kernel& kernel, const Dataset& rows, Context& context);

/// True when the certificate holds as it stands, by rational arithmetic on the rows' doubles.
[[nodiscard]] bool check_certificate(const Dataset& rows, std::span<const double> labels,
                                     bool homogeneous, const Separability& separability);

/// The least number of rows that a hyperplane must put on the wrong side.
struct Disagreement {
    bool exact = false;         ///< lower == upper was proved
    index_t lower = 0;          ///< no hyperplane does better
    index_t upper = 0;          ///< one does this
    std::vector<index_t> rows;  ///< the ones on the wrong side then
    index_t decisions = 0;      ///< separability problems decided
};

/// The minimum disagreement, by branching over rows of meeting hulls, one of which must go. The
/// problem is NP-hard: after `limit` decisions the bounds found so far are returned. A hyperplane
/// counts its own points as +1, as a predictor does.
[[nodiscard]] Disagreement minimum_disagreement(const Dataset& rows, std::span<const double> labels,
                                                bool homogeneous, index_t limit, Context& context);

}  // namespace mercer
