// SPDX-License-Identifier: Apache-2.0
//
// bench/micro/read_bench.cpp - how fast text is read, in MB/s of plain text on one core.
//
//     bench_read     prints JSON lines; bench/run reads them
//
// The files live in memory, so that no disk is measured.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "mercer/base/random.hpp"
#include "mercer/data/read.hpp"
#include "timing.hpp"

namespace {

using mercer::index_t;

/// One file, held in memory.
class OneFile final : public mercer::Files {
public:
    explicit OneFile(std::string bytes) : bytes_(std::move(bytes)) {}
    [[nodiscard]] std::unique_ptr<mercer::ReadFile> open(const std::string&) override {
        return std::make_unique<Reader>(bytes_);
    }
    [[nodiscard]] std::unique_ptr<mercer::WriteFile> create(const std::string&) override {
        return nullptr;
    }
    [[nodiscard]] std::size_t size() const { return bytes_.size(); }

private:
    class Reader final : public mercer::ReadFile {
    public:
        explicit Reader(const std::string& bytes) : bytes_(bytes) {}
        [[nodiscard]] index_t read(std::span<char> out) override {
            const std::size_t count = std::min(out.size(), bytes_.size() - position_);
            std::memcpy(out.data(), bytes_.data() + position_, count);
            position_ += count;
            return static_cast<index_t>(count);
        }
        [[nodiscard]] index_t size() const override { return static_cast<index_t>(bytes_.size()); }

    private:
        const std::string& bytes_;
        std::size_t position_ = 0;
    };
    std::string bytes_;
};

/// LIBSVM text of about `megabytes`, `entries` per line.
std::string libsvm_text(index_t megabytes, const char* number_format, index_t entries) {
    mercer::Random random(1);
    std::string text;
    while (static_cast<index_t>(text.size()) < megabytes * 1000000) {
        text += random.uniform() < 0.5 ? "+1" : "-1";
        index_t column = 0;
        for (index_t k = 0; k < entries; ++k) {
            column += 1 + random.below(9);
            text += fmt::format(fmt::runtime(number_format), column, random.uniform(-1.0, 1.0));
        }
        text += '\n';
    }
    return text;
}

std::string csv_text(index_t megabytes) {
    mercer::Random random(2);
    std::string text;
    while (static_cast<index_t>(text.size()) < megabytes * 1000000) {
        for (int k = 0; k < 20; ++k) {
            text += fmt::format("{:.6f},", random.uniform(-1.0, 1.0));
        }
        text += random.uniform() < 0.5 ? "1\n" : "0\n";
    }
    return text;
}

void measure(const char* what, const std::string& path, std::string text) {
    constexpr int kRuns = 5;
    OneFile file(std::move(text));
    const double best = mercer::bench::best_seconds(kRuns, [&] {
        mercer::Context context;
        (void)mercer::read_dataset(path, {}, context, file).value();
    });
    mercer::bench::print_figure(fmt::format("read {}", what),
                                static_cast<double>(file.size()) / best / 1e6, "MB/s");
}

}  // namespace

int main() {
    constexpr index_t kMegabytes = 100;
    measure("libsvm, 6 digits", "a.svm", libsvm_text(kMegabytes, " {}:{:.6g}", 50));
    measure("libsvm, all digits", "a.svm", libsvm_text(kMegabytes, " {}:{}", 50));
    measure("libsvm, ones", "a.svm", libsvm_text(kMegabytes, " {}:1", 15));
    measure("csv, 6 digits", "a.csv", csv_text(kMegabytes));
    return 0;
}
