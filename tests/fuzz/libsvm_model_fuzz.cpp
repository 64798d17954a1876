// SPDX-License-Identifier: Apache-2.0
//
// tests/fuzz/libsvm_model_fuzz.cpp - any text as a LIBSVM model file.
//
// What is read must become a consistent model, and what that is written as must be read again.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "mercer/base/error.hpp"
#include "mercer/formats/libsvm_model.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/memory_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    mercer::MemoryFiles files;
    files.contents["a"].assign(reinterpret_cast<const char*>(data), size);
    mercer::Context context(mercer::ContextOptions{.threads = 1, .memory = 16 << 20});
    try {
        const mercer::Result<mercer::LibsvmModel> model =
            mercer::read_libsvm_model("a", context, files);
        if (model.ok()) {
            const mercer::Model machine = mercer::from_libsvm(model.value());
            mercer::write_libsvm_model(mercer::to_libsvm(machine), "b", files);
            if (!mercer::read_libsvm_model("b", context, files).ok()) {
                std::abort();
            }
        } else if (model.diagnostic().message.empty()) {
            std::abort();
        }
    } catch (const mercer::ResourceError&) {
    }
    if (context.memory()->used() != 0) {
        std::abort();
    }
    return 0;
}
