// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/pricer.cpp - full, partial and cyclic pricing.
#include "solvers/pricer.hpp"

#include <array>
#include <numeric>

#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr std::uint64_t kPricingStream = 51;  // of the rows' order in cyclic pricing
constexpr index_t kBlock = 64;                // rows that partial pricing evaluates together

}  // namespace

bool Pricer::choose(const DualRows& rows, Pricing pricing, double least, Move& chosen,
                    Context& context) {
    chosen = Move{};
    chosen.gain = least;
    if (pricing == Pricing::worst) {
        rows.for_each_move(nullptr, [&](const Move& move) {
            if (move.gain > chosen.gain) {
                chosen = move;
            }
        });
        return chosen.row >= 0;
    }
    if (order_.empty()) {
        order_.resize(static_cast<std::size_t>(rows.size()));
        std::iota(order_.begin(), order_.end(), index_t{0});
        if (pricing == Pricing::cyclic) {
            order_ = context.random(kPricingStream).permutation(rows.size());
        }
    }
    return choose_in_turn(rows, pricing == Pricing::cyclic ? 1 : kBlock, chosen);
}

/// Evaluates blocks of rows, starting after the last one, until a block has a row that gains.
bool Pricer::choose_in_turn(const DualRows& rows, index_t block, Move& chosen) {
    std::array<Move, 2> moves;
    for (index_t looked = 0; looked < rows.size(); ++looked) {
        const index_t place = (cursor_ + looked) % rows.size();
        const int count = rows.moves_of(order_[static_cast<std::size_t>(place)], nullptr, moves);
        for (int k = 0; k < count; ++k) {
            if (moves[static_cast<std::size_t>(k)].gain > chosen.gain) {
                chosen = moves[static_cast<std::size_t>(k)];
            }
        }
        if (chosen.row >= 0 && (looked + 1) % block == 0) {
            cursor_ = (place + 1) % rows.size();
            return true;
        }
    }
    return chosen.row >= 0;
}

}  // namespace mercer
