// SPDX-License-Identifier: Apache-2.0
//
// cli/train.cpp - mercer train: from data and a machine's name to a model file with its
// certificate.
#include "mercer/fit/train.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "checkpoint_access.hpp"
#include "class_weights.hpp"
#include "command.hpp"
#include "data_access.hpp"
#include "kernel_access.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/fit/checkpoint.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/fit/plan.hpp"
#include "mercer/formats/model_file.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/files.hpp"
#include "mercer/solvers/status.hpp"
#include "model_access.hpp"
#include "option_registrar.hpp"
#include "remedies.hpp"
#include "text_file.hpp"
#include "train_access.hpp"
#include "train_report.hpp"

namespace mercer::cli {

namespace {

struct TrainCommand {
    DataArgument data;
    TrainOptions train;
    KernelArgument kernel;
    std::vector<std::string> class_weights;  ///< L=R
    std::string weights;
    std::string output;
    CheckpointOptions checkpoint;
    std::string start;       ///< model for a warm start; empty: none
    std::string trace;       ///< file for the steps of a perceptron; empty: none
    std::string curve;       ///< file for the errors along a basis; empty: none
    std::string validation;  ///< rows whose errors the curve also reports; empty: none
    bool dry_run = false;
};

/// Throws for missing or unsuitable files.
void require_files(const TrainCommand& command) {
    if (command.output.empty() && !command.dry_run) {
        throw UsageError("--output is required, unless --dry-run");
    }
    if (command.output == "-") {
        throw UsageError("--output: a model is written to a file, not to standard output");
    }
    if (command.data.path == "-" && command.weights == "-") {
        throw UsageError("DATA and --weights cannot both be standard input");
    }
    if (command.checkpoint.resume && command.checkpoint.path.empty()) {
        throw UsageError("--resume: --checkpoint must name the file to go on from");
    }
}

void require_sense_of_basis(const TrainCommand& command) {
    if (!command.curve.empty() && command.train.basis.size == 0) {
        throw UsageError("--curve belongs to a basis; --basis N asks for one");
    }
    if (command.train.basis.features && !command.kernel.text.empty() &&
        command.kernel.text != "linear") {
        throw UsageError("--features: the columns are the functions, there is no kernel");
    }
}

/// Throws for options that the machine does not take.
void require_sense_of_machine(const TrainCommand& command) {
    const std::string& model = command.train.model;
    require_taken(command.train);
    if (!is_classifier(model) && command.train.outputs.multiclass != "auto") {
        throw UsageError(fmt::format("--multiclass: {} has no classes", model));
    }
    if (!is_classifier(model) && !command.class_weights.empty()) {
        throw UsageError(
            fmt::format("--weight: {} has no classes; --weights gives weights to rows", model));
    }
    if (command.train.outputs.leave_one_out && !machine_of(model).leave_one_out) {
        throw UsageError("--loo belongs to --model krr, klr and ls-svc");
    }
}

/// Throws for conflicting options, before anything is read.
void require_sense(const TrainCommand& command) {
    require_files(command);
    require_sense_of_basis(command);
    const ObjectiveChoices& objective = command.train.objective;
    const int given = static_cast<int>(objective.cost.has_value()) +
                      static_cast<int>(objective.lambda.has_value()) +
                      static_cast<int>(objective.alpha.has_value());
    if (given > 1) {
        throw UsageError("-C, --lambda and --alpha set the same constant; give one of them");
    }
    require_sense_of_machine(command);
}

ExitStatus show_plan(Session& session, const TrainCommand& command, const TrainOptions& options,
                     const Dataset& data) {
    const TrainPlan plan = plan_training(data, options, session.context());
    session.emit_timed(plan_json(session.json_result(), command.train.model, plan),
                       plan_text(command.train.model, plan));
    return plan.fits ? ExitStatus::done : ExitStatus::resource;
}

/// Writes the model, the steps of a perceptron and the curve of a basis.
void write_results(Session& session, const TrainCommand& command, const TrainResult& result) {
    // Not through StoppableFiles: after Ctrl-C the model is the only result of the work.
    session.timed("write", [&] { save_model(result.model, command.output); });
    session.say(fmt::format("wrote {}", command.output));
    if (result.perceptron && !command.trace.empty()) {
        write_text_file(command.trace, trace_table(*result.perceptron), system_files());
        session.say(fmt::format("wrote {}", command.trace));
    }
    if (result.basis && !command.curve.empty()) {
        write_text_file(command.curve, curve_table(*result.basis), system_files());
        session.say(fmt::format("wrote {}", command.curve));
    }
}

ExitStatus train_and_write(Session& session, const TrainCommand& command, TrainOptions options,
                           const Dataset& data) {
    std::optional<Model> start;
    if (!command.start.empty()) {
        start = read_model(session, command.start);
        options.run.start = &*start;
    }
    const std::unique_ptr<Checkpoint> checkpoint = open_checkpoint(session, command.checkpoint);
    options.run.checkpoint = checkpoint.get();
    session.show_notes(session.record_notes(slow_start_remedies(data, options)));
    const TrainResult result = train(data, options, session.context());
    session.count_seconds("fit", result.fit_seconds);
    session.count_seconds("certify", result.certify_seconds);
    if (checkpoint) {  // left by earlier runs that were killed while writing
        system_files().remove_abandoned(command.output);
    }
    write_results(session, command, result);
    if (checkpoint) {
        close_checkpoint(session, *checkpoint, command.checkpoint.path,
                         result.model.status == to_string(SolveStatus::interrupted));
    }
    const TrainingSize size{data.rows(), data.columns()};
    const std::vector<std::string> notes = session.record_notes(remedies(result, data, options));
    session.emit_timed(train_json(session.json_result(), result, size), train_text(result, size));
    if (options.outputs.probability && result.model.link.empty() && result.missing.empty()) {
        session.warn("fewer than 5 rows inside or outside: too few to estimate probabilities");
    }
    const ExitStatus ended = say_how_it_ended(session, result);
    session.show_notes(notes);
    return ended;
}

ExitStatus run_train(Session& session, const TrainCommand& command) {
    require_sense(command);
    TrainOptions options = command.train;
    options.kernel =
        training_kernel(session, command.kernel, options.model, options.allow_indefinite);
    options.objective.class_weights = parse_class_weights(command.class_weights);
    options.perceptron.record_steps = !command.trace.empty();
    const Dataset data = read_training_data(session, command.data, options.model, command.weights);
    std::optional<Dataset> validation;
    if (!command.validation.empty()) {
        DataArgument argument = command.data;
        argument.path = command.validation;
        argument.read.names = names_of(data);
        validation = read_training_data(session, argument, options.model, "");
        options.basis.validation = &*validation;
    }
    return command.dry_run ? show_plan(session, command, options, data)
                           : train_and_write(session, command, options, data);
}

void describe_train(CLI::App& app, TrainCommand& command) {
    add_option(app, "-o,--output", command.output, "model file to write (required)")
        .type_name("FILE")
        .writes_file();
    add_training_kernel(app, command.kernel);
    add_described_options(app, command.train, "Options", {{"cost", "-C,--cost"}});
    add_class_weights_option(app, command.class_weights);
    add_weights_option(app, command.weights);
    add_described_options(app, command.checkpoint, kCheckpointGroup,
                          {{"checkpoint", "--checkpoint"}});
    find_option(app, "--checkpoint").writes_file();
    add_described_options(app, command.train.basis, kBasisGroup);
    add_option(app, "--curve", command.curve, "CSV of the errors against the size of the basis")
        .type_name("FILE")
        .writes_file()
        .group(kBasisGroup);
    add_option(app, "--validation", command.validation, "rows the curve has the errors of, too")
        .type_name("FILE")
        .reads_file()
        .group(kBasisGroup);
    add_option(app, "--start", command.start, "model whose coefficients to start from")
        .type_name("MODEL")
        .reads_file()
        .group(kDualGroup);
    add_described_options(app, command.train.dual, kDualGroup);
    add_described_options(app, command.train.perceptron, kPerceptronGroup);
    add_option(app, "--trace", command.trace, "CSV of the proof, mistake by mistake")
        .type_name("FILE")
        .writes_file()
        .group(kPerceptronGroup);
    add_flag(app, "--loo", command.train.outputs.leave_one_out,
             "krr, klr, ls-svc: leave-one-out error");
    add_flag(app, "--dry-run", command.dry_run, "print the memory and time plan only");
    add_model_data_argument(app, command.data);
}

/// The expression for which --gamma or --sigma is a shorthand.
std::string expanded_shorthand(const KernelArgument& argument) {
    const bool gamma = !argument.gamma.empty();
    const char* option = gamma ? "--gamma" : "--sigma";
    if (!argument.text.empty() && argument.text != "rbf") {
        throw UsageError(fmt::format(
            "{}: stands for the parameter of a single rbf kernel, and --kernel gives another "
            "expression; write it there: rbf({}=...)",
            option, gamma ? "gamma" : "sigma"));
    }
    return gamma ? fmt::format("rbf(gamma={})", argument.gamma)
                 : fmt::format("rbf(sigma={})", argument.sigma);
}

/// Warns if the classes look like values of a numeric quantity.
void warn_of_quantity(Session& session, const Dataset& data, const std::string& model) {
    constexpr std::size_t kFewClasses = 10;
    const std::size_t classes = data.label_names.size();
    if (classes <= kFewClasses || !are_numbers(data.label_names)) {
        return;
    }
    const auto fractions =
        std::count_if(data.label_names.begin(), data.label_names.end(), [](const auto& name) {
            return name.find('.') != std::string::npos || name.find('e') != std::string::npos;
        });
    if (fractions == 0 && 2 * static_cast<index_t>(classes) <= data.rows()) {
        return;
    }
    const std::string text = fmt::format(
        "{}: {} classes for {} rows{}: is the target a quantity? --model svr or krr predicts one",
        model, classes, data.rows(),
        fractions == 0 ? "" : fmt::format(", {} of them numbers that are not whole", fractions));
    if (!session.record_notes({text}).empty()) {
        session.warn(text);
    }
}

}  // namespace

void add_training_kernel(CLI::App& command, KernelArgument& kernel) {
    add_option(command, "--kernel", kernel.text, "kernel expression (mercer kernel list)")
        .type_name("EXPR")
        .not_empty()
        .default_text(kStandardKernel);
    Argument gamma = add_option(command, "--gamma", kernel.gamma, "for --kernel 'rbf(gamma=R)'")
                         .type_name("R")
                         .not_empty()
                         .group(kRbfGroup);
    add_option(command, "--sigma", kernel.sigma, "for --kernel 'rbf(sigma=R)'")
        .type_name("R")
        .not_empty()
        .group(kRbfGroup)
        .excludes(gamma);
}

Dataset read_training_data(Session& session, const DataArgument& argument, const std::string& model,
                           const std::string& weights) {
    ReadOptions options = argument.read;
    const bool classes = is_classifier(model);
    options.task = classes ? "classification" : "regression";
    Dataset data = read_data(session, argument.path, options);
    read_row_weights(session, weights, data);
    try {
        if (classes) {
            data = to_classes(std::move(data));
            warn_of_quantity(session, data, model);
        }
        require_trainable(data, model);
    } catch (const InvalidArgument& fault) {
        throw DataError(fmt::format("{}: {}", argument.path, fault.what()));
    }
    return data;
}

Kernel training_kernel(Session& session, const KernelArgument& argument, const std::string& model,
                       bool allow_indefinite) {
    const bool shorthand = !argument.gamma.empty() || !argument.sigma.empty();
    if (is_linear_by_default(model) && argument.text.empty() && !shorthand) {
        return linear_kernel();
    }
    KernelArgument named = argument;
    named.text = shorthand               ? expanded_shorthand(argument)
                 : argument.text.empty() ? kStandardKernel
                                         : argument.text;
    const Kernel kernel = parse_argument(session, named);
    require_definite(kernel, {.text = "", .allow_indefinite = allow_indefinite});
    return kernel;
}

void add_train_command(CLI::App& root, Session& session) {
    add_command<TrainCommand>(
        root, session,
        {"train", "train a model with a certificate of optimality",
         "  mercer train moons.svm -o moons.mercer --kernel 'rbf(gamma=2)' -C 10\n"
         "  mercer train f.npz -o f.mercer --model krr --alpha 0.1 --scale standard\n"},
        describe_train, run_train);
}

}  // namespace mercer::cli
