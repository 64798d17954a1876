// SPDX-License-Identifier: Apache-2.0
//
// src/fit/libsvm.cpp - conversion from LIBSVM's conventions to ours.
#include "mercer/fit/libsvm.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "mercer/base/error.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/serial_lookup.hpp"
#include "mercer/models/class_pairs.hpp"

namespace mercer {

namespace {

constexpr std::array<const char*, 5> kSvmTypes = {"c_svc", "nu_svc", "one_class", "epsilon_svr",
                                                  "nu_svr"};
constexpr std::array kMachines = {MachineId::svc, MachineId::nu_svc, MachineId::one_class,
                                  MachineId::svr, MachineId::nu_svr};
constexpr std::array<const char*, 5> kKernelTypes = {"linear", "polynomial", "rbf", "sigmoid",
                                                     "precomputed"};

const char* nth(const std::array<const char*, 5>& names, int place) noexcept {
    return place >= 0 && place < 5 ? names[static_cast<std::size_t>(place)] : "";
}

Kernel kernel_of(const LibsvmParameters& p) {
    switch (p.kernel.type) {
        case 0:
            return linear_kernel();
        case 1:
            return poly_kernel(p.kernel.degree, p.kernel.coef0, p.kernel.gamma);
        case 2:
            return rbf_kernel(p.kernel.gamma);
        case 3:
            return make_kernel(
                {.type = KernelType::sigmoid, .parameters = {p.kernel.gamma, p.kernel.coef0}});
        default:
            return serial_lookup_kernel();
    }
}

bool positive(double value) noexcept { return std::isfinite(value) && value > 0.0; }

const char* kernel_fault(const LibsvmParameters& p) noexcept {
    if (*kernel_type_name(p.kernel.type) == '\0') {
        return "unknown kernel type";
    }
    if (p.kernel.type == 1 && p.kernel.degree < 0) {
        return "degree of polynomial kernel < 0";
    }
    if (p.kernel.type >= 1 && p.kernel.type <= 3 && !positive(p.kernel.gamma)) {
        return "gamma is not finite and > 0";
    }
    if ((p.kernel.type == 1 || p.kernel.type == 3) && !std::isfinite(p.kernel.coef0)) {
        return "coef0 is not finite";
    }
    return nullptr;
}

/// The dual objective that LIBSVM minimises, from the certificate of 1/2 |f|^2 + C sum of losses.
double libsvm_objective(const Certificate& certificate) { return -certificate.dual; }

/// True if the two classes of pair t have equal weights.
bool weighs_alike(const Model& model, std::size_t t) {
    const auto weight = [&](index_t c) {
        const auto found = model.class_weights.find(model.labels[static_cast<std::size_t>(c)]);
        return found == model.class_weights.end() ? 1.0 : found->second;
    };
    const ClassPair pair =
        pair_at(static_cast<index_t>(t), static_cast<index_t>(model.labels.size()));
    return weight(pair.first) == weight(pair.second);
}

}  // namespace

const char* svm_type_name(int svm_type) noexcept { return nth(kSvmTypes, svm_type); }
const char* kernel_type_name(int kernel_type) noexcept { return nth(kKernelTypes, kernel_type); }

const char* parameter_fault(const LibsvmParameters& p) noexcept {
    if (*svm_type_name(p.svm_type) == '\0') {
        return "unknown svm type";
    }
    if (const char* fault = kernel_fault(p); fault != nullptr) {
        return fault;
    }
    if (!positive(p.cache_megabytes)) {
        return "cache_size is not finite and > 0";
    }
    if (!positive(p.tolerance)) {
        return "eps is not finite and > 0";
    }
    if ((p.svm_type == 0 || p.svm_type >= 3) && !positive(p.cost)) {
        return "C is not finite and > 0";
    }
    if ((p.svm_type == 1 || p.svm_type == 2 || p.svm_type == 4) &&
        !(positive(p.nu) && p.nu <= 1.0)) {
        return "nu is not > 0 and <= 1";
    }
    if (p.svm_type == 3 && !(std::isfinite(p.tube) && p.tube >= 0.0)) {
        return "p is not finite and >= 0";
    }
    if (p.shrinking != 0 && p.shrinking != 1) {
        return "shrinking is not 0 or 1";
    }
    if (p.probability != 0 && p.probability != 1) {
        return "probability is not 0 or 1";
    }
    for (const auto& [label, weight] : p.class_weights) {
        if (!positive(weight)) {
            return "a class weight is not finite and > 0";
        }
    }
    return nullptr;
}

TrainOptions train_options(const LibsvmParameters& p) {
    if (const char* fault = parameter_fault(p); fault != nullptr) {
        throw InvalidArgument(fault);
    }
    TrainOptions options;
    options.model = machine_of(kMachines[static_cast<std::size_t>(p.svm_type)]).name;
    require_choice("model", options.model, machine_names());
    options.kernel = kernel_of(p);
    options.allow_indefinite = true;  // LIBSVM accepts any kernel; the certificate is then void
    if (p.svm_type == 0 || p.svm_type >= 3) {
        options.objective.cost = p.cost;
    }
    if (p.svm_type == 1 || p.svm_type == 2 || p.svm_type == 4) {
        options.objective.nu = p.nu;
    }
    if (p.svm_type == 3) {
        options.objective.epsilon = p.tube;
    }
    options.run.tolerance = p.tolerance;
    options.outputs.probability = p.probability == 1;
    constexpr double kMegabyte = 1048576.0;
    constexpr double kLargestCache = 0x1.0p50;
    options.run.cache_bytes =
        static_cast<index_t>(std::clamp(p.cache_megabytes * kMegabyte, 1.0, kLargestCache));
    if (p.svm_type == 0) {
        for (const auto& [label, weight] : p.class_weights) {
            options.objective.class_weights[fmt::format("{}", label)] = weight;
        }
    }
    return options;
}

std::vector<std::string> drop_unknown_classes(const Dataset& data, TrainOptions& options) {
    std::vector<std::string> warnings;
    std::erase_if(options.objective.class_weights, [&](const auto& entry) {
        const bool known = std::find(data.label_names.begin(), data.label_names.end(),
                                     entry.first) != data.label_names.end();
        if (!known) {
            warnings.push_back(fmt::format(
                "WARNING: class label {} specified in weight is not found", entry.first));
        }
        return !known;
    });
    return warnings;
}

Dataset libsvm_classes(Dataset data) {
    constexpr double kLeast = std::numeric_limits<std::int32_t>::min();
    constexpr double kMost = std::numeric_limits<std::int32_t>::max();
    std::map<double, std::size_t> places;
    std::vector<double> labels;
    for (std::size_t i = 0; i < data.targets.size(); ++i) {
        const double label = data.targets[i] + 0.0;  // -0 is 0
        if (!(label >= kLeast && label <= kMost) || label != std::trunc(label)) {
            throw InvalidArgument(
                "label", "",
                fmt::format("row {} has {}, must be an integer of 32 bits", i + 1, label));
        }
        if (places.emplace(label, labels.size()).second) {
            labels.push_back(label);
        }
    }
    if (labels.size() == 2 && labels[0] == -1.0 && labels[1] == 1.0) {
        std::swap(labels[0], labels[1]);
        places[1.0] = 0;
        places[-1.0] = 1;
    }
    for (double& target : data.targets) {
        target = static_cast<double>(places[target + 0.0]);
    }
    data.label_names.clear();
    for (const double label : labels) {
        data.label_names.push_back(label_text(label));
    }
    return data;
}

void require_serials(const Dataset& rows) {
    std::vector<double> row(static_cast<std::size_t>(rows.columns()));
    std::vector<bool> seen(row.size(), false);
    for (index_t i = 0; i < rows.rows(); ++i) {
        rows.copy_row(i, row);
        const double serial = row.empty() ? 0.0 : row[0];
        if (!(serial >= 1.0 && serial < static_cast<double>(row.size())) ||
            serial != std::trunc(serial) || seen[static_cast<std::size_t>(serial)]) {
            throw InvalidArgument(fmt::format(
                "row {}: it must begin with 0:number, a number of its own from 1 to {}; got {}",
                i + 1, rows.columns() - 1, serial));
        }
        seen[static_cast<std::size_t>(serial)] = true;
    }
}

std::string training_lines(const TrainResult& result, const LibsvmParameters& parameters) {
    const Model& model = result.model;
    const bool two = parameters.is_classifier() && model.labels.size() == 2;
    std::string text;
    std::vector<OutputSummary> parts = result.outputs;
    if (parts.empty()) {
        parts.push_back({.iterations = model.iterations,
                         .support = model.support.rows(),
                         .bounded = result.bounded_support});
    }
    for (std::size_t t = 0; t < parts.size(); ++t) {
        const OutputSummary& part = parts[t];
        text += fmt::format("*\noptimization finished, #iter = {}\n", part.iterations);
        if (parameters.svm_type == 3 || (parameters.svm_type == 0 && weighs_alike(model, t))) {
            text += fmt::format("nu = {:.6f}\n", part.absolute_sum / part.total_cost);
        }
        if (parameters.svm_type == 4) {
            text += fmt::format("epsilon = {:.6f}\n", model.certificates[t].width);
        }
        // For two classes f has the opposite sign of LIBSVM's, see formats/libsvm_model.cpp.
        double rho = two ? model.intercepts[t] : -model.intercepts[t];
        double objective = libsvm_objective(model.certificates[t]);
        const double margin = model.certificates[t].width;
        if (parameters.svm_type == 1 && margin > 0.0) {  // LIBSVM divides by it
            text += fmt::format("C = {:.6f}\n", 1.0 / margin);
            rho /= margin;
            objective /= margin * margin;
        }
        text += fmt::format("obj = {:.6f}, rho = {:.6f}\nnSV = {}, nBSV = {}\n", objective, rho,
                            part.support, part.bounded);
    }
    return parameters.is_classifier() ? text + fmt::format("Total nSV = {}\n", model.support.rows())
                                      : text;
}

fit::FoldListener FoldLines::listener() {
    return [this](index_t fold, const TrainResult& result) {
        lines_[static_cast<std::size_t>(fold)] = training_lines(result, parameters_);
    };
}

std::string FoldLines::text() const {
    return std::accumulate(lines_.begin(), lines_.end(), std::string());
}

}  // namespace mercer
