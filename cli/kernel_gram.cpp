// SPDX-License-Identifier: Apache-2.0
//
// cli/kernel_gram.cpp - mercer kernel gram.
#include "command.hpp"
#include "data_access.hpp"
#include "gram_writer.hpp"
#include "kernel_access.hpp"
#include "kernel_commands.hpp"
#include "matrix_file.hpp"
#include "option_registrar.hpp"

namespace mercer::cli {

namespace {

struct GramOptions {
    KernelArgument kernel;
    DataArgument data;
    std::string against;
    std::string output;
    std::string precision = "double";
    bool diagonal = false;
};

/// Throws for options that conflict.
void require_sense(Session& session, const GramOptions& options) {
    session.require_free_output(options.output);
    if (options.diagonal && !options.against.empty()) {
        throw UsageError("--diagonal is of one data set: leave out --against");
    }
    if (options.data.path == "-" && options.against == "-") {
        throw UsageError("DATA and --against cannot both be standard input");
    }
}

/// Reports what was written, in words and as JSON.
void report(Session& session, const GramOptions& options, const Kernel& kernel, index_t rows,
            index_t columns, const std::string& plan) {
    const char* width = to_string(parse_precision(options.precision));
    session.explain(plan);
    session.say(fmt::format("wrote {}: {} x {} {}, {}", options.output, rows, columns, width,
                            to_string(kernel)));
    Json json = session.json_result();
    json["kernel"] = to_string(kernel);
    json["definiteness"] = to_string(kernel.definiteness());
    json["file"] = options.output;
    json["rows"] = rows;
    json["columns"] = columns;
    json["precision"] = width;
    json["plan"] = plan;
    session.emit_timed(std::move(json), "");
}

ExitStatus run_gram(Session& session, const GramOptions& options) {
    require_sense(session, options);
    const Kernel given = parse_argument(session, options.kernel);
    require_definite(given, options.kernel);
    const Dataset data = read_data(session, options.data.path, options.data.read);
    const Kernel kernel = bind_to_data(session, given, data);
    const GramRequest request{options.output, matrix_format(options.output),
                              parse_precision(options.precision)};
    if (options.diagonal) {
        naming_file(options.data.path, [&] {
            session.timed("gram", [&] { write_diagonal(session, kernel, data, request); });
        });
        report(session, options, kernel, data.rows(), 1, "diagonal by the scalar formulas");
        return ExitStatus::done;
    }
    std::optional<Dataset> against;
    if (!options.against.empty()) {
        against = read_data(session, options.against, options.data.read);
    }
    // A row outside the domain may belong to either file.
    const std::string files =
        against ? options.data.path + " or " + options.against : options.data.path;
    const std::string plan = naming_file(files, [&] {
        return session.timed("gram", [&] {
            return write_gram(session, kernel, data, against ? &*against : nullptr, request);
        });
    });
    report(session, options, kernel, data.rows(), against ? against->rows() : data.rows(), plan);
    return ExitStatus::done;
}

void describe_gram(CLI::App& app, GramOptions& options) {
    add_kernel_argument(app, options.kernel);
    add_output_option(app, options.output, "file to write: .npy, .csv, or - for CSV text");
    add_option(app, "--against", options.against, "second data set: one column per its row")
        .type_name("FILE")
        .reads_file();
    add_precision_option(app, options.precision);
    OptionRegistrar(app).flag("diagonal", options.diagonal, "only k(x, x), one number per row");
    add_allow_indefinite(app, options.kernel);
    add_data_argument(app, options.data);
}

}  // namespace

void add_kernel_gram(CLI::App& group, Session& session) {
    add_command<GramOptions>(
        group, session,
        {"gram", "compute the matrix of kernel values of all pairs of rows",
         "  mercer kernel gram 'rbf(gamma=scale)' train.svm -o K.npy --precision float\n"
         "  mercer kernel gram linear test.svm --against train.svm -o K.csv\n"},
        describe_gram, run_gram);
}

}  // namespace mercer::cli
