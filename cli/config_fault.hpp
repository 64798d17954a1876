// SPDX-License-Identifier: Apache-2.0
//
// cli/config_fault.hpp - where in a configuration file the fault is that CLI11 tells of without
// a place.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <string>

namespace mercer::cli {

/// Reads the first lines of a configuration file only.
class FirstLines final : public CLI::ConfigTOML {
public:
    explicit FirstLines(std::size_t lines) : lines_(lines) {}
    std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

private:
    std::size_t lines_;
};

/// The line of the file with which parsing begins to fail with that message: `parse` is given ever
/// more of its first lines, and throws CLI::ParseError. 0 when the file is not to blame.
[[nodiscard]] std::size_t config_fault_line(
    const std::string& path, const std::string& message,
    const std::function<void(std::shared_ptr<CLI::Config>)>& parse);

}  // namespace mercer::cli
