// SPDX-License-Identifier: Apache-2.0
//
// capi/svm.cpp - the functions of svm.h. No exception escapes them.
#include "svm.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <span>

#include "convert.hpp"
#include "mercer/base/error.hpp"
#include "mercer/kernels/formulas.hpp"
#include "mercer/models/class_pairs.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/search/cross_validation.hpp"

namespace mercer::capi {

namespace {

void print_to_stdout(const char* text) {
    std::fputs(text, stdout);
    std::fflush(stdout);
}

/// LIBSVM's interface sets it for the whole process; atomic to avoid a data race.
std::atomic<void (*)(const char*)> print_function{print_to_stdout};

void print(const std::string& text) { print_function.load()(text.c_str()); }

/// Runs `work`; an exception is printed as a line and gives `failed`.
template <typename T, typename Work>
T guarded(const char* name, T failed, const Work& work) noexcept {
    try {
        try {
            return work();
        } catch (const std::bad_alloc&) {
            print(fmt::format("{}: out of memory\n", name));
        } catch (const std::exception& error) {
            print(fmt::format("{}: {}\n", name, error.what()));
        }
    } catch (...) {  // printing the message failed
    }
    return failed;
}

bool is_classifier(const svm_model& model) {
    return model.param.svm_type == C_SVC || model.param.svm_type == NU_SVC;
}
bool is_regression(const svm_model& model) {
    return model.param.svm_type == EPSILON_SVR || model.param.svm_type == NU_SVR;
}

/// Targets and rows in the form that training needs.
Dataset training_data(const svm_problem& problem, const LibsvmParameters& parameters) {
    const bool serials = parameters.kernel.type == PRECOMPUTED;
    Dataset data = dataset_of(problem, serials ? 0 : 1);
    if (serials) {
        require_serials(data);
    }
    return parameters.is_classifier() ? libsvm_classes(std::move(data)) : data;
}

/// The options; class weights without rows in the data are reported and dropped, as in LIBSVM.
TrainOptions options_for(const LibsvmParameters& parameters, const Dataset& data) {
    TrainOptions options = train_options(parameters);
    for (const std::string& warning : drop_unknown_classes(data, options)) {
        print(warning + "\n");
    }
    return options;
}

struct PairNumbers {
    double dot = 0.0;
    double distance2 = 0.0;
};

/// <x, z> and |x - z|^2 of two rows with ascending indices.
PairNumbers compare(const svm_node* x, const svm_node* z) {
    PairNumbers out;
    while (x->index != -1 || z->index != -1) {
        double a = 0.0;
        double b = 0.0;
        const bool left = z->index == -1 || (x->index != -1 && x->index <= z->index);
        const bool right = x->index == -1 || (z->index != -1 && z->index <= x->index);
        if (left) {
            a = (x++)->value;
        }
        if (right) {
            b = (z++)->value;
        }
        out.dot += a * b;
        out.distance2 += (a - b) * (a - b);
    }
    return out;
}

/// The value at the index of a support row of precomputed kernel values; 0 if it is absent.
double looked_up(const svm_node* x, const svm_node* z) {
    const double serial = z->value;
    while (x->index != -1 && static_cast<double>(x->index) != serial) {
        ++x;
    }
    return x->index == -1 ? 0.0 : x->value;
}

double kernel_value(const svm_parameter& p, const svm_node* x, const svm_node* z) {
    if (p.kernel_type == PRECOMPUTED) {
        return looked_up(x, z);
    }
    const PairNumbers pair = compare(x, z);
    switch (p.kernel_type) {
        case POLY:
            return formulas::poly(pair.dot, p.degree, p.coef0, p.gamma);
        case RBF:
            return formulas::rbf(pair.distance2, p.gamma);
        case SIGMOID:
            return formulas::sigmoid(pair.dot, p.gamma, p.coef0);
        default:
            return pair.dot;
    }
}

std::vector<double> kernel_values(const svm_model& model, const svm_node* x) {
    std::vector<double> values(static_cast<std::size_t>(model.l));
    for (int s = 0; s < model.l; ++s) {
        values[static_cast<std::size_t>(s)] = kernel_value(model.param, x, model.SV[s]);
    }
    return values;
}

/// One decision value per pair of classes.
std::vector<double> pair_values(const svm_model& model, const svm_node* x) {
    const std::vector<double> k = kernel_values(model, x);
    std::vector<std::size_t> start{0};
    for (int c = 0; c < model.nr_class; ++c) {
        start.push_back(start.back() + static_cast<std::size_t>(model.nSV[c]));
    }
    const auto share = [&](int own, int other) {
        const double* coefficients = model.sv_coef[column_against(own, other)];
        double sum = 0.0;
        const auto c = static_cast<std::size_t>(own);
        for (std::size_t s = start[c]; s < start[c + 1]; ++s) {
            sum += coefficients[s] * k[s];
        }
        return sum;
    };
    std::vector<double> values;
    for (int i = 0; i < model.nr_class; ++i) {
        for (int j = i + 1; j < model.nr_class; ++j) {
            const double rho = model.rho[values.size()];
            values.push_back(share(i, j) + share(j, i) - rho);
        }
    }
    return values;
}

/// A classifier without rows, for voting and coupling, in Mercer's convention.
Model decider(const svm_model& model) {
    Model out;
    for (int c = 0; c < model.nr_class; ++c) {
        out.labels.push_back(fmt::format("{}", model.label[c]));
    }
    out.multiclass = model.nr_class > 2 ? "ovo" : "";
    out.intercepts.assign(static_cast<std::size_t>(pair_count(model.nr_class)), 0.0);
    if (model.probA != nullptr && model.probB != nullptr) {
        out.link.kind = "sigmoid";
        out.link.a.assign(model.probA, model.probA + out.outputs());
        out.link.b.assign(model.probB, model.probB + out.outputs());
        if (out.multiclass.empty()) {
            out.link.b[0] = -out.link.b[0];
        }
    }
    return out;
}

/// The same for a one-class model.
Model inside_decider(const svm_model& model) {
    Model out;
    out.machine = kOneClass;
    out.labels = {"-1", "1"};
    out.intercepts = {0.0};
    out.link = {"density", {model.probA, model.probA + kDensityMarks}, {}};
    return out;
}

/// Values in the decider's convention: with two classes the sign changes.
std::vector<double> turned(const svm_model& model, std::vector<double> values) {
    if (model.nr_class == 2) {
        values[0] = -values[0];
    }
    return values;
}

double single_value(const svm_model& model, const svm_node* x) {
    const std::vector<double> k = kernel_values(model, x);
    double sum = -model.rho[0];
    for (std::size_t s = 0; s < k.size(); ++s) {
        sum += model.sv_coef[0][s] * k[s];
    }
    return sum;
}

double predict_values(const svm_model& model, const svm_node* x, double* out) {
    if (!is_classifier(model)) {
        out[0] = single_value(model, x);
        if (is_regression(model)) {
            return out[0];
        }
        return out[0] > 0.0 ? 1.0 : -1.0;
    }
    const std::vector<double> values = pair_values(model, x);
    std::copy(values.begin(), values.end(), out);
    const index_t chosen = predict_classes(decider(model), turned(model, values)).front();
    return model.label[chosen];
}

std::size_t value_count(const svm_model& model) {
    return is_classifier(model) ? static_cast<std::size_t>(pair_count(model.nr_class)) : 1;
}

/// The reason why nu-SVC has no solution; null if it has one.
const char* nu_fault(const LibsvmParameters& parameters, const Dataset& data) {
    std::vector<double> counts(data.label_names.size(), 0.0);
    for (const double target : data.targets) {
        counts[static_cast<std::size_t>(target)] += 1.0;
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
        for (std::size_t j = i + 1; j < counts.size(); ++j) {
            if (parameters.nu * (counts[i] + counts[j]) / 2.0 > std::min(counts[i], counts[j])) {
                return "specified nu is infeasible";
            }
        }
    }
    return nullptr;
}

}  // namespace

}  // namespace mercer::capi

using namespace mercer;
using namespace mercer::capi;

int libsvm_version = LIBSVM_VERSION;

svm_model* svm_train(const svm_problem* prob, const svm_parameter* param) {
    return guarded<svm_model*>("svm_train", nullptr, [&] {
        const LibsvmParameters parameters = parameters_of(*param);
        const Dataset data = training_data(*prob, parameters);
        Context context;
        const TrainResult result = train(data, options_for(parameters, data), context);
        print(training_lines(result, parameters));
        svm_model* model = new_model(to_libsvm(result.model), *prob);
        model->param = *param;
        return model;
    });
}

void svm_cross_validation(const svm_problem* prob, const svm_parameter* param, int nr_fold,
                          double* target) {
    const bool done = guarded<bool>("svm_cross_validation", false, [&] {
        const LibsvmParameters parameters = parameters_of(*param);
        const Dataset data = training_data(*prob, parameters);
        Context context;
        const index_t folds = std::min<index_t>(nr_fold, data.rows());
        FoldLines lines(folds, parameters);
        const std::vector<double> predicted =
            cross_validate(data, options_for(parameters, data), folds, context, lines.listener());
        print(lines.text());
        for (std::size_t i = 0; i < predicted.size(); ++i) {
            target[i] = data.label_names.empty()
                            ? predicted[i]
                            : std::stod(data.label_names[static_cast<std::size_t>(predicted[i])]);
        }
        return true;
    });
    if (!done) {
        std::fill_n(target, std::max(0, prob->l), kNaN);
    }
}

int svm_save_model(const char* model_file_name, const svm_model* model) {
    return guarded<int>("svm_save_model", -1, [&] {
        write_libsvm_model(libsvm_model_of(*model), model_file_name);
        return 0;
    });
}

svm_model* svm_load_model(const char* model_file_name) {
    return guarded<svm_model*>("svm_load_model", nullptr, [&] {
        Context context;
        return new_model(read_libsvm_model(model_file_name, context).value());
    });
}

int svm_get_svm_type(const svm_model* model) { return model->param.svm_type; }
int svm_get_nr_class(const svm_model* model) { return model->nr_class; }
int svm_get_nr_sv(const svm_model* model) { return model->l; }

void svm_get_labels(const svm_model* model, int* label) {
    if (model->label != nullptr) {
        std::copy_n(model->label, model->nr_class, label);
    }
}

void svm_get_sv_indices(const svm_model* model, int* sv_indices) {
    if (model->sv_indices != nullptr) {
        std::copy_n(model->sv_indices, model->l, sv_indices);
    }
}

double svm_get_svr_probability(const svm_model* model) {
    if (is_regression(*model) && model->probA != nullptr) {
        return model->probA[0];
    }
    return guarded<double>("svm_get_svr_probability", 0.0, []() -> double {
        throw InvalidArgument("the model has no information for SVR probability inference");
    });
}

double svm_predict_values(const svm_model* model, const svm_node* x, double* dec_values) {
    return guarded<double>("svm_predict_values", kNaN,
                           [&] { return predict_values(*model, x, dec_values); });
}

double svm_predict(const svm_model* model, const svm_node* x) {
    return guarded<double>("svm_predict", kNaN, [&] {
        std::vector<double> values(value_count(*model));
        return predict_values(*model, x, values.data());
    });
}

double svm_predict_probability(const svm_model* model, const svm_node* x, double* prob_estimates) {
    if (is_regression(*model) || svm_check_probability_model(model) == 0) {
        return svm_predict(model, x);
    }
    return guarded<double>("svm_predict_probability", kNaN, [&]() -> double {
        if (model->param.svm_type == ONE_CLASS) {
            std::vector<double> value(1);
            const double label = predict_values(*model, x, value.data());
            const std::vector<double> p = class_probabilities(inside_decider(*model), value);
            prob_estimates[0] = p[1];
            prob_estimates[1] = p[0];
            return label;
        }
        const Model machine = decider(*model);
        const std::vector<double> p =
            class_probabilities(machine, turned(*model, pair_values(*model, x)));
        std::copy(p.begin(), p.end(), prob_estimates);
        return model->label[most_probable_classes(machine, p).front()];
    });
}

void svm_free_model_content(svm_model* model_ptr) {
    if (model_ptr->free_sv != 0 && model_ptr->l > 0 && model_ptr->SV != nullptr) {
        std::free(model_ptr->SV[0]);
    }
    if (model_ptr->sv_coef != nullptr) {
        for (int m = 0; m < model_ptr->nr_class - 1; ++m) {
            std::free(model_ptr->sv_coef[m]);
        }
    }
    std::free(model_ptr->SV);
    std::free(model_ptr->sv_coef);
    std::free(model_ptr->rho);
    std::free(model_ptr->label);
    std::free(model_ptr->probA);
    std::free(model_ptr->probB);
    std::free(model_ptr->sv_indices);
    std::free(model_ptr->nSV);
    model_ptr->SV = nullptr;
    model_ptr->sv_coef = nullptr;
    model_ptr->rho = nullptr;
    model_ptr->label = nullptr;
    model_ptr->probA = nullptr;
    model_ptr->probB = nullptr;
    model_ptr->sv_indices = nullptr;
    model_ptr->nSV = nullptr;
}

void svm_free_and_destroy_model(svm_model** model_ptr_ptr) {
    if (model_ptr_ptr != nullptr && *model_ptr_ptr != nullptr) {
        svm_free_model_content(*model_ptr_ptr);
        std::free(*model_ptr_ptr);
        *model_ptr_ptr = nullptr;
    }
}

void svm_destroy_param(svm_parameter* param) {
    std::free(param->weight_label);
    std::free(param->weight);
}

const char* svm_check_parameter(const svm_problem* prob, const svm_parameter* param) {
    const char* fault = "the problem could not be checked";
    return guarded<const char*>("svm_check_parameter", fault, [&]() -> const char* {
        const LibsvmParameters parameters = parameters_of(*param);
        if (const char* found = parameter_fault(parameters); found != nullptr) {
            return found;
        }
        try {
            const Dataset data = training_data(*prob, parameters);
            if (parameters.svm_type == NU_SVC) {
                return nu_fault(parameters, data);
            }
        } catch (const InvalidArgument& error) {
            print(fmt::format("svm_check_parameter: {}\n", error.what()));
            return "the data cannot be trained on; a line was printed that says why";
        }
        return nullptr;
    });
}

int svm_check_probability_model(const svm_model* model) {
    const bool two = model->probA != nullptr && model->probB != nullptr;
    return static_cast<int>((is_classifier(*model) && two) ||
                            (!is_classifier(*model) && model->probA != nullptr));
}

void svm_set_print_string_function(void (*print_func)(const char*)) {
    print_function.store(print_func == nullptr ? print_to_stdout : print_func);
}
