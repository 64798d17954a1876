// SPDX-License-Identifier: Apache-2.0
//
// cli/stoppable_files.cpp - wrappers that check the Context before each block.
#include "stoppable_files.hpp"

#include <sys/poll.h>
#include <unistd.h>

#include "printable.hpp"

namespace mercer::cli {

namespace {

class StoppableReadFile final : public ReadFile {
public:
    StoppableReadFile(std::unique_ptr<ReadFile> file, bool waits, const Context& context)
        : file_(std::move(file)), waits_(waits), context_(context) {}

    index_t read(std::span<char> bytes) override {
        context_.throw_if_stopped("read");
        while (waits_ && !input_is_ready()) {
            context_.throw_if_stopped("read");
        }
        return file_->read(bytes);
    }
    [[nodiscard]] index_t size() const override { return file_->size(); }

private:
    /// Waits briefly for standard input; also true at its end and on errors, which read() reports.
    static bool input_is_ready() {
        constexpr int kPatienceMs = 100;
        pollfd input{STDIN_FILENO, POLLIN, 0};
        return ::poll(&input, 1, kPatienceMs) > 0;
    }

    std::unique_ptr<ReadFile> file_;
    bool waits_;
    const Context& context_;
};

class StoppableWriteFile final : public WriteFile {
public:
    StoppableWriteFile(std::unique_ptr<WriteFile> file, const Context& context)
        : file_(std::move(file)), context_(context) {}

    void write(std::span<const char> bytes) override {
        context_.throw_if_stopped("write");
        file_->write(bytes);
    }
    void write_at(index_t offset, std::span<const char> bytes) override {
        context_.throw_if_stopped("write");
        file_->write_at(offset, bytes);
    }
    void commit() override { file_->commit(); }

private:
    std::unique_ptr<WriteFile> file_;
    const Context& context_;
};

}  // namespace

std::unique_ptr<ReadFile> StoppableFiles::open(const std::string& path) {
    return std::make_unique<StoppableReadFile>(system_files().open(path), path == "-", context_);
}

std::unique_ptr<WriteFile> StoppableFiles::create(const std::string& path) {
    return std::make_unique<StoppableWriteFile>(create_shown(path, system_files()), context_);
}

}  // namespace mercer::cli
