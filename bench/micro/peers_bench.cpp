// SPDX-License-Identifier: Apache-2.0
//
// bench/micro/peers_bench.cpp - Mercer's half of the comparisons with NumPy and scikit-learn.
//
//     bench_peers gram   X.npy gamma precision threads         dense or sparse (.svm) rows
//     bench_peers fused  X.npy C.npy V.npy gamma precision threads
//
// Prints JSON lines with the seconds and a few entries, so that bench/run can compare the answers
// before it compares the times.
#include <cstdlib>
#include <string>
#include <vector>

#include "mercer/data/dataset.hpp"
#include "mercer/data/read.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/runtime/context.hpp"
#include "timing.hpp"

namespace mercer::bench {
namespace {

constexpr int kRuns = 5;

Dataset read(const std::string& path, Context& context) {
    ReadOptions options;
    if (path.ends_with(".npy")) {
        options.target = "none";
    }
    return read_dataset(path, options, context).value();
}

template <typename T>
void gram(const Dataset& rows, double gamma, Precision precision, Context& context) {
    const index_t n = rows.rows();
    Buffer<T> k = context.allocate<T>(n * n, "the Gram matrix");
    const double seconds = best_seconds(kRuns, [&] {
        const GramMatrix matrix(rbf_kernel(gamma), rows, precision, context);
        matrix.copy_rows(0, MatrixView<T>(k.data(), n, n), context);
    });
    print_figure("seconds", seconds, "s");
    for (index_t i = 0; i < 8; ++i) {
        print_figure("entry", static_cast<double>(k[i * (n / 8) * n + n - 1 - i]), "");
    }
}

void fused(const Dataset& rows, const Dataset& centres, const Dataset& v, double gamma,
           Precision precision, Context& context) {
    std::vector<double> weights(static_cast<std::size_t>(v.rows() * v.columns()));
    for (index_t i = 0; i < v.rows(); ++i) {
        v.copy_row(i, std::span<double>(weights).subspan(static_cast<std::size_t>(i * v.columns()),
                                                         static_cast<std::size_t>(v.columns())));
    }
    std::vector<double> out(static_cast<std::size_t>(rows.rows() * v.columns()));
    const double seconds = best_seconds(kRuns, [&] {
        const GramMatrix matrix(rbf_kernel(gamma), rows, centres, precision, context);
        matrix.multiply(MatrixView<const double>(weights.data(), v.rows(), v.columns()),
                        MatrixView<double>(out.data(), rows.rows(), v.columns()), context);
    });
    print_figure("seconds", seconds, "s");
    print_figure("peak_block_bytes", static_cast<double>(context.memory()->peak()), "B");
    for (index_t i = 0; i < 8; ++i) {
        print_figure("entry", out[static_cast<std::size_t>(i * (rows.rows() / 8) * v.columns())],
                     "");
    }
}

int run(const std::vector<std::string>& words) {
    const bool is_fused = !words.empty() && words[0] == "fused";
    if (words.size() != (is_fused ? 7U : 5U)) {
        fmt::print(stderr, "usage: bench_peers gram X gamma precision threads\n");
        return 2;
    }
    const Precision precision =
        words[words.size() - 2] == "float32" ? Precision::float32 : Precision::float64;
    Context context({.threads = std::atoi(words.back().c_str())});
    const double gamma = std::atof(words[words.size() - 3].c_str());
    const Dataset rows = read(words[1], context);
    if (is_fused) {
        fused(rows, read(words[2], context), read(words[3], context), gamma, precision, context);
    } else if (precision == Precision::float32) {
        gram<float>(rows, gamma, precision, context);
    } else {
        gram<double>(rows, gamma, precision, context);
    }
    return 0;
}

}  // namespace
}  // namespace mercer::bench

int main(int argc, char** argv) {
    return mercer::bench::run(std::vector<std::string>(argv + 1, argv + argc));
}
