// SPDX-License-Identifier: Apache-2.0
//
// src/search/path_file.cpp - conversion of a path to bytes and back: settings, rows, events.
//
// Of the solutions only the events are stored: they determine at every value which rows are free
// and which are at a bound, and the coefficients then follow from a linear system.
#include "mercer/formats/path_file.hpp"

#include <fmt/core.h>

#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/state_keeper.hpp"
#include "mercer/search/path.hpp"
#include "search/path_pieces.hpp"

namespace mercer {

namespace {

enum PathPiece : std::size_t { kEvents = search::kSharedPieces, kPathKnots, kScore, kPathPieces };

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
    path.status = search::take_status(state);
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
    search::put_text(state, score.measure);
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
    score.measure = search::take_text(state);
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

Path assemble_path(const PathFile& file) {
    StateReader::require(file.pieces.size() == kPathPieces);
    PathOptions options;
    Dataset data = search::take_data(file, options);
    SolutionPath solution;
    StateReader events(file.pieces[kEvents]);
    take_events(events, search::positive_weight_rows(data), solution);
    StateReader knots(file.pieces[kPathKnots]);
    take_knots(knots, solution);
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
    PathFile file = search::begin_path_file(options, path.data());
    file.options =
        fmt::format("{} over {} from {} to {}, {}\n", options.machine.model, options.over,
                    options.from, options.to, to_string(options.machine.kernel));
    file.pieces.resize(kPathPieces);
    file.pieces[kEvents] = events_bytes(path.solution());
    file.pieces[kPathKnots] = knots_bytes(path.solution());
    if (path.score) {
        file.pieces[kScore] = score_bytes(*path.score);
    }
    save_path_file(file, file_name, files);
}

Result<Path> load_path(const std::string& file_name, Context& context, Files& files) {
    return search::load_path_with(assemble_path, "not a path this program can read", file_name,
                                  context, files);
}

}  // namespace mercer
