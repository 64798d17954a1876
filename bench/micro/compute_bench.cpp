// SPDX-License-Identifier: Apache-2.0
//
// bench/micro/compute_bench.cpp - the compute primitives compared with their parts, in one process.
//
//     bench_compute [threads [sgemm|exp|gram]]     prints JSON lines; bench/run reads them
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "mercer/base/random.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/compute/primitives.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"
#include "timing.hpp"

namespace mercer::bench {
namespace {

constexpr int kRuns = 5;

std::vector<float> normals(index_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) {
        value = static_cast<float>(random.normal());
    }
    return values;
}

void measure_sgemm(Context& context) {
    constexpr index_t kSize = 2048;
    const std::vector<float> a = normals(kSize * kSize, 1);
    std::vector<float> c(a.size());
    const MatrixView<const float> left(a.data(), kSize, kSize);
    const double seconds = best_seconds(kRuns, [&] {
        multiply(left, false, left, true, 1.0F, 0.0F, MatrixView<float>(c.data(), kSize, kSize),
                 context);
    });
    print_figure("sgemm_2048", 2e-9 * kSize * kSize * kSize / seconds, "GFLOP/s");
}

void measure_exp() {
    std::vector<float> x = normals(4096, 2);
    std::vector<float> out(x.size());
    constexpr int kRepeats = 1000;
    const double seconds = best_seconds(kRuns, [&] {
        for (int repeat = 0; repeat < kRepeats; ++repeat) {
            exponential(std::span<const float>(x), std::span<float>(out), Device::cpu);
        }
    });
    print_figure("exp_float32_one_core", 4096.0 * kRepeats / seconds, "1/s");
}

/// RBF Gram n x n compared with its parts alone: one SGEMM, and one pass of exp over its output.
void measure_gram(Context& context) {
    constexpr index_t kRows = 8000;
    constexpr index_t kWidth = 50;
    const std::vector<float> x = normals(kRows * kWidth, 3);
    const Dataset rows(MatrixView<const float>(x.data(), kRows, kWidth));
    Buffer<float> k = context.allocate<float>(kRows * kRows, "the Gram matrix");
    const MatrixView<float> out(k.data(), kRows, kRows);
    const MatrixView<const float> left(x.data(), kRows, kWidth);
    const double gram = best_seconds(kRuns, [&] {
        const GramMatrix matrix(rbf_kernel(0.02), rows, Precision::float32, context);
        matrix.copy_rows(0, out, context);
    });
    const double sgemm =
        best_seconds(kRuns, [&] { multiply(left, false, left, true, 1.0F, 0.0F, out, context); });
    std::fill_n(k.data(), k.size(), -0.5F);
    const double exp = best_seconds(kRuns, [&] {
        parallel_for(context, kRows, [&](index_t i, int) {
            const std::span<float> row(out.row(i), kRows);
            exponential(std::span<const float>(row), row, context.device());
        });
        std::fill_n(k.data(), 1, -0.5F);
    });
    print_figure("rbf_gram_8000x50_float32", gram, "s");
    print_figure("sgemm_8000x50_alone", sgemm, "s");
    print_figure("exp_pass_8000x8000_alone", exp, "s");
    print_figure("rbf_gram_over_its_parts", gram / (sgemm + exp), "x");
}

void run(int threads, const std::string& what) {
    Context context({.threads = threads});
    if (what.empty() || what == "sgemm") {
        measure_sgemm(context);
    }
    if (what.empty() || what == "exp") {
        measure_exp();
    }
    if (what.empty() || what == "gram") {
        measure_gram(context);
    }
}

}  // namespace
}  // namespace mercer::bench

int main(int argc, char** argv) {
    mercer::bench::run(argc > 1 ? std::atoi(argv[1]) : 0, argc > 2 ? argv[2] : "");
    return 0;
}
