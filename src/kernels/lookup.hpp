// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/lookup.hpp - finding catalogue entries by name and type, and suggestions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "mercer/kernels/catalogue.hpp"

namespace mercer {

/// The entry of that name, or null.
[[nodiscard]] const CatalogueEntry* find_entry(std::string_view name) noexcept;

/// The catalogue name that a misspelt or foreign name most likely means; empty when none is near.
[[nodiscard]] std::string_view nearest_kernel(std::string_view name);

/// The candidate within two edits of `name` (fewer for short names); empty when there is none.
[[nodiscard]] std::string_view nearest(std::string_view name,
                                       std::span<const std::string_view> candidates);

/// "; did you mean 'rbf'?", or nothing for an empty suggestion.
[[nodiscard]] std::string did_you_mean(std::string_view suggestion);

/// Throws InvalidArgument unless `value` suits the parameter (NaN where `scale` is accepted does).
void require_parameter(const KernelParameter& parameter, double value);

}  // namespace mercer
