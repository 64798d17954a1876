// SPDX-License-Identifier: Apache-2.0
//
// src/data/targets.hpp - a target column while it is being read: numbers, or text labels, or both.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "data/growing_array.hpp"
#include "mercer/data/dataset.hpp"

namespace mercer::data {

/// True for an integer beyond 2^53: doubles cannot tell it from its neighbours.
[[nodiscard]] bool is_beyond_doubles(std::string_view text);

/// The message about such a label, after its text.
inline constexpr const char* kBeyondDoubles =
    "is an integer beyond 2^53, which double precision cannot tell from its neighbours; read "
    "quantities with the task regression";

/// `true` or `false` when the text is that word in any case; empty otherwise.
[[nodiscard]] std::string truth_word(std::string_view text);

/// Collects one target per row. As long as all are numbers they stay numbers; one text label makes
/// all of them classes. `true`, `True` and `TRUE` are one label, and so are the spellings of false.
class TargetColumn {
public:
    explicit TargetColumn(const std::shared_ptr<MemoryBudget>& budget)
        : numbers_(budget, "targets"), texts_(budget, "text labels"), charge_(budget) {}

    void add_number(double value) { numbers_.push_back(value); }
    void add_text(std::string_view label);

    /// Moves targets and label names into `data`; their memory stays charged to `charge`.
    void finish(Dataset& data, Charge& charge) const;

private:
    struct TextTarget {
        index_t row;
        index_t label;
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>{}(text);
        }
    };

    GrowingArray<double> numbers_;
    GrowingArray<TextTarget> texts_;
    std::unordered_map<std::string, index_t, Hash, std::equal_to<>> labels_;
    Charge charge_;
};

}  // namespace mercer::data
