// SPDX-License-Identifier: Apache-2.0
//
// cli/kernel_features.cpp - mercer kernel features: the rows in the kernel's own coordinates.
#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "data_access.hpp"
#include "kernel_access.hpp"
#include "kernel_commands.hpp"
#include "matrix_file.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/feature_map.hpp"
#include "mercer/runtime/parallel.hpp"
#include "option_registrar.hpp"
#include "stoppable_files.hpp"

namespace mercer::cli {

namespace {

constexpr index_t kLargestBlock = index_t{32} << 20;
constexpr index_t kNamesShown = 1000;

struct FeaturesOptions {
    KernelArgument kernel;
    DataArgument data;
    FeatureMapOptions map;
    std::string output;
    std::string precision = "double";
};

/// phi of one row; throws DataError naming it when it has none that is finite.
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

/// Maps the rows block by block, all threads on a block, and hands each block to the file.
void write_features(Context& context, const FeatureMap& map, const Dataset& data,
                    MatrixFile& file) {
    const index_t dimension = map.dimension();
    const index_t row_bytes = checked_multiply(std::max<index_t>(1, dimension), sizeof(double));
    const index_t bytes = std::min(kLargestBlock, context.memory()->left() / 2);
    const index_t height =
        std::clamp<index_t>(bytes / row_bytes, 1, std::max<index_t>(1, data.rows()));
    Buffer<double> block =
        context.allocate<double>(checked_multiply(height, dimension), "a block of features");
    std::vector<std::vector<double>> scratch(
        static_cast<std::size_t>(context.threads()),
        std::vector<double>(static_cast<std::size_t>(data.columns())));
    for (index_t begin = 0; begin < data.rows(); begin += height) {
        const index_t count = std::min(height, data.rows() - begin);
        parallel_for(context, count, [&](index_t i, int worker) {
            std::vector<double>& row = scratch[static_cast<std::size_t>(worker)];
            const std::span<double> features = block.span().subspan(
                static_cast<std::size_t>(i * dimension), static_cast<std::size_t>(dimension));
            data.copy_row(begin + i, row);
            map_row(map, begin + i, row, features);
        });
        file.append_rows(MatrixView<const double>(block.data(), count, dimension));
        context.report({"features", begin + count, data.rows(), kNaN, 0});
    }
}

std::vector<std::string> coordinate_names(const FeatureMap& map) {
    std::vector<std::string> names;
    if (map.dimension() <= kNamesShown) {
        for (index_t i = 0; i < map.dimension(); ++i) {
            names.push_back(map.coordinate_name(i));
        }
    }
    return names;
}

ExitStatus run_features(Session& session, const FeaturesOptions& options) {
    session.require_free_output(options.output);
    const Kernel given = parse_argument(session, options.kernel);
    require_definite(given, options.kernel);
    const Dataset data = read_data(session, options.data.path, options.data.read);
    const Kernel kernel = bind_to_data(session, given, data);
    const FeatureMap map = make_feature_map(kernel, data.columns(), options.map);
    Context& context = session.context();
    const Precision precision = parse_precision(options.precision);
    session.timed("features", [&] {
        StoppableFiles files(context);
        MatrixFile file(options.output, matrix_format(options.output), data.rows(), map.dimension(),
                        precision, files);
        naming_file(options.data.path, [&] { write_features(context, map, data, file); });
        file.commit();
    });
    session.say(fmt::format("wrote {}: {} x {} {}, {}{}", options.output, data.rows(),
                            map.dimension(), to_string(precision), to_string(kernel),
                            map.is_truncated() ? ", series cut" : ""));
    Json json = session.json_result();
    json["kernel"] = to_string(kernel);
    json["file"] = options.output;
    json["rows"] = data.rows();
    json["columns"] = map.dimension();
    json["precision"] = to_string(precision);
    json["truncated"] = map.is_truncated();
    json["coordinates"] = coordinate_names(map);
    session.emit_timed(std::move(json), "");
    return ExitStatus::done;
}

void describe_features(CLI::App& app, FeaturesOptions& options) {
    add_kernel_argument(app, options.kernel);
    add_output_option(app, options.output, "file to write: .npy, .csv, or - for CSV text");
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
         "  mercer kernel features 'rbf(gamma=0.5)' line.csv --truncation 10 -o F.csv\n"},
        describe_features, run_features);
}

}  // namespace mercer::cli
