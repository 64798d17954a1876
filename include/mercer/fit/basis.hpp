// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/basis.hpp - f as a sum of few functions: the options, and the report of the run.
#pragma once

#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/runtime/options.hpp"

namespace mercer {

/// f as a sum of few functions that are chosen greedily.
struct BasisChoices {
    index_t size = 0;         ///< maximum number of functions; 0: no basis, all functions
    double tolerance = 0.0;   ///< doubling the basis must lower the objective by this share
    index_t candidates = 59;  ///< number of random candidates for each choice
    bool features = false;    ///< the functions are the columns, not the kernel at the rows
    const Dataset* validation = nullptr;  ///< not owned: rows whose error the curve reports, too

    template <typename Visitor>
    static void describe(Visitor& visitor, BasisChoices& choices) {
        visitor.integer("basis", choices.size, Range::non_negative(),
                        "f of so many functions, chosen greedily; 0: of all");
        visitor.number("basis_tolerance", choices.tolerance, Range::non_negative(),
                       "stop when doubling the basis lowers the objective by less than this share");
        visitor.integer("basis_candidates", choices.candidates, Range::within(1.0, 1e6),
                        "random candidates for each choice; 59: one of the best 5 % with "
                        "probability 0.95");
        visitor.flag("features", choices.features, "the columns themselves are the basis");
    }
};

/// The machine with the first functions of its basis.
struct BasisCurvePoint {
    index_t size = 0;                ///< maximum number of functions of an output
    double objective = kNaN;         ///< summed over the outputs
    double training_error = kNaN;    ///< share of wrong classes, or root mean square; NaN: stopped
    double seconds = 0.0;            ///< spent on choosing, summed over the outputs
    double validation_error = kNaN;  ///< NaN: no validation rows
};

/// How a basis was chosen, over all outputs.
struct BasisReport {
    std::vector<BasisCurvePoint> curve;
    std::string end;  ///< "size", "tolerance", "optimum", "rank" or "stopped"; with several outputs
                      ///< that of the first
    index_t dependent = 0;  ///< candidates rejected as linear combinations of chosen functions
    Certificate whole;      ///< of the model as a solution of the machine with all functions
};

}  // namespace mercer
