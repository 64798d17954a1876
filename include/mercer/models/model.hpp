// SPDX-License-Identifier: Apache-2.0
//
// mercer/models/model.hpp - a trained machine: kernel, support rows, coefficients and certificates.
//
// A Model knows no solver. It predicts, it is saved and loaded without losing a bit, and it has all
// that `mercer verify` needs to recompute its certificate from the training data.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/data/fingerprint.hpp"
#include "mercer/data/scale.hpp"
#include "mercer/kernels/kernel.hpp"
#include "mercer/losses/certificate.hpp"

namespace mercer {

inline constexpr const char* kOneClass = "one-class";  ///< f + intercept >= 0: inside
inline constexpr const char* kOrdinal = "ordinal";     ///< classes in order, by thresholds of f
inline constexpr const char* kRank = "rank";           ///< f orders the rows of a query

/// From values of f to probabilities.
///
///   sigmoid   1 / (1 + exp(a f + b)) is the probability of the side where f > 0, for each output
///   softmax   exp(f_c) / sum_k exp(f_k) is the probability of class c; it has no parameters
///   laplace   y - f has the density exp(-|t| / a) / (2 a), for each output of a regression
///   density   for a one-class machine: a has kDensityMarks non-decreasing marks, and the
///             probability to be inside is the share of them that f has reached, .001 for none,
///             .999 for all
struct Link {
    std::string kind;       ///< one of these; empty: there is no link
    std::vector<double> a;  ///< one per output; empty for softmax; the marks for density
    std::vector<double> b;  ///< one per output of a sigmoid

    [[nodiscard]] bool empty() const noexcept { return kind.empty(); }
    [[nodiscard]] bool gives_probabilities() const noexcept {
        return kind == "sigmoid" || kind == "softmax" || kind == "density";
    }
};

inline constexpr index_t kDensityMarks = 10;  ///< LIBSVM's number
// Penalties.
inline constexpr const char* kRkhs = "rkhs";          ///< 1/2 |f|^2
inline constexpr const char* kL1 = "l1";              ///< sum |beta|
inline constexpr const char* kL1AndRkhs = "l1+rkhs";  ///< both
inline constexpr const char* kBasis = "basis";  ///< 1/2 |f|^2 of an f in the span of the kernel
                                                ///< functions (or columns) with a coefficient

inline constexpr const char* kSoftmax = "softmax";  ///< all classes in one problem

/// The dual point of a machine that compares values of f (problems/comparisons.hpp): the comparisons
/// with a multiplier > 0. A place is a row number of the training data, or the number of its rows
/// plus the number of a threshold.
struct ComparedPlaces {
    std::vector<index_t> uppers;
    std::vector<index_t> lowers;      ///< pairs are sorted by upper, then by lower
    std::vector<double> multipliers;  ///< one for each pair

    [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(multipliers.size()); }
};

/// The rule by which a model predicts. It has t outputs,
/// f_t(x) = sum_j coefficients(j, t) k(support row j, x) + intercepts[t].
///
/// Three or more classes are several two-class machines with common support rows (class_pairs.hpp),
/// or one joint problem.
///   softmax   output c is class c, the largest value wins; one certificate for all outputs
///   ovr       output c is class c (f > 0) against all others
///   ovo       output of the pair i < j is class i (f > 0) against class j. The support rows are
///             grouped by class, class_support[c] of them; each has labels - 1 coefficients, one for
///             each other class, and no others are possible: LIBSVM's layout.
///
/// An ordinal machine has one output; the class is the number of thresholds that f has reached.
struct PredictionRule {
    std::string machine;                ///< "svc", "krr"
    Kernel kernel;                      ///< resolved
    Dataset support;                    ///< rows as the kernel sees them: after scaling
    std::vector<index_t> support_rows;  ///< their numbers in the training data, ascending; with ovo
                                        ///< ascending within each class. A precomputed kernel
                                        ///< predicts from these numbers
    std::vector<double> coefficients;   ///< support.rows() x coefficient_columns(), row-major
    std::vector<double> intercepts;     ///< one per output
    index_t columns = 0;                ///< number of columns of the training data
    ColumnNames names;                  ///< of these columns; empty: the file had no header
    std::vector<std::string> labels;    ///< class names; two: f >= 0 means labels[1]. Empty:
                                        ///< regression
    std::string multiclass;             ///< "ovo", "ovr" or "softmax" with three or more labels;
                                        ///< otherwise empty
    std::vector<index_t> class_support;  ///< ovo only: number of support rows of each class
    std::vector<double> thresholds;      ///< ordinal only: labels - 1 of them, non-decreasing
    Link link;
    std::optional<Scaling> scaling;  ///< applied to rows before the kernel
    bool has_intercept = true;

    [[nodiscard]] index_t outputs() const noexcept {
        return static_cast<index_t>(intercepts.size());
    }
    [[nodiscard]] bool is_joint() const noexcept { return multiclass == kSoftmax; }
    [[nodiscard]] bool is_ordinal() const noexcept { return machine == kOrdinal; }
    [[nodiscard]] bool is_ranking() const noexcept { return machine == kRank; }
    /// Values of f are compared with each other or with thresholds; there is no intercept.
    [[nodiscard]] bool is_comparison() const noexcept { return is_ordinal() || is_ranking(); }
    /// The number of problems that were solved: each has a certificate.
    [[nodiscard]] index_t problems() const noexcept { return is_joint() ? 1 : outputs(); }
    [[nodiscard]] index_t coefficient_columns() const noexcept {
        return multiclass == "ovo" ? static_cast<index_t>(labels.size()) - 1 : outputs();
    }
};

/// The rows and the problem a model was trained on: 1/2 |f|^2 + sum_i cost * weight_i * class_weight
/// * loss, or another penalty than 1/2 |f|^2.
struct Provenance {
    TrainingFingerprint fingerprint;
    std::string penalty = kRkhs;
    double l1 = 0.0;  ///< weight of sum |beta|; 0 unless the penalty has this term
    /// The coefficients are the weights of columns: the kernel is the linear one, support row j is
    /// the unit vector of column support_rows[j], and the penalty is that of the weights.
    bool on_columns = false;
    std::string loss;      ///< losses/loss.hpp name
    double epsilon = 0.0;  ///< of the epsilon-insensitive loss
    /// C; for krr 1 / (2 alpha), infinite at alpha = 0: the least |f| with f(x_i) + b = y_i;
    /// infinite for logistic without a penalty, where a row costs its weight.
    double cost = 1.0;
    double nu = kNaN;  ///< nu-machines: the width of the loss is free (each certificate has it) and
                       ///< sum |beta| = nu * the sum of the costs; NaN: another machine
    std::map<std::string, double> class_weights;
    bool row_weights = false;  ///< row weights were used; verify then needs them

    /// Maximum likelihood: the logistic loss without a penalty.
    [[nodiscard]] bool is_likelihood() const noexcept {
        return loss == "logistic" && cost == kInfinity;
    }
    /// A perceptron: its only objective is the number of rows on the wrong side.
    [[nodiscard]] bool counts_mistakes() const noexcept;
    /// The coefficients are penalised or chosen, and are not the multipliers of the rows.
    [[nodiscard]] bool is_sparse() const noexcept { return penalty != kRkhs; }
};

/// What is proved of a model, and how it was obtained.
struct Proof {
    std::vector<Certificate> certificates;  ///< one per problem
    ComparedPlaces compared;                ///< ordinal and rank only
    std::vector<double> row_multipliers;    ///< hinge loss with a penalty on the coefficients: the
                                            ///< dual point, problems() x training rows
    std::string status;                     ///< "converged", ...
    std::string solver;
    index_t iterations = 0;
    double gap_tolerance = kNaN;  ///< the goal
    double tolerance = kNaN;
};

/// A trained machine: what predicts, where it comes from and what it proves. Prediction needs the
/// first part alone.
struct Model : PredictionRule, Provenance, Proof {};

/// Status of a model from another program: it claims nothing about its training.
inline constexpr const char* kImported = "imported";

/// The sum over the problems: they are independent, so values and gaps add up. The violations are
/// the largest ones; `exact` is true when all certificates are.
[[nodiscard]] Certificate total_certificate(const std::vector<Certificate>& certificates);

/// The coefficients of every output over all support rows, support.rows() x outputs(), row-major:
/// the layout of `coefficients` except for ovo, where a row has zeros for the pairs without its
/// class.
[[nodiscard]] std::vector<double> coefficients_by_output(const PredictionRule& rule);

/// Throws InvalidArgument unless all lengths, indices and numbers of the model are consistent.
void require_consistent(const Model& model);

}  // namespace mercer
