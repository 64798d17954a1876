// SPDX-License-Identifier: Apache-2.0
//
// cli/kernel_access.cpp - kernel expressions from the command line, with the files they name.
#include "kernel_access.hpp"

#include <algorithm>

#include "argument.hpp"
#include "data_access.hpp"
#include "mercer/data/summary.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "stoppable_files.hpp"
#include "text_file.hpp"

namespace mercer::cli {

namespace {

/// Matrices and texts named in expressions, read like other data.
class ExpressionFiles final : public KernelFiles {
public:
    explicit ExpressionFiles(Session& session) : session_(session) {}

    Result<KernelMatrix> read_matrix(const std::string& file) const override {
        session_.files.add(FileRole::input, "the kernel", file);
        ReadOptions options;
        options.target = "none";
        const Dataset rows = read_data(session_, file, options);
        KernelMatrix matrix{file, rows.rows(), rows.columns(), {}};
        matrix.values.resize(
            static_cast<std::size_t>(checked_multiply(rows.rows(), rows.columns())));
        for (index_t i = 0; i < rows.rows(); ++i) {
            rows.copy_row(i, std::span<double>(matrix.values)
                                 .subspan(static_cast<std::size_t>(i * rows.columns()),
                                          static_cast<std::size_t>(rows.columns())));
        }
        return matrix;
    }

    Result<std::string> read_text(const std::string& file) const override {
        session_.files.add(FileRole::input, "the kernel", file);
        StoppableFiles files(session_.context());
        return read_text_file(file, files);
    }

private:
    Session& session_;
};

constexpr const char* kAutoHint =
    "\nauto is 1 / columns elsewhere: give that number, or scale, which is 1 / (columns * "
    "variance)";

/// True if a parameter is `auto`, which other programs accept.
bool names_auto(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    return text.find("=auto") != std::string::npos;
}

}  // namespace

void add_kernel_argument(CLI::App& command, KernelArgument& kernel) {
    add_option(command, "EXPR", kernel.text, "kernel expression, see mercer kernel list")
        .required();
}

void add_allow_indefinite(CLI::App& command, KernelArgument& kernel) {
    add_flag(command, "--allow-indefinite", kernel.allow_indefinite,
             "accept a kernel not known to be positive definite");
}

Kernel parse_argument(Session& session, const KernelArgument& argument) {
    const ExpressionFiles files(session);
    Result<Kernel> parsed = parse_kernel(argument.text, &files);
    if (!parsed.ok()) {
        throw UsageError(fmt::format("{}\n{}{}", parsed.diagnostic().text(),
                                     point_at(argument.text, parsed.diagnostic()),
                                     names_auto(argument.text) ? kAutoHint : ""));
    }
    return std::move(parsed).value();
}

void require_definite(const Kernel& kernel, const KernelArgument& argument) {
    const Definiteness definiteness = kernel.definiteness();
    const bool definite = definiteness == Definiteness::strictly_positive_definite ||
                          definiteness == Definiteness::positive_definite;
    if (!definite && !argument.allow_indefinite) {
        throw UsageError(
            fmt::format("{}: {}, not shown to be positive definite; --allow-indefinite takes it "
                        "as it is",
                        to_string(kernel), to_string(definiteness)));
    }
}

Kernel bind_to_data(Session& session, const Kernel& kernel, const Dataset& data) {
    require_columns(kernel, data.columns());
    if (kernel.is_resolved()) {
        return kernel;
    }
    const double gamma = scale_gamma(data);
    session.explain(fmt::format("scale = 1 / (columns * variance) = {}", gamma));
    return resolve_kernel(kernel, gamma);
}

}  // namespace mercer::cli
