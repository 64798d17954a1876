// SPDX-License-Identifier: Apache-2.0
//
// tests/fuzz/kernel_fuzz.cpp - any bytes as a kernel expression.
//
// What parses must print to a text that parses to the same kernel, and must either have a value at
// two small rows or say why not.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/feature_map.hpp"

namespace {

using mercer::index_t;
using mercer::Kernel;

/// Any name is a 2 x 2 matrix, and a mixture file is written after its own name.
class FuzzFiles final : public mercer::KernelFiles {
public:
    [[nodiscard]] mercer::Result<mercer::KernelMatrix> read_matrix(
        const std::string& file) const override {
        const double corner = static_cast<double>(file.size() % 3) - 1.0;
        return mercer::KernelMatrix{file, 2, 2, {1.0, corner, corner, 1.0}};
    }
    [[nodiscard]] mercer::Result<std::string> read_text(const std::string& file) const override {
        if (file.size() % 2 == 0) {
            return file;
        }
        return std::string(R"({"prior": [0.5, 0.5], "conditional": [[1, 0], [0, 1]]})");
    }
};

void evaluate(const Kernel& kernel, const std::vector<double>& x, const std::vector<double>& z) {
    try {
        mercer::require_columns(kernel, static_cast<index_t>(x.size()));
        const Kernel resolved = mercer::resolve_kernel(kernel, 0.5);
        static_cast<void>(resolved(x, z));
        mercer::FeatureMapOptions options;
        options.truncation = 3;
        options.max_dimension = 200;
        const mercer::FeatureMap map =
            mercer::make_feature_map(resolved, static_cast<index_t>(x.size()), options);
        std::vector<double> phi(static_cast<std::size_t>(map.dimension()));
        map.map(x, phi);
        if (map.dimension() > 0) {
            static_cast<void>(map.coordinate_name(map.dimension() - 1));
        }
    } catch (const mercer::Error&) {
        // A refusal with a message is a right answer.
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const FuzzFiles files;
    const mercer::Result<Kernel> parsed = mercer::parse_kernel(text, &files);
    if (!parsed.ok()) {
        static_cast<void>(mercer::point_at(text, parsed.diagnostic()));
        return 0;
    }
    const Kernel& kernel = parsed.value();
    const mercer::Result<Kernel> again = mercer::parse_kernel(mercer::to_string(kernel), &files);
    if (!again.ok() || !(again.value() == kernel)) {
        std::abort();
    }
    static_cast<void>(kernel.definiteness());
    evaluate(kernel, {0.25}, {1.0});
    evaluate(kernel, {0.5, -1.5}, {0.0, 2.0});
    return 0;
}
