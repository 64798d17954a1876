// SPDX-License-Identifier: Apache-2.0
//
// src/data/read_idx.cpp - idx files, the format of MNIST: magic, big-endian sizes, raw numbers.
#include <fmt/core.h>

#include <array>

#include "data/array_stream.hpp"
#include "data/bad_input.hpp"

namespace mercer::data {

namespace {

ElementType element_type(unsigned char code, const std::string& name) {
    switch (code) {
        case 0x08:
            return {ElementKind::unsigned_integer, 1, true};
        case 0x09:
            return {ElementKind::signed_integer, 1, true};
        case 0x0B:
            return {ElementKind::signed_integer, 2, true};
        case 0x0C:
            return {ElementKind::signed_integer, 4, true};
        case 0x0D:
            return {ElementKind::floating, 4, true};
        case 0x0E:
            return {ElementKind::floating, 8, true};
        default:
            refuse(name, fmt::format("idx: numbers of type 0x{:02X} are not supported", code));
    }
}

/// Four bytes, most significant first.
std::array<unsigned char, 4> read_word(ByteSource& source, const std::string& name) {
    std::array<unsigned char, 4> word{};
    if (source.read_fully(std::span(reinterpret_cast<char*>(word.data()), word.size())) != 4) {
        refuse(name, "idx: the file ends in its header");
    }
    return word;
}

}  // namespace

Dataset read_idx(Reading& reading) {
    const std::array<unsigned char, 4> magic = read_word(reading.source, reading.name);
    if (magic[0] != 0 || magic[1] != 0 || magic[3] == 0) {
        refuse(reading.name, "idx: it does not start as an idx file");
    }
    ArrayHeader header;
    header.type = element_type(magic[2], reading.name);
    for (int i = 0; i < magic[3]; ++i) {
        const std::array<unsigned char, 4> size = read_word(reading.source, reading.name);
        header.shape.push_back((index_t{size[0]} << 24) + (index_t{size[1]} << 16) +
                               (index_t{size[2]} << 8) + size[3]);
    }
    ArrayValues array = read_array(header, reading.source, reading.name, reading.context);
    expect_end(reading.source, reading.name);
    return make_dataset(std::move(array), reading);
}

}  // namespace mercer::data
