// SPDX-License-Identifier: Apache-2.0
//
// cli/config_fault.cpp - parse line by line until it fails.
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

std::size_t config_fault_line(const std::string& path, const std::string& message,
                              const std::function<void(std::shared_ptr<CLI::Config>)>& parse) {
    constexpr std::size_t kMost = 1000;  // a parse takes milliseconds
    const std::string text = read_text_file(path, system_files());
    const auto ends = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    const std::size_t lines = std::min(kMost, ends + 1);
    for (std::size_t first = 0; first <= lines; ++first) {
        try {
            parse(std::make_shared<FirstLines>(first));
        } catch (const CLI::ParseError& error) {
            if (error.what() == message) {
                return first;
            }
        }
    }
    return 0;
}

}  // namespace mercer::cli
