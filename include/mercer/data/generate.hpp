// SPDX-License-Identifier: Apache-2.0
//
// mercer/data/generate.hpp - artificial data with a known rule, the same on every platform.
//
// U is uniform on [0, 1), N standard normal, d = columns, k = classes, s = noise:
//
//     blobs             class i mod k; x = centre + s N, centres uniform on [-1, 1]^d
//     gaussian-mixture  as blobs, but each class has 3 centres, each with deviations of its own
//                       uniform on [s/2, 3s/2] per column; a row takes one of the three at random
//     moons             t = pi U; class 0 at (cos t, sin t), class 1 at (1 - cos t, 1/2 - sin t);
//                       + s N. Two columns, two classes
//     spirals           class i mod k; r = sqrt(U), angle = 2 pi (3/2 r + class / k);
//                       x = r (cos, sin)(angle) + s N. Two columns
//     xor               x uniform on [-1, 1]^d; class = parity of the number of x_j > 0;
//                       flipped with probability s
//     checkerboard      x uniform on [0, 4)^d; class = (sum of floor(x_j)) mod k;
//                       replaced by another class with probability s
//     friedman1         x uniform on [0, 1)^d, d >= 5; y = 10 sin(pi x_0 x_1) + 20 (x_2 - 1/2)^2
//                       + 10 x_3 + 5 x_4 + s N
//     sinc              x uniform on [-10, 10); y = sin(x) / x + s N. One column
//
//     ordinal           x uniform on [0, 1)^d; class = floor(k (mean of x_j + s N)), clipped to
//                       0 .. k-1
//     queries           queries of 10 rows, each with a shift t uniform on [-1, 1]; u as x of
//                       ordinal, x_j = u_j + t; y = floor(k (mean of u_j + s N)), clipped to
//                       0 .. k-1
//
// Two classes are named -1 and 1, more are named 1 .. k.
#pragma once

#include <string>
#include <string_view>

#include "mercer/data/dataset.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"

namespace mercer {

/// Which data to make.
struct GenerateOptions {
    std::string name = "blobs";
    index_t rows = 1000;
    index_t columns = 0;
    index_t classes = 2;
    double noise = 0.1;
    index_t seed = 0;

    template <typename Visitor>
    static void describe(Visitor& visitor, GenerateOptions& options) {
        visitor.choice("name", options.name,
                       {"blobs", "gaussian-mixture", "moons", "spirals", "xor", "checkerboard",
                        "friedman1", "sinc", "ordinal", "queries"},
                       "rule the data follow");
        visitor.integer("rows", options.rows, Range::non_negative(), "number of rows");
        visitor.integer("columns", options.columns, Range::non_negative(),
                        "number of columns; 0: 2, friedman1 10, sinc 1");
        visitor.integer("classes", options.classes, Range::within(2, 1e6), "number of classes");
        visitor.number("noise", options.noise, Range::non_negative(),
                       "standard deviation of the noise, or probability of a wrong label");
        visitor.integer("seed", options.seed, Range::non_negative(), "seed of the random stream");
    }
};

/// The fixed number of columns of a rule (moons 2); 0: any number within its limits.
[[nodiscard]] index_t fixed_columns(std::string_view name);

/// The fixed number of classes of a rule (moons 2); 0: any number, or no classes.
[[nodiscard]] index_t fixed_classes(std::string_view name);

/// Generates dense doubles, allocated from the context's budget. Row i depends only on the seed and
/// on the rows before it, so a longer dataset starts with the shorter one. Throws InvalidArgument
/// for options that do not fit the rule.
[[nodiscard]] Dataset generate(const GenerateOptions& options, Context& context);

/// Rows of the same distribution (the same centres) that are independent of the rows of generate()
/// and of other batches.
[[nodiscard]] Dataset generate_fresh(const GenerateOptions& options, index_t batch,
                                     Context& context);

}  // namespace mercer
