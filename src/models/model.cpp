// SPDX-License-Identifier: Apache-2.0
//
// src/models/model.cpp - consistency checks between the parts of a model.
#include "mercer/models/model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/losses/disagreement.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/losses/softmax.hpp"
#include "mercer/models/class_pairs.hpp"

namespace mercer {

namespace {

void require(bool holds, const char* message) {
    if (!holds) {
        throw InvalidArgument(std::string("model: ") + message);
    }
}

void require_finite(std::span<const double> values, const char* what) {
    const auto bad = std::find_if_not(values.begin(), values.end(),
                                      [](double value) { return std::isfinite(value); });
    if (bad != values.end()) {
        throw InvalidArgument(fmt::format("model: {} {} is {}, must be finite", what,
                                          bad - values.begin() + 1, *bad));
    }
}

/// Strictly ascending and in 0 .. limit - 1.
void require_indices(std::span<const index_t> indices, index_t limit, const char* what) {
    index_t previous = -1;
    for (const index_t index : indices) {
        if (index <= previous || index >= limit) {
            throw InvalidArgument(
                fmt::format("model: {}: got {} after {}, must ascend and be less than {}", what,
                            index, previous, limit));
        }
        previous = index;
    }
}

void require_sizes(const Model& model) {
    const index_t rows = model.support.rows();
    require(model.outputs() >= 1, "it has no intercept, must have one per output");
    require(model.columns >= 0, "the number of columns is negative");
    require(rows == 0 || model.support.columns() == model.columns,
            "the support rows and the model differ in columns");
    require(static_cast<index_t>(model.support_rows.size()) == rows,
            "the support rows and their row numbers differ in number");
    const std::optional<index_t> size = try_multiply(rows, model.coefficient_columns());
    require(size && *size == static_cast<index_t>(model.coefficients.size()),
            model.multiclass == "ovo"
                ? "there must be one coefficient for each support row and other class"
                : "there must be one coefficient for each support row and output");
    require(static_cast<index_t>(model.certificates.size()) == model.problems(),
            model.is_joint() ? "there must be one certificate for all outputs"
                             : "there must be one certificate for each output");
}

/// Column names must be unique.
void require_names(const Model& model) {
    const std::vector<std::string>& names = model.names.features;
    if (names.empty()) {
        return;
    }
    require(static_cast<index_t>(names.size()) == model.columns, "not every column has a name");
    const std::set<std::string> distinct(names.begin(), names.end());
    require(distinct.size() == names.size(), "two columns have one name");
}

void require_labels(const Model& model) {
    const std::set<std::string> names(model.labels.begin(), model.labels.end());
    const auto classes = static_cast<index_t>(model.labels.size());
    require(names.size() == model.labels.size(), "a label stands twice");
    require(classes != 1, "there must be two or more labels, or none");
    require(classes <= kMostClasses, "it has more classes than any model may");
    if (model.is_ordinal()) {
        require(classes >= 2 && model.multiclass.empty() && model.outputs() == 1,
                "an ordinal machine has one output and two or more labels");
    } else if (classes >= 3) {
        require(model.multiclass == "ovo" || model.multiclass == "ovr" || model.is_joint(),
                "three or more classes are told apart by ovo, ovr or softmax");
        require(model.outputs() == (model.multiclass == "ovo" ? pair_count(classes) : classes),
                "the outputs do not fit the classes");
    } else {
        require(model.multiclass.empty(), "ovo, ovr and softmax need three or more labels");
        require(classes == 0 || model.outputs() == 1, "two classes need exactly one output");
    }
    for (const auto& [label, weight] : model.class_weights) {
        require(names.count(label) == 1, "a class weight names no label of the model");
        require(std::isfinite(weight) && weight >= 0.0, "class weights must be finite and >= 0");
    }
}

void require_problem(const Model& model) {
    require(std::isfinite(model.epsilon) && model.epsilon >= 0.0,
            "epsilon must be finite and >= 0");
    const bool interpolates = model.loss == name_of(Loss(SquaredLoss{})) ||
                              (model.is_likelihood() && model.labels.size() == 2 &&
                               model.kernel.type() == KernelType::linear);
    const bool unknown = model.status == kImported && std::isnan(model.cost);
    require(
        unknown || (model.cost > 0.0 && (std::isfinite(model.cost) || interpolates)),
        "the cost must be > 0, and finite unless the loss is squared or it is a linear likelihood");
    require((model.loss == SoftmaxLoss::kName) == model.is_joint(),
            "the softmax loss and the joint problem of many classes belong together");
    require(!model.counts_mistakes() ||
                (model.labels.size() == 2 && !model.is_sparse() && std::isnan(model.nu)),
            "mistakes are counted for two classes, without a penalty");
    const std::optional<Loss> loss = model.is_joint() || model.counts_mistakes()
                                         ? Loss(LogisticLoss{})
                                         : loss_by_name(model.loss, model.epsilon);
    if (!loss) {
        throw InvalidArgument(fmt::format("model: there is no loss '{}'", model.loss));
    }
    require(std::isnan(model.nu) || (model.nu > 0.0 && std::isfinite(model.nu) &&
                                     (model.loss == name_of(Loss(HingeLoss{})) ||
                                      model.loss == name_of(Loss(EpsilonInsensitiveLoss{})))),
            "nu must be > 0 and belongs to the hinge and epsilon losses");
    for (const Certificate& certificate : model.certificates) {
        require(std::isnan(model.nu) || std::isfinite(certificate.width),
                "a nu-machine's certificate must have a finite width");
    }
    require(!is_classification(*loss) || model.labels.size() >= 2 || model.is_ranking(),
            "its loss is one of classification and needs two labels");
    require(model.has_intercept || std::all_of(model.intercepts.begin(), model.intercepts.end(),
                                               [](double b) { return b == 0.0; }),
            "it has no intercept, so that the stored one must be 0");
}

/// Support row j is the unit row of column support_rows[j].
void require_unit_rows(const Model& model) {
    require(model.kernel.type() == KernelType::linear && model.multiclass.empty() &&
                model.outputs() == 1,
            "weights of columns belong to the linear kernel and one output");
    if (model.support.rows() == 0) {
        return;
    }
    const auto* rows = std::get_if<CsrView>(&model.support.storage());
    require(rows != nullptr && model.support.stored() == model.support.rows(),
            "weights of columns are stored by unit rows");
    for (index_t j = 0; j < model.support.rows(); ++j) {
        const std::span<const double> values = rows->row_values(j);
        require(values.size() == 1 && values[0] == 1.0 &&
                    rows->column(j, rows->offsets[static_cast<std::size_t>(j)]) ==
                        model.support_rows[static_cast<std::size_t>(j)],
                "a support row is not the unit row of its column");
    }
}

void require_penalty(const Model& model) {
    require(model.penalty == kRkhs || model.penalty == kL1 || model.penalty == kL1AndRkhs ||
                model.penalty == kBasis,
            "the penalty is an unknown one");
    require(model.penalty != kBasis || model.l1 == 0.0, "a basis has no weight");
    if (!model.is_sparse()) {
        require(model.l1 == 0.0, "without a penalty on the coefficients it has no weight");
        require(!model.on_columns && model.row_multipliers.empty(),
                "weights of columns and multipliers of rows belong to penalties on coefficients");
        return;
    }
    require(
        std::isfinite(model.l1) && (model.l1 > 0.0 || (model.l1 == 0.0 && model.penalty != kL1)),
        "the weight of the penalty on the coefficients must be finite and > 0");
    const bool hinge = model.loss == name_of(Loss(HingeLoss{})) && model.penalty == kL1;
    require(!model.is_joint() && std::isnan(model.nu) && std::isfinite(model.cost) &&
                (hinge || has_slope(loss_by_name(model.loss, model.epsilon).value())),
            "a penalty on the coefficients needs a finite cost and a loss with a slope everywhere");
    const std::optional<index_t> places = try_multiply(model.problems(), model.fingerprint.rows);
    require(hinge ? places && *places == static_cast<index_t>(model.row_multipliers.size())
                  : model.row_multipliers.empty(),
            "the hinge beside a penalty on the coefficients has a multiplier for each row, others "
            "have none");
    require_finite(model.row_multipliers, "multiplier");
    if (model.on_columns) {
        require_unit_rows(model);
    }
}

void require_comparisons(const Model& model) {
    const ComparedPlaces& pairs = model.compared;
    if (!model.is_comparison()) {
        require(model.thresholds.empty() && pairs.uppers.empty() && pairs.lowers.empty() &&
                    pairs.multipliers.empty(),
                "thresholds and comparisons belong to the machines ordinal and rank");
        return;
    }
    require(model.loss == name_of(Loss(HingeLoss{})) && std::isnan(model.nu) &&
                !model.is_sparse() && !model.has_intercept,
            "a machine of comparisons has the hinge loss and no intercept");
    require(!model.is_ranking() || model.labels.empty(), "a ranking has no labels");
    require(model.thresholds.size() == (model.is_ordinal() ? model.labels.size() - 1 : 0),
            "an ordinal machine has a threshold between any two labels");
    require_finite(model.thresholds, "threshold");
    require(std::is_sorted(model.thresholds.begin(), model.thresholds.end()),
            "the thresholds must not descend");
    require(pairs.uppers.size() == pairs.multipliers.size() &&
                pairs.lowers.size() == pairs.multipliers.size(),
            "every comparison has two places and a multiplier");
    const index_t places = model.fingerprint.rows + static_cast<index_t>(model.thresholds.size());
    for (std::size_t e = 0; e < pairs.multipliers.size(); ++e) {
        const std::pair now{pairs.uppers[e], pairs.lowers[e]};
        require(now.first >= 0 && now.first < places && now.second >= 0 && now.second < places,
                "a comparison is of places that do not exist");
        require(e == 0 || std::pair(pairs.uppers[e - 1], pairs.lowers[e - 1]) < now,
                "the comparisons must ascend");
        require(std::isfinite(pairs.multipliers[e]) && pairs.multipliers[e] > 0.0,
                "the multipliers of the comparisons must be finite and > 0");
    }
}

void require_scaling(const Scaling& scaling, index_t columns) {
    require(scaling.method == "none" || scaling.method == "standard" || scaling.method == "minmax",
            "the scaling has an unknown method");
    require(scaling.column_count == columns, "the scaling and the model differ in columns");
    require(scaling.offset.size() == scaling.factor.size(),
            "the scaling's offsets and factors differ in number");
    const auto entries = static_cast<index_t>(scaling.factor.size());
    require(scaling.columns.empty() ? entries == 0 || entries == columns
                                    : static_cast<index_t>(scaling.columns.size()) == entries,
            "the scaling's columns and factors differ in number");
    require_indices(scaling.columns, columns, "columns of the scaling");
    require_finite(scaling.offset, "offset");
    require_finite(scaling.factor, "factor");
    require_finite({&scaling.base, 1}, "base of the scaling");
}

/// The greater of two numbers, NaN if either is NaN.
double greater(double a, double b) { return std::isnan(a) || a >= b ? a : b; }

/// Row numbers ascend; for ovo they ascend within each class, and no row belongs to two classes.
void require_support_rows(const Model& model) {
    const std::span<const index_t> rows = model.support_rows;
    if (model.multiclass != "ovo") {
        require(model.class_support.empty(), "support rows are counted by class with ovo only");
        require_indices(rows, model.on_columns ? model.columns : model.fingerprint.rows,
                        "support rows");
        return;
    }
    require(model.class_support.size() == model.labels.size(),
            "support rows must be counted for every class");
    std::size_t begin = 0;
    for (const index_t count : model.class_support) {
        require(count >= 0 && static_cast<std::size_t>(count) <= rows.size() - begin,
                "the classes have more support rows than there are");
        require_indices(rows.subspan(begin, static_cast<std::size_t>(count)),
                        model.fingerprint.rows, "support rows");
        begin += static_cast<std::size_t>(count);
    }
    require(begin == rows.size(), "some support rows belong to no class");
    std::vector<index_t> sorted(rows.begin(), rows.end());
    std::sort(sorted.begin(), sorted.end());
    require(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(),
            "a support row belongs to two classes");
}

void require_link(const Model& model) {
    const Link& link = model.link;
    const auto outputs = static_cast<std::size_t>(model.outputs());
    if (link.empty()) {
        require(!model.is_joint(), "a joint problem of many classes has the softmax link");
        require(link.a.empty() && link.b.empty(), "numbers of a link without its kind");
        return;
    }
    require((link.kind == kSoftmax) == model.is_joint(),
            "the softmax link and the joint problem of many classes belong together");
    if (model.is_joint()) {
        require(link.a.empty() && link.b.empty(), "a softmax link has no numbers");
        return;
    }
    require_finite(link.a, "link parameter a");
    require_finite(link.b, "link parameter b");
    if (link.kind == "sigmoid") {
        require(!model.labels.empty(), "a sigmoid link needs classes");
        require(link.a.size() == outputs && link.b.size() == outputs,
                "a sigmoid link has two numbers per output");
        return;
    }
    if (link.kind == "density") {
        require(model.machine == kOneClass, "a density link belongs to a one-class machine");
        require(static_cast<index_t>(link.a.size()) == kDensityMarks && link.b.empty(),
                "a density link has ten marks");
        require(std::is_sorted(link.a.begin(), link.a.end()),
                "the marks of a density link must not descend");
        return;
    }
    require(link.kind == "laplace", "the link is of an unknown kind");
    require(model.labels.empty(), "a laplace link needs numbers for targets");
    require(link.a.size() == outputs && link.b.empty(), "a laplace link has a number per output");
    require(std::all_of(link.a.begin(), link.a.end(), [](double scale) { return scale >= 0.0; }),
            "the scale of a laplace link must be >= 0");
}

}  // namespace

bool Provenance::counts_mistakes() const noexcept { return loss == DisagreementLoss::kName; }

Certificate total_certificate(const std::vector<Certificate>& certificates) {
    if (certificates.size() == 1) {
        return certificates.front();
    }
    Certificate total{.primal = 0.0,
                      .dual = 0.0,
                      .gap = 0.0,
                      .kkt_violation = 0.0,
                      .dual_infeasibility = 0.0,
                      .squared_norm = 0.0};
    for (const Certificate& part : certificates) {
        total.primal += part.primal;
        total.dual += part.dual;
        total.gap += part.gap;
        total.squared_norm += part.squared_norm;
        total.kkt_violation = greater(total.kkt_violation, part.kkt_violation);
        total.dual_infeasibility = greater(total.dual_infeasibility, part.dual_infeasibility);
        total.exact = total.exact && part.exact;
    }
    return total;
}

std::vector<double> coefficients_by_output(const PredictionRule& rule) {
    if (rule.multiclass != "ovo") {
        return rule.coefficients;
    }
    const auto classes = static_cast<index_t>(rule.labels.size());
    std::vector<double> out(
        static_cast<std::size_t>(checked_multiply(rule.support.rows(), rule.outputs())), 0.0);
    index_t row = 0;
    for (index_t own = 0; own < classes; ++own) {
        for (index_t n = 0; n < rule.class_support[static_cast<std::size_t>(own)]; ++n, ++row) {
            for (index_t t = 0; t < classes - 1; ++t) {
                const index_t pair = pair_place(own, class_against(own, t), classes);
                out[static_cast<std::size_t>(row * rule.outputs() + pair)] =
                    rule.coefficients[static_cast<std::size_t>(row * (classes - 1) + t)];
            }
        }
    }
    return out;
}

void require_consistent(const Model& model) {
    require(!model.machine.empty(), "it is not trained");
    require_sizes(model);
    require_names(model);
    require_labels(model);
    require_problem(model);
    require_penalty(model);
    require_comparisons(model);
    require(model.kernel.is_resolved(), "its kernel still waits for the data");
    require_columns(model.kernel, model.columns);
    require(model.fingerprint.rows >= 0 && model.fingerprint.columns == model.columns,
            "the fingerprint and the model differ in columns");
    require(!is_precomputed(model.kernel) || model.fingerprint.rows == model.columns,
            "precomputed values have a column for each training row");
    require_support_rows(model);
    require_link(model);
    require_finite(model.coefficients, "coefficient");
    require_finite(model.intercepts, "intercept");
    require(model.iterations >= 0, "the number of iterations is negative");
    for (const Certificate& certificate : model.certificates) {
        require(certificate.worst_sample >= -1 && certificate.worst_sample < model.fingerprint.rows,
                "a certificate's worst sample is no row of the training data");
    }
    if (model.scaling) {
        require_scaling(*model.scaling, model.columns);
    }
}

}  // namespace mercer
