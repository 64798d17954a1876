// SPDX-License-Identifier: Apache-2.0
//
// src/data/targets.cpp - text labels become class indices.
#include "data/targets.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "mercer/data/labels.hpp"

namespace mercer::data {

namespace {

// Roughly a string with its entries in the map and in the sorted names.
constexpr index_t kLabelOverhead = 160;

/// The final name of each label. If `true` or `false` occurs in two spellings, both words are
/// written in lower case; otherwise their spelling stays.
std::vector<std::pair<std::string, index_t>> class_names(
    std::vector<std::pair<std::string, index_t>> labels) {
    std::size_t spellings = 0;
    std::set<std::string> truths;
    for (const auto& [text, label] : labels) {
        const std::string truth = truth_word(text);
        spellings += truth.empty() ? 0 : 1;
        truths.insert(truth);
    }
    truths.erase("");
    if (spellings > truths.size()) {
        for (auto& [text, label] : labels) {
            const std::string truth = truth_word(text);
            text = truth.empty() ? text : truth;
        }
    }
    std::sort(labels.begin(), labels.end());
    return labels;
}

}  // namespace

std::string truth_word(std::string_view text) {
    for (const std::string_view word : {"true", "false"}) {
        if (text.size() == word.size() &&
            std::equal(text.begin(), text.end(), word.begin(), [](char c, char small) {
                return c == small || (c >= 'A' && c <= 'Z' && c - 'A' + 'a' == small);
            })) {
            return std::string(word);
        }
    }
    return "";
}

bool is_beyond_doubles(std::string_view text) {
    constexpr std::string_view kLargest = "9007199254740992";
    const std::size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    const std::string_view digits = text.substr(sign);
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
        return false;
    }
    const std::string_view number =
        digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
    return number.size() > kLargest.size() ||
           (number.size() == kLargest.size() && number > kLargest);
}

void TargetColumn::add_text(std::string_view label) {
    auto found = labels_.find(label);
    if (found == labels_.end()) {
        charge_.add(kLabelOverhead + 2 * static_cast<index_t>(label.size()), "text labels");
        found = labels_.emplace(label, static_cast<index_t>(labels_.size())).first;
    }
    texts_.push_back({numbers_.size(), found->second});
    numbers_.push_back(kNaN);  // its class is known only after all labels are
}

void TargetColumn::finish(Dataset& data, Charge& charge) const {
    charge.add(numbers_.size() * static_cast<index_t>(sizeof(double)), "targets");
    data.targets.assign(numbers_.span().begin(), numbers_.span().end());
    if (labels_.empty()) {
        return;
    }
    std::vector<double> values;
    std::copy_if(data.targets.begin(), data.targets.end(), std::back_inserter(values),
                 [](double value) { return value == value; });
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());

    const std::vector<std::pair<std::string, index_t>> sorted =
        class_names({labels_.begin(), labels_.end()});
    std::vector<double> class_of(sorted.size());
    for (const double value : values) {
        data.label_names.push_back(label_text(value));
    }
    const std::size_t numbers = data.label_names.size();
    for (const auto& [text, label] : sorted) {
        const bool again = data.label_names.size() > numbers && data.label_names.back() == text;
        if (!again) {
            data.label_names.push_back(text);
        }
        class_of[static_cast<std::size_t>(label)] =
            static_cast<double>(data.label_names.size() - 1);
        charge.add(kLabelOverhead / 2 + static_cast<index_t>(text.size()), "text labels");
    }
    index_t next = 0;
    for (std::size_t row = 0; row < data.targets.size(); ++row) {
        if (next < texts_.size() && texts_[next].row == static_cast<index_t>(row)) {
            data.targets[row] = class_of[static_cast<std::size_t>(texts_[next++].label)];
        } else {
            const auto place = std::lower_bound(values.begin(), values.end(), data.targets[row]);
            data.targets[row] = static_cast<double>(place - values.begin());
        }
    }
}

}  // namespace mercer::data
