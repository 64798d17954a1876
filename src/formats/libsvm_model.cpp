// SPDX-License-Identifier: Apache-2.0
//
// src/formats/libsvm_model.cpp - conversion between LIBSVM's representation and a Model.
//
// Two classes: a Model's f >= 0 means the second label, LIBSVM's f > 0 the first. So f changes its
// sign, and a tie goes to the second label in both. For pairs of more classes the conventions
// agree.
#include "mercer/formats/libsvm_model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <span>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/serial_lookup.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/models/class_pairs.hpp"

namespace mercer {

namespace {

void require(bool holds, const char* message) {
    if (!holds) {
        throw InvalidArgument(std::string("LIBSVM model: ") + message);
    }
}

bool all_finite(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(),
                       [](double value) { return std::isfinite(value); });
}

Kernel kernel_of(const LibsvmModel& model) {
    if (model.kernel_type == "linear") {
        return linear_kernel();
    }
    if (model.kernel_type == "rbf") {
        return rbf_kernel(model.gamma);
    }
    if (model.kernel_type == "polynomial") {
        return poly_kernel(model.degree, model.coef0, model.gamma);
    }
    if (model.kernel_type == "precomputed") {
        return serial_lookup_kernel();
    }
    require(model.kernel_type == "sigmoid", "the kernel is unknown");
    return make_kernel({.type = KernelType::sigmoid, .parameters = {model.gamma, model.coef0}});
}

void set_kernel(const Kernel& kernel, LibsvmModel& out) {
    if (is_serial_lookup(kernel) || kernel.type() == KernelType::precomputed) {
        out.kernel_type = "precomputed";
        return;
    }
    const std::vector<double>& parameters = kernel.node().parameters;
    switch (kernel.type()) {
        case KernelType::linear:
            out.kernel_type = "linear";
            return;
        case KernelType::rbf:
            out.kernel_type = "rbf";
            out.gamma = parameters[0];
            return;
        case KernelType::poly:
            out.kernel_type = "polynomial";
            out.degree = parameters[0];
            out.coef0 = parameters[1];
            out.gamma = parameters[2];
            return;
        case KernelType::monomial:
            out.kernel_type = "polynomial";
            out.degree = parameters[0];
            out.coef0 = 0.0;
            out.gamma = 1.0;
            return;
        case KernelType::constant:
            if (parameters[0] != 1.0) {
                break;
            }
            out.kernel_type = "polynomial";
            out.degree = 0.0;
            out.coef0 = 0.0;
            out.gamma = 1.0;
            return;
        case KernelType::sigmoid:
            out.kernel_type = "sigmoid";
            out.gamma = parameters[0];
            out.coef0 = parameters[1];
            return;
        default:
            break;
    }
    throw InvalidArgument(
        fmt::format("kernel: a LIBSVM model holds linear, poly, rbf or sigmoid, this one is {}",
                    to_string(kernel)));
}

std::int32_t label_number(const std::string& label) {
    std::int32_t number = 0;
    const char* first = label.data() + (label.starts_with('+') ? 1 : 0);
    const char* last = label.data() + label.size();
    const auto parsed = std::from_chars(first, last, number);
    if (parsed.ec != std::errc() || parsed.ptr != last) {
        throw InvalidArgument(fmt::format(
            "label: a LIBSVM model holds integers of 32 bits, this one has '{}'", label));
    }
    return number;
}

/// Indices of the model's support rows in the order of LIBSVM's file: grouped by class.
std::vector<index_t> two_class_order(const Model& model) {
    std::vector<index_t> order;
    for (const bool second : {false, true}) {
        for (std::size_t i = 0; i < model.coefficients.size(); ++i) {
            if ((model.coefficients[i] > 0.0) == second) {
                order.push_back(static_cast<index_t>(i));
            }
        }
    }
    return order;
}

void set_two_classes(const Model& model, LibsvmModel& out) {
    const std::vector<index_t> order = two_class_order(model);
    out.support = model.support.select(order);
    for (const index_t i : order) {
        out.coefficients.push_back(-model.coefficients[static_cast<std::size_t>(i)]);
        out.support_rows.push_back(model.support_rows[static_cast<std::size_t>(i)]);
    }
    const auto second = std::count_if(model.coefficients.begin(), model.coefficients.end(),
                                      [](double value) { return value > 0.0; });
    out.class_support = {static_cast<index_t>(model.coefficients.size()) - second, second};
    out.rho = {model.intercepts[0]};
    if (model.link.kind == "sigmoid") {
        out.prob_a = {model.link.a[0]};
        out.prob_b = {-model.link.b[0]};
    }
}

void set_many(const Model& model, LibsvmModel& out) {
    out.support = model.support;
    out.coefficients = model.coefficients;
    out.class_support = model.class_support;
    out.support_rows = model.support_rows;
    for (const double b : model.intercepts) {
        out.rho.push_back(-b);
    }
    if (model.link.kind == "density") {
        out.density_marks = model.link.a;
    } else {
        out.prob_a = model.link.a;
        out.prob_b = model.link.b;
    }
}

/// A row of precomputed kernel values starts with its number.
void require_numbers(const Dataset& support) {
    std::vector<double> row(static_cast<std::size_t>(support.columns()));
    for (index_t i = 0; i < support.rows(); ++i) {
        support.copy_row(i, row);
        require(
            !row.empty() && row[0] >= 1.0 && row[0] <= 2147483647.0 && row[0] == std::trunc(row[0]),
            "a row of precomputed kernel values begins with its number, from 1");
    }
}

/// Identifies support rows of precomputed kernel values as LIBSVM does: by their number, from 1.
Model with_serials(const Model& model) {
    struct Rows {
        std::vector<index_t> offsets{0};
        std::vector<double> values;
    };
    const auto rows = std::make_shared<Rows>();
    for (const index_t row : model.support_rows) {
        rows->values.push_back(static_cast<double>(row + 1));
        rows->offsets.push_back(static_cast<index_t>(rows->values.size()));
    }
    Model out = model;
    out.kernel = serial_lookup_kernel();
    out.support = Dataset::from_checked(CsrView{rows->offsets, {}, rows->values, 1}, rows, nullptr);
    out.columns = 1;
    out.fingerprint.columns = 1;
    return out;
}

/// LIBSVM divides a nu-SVC by its margin, so that the planes are f = -1 and +1. Without a positive
/// margin the values are left unchanged.
void divide_by_margins(const Model& model, LibsvmModel& out) {
    const auto width = static_cast<std::size_t>(out.classes - 1);
    std::vector<std::size_t> own;  // class of each row
    for (std::size_t c = 0; c < out.class_support.size(); ++c) {
        own.insert(own.end(), static_cast<std::size_t>(out.class_support[c]), c);
    }
    for (std::size_t t = 0; t < out.rho.size(); ++t) {
        const double margin = model.certificates[t].width;
        if (!(margin > 0.0) || !std::isfinite(1.0 / margin)) {
            continue;
        }
        const ClassPair pair = pair_at(static_cast<index_t>(t), out.classes);
        for (std::size_t j = 0; j < own.size(); ++j) {
            const auto row = static_cast<index_t>(own[j]);
            if (row == pair.first || row == pair.second) {
                const index_t other = row == pair.first ? pair.second : pair.first;
                out.coefficients[j * width +
                                 static_cast<std::size_t>(column_against(row, other))] /= margin;
            }
        }
        out.rho[t] /= margin;
        if (!out.prob_a.empty()) {
            out.prob_a[t] *= margin;
        }
    }
}

std::string machine_of(const std::string& svm_type) {
    if (svm_type == "c_svc") {
        return "svc";
    }
    if (svm_type == "nu_svc") {
        return "nu-svc";
    }
    if (svm_type == "one_class") {
        return "one-class";
    }
    return svm_type == "epsilon_svr" ? "svr" : "nu-svr";
}

std::string type_of(const Model& model) {
    if (model.machine == kOneClass) {
        return "one_class";
    }
    if (!model.labels.empty()) {
        return model.machine == "nu-svc" ? "nu_svc" : "c_svc";
    }
    return model.machine == "nu-svr" ? "nu_svr" : "epsilon_svr";
}

/// Checks labels, rows and probabilities of a classifier.
void require_classes(const LibsvmModel& model) {
    const index_t rows = model.support.rows();
    require(static_cast<index_t>(model.labels.size()) == model.classes &&
                static_cast<index_t>(model.class_support.size()) == model.classes,
            "there must be a label and a count of rows for each class");
    index_t sum = 0;
    for (const index_t count : model.class_support) {
        require(count >= 0 && count <= rows - sum, "the classes' rows are too many");
        sum += count;
    }
    require(sum == rows, "the classes' rows are too few");
    require(model.prob_a.size() == model.prob_b.size() &&
                (model.prob_a.empty() || model.prob_a.size() == model.rho.size()),
            "probA and probB must have one number per pair");
}

void require_no_classes(const LibsvmModel& model) {
    require(model.labels.empty() && model.class_support.empty() && model.classes == 2,
            "it has no classes");
    require(model.prob_a.size() <= 1 && model.prob_b.empty(),
            "a regression has one number in probA");
    require(model.prob_a.empty() || model.svm_type != "one_class",
            "a one-class machine has no probA");
    require(model.prob_a.empty() || model.prob_a.front() >= 0.0,
            "probA of a regression must be >= 0");
}

/// Sets intercepts and coefficients. With two classes f > 0 means the first class for LIBSVM and
/// the second for Mercer.
void set_decisions(const LibsvmModel& in, Model& model) {
    const bool two = in.is_classifier() && in.classes == 2;
    for (const double rho : in.rho) {
        model.intercepts.push_back(two ? rho : -rho);
    }
    model.coefficients = in.coefficients;
    if (two) {
        for (double& value : model.coefficients) {
            value = -value;
        }
    } else if (in.is_classifier()) {
        model.multiclass = "ovo";
        model.class_support = in.class_support;
    }
}

Link link_of(const LibsvmModel& in) {
    Link link;
    if (!in.prob_a.empty()) {
        link.kind = in.is_classifier() ? "sigmoid" : "laplace";
        link.a = in.prob_a;
        link.b = in.prob_b;
        if (in.is_classifier() && in.classes == 2) {
            link.b[0] = -link.b[0];
        }
    }
    if (!in.density_marks.empty()) {
        link = {"density", in.density_marks, {}};
    }
    return link;
}

/// Throws InvalidArgument if the model has a part that LIBSVM's format cannot represent.
void require_representable(const Model& model) {
    if (model.scaling) {
        throw InvalidArgument(
            "scaling: a LIBSVM model cannot hold one; scale the data beforehand (mercer data "
            "scale) and train without --scale");
    }
    if (model.is_comparison()) {
        throw InvalidArgument(
            fmt::format("model: a LIBSVM model cannot hold the machine {}", model.machine));
    }
    if (model.multiclass == "ovr" || model.is_joint()) {
        throw InvalidArgument(
            fmt::format("multiclass: LIBSVM decides by pairs, this model is {}", model.multiclass));
    }
    if (model.labels.empty() && model.outputs() != 1) {
        throw InvalidArgument("outputs: a LIBSVM regression has one, this model has several");
    }
}

}  // namespace

void require_consistent(const LibsvmModel& model) {
    const index_t rows = model.support.rows();
    require(model.classes >= 2 && model.classes <= kMostClasses, "the number of classes");
    require(static_cast<index_t>(model.rho.size()) == pair_count(model.classes),
            "there must be one rho per pair of classes");
    require(static_cast<index_t>(model.coefficients.size()) ==
                checked_multiply(rows, model.classes - 1),
            "there must be a coefficient for each row and other class");
    require(all_finite(model.rho) && all_finite(model.coefficients) && all_finite(model.prob_a) &&
                all_finite(model.prob_b) && std::isfinite(model.gamma) &&
                std::isfinite(model.coef0),
            "every number must be finite");
    if (model.is_classifier()) {
        require_classes(model);
    } else {
        require_no_classes(model);
    }
    if (!model.density_marks.empty()) {
        require(model.svm_type == "one_class" &&
                    static_cast<index_t>(model.density_marks.size()) == kDensityMarks,
                "a one-class machine has ten density marks, others have none");
        require(all_finite(model.density_marks) &&
                    std::is_sorted(model.density_marks.begin(), model.density_marks.end()),
                "density marks must be finite and not descend");
    }
    if (model.kernel_type == "precomputed") {
        require_numbers(model.support);
    }
    static_cast<void>(kernel_of(model));
}

Model from_libsvm(const LibsvmModel& in) {
    require_consistent(in);
    Model model;
    model.machine = machine_of(in.svm_type);
    model.kernel = kernel_of(in);
    model.support = in.support;
    model.columns = in.support.columns();
    for (index_t i = 0; i < in.support.rows(); ++i) {
        model.support_rows.push_back(i);
    }
    set_decisions(in, model);
    model.link = link_of(in);
    model.loss =
        in.is_classifier() ? name_of(Loss(HingeLoss{})) : name_of(Loss(EpsilonInsensitiveLoss{}));
    model.cost = kNaN;
    for (const std::int32_t label : in.labels) {
        model.labels.push_back(fmt::format("{}", label));
    }
    if (model.machine == kOneClass) {
        model.labels = {"-1", "1"};
        model.loss = name_of(Loss(HingeLoss{}));
    }
    Certificate none;
    none.exact = false;
    model.certificates.assign(model.intercepts.size(), none);
    model.status = kImported;
    model.solver = kImported;
    model.fingerprint = {in.support.rows(), model.columns, 0};
    require_consistent(model);
    return model;
}

LibsvmModel to_libsvm(const Model& model) {
    require_consistent(model);
    if (model.kernel.type() == KernelType::precomputed && model.columns != 1) {
        return to_libsvm(with_serials(model));
    }
    require_representable(model);
    LibsvmModel out;
    out.svm_type = type_of(model);
    set_kernel(model.kernel, out);
    const bool one_class = model.machine == kOneClass;
    if (!one_class) {
        for (const std::string& label : model.labels) {
            out.labels.push_back(label_number(label));
        }
    }
    out.classes = std::max<index_t>(2, static_cast<index_t>(model.labels.size()));
    if (model.labels.size() == 2 && !one_class) {
        set_two_classes(model, out);
    } else {
        set_many(model, out);
    }
    if (out.svm_type == "nu_svc") {
        divide_by_margins(model, out);
    }
    require_consistent(out);
    return out;
}

Model widened(Model model, index_t columns) {
    if (columns <= model.columns) {
        return model;
    }
    if (model.scaling || !model.support.is_sparse()) {
        throw InvalidArgument(
            fmt::format("columns: got {}, the model was trained on {}", columns, model.columns));
    }
    auto owner = std::make_shared<Dataset>(model.support);
    CsrView view = std::get<CsrView>(owner->storage());
    view.column_count = columns;
    model.support = Dataset::from_checked(view, owner, owner->budget());
    model.columns = columns;
    model.fingerprint.columns = columns;
    return model;
}

}  // namespace mercer
