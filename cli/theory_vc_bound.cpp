// SPDX-License-Identifier: Apache-2.0
//
// cli/theory_vc_bound.cpp - mercer theory vc-bound: what a VC dimension guarantees.
#include "command.hpp"
#include "mercer/theory/bounds.hpp"
#include "option_registrar.hpp"
#include "theory_commands.hpp"

namespace mercer::cli {

namespace {

struct VcBoundCommand {
    index_t rows = 0;
    index_t dimension = 0;
    double delta = 0.05;
    double risk = 0.0;
};

std::string to_text(const VcBoundCommand& command, const VcBound& found, bool vacuous) {
    std::string text = fmt::format(
        "rows        {}\ndimension   {}\nrisk        {:.6g}, on the rows\n"
        "complexity  {:.6g} = sqrt((h (ln(2n/h) + 1) + ln(4/delta)) / n)\n"
        "bound       {:.6g}, with probability {:.6g}\n",
        command.rows, command.dimension, command.risk, found.complexity_term, found.bound,
        1.0 - command.delta);
    text += vacuous ? "verdict     vacuous: no risk is above 1\n"
                    : fmt::format("verdict     the expected risk is at most {:.4g}\n", found.bound);
    return text + (found.informative_rows == 0
                       ? "needs       no number of rows is enough at this risk\n"
                       : fmt::format("needs       {} rows or more to say anything (below 1)\n",
                                     found.informative_rows));
}

ExitStatus run_vc_bound(Session& session, const VcBoundCommand& command) {
    const VcBound found = vc_bound(command.rows, command.dimension, command.delta, command.risk);
    const bool vacuous = !(found.bound < 1.0);
    Json json = session.json_result();
    json["rows"] = command.rows;
    json["dimension"] = command.dimension;
    json["delta"] = command.delta;
    json["risk"] = command.risk;
    json["complexity_term"] = found.complexity_term;
    json["bound"] = found.bound;
    json["vacuous"] = vacuous;
    json["informative_rows"] = found.informative_rows == 0 ? Json() : Json(found.informative_rows);
    session.emit_timed(std::move(json), to_text(command, found, vacuous));
    return ExitStatus::done;
}

void describe_vc_bound(CLI::App& app, VcBoundCommand& command) {
    OptionRegistrar registrar(app);
    registrar.integer("rows", command.rows, Range::at_least(1.0), "n, rows of the training set");
    registrar.integer("dimension", command.dimension, Range::non_negative(),
                      "h < n, VC dimension of the class of predictors");
    registrar.number("delta", command.delta, Range::positive(),
                     "probability that the bound fails, below 1");
    registrar.number("risk", command.risk, Range::within(0.0, 1.0),
                     "share of training rows that are wrong");
    find_option(app, "--rows").required();
    find_option(app, "--dimension").required();
}

}  // namespace

void add_theory_vc_bound(CLI::App& group, Session& session) {
    add_command<VcBoundCommand>(
        group, session,
        {"vc-bound", "the VC bound of the expected risk, and the rows it needs",
         "  mercer theory vc-bound --rows 1000 --dimension 10\n"
         "  mercer theory vc-bound --rows 100 --dimension 3 --delta 0.1 --risk 0.02\n"},
        describe_vc_bound, run_vc_bound);
}

}  // namespace mercer::cli
