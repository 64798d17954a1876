// SPDX-License-Identifier: Apache-2.0
//
// src/data/read_npz.cpp - NumPy's .npz: a zip archive of .npy files, read front to back.
//
// The archive is read from its local headers alone, without seeking, so pipes and compressed
// archives work. Members are stored or deflated; sizes may be zip64, as NumPy always writes them.
#include <fmt/core.h>
#include <zlib.h>

#include <cmath>
#include <optional>

#include "data/array_stream.hpp"
#include "data/bad_input.hpp"
#include "data/decompress.hpp"
#include "data/number.hpp"

namespace mercer::data {

namespace {

constexpr std::uint32_t kLocalHeader = 0x04034B50;
constexpr std::uint32_t kCentralHeader = 0x02014B50;
constexpr std::uint32_t kEndOfArchive = 0x06054B50;
constexpr std::uint32_t kZip64End = 0x06064B50;
constexpr std::uint32_t kDescriptor = 0x08074B50;
constexpr std::uint32_t kInZip64 = 0xFFFFFFFF;

std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
        value = value << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return value;
}

struct Member {
    std::string name;
    std::uint64_t method = 0;
    std::uint64_t crc = 0;
    std::uint64_t packed_size = 0;
    std::uint64_t plain_size = 0;
    bool has_descriptor = false;  ///< checksum and sizes come after the data
};

/// The first `size` bytes of a source.
class LimitedSource final : public ByteSource {
public:
    LimitedSource(PeekSource& inner, index_t size) : inner_(inner), left_(size) {}
    index_t read(std::span<char> bytes) override {
        const auto most = std::min<std::uint64_t>(bytes.size(), static_cast<std::uint64_t>(left_));
        const index_t got = inner_.read(bytes.first(most));
        left_ -= got;
        return got;
    }
    [[nodiscard]] index_t remaining() const override {
        return inner_.remaining() < 0 ? -1 : std::min(left_, inner_.remaining());
    }

private:
    PeekSource& inner_;
    index_t left_;
};

/// Counts the bytes that pass through and computes their checksum.
class CheckedSource final : public ByteSource {
public:
    explicit CheckedSource(std::unique_ptr<ByteSource> inner) : inner_(std::move(inner)) {}
    index_t read(std::span<char> bytes) override {
        const index_t got = inner_->read(bytes);
        crc = ::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()),
                        static_cast<std::size_t>(got));
        size += static_cast<std::uint64_t>(got);
        return got;
    }
    [[nodiscard]] index_t remaining() const override { return inner_->remaining(); }

    std::uint64_t crc = 0;
    std::uint64_t size = 0;

private:
    std::unique_ptr<ByteSource> inner_;
};

class NpzReader {
public:
    explicit NpzReader(Reading& reading) : reading_(reading), source_(reading.source) {}

    void read_members() {
        while (std::optional<Member> member = next_member()) {
            read_member(*member);
        }
    }

    [[nodiscard]] Dataset finish() {
        const bool by_position = !rows_ && first_;
        std::optional<ArrayValues>& rows = by_position ? first_ : rows_;
        std::optional<ArrayValues>& targets = by_position && !targets_ ? second_ : targets_;
        if (!rows) {
            refuse(reading_.name, fmt::format("npz: no array is named X; found {}",
                                              found_.empty() ? "none" : found_));
        }
        const index_t count = rows->rows;
        std::vector<double> target_numbers = column(targets, count, "y");
        std::vector<double> weight_numbers = column(weights_, count, "weights");
        if (!targets && reading_.options.target.empty() && reading_.options.labels.empty()) {
            target_numbers.clear();
        }
        Dataset data = make_dataset(std::move(*rows), reading_);
        if (data.targets.empty() && reading_.options.target != "none") {
            data.targets = std::move(target_numbers);
        }
        if (labels_ && data.targets.empty() && reading_.options.target != "none") {
            set_labels(data);
        }
        data.weights = std::move(weight_numbers);
        data.queries = query_numbers(count);
        for (std::size_t i = 0; i < data.weights.size(); ++i) {
            if (data.weights[i] < 0.0) {
                refuse(reading_.name, "weights: must be >= 0", static_cast<index_t>(i) + 1, 1);
            }
        }
        return data;
    }

private:
    [[noreturn]] void fail(std::string_view why) const {
        refuse(reading_.name, fmt::format("npz: {}", why));
    }

    /// Takes the next `count` bytes; valid until the next use of the source.
    [[nodiscard]] std::string_view take(index_t count) {
        const std::string_view bytes = source_.peek(count);
        if (static_cast<index_t>(bytes.size()) < count) {
            fail("the file ends too early");
        }
        source_.skip(count);
        return bytes;
    }

    [[nodiscard]] std::optional<Member> next_member() {
        const std::uint64_t signature = little_endian(take(4));
        if (signature == kCentralHeader || signature == kEndOfArchive || signature == kZip64End) {
            return std::nullopt;
        }
        if (signature != kLocalHeader) {
            fail("not a zip archive, or a damaged one");
        }
        const std::string header(take(26));
        const auto field = [&](std::size_t at, std::size_t size) {
            return little_endian(std::string_view(header).substr(at, size));
        };
        const std::uint64_t flags = field(2, 2);
        Member member;
        member.method = field(4, 2);
        member.crc = field(10, 4);
        member.packed_size = field(14, 4);
        member.plain_size = field(18, 4);
        member.has_descriptor = (flags & 8) != 0;
        const auto extra_size = static_cast<index_t>(field(24, 2));
        member.name = std::string(take(static_cast<index_t>(field(22, 2))));
        read_zip64(member, std::string(take(extra_size)));
        if ((flags & 1) != 0) {
            fail(fmt::format("{} is encrypted", quoted(member.name)));
        }
        if (member.method != 0 && member.method != 8) {
            fail(fmt::format("{} is compressed by method {}; stored and deflate are supported",
                             quoted(member.name), member.method));
        }
        if (member.method == 0 && member.has_descriptor) {
            fail(fmt::format("{} is stored without its size", quoted(member.name)));
        }
        if (member.packed_size >> 62 != 0 || member.plain_size >> 62 != 0) {
            fail(fmt::format("{} has an impossible size", quoted(member.name)));
        }
        return member;
    }

    /// Replaces sizes that are stored in the zip64 extra field.
    void read_zip64(Member& member, std::string_view extra) const {
        while (extra.size() >= 4) {
            const std::uint64_t id = little_endian(extra.substr(0, 2));
            const std::uint64_t size = little_endian(extra.substr(2, 2));
            std::string_view body = extra.substr(4, size);
            extra.remove_prefix(std::min<std::size_t>(extra.size(), 4 + size));
            if (id != 1) {
                continue;
            }
            for (std::uint64_t* value : {&member.plain_size, &member.packed_size}) {
                if (*value == kInZip64) {
                    if (body.size() < 8) {
                        fail(fmt::format("{} has a damaged zip64 field", quoted(member.name)));
                    }
                    *value = little_endian(body.substr(0, 8));
                    body.remove_prefix(8);
                }
            }
        }
    }

    void read_member(Member& member) {
        const std::string name = fmt::format("{}({})", reading_.name, member.name);
        std::unique_ptr<ByteSource> plain;
        if (member.method == 0) {
            plain =
                std::make_unique<LimitedSource>(source_, static_cast<index_t>(member.packed_size));
        } else {
            plain = make_inflater(source_, name, reading_.context);
        }
        CheckedSource content(std::move(plain));
        if (std::optional<ArrayValues>* place = place_of(member.name)) {
            if (place->has_value() || (place == &targets_ && labels_)) {
                fail(fmt::format("two arrays are named {}", quoted(member.name)));
            }
            const ArrayHeader header = read_npy_header(content, name);
            if (header.type.is_text() && (place == &targets_ || place == &second_)) {
                labels_.emplace(read_text_labels(header, content, name, reading_));
            } else {
                place->emplace(read_array(header, content, name, reading_.context));
            }
            expect_end(content, name);
        }
        std::vector<char> rest(std::size_t{64} << 10);
        while (content.read(rest) > 0) {
            reading_.context.throw_if_stopped("read");
        }
        if (member.has_descriptor) {
            read_descriptor(member);
        }
        if (content.crc != member.crc || content.size != member.plain_size) {
            fail(fmt::format("{} is damaged: its checksum or size is wrong", quoted(member.name)));
        }
    }

    /// Where the array of that member is stored; null for a member that is not read.
    [[nodiscard]] std::optional<ArrayValues>* place_of(const std::string& file) {
        constexpr std::size_t kMostNames = 200;
        std::string_view key = file;
        if (key.ends_with(".npy")) {
            key.remove_suffix(4);
        }
        if (found_.size() < kMostNames) {
            found_ += fmt::format("{}{}", found_.empty() ? "" : ", ", quoted(key));
        }
        if (key == "X") {
            return &rows_;
        }
        if (key == "y") {
            return &targets_;
        }
        if (key == "weights") {
            return &weights_;
        }
        if (key == "qid") {
            return &queries_;
        }
        if (key == "arr_0") {
            return &first_;
        }
        return key == "arr_1" ? &second_ : nullptr;
    }

    /// The descriptor may or may not start with a signature, and its sizes may have 32 or 64 bits;
    /// the bytes that follow it tell which.
    void read_descriptor(Member& member) {
        const bool has_signature =
            source_.peek(4).size() == 4 && little_endian(source_.peek(4)) == kDescriptor;
        if (has_signature) {
            source_.skip(4);
        }
        const std::string bytes(source_.peek(16));
        if (bytes.size() < 16) {
            fail("the file ends too early");
        }
        const std::uint64_t next = little_endian(std::string_view(bytes).substr(12, 4));
        const bool short_sizes = next == kLocalHeader || next == kCentralHeader;
        const index_t width = short_sizes ? 4 : 8;
        const std::string descriptor(take(4 + 2 * width));
        const std::string_view view = descriptor;
        member.crc = little_endian(view.substr(0, 4));
        member.plain_size = little_endian(view.substr(4 + static_cast<std::size_t>(width)));
    }

    [[nodiscard]] std::vector<double> column(const std::optional<ArrayValues>& array, index_t rows,
                                             std::string_view key) const {
        if (!array) {
            return {};
        }
        if (array->columns != 1 || array->rows != rows) {
            fail(fmt::format("{} has shape ({}, {}), must have one number for each of {} rows", key,
                             array->rows, array->columns, rows));
        }
        return to_vector(*array);
    }

    void set_labels(Dataset& data) const {
        Charge charge(reading_.context.memory());
        labels_->finish(data, charge);
        if (static_cast<index_t>(data.targets.size()) != data.rows()) {
            fail(fmt::format("y has {} labels, must have one for each of {} rows",
                             data.targets.size(), data.rows()));
        }
    }

    [[nodiscard]] std::vector<index_t> query_numbers(index_t rows) const {
        constexpr double kLargest = 0x1.0p53;
        std::vector<index_t> queries;
        for (const double number : column(queries_, rows, "qid")) {
            if (!(std::abs(number) <= kLargest) || number != std::trunc(number)) {
                refuse(reading_.name, "qid: must be a whole number up to 2^53",
                       static_cast<index_t>(queries.size()) + 1, 1);
            }
            queries.push_back(static_cast<index_t>(number));
        }
        return queries;
    }

    Reading& reading_;
    PeekSource& source_;
    std::optional<ArrayValues> rows_;
    std::optional<ArrayValues> targets_;
    std::optional<ArrayValues> weights_;
    std::optional<ArrayValues> queries_;
    std::optional<ArrayValues> first_;
    std::optional<ArrayValues> second_;
    std::optional<TargetColumn> labels_;  ///< y, where it holds text
    std::string found_;
};

}  // namespace

Dataset read_npz(Reading& reading) {
    NpzReader reader(reading);
    reader.read_members();
    return reader.finish();
}

}  // namespace mercer::data
