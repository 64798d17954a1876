// SPDX-License-Identifier: Apache-2.0
//
// cli/theory_shatter.cpp - mercer theory shatter: which labelings of these points halfspaces
// realise.
#include "command.hpp"
#include "data_access.hpp"
#include "mercer/theory/shattering.hpp"
#include "option_registrar.hpp"
#include "theory_commands.hpp"

namespace mercer::cli {

namespace {

constexpr std::size_t kLabellingsShown = 8;
constexpr std::size_t kWidest = 50;

struct ShatterOptions {
    DataArgument data;
    ShatteringOptions shatter;
};

Json shatter_json(const Shattering& found, bool homogeneous, Json json) {
    const auto known = [&](auto value) { return found.counted ? Json(value) : Json(); };
    json["points"] = found.points;
    json["columns"] = found.dimension;
    json["homogeneous"] = homogeneous;
    json["vc_dimension"] = found.vc_dimension;
    json["rank"] = found.rank;
    json["independent"] = found.shattered;
    json["shattered"] = found.shattered;
    json["labelings"] = found.labelings;
    json["cover_number"] = found.cover;
    json["realised"] = known(found.realised);
    json["strictly_realised"] = known(found.strict);
    json["general_position"] = known(found.general_position);
    json["realised_labelings"] = found.realised_labelings;
    json["missing_labelings"] = found.missing_labelings;
    return json;
}

/// The first labelings, as many as fit on a line.
std::string list_text(const std::vector<std::string>& labelings, double all) {
    std::string text;
    std::size_t shown = 0;
    while (shown < std::min(kLabellingsShown, labelings.size()) &&
           text.size() + labelings[shown].size() <= kWidest) {
        text += (shown == 0 ? "" : " ") + labelings[shown];
        ++shown;
    }
    return text + (static_cast<double>(shown) < all ? " ..." : "");
}

std::string shatter_text(const Shattering& found, const ShatteringOptions& options) {
    const bool homogeneous = options.homogeneous;
    std::string text = fmt::format(
        "points          {} in R^{}\nhalfspaces      {}\nVC dimension    {}\n", found.points,
        found.dimension, homogeneous ? "through the origin: <w, x> >= 0" : "<w, x> + b >= 0",
        found.vc_dimension);
    text += fmt::format("rank            {} of {}{}: linearly {}\n", found.rank, found.points,
                        homogeneous ? " points" : " vectors (x, 1)",
                        found.shattered ? "independent" : "dependent");
    text += fmt::format("shattered       {}\n", found.shattered
                                                    ? "yes: every labeling is realised"
                                                    : "no: shattered exactly when independent");
    text += fmt::format("Cover's number  {:.15g} of {:.15g} labelings, in general position\n",
                        found.cover, found.labelings);
    if (!found.counted) {
        return text +
               fmt::format("realised        not counted: more than {} (--limit)\n", options.limit);
    }
    text += fmt::format("realised        {}", found.realised);
    if (homogeneous && found.strict != found.realised) {
        text += fmt::format(", {} of them with no point on the hyperplane", found.strict);
    }
    text +=
        fmt::format("\nposition        {}\n", found.general_position ? "general" : "not general");
    const double missing = found.labelings - static_cast<double>(found.realised);
    if (missing > 0.0) {
        text += fmt::format("missing         {}\n", list_text(found.missing_labelings, missing));
    }
    return text;
}

ExitStatus run_shatter(Session& session, const ShatterOptions& options) {
    const Dataset data = read_data(session, options.data.path, options.data.read);
    const Shattering found =
        session.timed("shatter", [&] { return shatter(data, options.shatter, session.context()); });
    session.emit_timed(shatter_json(found, options.shatter.homogeneous, session.json_result()),
                       shatter_text(found, options.shatter));
    return found.counted ? ExitStatus::done : ExitStatus::stopped;
}

void describe_shatter(CLI::App& app, ShatterOptions& options) {
    OptionRegistrar registrar(app);
    registrar.flag("homogeneous", options.shatter.homogeneous,
                   "halfspaces through the origin: b = 0");
    registrar.integer("limit", options.shatter.limit, Range::positive(),
                      "labelings to count at the most");
    add_data_argument(app, options.data);
}

}  // namespace

void add_theory_shatter(CLI::App& group, Session& session) {
    add_command<ShatterOptions>(
        group, session,
        {"shatter", "count the labelings of points that halfspaces realise",
         "  mercer theory shatter points.csv --target none\n"
         "  mercer theory shatter points.csv --target none --homogeneous --json\n"},
        describe_shatter, run_shatter);
}

}  // namespace mercer::cli
