// SPDX-License-Identifier: Apache-2.0
//
// src/formats/json_tree.hpp - a JSON value that can always be destroyed.
//
// The JSON library's own value allocates in its destructor, so that running out of memory there
// terminates the program instead of throwing. Only its parser is used here. Text is written with
// sorted keys and the shortest numbers that read back exactly: equal trees have equal bytes.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace mercer {

/// The reason why a text is not JSON, or not JSON that we accept.
class BadJson : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Null, a boolean, a number, a string, a list or an object.
class JsonTree {
public:
    using List = std::vector<JsonTree>;
    using Object = std::map<std::string, JsonTree, std::less<>>;

    JsonTree() = default;
    JsonTree(std::nullptr_t) {}                // NOLINT: values convert, as in JSON
    JsonTree(bool value) : value_(value) {}    // NOLINT
    JsonTree(double value) : value_(value) {}  // NOLINT
    JsonTree(const char* text) : JsonTree(std::string(text)) {}       // NOLINT
    JsonTree(std::string_view text) : JsonTree(std::string(text)) {}  // NOLINT
    JsonTree(std::string text)                                        // NOLINT
        : value_(std::make_unique<std::string>(std::move(text))) {}
    /// An integer; non-negative ones are stored as unsigned, as the parser does.
    template <std::integral T>
    requires(!std::same_as<T, bool>) JsonTree(T number) {  // NOLINT
        if (std::cmp_less(number, 0)) {
            value_ = static_cast<std::int64_t>(number);
        } else {
            value_ = static_cast<std::uint64_t>(number);
        }
    }
    /// An object: {{"key", value}, ...}.
    JsonTree(std::initializer_list<std::pair<const char*, JsonTree>> fields);

    JsonTree(const JsonTree& other);
    JsonTree& operator=(const JsonTree& other);
    JsonTree(JsonTree&&) noexcept = default;
    JsonTree& operator=(JsonTree&&) noexcept = default;
    ~JsonTree() = default;

    [[nodiscard]] static JsonTree array();
    /// For lists.
    void push_back(JsonTree item) { list().push_back(std::move(item)); }

    [[nodiscard]] bool is_null() const { return holds<std::monostate>(); }
    [[nodiscard]] bool is_boolean() const { return holds<bool>(); }
    [[nodiscard]] bool is_number() const {
        return holds<double>() || holds<std::int64_t>() || holds<std::uint64_t>();
    }
    [[nodiscard]] bool is_number_unsigned() const { return holds<std::uint64_t>(); }
    [[nodiscard]] bool is_string() const { return holds<std::unique_ptr<std::string>>(); }
    [[nodiscard]] bool is_array() const { return holds<std::unique_ptr<List>>(); }
    [[nodiscard]] bool is_object() const { return holds<std::unique_ptr<Object>>(); }

    // The stored value; throws std::bad_variant_access if the type is another one.
    [[nodiscard]] bool boolean() const { return std::get<bool>(value_); }
    [[nodiscard]] std::uint64_t whole() const { return std::get<std::uint64_t>(value_); }
    [[nodiscard]] double number() const;
    [[nodiscard]] const std::string& text() const {
        return *std::get<std::unique_ptr<std::string>>(value_);
    }
    [[nodiscard]] const List& list() const { return *std::get<std::unique_ptr<List>>(value_); }
    [[nodiscard]] List& list() { return *std::get<std::unique_ptr<List>>(value_); }
    [[nodiscard]] const Object& object() const {
        return *std::get<std::unique_ptr<Object>>(value_);
    }
    [[nodiscard]] Object& object() { return *std::get<std::unique_ptr<Object>>(value_); }

    /// For objects.
    [[nodiscard]] bool contains(std::string_view key) const { return object().contains(key); }
    [[nodiscard]] const JsonTree& operator[](std::string_view key) const {
        return object().find(key)->second;
    }
    /// For lists: iteration.
    [[nodiscard]] List::const_iterator begin() const { return list().begin(); }
    [[nodiscard]] List::const_iterator end() const { return list().end(); }

    friend bool operator==(const JsonTree& a, const JsonTree& b);
    friend bool operator==(const JsonTree& a, const char* text) {
        return a.is_string() && a.text() == text;
    }

    /// As text, on one line. Throws BadJson when a string is not UTF-8.
    [[nodiscard]] std::string dump() const;

private:
    template <typename T>
    [[nodiscard]] bool holds() const {
        return std::holds_alternative<T>(value_);
    }
    void write(std::string& out) const;

    std::variant<std::monostate, bool, double, std::int64_t, std::uint64_t,
                 std::unique_ptr<std::string>, std::unique_ptr<List>, std::unique_ptr<Object>>
        value_;
};

/// Parses text in which no object repeats a key and nesting is at most `deepest`. Throws BadJson.
[[nodiscard]] JsonTree parse_json(std::string_view text, std::size_t deepest);

/// True if the bytes are UTF-8 without surrogates and overlong forms.
[[nodiscard]] bool is_utf8(std::string_view text);

}  // namespace mercer
