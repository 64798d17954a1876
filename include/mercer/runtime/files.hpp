// SPDX-License-Identifier: Apache-2.0
//
// mercer/runtime/files.hpp - all file access of Mercer goes through this interface.
//
// Tests replace it to inject faults. A file is written under a temporary name in the same folder,
// synced and renamed: whatever happens, the destination is the old file or the new one.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "mercer/base/types.hpp"

namespace mercer {

/// An open file or pipe to read from.
class ReadFile {
public:
    virtual ~ReadFile() = default;

    /// Reads up to bytes.size() bytes; 0 at the end. Throws ResourceError on failure.
    [[nodiscard]] virtual index_t read(std::span<char> bytes) = 0;

    /// Size in bytes, or -1 when it is not known (a pipe).
    [[nodiscard]] virtual index_t size() const = 0;
};

/// A file being written. Nothing is visible under its name before commit(); without it the
/// destructor removes the temporary.
class WriteFile {
public:
    virtual ~WriteFile() = default;

    /// Appends all bytes. Throws ResourceError on failure (disk full, I/O error).
    virtual void write(std::span<const char> bytes) = 0;

    /// Overwrites bytes already written, from `offset`. Throws ResourceError on failure.
    virtual void write_at(index_t offset, std::span<const char> bytes) = 0;

    /// Syncs and renames over the destination. Throws ResourceError; the old file then remains.
    virtual void commit() = 0;
};

/// The file system. `-` names standard input for open() and standard output for create(), which
/// then cannot be atomic.
class Files {
public:
    virtual ~Files() = default;

    /// Opens for reading. Throws DataError naming the path when it cannot be opened.
    [[nodiscard]] virtual std::unique_ptr<ReadFile> open(const std::string& path) = 0;

    /// Starts a new version of `path`. Throws ResourceError when the folder cannot be written.
    [[nodiscard]] virtual std::unique_ptr<WriteFile> create(const std::string& path) = 0;

    /// True when something of that name exists.
    [[nodiscard]] virtual bool exists(const std::string& path);

    /// Removes the file; a missing file is not an error. Throws ResourceError.
    virtual void remove(const std::string& path);

    /// Removes the temporaries of `path` that belong to processes which have ended (kill -9 leaves
    /// them). For files that one process writes at a time.
    virtual void remove_abandoned(const std::string& path);
};

/// The real file system (POSIX). Stateless; safe to share between threads.
[[nodiscard]] Files& system_files();

}  // namespace mercer
