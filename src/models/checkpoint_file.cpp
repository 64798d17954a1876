// SPDX-License-Identifier: Apache-2.0
//
// src/models/checkpoint_file.cpp - writing a checkpoint, and reading it without trust.
#include "mercer/models/checkpoint_file.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "mercer/runtime/context.hpp"
#include "models/hash.hpp"
#include "models/header.hpp"
#include "models/kernel_matrices.hpp"
#include "models/model_bytes.hpp"

namespace mercer {

namespace {

constexpr std::string_view kMagic = "MERCERCP";
constexpr std::uint64_t kVersion = 1;

void write_number(BlockWriter& writer, std::uint64_t number) {
    writer.write(bytes_of(std::span<const std::uint64_t>(&number, 1)));
}

void write_text(BlockWriter& writer, const std::string& text) {
    write_number(writer, text.size());
    writer.write(text);
}

std::uint64_t read_number(ByteReader& reader) {
    std::uint64_t number = 0;
    reader.read(writable_bytes_of(std::span(&number, 1)));
    return number;
}

std::string read_text(ByteReader& reader) {
    const index_t position = reader.position();
    const std::uint64_t length = read_number(reader);
    if (length > static_cast<std::uint64_t>(reader.remaining())) {
        throw BadModel(fmt::format("byte {}: a piece of {} bytes does not fit", position, length));
    }
    std::string text(length, '\0');
    reader.read(text);
    return text;
}

CheckpointFile read_checkpoint(ReadFile& file, Context& context) {
    ByteReader reader(file, context);
    std::array<char, kMagic.size()> magic{};
    if (reader.remaining() < static_cast<index_t>(magic.size())) {
        throw BadModel("too short to be a checkpoint");
    }
    reader.read(magic);
    if (std::string_view(magic.data(), magic.size()) != kMagic) {
        throw BadModel("byte 0: this is not a checkpoint");
    }
    const std::uint64_t version = read_number(reader);
    if (version != kVersion) {
        throw BadModel(fmt::format("byte 8: checkpoint version {}; this program reads version {}",
                                   version, kVersion));
    }
    CheckpointFile checkpoint;
    checkpoint.data.rows = static_cast<index_t>(read_number(reader));
    checkpoint.data.columns = static_cast<index_t>(read_number(reader));
    checkpoint.data.hash = read_number(reader);
    checkpoint.options = read_text(reader);
    const std::uint64_t pieces = read_number(reader);
    for (std::uint64_t p = 0; p < pieces; ++p) {
        checkpoint.pieces.push_back(read_text(reader));
    }
    if (reader.remaining() != 0) {
        throw BadModel(fmt::format("byte {}: {} bytes belong to nothing", reader.position(),
                                   reader.remaining()));
    }
    reader.finish();
    return checkpoint;
}

}  // namespace

void save_checkpoint(const CheckpointFile& checkpoint, const std::string& path, Files& files) {
    const std::unique_ptr<WriteFile> file = files.create(path);
    BlockWriter writer(*file);
    writer.write(kMagic);
    write_number(writer, kVersion);
    write_number(writer, static_cast<std::uint64_t>(checkpoint.data.rows));
    write_number(writer, static_cast<std::uint64_t>(checkpoint.data.columns));
    write_number(writer, checkpoint.data.hash);
    write_text(writer, checkpoint.options);
    write_number(writer, checkpoint.pieces.size());
    for (const std::string& piece : checkpoint.pieces) {
        write_text(writer, piece);
    }
    writer.finish();
    file->commit();
}

Result<CheckpointFile> load_checkpoint(const std::string& path, Context& context, Files& files) {
    const std::unique_ptr<ReadFile> file = files.open(path);
    try {
        return read_checkpoint(*file, context);
    } catch (const BadModel& error) {
        return Diagnostic{error.what(), path, 0, 0};
    }
}

std::uint64_t coefficients_hash(const Model& model) {
    Hash hash;
    hash.add(bytes_of(std::span<const index_t>(model.support_rows)));
    hash.add(bytes_of(std::span<const double>(model.coefficients)));
    return hash.value();
}

std::uint64_t matrices_hash(const Kernel& kernel) {
    Hash hash;
    for (const auto& matrix : matrices_of(kernel)) {
        hash.add(bytes_of(std::span<const double>(matrix->values)));
    }
    return hash.value();
}

}  // namespace mercer
