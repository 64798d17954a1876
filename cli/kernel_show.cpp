// SPDX-License-Identifier: Apache-2.0
//
// cli/kernel_show.cpp - mercer kernel show and mercer kernel list.
#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "kernel_access.hpp"
#include "kernel_commands.hpp"
#include "kernel_reason.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/feature_map.hpp"

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
        // NaN represents a parameter that depends on the data.
        json[std::string(entry.parameters[i].name)] =
            std::isnan(values[i]) ? Json("scale") : Json(values[i]);
    }
    return json;
}

Json part_json(const Kernel& kernel) {
    const CatalogueEntry& entry = entry_of(kernel);
    Json json{{"kernel", to_string(kernel)},
              {"definiteness", to_string(kernel.definiteness())},
              {"reason", definiteness_reason(kernel)},
              {"formula", entry.formula},
              {"domain", entry.domain},
              {"parameters", parameters_json(kernel)},
              {"parts", Json::array()}};
    for (const Kernel& child : kernel.node().children) {
        json["parts"].push_back(part_json(child));
    }
    return json;
}

std::string part_text(const Kernel& kernel, int depth) {
    const CatalogueEntry& entry = entry_of(kernel);
    const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
    std::string text = fmt::format("{}{}\n", indent, to_string(kernel));
    text += fmt::format("{}  {}: {}\n", indent, to_string(kernel.definiteness()),
                        definiteness_reason(kernel));
    text += fmt::format("{}  k(x, z) = {}{}{}\n", indent, entry.formula,
                        entry.domain.empty() ? "" : ", rows: ", entry.domain);
    for (const Kernel& child : kernel.node().children) {
        text += part_text(child, depth + 1);
    }
    return text;
}

/// The smallest number of columns the kernel accepts; 0 if none up to a thousand.
index_t least_columns(const Kernel& kernel) {
    constexpr index_t kMost = 1000;
    for (index_t columns = 1; columns <= kMost; ++columns) {
        try {
            require_columns(kernel, columns);
            return columns;
        } catch (const InvalidArgument&) {
            continue;
        }
    }
    return 0;
}

/// Coordinates of the feature map on `columns` columns: -1 if no finite map exists.
index_t map_dimension(const Kernel& kernel, index_t columns, index_t truncation) {
    FeatureMapOptions options;
    options.truncation = truncation;
    try {
        return make_feature_map(kernel, columns, options).dimension();
    } catch (const InvalidArgument&) {
        return -1;
    } catch (const ResourceError&) {
        return options.max_dimension;  // finite, but large
    }
}

/// A number of columns for an example of the feature map; 0 if there is none.
index_t example_columns(const Kernel& kernel) {
    const index_t least = least_columns(kernel);
    return least == 1 && map_dimension(kernel, 2, 0) != -1 ? 2 : least;  // 2 is a better example
}

/// What `mercer kernel features` would do with rows of as many columns as `x`, or as the example.
void describe_feature_map(const Kernel& given, const std::vector<double>& x, Json& json,
                          std::string& text) {
    const Kernel kernel = resolve_kernel(given, 1.0);  // any width will do
    const index_t columns = x.empty() ? example_columns(kernel) : static_cast<index_t>(x.size());
    const index_t dimension = columns == 0 ? -1 : map_dimension(kernel, columns, -1);
    const bool by_truncation =
        columns > 0 && dimension == -1 && map_dimension(kernel, columns, 1) != -1;
    json["feature_map"] = Json{{"finite", dimension != -1}, {"by_truncation", by_truncation}};
    if (dimension != -1) {
        json["feature_map"]["columns"] = columns;
        json["feature_map"]["dimension"] = dimension;
        text +=
            fmt::format("feature map: finite, {} coordinates for rows of {}\n", dimension, columns);
    } else {
        text += by_truncation ? "feature map: not finite, but its series can be cut\n"
                              : "feature map: none that is finite\n";
    }
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
    describe_feature_map(kernel, options.x, json, text);
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
    Argument x = add_option(app, "--x", options.x, "a row, as numbers with commas")
                     .delimiter(',')
                     .type_name("LIST");
    Argument z = add_option(app, "--z", options.z, "another row: prints k(x, z)")
                     .delimiter(',')
                     .type_name("LIST");
    x.needs(z);
    z.needs(x);
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
