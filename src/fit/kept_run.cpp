// SPDX-License-Identifier: Apache-2.0
//
// src/fit/kept_run.cpp - options as text, results as bytes.
#include "fit/kept_run.hpp"

#include <fmt/format.h>

#include "mercer/runtime/context.hpp"
#include "mercer/solvers/solution_state.hpp"

namespace mercer::fit {

namespace {

/// Visitor that writes every option as text; numbers read back bit for bit.
class OptionLines {
public:
    void number(std::string_view name, double value, const Range&, std::string_view) {
        line(name, fmt::format("{}", value));
    }
    void number(std::string_view name, const std::optional<double>& value, const Range& range,
                std::string_view help) {
        number(name, value.value_or(kNaN), range, help);
    }
    void integer(std::string_view name, index_t value, const Range&, std::string_view) {
        line(name, fmt::format("{}", value));
    }
    void integer(std::string_view name, const std::optional<index_t>& value, const Range&,
                 std::string_view) {
        line(name, value ? fmt::format("{}", *value) : "not given");
    }
    void flag(std::string_view name, bool value, std::string_view) {
        line(name, value ? "yes" : "no");
    }
    void text(std::string_view name, const std::string& value, std::string_view) {
        line(name, value);
    }
    void word(std::string_view name, const SolverChoice& value, std::string_view) {
        line(name, value.name());
    }
    void choice(std::string_view name, const std::string& value, const std::vector<std::string>&,
                std::string_view) {
        line(name, value);
    }
    void line(std::string_view name, std::string_view value) {
        lines_ += fmt::format("{}={}\n", name, value);
    }
    [[nodiscard]] const std::string& lines() const { return lines_; }

private:
    std::string lines_;
};

}  // namespace

std::string run_description(const Dataset& data, const TrainOptions& options,
                            const Context& context) {
    TrainOptions described = options;
    OptionLines out;
    TrainOptions::describe(out, described);
    ScaleOptions::describe(out, described.scale);
    out.line("kernel", to_string(options.kernel));
    out.line("matrices of the kernel", fmt::format("{:016x}", matrices_hash(options.kernel)));
    for (const auto& [label, weight] : options.objective.class_weights) {
        out.line("weight of " + label, fmt::format("{}", weight));
    }
    out.line("classes", fmt::format("{}", fmt::join(data.label_names, ",")));
    out.line("seed", fmt::format("{}", context.seed()));
    out.line("start", options.run.start == nullptr
                          ? ""
                          : fmt::format("{:016x}", coefficients_hash(*options.run.start)));
    return out.lines();
}

std::string kept_bytes(const KeptResult& result) {
    StateWriter state;
    save_solution(result.solution, state);
    state.number(static_cast<index_t>(result.sigmoid.has_value()));
    const Sigmoid sigmoid = result.sigmoid.value_or(Sigmoid{});
    state.number(sigmoid.a);
    state.number(sigmoid.b);
    return state.take();
}

std::optional<KeptResult> kept_result(const CheckpointSlot* slot, index_t size) {
    const std::optional<std::string_view> bytes = slot == nullptr ? std::nullopt : slot->result();
    if (!bytes) {
        return std::nullopt;
    }
    StateReader state(*bytes);
    KeptResult result{restore_solution(size, state), std::nullopt};
    const bool has_sigmoid = state.integer(0, 1) == 1;
    Sigmoid sigmoid;
    sigmoid.a = state.number<double>();
    sigmoid.b = state.number<double>();
    StateReader::require(state.at_end());
    if (has_sigmoid) {
        result.sigmoid = sigmoid;
    }
    return result;
}

}  // namespace mercer::fit
