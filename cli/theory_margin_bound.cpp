// SPDX-License-Identifier: Apache-2.0
//
// cli/theory_margin_bound.cpp - mercer theory margin-bound: what a margin guarantees.
#include <algorithm>

#include "command.hpp"
#include "kernel_access.hpp"
#include "mercer/fit/model_bounds.hpp"
#include "model_access.hpp"
#include "option_registrar.hpp"
#include "theory_commands.hpp"

namespace mercer::cli {

namespace {

struct MarginBoundCommand {
    ModelArguments arguments;
    double delta = 0.05;
};

Json bounds_json(const std::vector<Bound>& bounds) {
    Json list = Json::array();
    for (const Bound& bound : bounds) {
        list.push_back(Json{{"name", bound.name},
                            {"value", bound.value},
                            {"applies", bound.applies()},
                            {"vacuous", bound.vacuous()},
                            {"theorem", bound.theorem},
                            {"note", bound.note}});
    }
    return list;
}

std::string bounds_text(const std::vector<Bound>& bounds) {
    std::string text;
    for (const Bound& bound : bounds) {
        const std::string value = !bound.applies()  ? "-"
                                  : bound.vacuous() ? fmt::format("{:.4g} vacuous", bound.value)
                                                    : fmt::format("{:.4g}", bound.value);
        text += fmt::format("  {:<19}{:<15}{}\n", bound.name, value, bound.note);
    }
    return text;
}

/// The smallest non-trivial bound, in words.
std::string verdict(const std::vector<Bound>& bounds) {
    const auto best = std::min_element(
        bounds.begin(), bounds.end(),
        [](const Bound& a, const Bound& b) { return !a.vacuous() && !(b.value <= a.value); });
    return best->vacuous() ? "none says anything at this number of rows"
                           : fmt::format("{} says most: {:.4g}", best->name, best->value);
}

Json to_json(Json json, const ModelBounds& found, double delta) {
    const MarginReport& margin = found.margin;
    json["rows"] = found.rows;
    json["delta"] = delta;
    json["risk"] = margin.risk;
    json["norm"] = margin.norm;
    json["radius"] = found.radius;
    json["centre_radius"] = found.centre_radius;
    json["functional_margin"] = margin.functional_margin;
    json["geometric_margin"] = margin.geometric_margin;
    json["embedded_radius"] = margin.embedded_radius;
    json["embedded_norm"] = margin.embedded_norm;
    json["canonical_norm"] = margin.canonical_norm;
    json["dimension"] = margin.dimension;
    json["bounds"] = bounds_json(margin.bounds);
    json["leave_one_out"] = bounds_json(found.leave_one_out);
    return json;
}

std::string to_text(const Model& model, const ModelBounds& found, double delta) {
    const MarginReport& margin = found.margin;
    std::string text =
        fmt::format("model           {}, {}\n", model.machine, to_string(model.kernel));
    text += fmt::format("rows            {}, risk {:.6g} on them\n", found.rows, margin.risk);
    text += fmt::format("norm            |w| = {:.6g}, intercept {:.6g}{}\n", margin.norm,
                        model.intercepts.front(),
                        model.has_intercept ? ", below as a column more" : "");
    text += fmt::format("radius          {:.6g} about 0, {:.6g} about the best centre\n",
                        found.radius, found.centre_radius);
    text += fmt::format("margin          least |f| = {:.6g}, at distance {:.6g}\n",
                        margin.functional_margin, margin.geometric_margin);
    text += fmt::format("canonical form  R = {:.6g}, |w| = {:.6g}: h <= R^2 |w|^2 = {:.6g}\n",
                        margin.embedded_radius, margin.canonical_norm, margin.dimension);
    text += fmt::format("risk            with probability {:.6g} at most\n", 1.0 - delta) +
            bounds_text(margin.bounds) +
            fmt::format("                {}\n", verdict(margin.bounds));
    return text + "leave-one-out   error at most\n" + bounds_text(found.leave_one_out) +
           fmt::format("                {}\n", verdict(found.leave_one_out));
}

ExitStatus run_margin_bound(Session& session, const MarginBoundCommand& command) {
    Model model = read_model(session, command.arguments.model);
    Dataset rows = read_rows_for(session, model, command.arguments);
    require_known_targets(model, rows, command.arguments.data.path);
    read_row_weights(session, command.arguments.weights, rows);
    const ModelBounds found = session.timed("bounds", [&] {
        return naming_file(command.arguments.data.path, [&] {
            return model_bounds(model, rows, command.delta, session.context());
        });
    });
    Json json = session.json_result();
    json["model"] = model.machine;
    json["kernel"] = to_string(model.kernel);
    session.emit_timed(to_json(std::move(json), found, command.delta),
                       to_text(model, found, command.delta));
    return ExitStatus::done;
}

}  // namespace

void add_theory_margin_bound(CLI::App& group, Session& session) {
    add_command<MarginBoundCommand>(
        group, session,
        {"margin-bound", "bounds of a model's risk by its margin and its support vectors",
         "  mercer theory margin-bound moons.mercer moons.svm\n"
         "  mercer theory margin-bound moons.mercer moons.svm --delta 0.01 --json\n"
         "DATA are the rows the model was trained on.\n"},
        [](CLI::App& app, MarginBoundCommand& command) {
            add_model_argument(app, command.arguments.model);
            OptionRegistrar(app).number("delta", command.delta, Range::positive(),
                                        "probability that a bound fails, below 1");
            add_weights_option(app, command.arguments.weights);
            add_model_data_argument(app, command.arguments.data);
        },
        run_margin_bound);
}

}  // namespace mercer::cli
