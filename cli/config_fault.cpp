// SPDX-License-Identifier: Apache-2.0
//
// cli/config_fault.cpp - parses an increasing number of lines until it fails.
#include "config_fault.hpp"

#include <algorithm>
#include <sstream>

#include "text_file.hpp"

namespace mercer::cli {

std::vector<CLI::ConfigItem> FirstLines::from_config(std::istream& input) const {
    std::string text;
    std::string line;
    for (std::size_t i = 0; i < lines_ && std::getline(input, line); ++i) {
        text += line + '\n';
    }
    std::istringstream first(text);
    return CLI::ConfigTOML::from_config(first);
}

std::size_t first_line_where(const std::string& path,
                             const std::function<bool(std::shared_ptr<CLI::Config>)>& holds) {
    constexpr std::size_t kMost = 1000;  // a parse takes milliseconds
    const std::string text = read_text_file(path, system_files());
    const auto ends = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    for (std::size_t lines = 0; lines <= std::min(kMost, ends + 1); ++lines) {
        if (holds(std::make_shared<FirstLines>(lines))) {
            return lines;
        }
    }
    return 0;
}

}  // namespace mercer::cli
