// SPDX-License-Identifier: Apache-2.0
//
// cli/class_weights.hpp - class weights on the command line.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mercer::cli {

/// Registers --weight L=R.
void add_class_weights_option(CLI::App& command, std::vector<std::string>& pairs);

/// The pairs as weights; a label may contain `=`. Throws UsageError.
[[nodiscard]] std::map<std::string, double> parse_class_weights(
    const std::vector<std::string>& pairs);

}  // namespace mercer::cli
