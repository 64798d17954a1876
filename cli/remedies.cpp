// SPDX-License-Identifier: Apache-2.0
//
// cli/remedies.cpp - one sentence for each remedy, from the status, the columns and the options.
#include "remedies.hpp"

#include <fmt/core.h>

#include <cmath>

#include "mercer/data/summary.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer::cli {

namespace {

/// Columns with a smaller ratio count as being on one scale.
constexpr double kAlike = 30.0;

/// From this ratio on, distance-based kernels see only the widest column, and first-order methods
/// crawl.
constexpr double kSlow = 1000.0;

/// `1450` -> `1,450`.
std::string grouped(double value) {
    constexpr double kMostDigits = 1e15;
    if (!(value < kMostDigits)) {
        return fmt::format("{:.2g}", value);
    }
    std::string text = fmt::format("{:.0f}", value);
    for (std::size_t place = text.size(); place > 3;) {
        place -= 3;
        text.insert(place, ",");
    }
    return text;
}

/// The ratio of the widest column to the narrowest one that varies; 1 if columns cannot be scaled
/// any more, or if the ratio overflows.
double scalable_spread(const Dataset& data, const TrainOptions& options) {
    if (options.scale.method != "none" || data.rows() == 0 || is_precomputed(options.kernel)) {
        return 1.0;
    }
    const double spread = column_spread(data);
    return std::isfinite(spread) ? spread : 1.0;
}

std::string spread_text(double spread) {
    return fmt::format("columns differ {}-fold: --scale standard", grouped(spread));
}

std::string iterations_text(const TrainOptions& options) {
    return options.run.max_iterations > 0
               ? fmt::format("raise --max-iterations, now {}", options.run.max_iterations)
               : "raise --max-iterations above the solver's own limit";
}

/// The option that reduces the weight of the losses, so that rounding matters less.
std::string softer_text(const TrainOptions& options) {
    const ObjectiveChoices& objective = options.objective;
    if (objective.lambda) {
        return fmt::format("a --lambda above {}", *objective.lambda);
    }
    return machine_of(options.model).id == MachineId::krr
               ? fmt::format("an --alpha above {}", objective.alpha.value_or(1.0))
               : fmt::format("a -C below {}", objective.cost.value_or(1.0));
}

std::string rounding_text(const Model& model, const TrainOptions& options) {
    if (model.is_likelihood()) {
        return "the classes can be separated, so that the likelihood has no maximum: --model klr "
               "with -C";
    }
    if (machine_of(options.model).id == MachineId::hard_margin) {
        return "double precision does not show the margin: --model svc with a large -C";
    }
    if (options.run.precision == "float32") {
        return "single precision ends here: --precision float64";
    }
    std::string text = fmt::format("double precision ends here: {}", softer_text(options));
    const double gap = relative_gap(total_certificate(model.certificates));
    if (std::isfinite(gap) && gap > 0.0 && gap < 0.1) {
        const double power = std::pow(10.0, std::floor(std::log10(gap)));
        text += fmt::format(", or --gap-tolerance {:.0e}, which it meets",
                            std::ceil(gap / power * (1.0 + 1e-12)) * power);
    }
    return text;
}

}  // namespace

std::vector<std::string> remedies(const TrainResult& result, const Dataset& data,
                                  const TrainOptions& options) {
    const Model& model = result.model;
    const bool limited = model.status == to_string(SolveStatus::iteration_limit);
    if (!limited && model.status != to_string(SolveStatus::reduced)) {
        return {};
    }
    std::vector<std::string> found;
    if (const double spread = scalable_spread(data, options); spread >= kAlike) {
        found.push_back(spread_text(spread));
    }
    if (limited && (found.empty() || options.run.max_iterations > 0)) {
        found.push_back(iterations_text(options));
    } else if (found.empty()) {
        found.push_back(rounding_text(model, options));
    }
    return found;
}

std::vector<std::string> slow_start_remedies(const Dataset& data, const TrainOptions& options) {
    if (data.is_sparse()) {
        return {};
    }
    const double spread = scalable_spread(data, options);
    return spread >= kSlow ? std::vector<std::string>{spread_text(spread)}
                           : std::vector<std::string>{};
}

}  // namespace mercer::cli
