// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/argument_parser.cpp - values by position, then by name.
#include "kernels/argument_parser.hpp"

#include <fmt/core.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "mercer/base/error.hpp"

namespace mercer {

namespace {

double parse_value(const KernelParameter& parameter, Scanner& scanner) {
    const std::size_t position = scanner.position();
    bool is_scale = false;
    if (scanner.at_name()) {
        Scanner ahead = scanner;
        is_scale = ahead.name() == "scale";
        if (is_scale) {
            scanner = ahead;
        }
    }
    if (is_scale && !parameter.accepts_scale) {
        scanner.fail(position, fmt::format("{}: 'scale' is not a value of it; {}", parameter.name,
                                           parameter.range.text()));
    }
    if (is_scale) {
        return kNaN;
    }
    const double value = scanner.signed_number();
    try {
        if (std::isnan(value)) {
            require_in_range(parameter.name, value, parameter.range);
        }
        require_parameter(parameter, value);
    } catch (const InvalidArgument& error) {
        scanner.fail(position, error.what());
    }
    return value;
}

/// rbf(sigma=s): the same kernel, given by its standard deviation.
double parse_sigma(Scanner& scanner) {
    const std::size_t position = scanner.position();
    const double sigma = scanner.signed_number();
    const double gamma = 0.5 / sigma / sigma;
    if (!(sigma > 0.0) || !std::isfinite(sigma)) {
        scanner.fail(position, fmt::format("sigma: got {}, must be finite and > 0", sigma));
    }
    if (!(gamma > 0.0) || !std::isfinite(gamma)) {
        scanner.fail(position,
                     fmt::format("sigma: got {}, 1 / (2 sigma^2) does not fit a double", sigma));
    }
    return gamma;
}

/// Reads the values of one kernel.
class Arguments {
public:
    Arguments(const CatalogueEntry& entry, Scanner& scanner)
        : entry_(entry), scanner_(scanner), values_(entry.parameters.size()) {}

    void parse_next() {
        const std::size_t position = scanner_.position();
        Scanner ahead = scanner_;
        const std::string name(ahead.at_name() ? ahead.name() : std::string_view());
        const bool is_named = !name.empty() && ahead.accept('=');
        if (is_named) {
            scanner_ = ahead;
            named_seen_ = true;
        }
        const bool sigma = is_named && entry_.type == KernelType::rbf && name == "sigma";
        const std::size_t slot = sigma      ? 0
                                 : is_named ? slot_of(name, position)
                                            : next_slot(position);
        if (slot >= values_.size()) {
            scanner_.fail(position, fmt::format("{} takes {} parameter{}", entry_.name,
                                                values_.size(), values_.size() == 1 ? "" : "s"));
        }
        if (values_[slot]) {
            scanner_.fail(position,
                          fmt::format("'{}' is given twice", entry_.parameters[slot].name));
        }
        values_[slot] =
            sigma ? parse_sigma(scanner_) : parse_value(entry_.parameters[slot], scanner_);
    }

    [[nodiscard]] std::vector<double> values() const {
        std::vector<double> out;
        for (std::size_t i = 0; i < values_.size(); ++i) {
            out.push_back(values_[i].value_or(entry_.parameters[i].standard));
        }
        return out;
    }

private:
    [[nodiscard]] std::size_t slot_of(const std::string& name, std::size_t position) const {
        std::vector<std::string_view> names;
        for (const KernelParameter& parameter : entry_.parameters) {
            if (parameter.name == name) {
                return names.size();
            }
            names.push_back(parameter.name);
        }
        scanner_.fail(position,
                      fmt::format("{} has no parameter '{}'{}", entry_.name, name.substr(0, 40),
                                  did_you_mean(nearest(name, names))));
    }

    [[nodiscard]] std::size_t next_slot(std::size_t position) const {
        if (named_seen_) {
            scanner_.fail(position, "a value without a name cannot follow a named one");
        }
        std::size_t slot = 0;
        while (slot < values_.size() && values_[slot]) {
            ++slot;
        }
        return slot;
    }

    const CatalogueEntry& entry_;
    Scanner& scanner_;
    std::vector<std::optional<double>> values_;
    bool named_seen_ = false;
};

}  // namespace

std::vector<double> parse_arguments(const CatalogueEntry& entry, Scanner& scanner) {
    Arguments arguments(entry, scanner);
    if (scanner.accept('(') && !scanner.accept(')')) {
        do {
            arguments.parse_next();
        } while (scanner.accept(','));
        scanner.expect(')', fmt::format("after the parameters of {}", entry.name));
    }
    return arguments.values();
}

}  // namespace mercer
