// SPDX-License-Identifier: Apache-2.0
//
// cli/config_fault.hpp - locates a fault in a configuration file, which CLI11 reports without its
// line.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <string>

namespace mercer::cli {

/// Reads only the first lines of a configuration file.
class FirstLines final : public CLI::ConfigTOML {
public:
    explicit FirstLines(std::size_t lines) : lines_(lines) {}
    std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

private:
    std::size_t lines_;
};

/// The smallest number of lines of the file with which `holds` is true, where `holds` parses only
/// these lines; 0 if it holds without any line, so that the file is not to blame, or never.
[[nodiscard]] std::size_t first_line_where(
    const std::string& path, const std::function<bool(std::shared_ptr<CLI::Config>)>& holds);

}  // namespace mercer::cli
