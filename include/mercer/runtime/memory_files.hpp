// SPDX-License-Identifier: Apache-2.0
//
// mercer/runtime/memory_files.hpp - a file system in memory.
//
//     MemoryFiles files;
//     files.contents["rows.csv"] = "x,y\n1,2\n";
//     Dataset rows = read_dataset("rows.csv", {}, context, files).value();
#pragma once

#include <map>
#include <memory>
#include <string>

#include "mercer/runtime/files.hpp"

namespace mercer {

/// Files as strings, for data that were never on a disk and models that are stored elsewhere. Names
/// are compared as text: there are no folders, and `-` is a name like any other. For one thread at
/// a time; copying copies the files.
class MemoryFiles : public Files {
public:
    /// The contents of each file, by name. May be changed between calls.
    std::map<std::string, std::string> contents;

    /// Reads the contents of this moment, whatever happens to the file later. Throws DataError when
    /// there is no such file.
    [[nodiscard]] std::unique_ptr<ReadFile> open(const std::string& path) override;

    /// The file appears in `contents` when it is committed. This object must outlive it.
    [[nodiscard]] std::unique_ptr<WriteFile> create(const std::string& path) override;

    [[nodiscard]] bool exists(const std::string& path) override;
    void remove(const std::string& path) override;
};

}  // namespace mercer
