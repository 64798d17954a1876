// SPDX-License-Identifier: Apache-2.0
//
// mercer/audit/verify.hpp - an independent recomputation of the proof from the model and the data.
//
// Shares no source with the solvers or with certify(): it evaluates each kernel value by its scalar
// formula and has its own sums, its own factorisation and its own choice of the intercept's
// interval. Slow and straightforward on purpose. The room may not include the rooms it checks
// (docs/adr/0028).
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
    bool holds = false;       ///< all conditions hold
    bool states = true;       ///< false: the model makes no claims that could be verified
    bool other_rows = false;  ///< the data are not the training data
    std::vector<Certificate> stated;
    std::vector<Certificate> recomputed;
    std::vector<VerifyCondition> conditions;
};

/// Recomputes primal, dual and gap of each output on the training data (unscaled, as given to
/// training; with row weights in `data.weights` if they were used) and compares. Holds only if the
/// data are the training data, the support rows are rows of the data, the coefficients are
/// feasible, the stated values equal the recomputed ones, and the gap does not exceed the stated
/// one. For a model of another program, which states nothing, it does not hold.
[[nodiscard]] VerifyReport verify_model(const Model& model, const Dataset& data, Context& context);

}  // namespace mercer
