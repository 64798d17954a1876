// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/risk.hpp - the risk of a model: on rows, and on the distribution of a generator.
#pragma once

#include <string>
#include <vector>

#include "mercer/data/generate.hpp"
#include "mercer/losses/risk_loss.hpp"
#include "mercer/models/model.hpp"
#include "mercer/theory/risk.hpp"

namespace mercer {

class Context;

/// The losses with these names, for a model; empty names: all that apply. A two-class classifier
/// accepts every loss (with targets -1 and +1), one with more classes zero-one, a regression those
/// for numbers. `epsilon` is the width of the losses that need one. Throws InvalidArgument, with
/// the available losses, for a name that is unknown or does not apply.
[[nodiscard]] std::vector<RiskLoss> losses_for(const Model& model,
                                               const std::vector<std::string>& names,
                                               double epsilon);

/// The weighted empirical risk of the model on the rows, one for each loss. Throws InvalidArgument,
/// with the row, for a target that the model does not know.
[[nodiscard]] std::vector<RiskEstimate> model_risk(const Model& model, const Dataset& rows,
                                                   const std::vector<RiskLoss>& losses,
                                                   Context& context);

/// How the expectation is computed.
struct ExpectedRiskOptions {
    /// The distribution. Its seed places the centres and its row count is ignored; the classes, and
    /// columns if 0, are taken from the model where the rule leaves them free.
    GenerateOptions generate;
    std::string method = "auto";  ///< "quadrature", "monte-carlo"; auto: quadrature if available
    index_t samples = 100'000;    ///< fresh rows of Monte Carlo, rounded up to complete classes
};

/// The expected risk on a generator's distribution.
struct ExpectedRisk {
    std::string method;  ///< "quadrature" or "monte-carlo"
    index_t rows = 0;    ///< rows drawn, or points of the quadrature
    /// One for each loss. For a quadrature the standard error is not a sampling error but the
    /// difference from the result with half as many panels.
    std::vector<RiskEstimate> risks;
};

/// Throws InvalidArgument if the generator's rows do not fit the model, or if quadrature is
/// requested and not available.
[[nodiscard]] ExpectedRisk expected_risk(const Model& model, const std::vector<RiskLoss>& losses,
                                         const ExpectedRiskOptions& options, Context& context);

}  // namespace mercer
