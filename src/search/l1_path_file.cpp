// SPDX-License-Identifier: Apache-2.0
//
// src/search/l1_path_file.cpp - conversion of a sparse path to bytes and back.
//
// In contrast to other paths the knots store the coefficients themselves: they are few, and linear
// between two knots.
#include <fmt/core.h>

#include "mercer/base/error.hpp"
#include "mercer/formats/path_file.hpp"
#include "mercer/search/l1_path.hpp"
#include "search/path_pieces.hpp"

namespace mercer {

namespace {

constexpr const char* kOver = "lambda";

enum SparsePiece : std::size_t { kPenalty = search::kSharedPieces, kSparseKnots, kSparsePieces };

constexpr index_t kMost = index_t{1} << 40;

std::string penalty_bytes(const SparsePathOptions& options) {
    StateWriter state;
    search::put_text(state, options.loss);
    search::put_text(state, options.machine.objective.penalty);
    state.number(static_cast<index_t>(options.features));
    return state.take();
}

void take_penalty(StateReader& state, SparsePathOptions& options) {
    options.loss = search::take_text(state);
    options.machine.objective.penalty = search::take_text(state);
    options.features = state.integer(0, 1) == 1;
    StateReader::require(state.at_end());
}

std::string knots_bytes(const L1Path& path) {
    StateWriter state;
    state.number(path.lambda_max);
    state.number(path.max_violation);
    for (const index_t number :
         {path.columns, path.restarts, path.flat_moves, static_cast<index_t>(path.status),
          static_cast<index_t>(path.knots.size())}) {
        state.number(number);
    }
    for (const L1Knot& knot : path.knots) {
        for (const double number : {knot.lambda, knot.intercept, knot.objective, knot.violation}) {
            state.number(number);
        }
        for (const index_t number :
             {static_cast<index_t>(knot.event), knot.index, knot.active, knot.begin}) {
            state.number(number);
        }
    }
    state.array(path.index);
    state.array(path.value);
    return state.take();
}

L1Path take_knots(StateReader& state) {
    L1Path path;
    path.lambda_max = state.number<double>();
    path.max_violation = state.number<double>();
    path.columns = state.integer(0, kMost);
    path.restarts = state.integer(0, kMost);
    path.flat_moves = state.integer(0, kMost);
    path.status = search::take_status(state);
    const index_t count = state.integer(1, kMost);
    double last = kInfinity;
    index_t begin = 0;
    for (index_t k = 0; k < count; ++k) {
        L1Knot knot;
        for (double* number : {&knot.lambda, &knot.intercept, &knot.objective, &knot.violation}) {
            *number = state.number<double>();
        }
        StateReader::require(knot.lambda >= 0.0 && knot.lambda <= last);
        last = knot.lambda;
        knot.event = static_cast<L1Event>(state.integer(0, static_cast<index_t>(L1Event::end)));
        knot.index = state.integer(-1, kMost);
        knot.active = state.integer(0, path.columns);
        begin = knot.begin = state.integer(begin, kMost);
        path.knots.push_back(knot);
    }
    path.index = state.array<index_t>();
    path.value = state.array<double>(static_cast<index_t>(path.index.size()));
    StateReader::require(state.at_end() && begin <= static_cast<index_t>(path.index.size()));
    for (const index_t column : path.index) {
        StateReader::require(column >= 0 && column < path.columns);
    }
    return path;
}

SparsePath assemble_sparse_path(const PathFile& file) {
    PathOptions told;
    Dataset data = search::take_data(file, told);
    if (told.over != kOver) {
        throw DataError(fmt::format("it is over {}, not over {}", told.over, kOver));
    }
    StateReader::require(file.pieces.size() == kSparsePieces);
    SparsePathOptions options;
    options.machine = told.machine;
    options.to = told.to;
    StateReader penalty(file.pieces[kPenalty]);
    take_penalty(penalty, options);
    StateReader knots(file.pieces[kSparseKnots]);
    L1Path path = take_knots(knots);
    StateReader::require(path.columns ==
                         (options.features ? data.columns() : search::positive_weight_rows(data)));
    return {std::move(data), std::move(options), std::move(path)};
}

}  // namespace

void save_sparse_path(const SparsePath& path, const std::string& file_name, Files& files) {
    const SparsePathOptions& options = path.options();
    PathOptions told;
    told.machine = options.machine;
    told.over = kOver;
    told.from = path.solution().lambda_max;
    told.to = options.to;
    PathFile file = search::begin_path_file(told, path.data());
    file.options = fmt::format("{} over {}, penalty {}\n", options.loss, kOver,
                               options.machine.objective.penalty);
    file.pieces.resize(kSparsePieces);
    file.pieces[kPenalty] = penalty_bytes(options);
    file.pieces[kSparseKnots] = knots_bytes(path.solution());
    save_path_file(file, file_name, files);
}

Result<SparsePath> load_sparse_path(const std::string& file_name, Context& context, Files& files) {
    return search::load_path_with(assemble_sparse_path, "not a path over lambda", file_name,
                                  context, files);
}

}  // namespace mercer
