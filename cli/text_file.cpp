// SPDX-License-Identifier: Apache-2.0
//
// cli/text_file.cpp - read and write a string.
#include "text_file.hpp"

#include <fmt/core.h>

#include "mercer/base/error.hpp"

namespace mercer::cli {

std::string read_text_file(const std::string& path, Files& files) {
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    constexpr std::size_t kLargest = std::size_t{1} << 26;
    const std::unique_ptr<ReadFile> file = files.open(path);
    std::string text;
    while (true) {
        const std::size_t before = text.size();
        text.resize(before + kBlock);
        const index_t got = file->read(std::span<char>(text).subspan(before));
        text.resize(before + static_cast<std::size_t>(got));
        if (got == 0) {
            return text;
        }
        if (text.size() > kLargest) {
            throw DataError(fmt::format("{}: larger than 64 MiB", path));
        }
    }
}

void write_text_file(const std::string& path, const std::string& text, Files& files) {
    const std::unique_ptr<WriteFile> file = files.create(path);
    file->write(text);
    file->commit();
}

}  // namespace mercer::cli
