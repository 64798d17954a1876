// SPDX-License-Identifier: Apache-2.0
//
// src/data/decompress.hpp - the four compressions, as byte sources over byte sources.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "data/byte_source.hpp"

namespace mercer::data {

enum class Compression { none, gzip, xz, bzip2, zstd };

/// Number of bytes that compression_of() needs.
inline constexpr index_t kCompressionMagic = 6;

/// The compression whose streams start with these bytes.
[[nodiscard]] Compression compression_of(std::string_view first_bytes);

/// The compression that the suffix of a file name stands for (.gz .xz .bz2 .zst).
[[nodiscard]] Compression compression_of_path(std::string_view path);

/// `path` without the suffix of a compression.
[[nodiscard]] std::string_view without_compression(std::string_view path);

/// The plain bytes of a compressed stream; consecutive streams are joined. The decoder's memory is
/// charged to the context's budget, so that no file can make it exceed the limit.
[[nodiscard]] std::unique_ptr<ByteSource> make_decompressor(Compression compression,
                                                            std::unique_ptr<PeekSource> inner,
                                                            const std::string& name,
                                                            Context& context);

/// The plain bytes of one raw deflate stream, as zip archives hold it. `inner` is left at the first
/// byte after the stream.
[[nodiscard]] std::unique_ptr<ByteSource> make_inflater(PeekSource& inner, const std::string& name,
                                                        Context& context);

}  // namespace mercer::data
