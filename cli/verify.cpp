// SPDX-License-Identifier: Apache-2.0
//
// cli/verify.cpp - mercer verify: recomputes the certificate from the files alone.
#include "mercer/audit/verify.hpp"

#include "command.hpp"
#include "model_access.hpp"
#include "option_registrar.hpp"
#include "path.hpp"

namespace mercer::cli {

namespace {

struct VerifyCommand {
    ModelArguments arguments;
    bool explain = false;
};

Json to_json(Json json, const VerifyReport& report) {
    json["holds"] = report.holds;
    json["states_certificate"] = report.states;
    json["training_rows"] = !report.other_rows;
    for (const auto& [name, list] :
         {std::pair{"stated", &report.stated}, std::pair{"recomputed", &report.recomputed}}) {
        if (!list->empty()) {
            json[name] = certificate_json(total_certificate(*list));
        }
        if (list->size() > 1) {
            Json each = Json::array();
            for (const Certificate& certificate : *list) {
                each.push_back(certificate_json(certificate));
            }
            json[std::string(name) + "_outputs"] = std::move(each);
        }
    }
    json["conditions"] = Json::array();
    for (const VerifyCondition& condition : report.conditions) {
        json["conditions"].push_back(Json{{"name", condition.name},
                                          {"holds", condition.holds},
                                          {"explanation", condition.explanation}});
    }
    return json;
}

std::string to_text(const VerifyReport& report, bool explain) {
    if (!report.states) {
        return "nothing to verify: the model comes from another program and states no "
               "certificate\n";
    }
    std::string text =
        report.holds ? "holds: the model is what its certificate says\n"
        : report.other_rows
            ? "these are not the training rows: the certificate does NOT hold for them\n"
            : "does NOT hold\n";
    text += certificates_text(report.stated, "stated      ");
    text += certificates_text(report.recomputed, "recomputed  ");
    for (const VerifyCondition& condition : report.conditions) {
        if (explain || !condition.holds) {
            text += fmt::format("{} {}\n       {}\n", condition.holds ? "[ok]  " : "[FAIL]",
                                condition.name, condition.explanation);
        }
    }
    return text;
}

ExitStatus run_verify(Session& session, const VerifyCommand& command) {
    Model model = read_model_at(session, command.arguments.model, command.arguments.at);
    Dataset rows = read_rows_for(session, model, command.arguments);
    if (model.machine != kOneClass) {  // every row is an inlier, whatever its label
        require_known_targets(model, rows, command.arguments.data.path);
    }
    read_row_weights(session, command.arguments.weights, rows);
    const VerifyReport report =
        session.timed("verify", [&] { return verify_model(model, rows, session.context()); });
    session.emit_timed(to_json(session.json_result(), report), to_text(report, command.explain));
    return report.holds ? ExitStatus::done : ExitStatus::stopped;
}

}  // namespace

void add_verify_command(CLI::App& root, Session& session) {
    add_command<VerifyCommand>(
        root, session,
        {"verify", "recompute a model's certificate from its training data",
         "  mercer verify moons.mercer moons.svm\n"
         "  mercer verify moons.mercer moons.svm --explain\n"
         "Exit status 0 only when everything the model states holds. A model of another\n"
         "program states nothing.\n"},
        [](CLI::App& app, VerifyCommand& command) {
            add_model_argument(app, command.arguments.model);
            add_at_option(app, command.arguments.at);
            add_weights_option(app, command.arguments.weights);
            OptionRegistrar(app).flag("explain", command.explain, "print every condition in words");
            add_model_data_argument(app, command.arguments.data);
        },
        run_verify);
}

}  // namespace mercer::cli
