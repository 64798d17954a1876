// SPDX-License-Identifier: Apache-2.0
//
// cli/predict.cpp - mercer predict: one line per row.
#include "mercer/models/predict.hpp"

#include <iterator>

#include "command.hpp"
#include "matrix_file.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/fit/variance.hpp"
#include "model_access.hpp"
#include "option_registrar.hpp"
#include "path.hpp"
#include "stoppable_files.hpp"
#include "text_file.hpp"

namespace mercer::cli {

namespace {

struct PredictCommand {
    ModelArguments arguments;
    std::string file = "-";
    std::string output = "label";
    std::string shape = "auto";
    bool consistent_labels = false;
};

/// The output: a label or the numbers of each row.
struct Prediction {
    std::string output;            ///< "label", "decision" or "probability"
    std::vector<double> values;    ///< rows x outputs
    std::vector<index_t> classes;  ///< for labels
    index_t outputs = 1;
};

void require_sense(const Model& model, const PredictCommand& command) {
    const bool link = model.link.gives_probabilities();
    if (command.output == "probability" && model.labels.empty()) {
        throw UsageError("--output probability: the model is a regression, it has no classes");
    }
    if ((command.output == "probability" || command.consistent_labels) && !link) {
        throw UsageError(fmt::format(
            "{}: the model has no probabilities; train it with --probability",
            command.consistent_labels ? "--consistent-labels" : "--output probability"));
    }
    if (command.shape != "auto" && model.is_ordinal()) {
        throw UsageError("--decision-shape: an ordinal model has one value for all its classes");
    }
    if (command.shape == "ovo" && (model.multiclass == "ovr" || model.is_joint())) {
        throw UsageError("--decision-shape ovo: the model has one value per class, not per pair");
    }
}

Prediction predict(Session& session, const Model& model, const Dataset& rows,
                   const PredictCommand& command) {
    Prediction prediction;
    prediction.output =
        command.output == "label" && model.labels.empty() ? "decision" : command.output;
    prediction.outputs = model.outputs();
    session.timed("predict", [&] {
        if (prediction.output == "variance") {
            prediction.outputs = 1;  // the same for every output
            prediction.values = predictive_variance(model, rows, session.context());
            return;
        }
        prediction.values = decision_function(model, rows, session.context());
        if (prediction.output == "label") {
            prediction.classes =
                command.consistent_labels
                    ? most_probable_classes(model, class_probabilities(model, prediction.values))
                    : predict_classes(model, prediction.values);
        } else if (prediction.output == "probability") {
            prediction.values = class_probabilities(model, prediction.values);
            prediction.outputs = static_cast<index_t>(model.labels.size());
        } else if (command.shape == "ovr" && !model.labels.empty()) {
            prediction.values = class_scores(model, prediction.values);
            prediction.outputs = static_cast<index_t>(model.labels.size());
        }
    });
    return prediction;
}

std::string prediction_lines(const Model& model, const Prediction& prediction) {
    std::string text;
    for (const index_t k : prediction.classes) {
        text += model.labels[static_cast<std::size_t>(k)] + "\n";
    }
    if (prediction.output == "label") {
        return text;
    }
    for (std::size_t i = 0; i < prediction.values.size(); ++i) {
        const bool last = (static_cast<index_t>(i) + 1) % prediction.outputs == 0;
        fmt::format_to(std::back_inserter(text), "{}{}", prediction.values[i], last ? '\n' : ',');
    }
    return text;
}

/// Numbers for an array file: the class names if they are numbers, otherwise the class indices.
std::vector<double> prediction_numbers(const Model& model, const Prediction& prediction) {
    if (prediction.output != "label") {
        return prediction.values;
    }
    Dataset named;
    named.targets.assign(prediction.classes.begin(), prediction.classes.end());
    named.label_names = model.labels;
    return target_numbers(named);
}

void write_prediction(Session& session, const std::string& path, const Model& model,
                      const Prediction& prediction) {
    StoppableFiles files(session.context());
    if (!path.ends_with(".npy")) {
        write_text_file(path, prediction_lines(model, prediction), files);
        return;
    }
    const std::vector<double> numbers = prediction_numbers(model, prediction);
    const index_t width = prediction.output == "label" ? 1 : prediction.outputs;
    const index_t height = static_cast<index_t>(numbers.size()) / width;
    MatrixFile file(path, "npy", height, width, Precision::float64, files);
    file.append_rows(MatrixView<const double>(numbers.data(), height, width));
    file.commit();
}

Json prediction_json(Json json, const Model& model, const Prediction& prediction) {
    if (prediction.output == "label") {
        Json labels = Json::array();
        for (const index_t k : prediction.classes) {
            labels.push_back(model.labels[static_cast<std::size_t>(k)]);
        }
        json["labels"] = std::move(labels);
    } else {
        json["values"] = prediction.values;
    }
    return json;
}

ExitStatus run_predict(Session& session, const PredictCommand& command) {
    Model model = read_model_at(session, command.arguments.model, command.arguments.at);
    require_sense(model, command);
    const Dataset rows = read_rows_for(session, model, command.arguments);
    const Prediction prediction = predict(session, model, rows, command);
    Json json = session.json_result();
    json["model"] = model.machine;
    json["rows"] = rows.rows();
    json["output"] = prediction.output;
    if (prediction.output == "probability") {
        json["classes"] = model.labels;
    }
    if (command.file == "-") {
        session.emit_data(session.timed_result(prediction_json(std::move(json), model, prediction)),
                          prediction_lines(model, prediction));
        return ExitStatus::done;
    }
    session.timed("write", [&] { write_prediction(session, command.file, model, prediction); });
    session.say(fmt::format("wrote {}: {} rows", command.file, rows.rows()));
    json["file"] = command.file;
    if (prediction.output == "label" && command.file.ends_with(".npy")) {
        json.update(keep_label_map(session, command.file, model.labels));
    }
    session.emit_timed(std::move(json), "");
    return ExitStatus::done;
}

}  // namespace

void add_predict_command(CLI::App& root, Session& session) {
    add_command<PredictCommand>(
        root, session,
        {"predict", "predict with a model, one line per row",
         "  mercer predict moons.mercer new.svm > labels.txt\n"
         "  mercer predict moons.mercer new.csv --target none --output decision -o f.npy\n"},
        [](CLI::App& app, PredictCommand& command) {
            add_model_argument(app, command.arguments.model);
            add_at_option(app, command.arguments.at);
            add_option(app, "-o", command.file,
                       "file to write: .npy, else text; - is standard output")
                .type_name("FILE")
                .writes_file()
                .show_default();
            OptionRegistrar registrar(app);
            registrar.choice("output", command.output,
                             {"label", "decision", "probability", "variance"},
                             "the class, values of f, probabilities, or (krr) the variance of f");
            registrar.choice("decision_shape", command.shape, {"auto", "ovo", "ovr"},
                             "decisions of many classes: as trained, one per pair, one per class");
            registrar.flag("consistent_labels", command.consistent_labels,
                           "label by the greatest probability instead of by votes");
            add_model_data_argument(app, command.arguments.data);
        },
        run_predict);
}

}  // namespace mercer::cli
