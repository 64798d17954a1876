// SPDX-License-Identifier: Apache-2.0
//
// cli/spectrum_chart.hpp - a histogram of eigenvalues for the terminal.
#pragma once

#include <string>

#include "mercer/theory/mercer_test.hpp"

namespace mercer::cli {

/// How to draw.
struct ChartStyle {
    bool utf8 = false;  ///< block characters instead of '#'
    int width = 80;     ///< columns of the terminal
};

/// One line per decade, the largest first, one for values that are zero within `bound`, and one for
/// values below -bound. Each has its count and a bar.
[[nodiscard]] std::string draw_spectrum(const SpectrumHistogram& histogram, double bound,
                                        const ChartStyle& style);

}  // namespace mercer::cli
