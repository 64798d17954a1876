// SPDX-License-Identifier: Apache-2.0
//
// cli/convert.cpp - mercer convert: a model from one file format to another.
#include "command.hpp"
#include "mercer/formats/libsvm_model.hpp"
#include "mercer/formats/model_file.hpp"
#include "model_access.hpp"
#include "path.hpp"
#include "stoppable_files.hpp"

namespace mercer::cli {

namespace {

struct ConvertCommand {
    std::string model;
    std::string at;
    std::string output;
};

ExitStatus run_convert(Session& session, const ConvertCommand& command) {
    const bool libsvm = command.output.ends_with(".libsvm");
    if (!libsvm && !command.output.ends_with(".mercer")) {
        throw UsageError(fmt::format("--output: got '{}', the suffix must be .mercer or .libsvm",
                                     command.output));
    }
    const Model model = read_model_at(session, command.model, command.at);
    StoppableFiles files(session.context());
    session.timed("write", [&] {
        if (libsvm) {
            write_libsvm_model(to_libsvm(model), command.output, files);
        } else {
            save_model(model, command.output, files);
        }
    });
    session.say(fmt::format("wrote {}", command.output));
    Json json = session.json_result();
    json["model"] = model.machine;
    json["file"] = command.output;
    json["support_vectors"] = model.support.rows();
    session.emit_timed(std::move(json), "");
    return ExitStatus::done;
}

}  // namespace

void add_convert_command(CLI::App& root, Session& session) {
    add_command<ConvertCommand>(
        root, session,
        {"convert", "convert a model to another file format",
         "  mercer convert letter.mercer -o letter.libsvm\n"
         "  mercer convert old.model -o old.mercer\n"
         "  mercer convert heart.path --at C=3.7 -o heart.mercer\n"
         "LIBSVM model files are read under any name. A model from LIBSVM has no certificate.\n"},
        [](CLI::App& app, ConvertCommand& command) {
            add_model_argument(app, command.model);
            add_at_option(app, command.at);
            add_output_option(app, command.output, "file to write: .mercer or .libsvm");
        },
        run_convert);
}

}  // namespace mercer::cli
