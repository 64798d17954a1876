// SPDX-License-Identifier: Apache-2.0
//
// cli/environment.cpp - variables and terminals.
#include "environment.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace mercer::cli {

namespace {

/// The value of a variable; empty if it is not set.
std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

std::optional<int> threads_from_environment() {
    const std::string_view text = variable("OMP_NUM_THREADS");
    int threads = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), threads);
    if (parsed.ec != std::errc() || threads < 1) {
        return std::nullopt;
    }
    return threads;
}

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1 && variable("TERM") != "dumb"; }

bool wants_colour(int descriptor) {
    return variable("NO_COLOR").empty() && is_terminal(descriptor);
}

bool locale_is_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        std::string value(variable(name));
        if (value.empty()) {
            continue;
        }
        std::transform(value.begin(), value.end(), value.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
        return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
    }
    return false;
}

int terminal_width(int descriptor) {
    constexpr int kUsualWidth = 80;
    winsize size{};
    if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        return kUsualWidth;
    }
    return size.ws_col;
}

}  // namespace mercer::cli
