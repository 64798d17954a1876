// SPDX-License-Identifier: Apache-2.0
//
// mercer/report/path_chart.hpp - a regularisation path as a figure.
#pragma once

#include <string>

#include "mercer/report/chart.hpp"
#include "mercer/search/l1_path.hpp"
#include "mercer/search/path.hpp"

namespace mercer {

class Context;

/// Panels over one axis: the coefficients that change most, support vectors and free rows, margin,
/// score. Events are ticks under the first panel.
[[nodiscard]] chart::Figure path_figure(const Path& path, Context& context);

/// The figure and an explanation in words, as a page of its own.
[[nodiscard]] std::string path_page_html(const Path& path, Context& context);

/// The same for a sparse path: the coefficients that change most, their number, objective, score.
[[nodiscard]] chart::Figure path_figure(const SparsePath& path);
[[nodiscard]] std::string path_page_html(const SparsePath& path);

}  // namespace mercer
