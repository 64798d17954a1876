// SPDX-License-Identifier: Apache-2.0
//
// cli/qp_examples.cpp - small example programs, one for each possible outcome.
#include "mercer/base/error.hpp"
#include "qp_file.hpp"

namespace mercer::cli {

namespace {

struct Example {
    const char* name;
    const char* text;
};

constexpr Example kExamples[] = {
    // min 1/2 x^2 with 1 - x <= 0.
    {"toy", R"({"K": [[1]], "c": [0], "A": [[-1]], "d": [1]}
)"},
    // The soft margin of x = -1 and x = +1 at C = 1/4, in (w, b, xi1, xi2).
    {"pair", R"({
  "K": [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
  "c": [0, 0, 0.25, 0.25],
  "A": [[-1, 1, -1, 0], [-1, -1, 0, -1]],
  "d": [1, 1],
  "lower": [null, null, 0, 0]
}
)"},
    // Its dual: min 1/2 a'Qa - sum a with Q of ones, 0 <= a <= C, a2 = a1.
    {"pair-dual", R"({
  "K": [[1, 1], [1, 1]],
  "c": [-1, -1],
  "E": [[-1, 1]],
  "e": [0],
  "lower": [0, 0],
  "upper": [0.25, 0.25]
}
)"},
    {"linear", R"({"c": [-1, -2], "A": [[1, 1], [1, 3]], "d": [-4, -6], "lower": [0, 0]}
)"},
    {"infeasible", R"({"K": [[1]], "A": [[1], [-1]], "d": [1, 1]}
)"},
    {"unbounded", R"({"K": [[1, 0], [0, 0]], "c": [0, -1], "lower": [0, 0]}
)"},
    {"no-slater", R"({"K": [[1]], "c": [-1], "A": [[1], [-1]], "d": [0, 0]}
)"},
    {"not-convex", R"({"K": [[1, 2], [2, 1]], "c": [0, 0], "lower": [0, 0]}
)"},
    // The toy with a point and a multiplier that are not its solution.
    {"wrong-point", R"({"K": [[1]], "c": [0], "A": [[-1]], "d": [1], "x": [2], "alpha": [2]}
)"},
};

}  // namespace

std::vector<std::string> quadratic_example_names() {
    std::vector<std::string> names;
    for (const Example& example : kExamples) {
        names.emplace_back(example.name);
    }
    return names;
}

std::string quadratic_example(const std::string& name) {
    for (const Example& example : kExamples) {
        if (example.name == name) {
            return example.text;
        }
    }
    throw InvalidArgument("example: there is no " + name);
}

}  // namespace mercer::cli
