// SPDX-License-Identifier: Apache-2.0
//
// cli/data_advice.hpp - the advice of mercer data info, as JSON and as text.
#pragma once

#include <string>

#include "json.hpp"
#include "mercer/report/advice.hpp"

namespace mercer::cli {

/// Adds the findings and the list `advice`. Rows and columns count from 1.
void add_advice(Json& json, const DataAdvice& advice);

/// One paragraph for each piece of advice, followed by its command.
[[nodiscard]] std::string advice_text(const DataAdvice& advice);

}  // namespace mercer::cli
