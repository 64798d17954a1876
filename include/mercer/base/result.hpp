// SPDX-License-Identifier: Apache-2.0
//
// mercer/base/result.hpp - the outcome of reading untrusted text or bytes.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "mercer/base/error.hpp"
#include "mercer/base/types.hpp"

namespace mercer {

/// Why an input was refused, and where. Lines and columns count from 1; 0 means "not known".
struct Diagnostic {
    std::string message;
    std::string source;  ///< file name, or what the text is ("kernel expression")
    index_t line = 0;
    index_t column = 0;

    /// `source:line:column: message`, leaving out the parts that are not known.
    [[nodiscard]] std::string text() const;
};

/// A value, or the diagnostic that says why there is none.
template <typename T>
class [[nodiscard]] Result {
public:
    // Implicit on purpose: `return value;` and `return Diagnostic{...};` say what they mean.
    // NOLINTBEGIN(google-explicit-constructor)
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Diagnostic diagnostic) : state_(std::in_place_index<1>, std::move(diagnostic)) {}
    // NOLINTEND(google-explicit-constructor)

    [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return ok(); }

    /// The diagnostic; only when !ok().
    [[nodiscard]] const Diagnostic& diagnostic() const { return std::get<1>(state_); }

    /// The value; throws DataError with the diagnostic's text when there is none.
    [[nodiscard]] T& value() & {
        require_value();
        return std::get<0>(state_);
    }
    [[nodiscard]] const T& value() const& {
        require_value();
        return std::get<0>(state_);
    }
    [[nodiscard]] T&& value() && {
        require_value();
        return std::move(std::get<0>(state_));
    }

private:
    void require_value() const {
        if (!ok()) {
            throw DataError(std::get<1>(state_).text());
        }
    }

    std::variant<T, Diagnostic> state_;
};

}  // namespace mercer
