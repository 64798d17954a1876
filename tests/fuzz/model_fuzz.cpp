// SPDX-License-Identifier: Apache-2.0
//
// tests/fuzz/model_fuzz.cpp - any bytes as a model file.
//
// Before each run the checksum is put right, as a hostile writer would. What loads must be
// consistent and must save to bytes that load again.
#include <xxhash.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "mercer/base/error.hpp"
#include "mercer/formats/model_file.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/memory_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    mercer::MemoryFiles files;
    std::string& bytes = files.contents["a"];
    bytes.assign(reinterpret_cast<const char*>(data), size);
    if (size >= 8) {
        const std::uint64_t checksum = XXH3_64bits(bytes.data(), size - 8);
        std::memcpy(bytes.data() + size - 8, &checksum, 8);
    }
    mercer::Context context(mercer::ContextOptions{.threads = 1, .memory = 16 << 20});
    try {
        const mercer::Result<mercer::Model> model = mercer::load_model("a", context, files);
        if (model.ok()) {
            mercer::require_consistent(model.value());
            mercer::save_model(model.value(), "b", files);
            if (!mercer::load_model("b", context, files).ok()) {
                std::abort();
            }
        }
    } catch (const mercer::ResourceError&) {
    }
    if (context.memory()->used() != 0) {
        std::abort();
    }
    return 0;
}
