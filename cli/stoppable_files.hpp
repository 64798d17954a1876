// SPDX-License-Identifier: Apache-2.0
//
// cli/stoppable_files.hpp - file access that ends on a stop request.
//
// Readers and writers check the Context from time to time; through this interface every block they
// read or write does, including a wait for standard input.
#pragma once

#include "mercer/runtime/context.hpp"
#include "mercer/runtime/files.hpp"

namespace mercer::cli {

/// The real file system; reads and writes throw Interrupted once `context` asks to stop.
class StoppableFiles final : public Files {
public:
    /// `context` must outlive the object and the files it opens.
    explicit StoppableFiles(const Context& context) : context_(context) {}

    [[nodiscard]] std::unique_ptr<ReadFile> open(const std::string& path) override;
    [[nodiscard]] std::unique_ptr<WriteFile> create(const std::string& path) override;

private:
    const Context& context_;
};

}  // namespace mercer::cli
