// SPDX-License-Identifier: Apache-2.0
//
// cli/qp_file.cpp - converts JSON to numbers; errors state the position.
#include "qp_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "data_access.hpp"
#include "mercer/base/result.hpp"
#include "stoppable_files.hpp"
#include "text_file.hpp"

namespace mercer::cli {

namespace {

using Document = nlohmann::ordered_json;

const std::vector<std::string> kKeys{"K",  "c",           "A",          "d", "E",
                                     "e",  "lower",       "upper",      "x", "alpha",
                                     "nu", "alpha_lower", "alpha_upper"};

constexpr double kSymmetryTolerance = 0.9e-12;  // below the library's 1e-12, times the largest

/// Line and column of a byte, both from 1.
Diagnostic at_byte(const std::string& path, const std::string& text, std::size_t byte,
                   std::string message) {
    const std::size_t end = std::min(byte, text.size());
    const auto begin = text.begin();
    const auto stop = begin + static_cast<std::ptrdiff_t>(end);
    const auto lines = std::count(begin, stop, '\n');
    const std::size_t last = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
    const std::size_t column = last == std::string::npos ? end : end - last - 1;
    return {std::move(message), path, static_cast<index_t>(lines) + 1,
            std::max<index_t>(1, static_cast<index_t>(column))};
}

/// The parser's message without its own prefix and position.
std::string plain_message(const std::string& what) {
    const std::size_t close = what.find("] ");
    std::string text = close == std::string::npos ? what : what.substr(close + 2);
    const std::size_t column = text.find("column ");
    const std::size_t colon = column == std::string::npos ? column : text.find(": ", column);
    return colon == std::string::npos ? text : text.substr(colon + 2);
}

class Reader {
public:
    Reader(Session& session, std::string path) : session_(session), path_(std::move(path)) {}

    [[nodiscard]] QuadraticFile read() {
        parse();
        QuadraticFile out;
        QuadraticProgram& program = out.program;
        size_ = variables();
        if (has("K")) {
            program.quadratic = matrix("K", size_);
        }
        program.linear = has("c") ? numbers("c", size_) : zeros();
        constraints("A", "d", program.rows, program.offsets);
        constraints("E", "e", program.equations, program.values);
        program.lower = bounds("lower", -kInfinity);
        program.upper = bounds("upper", kInfinity);
        point(out);
        require_symmetric(program.quadratic);
        require_well_formed(program);
        return out;
    }

private:
    [[noreturn]] void refuse(const std::string& place, const std::string& message) const {
        throw DataError(fmt::format("{}: {}: {}", path_, place, message));
    }

    void parse() {
        StoppableFiles files(session_.context());
        const std::string text = read_text_file(path_, files);
        std::set<std::string> seen;
        std::string twice;
        const Document::parser_callback_t look = [&](int depth, Document::parse_event_t event,
                                                     Document& key) {
            if (event == Document::parse_event_t::key && depth == 1 &&
                !seen.insert(key.get<std::string>()).second) {
                twice = key.get<std::string>();
            }
            return true;
        };
        try {
            json_ = Document::parse(text, look);
        } catch (const Document::parse_error& error) {
            throw DataError(at_byte(path_, text, error.byte, plain_message(error.what())).text());
        } catch (const Document::exception& error) {
            throw DataError(fmt::format("{}: {}", path_, plain_message(error.what())));
        }
        if (!json_.is_object()) {
            throw DataError(fmt::format("{}:1:1: must be an object with the keys {}", path_,
                                        fmt::join(kKeys, ", ")));
        }
        if (!twice.empty()) {
            refuse(twice, "stands twice");
        }
        for (const auto& item : json_.items()) {
            if (std::find(kKeys.begin(), kKeys.end(), item.key()) == kKeys.end()) {
                refuse(item.key(),
                       fmt::format("no such key; the keys are {}", fmt::join(kKeys, ", ")));
            }
        }
    }

    /// The same check as in the library, but with the names of the file.
    void require_symmetric(const std::vector<double>& k) const {
        const auto n = static_cast<std::size_t>(size_);
        double largest = 0.0;
        for (const double entry : k) {
            largest = std::max(largest, std::abs(entry));
        }
        for (std::size_t i = 0; !k.empty() && i < n; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (std::abs(k[i * n + j] - k[j * n + i]) > kSymmetryTolerance * largest) {
                    refuse(fmt::format("K[{}][{}]", i, j),
                           fmt::format("got {}, must be equal to K[{}][{}], which is {}",
                                       k[i * n + j], j, i, k[j * n + i]));
                }
            }
        }
    }

    [[nodiscard]] bool has(const char* key) const { return json_.contains(key); }
    [[nodiscard]] std::vector<double> zeros() const {
        return std::vector<double>(static_cast<std::size_t>(size_), 0.0);
    }

    /// Given by c, or else by K.
    [[nodiscard]] index_t variables() const {
        for (const char* key : {"c", "K"}) {
            if (has(key) && json_[key].is_array()) {
                if (json_[key].empty()) {
                    refuse(key, "is empty, must have an entry for each variable");
                }
                return static_cast<index_t>(json_[key].size());
            }
        }
        if (has("K") && json_["K"].is_string()) {
            return read_rows("K").rows();
        }
        throw DataError(
            fmt::format("{}: needs c or K, or both: the objective 1/2 x'Kx + c'x", path_));
    }

    [[nodiscard]] double number(const Document& value, const std::string& place) const {
        if (!value.is_number()) {
            refuse(place, fmt::format("got {}, must be a number", value.dump()));
        }
        return value.get<double>();
    }

    [[nodiscard]] std::vector<double> list(const Document& value, const std::string& place,
                                           index_t count) const {
        if (!value.is_array()) {
            refuse(place, "must be a list of numbers");
        }
        if (static_cast<index_t>(value.size()) != count) {
            refuse(place, fmt::format("has {} entries, must have {}", value.size(), count));
        }
        std::vector<double> out;
        for (const Document& entry : value) {
            out.push_back(number(entry, fmt::format("{}[{}]", place, out.size())));
        }
        return out;
    }

    [[nodiscard]] std::vector<double> numbers(const char* key, index_t count) const {
        return list(json_[key], key, count);
    }

    [[nodiscard]] Dataset read_rows(const char* key) const {
        ReadOptions options;
        options.target = "none";
        return read_data(session_, json_[key].get<std::string>(), options);
    }

    /// A matrix of `size_` columns: a list of rows, or the name of a file with them. `count` < 0:
    /// any number of rows.
    [[nodiscard]] std::vector<double> matrix(const char* key, index_t count) const {
        const Document& value = json_[key];
        std::vector<double> out;
        index_t rows = 0;
        if (value.is_string()) {
            const Dataset data = read_rows(key);
            rows = data.rows();
            if (data.columns() != size_) {
                refuse(key, fmt::format("{} has {} columns, must have {}", value.get<std::string>(),
                                        data.columns(), size_));
            }
            out.resize(static_cast<std::size_t>(rows * size_));
            for (index_t i = 0; i < rows; ++i) {
                data.copy_row(i, std::span(out).subspan(static_cast<std::size_t>(i * size_),
                                                        static_cast<std::size_t>(size_)));
            }
        } else if (value.is_array()) {
            rows = static_cast<index_t>(value.size());
            for (const Document& row : value) {
                const std::string place =
                    fmt::format("{}[{}]", key, static_cast<index_t>(out.size()) / size_);
                const std::vector<double> entries = list(row, place, size_);
                out.insert(out.end(), entries.begin(), entries.end());
            }
        } else {
            refuse(key, "must be a list of rows, or the name of a file that holds them");
        }
        if (count >= 0 && rows != count) {
            refuse(key, fmt::format("has {} rows, must have {}", rows, count));
        }
        return out;
    }

    void constraints(const char* rows, const char* constants, std::vector<double>& matrix_out,
                     std::vector<double>& constants_out) const {
        if (!has(rows) && !has(constants)) {
            return;
        }
        if (!has(rows) || !has(constants)) {
            refuse(has(rows) ? rows : constants,
                   fmt::format("needs {} beside it", has(rows) ? constants : rows));
        }
        matrix_out = matrix(rows, -1);
        constants_out = numbers(constants, static_cast<index_t>(matrix_out.size()) / size_);
    }

    /// Numbers, with null if there is no bound.
    [[nodiscard]] std::vector<double> bounds(const char* key, double none) const {
        if (!has(key)) {
            return {};
        }
        Document filled = json_[key];
        std::vector<bool> open;
        if (filled.is_array()) {
            for (Document& entry : filled) {
                open.push_back(entry.is_null());
                entry = entry.is_null() ? Document(0.0) : entry;
            }
        }
        std::vector<double> out = list(filled, key, size_);
        for (std::size_t j = 0; j < out.size(); ++j) {
            out[j] = open[j] ? none : out[j];
        }
        return out;
    }

    void point(QuadraticFile& out) const {
        const QuadraticProgram& program = out.program;
        const auto part = [&](const char* key, index_t count) {
            if (has(key) && !has("x")) {
                refuse(key, "needs x beside it");
            }
            return has(key) ? numbers(key, count)
                            : std::vector<double>(static_cast<std::size_t>(count), 0.0);
        };
        out.multipliers = {part("alpha", program.inequalities()), part("nu", program.equalities()),
                           part("alpha_lower", size_), part("alpha_upper", size_)};
        if (has("x")) {
            out.x = numbers("x", size_);
        }
    }

    Session& session_;
    std::string path_;
    Document json_;
    index_t size_ = 0;
};

}  // namespace

QuadraticFile read_quadratic_file(Session& session, const std::string& path) {
    return Reader(session, path).read();
}

}  // namespace mercer::cli
