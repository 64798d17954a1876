// SPDX-License-Identifier: Apache-2.0
//
// mercer/comm/communicator.hpp - the processes (ranks) that share one computation.
#pragma once

#include <memory>
#include <span>

namespace mercer {

/// A group of ranks that run the same program, each on its own rows. All ranks make the same calls
/// in the same order. The operators decide which part of a computation a rank holds; a Communicator
/// only exchanges numbers.
class Communicator {
public:
    virtual ~Communicator() = default;

    /// This process: 0 .. size() - 1.
    [[nodiscard]] virtual int rank() const noexcept = 0;
    [[nodiscard]] virtual int size() const noexcept = 0;

    /// values[i] = the sum of values[i] over all ranks, added in rank order: every rank ends with
    /// the same bits. The lengths must be equal on all ranks.
    virtual void sum(std::span<double> values) = 0;

    /// values = those of rank `root`. Throws InvalidArgument when there is no such rank.
    virtual void broadcast(std::span<double> values, int root) = 0;
};

/// The group of this process alone: sums stay unchanged.
[[nodiscard]] std::shared_ptr<Communicator> single_rank();

}  // namespace mercer
