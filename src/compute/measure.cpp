// SPDX-License-Identifier: Apache-2.0
//
// src/compute/measure.cpp - short timed runs of the cpu backend.
#include "mercer/compute/measure.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "mercer/base/random.hpp"
#include "mercer/compute/backend.hpp"
#include "mercer/compute/engine.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

constexpr int kRuns = 4;

/// Shortest time of a few runs; the first also warms up.
template <class F>
double best_seconds(const F& f) {
    using Clock = std::chrono::steady_clock;
    double best = kInfinity;
    for (int run = 0; run < kRuns; ++run) {
        const Clock::time_point start = Clock::now();
        f();
        best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return best;
}

template <typename T>
double gemm_gflops(Context& context) {
    constexpr index_t kSize = 1024;
    Buffer<T> a = context.allocate<T>(kSize * kSize, "a test matrix");
    Buffer<T> c = context.allocate<T>(kSize * kSize, "a test matrix");
    std::fill_n(a.data(), a.size(), T{1});
    const MatrixView<const T> left(a.data(), kSize, kSize);
    const MatrixView<T> out(c.data(), kSize, kSize);
    const double seconds = best_seconds([&] {
        cpu_backend().multiply(Operand<T>{left, false}, Operand<T>{left, true}, T{1}, T{0}, out,
                               context);
    });
    return 2e-9 * kSize * kSize * kSize / seconds;
}

template <typename T>
double tile_gflops(Precision precision, Context& context) {
    constexpr index_t kRows = 2048;
    constexpr index_t kWidth = 256;
    std::vector<double> values(static_cast<std::size_t>(kRows * kWidth));
    Random random(1);
    std::generate(values.begin(), values.end(), [&] { return random.normal(); });
    const Dataset rows(MatrixView<const double>(values.data(), kRows, kWidth));
    const auto engine =
        cpu_backend().compile(Kernel(), rows, {.precision = precision, .columns = kWidth}, context);
    const auto prepared = engine->prepare(rows, context);
    std::vector<std::unique_ptr<TileScratch>> scratch;
    std::vector<Buffer<T>> out;
    for (int worker = 0; worker < context.threads(); ++worker) {
        scratch.push_back(engine->make_scratch(context));
        out.push_back(context.allocate<T>(kTileRows * kTileColumns, "a tile"));
    }
    const double seconds = best_seconds([&] {
        parallel_for(context, kRows / kTileRows, [&](index_t block, int worker) {
            const auto own = static_cast<std::size_t>(worker);
            const MatrixView<T> tile(out[own].data(), kTileRows, kTileColumns);
            for (index_t j = 0; j < kRows; j += kTileColumns) {
                engine->tile(*prepared, {block * kTileRows, kTileRows}, *prepared,
                             {j, kTileColumns}, tile, *scratch[own]);
            }
        });
    });
    return 2e-9 * kRows * kRows * kWidth / seconds;
}

template <typename T>
double exp_per_second() {
    constexpr index_t kSize = 4096;
    constexpr int kRepeats = 200;
    std::vector<T> x(kSize);
    std::vector<T> out(kSize);
    for (index_t i = 0; i < kSize; ++i) {
        x[static_cast<std::size_t>(i)] = static_cast<T>(-10.0 * static_cast<double>(i) / kSize);
    }
    const double seconds = best_seconds([&] {
        for (int repeat = 0; repeat < kRepeats; ++repeat) {
            cpu_backend().exponential(std::span<const T>(x), std::span<T>(out));
        }
    });
    return static_cast<double>(kSize) * kRepeats / seconds;
}

}  // namespace

SpeedReport measure_speed(Context& context) {
    SpeedReport report;
    report.sgemm_gflops = gemm_gflops<float>(context);
    report.dgemm_gflops = gemm_gflops<double>(context);
    report.tile_gflops_float32 = tile_gflops<float>(Precision::float32, context);
    report.tile_gflops_float64 = tile_gflops<double>(Precision::float64, context);
    report.exp_per_second_float32 = exp_per_second<float>();
    report.exp_per_second_float64 = exp_per_second<double>();
    return report;
}

}  // namespace mercer
