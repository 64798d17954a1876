// SPDX-License-Identifier: Apache-2.0
//
// cli/theory_separable.cpp - mercer theory separable: does a hyperplane separate two classes?
#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "data_access.hpp"
#include "kernel_access.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/theory/separability.hpp"
#include "option_registrar.hpp"
#include "theory_commands.hpp"

namespace mercer::cli {

namespace {

constexpr std::size_t kNumbersShown = 4;
constexpr std::size_t kRowsShown = 10;
constexpr std::size_t kWidestExact = 40;           // characters of a rational in a table
constexpr std::size_t kMostExactText = 1'000'000;  // characters of rationals in JSON

struct SeparableOptions {
    KernelArgument kernel;
    DataArgument data;
    bool homogeneous = false;
    bool margin = false;
    bool disagreement = false;
    index_t decisions = 20000;
};

/// The data as classes of -1 and +1.
struct SignedData {
    Dataset data;
    std::vector<double> labels;

    [[nodiscard]] std::string class_of(std::size_t row) const {
        return data.label_names[static_cast<std::size_t>(data.targets[row])];
    }
};

SignedData read_signed(Session& session, const DataArgument& argument) {
    ReadOptions options = argument.read;
    options.task = "classification";
    Dataset data = read_data(session, argument.path, options);
    try {
        SignedData rows{to_classes(std::move(data)), {}};
        rows.labels = signed_labels(rows.data);
        return rows;
    } catch (const InvalidArgument& fault) {
        throw DataError(fmt::format("{}: {}", argument.path, fault.what()));
    }
}

/// The widest margin, with bounds from the certificate of the hard-margin machine.
struct MarginReport {
    std::string status;
    double norm = kNaN;  ///< |w|
    double least = kNaN;
    double most = kNaN;
    double relative_gap = kNaN;
};

MarginReport find_margin(Session& session, const SeparableOptions& options, const Kernel& kernel,
                         const Dataset& data) {
    TrainOptions train_options;
    train_options.model = machine_of(MachineId::hard_margin).name;
    train_options.kernel = kernel;
    train_options.objective.intercept = !options.homogeneous;
    train_options.run.gap_tolerance = 1e-8;
    train_options.allow_indefinite = options.kernel.allow_indefinite;
    const TrainResult result =
        session.timed("margin", [&] { return train(data, train_options, session.context()); });
    const Certificate& certificate = result.model.certificates.front();
    MarginReport report;
    report.status = result.model.status;
    report.norm = std::sqrt(certificate.squared_norm);
    report.least = 1.0 / std::sqrt(2.0 * certificate.primal);  // 1/2 |w|^2 <= primal
    report.most = certificate.dual > 0.0 ? 1.0 / std::sqrt(2.0 * certificate.dual) : kInfinity;
    report.relative_gap = certificate.gap / certificate.primal;
    return report;
}

Json exact_json(const std::vector<std::string>& texts) {
    std::size_t characters = 0;
    for (const std::string& text : texts) {
        characters += text.size();
    }
    return characters > kMostExactText ? Json() : Json(texts);
}

Json separation_json(const Separability& found, const SignedData& rows) {
    Json json;
    if (found.answer == SeparabilityAnswer::separable) {
        const Separator& separator = found.separator;
        json["kind"] = "separator";
        json["w"] = separator.w;
        json["b"] = separator.b;
        json["functional_margin"] = separator.functional_margin;
        if (!separator.exact_b.empty()) {
            json["exact_w"] = exact_json(separator.exact_w);
            json["exact_b"] = exact_json({separator.exact_b});
        }
    } else if (found.answer == SeparabilityAnswer::not_separable) {
        const MeetingHulls& hulls = found.hulls;
        json["kind"] = "hulls";
        json["rows"] = Json::array();
        json["classes"] = Json::array();
        for (const index_t i : hulls.rows) {
            json["rows"].push_back(i + 1);
            json["classes"].push_back(rows.class_of(static_cast<std::size_t>(i)));
        }
        json["weights"] = hulls.weights;
        json["exact_weights"] = exact_json(hulls.exact_weights);
        if (!hulls.point.empty()) {
            json["point"] = hulls.point;
            json["exact_point"] = exact_json(hulls.exact_point);
        }
    } else {
        json["kind"] = "none";
        json["reason"] = found.reason;
    }
    return json;
}

/// `1, 2, 3, ... (20 in all)`.
std::string numbers_text(const std::vector<double>& numbers) {
    const std::size_t shown = std::min(kNumbersShown, numbers.size());
    std::string text;
    for (std::size_t k = 0; k < shown; ++k) {
        text += fmt::format("{}{:.6g}", k == 0 ? "" : ", ", numbers[k]);
    }
    return shown < numbers.size() ? fmt::format("{}, ... ({} in all)", text, numbers.size()) : text;
}

std::string separator_text(const Separator& separator) {
    std::string text = fmt::format("w               {}\n", numbers_text(separator.w));
    text += fmt::format("b               {:.6g}\n", separator.b);
    text += fmt::format("margin          t (<w, z> + b) >= {:.6g} for every row\n",
                        separator.functional_margin);
    if (!separator.exact_b.empty()) {
        text += "                these are rounded: no doubles separate; --json has rationals\n";
    }
    return text;
}

std::string hulls_text(const MeetingHulls& hulls, const SignedData& rows) {
    std::string text = hulls.point.empty()
                           ? "weights         whose sum of weight * label * row is zero\n"
                           : fmt::format(
                                 "common point    {}\nweights         of rows that make it, "
                                 "in either class\n",
                                 numbers_text(hulls.point));
    const std::size_t shown = std::min(kRowsShown, hulls.rows.size());
    for (std::size_t k = 0; k < shown; ++k) {
        const std::string& exact = hulls.exact_weights[k];
        text +=
            fmt::format("  row {:<10}{:<12.6g}class {}{}\n", hulls.rows[k] + 1, hulls.weights[k],
                        rows.class_of(static_cast<std::size_t>(hulls.rows[k])),
                        exact.size() <= kWidestExact ? ", exactly " + exact : "");
    }
    if (shown < hulls.rows.size()) {
        text += fmt::format("  and {} more\n", hulls.rows.size() - shown);
    }
    return text;
}

std::string answer_text(const Separability& found, const SignedData& rows, bool homogeneous) {
    switch (found.answer) {
        case SeparabilityAnswer::separable:
            return "answer          separable\n" + separator_text(found.separator);
        case SeparabilityAnswer::not_separable:
            return fmt::format("answer          not separable: {}\n",
                               homogeneous ? "0 is in the hull of label * row"
                                           : "the classes' convex hulls meet") +
                   hulls_text(found.hulls, rows);
        case SeparabilityAnswer::undecided:
            return fmt::format(
                "answer          undecided in exact arithmetic\nreason          {}\n",
                found.reason);
    }
    return "";
}

void add_margin(const MarginReport& margin, bool homogeneous, Json& json, std::string& text) {
    json["margin"] = Json{{"status", margin.status},
                          {"nearest_row", 1.0 / margin.norm},
                          {"at_least", margin.least},
                          {"at_most", margin.most},
                          {"hull_distance", (homogeneous ? 1.0 : 2.0) / margin.norm},
                          {"relative_gap", margin.relative_gap}};
    text += fmt::format("widest margin   {:.8g} to the nearest row, within {:.8g} .. {:.8g}\n",
                        1.0 / margin.norm, margin.least, margin.most);
    text += fmt::format("hull distance   {:.8g}\n", (homogeneous ? 1.0 : 2.0) / margin.norm);
    if (margin.status != "converged") {
        text += fmt::format("                {}: the bounds are what is proved\n", margin.status);
    }
}

void add_disagreement(const Disagreement& found, Json& json, std::string& text) {
    Json rows = Json::array();
    std::string list;
    for (std::size_t k = 0; k < found.rows.size(); ++k) {
        rows.push_back(found.rows[k] + 1);
        if (k < kRowsShown) {
            list += fmt::format("{}{}", k == 0 ? "" : ", ", found.rows[k] + 1);
        }
    }
    list += found.rows.size() > kRowsShown ? ", ..." : "";
    json["disagreement"] = Json{{"exact", found.exact},
                                {"minimum", found.exact ? Json(found.upper) : Json()},
                                {"at_least", found.lower},
                                {"at_most", found.upper},
                                {"rows", rows},
                                {"decisions", found.decisions}};
    if (found.exact) {
        text += fmt::format("disagreement    {} at the least{}{}\n", found.upper,
                            list.empty() ? "" : ": rows ", list);
    } else {
        json["disagreement"]["reason"] = "NP-hard; the limit of decisions was reached";
        text += fmt::format(
            "disagreement    between {} and {}: the problem is NP-hard, and {} decisions\n"
            "                are the limit (--decisions)\n",
            found.lower, found.upper, found.decisions);
    }
}

const char* kind_text(KernelRowsKind kind) {
    switch (kind) {
        case KernelRowsKind::given:
            return "rows";
        case KernelRowsKind::features:
            return "features of the rows, in doubles";
        case KernelRowsKind::gram:
            return "rows of K, in doubles";
    }
    return "";
}

Kernel separating_kernel(Session& session, const SeparableOptions& options, const Dataset& data) {
    if (options.kernel.text.empty()) {
        return linear_kernel();
    }
    return bind_to_data(session, parse_argument(session, options.kernel), data);
}

/// The question and its answer.
struct Decision {
    SignedData rows;
    Kernel kernel;
    KernelRows features;  ///< the vectors to separate
    bool homogeneous = false;
    Separability found;
};

Decision decide(Session& session, const SeparableOptions& options) {
    SignedData rows = read_signed(session, options.data);
    Kernel kernel = separating_kernel(session, options, rows.data);
    if (options.margin) {
        require_definite(kernel, options.kernel);
    }
    Context& context = session.context();
    KernelRows features =
        naming_file(options.data.path, [&] { return kernel_rows(kernel, rows.data, context); });
    Separability found = session.timed("decide", [&] {
        return test_separability(features.rows, rows.labels, {.homogeneous = options.homogeneous},
                                 context);
    });
    return {std::move(rows), std::move(kernel), std::move(features), options.homogeneous,
            std::move(found)};
}

void add_decision(const Decision& decision, Json& json) {
    const Separability& found = decision.found;
    json["rows"] = decision.rows.data.rows();
    json["columns"] = decision.rows.data.columns();
    json["kernel"] = to_string(decision.kernel);
    json["homogeneous"] = decision.homogeneous;
    json["separated"] = kind_text(decision.features.kind);
    json["separable"] = found.answer == SeparabilityAnswer::undecided
                            ? Json()
                            : Json(found.answer == SeparabilityAnswer::separable);
    json["exact_check"] = found.exact_check;
    json["certificate"] = separation_json(found, decision.rows);
    json["linear_programs"] = found.programs;
    json["exact_systems"] = found.systems;
}

std::string decision_text(const Decision& decision) {
    const KernelRowsKind kind = decision.features.kind;
    return fmt::format("rows            {}, {} columns\n", decision.rows.data.rows(),
                       decision.rows.data.columns()) +
           fmt::format("hyperplanes     {}{}\n",
                       decision.homogeneous ? "<w, z> = 0" : "<w, z> + b = 0",
                       kind == KernelRowsKind::given ? ", z = x"
                                                     : fmt::format(", z the {}", kind_text(kind))) +
           answer_text(decision.found, decision.rows, decision.homogeneous) +
           fmt::format("exact check     {}\n",
                       decision.found.exact_check ? "passed, in rational arithmetic" : "none");
}

ExitStatus run_separable(Session& session, const SeparableOptions& options) {
    const Decision decision = decide(session, options);
    const SignedData& rows = decision.rows;
    const SeparabilityAnswer answer = decision.found.answer;
    Json json = session.json_result();
    add_decision(decision, json);
    std::string text = decision_text(decision);
    bool complete = answer != SeparabilityAnswer::undecided;
    if (options.margin && answer == SeparabilityAnswer::separable &&
        rows.data.label_names.size() == 2) {
        add_margin(find_margin(session, options, decision.kernel, rows.data), options.homogeneous,
                   json, text);
    }
    if (options.disagreement) {
        const Disagreement least = session.timed("disagreement", [&] {
            return minimum_disagreement(decision.features.rows, rows.labels, options.homogeneous,
                                        options.decisions, session.context());
        });
        add_disagreement(least, json, text);
        complete = complete && least.exact;
    }
    session.emit_timed(std::move(json), text);
    return complete ? ExitStatus::done : ExitStatus::stopped;
}

void describe_separable(CLI::App& app, SeparableOptions& options) {
    add_option(app, "--kernel", options.kernel.text,
               "separate by surfaces of this kernel, see mercer kernel list")
        .type_name("EXPR")
        .not_empty()
        .default_text("linear");
    OptionRegistrar registrar(app);
    registrar.flag("homogeneous", options.homogeneous, "hyperplanes through the origin: b = 0");
    registrar.flag("margin", options.margin,
                   "also the widest margin and the distance of the hulls");
    registrar.flag("disagreement", options.disagreement,
                   "also the least number of rows on the wrong side");
    registrar.integer("decisions", options.decisions, Range::positive(),
                      "with --disagreement: stop after this many");
    registrar.flag("allow_indefinite", options.kernel.allow_indefinite,
                   "with --margin: take a kernel not shown positive definite");
    add_model_data_argument(app, options.data);
}

}  // namespace

void add_theory_separable(CLI::App& group, Session& session) {
    add_command<SeparableOptions>(
        group, session,
        {"separable", "whether a hyperplane separates two classes, with proof",
         "  mercer theory separable train.svm\n"
         "  mercer theory separable train.svm --kernel 'poly(degree=2)' --margin\n"
         "  mercer theory separable train.svm --disagreement --json\n"},
        describe_separable, run_separable);
}

}  // namespace mercer::cli
