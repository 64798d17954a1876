// SPDX-License-Identifier: Apache-2.0
//
// src/fit/checkpoint.cpp - when the state of a run is written, and whether it belongs to this run.
//
// All parts of a run are in one file, which is replaced as a whole, so the file never mixes
// inconsistent states of one part. Parts are independent of each other, so their states may come
// from different moments.
#include "mercer/fit/checkpoint.hpp"

#include <fmt/core.h>

#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr char kState = 's';
constexpr char kResult = 'r';

/// The text up to the next line end; removes it.
std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    return line;
}

/// Describes the first option that differs.
std::string difference(std::string_view then, std::string_view now) {
    while (!then.empty() || !now.empty()) {
        const std::string_view old_line = take_line(then);
        const std::string_view new_line = take_line(now);
        if (old_line != new_line) {
            const auto name = new_line.substr(0, new_line.find('='));
            const auto value = [](std::string_view line) {
                const std::size_t mark = line.find('=');
                return mark == std::string_view::npos ? line : line.substr(mark + 1);
            };
            return fmt::format("{}: it was '{}', now it is '{}'", name, value(old_line),
                               value(new_line));
        }
    }
    return "the options differ";
}

}  // namespace

bool CheckpointSlot::due() {
    return std::chrono::duration<double>(Clock::now() - last_).count() >=
           checkpoint_.options_.seconds;
}

void CheckpointSlot::save(std::string state) {
    state.insert(state.begin(), kState);
    checkpoint_.put(*this, std::move(state), true);
    last_ = Clock::now();
}

std::string_view CheckpointSlot::saved() const {
    return !piece_.empty() && piece_.front() == kState ? std::string_view(piece_).substr(1)
                                                       : std::string_view();
}

void CheckpointSlot::finish(std::string result) {
    result.insert(result.begin(), kResult);
    checkpoint_.put(*this, std::move(result), false);
}

std::optional<std::string_view> CheckpointSlot::result() const {
    if (piece_.empty() || piece_.front() != kResult) {
        return std::nullopt;
    }
    return std::string_view(piece_).substr(1);
}

Checkpoint::Checkpoint(CheckpointOptions options, Context& context, Files& files)
    : options_(std::move(options)), files_(files) {
    validate(options_);
    if (options_.path.empty() || options_.path == "-") {
        throw InvalidArgument("checkpoint", "", "must name a file");
    }
    files_.remove_abandoned(options_.path);
    if (options_.resume && files_.exists(options_.path)) {
        file_ = load_checkpoint(options_.path, context, files_).value();
        found_ = true;
    }
    // Better to fail now than after the first half minute. Nothing is committed.
    static_cast<void>(files_.create(options_.path));
}

void Checkpoint::begin(const TrainingFingerprint& data, const std::string& options) {
    if (found_) {
        if (file_.data.rows != data.rows || file_.data.columns != data.columns ||
            file_.data.hash != data.hash) {
            throw DataError(fmt::format(
                "{}: the checkpoint is of other data: {} rows, {} columns, fingerprint {:016x}; "
                "these are {} rows, {} columns, fingerprint {:016x}",
                options_.path, file_.data.rows, file_.data.columns, file_.data.hash, data.rows,
                data.columns, data.hash));
        }
        if (file_.options != options) {
            throw DataError(fmt::format("{}: the checkpoint is of a run with other options: {}",
                                        options_.path, difference(file_.options, options)));
        }
    }
    file_.data = data;
    file_.options = options;
    for (std::string& piece : file_.pieces) {
        slots_.emplace_back(*this).piece_ = std::move(piece);
    }
    file_.pieces.clear();
}

CheckpointSlot& Checkpoint::slot(index_t number) {
    const std::lock_guard lock(mutex_);
    while (static_cast<index_t>(slots_.size()) <= number) {
        slots_.emplace_back(*this);
    }
    return slots_[static_cast<std::size_t>(number)];
}

void Checkpoint::put(CheckpointSlot& slot, std::string piece, bool at_once) {
    const std::lock_guard lock(mutex_);
    slot.piece_ = std::move(piece);
    changed_ = true;
    const double age = std::chrono::duration<double>(Clock::now() - written_).count();
    if (at_once || age >= options_.seconds) {
        write();
    }
}

void Checkpoint::flush() {
    const std::lock_guard lock(mutex_);
    if (changed_) {
        write();
    }
}

void Checkpoint::write() {
    for (const CheckpointSlot& slot : slots_) {
        file_.pieces.push_back(slot.piece_);
    }
    try {
        save_checkpoint(file_, options_.path, files_);
        changed_ = false;
        failure_.clear();
    } catch (const ResourceError& fault) {  // the run must not fail because its checkpoint does
        failure_ = fault.what();
    }
    file_.pieces.clear();
    written_ = Clock::now();
}

std::string Checkpoint::failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
}

void Checkpoint::remove() { files_.remove(options_.path); }

}  // namespace mercer
