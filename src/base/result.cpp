// SPDX-License-Identifier: Apache-2.0
//
// src/base/result.cpp - the text of a diagnostic.
#include "mercer/base/result.hpp"

namespace mercer {

std::string Diagnostic::text() const {
    std::string place = source;
    if (line > 0) {
        place += ":" + std::to_string(line);
    }
    if (column > 0) {
        place += ":" + std::to_string(column);
    }
    return place.empty() ? message : place + ": " + message;
}

}  // namespace mercer
