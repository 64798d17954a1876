// SPDX-License-Identifier: Apache-2.0
//
// tests/install/consumer/main.cpp - calls one function of each room that is ready.
#include <cstdio>
#include <optional>

#include "mercer/base/random.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/memory.hpp"
#include "mercer/runtime/parallel.hpp"

int main() {
    mercer::Context context;
    const std::optional<mercer::index_t> size = mercer::parse_byte_size("4K");
    mercer::Buffer<double> numbers = context.allocate<double>(1000, "numbers");
    mercer::parallel_for(context, 10, [&](mercer::index_t tile, int) {
        mercer::Random random = context.random(static_cast<std::uint64_t>(tile));
        for (mercer::index_t i = 100 * tile; i < 100 * (tile + 1); ++i) {
            numbers[i] = random.uniform();
        }
    });
    double sum = 0.0;
    for (const double number : numbers.span()) {
        sum += number;
    }
    std::printf("%d threads, mean %.3f\n", context.threads(), sum / 1000.0);
    return size == 4096 && sum > 450.0 && sum < 550.0 ? 0 : 1;
}
