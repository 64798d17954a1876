// SPDX-License-Identifier: Apache-2.0
//
// cli/svm_train.cpp - svm-train: LIBSVM's flags to a LIBSVM model file.
#include <charconv>
#include <cmath>

#include "mercer/fit/libsvm.hpp"
#include "mercer/formats/libsvm_model.hpp"
#include "mercer/search/cross_validation.hpp"
#include "svm_measures.hpp"
#include "svm_programs.hpp"

namespace mercer::cli {

namespace {

constexpr const char* kUsage =
    "Usage: svm-train [options] training_set_file [model_file]\n"
    "options:\n"
    "-s svm_type : 0 C-SVC (default), 1 nu-SVC, 2 one-class SVM, 3 epsilon-SVR, 4 nu-SVR\n"
    "-t kernel_type : 0 linear u'*v, 1 polynomial (gamma*u'*v + coef0)^degree,\n"
    "                 2 radial basis exp(-gamma*|u-v|^2) (default), 3 sigmoid\n"
    "                 tanh(gamma*u'*v + coef0)\n"
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

struct Wanted {
    LibsvmParameters parameters;
    index_t folds = 0;
    bool quiet = false;
    std::string data;
    std::string model;
};

/// `-w-1 2.5`: the class stands in the flag.
void read_class_weight(SvmFlags& flags, const std::string& flag, LibsvmParameters& parameters) {
    int label = 0;
    const char* last = flag.data() + flag.size();
    const auto parsed = std::from_chars(flag.data() + 2, last, label);
    if (parsed.ec != std::errc() || parsed.ptr != last) {
        flags.refuse(fmt::format("{}: the class must be an integer, as in -w1", flag));
    }
    parameters.class_weights.emplace_back(label, flags.number());
}

/// True when the flag is one of LIBSVM's letters with a value.
bool read_parameter(SvmFlags& flags, char letter, Wanted& wanted) {
    LibsvmParameters& p = wanted.parameters;
    switch (letter) {
        case 's':
            p.svm_type = static_cast<int>(flags.integer());
            return true;
        case 't':
            p.kernel_type = static_cast<int>(flags.integer());
            return true;
        case 'd':
            p.degree = static_cast<int>(flags.integer());
            return true;
        case 'g':
            p.gamma = flags.number();
            return true;
        case 'r':
            p.coef0 = flags.number();
            return true;
        case 'c':
            p.cost = flags.number();
            return true;
        case 'n':
            p.nu = flags.number();
            return true;
        case 'p':
            p.tube = flags.number();
            return true;
        case 'm':
            p.cache_megabytes = flags.number();
            return true;
        case 'e':
            p.tolerance = flags.number();
            return true;
        case 'h':
            p.shrinking = static_cast<int>(flags.integer());
            return true;
        case 'b':
            p.probability = static_cast<int>(flags.integer());
            return true;
        case 'v':
            wanted.folds = flags.integer();
            if (wanted.folds < 2) {
                flags.refuse("-v: n-fold cross validation: n must be >= 2");
            }
            return true;
        default:
            return false;
    }
}

Wanted read_command_line(const std::vector<std::string>& words) {
    Wanted wanted;
    SvmFlags flags(kUsage, words);
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

Dataset read_training_data(Session& session, const Wanted& wanted, const std::string& machine) {
    constexpr int kPrecomputed = 4;
    const bool serials = wanted.parameters.kernel_type == kPrecomputed;
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
                            bool classifier) {
    if (classifier) {
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

}  // namespace

ExitStatus run_svm_train(Session& session, const std::vector<std::string>& words) {
    Wanted wanted = read_command_line(words);
    // gamma = 0 stands for 1 / columns, which only the data tell; everything else is checked
    // before.
    const bool scale_gamma = wanted.parameters.gamma == 0.0;
    LibsvmParameters& parameters = wanted.parameters;
    parameters.gamma = scale_gamma ? 1.0 : parameters.gamma;
    const std::string machine = train_options(parameters).model;
    Dataset data = read_training_data(session, wanted, machine);
    if (scale_gamma) {
        parameters.gamma = 1.0 / static_cast<double>(std::max<index_t>(1, data.columns()));
    }
    TrainOptions options = train_options(parameters);
    std::erase_if(options.class_weights, [&](const auto& entry) {
        const bool known = std::find(data.label_names.begin(), data.label_names.end(),
                                     entry.first) != data.label_names.end();
        if (!known) {
            session.warn(
                fmt::format("class label {} specified in weight is not found", entry.first));
        }
        return !known;
    });
    if (wanted.folds > 0) {
        const index_t folds = std::min(wanted.folds, data.rows());
        if (folds < wanted.folds) {
            session.warn("more folds than rows: leave-one-out cross validation");
        }
        print_cross_validation(data, cross_validate(data, options, folds, session.context()),
                               parameters.is_classifier());
        return ExitStatus::done;
    }
    const TrainResult result = train(data, options, session.context());
    data = {};  // its memory serves the writing
    write_libsvm_model(to_libsvm(result.model), wanted.model);
    print_out(wanted.quiet, "{}", training_lines(result, parameters));
    if (options.probability && result.model.link.empty()) {
        session.warn("fewer than 5 rows inside or outside: too few to estimate probabilities");
    }
    if (result.model.status == "converged") {
        return ExitStatus::done;
    }
    session.warn(fmt::format("{}: the model is written, as far as it is", result.model.status));
    return ExitStatus::stopped;
}

}  // namespace mercer::cli
