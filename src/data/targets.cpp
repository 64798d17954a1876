// SPDX-License-Identifier: Apache-2.0
//
// src/data/targets.cpp - text labels become class indices.
#include "data/targets.hpp"

#include <algorithm>

#include "mercer/data/labels.hpp"

namespace mercer::data {

namespace {

// A string, its place in the map and in the sorted names, roughly.
constexpr index_t kLabelOverhead = 160;

}  // namespace

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
    numbers_.push_back(kNaN);  // its class is not known before all labels are
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

    std::vector<std::pair<std::string_view, index_t>> sorted(labels_.begin(), labels_.end());
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> class_of(sorted.size());
    for (const double value : values) {
        data.label_names.push_back(label_text(value));
    }
    for (const auto& [text, label] : sorted) {
        class_of[static_cast<std::size_t>(label)] = static_cast<double>(data.label_names.size());
        data.label_names.emplace_back(text);
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
