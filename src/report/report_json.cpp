// SPDX-License-Identifier: Apache-2.0
//
// src/report/report_json.cpp - every number of a report as JSON.
#include <cmath>
#include <nlohmann/json.hpp>

#include "mercer/report/report.hpp"

namespace mercer {

namespace {

using Json = nlohmann::ordered_json;

Json pairs_json(const std::vector<std::pair<double, double>>& pairs, const char* first,
                const char* second) {
    Json out = Json::array();
    for (const auto& [x, y] : pairs) {
        out.push_back({{first, x}, {second, y}});
    }
    return out;
}

Json estimate_json(const MeasuredValue& one) {
    Json out{{"value", one.value}};
    if (!std::isnan(one.low)) {
        out["low"] = one.low;
        out["high"] = one.high;
        out["method"] = one.method;
    }
    return out;
}

Json certificate_json(const std::vector<Certificate>& list) {
    if (list.empty()) {
        return {};
    }
    const Certificate total = total_certificate(list);
    return {{"primal", total.primal},
            {"dual", total.dual},
            {"gap", total.gap},
            {"relative_gap", relative_gap(total)},
            {"kkt_violation", total.kkt_violation},
            {"exact", total.exact}};
}

Json curves_json(const std::vector<ClassCurve>& curves) {
    Json out = Json::array();
    for (const ClassCurve& curve : curves) {
        out.push_back({{"class", curve.name},
                       {"rows", curve.positives},
                       {"auc", curve.auc},
                       {"average_precision", curve.average_precision},
                       {"roc", pairs_json(curve.roc, "false_positive_rate", "true_positive_rate")},
                       {"precision_recall", pairs_json(curve.recall, "recall", "precision")}});
    }
    return out;
}

Json rows_json(const ReportRows& rows) {
    Json out{{"name", rows.name}, {"rows", rows.rows}, {"measures", Json::object()}};
    for (const MeasuredValue& one : rows.measures) {
        out["measures"][one.name] = estimate_json(one);
    }
    if (!rows.confusion.empty()) {
        out["confusion"] = rows.confusion;
    }
    if (!rows.curves.empty()) {
        out["curves"] = curves_json(rows.curves);
    }
    if (!rows.calibration.empty()) {
        Json bins = Json::array();
        for (const CalibrationBin& bin : rows.calibration) {
            bins.push_back({{"predicted", bin.predicted},
                            {"observed", bin.observed},
                            {"low", bin.low},
                            {"high", bin.high},
                            {"rows", bin.rows}});
        }
        out["calibration"] = {{"of", rows.calibrated}, {"bins", std::move(bins)}};
    }
    out["histogram"] = {{"of", rows.histogram.label},
                        {"low", rows.histogram.low},
                        {"width", rows.histogram.width},
                        {"counts", rows.histogram.counts}};
    if (!rows.pairs.empty()) {
        out["predictions"] = pairs_json(rows.pairs, "prediction", "target");
    }
    return out;
}

Json support_json(const Report& report) {
    Json out{{"support_vectors", report.support},
             {"bounded_support_vectors", report.bounded < 0 ? Json() : Json(report.bounded)},
             {"margin", report.margin},
             {"by_class", Json::object()}};
    for (const auto& [name, count] : report.support_by_class) {
        out["by_class"][name] = count;
    }
    out["score"] = report.score_name;
    out["columns"] = report.shown_columns;
    out["hardest"] = Json::array();
    for (const HardRow& row : report.hardest) {
        out["hardest"].push_back({{"row", row.row + 1},
                                  {"target", row.target},
                                  {"predicted", row.predicted},
                                  {"score", row.score},
                                  {"coefficient", row.coefficient},
                                  {"bounded", row.bounded},
                                  {"values", row.cells}});
    }
    return out;
}

Json effects_json(const std::vector<ColumnEffect>& effects) {
    Json out = Json::array();
    for (const ColumnEffect& effect : effects) {
        Json one{{"column", effect.column}, {"value", effect.value}};
        if (!std::isnan(effect.low)) {
            one["low"] = effect.low;
            one["high"] = effect.high;
        }
        out.push_back(std::move(one));
    }
    return out;
}

void add_training(const Report& report, Json& out) {
    if (!report.leave_one_out.empty()) {
        out["leave_one_out"] = {{"alpha", report.alpha},
                                {"curve", pairs_json(report.leave_one_out, "alpha", "rmse")}};
    }
    if (!report.learning.empty()) {
        Json points = Json::array();
        for (const LearningPoint& point : report.learning) {
            points.push_back({{"rows", point.rows},
                              {"training", estimate_json(point.training)},
                              {"validation", estimate_json(point.validation)},
                              {"seconds", point.seconds},
                              {"status", point.status}});
        }
        out["learning"] = {{"measure", report.learning_measure}, {"points", std::move(points)}};
    }
    if (!report.convergence.empty()) {
        out["convergence"] = Json::array();
        for (const GapPoint& point : report.convergence) {
            out["convergence"].push_back({{"seconds", point.seconds},
                                          {"iteration", point.iteration},
                                          {"relative_gap", point.relative_gap}});
        }
    }
    if (report.grid) {
        out["grid"] = {{"names", report.grid->names},
                       {"measure", report.grid->measure},
                       {"values", report.grid->values},
                       {"scores", report.grid->scores},
                       {"best", report.grid->best}};
    }
}

}  // namespace

std::string report_json(const Report& report) {
    Json out{{"model", report.machine},   {"kernel", report.kernel},
             {"task", report.task},       {"classes", report.classes},
             {"problem", report.problem}, {"certificate", certificate_json(report.stated)},
             {"proved", report.proved},   {"not_proved", report.not_proved}};
    if (report.verified) {
        out["verify"] = {{"holds", report.verified->holds},
                         {"recomputed", certificate_json(report.verified->recomputed)}};
    }
    out["sets"] = Json::array();
    for (const ReportRows& rows : report.rows) {
        out["sets"].push_back(rows_json(rows));
    }
    out["support"] = support_json(report);
    if (!report.weights.empty()) {
        out["weights"] = effects_json(report.weights);
    }
    if (!report.importance.empty()) {
        out["importance"] = {{"measure", report.importance_of},
                             {"rows", report.importance_rows},
                             {"columns", effects_json(report.importance)}};
    }
    if (report.plane) {
        out["plane"] = {{"kind", report.plane->kind}, {"share", report.plane->share}};
    }
    add_training(report, out);
    out["commands"] = report.commands;
    out["provenance"] = Json::object();
    for (const auto& [name, value] : report.provenance) {
        out["provenance"][name] = value;
    }
    out["remarks"] = report.remarks;
    return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace mercer
