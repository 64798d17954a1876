// SPDX-License-Identifier: Apache-2.0
//
// src/search/path_pieces.cpp - settings, rows and targets of any path as bytes, and back.
#include "search/path_pieces.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "mercer/data/entries.hpp"
#include "mercer/data/fingerprint.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/solvers/goal.hpp"

namespace mercer::search {

namespace {

enum SharedPiece : std::size_t { kSettings, kRows, kTargets };

std::string settings_bytes(const PathOptions& options, const std::vector<std::string>& labels) {
    const TrainOptions& machine = options.machine;
    StateWriter state;
    for (const std::string& text : {machine.model, to_string(machine.kernel), options.over,
                                    options.weight_class, machine.scale.method}) {
        put_text(state, text);
    }
    for (const std::optional<double>& number :
         {std::optional(options.from), std::optional(options.to), machine.objective.cost,
          machine.objective.lambda, machine.objective.epsilon, std::optional(machine.scale.lower),
          std::optional(machine.scale.upper), machine.run.gap_tolerance, machine.run.tolerance}) {
        state.number(number.value_or(kNaN));
    }
    state.number(static_cast<index_t>(machine.objective.intercept));
    state.number(static_cast<index_t>(machine.allow_indefinite));
    state.number(static_cast<index_t>(machine.objective.class_weights.size()));
    for (const auto& [label, weight] : machine.objective.class_weights) {
        put_text(state, label);
        state.number(weight);
    }
    state.number(static_cast<index_t>(labels.size()));
    for (const std::string& label : labels) {
        put_text(state, label);
    }
    return state.take();
}

Kernel kernel_of(const std::string& text) {
    Result<Kernel> kernel = parse_kernel(text);
    StateReader::require(kernel.ok());
    return std::move(kernel).value();
}

PathOptions take_settings(StateReader& state, std::vector<std::string>& labels) {
    constexpr index_t kMost = index_t{1} << 20;
    PathOptions options;
    TrainOptions& machine = options.machine;
    machine.model = take_text(state);
    machine.kernel = kernel_of(take_text(state));
    options.over = take_text(state);
    options.weight_class = take_text(state);
    machine.scale.method = take_text(state);
    options.from = state.number<double>();
    options.to = state.number<double>();
    for (std::optional<double>* number :
         {&machine.objective.cost, &machine.objective.lambda, &machine.objective.epsilon}) {
        *number = given(state.number<double>());
    }
    machine.scale.lower = state.number<double>();
    machine.scale.upper = state.number<double>();
    machine.run.gap_tolerance = given(state.number<double>());
    machine.run.tolerance = given(state.number<double>());
    machine.objective.intercept = state.integer(0, 1) == 1;
    machine.allow_indefinite = state.integer(0, 1) == 1;
    for (index_t left = state.integer(0, kMost); left > 0; --left) {
        const std::string label = take_text(state);
        machine.objective.class_weights[label] = state.number<double>();
    }
    for (index_t left = state.integer(0, kMost); left > 0; --left) {
        labels.push_back(take_text(state));
    }
    StateReader::require(state.at_end());
    return options;
}

std::string rows_bytes(const Dataset& data) {
    StateWriter state;
    state.number(static_cast<index_t>(data.is_sparse()));
    state.number(data.rows());
    state.number(data.columns());
    std::vector<double> values;
    std::vector<index_t> columns;
    std::vector<index_t> offsets{0};
    for (index_t i = 0; i < data.rows(); ++i) {
        offsets.push_back(0);
    }
    data::for_each_entry(data, [&](index_t row, index_t column, double value) {
        values.push_back(value);
        if (data.is_sparse()) {
            columns.push_back(column);
        }
        offsets[static_cast<std::size_t>(row) + 1] = static_cast<index_t>(values.size());
    });
    for (std::size_t i = 1; i < offsets.size(); ++i) {
        offsets[i] = std::max(offsets[i], offsets[i - 1]);
    }
    if (data.is_sparse()) {
        state.array(offsets);
        state.array(columns);
    }
    state.array(values);
    return state.take();
}

/// The memory of rows read from a file.
struct OwnedRows {
    std::vector<double> values;
    std::vector<index_t> columns;
    std::vector<index_t> offsets;
};

Dataset take_rows(StateReader& state) {
    const bool sparse = state.integer(0, 1) == 1;
    const index_t rows = state.integer(0, index_t{1} << 40);
    const index_t columns = state.integer(0, index_t{1} << 62);
    auto owned = std::make_shared<OwnedRows>();
    RowStorage storage;
    if (sparse) {
        owned->offsets = state.array<index_t>(rows + 1);
        owned->columns = state.array<index_t>();
        owned->values = state.array<double>(static_cast<index_t>(owned->columns.size()));
        CsrView view;
        view.column_count = columns;
        view.offsets = owned->offsets;
        view.indices = owned->columns;
        view.values = owned->values;
        storage = view;
    } else {
        owned->values = state.array<double>();
        StateReader::require(
            columns == 0 ? owned->values.empty()
                         : static_cast<index_t>(owned->values.size()) % columns == 0 &&
                               static_cast<index_t>(owned->values.size()) / columns == rows);
        storage = MatrixView<const double>(owned->values.data(), rows, columns);
    }
    StateReader::require(state.at_end());
    return Dataset(storage, owned);
}

std::string targets_bytes(const Dataset& data) {
    StateWriter state;
    state.array(data.targets);
    state.array(data.weights);
    return state.take();
}

void take_targets(StateReader& state, Dataset& data) {
    data.targets = state.array<double>(data.rows());
    data.weights = state.array<double>();
    StateReader::require(
        state.at_end() &&
        (data.weights.empty() || static_cast<index_t>(data.weights.size()) == data.rows()));
}

}  // namespace

void put_text(StateWriter& state, const std::string& text) {
    state.array(std::span<const char>(text.data(), text.size()));
}

std::string take_text(StateReader& state) {
    const std::vector<char> text = state.array<char>();
    return {text.begin(), text.end()};
}

SolveStatus take_status(StateReader& state) {
    return static_cast<SolveStatus>(state.integer(0, static_cast<index_t>(SolveStatus::reduced)));
}

PathFile begin_path_file(const PathOptions& options, const Dataset& data) {
    PathFile file;
    file.data = fingerprint_of(data);
    file.pieces.resize(kSharedPieces);
    file.pieces[kSettings] = settings_bytes(options, data.label_names);
    file.pieces[kRows] = rows_bytes(data);
    file.pieces[kTargets] = targets_bytes(data);
    return file;
}

Dataset take_data(const PathFile& file, PathOptions& options) {
    StateReader::require(file.pieces.size() >= kSharedPieces);
    std::vector<std::string> labels;
    StateReader settings(file.pieces[kSettings]);
    options = take_settings(settings, labels);
    StateReader rows(file.pieces[kRows]);
    Dataset data = take_rows(rows);
    data.label_names = std::move(labels);
    StateReader targets(file.pieces[kTargets]);
    take_targets(targets, data);
    const TrainingFingerprint print = fingerprint_of(data);
    StateReader::require(print.hash == file.data.hash && print.rows == file.data.rows);
    return data;
}

index_t positive_weight_rows(const Dataset& data) {
    return data.weights.empty()
               ? data.rows()
               : static_cast<index_t>(std::count_if(data.weights.begin(), data.weights.end(),
                                                    [](double weight) { return weight > 0.0; }));
}

}  // namespace mercer::search
