// SPDX-License-Identifier: Apache-2.0
//
// capi/convert.cpp - copies between the structs of svm.h and Mercer's types.
//
// Memory that a C program frees comes from malloc, as in LIBSVM.
#include "convert.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/entries.hpp"

namespace mercer::capi {

namespace {

struct Rows {
    std::vector<index_t> offsets{0};
    std::vector<index_t> columns;
    std::vector<double> values;
    index_t column_count = 0;
    int first = 1;  ///< the smallest index

    void append(const svm_node* node, index_t number) {
        if (node == nullptr) {
            throw InvalidArgument(fmt::format("row {}: is null", number));
        }
        index_t previous = first - 1;
        for (; node->index != -1; ++node) {
            if (node->index <= previous) {
                throw InvalidArgument(
                    fmt::format("row {}: index {} after {}: indices must ascend from {}", number,
                                node->index, previous, first));
            }
            if (!std::isfinite(node->value)) {
                throw InvalidArgument(
                    fmt::format("row {}: index {} has the value {}, must be "
                                "finite",
                                number, node->index, node->value));
            }
            previous = node->index;
            columns.push_back(previous - first);
            values.push_back(node->value);
        }
        column_count = std::max(column_count, previous - first + 1);
        offsets.push_back(static_cast<index_t>(values.size()));
    }
};

Dataset dataset_of(std::shared_ptr<Rows> rows) {
    const CsrView view{rows->offsets, rows->columns, rows->values, rows->column_count};
    return Dataset::from_checked(view, rows, nullptr);
}

template <typename T>
T* allocate(std::size_t count) {
    void* block = std::calloc(std::max<std::size_t>(1, count), sizeof(T));
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    return static_cast<T*>(block);
}

template <typename T, typename U>
T* copied(const std::vector<U>& values) {
    if (values.empty()) {
        return nullptr;
    }
    T* out = allocate<T>(values.size());
    std::transform(values.begin(), values.end(), out,
                   [](U value) { return static_cast<T>(value); });
    return out;
}

struct Freed {
    void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
};
using OwnedModel = std::unique_ptr<svm_model, Freed>;

/// Everything except the rows.
OwnedModel new_skeleton(const LibsvmModel& in) {
    constexpr index_t kMost = std::numeric_limits<int>::max();
    if (in.support.rows() >= kMost) {
        throw InvalidArgument("support rows: more than an int can count");
    }
    OwnedModel model(allocate<svm_model>(1));
    model->param.svm_type = svm_type_of(in.svm_type);
    model->param.kernel_type = kernel_type_of(in.kernel_type);
    model->param.degree = static_cast<int>(in.degree);
    model->param.gamma = in.gamma;
    model->param.coef0 = in.coef0;
    model->nr_class = static_cast<int>(in.classes);
    model->l = static_cast<int>(in.support.rows());
    model->rho = copied<double>(in.rho);
    // LIBSVM 3.24 has no field for density marks; a one-class model does not use probA otherwise.
    model->probA = copied<double>(in.density_marks.empty() ? in.prob_a : in.density_marks);
    model->probB = copied<double>(in.prob_b);
    model->label = copied<int>(in.labels);
    model->nSV = copied<int>(in.class_support);
    const auto width = static_cast<std::size_t>(in.classes - 1);
    const auto rows = static_cast<std::size_t>(model->l);
    model->sv_coef = allocate<double*>(width);
    for (std::size_t m = 0; m < width; ++m) {
        model->sv_coef[m] = allocate<double>(rows);
        for (std::size_t s = 0; s < rows; ++s) {
            model->sv_coef[m][s] = in.coefficients[s * width + m];
        }
    }
    model->SV = allocate<svm_node*>(rows);
    return model;
}

void require(bool holds, const char* what) {
    if (!holds) {
        throw InvalidArgument(fmt::format("model: {}", what));
    }
}

}  // namespace

int svm_type_of(const std::string& name) noexcept {
    for (int type = 0; type < 5; ++type) {
        if (name == svm_type_name(type)) {
            return type;
        }
    }
    return -1;
}

int kernel_type_of(const std::string& name) noexcept {
    for (int type = 0; type < 5; ++type) {
        if (name == kernel_type_name(type)) {
            return type;
        }
    }
    return -1;
}

LibsvmParameters parameters_of(const svm_parameter& in) {
    LibsvmParameters out;
    out.svm_type = in.svm_type;
    out.kernel.type = in.kernel_type;
    out.kernel.degree = in.degree;
    out.kernel.gamma = in.gamma;
    out.kernel.coef0 = in.coef0;
    out.cost = in.C;
    out.nu = in.nu;
    out.tube = in.p;
    out.tolerance = in.eps;
    out.cache_megabytes = in.cache_size;
    out.shrinking = in.shrinking;
    out.probability = in.probability;
    if (in.weight_label != nullptr && in.weight != nullptr) {
        for (int i = 0; i < in.nr_weight; ++i) {
            out.class_weights.emplace_back(in.weight_label[i], in.weight[i]);
        }
    }
    return out;
}

Dataset dataset_of(const svm_problem& problem, int first) {
    require(problem.l > 0 && problem.x != nullptr && problem.y != nullptr,
            "the problem has no rows");
    auto rows = std::make_shared<Rows>();
    rows->first = first;
    for (int i = 0; i < problem.l; ++i) {
        rows->append(problem.x[i], i + 1);
    }
    Dataset data = dataset_of(std::move(rows));
    data.targets.assign(problem.y, problem.y + problem.l);
    return data;
}

LibsvmModel libsvm_model_of(const svm_model& in) {
    LibsvmModel out;
    out.svm_type = svm_type_name(in.param.svm_type);
    out.kernel_type = kernel_type_name(in.param.kernel_type);
    require(!out.svm_type.empty() && !out.kernel_type.empty(), "its type is unknown");
    require(in.nr_class >= 2 && in.l >= 0, "its counts are negative");
    require(in.rho != nullptr && in.sv_coef != nullptr && (in.l == 0 || in.SV != nullptr),
            "a pointer is null");
    out.degree = in.param.degree;
    const bool has_gamma = in.param.kernel_type != LINEAR && in.param.kernel_type != PRECOMPUTED;
    out.gamma = has_gamma ? in.param.gamma : 0.0;
    out.coef0 =
        in.param.kernel_type == POLY || in.param.kernel_type == SIGMOID ? in.param.coef0 : 0.0;
    out.classes = in.nr_class;
    const index_t pairs = out.classes * (out.classes - 1) / 2;
    out.rho.assign(in.rho, in.rho + pairs);
    if (out.is_classifier()) {
        require(in.label != nullptr && in.nSV != nullptr, "a classifier without labels");
        out.labels.assign(in.label, in.label + in.nr_class);
        out.class_support.assign(in.nSV, in.nSV + in.nr_class);
    }
    if (in.probA != nullptr && in.param.svm_type == ONE_CLASS) {
        out.density_marks.assign(in.probA, in.probA + kDensityMarks);
    } else if (in.probA != nullptr) {
        out.prob_a.assign(in.probA, in.probA + (out.is_classifier() ? pairs : 1));
    }
    if (in.probB != nullptr && out.is_classifier()) {
        out.prob_b.assign(in.probB, in.probB + pairs);
    }
    auto rows = std::make_shared<Rows>();
    rows->first = in.param.kernel_type == PRECOMPUTED ? 0 : 1;
    for (int s = 0; s < in.l; ++s) {
        rows->append(in.SV[s], s + 1);
        for (int m = 0; m < in.nr_class - 1; ++m) {
            out.coefficients.push_back(in.sv_coef[m][s]);
        }
    }
    out.support = dataset_of(std::move(rows));
    return out;
}

svm_model* new_model(const LibsvmModel& in) {
    OwnedModel model = new_skeleton(in);
    const CsrView& rows = std::get<CsrView>(in.support.storage());
    const int first = in.kernel_type == "precomputed" ? 0 : 1;
    svm_node* node = allocate<svm_node>(rows.values.size() + static_cast<std::size_t>(model->l));
    model->free_sv = 1;
    if (model->l == 0) {
        std::free(node);
    }
    for (std::size_t s = 0; s < static_cast<std::size_t>(model->l); ++s) {
        model->SV[s] = node;
        data::for_each_entry(rows, static_cast<index_t>(s), [&](index_t column, double value) {
            *node++ = {static_cast<int>(column) + first, value};
        });
        *node++ = {-1, 0.0};
    }
    return model.release();
}

svm_model* new_model(const LibsvmModel& in, const svm_problem& problem) {
    OwnedModel model = new_skeleton(in);
    model->sv_indices = allocate<int>(in.support_rows.size());
    for (std::size_t s = 0; s < in.support_rows.size(); ++s) {
        model->SV[s] = problem.x[in.support_rows[s]];
        model->sv_indices[s] = static_cast<int>(in.support_rows[s]) + 1;
    }
    return model.release();
}

}  // namespace mercer::capi
