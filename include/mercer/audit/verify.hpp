// SPDX-License-Identifier: Apache-2.0
//
// mercer/audit/verify.hpp - the proof again, from the model and the data alone.
//
// Shares no source with the solvers and none with certify(): each kernel value by its scalar formula,
// its own sums, its own factorisation, its own choice of the intercept's neighbourhood. Slow and
// straightforward on purpose. The room may not include those it checks (docs/adr/0028).
#pragma once

#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

class Context;

/// One condition that was checked.
struct VerifyCondition {
    std::string name;  ///< "dual feasibility"
    bool holds = false;
    std::string explanation;  ///< in words, with numbers and the worst rows
};

struct VerifyReport {
    bool holds = false;       ///< every condition does
    bool states = true;       ///< false: the model states nothing that could be verified
    bool other_rows = false;  ///< the data are not those that trained the model
    std::vector<Certificate> stated;
    std::vector<Certificate> recomputed;
    std::vector<VerifyCondition> conditions;
};

/// Recomputes primal, dual and gap of each output on the training data (unscaled, as it was given
/// to training; with row weights in `data.weights` where they were used) and compares. Holds only
/// when the data are the training data, the support rows are rows of it, the coefficients are
/// feasible, the stated values equal the recomputed ones, and the stated gap was not exceeded. A model
/// of another program states nothing, and nothing holds.
[[nodiscard]] VerifyReport verify_model(const Model& model, const Dataset& data, Context& context);

}  // namespace mercer
