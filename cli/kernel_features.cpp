// SPDX-License-Identifier: Apache-2.0
//
// cli/kernel_features.cpp - mercer kernel features: the rows in coordinates of the feature space.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "command.hpp"
#include "data_access.hpp"
#include "kernel_access.hpp"
#include "kernel_commands.hpp"
#include "matrix_file.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/feature_map.hpp"
#include "mercer/kernels/monomials.hpp"
#include "mercer/runtime/parallel.hpp"
#include "option_registrar.hpp"
#include "stoppable_files.hpp"

namespace mercer::cli {

namespace {

constexpr index_t kLargestFeatures = index_t{32} << 20;
constexpr index_t kNamesShown = 1000;

struct FeaturesOptions {
    KernelArgument kernel;
    DataArgument data;
    FeatureMapOptions map;
    std::string output;
    std::string precision = "double";
    bool names = false;
    bool targets = false;
};

/// phi of one row; throws DataError with the row if it has no finite image.
void map_row(const FeatureMap& map, index_t number, std::span<const double> row,
             std::span<double> features) {
    const std::string fault = domain_violation(map.kernel(), row);
    if (!fault.empty()) {
        throw DataError(fmt::format("row {}, {}", number + 1, fault));
    }
    map.map(row, features);
    if (!std::all_of(features.begin(), features.end(),
                     [](double value) { return std::isfinite(value); })) {
        throw DataError(fmt::format("row {}: a feature leaves the range of float64", number + 1));
    }
}

/// Maps the rows block by block, all threads on one block, and writes each block to the file.
/// Targets, if there are any, become the last column.
void write_features(Context& context, const FeatureMap& map, const Dataset& data,
                    std::span<const double> targets, MatrixFile& file) {
    const index_t dimension = map.dimension();
    const index_t width = dimension + (targets.empty() ? 0 : 1);
    const index_t row_bytes = checked_multiply(std::max<index_t>(1, width), sizeof(double));
    const index_t bytes = std::min(kLargestFeatures, context.memory()->left() / 2);
    const index_t height =
        std::clamp<index_t>(bytes / row_bytes, 1, std::max<index_t>(1, data.rows()));
    Buffer<double> block =
        context.allocate<double>(checked_multiply(height, width), "a block of features");
    std::vector<std::vector<double>> scratch(
        static_cast<std::size_t>(context.threads()),
        std::vector<double>(static_cast<std::size_t>(data.columns())));
    for (index_t begin = 0; begin < data.rows(); begin += height) {
        const index_t count = std::min(height, data.rows() - begin);
        parallel_for(context, count, [&](index_t i, int worker) {
            std::vector<double>& row = scratch[static_cast<std::size_t>(worker)];
            const std::span<double> features = block.span().subspan(
                static_cast<std::size_t>(i * width), static_cast<std::size_t>(dimension));
            data.copy_row(begin + i, row);
            map_row(map, begin + i, row, features);
            if (!targets.empty()) {
                block[i * width + dimension] = targets[static_cast<std::size_t>(begin + i)];
            }
        });
        file.append_rows(MatrixView<const double>(block.data(), count, width));
        context.report({"features", begin + count, data.rows(), kNaN, 0});
    }
}

/// The meaning of the coordinates, if they are few enough to be listed.
struct CoordinateList {
    std::vector<std::string> names;
    std::vector<std::vector<index_t>> partitions;  ///< empty unless all are monomials
    index_t degree = 0;                            ///< the greatest degree of a monomial
};

CoordinateList list_coordinates(const FeatureMap& map) {
    CoordinateList out;
    if (map.dimension() > kNamesShown) {
        return out;
    }
    std::vector<std::vector<index_t>> exponents;
    for (index_t i = 0; i < map.dimension(); ++i) {
        out.names.push_back(map.coordinate_name(i));
        if (const auto powers = map.exponents(i)) {
            exponents.push_back(*powers);
            out.degree =
                std::max(out.degree, std::accumulate(powers->begin(), powers->end(), index_t{0}));
        }
    }
    if (exponents.size() == out.names.size()) {
        for (const std::vector<index_t>& powers : exponents) {
            out.partitions.push_back(ordered_partition(powers, out.degree));
        }
    }
    return out;
}

/// One line per coordinate: its number, its meaning, and its partition of the degree.
std::string names_text(const CoordinateList& list) {
    std::size_t width = 10;
    for (const std::string& name : list.names) {
        width = std::max(width, name.size());
    }
    std::string text = fmt::format("{:>10}  {:<{}}", "coordinate", "product", width);
    text += list.partitions.empty() ? "\n" : fmt::format("  partition of {}\n", list.degree);
    for (std::size_t i = 0; i < list.names.size(); ++i) {
        text += fmt::format("{:>10}  {:<{}}", i, list.names[i], width);
        text += list.partitions.empty()
                    ? "\n"
                    : fmt::format("  ({})\n", fmt::join(list.partitions[i], ","));
    }
    return text;
}

void require_sense(Session& session, const FeaturesOptions& options) {
    session.require_free_output(options.output);
    if (options.output.empty() && !options.names) {
        throw UsageError("-o: name the file to write, or say --names to see the coordinates only");
    }
    if (options.output == "-" && options.names) {
        throw UsageError("--names and -o -: both go to standard output; leave one out");
    }
}

void write_file(Session& session, const FeaturesOptions& options, const FeatureMap& map,
                const Dataset& data) {
    Context& context = session.context();
    std::vector<double> targets;
    if (options.targets) {
        if (data.targets.empty() && data.rows() > 0) {
            throw DataError(fmt::format(
                "{}: the rows have no targets; name the column with --target", options.data.path));
        }
        targets = target_numbers(data);
    }
    const index_t width = map.dimension() + (options.targets ? 1 : 0);
    const Precision precision = parse_precision(options.precision);
    session.timed("features", [&] {
        StoppableFiles files(context);
        MatrixFile file(options.output, matrix_format(options.output), data.rows(), width,
                        precision, files);
        naming_file(options.data.path, [&] { write_features(context, map, data, targets, file); });
        file.commit();
    });
    session.say(fmt::format("wrote {}: {} x {} {}, {}{}{}", options.output, data.rows(), width,
                            to_string(precision), to_string(map.kernel()),
                            map.is_truncated() ? ", series cut" : "",
                            options.targets ? ", targets last" : ""));
}

ExitStatus run_features(Session& session, const FeaturesOptions& options) {
    require_sense(session, options);
    const Kernel given = parse_argument(session, options.kernel);
    require_definite(given, options.kernel);
    const Dataset data = read_data(session, options.data.path, options.data.read);
    const Kernel kernel = bind_to_data(session, given, data);
    const FeatureMap map = make_feature_map(kernel, data.columns(), options.map);
    if (options.names && map.dimension() > kNamesShown) {
        throw UsageError(fmt::format("--names: the map has {} coordinates, at most {} are listed",
                                     map.dimension(), kNamesShown));
    }
    if (!options.output.empty()) {
        write_file(session, options, map, data);
    }
    const CoordinateList list = list_coordinates(map);
    Json json = session.json_result();
    json["kernel"] = to_string(kernel);
    if (!options.output.empty()) {
        json["file"] = options.output;
    }
    json["rows"] = data.rows();
    json["columns"] = map.dimension();
    json["precision"] = to_string(parse_precision(options.precision));
    json["truncated"] = map.is_truncated();
    json["coordinates"] = list.names;
    if (!list.partitions.empty()) {
        json["degree"] = list.degree;
        json["partitions"] = list.partitions;
    }
    session.emit_timed(std::move(json), options.names ? names_text(list) : "");
    return ExitStatus::done;
}

void describe_features(CLI::App& app, FeaturesOptions& options) {
    add_kernel_argument(app, options.kernel);
    add_output_option(app, options.output, "file to write: .npy, .csv, or - for CSV text")
        .required(false);
    OptionRegistrar registrar(app);
    registrar.flag("names", options.names,
                   "print what each coordinate stands for, monomials as ordered partitions");
    registrar.flag("targets", options.targets, "write the targets as the last column");
    add_precision_option(app, options.precision);
    add_described_options(app, options.map);
    add_data_argument(app, options.data);
}

}  // namespace

void add_kernel_features(CLI::App& group, Session& session) {
    add_command<FeaturesOptions>(
        group, session,
        {"features", "write phi(x) of every row, with <phi(x), phi(z)> = k(x, z)",
         "  mercer kernel features 'poly(degree=2)' train.svm -o F.npy\n"
         "  mercer kernel features 'rbf(gamma=0.5)' line.csv --truncation 10 -o F.csv\n"
         "  mercer kernel features 'poly(degree=3)' train.csv --names\n"},
        describe_features, run_features);
}

}  // namespace mercer::cli
