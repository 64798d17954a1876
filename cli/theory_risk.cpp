// SPDX-License-Identifier: Apache-2.0
//
// cli/theory_risk.cpp - mercer theory risk: the mean loss of a model, on rows and on a
// distribution.
#include <cmath>
#include <optional>

#include "command.hpp"
#include "kernel_access.hpp"
#include "mercer/fit/risk.hpp"
#include "model_access.hpp"
#include "option_registrar.hpp"
#include "theory_commands.hpp"

namespace mercer::cli {

namespace {

struct RiskCommand {
    ModelArguments arguments;
    std::vector<std::string> losses;
    double epsilon = kNaN;
    ExpectedRiskOptions expected;
};

struct Found {
    std::vector<RiskLoss> losses;
    std::vector<RiskEstimate> empirical;  ///< empty: no DATA
    std::optional<ExpectedRisk> expected;
};

/// The relation of a loss to the machine.
std::string kind_of(const RiskLoss& loss) {
    return is_surrogate(loss) ? "surrogate" : is_classification(loss) ? "classes" : "numbers";
}

Json to_json(Json json, const Found& found, const RiskCommand& command) {
    const std::vector<RiskEstimate>& any =
        found.empirical.empty() ? found.expected->risks : found.empirical;
    json["rows"] = found.empirical.empty() ? Json() : Json(any.front().rows);
    if (found.expected) {
        json["generator"] = command.expected.generate.name;
        json["method"] = found.expected->method;
        json["samples"] = found.expected->rows;
    }
    json["losses"] = Json::array();
    for (std::size_t k = 0; k < found.losses.size(); ++k) {
        Json row{{"loss", name_of(found.losses[k])}, {"surrogate", is_surrogate(found.losses[k])}};
        if (!found.empirical.empty()) {
            row["risk"] = found.empirical[k].risk;
            row["standard_error"] = found.empirical[k].standard_error;
        }
        if (found.expected) {
            row["expected_risk"] = found.expected->risks[k].risk;
            row["expected_error"] = found.expected->risks[k].standard_error;
        }
        json["losses"].push_back(std::move(row));
    }
    return json;
}

std::string risk_text(const RiskEstimate& estimate) {
    return std::isnan(estimate.standard_error)
               ? fmt::format("{:.6g}", estimate.risk)
               : fmt::format("{:.6g} +- {:.2g}", estimate.risk, estimate.standard_error);
}

std::string to_text(const Model& model, const Found& found, const RiskCommand& command) {
    std::string text = fmt::format("model     {}, {}\n", model.machine, to_string(model.kernel));
    if (!found.empirical.empty()) {
        text += fmt::format("rows      {}, +- the standard error of the mean\n",
                            found.empirical.front().rows);
    }
    if (found.expected) {
        text += fmt::format("expected  {}, {} {}\n", command.expected.generate.name,
                            found.expected->method == "quadrature"
                                ? "quadrature, +- the change from half the panels; points"
                                : "Monte Carlo, +- the standard error; fresh rows",
                            found.expected->rows);
    }
    const bool both = found.expected && !found.empirical.empty();
    text += fmt::format("{:<17}{:<11}{}\n", "loss", "kind",
                        both                      ? "risk on the rows        expected"
                        : found.empirical.empty() ? "expected"
                                                  : "risk on the rows");
    for (std::size_t k = 0; k < found.losses.size(); ++k) {
        std::string line =
            fmt::format("{:<17}{:<11}", name_of(found.losses[k]), kind_of(found.losses[k]));
        if (!found.empirical.empty()) {
            line += fmt::format("{:<24}", risk_text(found.empirical[k]));
        }
        if (found.expected) {
            line += risk_text(found.expected->risks[k]);
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

ExitStatus run_risk(Session& session, const RiskCommand& command) {
    const bool has_data = !command.arguments.data.path.empty();
    const bool has_generator = !command.expected.generate.name.empty();
    if (!has_data && !has_generator) {
        throw UsageError("give DATA for the risk on rows, --generator for the expected risk");
    }
    Model model = read_model(session, command.arguments.model);
    Found found;
    found.losses =
        losses_for(model, command.losses,
                   std::isnan(command.epsilon) ? (model.epsilon > 0.0 ? model.epsilon : 0.1)
                                               : command.epsilon);
    if (has_data) {
        Dataset rows = read_rows_for(session, model, command.arguments);
        require_known_targets(model, rows, command.arguments.data.path);
        if (rows.rows() == 0) {
            throw DataError(fmt::format("{}: there are no rows", command.arguments.data.path));
        }
        read_row_weights(session, command.arguments.weights, rows);
        found.empirical = session.timed(
            "risk", [&] { return model_risk(model, rows, found.losses, session.context()); });
    }
    if (has_generator) {
        ExpectedRiskOptions options = command.expected;
        options.generate.seed = session.options.seed;
        found.expected = session.timed("expected", [&] {
            return expected_risk(model, found.losses, options, session.context());
        });
    }
    Json json = session.json_result();
    json["model"] = model.machine;
    session.emit_timed(to_json(std::move(json), found, command), to_text(model, found, command));
    return ExitStatus::done;
}

void describe_risk(CLI::App& app, RiskCommand& command) {
    constexpr const char* kGroup = "Expected risk";
    add_model_argument(app, command.arguments.model);
    add_option(app, "--loss", command.losses, "losses by name; default all that fit the model")
        .type_name("NAME[,NAME...]")
        .delimiter(',');
    OptionRegistrar(app).number("epsilon", command.epsilon, Range::non_negative(),
                                "tube of the epsilon losses; default the model's, or 0.1");
    add_weights_option(app, command.arguments.weights);
    command.expected.generate.name.clear();
    // Columns and classes come from the model.
    add_described_options(
        app, command.expected.generate, kGroup,
        {{"name", "generator"}, {"rows", ""}, {"columns", ""}, {"classes", ""}, {"seed", ""}});
    OptionRegistrar expected(app, kGroup);
    expected.choice("method", command.expected.method, {"auto", "quadrature", "monte-carlo"},
                    "how the expectation is taken");
    expected.integer("samples", command.expected.samples, Range::at_least(2.0),
                     "fresh rows of Monte Carlo");
    add_model_data_argument(app, command.arguments.data);
    find_option(app, "DATA").required(false);
}

}  // namespace

void add_theory_risk(CLI::App& group, Session& session) {
    add_command<RiskCommand>(
        group, session,
        {"risk", "mean loss of a model on rows, and its expectation on a distribution",
         "  mercer theory risk moons.mercer test.svm\n"
         "  mercer theory risk moons.mercer moons.svm --loss hinge,zero-one --json\n"
         "  mercer theory risk moons.mercer moons.svm --generator moons --noise 0.2\n"},
        describe_risk, run_risk);
}

}  // namespace mercer::cli
