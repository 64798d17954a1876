// SPDX-License-Identifier: Apache-2.0
//
// cli/json.cpp - the tree, and its text. Numbers and texts are written by the JSON library.
#include "json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace mercer::cli {

namespace {

template <typename T>
std::string scalar_text(const T& value) {
    // Labels and paths may hold any bytes; JSON may not.
    return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// What stands between the entries of a list at `depth`; nothing on a single line.
void break_line(std::string& out, int indent, int depth) {
    if (indent >= 0) {
        out += '\n';
        out.append(static_cast<std::size_t>(indent) * static_cast<std::size_t>(depth), ' ');
    }
}

}  // namespace

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

std::string Json::dump(int indent) const {
    std::string out;
    write(out, indent, 0);
    return out;
}

void Json::write(std::string& out, int indent, int depth) const {
    const auto write_list = [&](char open, char close, const auto& list, const auto& write_entry) {
        out += open;
        for (std::size_t i = 0; i < list.size(); ++i) {
            out += i > 0 ? "," : "";
            break_line(out, indent, depth + 1);
            write_entry(list[i]);
        }
        if (!list.empty()) {
            break_line(out, indent, depth);
        }
        out += close;
    };
    if (const Array* entries = std::get_if<Array>(&value_)) {
        write_list('[', ']', *entries,
                   [&](const Json& entry) { entry.write(out, indent, depth + 1); });
    } else if (const Object* members = std::get_if<Object>(&value_)) {
        write_list('{', '}', *members, [&](const auto& member) {
            out += scalar_text(member.first) + (indent >= 0 ? ": " : ":");
            member.second.write(out, indent, depth + 1);
        });
    } else {
        std::visit(
            [&](const auto& value) {
                using T = std::decay_t<decltype(value)>;
                if constexpr (!std::is_same_v<T, Array> && !std::is_same_v<T, Object>) {
                    out += scalar_text(value);
                }
            },
            value_);
    }
}

}  // namespace mercer::cli
