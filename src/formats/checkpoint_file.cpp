// SPDX-License-Identifier: Apache-2.0
//
// src/formats/checkpoint_file.cpp - writing and safely reading checkpoints and paths.
#include "mercer/formats/checkpoint_file.hpp"

#include <fmt/core.h>

#include <array>
#include <memory>

#include "formats/header.hpp"
#include "formats/kernel_matrices.hpp"
#include "formats/model_bytes.hpp"
#include "mercer/formats/path_file.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/hash.hpp"

namespace mercer {

namespace {

/// How to recognise a kind of file.
struct Kind {
    std::string_view magic;  ///< 8 bytes
    std::uint64_t version;
    const char* name;
};
constexpr Kind kCheckpoint{"MERCERCP", 1, "checkpoint"};
constexpr Kind kPath{"MERCERPT", 1, "path"};
constexpr std::size_t kMagicBytes = 8;

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

CheckpointFile read_pieces(const Kind& kind, ReadFile& file, Context& context) {
    ByteReader reader(file, context);
    std::array<char, kMagicBytes> magic{};
    if (reader.remaining() < static_cast<index_t>(magic.size())) {
        throw BadModel(fmt::format("too short to be a {}", kind.name));
    }
    reader.read(magic);
    if (std::string_view(magic.data(), magic.size()) != kind.magic) {
        throw BadModel(fmt::format("byte 0: this is not a {}", kind.name));
    }
    const std::uint64_t version = read_number(reader);
    if (version != kind.version) {
        throw BadModel(fmt::format("byte 8: {} version {}; this program reads version {}",
                                   kind.name, version, kind.version));
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

void write_pieces(const Kind& kind, const CheckpointFile& content, const std::string& path,
                  Files& files) {
    const std::unique_ptr<WriteFile> file = files.create(path);
    BlockWriter writer(*file);
    writer.write(kind.magic);
    write_number(writer, kind.version);
    write_number(writer, static_cast<std::uint64_t>(content.data.rows));
    write_number(writer, static_cast<std::uint64_t>(content.data.columns));
    write_number(writer, content.data.hash);
    write_text(writer, content.options);
    write_number(writer, content.pieces.size());
    for (const std::string& piece : content.pieces) {
        write_text(writer, piece);
    }
    writer.finish();
    file->commit();
}

Result<CheckpointFile> load_pieces(const Kind& kind, const std::string& path, Context& context,
                                   Files& files) {
    const std::unique_ptr<ReadFile> file = files.open(path);
    try {
        return read_pieces(kind, *file, context);
    } catch (const BadModel& error) {
        return Diagnostic{error.what(), path, 0, 0};
    }
}

}  // namespace

void save_checkpoint(const CheckpointFile& checkpoint, const std::string& path, Files& files) {
    write_pieces(kCheckpoint, checkpoint, path, files);
}

Result<CheckpointFile> load_checkpoint(const std::string& path, Context& context, Files& files) {
    return load_pieces(kCheckpoint, path, context, files);
}

void save_path_file(const PathFile& content, const std::string& path, Files& files) {
    write_pieces(kPath, content, path, files);
}

Result<PathFile> load_path_file(const std::string& path, Context& context, Files& files) {
    return load_pieces(kPath, path, context, files);
}

bool is_path_file(const std::string& path, Files& files) {
    const std::unique_ptr<ReadFile> file = files.open(path);
    std::array<char, kMagicBytes> magic{};
    return file->read(magic) == static_cast<index_t>(magic.size()) &&
           std::string_view(magic.data(), magic.size()) == kPath.magic;
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
