// SPDX-License-Identifier: Apache-2.0
//
// src/comm/single.cpp - the communicator of a single rank, where there is nothing to exchange.
#include <fmt/core.h>

#include "mercer/base/error.hpp"
#include "mercer/comm/communicator.hpp"

namespace mercer {

namespace {

class SingleRank final : public Communicator {
public:
    [[nodiscard]] int rank() const noexcept override { return 0; }
    [[nodiscard]] int size() const noexcept override { return 1; }
    void sum(std::span<double>) override {}
    void broadcast(std::span<double>, int root) override {
        if (root != 0) {
            throw InvalidArgument(fmt::format("root: got {}, must be 0: there is one rank", root));
        }
    }
};

}  // namespace

std::shared_ptr<Communicator> single_rank() { return std::make_shared<SingleRank>(); }

}  // namespace mercer
