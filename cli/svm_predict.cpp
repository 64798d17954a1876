// SPDX-License-Identifier: Apache-2.0
//
// cli/svm_predict.cpp - svm-predict: a LIBSVM (or Mercer) model on a file of rows.
#include <fmt/format.h>

#include <iterator>

#include "mercer/base/error.hpp"
#include "mercer/formats/libsvm_model.hpp"
#include "mercer/kernels/serial_lookup.hpp"
#include "mercer/models/predict.hpp"
#include "model_access.hpp"
#include "option_registrar.hpp"
#include "stoppable_files.hpp"
#include "svm_measures.hpp"
#include "svm_programs.hpp"
#include "text_file.hpp"

namespace mercer::cli {

namespace {

constexpr const char* kPredictUsage =
    "Usage: svm-predict [options] test_file model_file output_file\n"
    "options:\n"
    "-b probability_estimates : 0 (default) or 1\n"
    "-q : quiet";

struct PredictFlags {
    bool probability = false;
    bool quiet = false;
    std::string data;
    std::string model;
    std::string output;
};

PredictFlags read_predict_flags(const std::vector<std::string>& words) {
    PredictFlags wanted;
    SvmFlags flags(kPredictUsage, words);
    for (std::optional<std::string> flag = flags.flag(); flag; flag = flags.flag()) {
        if (*flag == "-q") {
            wanted.quiet = true;
        } else if (*flag == "-b") {
            const index_t value = flags.integer();
            if (value != 0 && value != 1) {
                flags.refuse("-b: must be 0 or 1");
            }
            wanted.probability = value == 1;
        } else {
            flags.refuse_flag();
        }
    }
    const std::vector<std::string> files = flags.files();
    if (files.size() != 3) {
        flags.refuse(fmt::format("got {} files, must be test, model and output", files.size()));
    }
    wanted.data = files[0];
    wanted.model = files[1];
    wanted.output = files[2];
    return wanted;
}

/// The labels and, if requested, the probabilities, one line per row.
struct Lines {
    std::string text;
    std::vector<double> predicted;  ///< as numbers
};

Lines class_lines(const Model& model, const std::vector<double>& decisions, bool probability) {
    Lines out;
    const std::size_t k = model.labels.size();
    const std::vector<double> p =
        probability ? class_probabilities(model, decisions) : std::vector<double>();
    if (probability) {
        out.text = fmt::format("labels {}\n", fmt::join(model.labels, " "));
    }
    const std::vector<index_t> classes =
        probability ? most_probable_classes(model, p) : predict_classes(model, decisions);
    for (std::size_t i = 0; i < classes.size(); ++i) {
        const std::string& label = model.labels[static_cast<std::size_t>(classes[i])];
        out.predicted.push_back(read_number(label).value_or(kNaN));
        out.text += label;
        for (std::size_t c = 0; probability && c < k; ++c) {
            fmt::format_to(std::back_inserter(out.text), " {:g}", p[i * k + c]);
        }
        out.text += '\n';
    }
    return out;
}

/// Inside means f > 0, as in LIBSVM; the probability of inside comes first.
Lines one_class_lines(const Model& model, const std::vector<double>& decisions, bool probability) {
    Lines out;
    const std::vector<double> p =
        probability ? class_probabilities(model, decisions) : std::vector<double>();
    out.text = probability ? "label normal outlier\n" : "";
    for (std::size_t i = 0; i < decisions.size(); ++i) {
        out.predicted.push_back(decisions[i] > 0.0 ? 1.0 : -1.0);
        fmt::format_to(std::back_inserter(out.text), "{:g}", out.predicted.back());
        if (probability) {
            fmt::format_to(std::back_inserter(out.text), " {:g} {:g}", p[2 * i + 1], p[2 * i]);
        }
        out.text += '\n';
    }
    return out;
}

Lines value_lines(std::vector<double> decisions) {
    Lines out;
    for (const double f : decisions) {
        fmt::format_to(std::back_inserter(out.text), "{:.17g}\n", f);
    }
    out.predicted = std::move(decisions);
    return out;
}

/// Throws unless the rows have a kernel value for every support row.
void require_values(const Model& model, const Dataset& rows, const std::string& path) {
    std::vector<double> support(static_cast<std::size_t>(model.support.columns()));
    for (index_t j = 0; j < model.support.rows(); ++j) {
        model.support.copy_row(j, support);
        if (support[0] >= static_cast<double>(rows.columns())) {
            throw DataError(fmt::format(
                "{}: the rows have kernel values up to number {}, the model needs number {}", path,
                rows.columns() - 1, support[0]));
        }
    }
}

void print_measures(const Dataset& rows, const Lines& lines, const Model& model, bool quiet) {
    if (!model.labels.empty() || model.machine == kOneClass) {
        index_t right = 0;
        for (std::size_t i = 0; i < lines.predicted.size(); ++i) {
            right += lines.predicted[i] == rows.targets[i];
        }
        print_out(quiet, "Accuracy = {}% ({}/{}) (classification)\n",
                  shortened(100.0 * static_cast<double>(right) / static_cast<double>(rows.rows())),
                  right, rows.rows());
        return;
    }
    const SquaredMeasures measures(rows.targets, lines.predicted);
    print_out(quiet, "Mean squared error = {} (regression)\n", shortened(measures.mean()));
    print_out(quiet, "Squared correlation coefficient = {} (regression)\n",
              shortened(measures.correlation()));
}

}  // namespace

ExitStatus run_svm_predict(Session& session, const std::vector<std::string>& words) {
    const PredictFlags wanted = read_predict_flags(words);
    session.files.add(FileRole::input, "test_file", wanted.data);
    session.files.add(FileRole::input, "model_file", wanted.model);
    session.files.add(FileRole::output, "output_file", wanted.output);
    Model model = read_model(session, wanted.model);
    if (wanted.probability && model.link.empty()) {
        throw DataError(fmt::format(
            "{}: the model has no probability estimates; train it with -b 1", wanted.model));
    }
    const bool serials = is_serial_lookup(model.kernel);
    const Dataset rows = read_svm_data(session, wanted.data, serials);
    if (serials) {
        require_values(model, rows, wanted.data);
    }
    model = widened(std::move(model), rows.columns());
    const std::vector<double> decisions = decision_function(model, rows, session.context());
    if (!wanted.probability && !model.link.empty()) {
        print_out(wanted.quiet,
                  "Model supports probability estimates, but disabled in prediction.\n");
    }
    if (wanted.probability && model.link.kind == "laplace") {
        print_out(wanted.quiet,
                  "Prob. model for test data: target value = predicted value + z,\nz: Laplace "
                  "distribution e^(-|z|/sigma)/(2sigma),sigma={}\n",
                  shortened(model.link.a[0]));
    }
    const Lines lines = model.labels.empty() ? value_lines(decisions)
                        : model.machine == kOneClass
                            ? one_class_lines(model, decisions, wanted.probability)
                            : class_lines(model, decisions, wanted.probability);
    StoppableFiles files(session.context());
    write_text_file(wanted.output, lines.text, files);
    print_measures(rows, lines, model, wanted.quiet);
    return ExitStatus::done;
}

}  // namespace mercer::cli
