// SPDX-License-Identifier: Apache-2.0
//
// cli/kernel_distance.cpp - mercer kernel distance: how far apart rows are in feature space.
#include <algorithm>
#include <cmath>
#include <optional>

#include "command.hpp"
#include "data_access.hpp"
#include "kernel_access.hpp"
#include "kernel_commands.hpp"
#include "matrix_file.hpp"
#include "mercer/operators/feature_geometry.hpp"
#include "mercer/theory/distance_summary.hpp"
#include "option_registrar.hpp"
#include "stoppable_files.hpp"

namespace mercer::cli {

namespace {

constexpr index_t kLargestTable = index_t{64} << 20;
constexpr index_t kNearestShown = 5;

struct DistanceOptions {
    KernelArgument kernel;
    DataArgument data;
    std::string to;
    std::string output;
    std::string precision = "double";
    bool squared = false;
    bool cosine = false;
};

void require_sense(Session& session, const DistanceOptions& options) {
    session.require_free_output(options.output);
    if (options.squared && options.cosine) {
        throw UsageError("--squared and --cosine: a cosine is no distance; leave one out");
    }
    if (options.data.path == "-" && options.to == "-") {
        throw UsageError("DATA and --to cannot both be standard input");
    }
}

/// A distance requires less than an inner product: conditionally positive definite kernels have
/// one.
void require_distance(const Kernel& kernel, const DistanceOptions& options) {
    if (options.cosine || kernel.definiteness() != Definiteness::conditionally_positive_definite) {
        require_definite(kernel, options.kernel);
    }
}

/// Rows per block, within half of the remaining budget.
index_t block_rows(const Context& context, const FeatureGeometry& geometry) {
    const index_t row_bytes =
        checked_multiply(std::max<index_t>(1, geometry.columns()), sizeof(double));
    const index_t bytes = std::min(kLargestTable, context.memory()->left() / 2);
    const index_t tiles = std::max<index_t>(1, bytes / row_bytes / kTileRows);
    return std::min(std::max<index_t>(1, geometry.rows()), tiles * kTileRows);
}

/// Converts a block to the output form, and passes its dissimilarities to the collector.
void finish_block(const DistanceOptions& options, MatrixView<double> values, index_t begin,
                  MatrixFile* file, DistanceCollector& collector) {
    if (!options.squared && !options.cosine) {
        std::transform(values.data, values.data + values.rows * values.columns, values.data,
                       [](double value) { return std::sqrt(value); });
    }
    if (file != nullptr) {
        file->append_rows(values);
    }
    if (options.cosine) {
        std::transform(values.data, values.data + values.rows * values.columns, values.data,
                       [](double value) { return 1.0 - value; });
    }
    collector.add_rows(begin, values);
}

DistanceSummary compute(Session& session, const FeatureGeometry& geometry, bool one_set,
                        const DistanceOptions& options) {
    Context& context = session.context();
    const index_t n = geometry.rows();
    const index_t pairs = one_set ? checked_multiply(n, std::max<index_t>(0, n - 1)) / 2
                                  : checked_multiply(n, geometry.columns());
    DistanceCollector collector(one_set, pairs, kNearestShown, context);
    StoppableFiles files(context);
    std::optional<MatrixFile> file;
    if (!options.output.empty()) {
        file.emplace(options.output, matrix_format(options.output), n, geometry.columns(),
                     parse_precision(options.precision), files);
    }
    const index_t height = block_rows(context, geometry);
    Buffer<double> block = context.allocate<double>(checked_multiply(height, geometry.columns()),
                                                    "a block of distances", Contents::any);
    for (index_t begin = 0; begin < n; begin += height) {
        const MatrixView<double> values(block.data(), std::min(height, n - begin),
                                        geometry.columns());
        if (options.cosine) {
            geometry.copy_cosines(begin, values, context);
        } else {
            geometry.copy_squared_distances(begin, values, context);
        }
        finish_block(options, values, begin, file ? &*file : nullptr, collector);
        context.report({.stage = "distance", .done = begin + values.rows, .total = n});
    }
    if (file) {
        file->commit();
    }
    return collector.summary();
}

const char* measure_name(const DistanceOptions& options) {
    return options.cosine ? "cosine" : options.squared ? "squared" : "distance";
}

/// The number to show: cosines are collected as 1 - cosine.
double shown(const DistanceOptions& options, double value) {
    return options.cosine ? 1.0 - value : value;
}

Json to_json(Json json, const DistanceOptions& options, const DistanceSummary& summary) {
    const auto number = [&](double value) {
        return std::isnan(value) ? Json() : Json(shown(options, value));
    };
    json["measure"] = measure_name(options);
    json["pairs"] = summary.pairs;
    json["coincident_pairs"] = summary.zero;
    json["least"] = number(options.cosine ? summary.greatest : summary.least);
    json["greatest"] = number(options.cosine ? summary.least : summary.greatest);
    json["mean"] = number(summary.mean);
    json["median"] = number(summary.median);
    json["median_error"] = summary.median_error;
    json["nearest"] = Json::array();
    for (const RowPair& pair : summary.nearest) {
        json["nearest"].push_back(Json{{"rows", {pair.row + 1, pair.column + 1}},
                                       {"value", shown(options, pair.distance)}});
    }
    return json;
}

/// The bandwidth that the median of plain distances suggests: exp(-|x-z|^2 / (2 median^2)).
std::optional<double> median_heuristic(const Kernel& kernel, const DistanceOptions& options,
                                       const DistanceSummary& summary) {
    if (kernel.type() != KernelType::linear || options.cosine || !(summary.median > 0.0)) {
        return std::nullopt;
    }
    const double square = options.squared ? summary.median : summary.median * summary.median;
    return 0.5 / square;
}

std::string to_text(const Kernel& kernel, const DistanceOptions& options,
                    const DistanceSummary& summary) {
    std::string text = fmt::format("kernel          {}\npairs           {}, {} of them coincide\n",
                                   to_string(kernel), summary.pairs, summary.zero);
    if (summary.pairs == 0) {
        return text;
    }
    const double low = shown(options, options.cosine ? summary.greatest : summary.least);
    const double high = shown(options, options.cosine ? summary.least : summary.greatest);
    text += fmt::format("{:<16}{:.6g} to {:.6g}, mean {:.6g}\n", measure_name(options), low, high,
                        shown(options, summary.mean));
    text += fmt::format("median          {:.6g}{}\n", shown(options, summary.median),
                        summary.median_error > 0.0 ? " within 0.025%" : "");
    if (const auto gamma = median_heuristic(kernel, options, summary)) {
        text +=
            fmt::format("heuristic       rbf(gamma={:.6g}), sigma the median distance\n", *gamma);
    }
    text += options.cosine ? "most alike      rows\n" : "nearest         rows\n";
    for (const RowPair& pair : summary.nearest) {
        text += fmt::format("  {:>6} {:>6} {:>14.6g}\n", pair.row + 1, pair.column + 1,
                            shown(options, pair.distance));
    }
    return text;
}

ExitStatus run_distance(Session& session, const DistanceOptions& options) {
    require_sense(session, options);
    const Kernel given = parse_argument(session, options.kernel);
    require_distance(given, options);
    const Dataset data = read_data(session, options.data.path, options.data.read);
    const Kernel kernel = bind_to_data(session, given, data);
    std::optional<Dataset> other;
    if (!options.to.empty()) {
        other = read_data(session, options.to, options.data.read);
    }
    const std::string files = other ? options.data.path + " or " + options.to : options.data.path;
    Context& context = session.context();
    const DistanceSummary summary = naming_file(files, [&] {
        return session.timed("distance", [&] {
            const FeatureGeometry geometry = other ? FeatureGeometry(kernel, data, *other, context)
                                                   : FeatureGeometry(kernel, data, context);
            session.explain(geometry.gram().engine().plan());
            return compute(session, geometry, !other.has_value(), options);
        });
    });
    Json json = session.json_result();
    json["kernel"] = to_string(kernel);
    json["rows"] = data.rows();
    json["columns"] = other ? other->rows() : data.rows();
    json = to_json(std::move(json), options, summary);
    if (const auto gamma = median_heuristic(kernel, options, summary)) {
        json["heuristic_gamma"] = *gamma;
    }
    if (!options.output.empty()) {
        json["file"] = options.output;
        session.say(fmt::format("wrote {}: {} x {} {}, {} of {}", options.output, data.rows(),
                                other ? other->rows() : data.rows(),
                                to_string(parse_precision(options.precision)),
                                measure_name(options), to_string(kernel)));
    }
    session.emit_timed(std::move(json),
                       options.output == "-" ? "" : to_text(kernel, options, summary));
    return ExitStatus::done;
}

void describe_distance(CLI::App& app, DistanceOptions& options) {
    add_kernel_argument(app, options.kernel);
    add_output_option(app, options.output, "file to write them to: .npy, .csv, or - for CSV text")
        .required(false);
    add_option(app, "--to", options.to, "second data set: distances from DATA's rows to its rows")
        .type_name("FILE")
        .reads_file();
    OptionRegistrar registrar(app);
    registrar.flag("squared", options.squared, "squared distances");
    registrar.flag("cosine", options.cosine, "cosines of the angles instead of distances");
    add_precision_option(app, options.precision);
    add_allow_indefinite(app, options.kernel);
    add_data_argument(app, options.data);
}

}  // namespace

void add_kernel_distance(CLI::App& group, Session& session) {
    add_command<DistanceOptions>(
        group, session,
        {"distance", "how far apart rows are in feature space: |phi(x) - phi(z)|",
         "  mercer kernel distance 'rbf(gamma=0.5)' train.svm\n"
         "  mercer kernel distance linear train.svm --to test.svm -o D.npy --squared\n"},
        describe_distance, run_distance);
}

}  // namespace mercer::cli
