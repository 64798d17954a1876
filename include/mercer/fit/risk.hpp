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

/// The losses of that name list for a model; empty names: all that fit it. A classifier of two
/// classes takes every loss (its targets are -1 and +1), one of more classes zero-one, a regression
/// those of numbers. `epsilon` is the width of those that need one. Throws InvalidArgument, listing
/// what there is, for a name that is unknown or does not fit.
[[nodiscard]] std::vector<RiskLoss> losses_for(const Model& model,
                                               const std::vector<std::string>& names,
                                               double epsilon);

/// The empirical risk of the model on the rows, weights respected, one for each loss. Throws
/// InvalidArgument, naming the row, for a target the model does not know.
[[nodiscard]] std::vector<RiskEstimate> model_risk(const Model& model, const Dataset& rows,
                                                   const std::vector<RiskLoss>& losses,
                                                   Context& context);

/// How an expectation is taken.
struct ExpectedRiskOptions {
    /// The distribution: its seed places centres, its rows are not read, its classes, and columns
    /// when 0, are the model's where the rule leaves them free.
    GenerateOptions generate;
    std::string method = "auto";  ///< "quadrature", "monte-carlo"; auto: quadrature where there is
    index_t samples = 100'000;    ///< fresh rows of Monte Carlo, rounded up to whole classes
};

/// The expected risk on a generator's distribution.
struct ExpectedRisk {
    std::string method;  ///< "quadrature" or "monte-carlo"
    index_t rows = 0;    ///< drawn, or points of the quadrature
    /// One for each loss. Of a quadrature the standard error is not one of sampling: it is the
    /// difference from half as many panels.
    std::vector<RiskEstimate> risks;
};

/// Throws InvalidArgument when the generator does not make rows for the model, or has no quadrature
/// and that was asked for.
[[nodiscard]] ExpectedRisk expected_risk(const Model& model, const std::vector<RiskLoss>& losses,
                                         const ExpectedRiskOptions& options, Context& context);

}  // namespace mercer
