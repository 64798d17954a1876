// SPDX-License-Identifier: Apache-2.0
//
// tests/support/facts.cpp - the table of facts, read once, and the log of what was asserted.
#include "support/facts.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace mercer {

namespace {

using Json = nlohmann::json;
using Table = std::map<std::string, Json, std::less<>>;

std::string name_of(std::string_view id, std::string_view key) {
    return std::string(id) + " / " + std::string(key);
}

/// Every number of every file of the folder, by "id / key".
Table read_table(const std::filesystem::path& folder) {
    Table table;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".json") {
            continue;
        }
        std::ifstream file(entry.path());
        const Json content = Json::parse(file);
        for (const Json& row : content.at("rows")) {
            for (const Json& number : row.at("numbers")) {
                table.emplace(
                    name_of(row.at("id").get<std::string>(), number.at("key").get<std::string>()),
                    number);
            }
        }
    }
    return table;
}

const Json* find(const std::string& name) {
    static const Table table = [] {
        const char* given = std::getenv("MERCER_FACTS");
        return read_table(given != nullptr ? given : MERCER_FACTS_FOLDER);
    }();
    const auto found = table.find(name);
    return found == table.end() ? nullptr : &found->second;
}

void log(std::string_view id, std::string_view key, bool holds) {
    const char* path = std::getenv("MERCER_FACTS_LOG");
    if (path == nullptr) {
        return;
    }
    const testing::TestInfo* info = testing::UnitTest::GetInstance()->current_test_info();
    std::string test = "outside a test";
    if (info != nullptr) {
        test = std::string(info->test_suite_name()) + "." + info->name();
    }
    std::ofstream(path, std::ios::app)
        << Json{{"id", id}, {"key", key}, {"test", test}, {"holds", holds}}.dump() + "\n";
}

bool within(double actual, double wanted, double tolerance) {
    return std::abs(actual - wanted) <= tolerance;
}

bool holds(const Json& number, double actual) {
    if (number.contains("at_most")) {
        return actual <= number["at_most"].get<double>();
    }
    if (number.contains("at_least")) {
        return actual >= number["at_least"].get<double>();
    }
    return number.at("value").is_number() &&
           within(actual, number["value"].get<double>(), number.value("tolerance", 0.0));
}

bool holds(const Json& number, const std::vector<double>& actual) {
    if (!number.contains("value") || !number["value"].is_array() ||
        number["value"].size() != actual.size()) {
        return false;
    }
    bool all = true;
    for (std::size_t i = 0; i < actual.size(); ++i) {
        all &= within(actual[i], number["value"][i].get<double>(), number.value("tolerance", 0.0));
    }
    return all;
}

bool holds(const Json& number, bool actual) {
    return number.contains("value") && number["value"] == Json(actual);
}

bool holds(const Json& number, const std::string& actual) {
    return number.contains("value") && number["value"] == Json(actual);
}

template <typename Value>
void expect(std::string_view id, std::string_view key, const Value& actual) {
    const Json* number = find(name_of(id, key));
    const bool good = number != nullptr && holds(*number, actual);
    log(id, key, good);
    if (number == nullptr) {
        ADD_FAILURE() << "the table of facts has no " << name_of(id, key);
    } else {
        EXPECT_TRUE(good) << name_of(id, key) << ": got " << Json(actual).dump()
                          << ", the table has " << number->dump();
    }
}

}  // namespace

void expect_fact(std::string_view id, std::string_view key, double actual) {
    expect(id, key, actual);
}

void expect_fact(std::string_view id, std::string_view key, bool actual) {
    expect(id, key, actual);
}

void expect_fact(std::string_view id, std::string_view key, const std::string& actual) {
    expect(id, key, actual);
}

void expect_fact(std::string_view id, std::string_view key, const std::vector<double>& actual) {
    expect(id, key, actual);
}

}  // namespace mercer
