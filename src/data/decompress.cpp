// SPDX-License-Identifier: Apache-2.0
//
// src/data/decompress.cpp - gzip, xz, bzip2 and zstd behind one loop.
#include "data/decompress.hpp"

#include <bzlib.h>
#include <fmt/core.h>
#include <lzma.h>
#include <zlib.h>
#define ZSTD_STATIC_LINKING_ONLY  // for the constructor that takes an allocator
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "data/bad_input.hpp"
#include "mercer/base/error.hpp"

namespace mercer::data {

namespace {

/// Memory for C libraries, charged to a budget. They get null, never an exception.
class BudgetAllocator {
public:
    explicit BudgetAllocator(std::shared_ptr<MemoryBudget> budget) : budget_(std::move(budget)) {}

    void* allocate(std::size_t bytes) noexcept {
        const std::size_t padded = bytes + kHeader;
        try {
            budget_->take(static_cast<index_t>(padded), "decompression");
        } catch (const Error&) {
            return nullptr;
        }
        auto* block = static_cast<std::size_t*>(std::malloc(padded));
        if (block == nullptr) {
            budget_->give(static_cast<index_t>(padded));
            return nullptr;
        }
        *block = padded;
        return reinterpret_cast<char*>(block) + kHeader;
    }

    void free(void* address) noexcept {
        if (address != nullptr) {
            auto* block = reinterpret_cast<std::size_t*>(static_cast<char*>(address) - kHeader);
            budget_->give(static_cast<index_t>(*block));
            std::free(block);
        }
    }

private:
    static constexpr std::size_t kHeader = 64;  // keeps the caller's alignment
    std::shared_ptr<MemoryBudget> budget_;
};

void* allocate_sized(void* allocator, std::size_t count, std::size_t size) {
    return static_cast<BudgetAllocator*>(allocator)->allocate(count * size);
}

/// What one call of a decoder did.
struct Step {
    index_t consumed = 0;
    index_t produced = 0;
    bool stream_end = false;
};

/// One compression. decode() throws BadInput for corrupt data, ResourceError without memory.
class Decoder {
public:
    Decoder(const char* format, std::string name, Context& context)
        : format_(format), name_(std::move(name)), allocator_(context.memory()) {}
    virtual ~Decoder() = default;
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;

    [[nodiscard]] virtual Step decode(std::string_view in, std::span<char> out) = 0;
    /// Prepares for another stream after the end of one.
    virtual void restart() = 0;

    [[noreturn]] void corrupt(std::string_view why) const {
        refuse(name_, fmt::format("{}: {}", format_, why));
    }
    [[noreturn]] void out_of_memory() const {
        throw ResourceError(fmt::format("memory: {}: decompressing {} does not fit; raise --memory",
                                        name_, format_));
    }

protected:
    /// Sizes as the C libraries count them: 32 bits suffice, because the caller loops.
    static unsigned clip(std::size_t size) {
        return static_cast<unsigned>(
            std::min<std::size_t>(size, std::numeric_limits<unsigned>::max()));
    }

    const char* format_;
    std::string name_;
    BudgetAllocator allocator_;
};

class ZlibDecoder final : public Decoder {
public:
    ZlibDecoder(const char* format, int window_bits, std::string name, Context& context)
        : Decoder(format, std::move(name), context) {
        stream_.zalloc = [](void* allocator, uInt count, uInt size) {
            return allocate_sized(allocator, count, size);
        };
        stream_.zfree = [](void* allocator, void* block) {
            static_cast<BudgetAllocator*>(allocator)->free(block);
        };
        stream_.opaque = &allocator_;
        if (inflateInit2(&stream_, window_bits) != Z_OK) {
            out_of_memory();
        }
    }
    ~ZlibDecoder() override { inflateEnd(&stream_); }

    Step decode(std::string_view in, std::span<char> out) override {
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
        stream_.avail_in = clip(in.size());
        stream_.next_out = reinterpret_cast<Bytef*>(out.data());
        stream_.avail_out = clip(out.size());
        const uInt before_in = stream_.avail_in;
        const uInt before_out = stream_.avail_out;
        const int code = inflate(&stream_, Z_NO_FLUSH);
        if (code == Z_MEM_ERROR) {
            out_of_memory();
        }
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
            corrupt(stream_.msg != nullptr ? stream_.msg : "corrupt data");
        }
        return {before_in - stream_.avail_in, before_out - stream_.avail_out, code == Z_STREAM_END};
    }
    void restart() override { inflateReset(&stream_); }

private:
    z_stream stream_{};
};

class Bzip2Decoder final : public Decoder {
public:
    Bzip2Decoder(std::string name, Context& context) : Decoder("bzip2", std::move(name), context) {
        start();
    }
    ~Bzip2Decoder() override { BZ2_bzDecompressEnd(&stream_); }

    Step decode(std::string_view in, std::span<char> out) override {
        stream_.next_in = const_cast<char*>(in.data());
        stream_.avail_in = clip(in.size());
        stream_.next_out = out.data();
        stream_.avail_out = clip(out.size());
        const unsigned before_in = stream_.avail_in;
        const unsigned before_out = stream_.avail_out;
        const int code = BZ2_bzDecompress(&stream_);
        if (code == BZ_MEM_ERROR) {
            out_of_memory();
        }
        if (code != BZ_OK && code != BZ_STREAM_END) {
            corrupt("corrupt data");
        }
        return {before_in - stream_.avail_in, before_out - stream_.avail_out,
                code == BZ_STREAM_END};
    }
    void restart() override {
        BZ2_bzDecompressEnd(&stream_);
        start();
    }

private:
    void start() {
        stream_ = {};
        stream_.bzalloc = [](void* allocator, int count, int size) {
            return allocate_sized(allocator, static_cast<std::size_t>(count),
                                  static_cast<std::size_t>(size));
        };
        stream_.bzfree = [](void* allocator, void* block) {
            static_cast<BudgetAllocator*>(allocator)->free(block);
        };
        stream_.opaque = &allocator_;
        if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) {
            out_of_memory();
        }
    }

    bz_stream stream_{};
};

class XzDecoder final : public Decoder {
public:
    XzDecoder(std::string name, Context& context) : Decoder("xz", std::move(name), context) {
        hooks_.alloc = allocate_sized;
        hooks_.free = [](void* allocator, void* block) {
            static_cast<BudgetAllocator*>(allocator)->free(block);
        };
        hooks_.opaque = &allocator_;
        stream_.allocator = &hooks_;
        restart();
    }
    ~XzDecoder() override { lzma_end(&stream_); }

    Step decode(std::string_view in, std::span<char> out) override {
        stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
        stream_.avail_in = in.size();
        stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
        stream_.avail_out = out.size();
        const lzma_ret code = lzma_code(&stream_, LZMA_RUN);
        if (code == LZMA_MEM_ERROR || code == LZMA_MEMLIMIT_ERROR) {
            out_of_memory();
        }
        if (code != LZMA_OK && code != LZMA_STREAM_END && code != LZMA_BUF_ERROR) {
            corrupt(code == LZMA_OPTIONS_ERROR ? "options of a newer version" : "corrupt data");
        }
        return {static_cast<index_t>(in.size() - stream_.avail_in),
                static_cast<index_t>(out.size() - stream_.avail_out), code == LZMA_STREAM_END};
    }
    void restart() override {
        constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
        if (lzma_stream_decoder(&stream_, kNoLimit, 0) != LZMA_OK) {
            out_of_memory();
        }
    }

private:
    lzma_allocator hooks_{};
    lzma_stream stream_ = LZMA_STREAM_INIT;
};

class ZstdDecoder final : public Decoder {
public:
    ZstdDecoder(std::string name, Context& context) : Decoder("zstd", std::move(name), context) {
        ZSTD_customMem memory{};
        memory.customAlloc = [](void* allocator, std::size_t size) {
            return static_cast<BudgetAllocator*>(allocator)->allocate(size);
        };
        memory.customFree = [](void* allocator, void* block) {
            static_cast<BudgetAllocator*>(allocator)->free(block);
        };
        memory.opaque = &allocator_;
        stream_ = ZSTD_createDCtx_advanced(memory);
        if (stream_ == nullptr) {
            out_of_memory();
        }
        // Files made with --long ask for windows up to 2 GiB; the budget decides, not a constant.
        ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax,
                               ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound);
    }
    ~ZstdDecoder() override { ZSTD_freeDCtx(stream_); }

    Step decode(std::string_view in, std::span<char> out) override {
        ZSTD_inBuffer input{in.data(), in.size(), 0};
        ZSTD_outBuffer output{out.data(), out.size(), 0};
        const std::size_t code = ZSTD_decompressStream(stream_, &output, &input);
        if (ZSTD_isError(code) != 0) {
            const ZSTD_ErrorCode error = ZSTD_getErrorCode(code);
            if (error == ZSTD_error_memory_allocation ||
                error == ZSTD_error_frameParameter_windowTooLarge) {
                out_of_memory();
            }
            corrupt(ZSTD_getErrorName(code));
        }
        return {static_cast<index_t>(input.pos), static_cast<index_t>(output.pos), code == 0};
    }
    void restart() override { ZSTD_DCtx_reset(stream_, ZSTD_reset_session_only); }

private:
    ZSTD_DCtx* stream_ = nullptr;
};

/// Runs a decoder over a source.
class DecodingSource final : public ByteSource {
public:
    DecodingSource(std::unique_ptr<Decoder> decoder, PeekSource& inner,
                   std::unique_ptr<PeekSource> owned, bool joins_streams)
        : owned_(std::move(owned)),
          inner_(inner),
          decoder_(std::move(decoder)),
          joins_streams_(joins_streams) {}

    index_t read(std::span<char> bytes) override {
        if (bytes.empty()) {
            return 0;
        }
        while (true) {
            if (stream_ended_) {
                if (!joins_streams_ || inner_.window().empty()) {
                    return 0;
                }
                decoder_->restart();
                stream_ended_ = false;
            }
            const std::string_view in = inner_.window();
            const Step step = decoder_->decode(in, bytes);
            inner_.skip(step.consumed);
            stream_ended_ = step.stream_end;
            if (step.produced > 0) {
                return step.produced;
            }
            if (!stream_ended_ && step.consumed == 0) {
                decoder_->corrupt(in.empty() ? "the file ends too early" : "corrupt data");
            }
        }
    }

private:
    std::unique_ptr<PeekSource> owned_;
    PeekSource& inner_;
    std::unique_ptr<Decoder> decoder_;
    bool joins_streams_;
    bool stream_ended_ = false;
};

std::unique_ptr<Decoder> make_decoder(Compression compression, const std::string& name,
                                      Context& context) {
    constexpr int kGzipWindow = 15 + 16;  // the largest window, and a gzip header is demanded
    switch (compression) {
        case Compression::gzip:
            return std::make_unique<ZlibDecoder>("gzip", kGzipWindow, name, context);
        case Compression::bzip2:
            return std::make_unique<Bzip2Decoder>(name, context);
        case Compression::xz:
            return std::make_unique<XzDecoder>(name, context);
        case Compression::zstd:
            return std::make_unique<ZstdDecoder>(name, context);
        case Compression::none:
            break;
    }
    throw InternalError("decompress: no decoder for plain bytes");
}

}  // namespace

Compression compression_of(std::string_view first_bytes) {
    using namespace std::string_view_literals;
    if (first_bytes.starts_with("\x1F\x8B"sv)) {
        return Compression::gzip;
    }
    if (first_bytes.starts_with("\xFD"
                                "7zXZ\0"sv)) {
        return Compression::xz;
    }
    if (first_bytes.starts_with("BZh"sv) && first_bytes.size() > 3 && first_bytes[3] >= '1' &&
        first_bytes[3] <= '9') {
        return Compression::bzip2;
    }
    return first_bytes.starts_with("\x28\xB5\x2F\xFD"sv) ? Compression::zstd : Compression::none;
}

Compression compression_of_path(std::string_view path) {
    if (path.ends_with(".gz")) {
        return Compression::gzip;
    }
    if (path.ends_with(".xz")) {
        return Compression::xz;
    }
    if (path.ends_with(".bz2")) {
        return Compression::bzip2;
    }
    return path.ends_with(".zst") ? Compression::zstd : Compression::none;
}

std::string_view without_compression(std::string_view path) {
    return compression_of_path(path) == Compression::none ? path : path.substr(0, path.rfind('.'));
}

std::unique_ptr<ByteSource> make_decompressor(Compression compression,
                                              std::unique_ptr<PeekSource> inner,
                                              const std::string& name, Context& context) {
    PeekSource& source = *inner;
    return std::make_unique<DecodingSource>(make_decoder(compression, name, context), source,
                                            std::move(inner), true);
}

std::unique_ptr<ByteSource> make_inflater(PeekSource& inner, const std::string& name,
                                          Context& context) {
    constexpr int kRawWindow = -15;
    return std::make_unique<DecodingSource>(
        std::make_unique<ZlibDecoder>("deflate", kRawWindow, name, context), inner, nullptr, false);
}

}  // namespace mercer::data
