// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/formats/corruption_test.cpp - damaged and hostile model files are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "formats/header.hpp"
#include "formats/layout.hpp"
#include "mercer/base/error.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"
#include "support/hand_models.hpp"

namespace mercer {
namespace {

using namespace testing;

/// Small models of every kind.
std::vector<std::string> small_files() {
    Model scaled = random_model("linear", 2, 3, "csr");
    scaled.scaling = Scaling{"standard", 3, {0, 2}, {0, 0}, {0.5, 2.0}, 0.0};
    Model joint = random_model("rbf(gamma=0.5)", 3, 2, "f64", 3);
    joint.labels = {"a", "b", "c"};
    joint.multiclass = kSoftmax;
    joint.loss = "softmax";
    joint.link.kind = kSoftmax;
    joint.certificates.resize(1);
    return {saved(pair_model().model),
            saved(joint),
            saved(krr2_model().model),
            saved(random_model("rbf(gamma=0.1)", 2, 2, "f32", 2)),
            saved(scaled),
            saved(random_model("poly(degree=2, coef0=1, scale=1)", 3, 2, "csr")),
            saved(pairs_model(3, "rbf(gamma=0.5)"))};
}

/// A file with a changed header, and with lengths, padding and checksum corrected accordingly.
std::string with_header(const std::string& bytes, const std::string& from, const std::string& to) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + 12, 4);
    const auto round_up = [](std::size_t size) { return (size + 63) / 64 * 64; };
    std::string header = bytes.substr(16, length);
    const std::size_t place = header.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    if (place != std::string::npos) {
        header.replace(place, from.size(), to);
    }
    const auto size = static_cast<std::uint32_t>(header.size());
    std::string out = bytes.substr(0, 12);
    out.append(reinterpret_cast<const char*>(&size), 4);
    out += header;
    out.resize(round_up(out.size()), '\0');
    return repaired(out + bytes.substr(round_up(16 + length)));
}

void expect_refused(const std::string& bytes, const std::string& message) {
    Context context;
    const Result<Model> result = loaded(bytes, context);
    ASSERT_FALSE(result.ok()) << message;
    EXPECT_NE(result.diagnostic().text().find(message), std::string::npos)
        << result.diagnostic().text();
}

TEST(Slow_model_corruption, every_flipped_bit_is_refused) {
    Context context;
    for (const std::string& bytes : small_files()) {
        for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
            std::string damaged = bytes;
            damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
            ASSERT_FALSE(loaded(damaged, context).ok()) << "bit " << bit;
        }
    }
}

TEST(model_corruption, every_truncation_and_extension_is_refused) {
    Context context;
    for (const std::string& bytes : small_files()) {
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            ASSERT_FALSE(loaded(bytes.substr(0, size), context).ok()) << size;
            ASSERT_FALSE(loaded(repaired(bytes.substr(0, size)), context).ok()) << size;
        }
        EXPECT_FALSE(loaded(bytes + '\0', context).ok());
        EXPECT_FALSE(loaded(repaired(bytes + std::string(8, '\0')), context).ok());
    }
}

TEST(model_corruption, random_damage_with_a_right_checksum_is_refused_or_harmless) {
    Context context({.threads = 1, .memory = index_t{64} << 20});
    const std::vector<std::string> files = small_files();
    Random random(11);
    index_t accepted = 0;
    for (int round = 0; round < 10000; ++round) {
        std::string bytes = files[static_cast<std::size_t>(random.below(std::ssize(files)))];
        for (index_t change = random.below(4); change >= 0; --change) {
            const auto place = static_cast<std::size_t>(random.below(std::ssize(bytes)));
            bytes[place] = static_cast<char>(random.bits());
        }
        const Result<Model> result = loaded(repaired(bytes), context);
        if (!result.ok()) {
            continue;
        }
        ++accepted;
        const Model& model = result.value();
        EXPECT_NO_THROW(require_consistent(model));
        try {
            for (const double f :
                 decision_function(model, dense_rows(std::vector<double>{0.5}, 1), context)) {
                EXPECT_TRUE(std::isfinite(f));
            }
        } catch (const Error&) {  // overflow, or rows too wide for the memory
        }
    }
    EXPECT_GT(accepted, 100);  // changed numbers in a valid form
}

TEST(model_corruption, counts_that_do_not_agree_are_refused) {
    const std::string bytes = saved(krr2_model().model);
    expect_refused(with_header(bytes, "\"rows\":2,", "\"rows\":1000000,"), "does not follow");
    expect_refused(with_header(bytes, "\"outputs\":1", "\"outputs\":2"), "does not follow");
    expect_refused(with_header(bytes, "\"outputs\":1", "\"outputs\":4611686018427387904"),
                   "do not fit 64 bits");
    expect_refused(with_header(bytes, "\"outputs\":1", "\"outputs\":-1"), "must be an integer");
    expect_refused(with_header(bytes, "\"outputs\":1", "\"outputs\":1e3"), "must be an integer");
    expect_refused(with_header(bytes, "\"count\":6", "\"count\":7"), "does not follow");
    expect_refused(with_header(bytes, "\"offset\":64", "\"offset\":0"), "does not follow");
}

TEST(model_corruption, huge_sizes_are_refused_before_memory_is_taken) {
    const TrainedModel krr = krr2_model();
    const auto refuse = [&](const Layout& layout) {
        const std::string header = write_header(krr.model, layout);  // its block table is valid
        std::string bytes = saved(krr.model).substr(0, 12);
        const auto length = static_cast<std::uint32_t>(header.size());
        bytes.append(reinterpret_cast<const char*>(&length), 4);
        bytes += header;
        bytes.resize((bytes.size() + 63) / 64 * 64 + 72, '\0');
        Context context;
        const Result<Model> result = loaded(repaired(bytes), context);
        ASSERT_FALSE(result.ok());
        EXPECT_NE(result.diagnostic().text().find("the blocks need"), std::string::npos)
            << result.diagnostic().text();
        EXPECT_EQ(context.memory()->peak(), 0);
    };
    Layout layout = layout_of(krr.model);
    layout.outputs = index_t{1} << 40;
    layout.certificates = layout.outputs;  // one for each, unless the machine is a joint one
    refuse(layout);
    layout = layout_of(krr.model);
    layout.rows = index_t{1} << 50;
    refuse(layout);
    layout = layout_of(krr.model);
    layout.storage = "csr";
    layout.stored = index_t{1} << 55;
    refuse(layout);
}

TEST(model_corruption, keys_stand_once_and_all_of_them) {
    const std::string bytes = saved(pair_model().model);
    expect_refused(with_header(bytes, "\"cost\":0.25", "\"cost\":0.25,\"cost\":0.5"), "twice");
    expect_refused(with_header(bytes, "\"cost\":0.25,", ""), "lacks the key 'cost'");
    expect_refused(with_header(bytes, "\"cost\":0.25", "\"cost\":0.25,\"more\":1"),
                   "should not have");
    expect_refused(with_header(bytes, "\"cost\":0.25", "\"cost\":\"0.25\""), "must be a number");
    expect_refused(with_header(bytes, "\"cost\":0.25", "\"cost\":1e999"), "header");
    expect_refused(with_header(bytes, "\"labels\":[\"-1\",\"1\"]", "\"labels\":[]"), "labels");
    expect_refused(
        with_header(bytes, "\"labels\":[\"-1\",\"1\"]", "\"labels\":" + std::string(100000, '[')),
        "nested too deep");
    expect_refused(with_header(bytes, "\"kernel\":\"linear\"", "\"kernel\":\" linear\""),
                   "canonical");
    expect_refused(with_header(bytes, "\"kernel\":\"linear\"", "\"kernel\":\"lunar\""), "kernel");
    expect_refused(
        with_header(bytes, "\"kernel\":\"linear\"", "\"kernel\":\"quadratic-form(/etc/passwd)\""),
        "differ in number");
}

TEST(model_corruption, magic_version_and_header_length_are_checked) {
    std::string bytes = saved(pair_model().model);
    std::string other = bytes;
    other[0] = 'm';
    expect_refused(repaired(other), "not a Mercer model");
    other = bytes;
    other[8] = 8;
    expect_refused(repaired(other), "version 8");
    other[8] = 7;
    expect_refused(repaired(other), "lacks the key 'names'");
    other[8] = 6;
    expect_refused(repaired(other), "lacks the key 'basis'");
    other[8] = 5;
    expect_refused(repaired(other), "version 5 is for the machines ordinal and rank");
    other[8] = 4;
    expect_refused(repaired(other), "lacks the key 'penalty'");
    other[8] = 3;  // a newer version of the same content
    expect_refused(repaired(other), "lacks the key 'certificates'");
    other[8] = 0;
    expect_refused(repaired(other), "version 0");
    other = bytes;
    other[15] = 0x7f;
    expect_refused(repaired(other), "byte 12");
    expect_refused("", "too short");
    other = bytes;
    other[other.size() - 1] = static_cast<char>(other.back() + 1);
    expect_refused(other, "checksum");
}

/// Overwrites one entry of a block.
template <typename T>
std::string with_entry(std::string bytes, const char* block, index_t entry, T value) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + 12, 4);
    const std::string header = bytes.substr(16, length);
    const std::size_t name = header.find(std::string("\"name\":\"") + block + "\"");
    const std::size_t place = header.find("\"offset\":", name) + 9;
    const std::size_t start = (16 + length + 63) / 64 * 64 +
                              static_cast<std::size_t>(std::stoll(header.substr(place))) +
                              static_cast<std::size_t>(entry) * sizeof(T);
    std::memcpy(bytes.data() + start, &value, sizeof(T));
    return repaired(bytes);
}

TEST(model_corruption, indices_and_numbers_out_of_range_are_refused) {
    Model model = random_model("linear", 3, 4, "csr");
    model.scaling = Scaling{"standard", 4, {0, 2}, {0, 0}, {0.5, 2.0}, 0.0};
    const std::string bytes = saved(model);
    Context context;
    ASSERT_TRUE(loaded(with_entry(bytes, "coefficients", 0, 2.0), context).ok());
    for (const index_t bad : {index_t{-1}, index_t{1000}, std::numeric_limits<index_t>::max()}) {
        for (const char* block :
             {"support_offsets", "support_columns", "support_rows", "scaling_columns"}) {
            EXPECT_FALSE(loaded(with_entry(bytes, block, 1, bad), context).ok()) << block;
        }
    }
    EXPECT_FALSE(loaded(with_entry(bytes, "support_offsets", 0, index_t{1}), context).ok());
    for (const double bad : {kNaN, kInfinity}) {
        for (const char* block : {"support_values", "coefficients", "intercepts", "scaling_offsets",
                                  "scaling_factors"}) {
            EXPECT_FALSE(loaded(with_entry(bytes, block, 0, bad), context).ok()) << block;
        }
    }
}

TEST(model_corruption, spaces_between_blocks_must_be_zeros) {
    std::string bytes = saved(pair_model().model);
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + 12, 4);
    const std::size_t blocks = (16 + length + 63) / 64 * 64;
    bytes[blocks + 63] = 1;  // two support values end at 16
    expect_refused(repaired(bytes), "zeros");
}

}  // namespace
}  // namespace mercer
