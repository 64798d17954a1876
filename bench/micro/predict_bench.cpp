// SPDX-License-Identifier: Apache-2.0
//
// bench/micro/predict_bench.cpp - single rows: a Predictor compared with decision_function().
//
//     bench_predict [threads]     prints JSON lines: microseconds for one row, 1,000 support rows
#include <cstdlib>
#include <string>
#include <vector>

#include "mercer/base/random.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/models/predictor.hpp"
#include "mercer/runtime/context.hpp"
#include "timing.hpp"

namespace mercer::bench {
namespace {

constexpr int kRuns = 5;
constexpr index_t kSupport = 1000;
constexpr index_t kQuestions = 200;

std::vector<double> normals(index_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) {
        value = random.normal();
    }
    return values;
}

void measure(index_t columns, Context& context) {
    const std::vector<double> support = normals(kSupport * columns, 1);
    const std::vector<double> asked = normals(kQuestions * columns, 2);
    Model model;
    model.kernel = rbf_kernel(1.0 / static_cast<double>(columns));
    model.support = Dataset(MatrixView<const double>(support.data(), kSupport, columns));
    model.coefficients = normals(kSupport, 3);
    model.intercepts = {0.0};
    model.columns = columns;
    std::vector<Dataset> rows;
    for (index_t i = 0; i < kQuestions; ++i) {
        rows.emplace_back(MatrixView<const double>(asked.data() + i * columns, 1, columns));
    }
    double sum = 0.0;  // the result must be used
    const double each_time = best_seconds(kRuns, [&] {
        for (const Dataset& row : rows) {
            sum += decision_function(model, row, context).front();
        }
    });
    const Predictor predictor(model, context);
    const double once = best_seconds(kRuns, [&] {
        for (const Dataset& row : rows) {
            sum += predictor.decision_values(row, context).front();
        }
    });
    const std::string name = "single_row_" + std::to_string(columns) + "_columns";
    print_figure(name + "_function", 1e6 * each_time / kQuestions, "us");
    print_figure(name + "_predictor", 1e6 * once / kQuestions, "us");
    print_figure(name + "_gain", each_time / once, sum == 0.0 ? "?" : "times");
}

}  // namespace
}  // namespace mercer::bench

int main(int argc, char** argv) {
    mercer::Context context({.threads = argc > 1 ? std::atoi(argv[1]) : 1});
    for (const mercer::index_t columns : {10, 100, 500}) {
        mercer::bench::measure(columns, context);
    }
    return 0;
}
