// SPDX-License-Identifier: Apache-2.0
//
// python/mercer/_engine/options.hpp - options by name, as the engine itself describes them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <mercer/mercer.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::python {

namespace nb = nanobind;

/// Visitor that sets options from a dict; None means "not given".
class OptionSetter {
public:
    explicit OptionSetter(const nb::dict& given) : given_(given) {}

    template <typename Number>
    void number(std::string_view name, Number& value, const Range&, std::string_view) {
        if (const nb::object wanted = take(name); !wanted.is_none()) {
            value = cast<double>(name, wanted, "a number");
        }
    }
    template <typename Number>
    void integer(std::string_view name, Number& value, const Range&, std::string_view) {
        if (const nb::object wanted = take(name); !wanted.is_none()) {
            value = cast<index_t>(name, wanted, "a whole number");
        }
    }
    void flag(std::string_view name, bool& value, std::string_view) {
        if (const nb::object wanted = take(name); !wanted.is_none()) {
            value = cast<bool>(name, wanted, "True or False");
        }
    }
    void text(std::string_view name, std::string& value, std::string_view) {
        if (const nb::object wanted = take(name); !wanted.is_none()) {
            value = cast<std::string>(name, wanted, "a string");
        }
    }
    template <typename Word>
    void word(std::string_view name, Word& value, std::string_view) {
        if (const nb::object wanted = take(name); !wanted.is_none()) {
            value = Word(cast<std::string>(name, wanted, "a string"));
        }
    }
    void choice(std::string_view name, std::string& value, const std::vector<std::string>&,
                std::string_view help) {
        text(name, value, help);
    }

    /// The value of a name without a description; None: not given.
    [[nodiscard]] nb::object take(std::string_view name);

    template <typename T>
    [[nodiscard]] static T cast(std::string_view name, const nb::object& value, const char* what) {
        T out{};
        if (!nb::try_cast<T>(value, out)) {
            throw InvalidArgument(std::string(name), nb::repr(value).c_str(),
                                  std::string("must be ") + what);
        }
        return out;
    }

    /// Throws InvalidArgument for a name that was never looked up.
    void require_all_taken() const;

private:
    const nb::dict& given_;
    std::vector<std::string> known_;
};

/// The arguments of mercer.train: TrainOptions by their descriptions, and also `kernel` (text),
/// `scale_gamma` (the value of `scale`), `class_weights` (dict), `leave_one_out`,
/// `record_steps`, `cache_bytes` and `start`, a model that must outlive the options.
[[nodiscard]] TrainOptions train_options(const nb::dict& given);

/// The kernel of an expression; `scale_gamma`, if given, replaces a parameter `scale`.
[[nodiscard]] Kernel kernel_of(const std::string& text, std::optional<double> scale_gamma);

}  // namespace mercer::python
