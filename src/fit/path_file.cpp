// SPDX-License-Identifier: Apache-2.0
//
// src/fit/path_file.cpp - a path to bytes and back: settings, rows, events.
//
// The events are all there is to store of the solutions: where a row is free, and where at a bound,
// is known at every value, and the coefficients are one linear system away.
#include "mercer/models/path_file.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "fit/path_pieces.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/entries.hpp"
#include "mercer/fit/path.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/model_file.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/state_keeper.hpp"

namespace mercer {

namespace {

enum Piece : std::size_t { kSettings, kRows, kTargets, kEvents, kKnots, kScore, kPieces };

void put_text(StateWriter& state, const std::string& text) {
    state.array(std::span<const char>(text.data(), text.size()));
}

std::string take_text(StateReader& state) {
    const std::vector<char> text = state.array<char>();
    return {text.begin(), text.end()};
}

}  // namespace

std::string fit::settings_bytes(const PathOptions& options,
                                const std::vector<std::string>& labels) {
    const TrainOptions& machine = options.machine;
    StateWriter state;
    for (const std::string& text : {machine.model, to_string(machine.kernel), options.over,
                                    options.weight_class, machine.scale.method}) {
        put_text(state, text);
    }
    for (const double number :
         {options.from, options.to, machine.cost, machine.lambda, machine.epsilon,
          machine.scale.lower, machine.scale.upper, machine.gap_tolerance, machine.tolerance}) {
        state.number(number);
    }
    state.number(static_cast<index_t>(machine.intercept));
    state.number(static_cast<index_t>(machine.allow_indefinite));
    state.number(static_cast<index_t>(machine.class_weights.size()));
    for (const auto& [label, weight] : machine.class_weights) {
        put_text(state, label);
        state.number(weight);
    }
    state.number(static_cast<index_t>(labels.size()));
    for (const std::string& label : labels) {
        put_text(state, label);
    }
    return state.take();
}

namespace {

Kernel kernel_of(const std::string& text) {
    Result<Kernel> kernel = parse_kernel(text);
    StateReader::require(kernel.ok());
    return std::move(kernel).value();
}

}  // namespace

PathOptions fit::take_settings(StateReader& state, std::vector<std::string>& labels) {
    constexpr index_t kMost = index_t{1} << 20;
    PathOptions options;
    TrainOptions& machine = options.machine;
    machine.model = take_text(state);
    machine.kernel = kernel_of(take_text(state));
    options.over = take_text(state);
    options.weight_class = take_text(state);
    machine.scale.method = take_text(state);
    for (double* number :
         {&options.from, &options.to, &machine.cost, &machine.lambda, &machine.epsilon,
          &machine.scale.lower, &machine.scale.upper, &machine.gap_tolerance, &machine.tolerance}) {
        *number = state.number<double>();
    }
    machine.intercept = state.integer(0, 1) == 1;
    machine.allow_indefinite = state.integer(0, 1) == 1;
    for (index_t left = state.integer(0, kMost); left > 0; --left) {
        const std::string label = take_text(state);
        machine.class_weights[label] = state.number<double>();
    }
    for (index_t left = state.integer(0, kMost); left > 0; --left) {
        labels.push_back(take_text(state));
    }
    StateReader::require(state.at_end());
    return options;
}

std::string fit::rows_bytes(const Dataset& data) {
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

namespace {

/// Memory of rows that were read.
struct OwnedRows {
    std::vector<double> values;
    std::vector<index_t> columns;
    std::vector<index_t> offsets;
};

}  // namespace

Dataset fit::take_rows(StateReader& state) {
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

namespace {

std::string events_bytes(const SolutionPath& path) {
    StateWriter state;
    std::vector<std::int8_t> start;
    for (const Position position : path.start) {
        start.push_back(static_cast<std::int8_t>(position));
    }
    state.array(start);
    state.number(static_cast<index_t>(path.changes.size()));
    for (const PositionChange& change : path.changes) {
        state.number(change.t);
        state.number(change.row);
        state.number(static_cast<std::int8_t>(change.from));
        state.number(static_cast<std::int8_t>(change.to));
    }
    return state.take();
}

Position position_of(std::int8_t number) {
    StateReader::require(number >= -2 && number <= 2);
    return static_cast<Position>(number);
}

void take_events(StateReader& state, index_t rows, SolutionPath& path) {
    for (const std::int8_t number : state.array<std::int8_t>(rows)) {
        path.start.push_back(position_of(number));
    }
    for (index_t left = state.integer(0, index_t{1} << 40); left > 0; --left) {
        PositionChange change;
        change.t = state.number<double>();
        change.row = state.integer(0, rows - 1);
        change.from = position_of(state.number<std::int8_t>());
        change.to = position_of(state.number<std::int8_t>());
        path.changes.push_back(change);
    }
    StateReader::require(state.at_end());
}

std::string knots_bytes(const SolutionPath& path) {
    StateWriter state;
    state.number(path.from);
    state.number(path.to);
    state.number(path.restarts);
    state.number(path.exchanges);
    state.number(path.max_violation);
    state.number(static_cast<index_t>(path.status));
    state.number(static_cast<index_t>(path.complete));
    state.number(static_cast<index_t>(path.closed));
    state.number(static_cast<index_t>(path.knots.size()));
    for (const PathKnot& knot : path.knots) {
        for (const double number :
             {knot.t, knot.dual, knot.squared_norm, knot.multipliers[0], knot.multipliers[1]}) {
            state.number(number);
        }
        for (const index_t number : {knot.free, knot.support, knot.first_change}) {
            state.number(number);
        }
    }
    return state.take();
}

void take_knots(StateReader& state, SolutionPath& path) {
    const auto changes = static_cast<index_t>(path.changes.size());
    const auto rows = static_cast<index_t>(path.start.size());
    path.from = state.number<double>();
    path.to = state.number<double>();
    path.restarts = state.integer(0, index_t{1} << 40);
    path.exchanges = state.integer(0, index_t{1} << 40);
    path.max_violation = state.number<double>();
    path.status =
        static_cast<SolveStatus>(state.integer(0, static_cast<index_t>(SolveStatus::reduced)));
    path.complete = state.integer(0, 1) == 1;
    path.closed = state.integer(0, 1) == 1;
    for (index_t left = state.integer(0, index_t{1} << 40); left > 0; --left) {
        PathKnot knot;
        for (double* number : {&knot.t, &knot.dual, &knot.squared_norm, &knot.multipliers[0],
                               &knot.multipliers[1]}) {
            *number = state.number<double>();
        }
        knot.free = state.integer(0, rows);
        knot.support = state.integer(0, rows);
        knot.first_change = state.integer(0, changes);
        path.knots.push_back(knot);
    }
    StateReader::require(state.at_end());
}

std::string score_bytes(const PathScore& score) {
    StateWriter state;
    put_text(state, score.measure);
    for (const double number :
         {score.best_value, score.best_score, score.best_from, score.best_to}) {
        state.number(number);
    }
    state.number(static_cast<index_t>(score.points.size()));
    for (const PathScore::Point& point : score.points) {
        state.number(point.value);
        state.number(point.score);
    }
    return state.take();
}

PathScore take_score(StateReader& state) {
    PathScore score;
    score.measure = take_text(state);
    for (double* number :
         {&score.best_value, &score.best_score, &score.best_from, &score.best_to}) {
        *number = state.number<double>();
    }
    for (index_t left = state.integer(0, index_t{1} << 40); left > 0; --left) {
        const auto value = state.number<double>();
        score.points.push_back({value, state.number<double>()});
    }
    StateReader::require(state.at_end());
    return score;
}

Path assemble(const PathFile& file) {
    StateReader::require(file.pieces.size() == kPieces);
    std::vector<std::string> labels;
    StateReader settings(file.pieces[kSettings]);
    PathOptions options = fit::take_settings(settings, labels);
    StateReader rows(file.pieces[kRows]);
    Dataset data = fit::take_rows(rows);
    data.label_names = std::move(labels);
    StateReader targets(file.pieces[kTargets]);
    data.targets = targets.array<double>(data.rows());
    data.weights = targets.array<double>();
    StateReader::require(data.weights.empty() ||
                         static_cast<index_t>(data.weights.size()) == data.rows());
    StateReader::require(targets.at_end());
    SolutionPath solution;
    StateReader events(file.pieces[kEvents]);
    take_events(events,
                static_cast<index_t>(std::count_if(data.weights.begin(), data.weights.end(),
                                                   [](double weight) { return weight > 0.0; })) +
                    (data.weights.empty() ? data.rows() : 0),
                solution);
    StateReader knots(file.pieces[kKnots]);
    take_knots(knots, solution);
    const TrainingFingerprint print = fingerprint_of(data);
    StateReader::require(print.hash == file.data.hash && print.rows == file.data.rows);
    Path path(std::move(data), std::move(options), std::move(solution));
    if (!file.pieces[kScore].empty()) {
        StateReader score(file.pieces[kScore]);
        path.score = take_score(score);
    }
    return path;
}

}  // namespace

void save_path(const Path& path, const std::string& file_name, Files& files) {
    const PathOptions& options = path.options();
    PathFile file;
    file.data = fingerprint_of(path.data());
    file.options =
        fmt::format("{} over {} from {} to {}, {}\n", options.machine.model, options.over,
                    options.from, options.to, to_string(options.machine.kernel));
    file.pieces.resize(kPieces);
    file.pieces[kSettings] = fit::settings_bytes(options, path.data().label_names);
    file.pieces[kRows] = fit::rows_bytes(path.data());
    StateWriter targets;
    targets.array(path.data().targets);
    targets.array(path.data().weights);
    file.pieces[kTargets] = targets.take();
    file.pieces[kEvents] = events_bytes(path.solution());
    file.pieces[kKnots] = knots_bytes(path.solution());
    if (path.score) {
        file.pieces[kScore] = score_bytes(*path.score);
    }
    save_path_file(file, file_name, files);
}

Result<Path> load_path(const std::string& file_name, Context& context, Files& files) {
    const Result<PathFile> file = load_path_file(file_name, context, files);
    if (!file.ok()) {
        return file.diagnostic();
    }
    try {
        return assemble(file.value());
    } catch (const Error& fault) {
        return Diagnostic{fmt::format("not a path this program can read: {}", fault.what()),
                          file_name, 0, 0};
    }
}

}  // namespace mercer
