// SPDX-License-Identifier: Apache-2.0
//
// cli/data_scale.hpp - mercer data scale, and the file format of a scaling.
#pragma once

#include "session.hpp"

namespace mercer::cli {

void add_data_scale(CLI::App& group, Session& session);

}  // namespace mercer::cli
