// SPDX-License-Identifier: Apache-2.0
//
// src/data/output.hpp - a file being written, compressed according to its suffix.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mercer/runtime/files.hpp"

namespace mercer::data {

/// One compression. Throws ResourceError when it fails.
class Encoder {
public:
    virtual ~Encoder() = default;
    /// Compresses `in` into `out`; with `last`, ends the stream.
    virtual void encode(std::string_view in, bool last, WriteFile& out) = 0;
};

/// Collects text, compresses it when the path ends in .gz .xz .bz2 or .zst, and replaces the
/// destination when finish() is called; without finish() the destination stays as it was.
class Output {
public:
    Output(const std::string& path, Files& files);
    ~Output();

    /// Text appended here is written by flush_if_full() or finish().
    std::string text;

    void flush_if_full() {
        if (text.size() >= kBlock) {
            flush(false);
        }
    }
    void write(std::string_view bytes) {
        text.append(bytes);
        flush_if_full();
    }
    void finish();

private:
    static constexpr std::size_t kBlock = std::size_t{64} << 10;

    void flush(bool last);

    std::unique_ptr<WriteFile> file_;
    std::unique_ptr<Encoder> encoder_;  ///< null: plain
};

}  // namespace mercer::data
