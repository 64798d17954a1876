// SPDX-License-Identifier: Apache-2.0
//
// src/formats/kernel_matrices.cpp - extracting the matrices of a kernel and inserting them again.
//
// The text is parsed with 1 x 1 placeholders, then the tree is rebuilt with the true matrices:
// writing a mixture's matrix to its JSON file and reading it back would lose bits.
#include "formats/kernel_matrices.hpp"

#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"

namespace mercer {

namespace {

class StandIns final : public KernelFiles {
public:
    [[nodiscard]] Result<KernelMatrix> read_matrix(const std::string& file) const override {
        return KernelMatrix{file, 1, 1, {1.0}};
    }
    [[nodiscard]] Result<std::string> read_text(const std::string&) const override {
        return std::string(R"({"prior": [1], "conditional": [[1]]})");
    }
};

void collect(const Kernel& kernel, std::vector<std::shared_ptr<const KernelMatrix>>& found) {
    if (kernel.node().matrix) {
        found.push_back(kernel.node().matrix);
    }
    for (const Kernel& child : kernel.node().children) {
        collect(child, found);
    }
}

Kernel replace(const Kernel& kernel, const std::vector<KernelMatrix>& matrices, std::size_t& next) {
    KernelNode node = kernel.node();
    if (node.matrix) {
        KernelMatrix matrix = matrices[next++];
        matrix.file = node.matrix->file;
        node.matrix = std::make_shared<const KernelMatrix>(std::move(matrix));
    }
    for (Kernel& child : node.children) {
        child = replace(child, matrices, next);
    }
    return make_kernel(std::move(node));
}

}  // namespace

std::vector<std::shared_ptr<const KernelMatrix>> matrices_of(const Kernel& kernel) {
    std::vector<std::shared_ptr<const KernelMatrix>> found;
    collect(kernel, found);
    return found;
}

Result<Kernel> restore_kernel(const std::string& text, const std::vector<KernelMatrix>& matrices) {
    const StandIns stand_ins;
    Result<Kernel> parsed = parse_kernel(text, &stand_ins);
    if (!parsed) {
        return parsed;
    }
    Kernel kernel = std::move(parsed).value();
    if (to_string(kernel) != text) {
        return Diagnostic{"the kernel is not in its canonical form", text, 0, 0};
    }
    if (matrices_of(kernel).size() != matrices.size()) {
        return Diagnostic{"the kernel and its matrices differ in number", text, 0, 0};
    }
    if (matrices.empty()) {
        return kernel;
    }
    try {
        std::size_t next = 0;
        return replace(kernel, matrices, next);
    } catch (const InvalidArgument& error) {
        return Diagnostic{error.what(), text, 0, 0};
    }
}

}  // namespace mercer
