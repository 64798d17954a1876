// SPDX-License-Identifier: Apache-2.0
//
// src/compute/program.cpp - lowering: one recursive traversal of the expression.
#include "compute/program.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"

namespace mercer {

namespace {

class Lowering {
public:
    explicit Lowering(index_t columns) : columns_(columns) {}

    Program run(const Kernel& kernel) {
        lower(kernel, RowSource{});
        return std::move(program_);
    }

private:
    int source_of(const RowSource& source) {
        auto& sources = program_.sources;
        const auto found = std::find(sources.begin(), sources.end(), source);
        if (found != sources.end()) {
            return static_cast<int>(found - sources.begin());
        }
        sources.push_back(source);
        return static_cast<int>(sources.size()) - 1;
    }

    void emit(Instruction instruction, int stack_change) {
        program_.instructions.push_back(std::move(instruction));
        depth_ += stack_change;
        program_.stack_depth = std::max(program_.stack_depth, depth_);
    }

    void push_pair(PairOp op, const RowSource& source,
                   std::shared_ptr<const CustomKernel> custom = nullptr) {
        const int from = source_of(source);
        auto& pairs = program_.pairs;
        const auto found = std::find_if(pairs.begin(), pairs.end(), [&](const PairQuantity& pair) {
            return pair.op == op && pair.source == from && pair.custom == custom;
        });
        const auto index = static_cast<int>(found - pairs.begin());
        if (found == pairs.end()) {
            pairs.push_back({op, from, std::move(custom)});
        }
        emit({.op = Op::push_pair, .index = index}, +1);
    }

    void push_distance(const RowSource& source, double sensitivity) {
        push_pair(PairOp::squared_distance, source);
        program_.distance_sensitivity = std::max(program_.distance_sensitivity, sensitivity);
    }

    int row_quantity(RowQuantity quantity) {
        program_.row_quantities.push_back(std::move(quantity));
        return static_cast<int>(program_.row_quantities.size()) - 1;
    }

    int squared_norm(const RowSource& source) {
        return row_quantity({RowOp::squared_norm, source_of(source), Kernel(), nullptr});
    }

    RowSource select(const RowSource& outer, const std::vector<ColumnRange>& selection) const {
        RowSource inner;
        inner.all = false;
        for (const ColumnRange& range : selection) {
            for (index_t j = range.begin; j < range.end; ++j) {
                inner.columns.push_back(outer.all ? j
                                                  : outer.columns.at(static_cast<std::size_t>(j)));
            }
        }
        return inner;
    }

    [[nodiscard]] index_t width(const RowSource& source) const {
        return source.all ? columns_ : static_cast<index_t>(source.columns.size());
    }

    void latent_gaussian(const RowSource& source, double s, double tau) {
        // Joint normal of (x, z) per column: variance v = tau^2 + s^2, covariance tau^2.
        const double tau2 = tau * tau;
        const double v = tau2 + s * s;
        const double det = s * s * (2.0 * tau2 + s * s);
        const double log_norm = std::log(2.0 * std::numbers::pi * std::sqrt(det));
        const int norm = squared_norm(source);
        push_pair(PairOp::dot, source);
        emit({.op = Op::gaussian_rows,
              .index = norm,
              .a = -v / (2.0 * det),
              .b = tau2 / det,
              .c = -log_norm * static_cast<double>(width(source))},
             0);
    }

    /// Lowers a leaf; false when the node is not one.
    bool lower_leaf(const KernelNode& node, const RowSource& source) {
        const auto parameter = [&](std::size_t i) { return node.parameters.at(i); };
        switch (node.type) {
            case KernelType::linear:
                push_pair(PairOp::dot, source);
                return true;
            case KernelType::poly:
                push_pair(PairOp::dot, source);
                emit({.op = Op::affine, .a = parameter(2), .b = parameter(1)}, 0);
                emit({.op = Op::power, .index = static_cast<int>(parameter(0))}, 0);
                return true;
            case KernelType::monomial:
                push_pair(PairOp::dot, source);
                emit({.op = Op::power, .index = static_cast<int>(parameter(0))}, 0);
                return true;
            case KernelType::rbf:
                push_distance(source, parameter(0));
                emit({.op = Op::exponential, .a = -parameter(0)}, 0);
                return true;
            case KernelType::laplace:
                push_pair(PairOp::absolute_distance, source);
                emit({.op = Op::exponential, .a = -parameter(0)}, 0);
                return true;
            case KernelType::negative_distance:
                push_distance(source, parameter(0) < 2.0 ? kInfinity : 1.0);
                emit({.op = Op::negative_distance, .a = parameter(0)}, 0);
                return true;
            case KernelType::sigmoid:
                push_pair(PairOp::dot, source);
                emit({.op = Op::hyperbolic_tangent, .a = parameter(0), .b = parameter(1)}, 0);
                return true;
            case KernelType::chi2:
                push_pair(PairOp::chi2, source);
                emit({.op = Op::exponential, .a = -parameter(0)}, 0);
                return true;
            default:
                return lower_rare_leaf(node, source);
        }
    }

    void brownian_bridge(const RowSource& source) {
        push_pair(PairOp::minimum, source);
        push_pair(PairOp::maximum, source);
        emit({.op = Op::brownian_bridge}, -1);
    }

    void cosine(const RowSource& source) {
        const int norm = squared_norm(source);
        push_pair(PairOp::dot, source);
        emit({.op = Op::normalize, .index = norm}, 0);
    }

    /// <A x, A z>, or the product of two rows of the table A.
    void mapped_dot(const KernelNode& node, RowSource source) {
        source.map = node.matrix;
        source.map_is_table = node.type == KernelType::mixture;
        push_pair(PairOp::dot, source);
    }

    bool lower_rare_leaf(const KernelNode& node, const RowSource& source) {
        switch (node.type) {
            case KernelType::delta:
                push_pair(PairOp::inequality, source);
                emit({.op = Op::is_zero}, 0);
                return true;
            case KernelType::brownian_bridge:
                brownian_bridge(source);
                return true;
            case KernelType::sinc:
                push_pair(PairOp::difference, source);
                emit({.op = Op::sinc, .a = node.parameters.at(0)}, 0);
                return true;
            case KernelType::cosine:
                cosine(source);
                return true;
            case KernelType::intersection:
                push_pair(PairOp::minimum, source);
                return true;
            case KernelType::constant:
                emit({.op = Op::push_constant, .a = node.parameters.at(0)}, +1);
                return true;
            case KernelType::quadratic_form:
            case KernelType::mixture:
                mapped_dot(node, source);
                return true;
            case KernelType::latent_gaussian:
                latent_gaussian(source, node.parameters.at(0), node.parameters.at(1));
                return true;
            case KernelType::precomputed:
                push_pair(PairOp::lookup, source);
                return true;
            case KernelType::custom:
                push_pair(PairOp::custom, source, node.custom);
                return true;
            default:
                return lower_radial(node, source);
        }
    }

    bool lower_radial(const KernelNode& node, const RowSource& source) {
        const RadialForm* radial = entry_of(node.type).radial;
        if (radial == nullptr) {
            return false;
        }
        push_distance(source, radial->sensitivity(node.parameters.data()));
        emit({.op = Op::radial,
              .coefficients = node.parameters,
              .radial = radial,
              .type = node.type},
             0);
        return true;
    }

    void lower(const Kernel& kernel, const RowSource& source) {
        const KernelNode& node = kernel.node();
        if (lower_leaf(node, source)) {
            return;
        }
        if (node.type == KernelType::columns) {
            lower(node.children.at(0), select(source, node.selection));
            return;
        }
        lower(node.children.at(0), source);
        if (node.type == KernelType::sum || node.type == KernelType::product) {
            for (std::size_t i = 1; i < node.children.size(); ++i) {
                lower(node.children[i], source);
                emit({.op = node.type == KernelType::sum ? Op::add : Op::multiply}, -1);
            }
            return;
        }
        apply(node, source);
    }

    /// Lowers a node that is a function of one kernel, after the code of that kernel.
    void apply(const KernelNode& node, const RowSource& source) {
        switch (node.type) {
            case KernelType::scale:
                emit({.op = Op::affine, .a = node.parameters.at(0)}, 0);
                break;
            case KernelType::exponential:
                emit({.op = Op::exponential, .a = 1.0}, 0);
                break;
            case KernelType::polynomial:
                emit({.op = Op::horner, .coefficients = node.parameters}, 0);
                break;
            case KernelType::power:
                emit({.op = Op::power, .index = static_cast<int>(node.parameters.at(0))}, 0);
                break;
            case KernelType::normalized:
                emit({.op = Op::normalize,
                      .index = row_quantity(
                          {RowOp::diagonal, source_of(source), node.children.at(0), nullptr})},
                     0);
                break;
            case KernelType::row_scaled:
                emit({.op = Op::scale_rows,
                      .index = row_quantity(
                          {RowOp::function, source_of(source), Kernel(), node.row_function})},
                     0);
                break;
            default:
                throw InternalError("lower: kernel type without a lowering");
        }
    }

    index_t columns_;
    Program program_;
    int depth_ = 0;
};

}  // namespace

Program lower(const Kernel& kernel, index_t columns) {
    if (!kernel.is_resolved()) {
        throw InvalidArgument(
            "kernel: a parameter is still 'scale'; resolve it against data first");
    }
    require_columns(kernel, columns);
    return Lowering(columns).run(kernel);
}

}  // namespace mercer
