// SPDX-License-Identifier: Apache-2.0
//
// cli/machine.cpp - reads /proc.
#include "machine.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "mercer/base/error.hpp"
#include "mercer/runtime/files.hpp"
#include "text_file.hpp"

namespace mercer::cli {

namespace {

/// The text after `key` and a colon on the first line that starts with it; empty if there is none.
std::string proc_value(const std::string& path, std::string_view key) {
    std::string text;
    try {
        text = read_text_file(path, system_files());
    } catch (const Error&) {
        return "";  // the system has no such file: unknown
    }
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        const std::size_t colon = line.find(':');
        if (line.starts_with(key) && colon != std::string_view::npos) {
            const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
            return begin == std::string_view::npos ? "" : std::string(line.substr(begin));
        }
    }
    return "";
}

}  // namespace

std::string processor_name() {
    const std::string name = proc_value("/proc/cpuinfo", "model name");
    return name.empty() ? "unknown" : name;
}

index_t online_processors() { return std::max<index_t>(1, ::sysconf(_SC_NPROCESSORS_ONLN)); }

index_t allowed_processors() {
    const index_t allowed = count_cpu_list(proc_value("/proc/self/status", "Cpus_allowed_list"));
    return allowed > 0 ? std::min(allowed, online_processors()) : online_processors();
}

index_t count_cpu_list(const std::string& list) {
    index_t count = 0;
    const char* at = list.data();
    const char* end = at + list.size();
    while (at < end) {
        index_t first = 0;
        auto parsed = std::from_chars(at, end, first);
        if (parsed.ec != std::errc()) {
            return 0;
        }
        index_t last = first;
        if (parsed.ptr < end && *parsed.ptr == '-') {
            parsed = std::from_chars(parsed.ptr + 1, end, last);
            if (parsed.ec != std::errc() || last < first) {
                return 0;
            }
        }
        count += last - first + 1;
        at = parsed.ptr < end && *parsed.ptr == ',' ? parsed.ptr + 1 : end;
    }
    return count;
}

std::string explain_threads(index_t online, index_t allowed, index_t usable) {
    if (usable < allowed) {
        return fmt::format("a cgroup quota allows {} of {} CPUs", usable, online);
    }
    return allowed < online ? fmt::format("CPU affinity allows {} of {} CPUs", allowed, online)
                            : fmt::format("all CPUs");
}

}  // namespace mercer::cli
