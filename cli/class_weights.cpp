// SPDX-License-Identifier: Apache-2.0
//
// cli/class_weights.cpp - parses repeated LABEL=WEIGHT.
#include "class_weights.hpp"

#include <fmt/core.h>

#include "argument.hpp"
#include "exit_status.hpp"
#include "option_registrar.hpp"

namespace mercer::cli {

void add_class_weights_option(CLI::App& command, std::vector<std::string>& pairs) {
    add_option(command, "--weight", pairs, "weight R of class L; may be repeated")
        .type_name("L=R")
        .repeatable();
}

std::map<std::string, double> parse_class_weights(const std::vector<std::string>& pairs) {
    std::map<std::string, double> weights;
    for (const std::string& pair : pairs) {
        const std::size_t mark = pair.rfind('=');
        const std::optional<double> weight = mark == std::string::npos || mark == 0
                                                 ? std::nullopt
                                                 : read_number(pair.substr(mark + 1));
        if (!weight || !Range::positive().contains(*weight)) {
            throw UsageError(fmt::format(
                "--weight: got '{}', must be LABEL=WEIGHT with a finite weight > 0", pair));
        }
        if (!weights.emplace(pair.substr(0, mark), *weight).second) {
            throw UsageError(
                fmt::format("--weight: class {} is given twice", pair.substr(0, mark)));
        }
    }
    return weights;
}

}  // namespace mercer::cli
