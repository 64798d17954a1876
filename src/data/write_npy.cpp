// SPDX-License-Identifier: Apache-2.0
//
// src/data/write_npy.cpp - NumPy's .npy and .npz.
#include <fmt/core.h>
#include <zlib.h>

#include <bit>
#include <functional>

#include "data/output.hpp"
#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/data/write.hpp"

namespace mercer {

namespace {

static_assert(std::endian::native == std::endian::little, "raw arrays are written as they lie");

index_t width_of(Precision precision) { return precision == Precision::float32 ? 4 : 8; }

/// Version 1.0; padded with blanks so that the numbers start at a multiple of 64 bytes.
std::string npy_header(std::string_view shape, Precision precision) {
    constexpr std::size_t kAlignment = 64;
    constexpr std::size_t kFixedPart = 10;
    std::string header = fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': {}, }}",
                                     width_of(precision), shape);
    header.append(kAlignment - 1 - (kFixedPart + header.size()) % kAlignment, ' ');
    header += '\n';
    std::string all("\x93NUMPY\x01\x00", 8);
    all += static_cast<char>(header.size() & 0xFF);
    all += static_cast<char>(header.size() >> 8);
    return all + header;
}

template <typename T>
std::string_view bytes_of(std::span<const T> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

/// Passes `values` on as bytes of the requested precision.
template <typename T, typename Use>
void encode(std::span<const T> values, Precision precision, Use use) {
    using Other = std::conditional_t<std::is_same_v<T, float>, double, float>;
    if ((precision == Precision::float32) == std::is_same_v<T, float>) {
        use(bytes_of(values));
        return;
    }
    constexpr std::size_t kBlock = 4096;
    std::vector<Other> block;
    for (std::size_t first = 0; first < values.size(); first += kBlock) {
        const auto part = values.subspan(first, std::min(kBlock, values.size() - first));
        block.assign(part.begin(), part.end());
        use(bytes_of(std::span<const Other>(block)));
    }
}

template <typename T>
void write_matrix(const std::string& path, MatrixView<const T> matrix, Files& files) {
    NpyWriter writer(path, matrix.rows, matrix.columns,
                     std::is_same_v<T, float> ? Precision::float32 : Precision::float64, files);
    for (index_t i = 0; i < matrix.rows; ++i) {
        writer.append(std::span(matrix.row(i), static_cast<std::size_t>(matrix.columns)));
    }
    writer.commit();
}

using Bytes = std::function<void(std::string_view)>;

/// One .npy file inside the archive. `produce` generates its bytes; it is called twice, because
/// the checksum precedes the data.
struct Member {
    std::string name;
    index_t size = 0;
    std::function<void(const Bytes&)> produce{};
    std::uint32_t crc = 0;
    index_t offset = 0;
};

void append_little_endian(std::string& text, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) {
        text += static_cast<char>(value >> (8 * i) & 0xFF);
    }
}

/// The part a local header and a central one have in common.
std::string member_fields(const Member& member) {
    constexpr std::uint64_t kFirstDate = 0x0021;  // 1 January 1980: archives do not depend on time
    std::string text;
    append_little_endian(text, 20, 2);  // version needed
    append_little_endian(text, 0, 2);   // flags
    append_little_endian(text, 0, 2);   // stored
    append_little_endian(text, 0, 2);   // time
    append_little_endian(text, kFirstDate, 2);
    append_little_endian(text, member.crc, 4);
    append_little_endian(text, static_cast<std::uint64_t>(member.size), 4);
    append_little_endian(text, static_cast<std::uint64_t>(member.size), 4);
    append_little_endian(text, member.name.size(), 2);
    append_little_endian(text, 0, 2);  // extra field
    return text;
}

/// Writes a zip archive of stored members.
class ZipWriter {
public:
    ZipWriter(const std::string& path, Files& files) : path_(path), output_(path, files) {}

    void add(Member member) {
        constexpr index_t kLargest = 0xFFFFFFFE;
        if (position_ + member.size > kLargest) {
            throw InvalidArgument(fmt::format(
                "{}: the arrays need more than 4 GiB, which .npz cannot hold; write .npy", path_));
        }
        uLong crc = 0;
        member.produce([&](std::string_view bytes) {
            crc = ::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
        });
        member.crc = static_cast<std::uint32_t>(crc);
        member.offset = position_;
        write("PK\x03\x04" + member_fields(member) + member.name);
        member.produce([&](std::string_view bytes) { write(bytes); });
        members_.push_back(std::move(member));
    }

    void finish() {
        const index_t directory = position_;
        for (const Member& member : members_) {
            std::string header = "PK\x01\x02";
            append_little_endian(header, 20, 2);  // version made by
            header += member_fields(member);
            header.append(10, '\0');  // comment, disk, attributes
            append_little_endian(header, static_cast<std::uint64_t>(member.offset), 4);
            write(header + member.name);
        }
        std::string end = "PK\x05\x06";
        append_little_endian(end, 0, 4);  // disks
        append_little_endian(end, members_.size(), 2);
        append_little_endian(end, members_.size(), 2);
        append_little_endian(end, static_cast<std::uint64_t>(position_ - directory), 4);
        append_little_endian(end, static_cast<std::uint64_t>(directory), 4);
        append_little_endian(end, 0, 2);  // comment
        write(end);
        output_.finish();
    }

private:
    void write(std::string_view bytes) {
        output_.write(bytes);
        position_ += static_cast<index_t>(bytes.size());
    }

    std::string path_;
    data::Output output_;
    index_t position_ = 0;
    std::vector<Member> members_;
};

Member column_member(const std::string& key, const std::vector<double>& values) {
    const std::string header = npy_header(fmt::format("({},)", values.size()), Precision::float64);
    Member member{key + ".npy",
                  static_cast<index_t>(header.size() + values.size() * sizeof(double))};
    member.produce = [header, &values](const Bytes& use) {
        use(header);
        use(bytes_of(std::span<const double>(values)));
    };
    return member;
}

}  // namespace

NpyWriter::NpyWriter(const std::string& path, index_t rows, index_t columns, Precision precision,
                     Files& files)
    : output_(std::make_unique<data::Output>(path, files)),
      missing_(checked_multiply(rows, columns)),
      precision_(precision) {
    if (rows < 0 || columns < 0) {
        throw InvalidArgument("shape", "",
                              fmt::format("got ({}, {}), must not be negative", rows, columns));
    }
    output_->write(npy_header(fmt::format("({}, {})", rows, columns), precision));
}

NpyWriter::~NpyWriter() = default;

template <typename T>
void NpyWriter::append_values(std::span<const T> values) {
    if (static_cast<index_t>(values.size()) > missing_) {
        throw InvalidArgument("append", "",
                              fmt::format("got {} numbers, must be <= {}, the rest of the shape",
                                          values.size(), missing_));
    }
    missing_ -= static_cast<index_t>(values.size());
    encode(values, precision_, [&](std::string_view bytes) { output_->write(bytes); });
}

void NpyWriter::append(std::span<const double> values) { append_values(values); }
void NpyWriter::append(std::span<const float> values) { append_values(values); }

void NpyWriter::commit() {
    if (missing_ != 0) {
        throw InvalidArgument("commit", "",
                              fmt::format("{} numbers of the shape are missing", missing_));
    }
    output_->finish();
}

void write_npy(const std::string& path, MatrixView<const double> matrix, Files& files) {
    write_matrix(path, matrix, files);
}

void write_npy(const std::string& path, MatrixView<const float> matrix, Files& files) {
    write_matrix(path, matrix, files);
}

void write_npz(const std::string& path, const Dataset& data, Precision precision, Files& files) {
    const std::string header =
        npy_header(fmt::format("({}, {})", data.rows(), data.columns()), precision);
    const index_t numbers = checked_multiply(data.rows(), data.columns());
    Member rows{"X.npy", static_cast<index_t>(header.size()) +
                             checked_multiply(numbers, width_of(precision))};
    rows.produce = [&](const Bytes& use) {
        use(header);
        std::vector<double> row(static_cast<std::size_t>(data.columns()));
        for (index_t i = 0; i < data.rows(); ++i) {
            data.copy_row(i, row);
            encode(std::span<const double>(row), precision, use);
        }
    };
    ZipWriter zip(path, files);
    zip.add(std::move(rows));
    const std::vector<double> targets = target_numbers(data);
    if (!targets.empty()) {
        zip.add(column_member("y", targets));
    }
    if (!data.weights.empty()) {
        zip.add(column_member("weights", data.weights));
    }
    const std::vector<double> queries(data.queries.begin(), data.queries.end());
    if (!queries.empty()) {
        zip.add(column_member("qid", queries));
    }
    zip.finish();
}

}  // namespace mercer
