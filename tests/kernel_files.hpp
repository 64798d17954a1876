// SPDX-License-Identifier: Apache-2.0
//
// tests/kernel_files.hpp - kernel files that exist only in memory.
#pragma once

#include <map>
#include <string>

#include "mercer/kernels/catalogue.hpp"

namespace mercer::testing {

class MemoryKernelFiles final : public KernelFiles {
public:
    std::map<std::string, KernelMatrix> matrices;
    std::map<std::string, std::string> texts;

    [[nodiscard]] Result<KernelMatrix> read_matrix(const std::string& file) const override {
        const auto found = matrices.find(file);
        if (found == matrices.end()) {
            return Diagnostic{"no such file", file, 0, 0};
        }
        return found->second;
    }
    [[nodiscard]] Result<std::string> read_text(const std::string& file) const override {
        const auto found = texts.find(file);
        if (found == texts.end()) {
            return Diagnostic{"no such file", file, 0, 0};
        }
        return found->second;
    }
};

}  // namespace mercer::testing
