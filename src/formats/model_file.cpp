// SPDX-License-Identifier: Apache-2.0
//
// src/formats/model_file.cpp - saving a model and loading it back without losing a bit.
//
// The loader trusts nothing: the block table must follow from the sizes, the sizes must add up to
// the size of the file before memory is allocated, the checksum must match before a block is
// interpreted, and the assembled model must pass require_consistent().
#include "mercer/formats/model_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "formats/header.hpp"
#include "formats/kernel_matrices.hpp"
#include "formats/layout.hpp"
#include "formats/model_bytes.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/entries.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/hash.hpp"

namespace mercer {

namespace {

static_assert(std::endian::native == std::endian::little, "blocks are written as they lie");

constexpr std::string_view kMagic = "MERCER\r\n";
constexpr index_t kPreambleBytes = 16;

// A header holds names, never rows. Parsed JSON takes about ten times the memory of its text, so
// this limit also bounds what a hostile file can make us allocate: 160 MiB.
constexpr index_t kLongestHeader = index_t{16} << 20;

void require_savable(const Kernel& kernel) {
    if (kernel.type() == KernelType::custom) {
        throw InvalidArgument(fmt::format(
            "kernel: '{}' is written in C++, so no model file can hold it", to_string(kernel)));
    }
    for (const Kernel& child : kernel.node().children) {
        require_savable(child);
    }
}

/// Writes the column indices of all rows, also of rows without gaps.
void write_columns(const CsrView& rows, BlockWriter& writer) {
    std::vector<index_t> columns;
    writer.align();
    for (index_t i = 0; i < rows.rows(); ++i) {
        columns.clear();
        data::for_each_entry(rows, i, [&](index_t column, double) { columns.push_back(column); });
        writer.write(bytes_of(std::span<const index_t>(columns)));
    }
}

void write_support(const Dataset& support, BlockWriter& writer) {
    if (const auto* sparse = std::get_if<CsrView>(&support.storage())) {
        const index_t zero = 0;  // rows() == 0 may come without offsets
        writer.block(sparse->offsets.empty() ? std::span<const index_t>(&zero, 1)
                                             : sparse->offsets);
        write_columns(*sparse, writer);
        writer.block(sparse->values);
        return;
    }
    std::visit(
        [&](const auto& rows) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(rows)>, CsrView>) {
                writer.align();
                for (index_t i = 0; i < rows.rows; ++i) {
                    writer.write(
                        bytes_of(std::span(rows.row(i), static_cast<std::size_t>(rows.columns))));
                }
            }
        },
        support.storage());
}

std::vector<double> certificate_numbers(const Model& model) {
    std::vector<double> numbers;
    for (const Certificate& proof : model.certificates) {
        for (const double value :
             {proof.primal, proof.dual, proof.gap, proof.kkt_violation, proof.dual_infeasibility,
              proof.squared_norm, proof.intercept, proof.intercepts.lower, proof.intercepts.upper,
              static_cast<double>(proof.worst_sample), proof.exact ? 1.0 : 0.0, proof.width}) {
            // One bit pattern for all NaNs: equal models have equal bytes.
            numbers.push_back(std::isnan(value) ? kNaN : value);
        }
    }
    return numbers;
}

/// The certificates of the block; throws BadModel for an invalid sample or flag.
std::vector<Certificate> certificates_of(std::span<const double> numbers) {
    constexpr double kLargestRow = 0x1.0p53;
    std::vector<Certificate> certificates;
    for (; !numbers.empty(); numbers = numbers.subspan(kCertificateNumbers)) {
        const double row = numbers[9];
        const double exact = numbers[10];
        if (!(row >= -1.0 && row < kLargestRow && row == std::trunc(row))) {
            throw BadModel("certificates: the worst sample is no row");
        }
        if (exact != 0.0 && exact != 1.0) {
            throw BadModel("certificates: exact must be 0 or 1");
        }
        certificates.push_back({.primal = numbers[0],
                                .dual = numbers[1],
                                .gap = numbers[2],
                                .kkt_violation = numbers[3],
                                .dual_infeasibility = numbers[4],
                                .squared_norm = numbers[5],
                                .intercept = numbers[6],
                                .intercepts = {numbers[7], numbers[8]},
                                .width = numbers[11],
                                .worst_sample = static_cast<index_t>(row),
                                .exact = exact == 1.0});
    }
    return certificates;
}

void write_blocks(const Model& model, BlockWriter& writer) {
    for (const auto& matrix : matrices_of(model.kernel)) {
        writer.block(std::span<const double>(matrix->values));
    }
    write_support(model.support, writer);
    writer.block(std::span<const index_t>(model.support_rows));
    writer.block(std::span<const double>(model.coefficients));
    writer.block(std::span<const double>(model.intercepts));
    writer.block(std::span<const double>(certificate_numbers(model)));
    writer.block(std::span<const index_t>(model.class_support));
    writer.block(std::span<const double>(model.link.a));
    writer.block(std::span<const double>(model.link.b));
    const std::uint32_t version = layout_of(model).version;
    if (holds_multipliers(version)) {
        writer.block(std::span<const double>(model.row_multipliers));
    }
    if (holds_comparisons(version)) {
        writer.block(std::span<const double>(model.thresholds));
        writer.block(std::span<const index_t>(model.compared.uppers));
        writer.block(std::span<const index_t>(model.compared.lowers));
        writer.block(std::span<const double>(model.compared.multipliers));
    }
    const Scaling none;
    const Scaling& scaling = model.scaling ? *model.scaling : none;
    writer.block(std::span<const index_t>(scaling.columns));
    writer.block(std::span<const double>(scaling.offset));
    writer.block(std::span<const double>(scaling.factor));
}

/// The text of the header and its version.
struct Preamble {
    std::uint32_t version = 0;
    std::string header;
};

/// Reads magic, version, length and header.
Preamble read_preamble(ByteReader& reader) {
    std::array<char, kPreambleBytes> preamble{};
    if (reader.remaining() < kPreambleBytes) {
        throw BadModel("too short to be a Mercer model");
    }
    reader.read(preamble);
    if (std::string_view(preamble.data(), kMagic.size()) != kMagic) {
        throw BadModel("byte 0: this is not a Mercer model");
    }
    std::uint32_t version = 0;
    std::uint32_t length = 0;
    std::memcpy(&version, preamble.data() + 8, sizeof(version));
    std::memcpy(&length, preamble.data() + 12, sizeof(length));
    if (version < 1 || version > kNewestVersion) {
        throw BadModel(fmt::format("byte 8: format version {}; this program reads versions 1 to {}",
                                   version, kNewestVersion));
    }
    if (length > kLongestHeader || length > reader.remaining()) {
        throw BadModel(fmt::format("byte 12: a header of {} bytes does not fit", length));
    }
    std::string text(length, '\0');
    reader.read(text);
    return {version, std::move(text)};
}

/// The blocks by name, each in its own memory.
class Blocks {
public:
    using Numbers = std::variant<Buffer<double>, Buffer<float>, Buffer<index_t>>;

    Blocks(const std::vector<Block>& table, ByteReader& reader, Context& context) {
        reader.skip_padding();
        if (reader.remaining() != end_of(table)) {
            throw BadModel(fmt::format("byte {}: the blocks need {} bytes, the file has {}",
                                       reader.position(), end_of(table), reader.remaining()));
        }
        for (const Block& block : table) {
            reader.skip_padding();
            numbers_.emplace(block.name, read(block, reader, context));
        }
    }

    template <typename T>
    [[nodiscard]] Buffer<T>& of(const std::string& name) {
        return std::get<Buffer<T>>(numbers_.at(name));
    }
    template <typename T>
    [[nodiscard]] std::vector<T> copy(const std::string& name) {
        const std::span<const T> numbers = of<T>(name).span();
        return {numbers.begin(), numbers.end()};
    }

private:
    static Numbers read(const Block& block, ByteReader& reader, Context& context) {
        switch (block.type) {
            case BlockType::f32:
                return read<float>(block, reader, context);
            case BlockType::i64:
                return read<index_t>(block, reader, context);
            case BlockType::f64:
                break;
        }
        return read<double>(block, reader, context);
    }
    template <typename T>
    static Numbers read(const Block& block, ByteReader& reader, Context& context) {
        Buffer<T> numbers = context.allocate<T>(block.count, "a block of the model file");
        reader.read(writable_bytes_of(numbers.span()));
        return numbers;
    }

    std::map<std::string, Numbers> numbers_;
};

/// Rows that own the blocks they refer to; throws InvalidArgument if they are malformed.
Dataset checked_rows(const RowStorage& rows, std::shared_ptr<const void> owner, Context& context) {
    static_cast<void>(Dataset(rows));
    return Dataset::from_checked(rows, std::move(owner), context.memory());
}

struct CsrBlocks {
    Buffer<index_t> offsets;
    Buffer<index_t> columns;
    Buffer<double> values;
};

template <typename T>
Dataset dense_rows(const Layout& layout, Blocks& blocks, Context& context) {
    auto values = std::make_shared<Buffer<T>>(std::move(blocks.of<T>("support_values")));
    const MatrixView<const T> view(values->data(), layout.rows, layout.columns);
    return checked_rows(view, values, context);
}

Dataset support_of(const Layout& layout, Blocks& blocks, Context& context) {
    if (layout.storage == "f32") {
        return dense_rows<float>(layout, blocks, context);
    }
    if (layout.storage == "f64") {
        return dense_rows<double>(layout, blocks, context);
    }
    auto csr = std::make_shared<CsrBlocks>();
    csr->offsets = std::move(blocks.of<index_t>("support_offsets"));
    csr->columns = std::move(blocks.of<index_t>("support_columns"));
    csr->values = std::move(blocks.of<double>("support_values"));
    const CsrView view{std::as_const(csr->offsets).span(), std::as_const(csr->columns).span(),
                       std::as_const(csr->values).span(), layout.columns};
    return checked_rows(view, csr, context);
}

Kernel kernel_of(const Header& header, Blocks& blocks) {
    std::vector<KernelMatrix> matrices;
    for (const Layout::Shape& shape : header.layout.kernel_matrices) {
        const std::string name = fmt::format("kernel_matrix_{}", matrices.size());
        matrices.push_back({name, shape.rows, shape.columns, blocks.copy<double>(name)});
    }
    Result<Kernel> kernel = restore_kernel(header.kernel, matrices);
    if (!kernel) {
        throw BadModel(fmt::format("header: kernel: {}", kernel.diagnostic().text()));
    }
    return std::move(kernel).value();
}

Model assemble(Header header, Blocks& blocks, Context& context) {
    Model model = std::move(header.model);
    model.kernel = kernel_of(header, blocks);
    model.support = support_of(header.layout, blocks, context);
    model.support_rows = blocks.copy<index_t>("support_rows");
    model.coefficients = blocks.copy<double>("coefficients");
    model.intercepts = blocks.copy<double>("intercepts");
    if (header.layout.version >= 2) {
        model.certificates = certificates_of(blocks.of<double>("certificates").span());
        model.class_support = blocks.copy<index_t>("class_support");
        model.link.a = blocks.copy<double>("link_a");
        model.link.b = blocks.copy<double>("link_b");
    }
    if (holds_multipliers(header.layout.version)) {
        model.row_multipliers = blocks.copy<double>("row_multipliers");
    }
    if (holds_comparisons(header.layout.version)) {
        model.thresholds = blocks.copy<double>("thresholds");
        model.compared = {blocks.copy<index_t>("compared_uppers"),
                          blocks.copy<index_t>("compared_lowers"),
                          blocks.copy<double>("multipliers")};
    }
    if (model.scaling) {
        model.scaling->columns = blocks.copy<index_t>("scaling_columns");
        model.scaling->offset = blocks.copy<double>("scaling_offsets");
        model.scaling->factor = blocks.copy<double>("scaling_factors");
    }
    require_consistent(model);
    return model;
}

Model read_model(ReadFile& file, Context& context) {
    ByteReader reader(file, context);
    const Preamble preamble = read_preamble(reader);
    Header header = read_header(preamble.header, preamble.version);
    Blocks blocks(header.blocks, reader, context);
    reader.finish();
    return assemble(std::move(header), blocks, context);
}

}  // namespace

void save_model(const Model& model, const std::string& path, Files& files) {
    require_consistent(model);
    require_savable(model.kernel);
    const Layout layout = layout_of(model);
    const std::string header = write_header(model, layout);
    if (static_cast<index_t>(header.size()) > kLongestHeader) {
        throw InvalidArgument("model: names need more than 16 MiB");
    }
    const std::unique_ptr<WriteFile> file = files.create(path);
    BlockWriter writer(*file);
    writer.write(kMagic);
    const std::array<std::uint32_t, 2> numbers = {layout.version,
                                                  static_cast<std::uint32_t>(header.size())};
    writer.write(bytes_of(std::span<const std::uint32_t>(numbers)));
    writer.write(header);
    write_blocks(model, writer);
    writer.finish();
    file->commit();
}

Result<Model> load_model(const std::string& path, Context& context, Files& files) {
    const std::unique_ptr<ReadFile> file = files.open(path);
    try {
        return read_model(*file, context);
    } catch (const BadModel& error) {
        return Diagnostic{error.what(), path, 0, 0};
    } catch (const InvalidArgument& error) {
        return Diagnostic{error.what(), path, 0, 0};
    }
}

}  // namespace mercer
