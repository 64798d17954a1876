// SPDX-License-Identifier: Apache-2.0
//
// tests/fuzz/csv_fuzz.cpp - any bytes may be handed to the CSV reader.
#include "fuzz/fuzz_reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    mercer::ReadOptions options;
    options.format = "csv";
    mercer::testing::read_bytes(bytes, size, options);
    return 0;
}
