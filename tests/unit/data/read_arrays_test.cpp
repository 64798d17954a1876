// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/data/read_arrays_test.cpp - .npy, .npz and idx files built byte by byte.
#include <fmt/format.h>
#include <zlib.h>

#include <cstring>

#include "support/faulty_files.hpp"
#include "unit/data/reading.hpp"

namespace mercer {
namespace {

using namespace std::string_literals;
using testing::read_text;
using testing::refusal;
using testing::row_of;

using Row = std::vector<double>;

template <typename T>
std::string bytes_of(std::initializer_list<T> values, bool swap = false) {
    std::string bytes;
    for (const T value : values) {
        std::string raw(sizeof(T), '\0');
        std::memcpy(raw.data(), &value, sizeof(T));
        bytes += swap ? std::string(raw.rbegin(), raw.rend()) : raw;
    }
    return bytes;
}

std::string little(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) {
        text += static_cast<char>(value >> (8 * i) & 0xFF);
    }
    return text;
}

/// A .npy file as NumPy lays it out.
std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                const std::string& fortran = "False", int version = 1) {
    std::string header =
        "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
    header.append(118 - header.size() % 64 % 118, ' ');
    header += '\n';
    return "\x93NUMPY"s + static_cast<char>(version) + '\0' +
           little(header.size(), version == 1 ? 2 : 4) + header + data;
}

TEST(ReadNpy, doubles_and_floats_are_kept_in_their_width) {
    const Dataset wide =
        read_text(npy("<f8", "(2, 2)", bytes_of({1.0, 2.0, 3.0, 0.1})), "a.npy").value();
    EXPECT_EQ(row_of(wide, 1), (Row{3.0, 0.1}));
    EXPECT_TRUE(std::holds_alternative<MatrixView<const double>>(wide.storage()));
    EXPECT_TRUE(wide.targets.empty());
    const Dataset narrow =
        read_text(npy("<f4", "(2, 2)", bytes_of({1.0F, 2.0F, 3.0F, 0.1F})), "a.npy").value();
    EXPECT_TRUE(std::holds_alternative<MatrixView<const float>>(narrow.storage()));
    EXPECT_EQ(row_of(narrow, 1), (Row{3.0, static_cast<double>(0.1F)}));
}

TEST(ReadNpy, every_number_type_and_byte_order_is_read) {
    const auto first = [](const std::string& type, const std::string& data) {
        return row_of(read_text(npy(type, "(1, 2)", data), "a.npy").value(), 0);
    };
    EXPECT_EQ(first("|b1", "\x01\x00"s), (Row{1, 0}));
    EXPECT_EQ(first("|u1", "\xFF\x02"s), (Row{255, 2}));
    EXPECT_EQ(first("|i1", "\xFF\x02"s), (Row{-1, 2}));
    EXPECT_EQ(first("<i2", bytes_of<std::int16_t>({-300, 7})), (Row{-300, 7}));
    EXPECT_EQ(first(">u2", bytes_of<std::uint16_t>({65535, 7}, true)), (Row{65535, 7}));
    EXPECT_EQ(first("<i4", bytes_of<std::int32_t>({-70000, 7})), (Row{-70000, 7}));
    EXPECT_EQ(first("<u4", bytes_of<std::uint32_t>({4294967295U, 7})), (Row{4294967295.0, 7}));
    EXPECT_EQ(first(">i8", bytes_of<std::int64_t>({-5, 1LL << 52}, true)), (Row{-5, 0x1p52}));
    EXPECT_EQ(first("<u8", bytes_of<std::uint64_t>({5, 6})), (Row{5, 6}));
    EXPECT_EQ(first(">f8", bytes_of<double>({0.1, -2}, true)), (Row{0.1, -2}));
    EXPECT_EQ(first("=f4", bytes_of<float>({0.5F, -2})), (Row{0.5, -2}));
}

TEST(ReadNpy, column_major_arrays_are_transposed) {
    const std::string file = npy("<f8", "(2, 3)", bytes_of({1.0, 4.0, 2.0, 5.0, 3.0, 6.0}), "True");
    for (const bool known : {true, false}) {
        testing::FaultyFiles files;
        files.contents["a.npy"] = file;
        files.sizes_known = known;
        Context context;
        const Dataset data = read_dataset("a.npy", {}, context, files).value();
        EXPECT_EQ(row_of(data, 0), (Row{1, 2, 3}));
        EXPECT_EQ(row_of(data, 1), (Row{4, 5, 6}));
    }
    EXPECT_EQ(refusal(npy("<f8", "(2, 2)", bytes_of({1.0, 4.0, 2.0, kNaN}), "True"), "a.npy"),
              "a.npy:2:2: value: nan is not finite");
}

TEST(ReadNpy, versions_one_to_three_are_read) {
    for (const int version : {1, 2, 3}) {
        const std::string file = npy("<f8", "(1, 1)", bytes_of({7.0}), "False", version);
        EXPECT_EQ(row_of(read_text(file, "a.npy").value(), 0), (Row{7}));
    }
    EXPECT_EQ(refusal(npy("<f8", "(1, 1)", bytes_of({7.0}), "False", 4), "a.npy"),
              "a.npy: npy: version 4 is not known");
}

TEST(ReadNpy, shapes_of_one_or_many_dimensions_become_rows) {
    EXPECT_EQ(read_text(npy("<f8", "(3,)", bytes_of({1.0, 2.0, 3.0})), "a.npy").value().rows(), 3);
    const Dataset data = read_text(npy("|u1", "(2, 2, 2)", "\1\2\3\4\5\6\7\10"s), "a.npy").value();
    EXPECT_EQ(row_of(data, 1), (Row{5, 6, 7, 8}));
    EXPECT_EQ(read_text(npy("<f8", "(0, 4)", ""), "a.npy").value().columns(), 4);
    EXPECT_EQ(refusal(npy("<f8", "()", bytes_of({1.0})), "a.npy"),
              "a.npy: array: it is a single number, not rows");
    EXPECT_EQ(refusal(npy("<f8", "(4611686018427387904, 0)", ""), "a.npy"),
              "a.npy: array: it has rows but no columns");
}

TEST(ReadNpy, a_target_column_is_taken_out) {
    ReadOptions options;
    options.target = "-1";
    const Dataset data =
        read_text(npy("<f8", "(2, 3)", bytes_of({1.0, 2.0, 3.0, 4.0, 5.0, 6.0})), "a.npy", options)
            .value();
    EXPECT_EQ(data.targets, (Row{3, 6}));
    EXPECT_EQ(row_of(data, 1), (Row{4, 5}));
    options.target = "3";
    EXPECT_EQ(refusal(npy("<f8", "(1, 2)", bytes_of({1.0, 2.0})), "a.npy", options),
              "a.npy: target: there is no column 3; the array has 2");
    options.target = "age";
    EXPECT_EQ(refusal(npy("<f8", "(1, 2)", bytes_of({1.0, 2.0})), "a.npy", options),
              "a.npy: target: no column is named 'age'; an array's columns have numbers only");
}

TEST(ReadNpy, columns_are_dropped_or_chosen_by_their_numbers_in_the_file) {
    const std::string file =
        npy("<f8", "(2, 4)", bytes_of({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}));
    ReadOptions options;
    options.target = "1";
    options.drop = "2";
    const Dataset dropped = read_text(file, "a.npy", options).value();
    EXPECT_EQ(row_of(dropped, 0), (Row{1, 4}));
    EXPECT_EQ(row_of(dropped, 1), (Row{5, 8}));
    EXPECT_EQ(dropped.targets, (Row{2, 6}));
    options.drop = "";
    options.only = "2-3";
    const Dataset chosen = read_text(file, "a.npy", options).value();
    EXPECT_EQ(row_of(chosen, 1), (Row{7, 8}));
    EXPECT_EQ(chosen.targets, (Row{2, 6}));
    options.only = "0-2";
    EXPECT_EQ(row_of(read_text(file, "a.npy", options).value(), 1), (Row{5, 7}));
}

TEST(ReadNpy, only_a_hyphen_makes_a_range_of_columns) {
    const std::string file = npy("<f8", "(1, 4)", bytes_of({1.0, 2.0, 3.0, 4.0}));
    for (const char* text : {"1:2", "1 2", "1.5", "1x", "1-", "1-2x", "2-1"}) {
        EXPECT_EQ(refusal(file, "a.npy", {.drop = text}),
                  "a.npy: drop: '" + std::string(text) +
                      "' is not a number, and the columns have no names");
    }
}

TEST(ReadNpy, headers_that_promise_too_much_are_refused_before_memory_is_taken) {
    EXPECT_EQ(refusal(npy("<f8", "(1000000000, 1000000)", "12345678"), "a.npy"),
              "a.npy: array: the header promises 8000000000000000 bytes, the file has 8");
    EXPECT_EQ(refusal(npy("<f8", "(4611686018427387904, 4)", ""), "a.npy"),
              "a.npy: array: its size does not fit 64 bits");
    testing::FaultyFiles files;
    files.contents["a.npy"] = npy("<f8", "(1000000000, 1000000)", "12345678");
    files.sizes_known = false;
    Context context;
    EXPECT_EQ(read_dataset("a.npy", {}, context, files).diagnostic().text(),
              "a.npy: array: the file ends after 1 of 1000000000000000 numbers");
    EXPECT_LT(context.memory()->peak(), 1 << 20);
}

TEST(ReadNpy, malformed_headers_are_refused) {
    const std::string one = bytes_of({1.0});
    for (const std::string& file :
         {npy("<f2", "(1, 1)", one), npy("|O", "(1, 1)", one), npy("<U5", "(1,)", one),
          npy("<f8", "(-1, 1)", one), npy("<f8", "(1; 1)", one), npy("<f8", "1", one),
          npy("<f8", "(1, 1)", one, "Maybe"), npy("<f8", "(99999999999999999999,)", one),
          npy("<f8', 'x': '", "(1, 1)", one), npy("<f8", "(1, 1)", one + "more"),
          "\x93NUMPY\x01\x00\xFF\xFF{"s, "\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF"s, "\x93NUMPY"s,
          "\x93NUMPY\x01\x00\x02\x00{}"s, "\x93NUMPY\x01\x00\x01\x00{"s}) {
        EXPECT_FALSE(read_text(file, "a.npy").ok());
    }
    EXPECT_EQ(refusal(npy("|O", "(1, 1)", one), "a.npy"),
              "a.npy: npy header: pickled objects are not read; save numbers, or labels as text: "
              "y.astype(str)");
    ReadOptions options;
    options.format = "npy";
    EXPECT_EQ(refusal("1 1:1", "a.npy", options), "a.npy: npy: it does not start as a .npy file");
}

TEST(ReadNpy, integers_a_double_cannot_hold_are_refused) {
    EXPECT_EQ(refusal(npy("<i8", "(1, 2)", bytes_of<std::int64_t>({1, (1LL << 53) + 1})), "a.npy"),
              "a.npy:1:2: value: 9007199254740992 is too large for a double to be exact");
}

TEST(ReadNpy, every_truncation_is_refused) {
    const std::string file = npy("<f8", "(2, 2)", bytes_of({1.0, 2.0, 3.0, 4.0}));
    for (std::size_t size = 0; size < file.size(); ++size) {
        ReadOptions options;
        options.format = "npy";
        EXPECT_FALSE(read_text(file.substr(0, size), "a.npy", options).ok()) << size;
    }
}

std::string deflated(const std::string& plain) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
    std::string packed(plain.size() + 100, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
    stream.avail_in = static_cast<uInt>(plain.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

enum class Sizes { plain, zip64, descriptor };

/// A member of a zip archive, as numpy.savez (zip64) or a stream writer (descriptor) makes it.
std::string zip_member(const std::string& name, const std::string& content, bool deflate,
                       Sizes sizes = Sizes::zip64) {
    const std::string packed = deflate ? deflated(content) : content;
    const std::uint64_t crc =
        crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
    const bool later = sizes == Sizes::descriptor;
    std::string extra;
    if (sizes == Sizes::zip64) {
        extra = little(1, 2) + little(16, 2) + little(content.size(), 8) + little(packed.size(), 8);
    }
    const std::uint64_t shown = sizes == Sizes::zip64 ? 0xFFFFFFFF : later ? 0 : packed.size();
    const std::uint64_t shown_plain = sizes == Sizes::zip64 ? 0xFFFFFFFF
                                      : later               ? 0
                                                            : content.size();
    std::string member = "PK\3\4"s + little(45, 2) + little(later ? 8 : 0, 2) +
                         little(deflate ? 8 : 0, 2) + little(0, 4) + little(later ? 0 : crc, 4) +
                         little(shown, 4) + little(shown_plain, 4) + little(name.size(), 2) +
                         little(extra.size(), 2) + name + extra + packed;
    if (later) {
        member +=
            "PK\7\10"s + little(crc, 4) + little(packed.size(), 4) + little(content.size(), 4);
    }
    return member;
}

const std::string kDirectory = "PK\1\2 whatever follows";

TEST(ReadNpz, arrays_x_and_y_are_found_in_any_order_and_packing) {
    const std::string rows = npy("<f8", "(2, 2)", bytes_of({1.0, 2.0, 3.0, 4.0}));
    const std::string targets = npy("<i8", "(2,)", bytes_of<std::int64_t>({-1, 1}));
    for (const bool packed : {false, true}) {
        for (const Sizes sizes : {Sizes::plain, Sizes::zip64, Sizes::descriptor}) {
            if (sizes == Sizes::descriptor && !packed) {
                continue;
            }
            const Dataset data =
                read_text(zip_member("y.npy", targets, packed, sizes) +
                              zip_member("other.txt", "hello", packed, sizes) +
                              zip_member("X.npy", rows, packed, sizes) + kDirectory,
                          "a.npz")
                    .value();
            EXPECT_EQ(row_of(data, 1), (Row{3, 4}));
            EXPECT_EQ(data.targets, (Row{-1, 1}));
        }
    }
}

TEST(ReadNpz, positional_arrays_and_weights_are_read) {
    const std::string rows = npy("<f4", "(2, 1)", bytes_of({1.0F, 2.0F}));
    const std::string column = npy("<f8", "(2, 1)", bytes_of({0.5, 2.0}));
    const Dataset data =
        read_text(zip_member("arr_0.npy", rows, false) + zip_member("arr_1.npy", column, true) +
                      zip_member("weights.npy", column, true) + kDirectory,
                  "a.npz")
            .value();
    EXPECT_EQ(data.targets, (Row{0.5, 2.0}));
    EXPECT_EQ(data.weights, (Row{0.5, 2.0}));
}

TEST(ReadNpz, a_weight_may_be_zero) {
    const std::string rows = npy("<f8", "(2, 1)", bytes_of({1.0, 2.0}));
    const std::string weights = npy("<f8", "(2,)", bytes_of({0.0, 1.0}));
    const Dataset data = read_text(zip_member("X.npy", rows, false) +
                                       zip_member("weights.npy", weights, false) + kDirectory,
                                   "a.npz")
                             .value();
    EXPECT_EQ(data.weights, (Row{0.0, 1.0}));
}

TEST(ReadNpz, labels_that_are_not_unicode_are_refused) {
    const std::string rows = npy("<f8", "(2, 1)", bytes_of({1.0, 2.0}));
    const auto file = [&](std::uint32_t second) {
        const std::string labels = npy("<U1", "(2,)", bytes_of<std::uint32_t>({'a', second}));
        return zip_member("X.npy", rows, false) + zip_member("y.npy", labels, false) + kDirectory;
    };
    EXPECT_EQ(read_text(file(0xE9), "a.npz").value().label_names,
              (std::vector<std::string>{"a", "\xC3\xA9"}));
    EXPECT_EQ(read_text(file(0x10FFFF), "a.npz").value().label_names.back(), "\xF4\x8F\xBF\xBF");
    for (const std::uint32_t invalid : {0xD800U, 0xDFFFU, 0x110000U}) {
        EXPECT_EQ(refusal(file(invalid), "a.npz"), "a.npz(y.npy):2:1: y: not Unicode");
    }
}

TEST(ReadNpz, archives_that_do_not_fit_are_refused) {
    const std::string rows = npy("<f8", "(2, 1)", bytes_of({1.0, 2.0}));
    const std::string long_column = npy("<f8", "(3,)", bytes_of({1.0, 2.0, 3.0}));
    const std::string negative = npy("<f8", "(2,)", bytes_of({1.0, -2.0}));
    EXPECT_EQ(refusal(zip_member("Z.npy", rows, false) + kDirectory, "a.npz"),
              "a.npz: npz: no array is named X; found 'Z'");
    EXPECT_EQ(refusal(zip_member("X.npy", rows, false) + zip_member("y.npy", long_column, true) +
                          kDirectory,
                      "a.npz"),
              "a.npz: npz: y has shape (3, 1), must have one number for each of 2 rows");
    EXPECT_EQ(
        refusal(zip_member("X.npy", rows, false) + zip_member("X.npy", rows, false) + kDirectory,
                "a.npz"),
        "a.npz: npz: two arrays are named 'X.npy'");
    EXPECT_EQ(refusal(zip_member("X.npy", rows, false) +
                          zip_member("weights.npy", negative, false) + kDirectory,
                      "a.npz"),
              "a.npz:2:1: weights: must be >= 0");
    EXPECT_EQ(refusal(zip_member("X.npy", rows + "x", false) + kDirectory, "a.npz"),
              "a.npz(X.npy): array: bytes follow its end");
    EXPECT_EQ(refusal("PK\5\6"s + std::string(18, '\0'), "a.npz"),
              "a.npz: npz: no array is named X; found none");
}

TEST(ReadNpz, every_truncation_and_every_changed_byte_of_the_numbers_is_refused) {
    const std::string rows = npy("<f8", "(2, 2)", bytes_of({1.0, 2.0, 3.0, 4.0}));
    for (const bool packed : {false, true}) {
        const std::string file = zip_member("X.npy", rows, packed) + "PK\1\2";
        EXPECT_TRUE(read_text(file, "a.npz").ok());
        ReadOptions options;
        options.format = "npz";
        for (std::size_t size = 0; size < file.size(); ++size) {
            EXPECT_FALSE(read_text(file.substr(0, size), "a.npz", options).ok()) << size;
        }
        for (std::size_t i = file.size() - 4 - 32; i < file.size() - 4; ++i) {
            std::string changed = file;
            changed[i] = static_cast<char>(changed[i] ^ 1);
            EXPECT_FALSE(read_text(changed, "a.npz", options).ok()) << i;
        }
    }
}

std::string big(std::uint32_t value) {
    const std::string text = little(value, 4);
    return {text.rbegin(), text.rend()};
}

TEST(ReadIdx, images_and_labels_are_joined) {
    testing::FaultyFiles files;
    files.contents["images-idx3-ubyte"] =
        "\0\0\x08\3"s + big(2) + big(1) + big(3) + "\1\2\3\4\5\xFF"s;
    files.contents["labels-idx1-ubyte"] = "\0\0\x08\1"s + big(2) + "\7\x09"s;
    files.contents["labels.txt"] = "7\n9\n";
    files.contents["labels.npy"] = npy("<i4", "(2,)", bytes_of<std::int32_t>({7, 9}));
    Context context;
    for (const char* labels : {"labels-idx1-ubyte", "labels.txt", "labels.npy"}) {
        ReadOptions options;
        options.labels = labels;
        const Dataset data = read_dataset("images-idx3-ubyte", options, context, files).value();
        EXPECT_EQ(row_of(data, 1), (Row{4, 5, 255}));
        EXPECT_EQ(data.targets, (Row{7, 9}));
    }
    files.contents["labels.txt"] = "7\n";
    ReadOptions options;
    options.labels = "labels.txt";
    EXPECT_EQ(read_dataset("images-idx3-ubyte", options, context, files).diagnostic().text(),
              "images-idx3-ubyte: labels: labels.txt holds 1 labels for 2 rows");
    files.contents["labels.txt"] = "7\nx\n";
    EXPECT_EQ(read_dataset("images-idx3-ubyte", options, context, files).diagnostic().text(),
              "labels.txt:2:1: label: 'x' is not a number");
}

TEST(ReadIdx, every_number_type_is_read) {
    const auto read = [](char type, const std::string& data) {
        return row_of(read_text("\0\0"s + type + "\2" + big(1) + big(2) + data, "a.idx").value(),
                      0);
    };
    EXPECT_EQ(read(0x09, "\xFF\1"s), (Row{-1, 1}));
    EXPECT_EQ(read(0x0B, bytes_of<std::int16_t>({-2, 300}, true)), (Row{-2, 300}));
    EXPECT_EQ(read(0x0C, bytes_of<std::int32_t>({-2, 70000}, true)), (Row{-2, 70000}));
    EXPECT_EQ(read(0x0D, bytes_of<float>({-2, 0.5}, true)), (Row{-2, 0.5}));
    EXPECT_EQ(read(0x0E, bytes_of<double>({-2, 0.1}, true)), (Row{-2, 0.1}));
}

TEST(ReadIdx, wrong_sizes_and_types_are_refused) {
    EXPECT_EQ(refusal("\0\0\x08\1"s + big(5) + "\1\2"s, "a.idx"),
              "a.idx: array: the header promises 5 bytes, the file has 2");
    EXPECT_EQ(refusal("\0\0\x08\1"s + big(1) + "\1\2"s, "a.idx"),
              "a.idx: array: bytes follow its end");
    EXPECT_EQ(refusal("\0\0\x07\1"s + big(1) + "\1"s, "a.idx"),
              "a.idx: idx: numbers of type 0x07 are not supported");
    EXPECT_EQ(refusal("\0\0\x08\2"s + big(1), "a.idx"), "a.idx: idx: the file ends in its header");
    EXPECT_EQ(refusal("hello", "a.idx"), "a.idx: idx: it does not start as an idx file");
}

}  // namespace
}  // namespace mercer
