// SPDX-License-Identifier: Apache-2.0
//
// src/search/grid_text.cpp - parsing the axes of a grid and of a path.
#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "mercer/search/select.hpp"
#include "search/grid.hpp"

namespace mercer {

namespace {

std::optional<double> number_of(std::string_view text) {
    double value = 0.0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
    return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::vector<std::string_view> pieces_of(std::string_view text, char mark) {
    std::vector<std::string_view> out;
    for (;;) {
        const std::size_t at = text.find(mark);
        out.push_back(text.substr(0, at));
        if (at == std::string_view::npos) {
            return out;
        }
        text.remove_prefix(at + 1);
    }
}

/// A range, divided into steps.
struct Steps {
    std::string_view kind;  ///< log10, log2 or lin
    double low;
    double high;
    double count;
    bool counted;  ///< the count was given: the steps are adjusted to the ends
};

std::vector<double> values_of(const Steps& steps, double length) {
    std::vector<double> values;
    for (double k = 0.0; k < steps.count; k += 1.0) {
        const bool fitted = steps.counted && steps.count > 1.0;
        const double along = fitted ? length * k / (steps.count - 1.0) : k;
        if (steps.counted && k > 0.0 && k == steps.count - 1.0) {
            values.push_back(steps.high);  // the end exactly as written
        } else {
            values.push_back(steps.kind == "lin"
                                 ? steps.low + along
                                 : steps.low * std::pow(steps.kind == "log2" ? 2.0 : 10.0, along));
        }
    }
    return values;
}

/// lo:hi:step[:count].
Result<std::vector<double>> range_values(const std::vector<std::string_view>& pieces) {
    const auto refuse = [](std::string message) {
        return Diagnostic{std::move(message), "grid", 0, 0};
    };
    const std::optional<double> low = number_of(pieces[0]);
    const std::optional<double> high = number_of(pieces[1]);
    const std::string_view step = pieces[2];
    if (!low || !high || *low > *high) {
        return refuse("a range is LOW:HIGH:STEP with numbers LOW <= HIGH");
    }
    if (step != "log10" && step != "log2" && step != "lin") {
        return refuse(fmt::format("got the step '{}', must be log10, log2 or lin", step));
    }
    if (step != "lin" && *low <= 0.0) {
        return refuse("a logarithmic range needs LOW > 0");
    }
    const auto to_steps = [&](double value) {
        return step == "lin" ? value : (step == "log2" ? std::log2(value) : std::log10(value));
    };
    const double length = to_steps(*high) - to_steps(*low);
    double count = std::floor(length + 1e-9) + 1.0;
    if (pieces.size() == 4) {
        const std::optional<double> wanted = number_of(pieces[3]);
        if (!wanted || *wanted < 1.0 || *wanted != std::floor(*wanted)) {
            return refuse(fmt::format("got the count '{}', must be a whole number > 0", pieces[3]));
        }
        count = *wanted;
    }
    if (count > static_cast<double>(search::kMostCombinations)) {
        return refuse(fmt::format("{} values are more than {}", count, search::kMostCombinations));
    }
    const Steps steps{step, *low, *high, count, pieces.size() == 4};
    return values_of(steps, length);
}

}  // namespace

Result<PathAxis> parse_path_axis(std::string_view text) {
    const auto refuse = [&](const std::string& message) {
        return Diagnostic{fmt::format("'{}': {}", text, message), "path", 0, 0};
    };
    PathAxis axis;
    const std::size_t mark = text.find('=');
    axis.name = std::string(text.substr(0, mark));
    if (axis.name.empty()) {
        return refuse("must be NAME or NAME=FROM:TO");
    }
    if (mark == std::string_view::npos) {
        return axis;
    }
    const std::vector<std::string_view> ends = pieces_of(text.substr(mark + 1), ':');
    const std::optional<double> from = number_of(ends.front());
    const std::optional<double> to = number_of(ends.back());
    if (ends.size() != 2 || !from || !to) {
        return refuse("must be NAME or NAME=FROM:TO with two finite numbers");
    }
    axis.from = *from;
    axis.to = *to;
    return axis;
}

Result<GridAxis> parse_grid_axis(std::string_view text) {
    const auto refuse = [&](const std::string& message) {
        return Diagnostic{fmt::format("'{}': {}", text, message), "grid", 0, 0};
    };
    const std::size_t mark = text.find('=');
    if (mark == std::string_view::npos || mark == 0) {
        return refuse("must be NAME=VALUES");
    }
    GridAxis axis;
    axis.name = std::string(text.substr(0, mark));
    const std::string_view values = text.substr(mark + 1);
    const std::vector<std::string_view> range = pieces_of(values, ':');
    if (range.size() == 3 || range.size() == 4) {
        Result<std::vector<double>> parsed = range_values(range);
        if (!parsed) {
            return refuse(parsed.diagnostic().message);
        }
        axis.values = std::move(parsed).value();
        return axis;
    }
    for (const std::string_view piece : pieces_of(values, ',')) {
        const std::optional<double> value = number_of(piece);
        if (!value) {
            return refuse(
                fmt::format("'{}' is not a finite number; values are a,b,c or "
                            "LOW:HIGH:log10|log2|lin[:COUNT]",
                            piece));
        }
        axis.values.push_back(*value);
    }
    return axis;
}

}  // namespace mercer
