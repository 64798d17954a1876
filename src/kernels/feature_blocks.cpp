// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/feature_blocks.cpp - leaves, sums, products and scalings of feature maps.
#include "kernels/feature_blocks.hpp"

#include <fmt/core.h>

#include <cmath>

#include "kernels/matrices.hpp"
#include "mercer/base/checked.hpp"
#include "mercer/kernels/formulas.hpp"

namespace mercer {

namespace {

std::vector<double> gather(std::span<const double> x, const std::vector<index_t>& places) {
    std::vector<double> chosen;
    chosen.reserve(places.size());
    for (const index_t place : places) {
        chosen.push_back(x[static_cast<std::size_t>(place)]);
    }
    return chosen;
}

double squared_norm(std::span<const double> x) {
    return formulas::squared_norm(x.data(), static_cast<index_t>(x.size()));
}

void multiply(std::span<double> values, double factor) {
    for (double& value : values) {
        value *= factor;
    }
}

class IdentityBlock final : public FeatureBlock {
public:
    explicit IdentityBlock(std::vector<index_t> places)
        : FeatureBlock(static_cast<index_t>(places.size())), places_(std::move(places)) {}

    void map(std::span<const double> x, std::span<double> out) const override {
        for (std::size_t i = 0; i < places_.size(); ++i) {
            out[i] = x[static_cast<std::size_t>(places_[i])];
        }
    }
    [[nodiscard]] std::string name(index_t i) const override {
        return fmt::format("x{}", places_[static_cast<std::size_t>(i)]);
    }
    [[nodiscard]] bool add_exponents(index_t i, std::span<index_t> exponents) const override {
        ++exponents[static_cast<std::size_t>(places_[static_cast<std::size_t>(i)])];
        return true;
    }

private:
    std::vector<index_t> places_;
};

class ConstantBlock final : public FeatureBlock {
public:
    explicit ConstantBlock(double value) : FeatureBlock(1), value_(value) {}
    void map(std::span<const double>, std::span<double> out) const override { out[0] = value_; }
    [[nodiscard]] std::string name(index_t) const override { return "1"; }
    [[nodiscard]] bool add_exponents(index_t, std::span<index_t>) const override { return true; }

private:
    double value_;
};

class RootBlock final : public FeatureBlock {
public:
    RootBlock(CholeskyRoot root, std::vector<index_t> places)
        : FeatureBlock(root.rank), root_(std::move(root)), places_(std::move(places)) {}

    void map(std::span<const double> x, std::span<double> out) const override {
        for (double& value : out) {
            value = 0.0;
        }
        const auto rank = static_cast<std::size_t>(root_.rank);
        for (std::size_t i = 0; i < places_.size(); ++i) {
            for (std::size_t j = 0; j < rank; ++j) {
                out[j] += root_.values[i * rank + j] * x[static_cast<std::size_t>(places_[i])];
            }
        }
    }
    [[nodiscard]] std::string name(index_t i) const override { return fmt::format("root{}", i); }

private:
    CholeskyRoot root_;
    std::vector<index_t> places_;
};

class TableBlock final : public FeatureBlock {
public:
    TableBlock(std::shared_ptr<const KernelMatrix> matrix, index_t place)
        : FeatureBlock(matrix->columns), matrix_(std::move(matrix)), place_(place) {}

    void map(std::span<const double> x, std::span<double> out) const override {
        const auto symbol = static_cast<index_t>(x[static_cast<std::size_t>(place_)]);
        const double* row = matrix_->values.data() + symbol * matrix_->columns;
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = row[i];
        }
    }
    [[nodiscard]] std::string name(index_t i) const override { return fmt::format("state{}", i); }

private:
    std::shared_ptr<const KernelMatrix> matrix_;
    index_t place_;
};

class DampedBlock final : public FeatureBlock {
public:
    DampedBlock(FeatureBlockPointer inner, FeatureBlockPointer series, double gamma)
        : FeatureBlock(series->dimension()),
          inner_(std::move(inner)),
          series_(std::move(series)),
          gamma_(gamma) {}

    void map(std::span<const double> x, std::span<double> out) const override {
        std::vector<double> u(static_cast<std::size_t>(inner_->dimension()));
        inner_->map(x, u);
        series_->map(x, out);
        multiply(out, formulas::rbf(squared_norm(u), gamma_));
    }
    [[nodiscard]] std::string name(index_t i) const override {
        return fmt::format("{}*exp(-{}*norm2)", series_->name(i), gamma_);
    }

private:
    FeatureBlockPointer inner_;
    FeatureBlockPointer series_;
    double gamma_;
};

class MultipleBlock final : public FeatureBlock {
public:
    MultipleBlock(FeatureBlockPointer inner, double factor)
        : FeatureBlock(inner->dimension()), inner_(std::move(inner)), factor_(factor) {}

    void map(std::span<const double> x, std::span<double> out) const override {
        inner_->map(x, out);
        multiply(out, factor_);
    }
    [[nodiscard]] std::string name(index_t i) const override { return inner_->name(i); }
    [[nodiscard]] bool add_exponents(index_t i, std::span<index_t> exponents) const override {
        return inner_->add_exponents(i, exponents);
    }

private:
    FeatureBlockPointer inner_;
    double factor_;
};

class RowScaledBlock final : public FeatureBlock {
public:
    RowScaledBlock(FeatureBlockPointer inner, std::shared_ptr<const RowFunction> function,
                   std::vector<index_t> places)
        : FeatureBlock(inner->dimension()),
          inner_(std::move(inner)),
          function_(std::move(function)),
          places_(std::move(places)) {}

    void map(std::span<const double> x, std::span<double> out) const override {
        inner_->map(x, out);
        multiply(out, (*function_)(gather(x, places_)));
    }
    [[nodiscard]] std::string name(index_t i) const override {
        return fmt::format("{}*({})", inner_->name(i), to_string(*function_));
    }

private:
    FeatureBlockPointer inner_;
    std::shared_ptr<const RowFunction> function_;
    std::vector<index_t> places_;
};

class NormalizedBlock final : public FeatureBlock {
public:
    explicit NormalizedBlock(FeatureBlockPointer inner)
        : FeatureBlock(inner->dimension()), inner_(std::move(inner)) {}

    void map(std::span<const double> x, std::span<double> out) const override {
        inner_->map(x, out);
        const double length = std::sqrt(squared_norm(out));
        for (double& value : out) {
            value = length > 0.0 ? value / length : 0.0;
        }
    }
    [[nodiscard]] std::string name(index_t i) const override {
        return inner_->name(i) + " (normalized)";
    }

private:
    FeatureBlockPointer inner_;
};

class JoinedBlock final : public FeatureBlock {
public:
    JoinedBlock(std::vector<FeatureBlockPointer> parts, index_t dimension)
        : FeatureBlock(dimension), parts_(std::move(parts)) {}

    void map(std::span<const double> x, std::span<double> out) const override {
        for (const FeatureBlockPointer& part : parts_) {
            const auto count = static_cast<std::size_t>(part->dimension());
            part->map(x, out.first(count));
            out = out.subspan(count);
        }
    }
    [[nodiscard]] std::string name(index_t i) const override {
        const FeatureBlock& part = part_of(i);
        return part.name(i);
    }
    [[nodiscard]] bool add_exponents(index_t i, std::span<index_t> exponents) const override {
        const FeatureBlock& part = part_of(i);
        return part.add_exponents(i, exponents);
    }

private:
    /// The part that coordinate i belongs to; i becomes its index within that part.
    [[nodiscard]] const FeatureBlock& part_of(index_t& i) const {
        std::size_t part = 0;
        while (i >= parts_[part]->dimension()) {
            i -= parts_[part]->dimension();
            ++part;
        }
        return *parts_[part];
    }

    std::vector<FeatureBlockPointer> parts_;
};

class TensorBlock final : public FeatureBlock {
public:
    TensorBlock(FeatureBlockPointer left, FeatureBlockPointer right, index_t dimension)
        : FeatureBlock(dimension), left_(std::move(left)), right_(std::move(right)) {}

    void map(std::span<const double> x, std::span<double> out) const override {
        std::vector<double> u(static_cast<std::size_t>(left_->dimension()));
        std::vector<double> v(static_cast<std::size_t>(right_->dimension()));
        left_->map(x, u);
        right_->map(x, v);
        std::size_t place = 0;
        for (const double a : u) {
            for (const double b : v) {
                out[place++] = a * b;
            }
        }
    }
    [[nodiscard]] std::string name(index_t i) const override {
        return fmt::format("({})*({})", left_->name(i / right_->dimension()),
                           right_->name(i % right_->dimension()));
    }
    [[nodiscard]] bool add_exponents(index_t i, std::span<index_t> exponents) const override {
        return left_->add_exponents(i / right_->dimension(), exponents) &&
               right_->add_exponents(i % right_->dimension(), exponents);
    }

private:
    FeatureBlockPointer left_;
    FeatureBlockPointer right_;
};

void require_dimension(std::optional<index_t> dimension, index_t limit) {
    if (!dimension || *dimension > limit) {
        throw ResourceError(
            fmt::format("feature map: needs more than {} coordinates, the limit", limit));
    }
}

}  // namespace

FeatureBlockPointer identity_block(std::vector<index_t> places) {
    return std::make_shared<IdentityBlock>(std::move(places));
}

FeatureBlockPointer constant_block(double value) { return std::make_shared<ConstantBlock>(value); }

FeatureBlockPointer root_block(const KernelMatrix& matrix, std::vector<index_t> places) {
    return std::make_shared<RootBlock>(cholesky_root(matrix).value(), std::move(places));
}

FeatureBlockPointer table_block(std::shared_ptr<const KernelMatrix> matrix, index_t place) {
    return std::make_shared<TableBlock>(std::move(matrix), place);
}

FeatureBlockPointer damped_block(FeatureBlockPointer inner, FeatureBlockPointer series,
                                 double gamma) {
    return std::make_shared<DampedBlock>(std::move(inner), std::move(series), gamma);
}

FeatureBlockPointer multiple_block(FeatureBlockPointer inner, double factor) {
    return std::make_shared<MultipleBlock>(std::move(inner), factor);
}

FeatureBlockPointer row_scaled_block(FeatureBlockPointer inner,
                                     std::shared_ptr<const RowFunction> function,
                                     std::vector<index_t> places) {
    return std::make_shared<RowScaledBlock>(std::move(inner), std::move(function),
                                            std::move(places));
}

FeatureBlockPointer normalized_block(FeatureBlockPointer inner) {
    return std::make_shared<NormalizedBlock>(std::move(inner));
}

FeatureBlockPointer joined_block(std::vector<FeatureBlockPointer> parts, index_t limit) {
    index_t dimension = 0;
    for (const FeatureBlockPointer& part : parts) {
        const std::optional<index_t> sum = try_add(dimension, part->dimension());
        require_dimension(sum, limit);
        dimension = *sum;
    }
    return std::make_shared<JoinedBlock>(std::move(parts), dimension);
}

FeatureBlockPointer tensor_block(FeatureBlockPointer left, FeatureBlockPointer right,
                                 index_t limit) {
    const std::optional<index_t> dimension = try_multiply(left->dimension(), right->dimension());
    require_dimension(dimension, limit);
    return std::make_shared<TensorBlock>(std::move(left), std::move(right), *dimension);
}

}  // namespace mercer
