// SPDX-License-Identifier: Apache-2.0
//
// cli/svm_train.cpp - svm-train: LIBSVM's flags to a LIBSVM model file.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "mercer/fit/libsvm.hpp"
#include "mercer/formats/libsvm_model.hpp"
#include "mercer/search/cross_validation.hpp"
#include "svm_measures.hpp"
#include "svm_programs.hpp"

namespace mercer::cli {

namespace {

constexpr const char* kTrainUsage =
    "Usage: svm-train [options] training_set_file [model_file]\n"
    "options:\n"
    "-s svm_type : 0 C-SVC (default), 1 nu-SVC, 2 one-class SVM, 3 epsilon-SVR, 4 nu-SVR\n"
    "-t kernel_type : 0 linear u'*v, 1 polynomial (gamma*u'*v + coef0)^degree,\n"
    "                 2 radial basis exp(-gamma*|u-v|^2) (default), 3 sigmoid\n"
    "                 tanh(gamma*u'*v + coef0), 4 precomputed kernel (kernel values in\n"
    "                 training_set_file, each row begins with 0:number)\n"
    "-d degree (default 3)   -g gamma (default 1/num_features)   -r coef0 (default 0)\n"
    "-c cost : C of C-SVC, epsilon-SVR and nu-SVR (default 1)\n"
    "-n nu : of nu-SVC, one-class SVM and nu-SVR (default 0.5)\n"
    "-p epsilon : width of the tube of epsilon-SVR (default 0.1)\n"
    "-m cachesize : memory for kernel rows in MB (default 100)\n"
    "-e epsilon : tolerance of the stopping rule (default 0.001)\n"
    "-h shrinking : 0 or 1; accepted, the solver decides itself\n"
    "-b probability_estimates : 0 (default) or 1\n"
    "-wi weight : C of class i becomes weight*C (C-SVC)\n"
    "-v n : n-fold cross validation\n"
    "-q : quiet";

struct TrainFlags {
    LibsvmParameters parameters;
    index_t folds = 0;
    bool quiet = false;
    std::string data;
    std::string model;
};

/// `-w-1 2.5`: the class is part of the flag.
void read_class_weight(SvmFlags& flags, const std::string& flag, LibsvmParameters& parameters) {
    int label = 0;
    const char* last = flag.data() + flag.size();
    const auto parsed = std::from_chars(flag.data() + 2, last, label);
    if (parsed.ec != std::errc() || parsed.ptr != last) {
        flags.refuse(fmt::format("{}: the class must be an integer, as in -w1", flag));
    }
    parameters.class_weights.emplace_back(label, flags.number());
}

/// The variable that one of LIBSVM's letters sets; neither: there is no such letter.
struct LetterTarget {
    int* integer = nullptr;
    double* number = nullptr;
};

LetterTarget target_of(LibsvmParameters& p, char letter) {
    const std::array<std::pair<char, LetterTarget>, 12> letters{
        {{'s', {.integer = &p.svm_type}},
         {'t', {.integer = &p.kernel.type}},
         {'d', {.integer = &p.kernel.degree}},
         {'g', {.number = &p.kernel.gamma}},
         {'r', {.number = &p.kernel.coef0}},
         {'c', {.number = &p.cost}},
         {'n', {.number = &p.nu}},
         {'p', {.number = &p.tube}},
         {'m', {.number = &p.cache_megabytes}},
         {'e', {.number = &p.tolerance}},
         {'h', {.integer = &p.shrinking}},
         {'b', {.integer = &p.probability}}}};
    for (const auto& [known, target] : letters) {
        if (known == letter) {
            return target;
        }
    }
    return {};
}

/// True if the flag is one of LIBSVM's letters with a value.
bool read_parameter(SvmFlags& flags, char letter, TrainFlags& wanted) {
    if (letter == 'v') {
        wanted.folds = flags.integer();
        if (wanted.folds < 2) {
            flags.refuse("-v: n-fold cross validation: n must be >= 2");
        }
        return true;
    }
    const LetterTarget target = target_of(wanted.parameters, letter);
    if (target.integer != nullptr) {
        *target.integer = static_cast<int>(flags.integer());
    } else if (target.number != nullptr) {
        *target.number = flags.number();
    }
    return target.integer != nullptr || target.number != nullptr;
}

TrainFlags read_train_flags(const std::vector<std::string>& words) {
    TrainFlags wanted;
    SvmFlags flags(kTrainUsage, words);
    for (std::optional<std::string> flag = flags.flag(); flag; flag = flags.flag()) {
        if (*flag == "-q") {
            wanted.quiet = true;
        } else if (flag->starts_with("-w")) {
            read_class_weight(flags, *flag, wanted.parameters);
        } else if (flag->size() != 2 || !read_parameter(flags, (*flag)[1], wanted)) {
            flags.refuse_flag();
        }
    }
    const std::vector<std::string> files = flags.files();
    if (files.empty() || files.size() > 2) {
        flags.refuse(files.empty() ? "the training file is missing" : "too many files");
    }
    wanted.data = files[0];
    wanted.model =
        files.size() == 2 ? files[1] : files[0].substr(files[0].rfind('/') + 1) + ".model";
    return wanted;
}

Dataset read_training_data(Session& session, const TrainFlags& wanted, const std::string& machine) {
    constexpr int kPrecomputed = 4;
    const bool serials = wanted.parameters.kernel.type == kPrecomputed;
    Dataset data = read_svm_data(session, wanted.data, serials);
    try {
        if (serials) {
            require_serials(data);
        }
        if (wanted.parameters.is_classifier()) {
            data = libsvm_classes(std::move(data));
        }
        require_trainable(data, machine);
    } catch (const InvalidArgument& fault) {
        throw DataError(fmt::format("{}: {}", wanted.data, fault.what()));
    }
    return data;
}

void print_cross_validation(const Dataset& data, const std::vector<double>& predicted,
                            bool regression) {
    if (!regression) {
        index_t right = 0;
        for (std::size_t i = 0; i < predicted.size(); ++i) {
            right += predicted[i] == data.targets[i];
        }
        const double share = static_cast<double>(right) / static_cast<double>(predicted.size());
        print_out(false, "Cross Validation Accuracy = {}%\n", shortened(100.0 * share));
        return;
    }
    const SquaredMeasures measures(data.targets, predicted);
    print_out(false, "Cross Validation Mean squared error = {}\n", shortened(measures.mean()));
    print_out(false, "Cross Validation Squared correlation coefficient = {}\n",
              shortened(measures.correlation()));
}

void run_cross_validation(Session& session, const Dataset& data, const TrainOptions& options,
                          const TrainFlags& wanted) {
    const index_t folds = std::min(wanted.folds, data.rows());
    if (folds < wanted.folds) {
        session.say(
            "WARNING: # folds > # data. Will use # folds = # data instead (i.e., leave-one-out "
            "cross validation)");
    }
    FoldLines lines(folds, wanted.parameters);
    const std::vector<double> predicted =
        cross_validate(data, options, folds, session.context(), lines.listener());
    print_out(wanted.quiet, "{}", lines.text());
    print_cross_validation(data, predicted, wanted.parameters.is_regression());
}

}  // namespace

ExitStatus run_svm_train(Session& session, const std::vector<std::string>& words) {
    TrainFlags wanted = read_train_flags(words);
    session.files.add(FileRole::input, "training_set_file", wanted.data);
    session.files.add(FileRole::output, "model_file", wanted.folds > 0 ? "" : wanted.model);
    // gamma = 0 means 1 / columns, which is known only with the data; everything else is checked
    // before.
    const bool scale_gamma = wanted.parameters.kernel.gamma == 0.0;
    LibsvmParameters& parameters = wanted.parameters;
    parameters.kernel.gamma = scale_gamma ? 1.0 : parameters.kernel.gamma;
    const std::string machine = train_options(parameters).model;
    Dataset data = read_training_data(session, wanted, machine);
    if (scale_gamma) {
        parameters.kernel.gamma = 1.0 / static_cast<double>(std::max<index_t>(1, data.columns()));
    }
    TrainOptions options = train_options(parameters);
    for (const std::string& warning : drop_unknown_classes(data, options)) {
        session.say(warning);
    }
    if (wanted.folds > 0) {
        run_cross_validation(session, data, options, wanted);
        return ExitStatus::done;
    }
    const TrainResult result = train(data, options, session.context());
    data = {};  // frees its memory before writing
    LibsvmModel model = to_libsvm(result.model);
    if (model.degree == 0.0) {  // the kernel is 1 for any rows
        model.gamma = parameters.kernel.gamma;
        model.coef0 = parameters.kernel.coef0;
    }
    write_libsvm_model(model, wanted.model);
    print_out(wanted.quiet, "{}", training_lines(result, parameters));
    for (const std::string& what : result.missing) {
        session.warn(what);
    }
    if (options.outputs.probability && result.model.link.empty() && result.missing.empty()) {
        session.warn("fewer than 5 rows inside or outside: too few to estimate probabilities");
    }
    if (result.model.status == "converged") {
        return ExitStatus::done;
    }
    session.warn(fmt::format("{}: the model is written, as far as it is", result.model.status));
    return ExitStatus::stopped;
}

}  // namespace mercer::cli
