// SPDX-License-Identifier: Apache-2.0
//
// cli/json.hpp - the JSON output of a command: built member by member, written by the JSON library.
//
// Every command includes this header, and the library takes two seconds to compile: only json.cpp,
// which passes the tree on to it, includes the library. A file that reads JSON includes it
// directly.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace mercer::cli {

/// A JSON value with members in insertion order. Converts implicitly from the usual types, so that
/// `json["rows"] = data.rows()` reads like the resulting JSON.
class Json {
public:
    using Array = std::vector<Json>;
    using Object = std::vector<std::pair<std::string, Json>>;

    Json() noexcept;  ///< null
    Json(std::nullptr_t) noexcept;
    Json(double value) noexcept;  ///< null in the text if it is not finite
    Json(std::string text);
    Json(std::string_view text);
    Json(const char* text);
    template <std::integral T>
    Json(T value) noexcept : value_(stored(value)) {}
    template <typename T>
    Json(const std::vector<T>& values) : Json(list(values)) {}
    template <typename T>
    Json(const std::map<std::string, T>& members) : Json(object()) {
        for (const auto& [name, value] : members) {
            (*this)[name] = Json(value);
        }
    }
    /// An object if every entry is a pair that starts with a string, otherwise an array.
    Json(std::initializer_list<Json> entries);

    Json(const Json& other);
    Json(Json&& other) noexcept;
    Json& operator=(const Json& other);
    Json& operator=(Json&& other) noexcept;
    ~Json();

    [[nodiscard]] static Json object();
    [[nodiscard]] static Json array(std::initializer_list<Json> entries = {});

    /// The member with that name, added as null if there is none. Turns null into an object.
    Json& operator[](std::string_view name);

    /// Turns null into an array.
    void push_back(Json entry);

    /// Adds the members of another object; members with the same name are replaced.
    void update(const Json& other);

    /// The text: on one line if `indent` < 0. Bytes that are not UTF-8 are replaced.
    [[nodiscard]] std::string dump(int indent = -1) const;

private:
    using Value = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double,
                               std::string, Array, Object>;

    template <std::integral T>
    static Value stored(T value) noexcept {
        if constexpr (std::same_as<T, bool>) {
            return value;
        } else if constexpr (std::signed_integral<T>) {
            return static_cast<std::int64_t>(value);
        } else {
            return static_cast<std::uint64_t>(value);
        }
    }

    template <typename T>
    static Json list(const std::vector<T>& values) {
        Json out = array();
        out.reserve(values.size());
        for (const auto& value : values) {
            out.push_back(Json(static_cast<const T&>(value)));
        }
        return out;
    }

    void reserve(std::size_t entries);

    struct Converter;
    Value value_;
};

}  // namespace mercer::cli
