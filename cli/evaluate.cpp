// SPDX-License-Identifier: Apache-2.0
//
// cli/evaluate.cpp - mercer evaluate: predictions against known targets.
#include "command.hpp"
#include "mercer/models/predict.hpp"
#include "model_access.hpp"
#include "path.hpp"
#include "printable.hpp"

namespace mercer::cli {

namespace {

Json to_json(Json json, const ClassificationReport& report, const Model& model) {
    json["accuracy"] = report.accuracy;
    json["balanced_accuracy"] = report.balanced_accuracy;
    json["confusion"] = report.confusion;
    json["auc"] = report.auc;
    json["log_loss"] = report.log_loss;
    json["brier"] = report.brier;
    if (model.is_ordinal()) {
        json["mae"] = report.rank_error;
    }
    json["classes"] = model.labels;
    return json;
}

std::string to_text(const ClassificationReport& report, const Model& model) {
    std::string text =
        fmt::format("rows               {}\naccuracy           {:.6g}\nbalanced accuracy  {:.6g}\n",
                    report.rows, report.accuracy, report.balanced_accuracy);
    if (model.is_ordinal()) {
        text += fmt::format("mae                {:.6g} (classes apart)\n", report.rank_error);
    }
    if (model.labels.size() == 2) {
        text += fmt::format("auc                {:.6g}\n", report.auc);
    }
    if (model.link.gives_probabilities()) {
        text += fmt::format("log loss           {:.6g}\nbrier              {:.6g}\n",
                            report.log_loss, report.brier);
    }
    text += "confusion          predicted\n  true      ";
    for (const std::string& label : model.labels) {
        text += fmt::format(" {:>10}", printable(label));
    }
    for (std::size_t i = 0; i < report.confusion.size(); ++i) {
        text += fmt::format("\n  {:<10}", printable(model.labels[i]));
        for (const index_t count : report.confusion[i]) {
            text += fmt::format(" {:>10}", count);
        }
    }
    return text + "\n";
}

Json to_json(Json json, const RegressionReport& report) {
    json["rmse"] = report.rmse;
    json["mae"] = report.mae;
    json["r2"] = report.r2;
    json["max_error"] = report.max_error;
    return json;
}

std::string to_text(const RegressionReport& report) {
    return fmt::format(
        "rows       {}\nrmse       {:.6g}\nmae        {:.6g}\nr2         {:.6g}\n"
        "max error  {:.6g}\n",
        report.rows, report.rmse, report.mae, report.r2, report.max_error);
}

Json to_json(Json json, const RankingReport& report) {
    json["queries"] = report.queries;
    json["pairs"] = report.pairs;
    json["concordant_pairs"] = report.concordant;
    json["discordant_pairs"] = report.discordant;
    json["pair_accuracy"] = report.pair_accuracy;
    json["kendall_tau"] = report.kendall_tau;
    return json;
}

std::string to_text(const RankingReport& report) {
    return fmt::format(
        "rows           {}\nqueries        {}\npairs          {}: {} in order, {} reversed, {} "
        "tied\npair accuracy  {:.6g}\nkendall tau    {:.6g}\n",
        report.rows, report.queries, report.pairs, report.concordant, report.discordant,
        report.pairs - report.concordant - report.discordant, report.pair_accuracy,
        report.kendall_tau);
}

ExitStatus run_evaluate(Session& session, const ModelArguments& arguments) {
    Model model = read_model_at(session, arguments.model, arguments.at);
    Dataset rows = read_rows_for(session, model, arguments);
    require_known_targets(model, rows, arguments.data.path);
    Context& context = session.context();
    Json json = session.json_result();
    json["model"] = model.machine;
    json["rows"] = rows.rows();
    if (model.is_ranking()) {
        const RankingReport report =
            session.timed("evaluate", [&] { return evaluate_ranking(model, rows, context); });
        session.emit_timed(to_json(std::move(json), report), to_text(report));
    } else if (model.labels.empty()) {
        const RegressionReport report =
            session.timed("evaluate", [&] { return evaluate_values(model, rows, context); });
        session.emit_timed(to_json(std::move(json), report), to_text(report));
    } else {
        const ClassificationReport report =
            session.timed("evaluate", [&] { return evaluate_classes(model, rows, context); });
        session.emit_timed(to_json(std::move(json), report, model), to_text(report, model));
    }
    return ExitStatus::done;
}

}  // namespace

void add_evaluate_command(CLI::App& root, Session& session) {
    add_command<ModelArguments>(
        root, session,
        {"evaluate", "score a model on labelled data",
         "  mercer evaluate moons.mercer test.svm\n"
         "  mercer evaluate f.mercer test.csv --target price --json\n"},
        [](CLI::App& app, ModelArguments& arguments) {
            add_model_argument(app, arguments.model);
            add_at_option(app, arguments.at);
            add_model_data_argument(app, arguments.data);
        },
        run_evaluate);
}

}  // namespace mercer::cli
