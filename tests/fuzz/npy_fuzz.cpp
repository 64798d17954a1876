// SPDX-License-Identifier: Apache-2.0
//
// tests/fuzz/npy_fuzz.cpp - any bytes may be handed to the array readers, or compressed ones to
// any.
//
// The format is found by content, so that one corpus reaches .npy, .npz, idx and the decompressors.
#include "fuzz/fuzz_reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    mercer::testing::read_bytes(bytes, size, mercer::ReadOptions{});
    return 0;
}
