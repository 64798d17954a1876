// SPDX-License-Identifier: Apache-2.0
//
// src/losses/loss.cpp - names, lookup, and the properties of a loss chosen at run time.
#include "mercer/losses/loss.hpp"

#include <fmt/core.h>

#include "mercer/base/error.hpp"

namespace mercer {

std::string_view name_of(const Loss& loss) {
    return std::visit([](const auto& kind) -> std::string_view { return kind.kName; }, loss);
}

bool is_classification(const Loss& loss) {
    return std::visit([](const auto& kind) { return kind.kClassification; }, loss);
}

bool has_slope(const Loss& loss) {
    return std::visit([](const auto& kind) { return kind.kSlope; }, loss);
}

bool has_box_dual(const Loss& loss) {
    return std::visit([](const auto& kind) { return kind.kBoxDual; }, loss);
}

bool is_piecewise_quadratic(const Loss& loss) {
    return std::visit([](const auto& kind) { return kind.kPiecewiseQuadratic; }, loss);
}

Width width_kind(const Loss& loss) {
    return std::visit([](const auto& kind) { return kind.kWidth; }, loss);
}

double width_of(const Loss& loss) {
    return std::visit(
        []<typename Kind>(const Kind& kind) {
            if constexpr (Kind::kWidth != Width::none) {
                return kind.width();
            } else {
                return 0.0;
            }
        },
        loss);
}

Loss with_width(const Loss& loss, double width) {
    return std::visit(
        [width]<typename Kind>(const Kind& kind) -> Loss {
            if constexpr (Kind::kWidth != Width::none) {
                return kind.with_width(width);
            } else {
                return kind;
            }
        },
        loss);
}

namespace {

/// One loss of each kind, with its default members.
template <typename... Kinds>
std::vector<Loss> one_of_each(std::type_identity<std::variant<Kinds...>>) {
    return {Kinds{}...};
}

}  // namespace

std::vector<Loss> all_losses(double epsilon) {
    if (!(epsilon >= 0.0) || epsilon == kInfinity) {
        throw InvalidArgument(fmt::format("epsilon: got {}, must be finite and >= 0", epsilon));
    }
    std::vector<Loss> all = one_of_each(std::type_identity<Loss>{});
    for (Loss& loss : all) {
        if (width_kind(loss) == Width::tube) {
            loss = with_width(loss, epsilon);
        }
    }
    return all;
}

std::optional<Loss> loss_by_name(std::string_view name, double epsilon) {
    for (const Loss& loss : all_losses(epsilon)) {
        if (name_of(loss) == name) {
            return loss;
        }
    }
    return std::nullopt;
}

}  // namespace mercer
