// SPDX-License-Identifier: Apache-2.0
//
// cli/path_chart.hpp - a path of machines as a picture.
#pragma once

#include <string>
#include <vector>

#include "mercer/search/l1_path.hpp"
#include "mercer/search/path.hpp"

namespace mercer::cli {

/// What the picture shows of the coefficients: some rows, at some values along the path.
struct CoefficientCurves {
    std::string words;
    std::vector<double> values;
    std::vector<index_t> rows;                ///< by number from 0, in the training data
    std::vector<std::vector<double>> curves;  ///< one per row
};

/// Panels over one axis: coefficients, support vectors and free rows, margin, score. Events are
/// ticks under the first. Follows the reader's light or dark scheme. Self-contained.
[[nodiscard]] std::string path_chart_svg(const Path& path, const CoefficientCurves& curves);

/// The picture and what it shows in words, as a page of its own.
[[nodiscard]] std::string path_page_html(const Path& path, const CoefficientCurves& curves);

/// The same of few coefficients: those that move most, how many there are, objective, score.
[[nodiscard]] std::string path_chart_svg(const SparsePath& path);
[[nodiscard]] std::string path_page_html(const SparsePath& path);

}  // namespace mercer::cli
