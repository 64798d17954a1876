// SPDX-License-Identifier: Apache-2.0
//
// cli/kernel_show.cpp - mercer kernel show and mercer kernel list.
#include <cmath>

#include "command.hpp"
#include "kernel_access.hpp"
#include "kernel_commands.hpp"
#include "mercer/kernels/catalogue.hpp"

namespace mercer::cli {

namespace {

const CatalogueEntry& entry_of(const Kernel& kernel) {
    return kernel_catalogue()[static_cast<std::size_t>(kernel.type())];
}

Json parameters_json(const Kernel& kernel) {
    Json json = Json::object();
    const CatalogueEntry& entry = entry_of(kernel);
    const std::vector<double>& values = kernel.node().parameters;
    for (std::size_t i = 0; i < std::min(values.size(), entry.parameters.size()); ++i) {
        // NaN is how a parameter waits for the data.
        json[std::string(entry.parameters[i].name)] =
            std::isnan(values[i]) ? Json("scale") : Json(values[i]);
    }
    return json;
}

Json part_json(const Kernel& kernel) {
    const CatalogueEntry& entry = entry_of(kernel);
    Json json{{"kernel", to_string(kernel)},
              {"definiteness", to_string(kernel.definiteness())},
              {"reason", entry.definiteness}};
    if (!entry.formula.empty()) {
        json["formula"] = entry.formula;
    }
    if (!entry.domain.empty()) {
        json["domain"] = entry.domain;
    }
    json["parameters"] = parameters_json(kernel);
    json["parts"] = Json::array();
    for (const Kernel& child : kernel.node().children) {
        json["parts"].push_back(part_json(child));
    }
    return json;
}

std::string part_text(const Kernel& kernel, int depth) {
    const CatalogueEntry& entry = entry_of(kernel);
    const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
    std::string text = fmt::format("{}{}\n{}    {}: {}\n", indent, to_string(kernel), indent,
                                   to_string(kernel.definiteness()), entry.definiteness);
    if (!entry.formula.empty()) {
        text += fmt::format("{}    {}\n", indent, entry.formula);
    }
    if (!entry.domain.empty()) {
        text += fmt::format("{}    rows: {}\n", indent, entry.domain);
    }
    for (const Kernel& child : kernel.node().children) {
        text += part_text(child, depth + 1);
    }
    return text;
}

struct ShowOptions {
    KernelArgument kernel;
    std::vector<double> x;
    std::vector<double> z;
};

ExitStatus run_show(Session& session, const ShowOptions& options) {
    const Kernel kernel = parse_argument(session, options.kernel);
    Json json = session.json_result();
    json.update(part_json(kernel));
    json["resolved"] = kernel.is_resolved();
    std::string text = part_text(kernel, 0);
    if (!kernel.is_resolved()) {
        text += "a parameter waits for the data: scale = 1 / (columns * variance)\n";
    }
    if (!options.x.empty()) {
        if (options.x.size() != options.z.size()) {
            throw UsageError(
                fmt::format("--x has {} numbers, --z has {}", options.x.size(), options.z.size()));
        }
        require_columns(kernel, static_cast<index_t>(options.x.size()));
        const double value = kernel(options.x, options.z);
        json["value"] = value;
        text += fmt::format("k(x, z) = {}\n", value);
    }
    session.emit(json, text);
    return ExitStatus::done;
}

void describe_show(CLI::App& app, ShowOptions& options) {
    add_kernel_argument(app, options.kernel);
    CLI::Option* x = app.add_option("--x", options.x, "a row, as numbers with commas")
                         ->delimiter(',')
                         ->type_name("LIST");
    CLI::Option* z = app.add_option("--z", options.z, "another row: prints k(x, z)")
                         ->delimiter(',')
                         ->type_name("LIST");
    x->needs(z);
    z->needs(x);
}

struct ListOptions {};

ExitStatus run_list(Session& session, const ListOptions&) {
    Json json = session.json_result();
    json["kernels"] = Json::array();
    std::string text;
    for (const CatalogueEntry& entry : kernel_catalogue()) {
        if (entry.usage.empty()) {
            continue;
        }
        json["kernels"].push_back(Json{{"usage", entry.usage},
                                       {"formula", entry.formula},
                                       {"definiteness", entry.definiteness},
                                       {"domain", entry.domain},
                                       {"help", entry.help}});
        text += fmt::format("{}\n    {}{}{}\n", entry.usage, entry.formula,
                            entry.formula.empty() ? "" : "; ", entry.help);
    }
    session.emit(json, text);
    return ExitStatus::done;
}

}  // namespace

void add_kernel_show(CLI::App& group, Session& session) {
    add_command<ShowOptions>(group, session,
                             {"show", "canonical text, definiteness and parts of an expression",
                              "  mercer kernel show '0.7 * rbf(gamma=0.5) + 0.3 * linear'\n"
                              "  mercer kernel show 'poly(degree=2, coef0=3)' --x 1,2 --z 0,1\n"},
                             describe_show, run_show);
}

void add_kernel_list(CLI::App& group, Session& session) {
    add_command<ListOptions>(
        group, session,
        {"list", "every kernel and construction, with its formula",
         "  mercer kernel list\n  mercer kernel list --json\n"},
        [](CLI::App&, ListOptions&) {}, run_list);
}

}  // namespace mercer::cli
