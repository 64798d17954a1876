// SPDX-License-Identifier: Apache-2.0
//
// tests/support/random_paths.hpp - random problems with a number that moves.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mercer/base/random.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/path.hpp"
#include "support/origin.hpp"

namespace mercer::testing {

enum class PathKind { svc_cost, svc_weight, svr_cost, svr_epsilon, svr_nu, svc_nu, one_class_nu };

/// A problem, where its path begins and ends, and the memory of its rows.
struct RandomPath {
    std::vector<double> x;
    PathProblem path;
    double from = 0.0;
    double to = 0.0;
};

/// Rows of a small integer grid (many of them equal, also with other targets) or of normals;
/// balanced classes or not; linear or Gaussian kernel.
inline RandomPath random_path(PathKind kind, index_t largest, Random& random) {
    RandomPath out;
    const index_t n = 6 + random.below(largest - 5);
    const index_t columns = 1 + random.below(3);
    const bool grid = random.below(3) != 0;
    const bool classes =
        kind == PathKind::svc_cost || kind == PathKind::svc_weight || kind == PathKind::svc_nu;
    const double share = random.below(2) == 0 ? 0.5 : 0.25;
    Problem& problem = out.path.problem;
    for (index_t i = 0; i < n; ++i) {
        const bool positive = random.uniform() < share;
        for (index_t j = 0; j < columns; ++j) {
            out.x.push_back(grid ? static_cast<double>(random.below(4)) : random.normal());
        }
        if (classes) {
            out.x[out.x.size() - static_cast<std::size_t>(columns)] +=
                grid || !positive ? 0.0 : 1.0;
            problem.targets.push_back(positive ? 1.0 : -1.0);
        } else {
            problem.targets.push_back(grid ? static_cast<double>(random.below(5))
                                           : random.normal());
        }
    }
    if (classes) {
        problem.targets[0] = 1.0;
        problem.targets[1] = -1.0;
    }
    set_kernel(problem, parse_kernel(random.below(2) == 0 ? "linear" : "rbf(gamma=0.5)").value());
    problem.costs.assign(static_cast<std::size_t>(n), 1.0);
    problem.loss = classes ? Loss(HingeLoss{}) : Loss(EpsilonInsensitiveLoss{0.1});
    out.from = 1e-3;
    out.to = 20.0;
    double positives = 0.0;
    for (const double target : problem.targets) {
        positives += target > 0.0 ? 1.0 : 0.0;
    }
    switch (kind) {
        case PathKind::svc_cost:
        case PathKind::svr_cost:
            break;
        case PathKind::svc_weight:
            for (const double target : problem.targets) {
                out.path.moving.push_back(target > 0.0);
            }
            break;
        case PathKind::svr_epsilon:
            out.path.parameter = PathParameter::width;
            out.from = 2.5;
            out.to = 0.0;
            break;
        case PathKind::svr_nu:
            problem.loss = EpsilonInsensitiveLoss{0.0};
            problem.costs.assign(static_cast<std::size_t>(n), 3.0);
            break;
        case PathKind::svc_nu:
            out.to = 0.98 * 2.0 * std::min(positives, static_cast<double>(n) - positives) /
                     static_cast<double>(n);
            break;
        case PathKind::one_class_nu:
            problem.loss = HingeLoss{};
            problem.targets.assign(static_cast<std::size_t>(n), 1.0);
            problem.intercept = false;
            break;
    }
    if (kind == PathKind::svr_nu || kind == PathKind::svc_nu || kind == PathKind::one_class_nu) {
        out.path.parameter = PathParameter::mass;
        problem.mass = 1.0;
        out.from = 0.05;
        out.to = kind == PathKind::svc_nu ? std::max(out.to, 0.06) : 0.95;
    }
    set_rows(problem, Dataset(MatrixView<const double>(out.x.data(), n, columns)));
    return out;
}

/// What became of some random paths.
struct PathTally {
    index_t paths = 0;
    index_t events = 0;
    index_t restarts = 0;
    index_t unfinished = 0;   ///< that neither reached their end nor had a reason to stop
    index_t uncertified = 0;  ///< machines read off with a relative gap above 1e-9
    double worst_gap = 0.0;
};

/// Traces paths and certifies machines read off at random values inside.
inline PathTally tally_paths(PathKind kind, index_t count, index_t largest, std::uint64_t seed) {
    constexpr int kValues = 20;
    constexpr double kGap = 1e-9;
    PathTally tally;
    Context context;
    for (index_t trial = 0; trial < count; ++trial) {
        Random random(seed + static_cast<std::uint64_t>(trial));
        const RandomPath random_problem =
            random_path(kind, trial % 5 == 0 ? largest : largest / 4, random);
        const SolutionPath path =
            trace_path(random_problem.path, {}, random_problem.from, random_problem.to, context);
        ++tally.paths;
        tally.events += static_cast<index_t>(path.knots.size());
        tally.restarts += path.restarts;
        tally.unfinished += static_cast<index_t>(path.status != SolveStatus::converged ||
                                                 !(path.complete || path.closed));
        for (int k = 0; k < kValues; ++k) {
            const double part = random.uniform();
            const double t = path.from + part * part * (path.to - path.from);
            std::vector<double> beta = coefficients_at(random_problem.path, path, t, context);
            const Certificate certificate =
                certify(problem_at(random_problem.path, t), beta, context, {.relative = kGap});
            const double gap = relative_gap(certificate);
            tally.worst_gap = std::max(tally.worst_gap, gap);
            tally.uncertified += static_cast<index_t>(!(gap <= kGap));
        }
    }
    return tally;
}

}  // namespace mercer::testing
