// SPDX-License-Identifier: Apache-2.0
//
// cli/json.cpp - the tree; the JSON library writes its text.
#include "json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "printable.hpp"

namespace mercer::cli {

Json::Json() noexcept : value_(nullptr) {}
Json::Json(std::nullptr_t) noexcept : value_(nullptr) {}
Json::Json(double value) noexcept : value_(value) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(const char* text) : value_(std::string(text)) {}

Json::Json(std::initializer_list<Json> entries) {
    const bool is_object = std::all_of(entries.begin(), entries.end(), [](const Json& entry) {
        const Array* pair = std::get_if<Array>(&entry.value_);
        return pair != nullptr && pair->size() == 2 &&
               std::holds_alternative<std::string>(pair->front().value_);
    });
    if (!is_object) {
        value_ = Array(entries);
        return;
    }
    Object members;
    members.reserve(entries.size());
    for (const Json& entry : entries) {
        const Array& pair = std::get<Array>(entry.value_);
        members.emplace_back(std::get<std::string>(pair[0].value_), pair[1]);
    }
    value_ = std::move(members);
}

Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

Json Json::object() {
    Json out;
    out.value_ = Object();
    return out;
}

Json Json::array(std::initializer_list<Json> entries) {
    Json out;
    out.value_ = Array(entries);
    return out;
}

Json& Json::operator[](std::string_view name) {
    if (std::holds_alternative<std::nullptr_t>(value_)) {
        value_ = Object();
    }
    auto& members = std::get<Object>(value_);
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](const auto& member) { return member.first == name; });
    return found != members.end() ? found->second
                                  : members.emplace_back(std::string(name), Json()).second;
}

void Json::push_back(Json entry) {
    if (std::holds_alternative<std::nullptr_t>(value_)) {
        value_ = Array();
    }
    std::get<Array>(value_).push_back(std::move(entry));
}

void Json::update(const Json& other) {
    for (const auto& [name, value] : std::get<Object>(other.value_)) {
        (*this)[name] = value;
    }
}

void Json::reserve(std::size_t entries) { std::get<Array>(value_).reserve(entries); }

/// Converts the value to the library's type.
struct Json::Converter {
    using Library = nlohmann::ordered_json;

    Library operator()(const Array& entries) const {
        Library out = Library::array();
        for (const Json& entry : entries) {
            out.push_back(std::visit(*this, entry.value_));
        }
        return out;
    }
    Library operator()(const Object& members) const {
        Library out = Library::object();
        for (const auto& [name, value] : members) {
            out[name] = std::visit(*this, value.value_);
        }
        return out;
    }
    template <typename T>
    Library operator()(const T& scalar) const {
        return scalar;
    }
};

std::string Json::dump(int indent) const {
    // Labels and paths may contain any bytes; JSON may not.
    return printable_json(std::visit(Converter(), value_)
                              .dump(indent, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace mercer::cli
