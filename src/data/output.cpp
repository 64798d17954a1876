// SPDX-License-Identifier: Apache-2.0
//
// src/data/output.cpp - gzip, xz, bzip2 and zstd, the writing side.
#include "data/output.hpp"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <vector>

#include "data/decompress.hpp"
#include "mercer/base/error.hpp"

namespace mercer::data {

namespace {

constexpr std::size_t kChunk = std::size_t{64} << 10;

[[noreturn]] void failed(const char* format) {
    throw ResourceError(std::string("memory: compressing ") + format + " failed");
}

class GzipEncoder final : public Encoder {
public:
    GzipEncoder() {
        constexpr int kWindow = 15 + 16;  // the largest, in a gzip frame
        constexpr int kMemory = 8;
        if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWindow, kMemory,
                         Z_DEFAULT_STRATEGY) != Z_OK) {
            failed("gzip");
        }
    }
    ~GzipEncoder() override { deflateEnd(&stream_); }

    void encode(std::string_view in, bool last, WriteFile& out) override {
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
        stream_.avail_in = static_cast<uInt>(in.size());
        do {
            stream_.next_out = reinterpret_cast<Bytef*>(chunk_.data());
            stream_.avail_out = static_cast<uInt>(chunk_.size());
            if (deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR) {
                failed("gzip");
            }
            out.write(std::span(chunk_).first(chunk_.size() - stream_.avail_out));
        } while (stream_.avail_out == 0);
    }

private:
    z_stream stream_{};
    std::vector<char> chunk_ = std::vector<char>(kChunk);
};

class Bzip2Encoder final : public Encoder {
public:
    Bzip2Encoder() {
        constexpr int kBlockSize = 9;
        if (BZ2_bzCompressInit(&stream_, kBlockSize, 0, 0) != BZ_OK) {
            failed("bzip2");
        }
    }
    ~Bzip2Encoder() override { BZ2_bzCompressEnd(&stream_); }

    void encode(std::string_view in, bool last, WriteFile& out) override {
        stream_.next_in = const_cast<char*>(in.data());
        stream_.avail_in = static_cast<unsigned>(in.size());
        while (last || stream_.avail_in > 0) {
            stream_.next_out = chunk_.data();
            stream_.avail_out = static_cast<unsigned>(chunk_.size());
            const int code = BZ2_bzCompress(&stream_, last ? BZ_FINISH : BZ_RUN);
            if (code < 0) {
                failed("bzip2");
            }
            out.write(std::span(chunk_).first(chunk_.size() - stream_.avail_out));
            if (code == BZ_STREAM_END) {
                break;
            }
        }
    }

private:
    bz_stream stream_{};
    std::vector<char> chunk_ = std::vector<char>(kChunk);
};

class XzEncoder final : public Encoder {
public:
    XzEncoder() {
        if (lzma_easy_encoder(&stream_, LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64) != LZMA_OK) {
            failed("xz");
        }
    }
    ~XzEncoder() override { lzma_end(&stream_); }

    void encode(std::string_view in, bool last, WriteFile& out) override {
        stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
        stream_.avail_in = in.size();
        lzma_ret code = LZMA_OK;
        do {
            stream_.next_out = reinterpret_cast<std::uint8_t*>(chunk_.data());
            stream_.avail_out = chunk_.size();
            code = lzma_code(&stream_, last ? LZMA_FINISH : LZMA_RUN);
            if (code != LZMA_OK && code != LZMA_STREAM_END) {
                failed("xz");
            }
            out.write(std::span(chunk_).first(chunk_.size() - stream_.avail_out));
        } while (last ? code != LZMA_STREAM_END : stream_.avail_in > 0);
    }

private:
    lzma_stream stream_ = LZMA_STREAM_INIT;
    std::vector<char> chunk_ = std::vector<char>(kChunk);
};

class ZstdEncoder final : public Encoder {
public:
    ZstdEncoder() : stream_(ZSTD_createCCtx()) {
        if (stream_ == nullptr) {
            failed("zstd");
        }
    }
    ~ZstdEncoder() override { ZSTD_freeCCtx(stream_); }

    void encode(std::string_view in, bool last, WriteFile& out) override {
        ZSTD_inBuffer input{in.data(), in.size(), 0};
        std::size_t left = 0;
        do {
            ZSTD_outBuffer output{chunk_.data(), chunk_.size(), 0};
            left =
                ZSTD_compressStream2(stream_, &output, &input, last ? ZSTD_e_end : ZSTD_e_continue);
            if (ZSTD_isError(left) != 0) {
                failed("zstd");
            }
            out.write(std::span(chunk_).first(output.pos));
        } while (last ? left != 0 : input.pos < input.size);
    }

private:
    ZSTD_CCtx* stream_;
    std::vector<char> chunk_ = std::vector<char>(kChunk);
};

std::unique_ptr<Encoder> make_encoder(Compression compression) {
    switch (compression) {
        case Compression::gzip:
            return std::make_unique<GzipEncoder>();
        case Compression::bzip2:
            return std::make_unique<Bzip2Encoder>();
        case Compression::xz:
            return std::make_unique<XzEncoder>();
        case Compression::zstd:
            return std::make_unique<ZstdEncoder>();
        case Compression::none:
            break;
    }
    return nullptr;
}

}  // namespace

Output::Output(const std::string& path, Files& files)
    : file_(files.create(path)), encoder_(make_encoder(compression_of_path(path))) {}

Output::~Output() = default;

void Output::flush(bool last) {
    if (encoder_ != nullptr) {
        encoder_->encode(text, last, *file_);
    } else if (!text.empty()) {
        file_->write(text);
    }
    text.clear();
}

void Output::finish() {
    flush(true);
    file_->commit();
}

}  // namespace mercer::data
