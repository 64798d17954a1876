// SPDX-License-Identifier: Apache-2.0
//
// src/formats/json_tree.cpp - building the tree from parser events, and writing it as text.
#include "formats/json_tree.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

namespace mercer {

namespace {

/// Builds a tree from the parser's events; the parser prescribes the function names.
class TreeBuilder {
public:
    explicit TreeBuilder(std::size_t deepest) : deepest_(deepest) {}

    bool null() { return put(nullptr); }
    bool boolean(bool value) { return put(value); }
    bool number_integer(std::int64_t value) { return put(value); }
    bool number_unsigned(std::uint64_t value) { return put(value); }
    bool number_float(double value, const std::string&) { return put(value); }
    bool string(std::string& value) { return put(std::move(value)); }
    bool binary(nlohmann::json::binary_t&) { return false; }
    bool start_object(std::size_t) { return open(JsonTree({})); }
    bool start_array(std::size_t) { return open(JsonTree::array()); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(std::string& name) {
        if (open_.back().tree.contains(name)) {
            throw BadJson(fmt::format("the key '{}' stands twice", name));
        }
        open_.back().key = std::move(name);
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
        throw BadJson(error.what());
    }

    [[nodiscard]] JsonTree release() { return std::move(whole_); }

private:
    struct Open {
        JsonTree tree;
        std::string key;  ///< of the next value
    };

    bool open(JsonTree empty) {
        if (open_.size() >= deepest_) {
            throw BadJson("nested too deep");
        }
        open_.push_back({std::move(empty), ""});
        return true;
    }
    bool close() {
        JsonTree full = std::move(open_.back().tree);
        open_.pop_back();
        return put(std::move(full));
    }
    bool put(JsonTree value) {
        if (open_.empty()) {
            whole_ = std::move(value);
        } else if (open_.back().tree.is_array()) {
            open_.back().tree.push_back(std::move(value));
        } else {
            open_.back().tree.object().emplace(std::move(open_.back().key), std::move(value));
        }
        return true;
    }

    std::size_t deepest_;
    std::vector<Open> open_;
    JsonTree whole_;
};

void write_text(const std::string& text, std::string& out) {
    if (!is_utf8(text)) {
        throw BadJson("text is not UTF-8");
    }
    out += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<int>(c));
        } else {
            out += c;
        }
    }
    out += '"';
}

void write_number(double value, std::string& out) {
    if (!std::isfinite(value)) {
        throw BadJson("JSON has no such number");
    }
    const std::string text = fmt::format("{}", value);
    out += text;
    if (text.find_first_of(".e") == std::string::npos) {
        out += ".0";  // stays a double when read back, with the sign of -0
    }
}

}  // namespace

JsonTree::JsonTree(std::initializer_list<std::pair<const char*, JsonTree>> fields)
    : value_(std::make_unique<Object>()) {
    for (const auto& [key, value] : fields) {
        object().emplace(key, value);
    }
}

JsonTree::JsonTree(const JsonTree& other) {
    std::visit(
        [this](const auto& held) {
            using Held = std::decay_t<decltype(held)>;
            if constexpr (requires { *held; }) {
                value_ = std::make_unique<typename Held::element_type>(*held);
            } else {
                value_ = held;
            }
        },
        other.value_);
}

JsonTree& JsonTree::operator=(const JsonTree& other) {
    JsonTree copy(other);
    *this = std::move(copy);
    return *this;
}

JsonTree JsonTree::array() {
    JsonTree out;
    out.value_ = std::make_unique<List>();
    return out;
}

double JsonTree::number() const {
    if (const auto* negative = std::get_if<std::int64_t>(&value_)) {
        return static_cast<double>(*negative);
    }
    if (const auto* whole = std::get_if<std::uint64_t>(&value_)) {
        return static_cast<double>(*whole);
    }
    return std::get<double>(value_);
}

bool operator==(const JsonTree& a, const JsonTree& b) {
    if (a.value_.index() != b.value_.index()) {
        return false;
    }
    return std::visit(
        [&b](const auto& held) {
            const auto& other = std::get<std::decay_t<decltype(held)>>(b.value_);
            if constexpr (requires { *held; }) {
                return *held == *other;
            } else {
                return held == other;
            }
        },
        a.value_);
}

void JsonTree::write(std::string& out) const {
    if (is_null()) {
        out += "null";
    } else if (is_boolean()) {
        out += boolean() ? "true" : "false";
    } else if (holds<double>()) {
        write_number(number(), out);
    } else if (const auto* negative = std::get_if<std::int64_t>(&value_)) {
        fmt::format_to(std::back_inserter(out), "{}", *negative);
    } else if (is_number_unsigned()) {
        fmt::format_to(std::back_inserter(out), "{}", whole());
    } else if (is_string()) {
        write_text(text(), out);
    } else {
        const bool named = is_object();
        out += named ? '{' : '[';
        const char* between = "";
        const auto each = [&](const JsonTree& value, const std::string* key) {
            out += between;
            between = ",";
            if (key != nullptr) {
                write_text(*key, out);
                out += ':';
            }
            value.write(out);
        };
        if (named) {
            for (const auto& [key, value] : object()) {
                each(value, &key);
            }
        } else {
            for (const JsonTree& value : list()) {
                each(value, nullptr);
            }
        }
        out += named ? '}' : ']';
    }
}

std::string JsonTree::dump() const {
    std::string out;
    write(out);
    return out;
}

JsonTree parse_json(std::string_view text, std::size_t deepest) {
    TreeBuilder builder(deepest);
    if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
        throw BadJson("not read to its end");
    }
    return builder.release();
}

bool is_utf8(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    for (std::size_t i = 0; i < text.size();) {
        const unsigned first = byte(i);
        std::size_t more = 0;
        unsigned lowest = 0x80;  // smallest second byte: excludes overlong forms, surrogates, >
                                 // U+10FFFF
        unsigned highest = 0xbf;
        if (first < 0x80) {
            more = 0;
        } else if (first >= 0xc2 && first <= 0xdf) {
            more = 1;
        } else if (first >= 0xe0 && first <= 0xef) {
            more = 2;
            lowest = first == 0xe0 ? 0xa0 : lowest;
            highest = first == 0xed ? 0x9f : highest;
        } else if (first >= 0xf0 && first <= 0xf4) {
            more = 3;
            lowest = first == 0xf0 ? 0x90 : lowest;
            highest = first == 0xf4 ? 0x8f : highest;
        } else {
            return false;
        }
        for (std::size_t k = 1; k <= more; ++k) {
            if (byte(i + k) < lowest || byte(i + k) > highest) {
                return false;
            }
            lowest = 0x80;
            highest = 0xbf;
        }
        i += more + 1;
    }
    return true;
}

}  // namespace mercer
