// SPDX-License-Identifier: Apache-2.0
//
// mercer/report/path_chart.hpp - a path of machines as a picture.
#pragma once

#include <string>

#include "mercer/report/chart.hpp"
#include "mercer/search/l1_path.hpp"
#include "mercer/search/path.hpp"

namespace mercer {

class Context;

/// Panels over one axis: coefficients of the rows that move most, support vectors and free rows,
/// margin, score. Events are ticks under the first.
[[nodiscard]] chart::Figure path_figure(const Path& path, Context& context);

/// The picture and what it shows in words, as a page of its own.
[[nodiscard]] std::string path_page_html(const Path& path, Context& context);

/// The same of few coefficients: those that move most, how many there are, objective, score.
[[nodiscard]] chart::Figure path_figure(const SparsePath& path);
[[nodiscard]] std::string path_page_html(const SparsePath& path);

}  // namespace mercer
