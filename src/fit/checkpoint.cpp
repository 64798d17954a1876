// SPDX-License-Identifier: Apache-2.0
//
// src/fit/checkpoint.cpp - when the state of a run is written, and whether it belongs to this run.
//
// All parts of a run are in one file, which is replaced as a whole, so the file never mixes
// inconsistent states of one part. Parts are independent of each other, so their states may come
// from different moments.
#include "mercer/fit/checkpoint.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr char kState = 's';
constexpr char kResult = 'r';

struct Option {
    std::string_view name;
    std::string_view value;
};

/// The lines `name=value` of a text.
std::vector<Option> options_of(std::string_view text) {
    std::vector<Option> out;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        const std::size_t mark = std::min(line.find('='), line.size());
        out.push_back({line.substr(0, mark), line.substr(std::min(mark + 1, line.size()))});
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return out;
}

/// Describes the first option that differs, or that only one of the runs has.
std::string difference(std::string_view then, std::string_view now) {
    const std::vector<Option> before = options_of(then);
    const std::vector<Option> after = options_of(now);
    for (const Option& option : after) {
        const auto old = std::ranges::find(before, option.name, &Option::name);
        if (old == before.end()) {
            return fmt::format("{}: it was not given, now it is '{}'", option.name, option.value);
        }
        if (old->value != option.value) {
            return fmt::format("{}: it was '{}', now it is '{}'", option.name, old->value,
                               option.value);
        }
    }
    for (const Option& option : before) {
        if (std::ranges::find(after, option.name, &Option::name) == after.end()) {
            return fmt::format("{}: it was '{}', now it is not given", option.name, option.value);
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
