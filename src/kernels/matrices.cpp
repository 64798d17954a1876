// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/matrices.cpp - checks that a matrix is a quadratic form or a mixture table.
//
// Method   Cholesky with complete pivoting (Higham, Accuracy and Stability, 10.3): on a positive
//          semidefinite matrix every Schur complement is positive semidefinite, so its largest
//          entry lies on the diagonal; a complement that violates this refutes the matrix.
#include "kernels/matrices.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mercer/base/checked.hpp"

namespace mercer {

namespace {

constexpr double kPivotTolerance = 1e-10;     // times the trace
constexpr double kSymmetryTolerance = 1e-12;  // times the largest entry
constexpr double kProbabilityTolerance = 1e-9;

void require_shape(const KernelMatrix& matrix) {
    const std::optional<index_t> size = try_multiply(matrix.rows, matrix.columns);
    if (matrix.rows < 1 || matrix.columns < 1 || !size ||
        *size != static_cast<index_t>(matrix.values.size())) {
        throw InvalidArgument(fmt::format("matrix '{}': {} by {} does not fit its {} values",
                                          matrix.file, matrix.rows, matrix.columns,
                                          matrix.values.size()));
    }
    const auto bad = std::find_if_not(matrix.values.begin(), matrix.values.end(),
                                      [](double value) { return std::isfinite(value); });
    if (bad != matrix.values.end()) {
        const auto place = static_cast<index_t>(bad - matrix.values.begin());
        throw InvalidArgument(fmt::format("matrix '{}': row {}, column {} is {}, must be finite",
                                          matrix.file, place / matrix.columns + 1,
                                          place % matrix.columns + 1, *bad));
    }
}

/// True when the remainder after the last pivot is zero within the tolerance.
bool remainder_is_zero(const std::vector<double>& schur, const std::vector<bool>& done, index_t n,
                       double tolerance) {
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j <= i; ++j) {
            const bool left =
                !done[static_cast<std::size_t>(i)] && !done[static_cast<std::size_t>(j)];
            if (left && std::fabs(schur[static_cast<std::size_t>(i * n + j)]) > tolerance) {
                return false;
            }
        }
    }
    return true;
}

Diagnostic mixture_problem(const std::string& file, std::string message) {
    return {std::move(message), file, 0, 0};
}

/// Probabilities that sum to 1, or a message.
std::string read_distribution(const nlohmann::json& json, const std::string& what,
                              std::vector<double>& values) {
    if (!json.is_array() || json.empty()) {
        return what + " must be a non-empty list of probabilities";
    }
    double sum = 0.0;
    for (const nlohmann::json& entry : json) {
        const double value = entry.is_number() ? entry.get<double>() : kNaN;
        if (!(value >= 0.0 && value <= 1.0 + kProbabilityTolerance)) {
            return fmt::format("{}: entry {} must be a probability in [0, 1]", what, values.size());
        }
        values.push_back(value);
        sum += value;
    }
    if (std::fabs(sum - 1.0) > kProbabilityTolerance) {
        return fmt::format("{}: the probabilities sum to {}, must sum to 1", what, sum);
    }
    return {};
}

/// Adds the column of a state: sqrt(prior) times the probability of each symbol. Returns what is
/// wrong with it, or nothing.
std::string add_state(const nlohmann::json& row, std::size_t state,
                      const std::vector<double>& prior, KernelMatrix& matrix) {
    std::vector<double> conditional;
    std::string problem =
        read_distribution(row, fmt::format("conditional row {}", state), conditional);
    if (!problem.empty()) {
        return problem;
    }
    const auto symbols = static_cast<index_t>(conditional.size());
    if (state > 0 && symbols != matrix.rows) {
        return fmt::format("conditional row {} has {} symbols, row 0 has {}", state, symbols,
                           matrix.rows);
    }
    matrix.rows = symbols;
    matrix.values.resize(conditional.size() * prior.size());
    for (std::size_t symbol = 0; symbol < conditional.size(); ++symbol) {
        matrix.values[symbol * prior.size() + state] =
            std::sqrt(prior[state]) * conditional[symbol];
    }
    return {};
}

/// A symmetric matrix whose rows are eliminated one by one, the largest pivot first.
class Elimination {
public:
    explicit Elimination(const KernelMatrix& matrix)
        : n_(matrix.rows), schur_(matrix.values), done_(static_cast<std::size_t>(n_), false) {
        double trace = 0.0;
        for (index_t i = 0; i < n_; ++i) {
            trace += std::fabs(at(i, i));
        }
        tolerance_ = kPivotTolerance * trace;
    }

    /// The row of the largest pivot, -1 when the remainder is zero; nothing when a pivot is
    /// negative.
    [[nodiscard]] std::optional<index_t> next_pivot() const {
        index_t pivot = -1;
        for (index_t i = 0; i < n_; ++i) {
            if (is_done(i)) {
                continue;
            }
            if (at(i, i) < -tolerance_) {
                return std::nullopt;
            }
            if (pivot < 0 || at(i, i) > at(pivot, pivot)) {
                pivot = i;
            }
        }
        return pivot < 0 || at(pivot, pivot) <= tolerance_ ? -1 : pivot;
    }

    /// Eliminates the row from the others; returns its column of the factor.
    [[nodiscard]] std::vector<double> eliminate(index_t pivot) {
        const double root = std::sqrt(at(pivot, pivot));
        std::vector<double> factor(static_cast<std::size_t>(n_), 0.0);
        for (index_t i = 0; i < n_; ++i) {
            if (!is_done(i)) {
                factor[static_cast<std::size_t>(i)] = i == pivot ? root : at(i, pivot) / root;
            }
        }
        done_[static_cast<std::size_t>(pivot)] = true;
        for (index_t i = 0; i < n_; ++i) {
            for (index_t j = 0; j < n_ && !is_done(i); ++j) {
                schur_[static_cast<std::size_t>(i * n_ + j)] -=
                    factor[static_cast<std::size_t>(i)] * factor[static_cast<std::size_t>(j)];
            }
        }
        return factor;
    }

    [[nodiscard]] bool leaves_nothing() const {
        return remainder_is_zero(schur_, done_, n_, 2.0 * tolerance_);
    }

private:
    [[nodiscard]] double at(index_t i, index_t j) const {
        return schur_[static_cast<std::size_t>(i * n_ + j)];
    }
    [[nodiscard]] bool is_done(index_t i) const { return done_[static_cast<std::size_t>(i)]; }

    index_t n_;
    std::vector<double> schur_;
    std::vector<bool> done_;
    double tolerance_ = 0.0;
};

}  // namespace

std::optional<CholeskyRoot> cholesky_root(const KernelMatrix& matrix) {
    Elimination elimination(matrix);
    std::vector<std::vector<double>> factors;
    for (index_t step = 0; step < matrix.rows; ++step) {
        const std::optional<index_t> pivot = elimination.next_pivot();
        if (!pivot) {
            return std::nullopt;
        }
        if (*pivot < 0) {
            break;
        }
        factors.push_back(elimination.eliminate(*pivot));
    }
    if (!elimination.leaves_nothing()) {
        return std::nullopt;
    }
    CholeskyRoot root;
    root.rank = static_cast<index_t>(factors.size());
    for (index_t i = 0; i < matrix.rows; ++i) {
        for (const std::vector<double>& factor : factors) {
            root.values.push_back(factor[static_cast<std::size_t>(i)]);
        }
    }
    return root;
}

KernelMatrix checked_quadratic_form(KernelMatrix matrix) {
    require_shape(matrix);
    const index_t n = matrix.rows;
    if (matrix.columns != n) {
        throw InvalidArgument(fmt::format("quadratic-form: '{}' is {} by {}, must be square",
                                          matrix.file, n, matrix.columns));
    }
    double largest = 0.0;
    for (const double value : matrix.values) {
        largest = std::max(largest, std::fabs(value));
    }
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < i; ++j) {
            double& lower = matrix.values[static_cast<std::size_t>(i * n + j)];
            double& upper = matrix.values[static_cast<std::size_t>(j * n + i)];
            if (std::fabs(lower / 2.0 - upper / 2.0) > 0.5 * kSymmetryTolerance * largest) {
                throw InvalidArgument(fmt::format(
                    "quadratic-form: '{}' is not symmetric, entries ({}, {}) and ({}, {}) are {} "
                    "and {}",
                    matrix.file, i + 1, j + 1, j + 1, i + 1, lower, upper));
            }
            lower = upper = lower == upper ? lower : lower / 2.0 + upper / 2.0;
        }
    }
    if (!cholesky_root(matrix)) {
        throw InvalidArgument(fmt::format(
            "quadratic-form: '{}' is not positive semidefinite: it has a negative eigenvalue",
            matrix.file));
    }
    return matrix;
}

void require_mixture(const KernelMatrix& matrix) {
    require_shape(matrix);
    if (std::any_of(matrix.values.begin(), matrix.values.end(), [](double v) { return v < 0.0; })) {
        throw InvalidArgument("mixture", "",
                              fmt::format("'{}' has a negative probability", matrix.file));
    }
}

Result<KernelMatrix> parse_mixture(const std::string& file, std::string_view json) {
    nlohmann::json document;
    try {
        document = nlohmann::json::parse(json);
    } catch (const nlohmann::json::exception& error) {
        return mixture_problem(file, fmt::format("not valid JSON: {}", error.what()));
    }
    if (!document.is_object() || !document.contains("prior") || !document.contains("conditional")) {
        return mixture_problem(file, "a mixture needs the keys 'prior' and 'conditional'");
    }
    std::vector<double> prior;
    std::string problem = read_distribution(document["prior"], "prior", prior);
    if (!problem.empty()) {
        return mixture_problem(file, problem);
    }
    const nlohmann::json& rows = document["conditional"];
    if (!rows.is_array() || rows.size() != prior.size()) {
        return mixture_problem(
            file,
            fmt::format("conditional must have one row for each of the {} states of the prior",
                        prior.size()));
    }
    KernelMatrix matrix{file, 0, static_cast<index_t>(prior.size()), {}};
    for (std::size_t state = 0; state < prior.size(); ++state) {
        problem = add_state(rows[state], state, prior, matrix);
        if (!problem.empty()) {
            return mixture_problem(file, problem);
        }
    }
    return matrix;
}

}  // namespace mercer
