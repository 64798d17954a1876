// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/feature_map.cpp - from a kernel expression to its explicit coordinates.
//
// Method   Each rule of construction has its map: a sum concatenates coordinates, a product
//          multiplies every pair, a factor c gives sqrt(c), and a power series sum_d w_d s^d of an
//          inner product s = <u, v> gives the monomials of u, degree by degree, weighted by
//          sqrt(w_d). rbf = exp(-gamma |x|^2) exp(-gamma |z|^2) exp(2 gamma x'z), where the series
//          of the last factor is truncated.
#include "mercer/kernels/feature_map.hpp"

#include <fmt/core.h>

#include <cmath>
#include <numeric>

#include "kernels/feature_blocks.hpp"
#include "mercer/kernels/catalogue.hpp"

namespace mercer {

namespace {

// Enumerating monomials recurses once per factor; no useful map has this many.
constexpr double kMaxDegree = 1000.0;

index_t checked_degree(double degree) {
    if (degree > kMaxDegree) {
        throw InvalidArgument("degree", fmt::format("{}", degree),
                              fmt::format("a feature map has at most {}", kMaxDegree));
    }
    return static_cast<index_t>(degree);
}

/// (scale s + coef0)^degree, highest degree first; only the highest when coef0 is 0.
std::vector<SeriesTerm> binomial_terms(double degree, double coef0, double scale) {
    const index_t top = checked_degree(degree);
    std::vector<SeriesTerm> terms;
    double binomial = 1.0;
    for (index_t k = top; k >= 0; --k) {
        const double power = std::pow(coef0, static_cast<double>(top - k));
        terms.push_back({k, binomial * power * std::pow(scale, static_cast<double>(k))});
        if (coef0 == 0.0) {
            break;
        }
        binomial *= static_cast<double>(k) / static_cast<double>(top - k + 1);
    }
    return terms;
}

/// exp(factor s) up to a degree, constant first.
std::vector<SeriesTerm> exponential_terms(double factor, index_t truncation) {
    std::vector<SeriesTerm> terms;
    double weight = 1.0;
    for (index_t k = 0; k <= truncation; ++k) {
        terms.push_back({k, weight});
        weight *= factor / static_cast<double>(k + 1);
    }
    return terms;
}

std::vector<SeriesTerm> polynomial_terms(const std::vector<double>& coefficients) {
    checked_degree(static_cast<double>(coefficients.size()) - 1.0);
    std::vector<SeriesTerm> terms;
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
        if (coefficients[i] > 0.0) {
            terms.push_back({static_cast<index_t>(i), coefficients[i]});
        }
    }
    return terms;
}

class MapBuilder {
public:
    explicit MapBuilder(const FeatureMapOptions& options)
        : options_(options), ordered_(options.order == "ordered") {}

    /// `places` are the columns of the data that the node sees, in its order.
    FeatureBlockPointer build(const KernelNode& node, const std::vector<index_t>& places);

    [[nodiscard]] bool truncated() const { return truncated_; }

private:
    FeatureBlockPointer build_product(const KernelNode& node, const std::vector<index_t>& places);
    FeatureBlockPointer build_sum(const KernelNode& node, const std::vector<index_t>& places);
    FeatureBlockPointer build_columns(const KernelNode& node, const std::vector<index_t>& places);
    FeatureBlockPointer build_leaf(const KernelNode& node, const std::vector<index_t>& places);
    FeatureBlockPointer build_rbf(double gamma, const std::vector<index_t>& places);
    FeatureBlockPointer series(FeatureBlockPointer inner, std::vector<SeriesTerm> terms) const {
        return series_block(std::move(inner), std::move(terms), ordered_, options_.max_dimension);
    }
    void require_truncation(const KernelNode& node);
    [[noreturn]] static void refuse(const KernelNode& node);

    const FeatureMapOptions& options_;
    bool ordered_;
    bool truncated_ = false;
};

void MapBuilder::refuse(const KernelNode& node) {
    throw InvalidArgument(fmt::format(
        "{} has no finite feature map; linear, poly (coef0 >= 0), monomial, cosine, constant, "
        "quadratic-form, mixture and what is built from them have one, rbf and exp with a "
        "truncation degree",
        to_string(Kernel(std::make_shared<const KernelNode>(node)))));
}

void MapBuilder::require_truncation(const KernelNode& node) {
    if (options_.truncation < 0) {
        refuse(node);
    }
    truncated_ = true;
}

FeatureBlockPointer MapBuilder::build_rbf(double gamma, const std::vector<index_t>& places) {
    const FeatureBlockPointer inner = identity_block(places);
    return damped_block(inner, series(inner, exponential_terms(2.0 * gamma, options_.truncation)),
                        gamma);
}

FeatureBlockPointer MapBuilder::build_leaf(const KernelNode& node,
                                           const std::vector<index_t>& places) {
    const std::vector<double>& p = node.parameters;
    switch (node.type) {
        case KernelType::linear:
            return identity_block(places);
        case KernelType::poly:
            if (p[1] < 0.0) {
                refuse(node);
            }
            return series(identity_block(places), binomial_terms(p[0], p[1], p[2]));
        case KernelType::monomial:
            return series(identity_block(places), binomial_terms(p[0], 0.0, 1.0));
        case KernelType::rbf:
            require_truncation(node);
            return build_rbf(p[0], places);
        case KernelType::cosine:
            return normalized_block(identity_block(places));
        case KernelType::constant:
            return constant_block(std::sqrt(p[0]));
        case KernelType::quadratic_form:
            return root_block(*node.matrix, places);
        case KernelType::mixture:
            return table_block(node.matrix, places.front());
        default:
            refuse(node);
    }
}

FeatureBlockPointer MapBuilder::build_product(const KernelNode& node,
                                              const std::vector<index_t>& places) {
    FeatureBlockPointer block = build(node.children.front().node(), places);
    for (std::size_t i = 1; i < node.children.size(); ++i) {
        block = tensor_block(std::move(block), build(node.children[i].node(), places),
                             options_.max_dimension);
    }
    return block;
}

FeatureBlockPointer MapBuilder::build_sum(const KernelNode& node,
                                          const std::vector<index_t>& places) {
    std::vector<FeatureBlockPointer> parts;
    for (const Kernel& child : node.children) {
        parts.push_back(build(child.node(), places));
    }
    return joined_block(std::move(parts), options_.max_dimension);
}

FeatureBlockPointer MapBuilder::build_columns(const KernelNode& node,
                                              const std::vector<index_t>& places) {
    std::vector<index_t> chosen;
    for (const ColumnRange& range : node.selection) {
        chosen.insert(chosen.end(), places.begin() + range.begin, places.begin() + range.end);
    }
    return build(node.children.front().node(), chosen);
}

FeatureBlockPointer MapBuilder::build(const KernelNode& node, const std::vector<index_t>& places) {
    const auto child = [&] { return build(node.children.front().node(), places); };
    switch (node.type) {
        case KernelType::scale:
            return multiple_block(child(), std::sqrt(node.parameters.front()));
        case KernelType::sum:
            return build_sum(node, places);
        case KernelType::product:
            return build_product(node, places);
        case KernelType::exponential:
            require_truncation(node);
            return series(child(), exponential_terms(1.0, options_.truncation));
        case KernelType::polynomial:
            return series(child(), polynomial_terms(node.parameters));
        case KernelType::power:
            return series(child(), binomial_terms(node.parameters.front(), 0.0, 1.0));
        case KernelType::normalized:
            return normalized_block(child());
        case KernelType::row_scaled:
            return row_scaled_block(child(), node.row_function, places);
        case KernelType::columns:
            return build_columns(node, places);
        default:
            return build_leaf(node, places);
    }
}

}  // namespace

FeatureMap::FeatureMap(Kernel kernel, std::shared_ptr<const FeatureBlock> block, index_t columns,
                       bool truncated)
    : kernel_(std::move(kernel)),
      block_(std::move(block)),
      columns_(columns),
      truncated_(truncated) {}

index_t FeatureMap::dimension() const noexcept { return block_->dimension(); }

void FeatureMap::map(std::span<const double> x, std::span<double> out) const {
    if (static_cast<index_t>(x.size()) != columns_ ||
        static_cast<index_t>(out.size()) != dimension()) {
        throw InvalidArgument(
            fmt::format("feature map: got a row of {} and room for {} coordinates, needs {} and {}",
                        x.size(), out.size(), columns_, dimension()));
    }
    const std::string problem = domain_violation(kernel_, x);
    if (!problem.empty()) {
        throw InvalidArgument(problem);
    }
    block_->map(x, out);
}

void FeatureMap::require_coordinate(index_t i) const {
    if (i < 0 || i >= dimension()) {
        throw InvalidArgument(
            fmt::format("coordinate: got {}, must be >= 0 and < {}", i, dimension()));
    }
}

std::string FeatureMap::coordinate_name(index_t i) const {
    require_coordinate(i);
    return block_->name(i);
}

std::optional<std::vector<index_t>> FeatureMap::exponents(index_t i) const {
    require_coordinate(i);
    std::vector<index_t> out(static_cast<std::size_t>(columns_), 0);
    return block_->add_exponents(i, out) ? std::optional(std::move(out)) : std::nullopt;
}

FeatureMap make_feature_map(const Kernel& kernel, index_t columns,
                            const FeatureMapOptions& options) {
    validate(options);
    if (columns < 0) {
        throw InvalidArgument(fmt::format("columns: got {}, must be >= 0", columns));
    }
    if (!kernel.is_resolved()) {
        throw InvalidArgument("gamma", "", "is 'scale', which needs data",
                              "resolve the kernel first");
    }
    require_columns(kernel, columns);
    if (columns > options.max_dimension) {
        throw ResourceError(
            fmt::format("feature map: {} columns are more than {} coordinates, the "
                        "limit",
                        columns, options.max_dimension));
    }
    std::vector<index_t> places(static_cast<std::size_t>(columns));
    std::iota(places.begin(), places.end(), index_t{0});
    MapBuilder builder(options);
    FeatureBlockPointer block = builder.build(kernel.node(), places);
    return FeatureMap(kernel, std::move(block), columns, builder.truncated());
}

}  // namespace mercer
