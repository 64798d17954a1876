// SPDX-License-Identifier: Apache-2.0
//
// cli/select_report.cpp - the table of a selection, and the uncertainty of its choice.
#include "select_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::cli {

namespace {

Json row_json(const Selection& selection, const SelectRow& row) {
    const SelectResult& result = selection.result;
    Json json = Json::object();
    for (std::size_t a = 0; a < result.names.size(); ++a) {
        json[result.names[a]] = row.values[a];
    }
    if (!std::isnan(row.from)) {
        json[result.names.back() + "_from"] = row.from;
        json[result.names.back() + "_to"] = row.to;
        json["complete"] = row.complete;
    }
    for (const auto& [name, value] : row.measures) {
        json[name] = value;
    }
    if (!std::isnan(row.standard_error)) {
        json["standard_error"] = row.standard_error;
    }
    if (!row.scores.empty() && selection.fold_scores) {
        json["fold_scores"] = row.scores;
    }
    if (row.rows > 0) {
        json["rows"] = row.rows;
    }
    json["converged"] = row.converged;
    return json;
}

/// The columns of the table in addition to values and measures.
struct Columns {
    explicit Columns(const SelectResult& result)
        : path(!std::isnan(result.table.front().from)),
          errors(std::any_of(result.table.begin(), result.table.end(),
                             [](const SelectRow& row) { return !std::isnan(row.standard_error); })),
          rows(result.table.front().rows > 0) {}

    bool path;
    bool errors;
    bool rows;
};

int width_of(const std::string& name) { return std::max(12, static_cast<int>(name.size())); }

std::string heading(const SelectResult& result, const Columns& columns) {
    std::string text;
    for (const std::string& name : result.names) {
        text += fmt::format("{:>12} ", name);
    }
    text += columns.path ? fmt::format("{:>12} {:>12} ", "from", "to") : "";
    for (const auto& [name, value] : result.table.front().measures) {
        text += fmt::format("{:>{}} ", name, width_of(name));
    }
    text += columns.errors ? fmt::format("{:>12} ", "std. error") : "";
    return text + (columns.rows ? fmt::format("{:>8} ", "rows") : "") + "\n";
}

std::string line_of(const SelectRow& row, const Columns& columns) {
    std::string text;
    for (const double value : row.values) {
        text += fmt::format("{:>12.6g} ", value);
    }
    text += columns.path ? fmt::format("{:>12.6g} {:>12.6g} ", row.from, row.to) : "";
    for (const auto& [name, value] : row.measures) {
        text += fmt::format("{:>{}.6g} ", value, width_of(name));
    }
    text += columns.errors ? fmt::format("{:>12.3g} ", row.standard_error) : "";
    text += columns.rows ? fmt::format("{:>8} ", row.rows) : "";
    return text + (row.converged ? "" : "(not converged) ");
}

std::string table_text(const SelectResult& result) {
    const Columns columns(result);
    std::string text = heading(result, columns);
    for (std::size_t i = 0; i < result.table.size(); ++i) {
        const char* mark = i == result.best ? "<- best" : i == result.top ? "<- best measure" : "";
        text += line_of(result.table[i], columns) + mark + "\n";
    }
    return text + fmt::format("best by {}{}\n", result.measure,
                              result.top == result.best
                                  ? ""
                                  : ": the simplest within one standard error of the best measure");
}

Json estimate_json(const MeanEstimate& estimate) {
    return Json{{"mean", estimate.mean},
                {"standard_error", estimate.standard_error},
                {"lower", estimate.lower},
                {"upper", estimate.upper}};
}

Json nested_json(const SelectResult& result, const NestedResult& nested) {
    Json json = estimate_json(nested.estimate);
    json["metric"] = nested.measure;
    json["scores"] = nested.scores;
    json["choices"] = Json::array();
    for (const std::vector<double>& values : nested.choices) {
        Json one = Json::object();
        for (std::size_t a = 0; a < result.names.size(); ++a) {
            one[result.names[a]] = values[a];
        }
        json["choices"].push_back(std::move(one));
    }
    return json;
}

std::string values_text(const SelectResult& result, const SelectRow& row) {
    std::string text;
    for (std::size_t a = 0; a < result.names.size(); ++a) {
        text += fmt::format("{}{}={:.6g}", a == 0 ? "" : " ", result.names[a], row.values[a]);
    }
    return text;
}

std::string certainty_text(const Selection& selection) {
    std::string text;
    const SelectResult& result = selection.result;
    if (result.runner_up) {
        const PairedComparison& pair = result.runner_up->comparison;
        text += fmt::format(
            "next best    {}: differs by {:.3g}, 95 % interval {:.3g} to {:.3g}, p = {:.2g}\n",
            values_text(result, result.table[result.runner_up->row]), pair.difference.mean,
            pair.difference.lower, pair.difference.upper, pair.p_value);
    }
    if (selection.nested) {
        const MeanEstimate& mean = selection.nested->estimate;
        text += fmt::format(
            "nested       {} {:.6g}, 95 % interval {:.6g} to {:.6g}, of {} outer folds\n",
            selection.nested->measure, mean.mean, mean.lower, mean.upper,
            selection.nested->scores.size());
    }
    return text;
}

}  // namespace

/// The number of combinations that a stop left out.
std::string unjudged_text(const SelectResult& result) {
    const auto judged = static_cast<index_t>(result.table.size());
    return fmt::format(
        "selection: stopped when {} of {} combinations were judged; the best of these is written",
        judged, judged + result.unjudged);
}

Json select_json(Json json, const Selection& selection) {
    const SelectResult& result = selection.result;
    json["table"] = Json::array();
    for (const SelectRow& row : result.table) {
        json["table"].push_back(row_json(selection, row));
    }
    json["best"] = row_json(selection, result.table[result.best]);
    if (result.top != result.best) {
        json["best_measure"] = row_json(selection, result.table[result.top]);
    }
    json["metric"] = result.measure;
    json["one_decomposition"] = result.one_decomposition;
    if (result.runner_up) {
        Json pair = estimate_json(result.runner_up->comparison.difference);
        pair["p_value"] = result.runner_up->comparison.p_value;
        json["runner_up"] = row_json(selection, result.table[result.runner_up->row]);
        json["runner_up"]["difference"] = std::move(pair);
    }
    if (selection.nested) {
        json["nested"] = nested_json(result, *selection.nested);
    }
    if (result.unjudged > 0) {
        json["unjudged"] = result.unjudged;
        json["missing"].push_back(unjudged_text(result));
    }
    return json;
}

std::string select_text(const Selection& selection) {
    return table_text(selection.result) + certainty_text(selection);
}

std::string select_csv(const Selection& selection) {
    const SelectResult& result = selection.result;
    const SelectRow& first = result.table.front();
    std::string text = fmt::format("{}", fmt::join(result.names, ","));
    for (const auto& [name, value] : first.measures) {
        text += (text.empty() ? "" : ",") + name;
    }
    text += ",standard_error,converged,rows,chosen";
    const std::size_t folds = selection.fold_scores ? first.scores.size() : 0;
    for (std::size_t f = 0; f < folds; ++f) {
        text += fmt::format(",fold_{}", f + 1);
    }
    text += "\n";
    for (std::size_t i = 0; i < result.table.size(); ++i) {
        const SelectRow& row = result.table[i];
        std::vector<std::string> cells;
        const auto number = [&](double value) {
            cells.push_back(std::isnan(value) ? "" : fmt::format("{}", value));
        };
        for (const double value : row.values) {
            number(value);
        }
        for (const auto& [name, value] : row.measures) {
            number(value);
        }
        number(row.standard_error);
        cells.emplace_back(row.converged ? "1" : "0");
        cells.push_back(row.rows > 0 ? fmt::format("{}", row.rows) : "");
        cells.emplace_back(i == result.best ? "1" : "0");
        for (std::size_t f = 0; f < folds; ++f) {
            number(f < row.scores.size() ? row.scores[f] : kNaN);
        }
        text += fmt::format("{}\n", fmt::join(cells, ","));
    }
    return text;
}

}  // namespace mercer::cli
