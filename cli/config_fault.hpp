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

/// The number of first lines of the file from which on `holds`, which parses with no more than they
/// have; 0 when it holds without any, so that the file is not to blame, or never.
[[nodiscard]] std::size_t first_line_where(
    const std::string& path, const std::function<bool(std::shared_ptr<CLI::Config>)>& holds);

}  // namespace mercer::cli
