// SPDX-License-Identifier: Apache-2.0
//
// src/theory/quadratic_duality.cpp - values, residuals and duals of a quadratic program.
//
// Method   Sums in long double, straight from the definitions. The dual function is the minimum of
//          a quadratic, by the spectrum of K: 1/2 x'Kx + g'x is bounded below exactly when g has no
//          part in the null space, and then its minimum is -1/2 g'K^+ g.
// Notation (letters)   g  c + A'a + E'v - p + q, the linear part of L     w  constant part of L
#include "mercer/theory/quadratic_duality.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

using Wide = long double;
using Vector = std::vector<double>;

constexpr std::uint64_t kSaddleStream = 0x736164646c65ULL;
constexpr double kNullEigenvalue = 1e-12;  // relative to the greatest
constexpr double kPositive = 1e-7;         // a multiplier, relative to the greatest
constexpr double kStrict = 1e-9;           // least significant slack, relative to the rows
constexpr double kNullPart = 1e-8;         // null-space part of g, relative: above is not rounding

/// Row i of a row-major matrix times x.
Wide row_times(const Vector& matrix, std::size_t i, std::span<const double> x) {
    Wide sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
        sum += static_cast<Wide>(matrix[i * x.size() + j]) * x[j];
    }
    return sum;
}

double bound_at(const Vector& bounds, std::size_t j, double none) {
    return bounds.empty() ? none : bounds[j];
}

void require_length(const char* name, std::size_t got, std::size_t wanted) {
    if (got != wanted) {
        throw InvalidArgument(std::string(name) + ": has " + std::to_string(got) +
                              " numbers, must have " + std::to_string(wanted));
    }
}

void require_fit(const QuadraticProgram& program, const QuadraticMultipliers& m) {
    require_length("multipliers of the rows", m.rows.size(), program.offsets.size());
    require_length("multipliers of the equations", m.equations.size(), program.values.size());
    require_length("multipliers of the lower bounds", m.lower.size(), program.linear.size());
    require_length("multipliers of the upper bounds", m.upper.size(), program.linear.size());
}

/// Calls f(value of the constraint, its multiplier) for every inequality: rows, then finite bounds.
template <typename F>
void for_each_inequality(const QuadraticProgram& program, std::span<const double> x,
                         const QuadraticMultipliers& m, const F& f) {
    for (std::size_t i = 0; i < program.offsets.size(); ++i) {
        f(row_times(program.rows, i, x) + program.offsets[i], m.rows[i]);
    }
    for (std::size_t j = 0; j < x.size(); ++j) {
        const double lower = bound_at(program.lower, j, -kInfinity);
        const double upper = bound_at(program.upper, j, kInfinity);
        if (std::isfinite(lower)) {
            f(static_cast<Wide>(lower) - x[j], m.lower[j]);
        }
        if (std::isfinite(upper)) {
            f(static_cast<Wide>(x[j]) - upper, m.upper[j]);
        }
    }
}

Wide objective_at(const QuadraticProgram& program, std::span<const double> x) {
    Wide sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Wide curved = program.quadratic.empty() ? 0 : row_times(program.quadratic, i, x) / 2;
        sum += (curved + program.linear[i]) * x[i];
    }
    return sum;
}

/// The part of L that the multipliers add to the objective.
Wide priced_violations(const QuadraticProgram& program, std::span<const double> x,
                       const QuadraticMultipliers& m) {
    Wide sum = 0;
    for_each_inequality(program, x, m,
                        [&](Wide value, double multiplier) { sum += value * multiplier; });
    for (std::size_t i = 0; i < program.values.size(); ++i) {
        sum += (row_times(program.equations, i, x) - program.values[i]) * m.equations[i];
    }
    return sum;
}

/// Returns g, and w by reference.
std::vector<Wide> linear_part(const QuadraticProgram& program, const QuadraticMultipliers& m,
                              Wide& constant) {
    const std::size_t n = program.linear.size();
    std::vector<Wide> g(program.linear.begin(), program.linear.end());
    constant = 0;
    for (std::size_t i = 0; i < m.rows.size(); ++i) {
        constant += static_cast<Wide>(m.rows[i]) * program.offsets[i];
        for (std::size_t j = 0; j < n; ++j) {
            g[j] += static_cast<Wide>(m.rows[i]) * program.rows[i * n + j];
        }
    }
    for (std::size_t i = 0; i < m.equations.size(); ++i) {
        constant -= static_cast<Wide>(m.equations[i]) * program.values[i];
        for (std::size_t j = 0; j < n; ++j) {
            g[j] += static_cast<Wide>(m.equations[i]) * program.equations[i * n + j];
        }
    }
    for (std::size_t j = 0; j < n; ++j) {
        const double lower = bound_at(program.lower, j, -kInfinity);
        const double upper = bound_at(program.upper, j, kInfinity);
        if (std::isfinite(lower)) {
            g[j] -= m.lower[j];
            constant += static_cast<Wide>(m.lower[j]) * lower;
        }
        if (std::isfinite(upper)) {
            g[j] += m.upper[j];
            constant -= static_cast<Wide>(m.upper[j]) * upper;
        }
    }
    return g;
}

Buffer<double> symmetric_part(const QuadraticProgram& program, Context& context) {
    const index_t n = program.variables();
    Buffer<double> out = context.allocate<double>(n * n, "the spectrum of K");
    for (index_t i = 0; i < n && !program.quadratic.empty(); ++i) {
        for (index_t j = 0; j < n; ++j) {
            out[i * n + j] = program.quadratic[static_cast<std::size_t>(i * n + j)] / 2.0 +
                             program.quadratic[static_cast<std::size_t>(j * n + i)] / 2.0;
        }
    }
    return out;
}

/// [A; E], row-major.
Vector all_rows(const QuadraticProgram& program) {
    Vector rows = program.rows;
    rows.insert(rows.end(), program.equations.begin(), program.equations.end());
    return rows;
}

/// Converts multipliers of bounds_as_rows(program) to those of the program; empty stays empty.
QuadraticMultipliers per_constraint(const QuadraticProgram& program,
                                    const QuadraticMultipliers& plain) {
    const std::size_t n = program.linear.size();
    QuadraticMultipliers out{{}, plain.equations, Vector(n, 0.0), Vector(n, 0.0)};
    if (plain.rows.empty()) {
        return out;
    }
    std::size_t place = program.offsets.size();
    out.rows.assign(plain.rows.begin(), plain.rows.begin() + static_cast<std::ptrdiff_t>(place));
    for (const bool low : {true, false}) {
        const Vector& bounds = low ? program.lower : program.upper;
        for (std::size_t j = 0; j < bounds.size(); ++j) {
            if (std::isfinite(bounds[j])) {
                (low ? out.lower : out.upper)[j] = plain.rows[place++];
            }
        }
    }
    return out;
}

/// Adds the equation that fixes <row, x> at its present value.
void fix_product(QuadraticProgram& face, std::span<const double> row, std::span<const double> x) {
    Wide value = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
        face.equations.push_back(row[j]);
        value += static_cast<Wide>(row[j]) * x[j];
    }
    face.values.push_back(static_cast<double>(value));
}

/// K x = K x*: one equation for each eigenvector of K that is not in its null space.
void fix_curved_part(const QuadraticProgram& program, std::span<const double> x,
                     QuadraticProgram& face, Context& context) {
    const index_t n = program.variables();
    Buffer<double> vectors = symmetric_part(program, context);
    Vector values(program.linear.size());
    symmetric_eigen({vectors.data(), n, n}, values, true, context);
    for (index_t k = 0; k < n; ++k) {
        if (values[static_cast<std::size_t>(k)] > kNullEigenvalue * values.back()) {
            fix_product(face, {vectors.data() + k * n, x.size()}, x);
        }
    }
}

/// A multiplier above this is positive.
double least_positive(const QuadraticMultipliers& m) {
    double largest = 0.0;
    for (const Vector* part : {&m.rows, &m.lower, &m.upper}) {
        for (const double value : *part) {
            largest = std::max(largest, value);
        }
    }
    return kPositive * largest;
}

/// The feasible points with K x = K x* at which all constraints with a positive multiplier are
/// active: exactly the optima. The caller sets the objective.
QuadraticProgram optimal_face(const QuadraticProgram& program, const QuadraticSolution& solution,
                              Context& context) {
    const index_t n = program.variables();
    QuadraticProgram face;
    face.equations = program.equations;
    face.values = program.values;
    face.lower = program.lower.empty() ? Vector(program.linear.size(), -kInfinity) : program.lower;
    face.upper = program.upper.empty() ? Vector(program.linear.size(), kInfinity) : program.upper;
    fix_curved_part(program, solution.x, face, context);
    const QuadraticMultipliers& m = solution.multipliers;
    const double positive = least_positive(m);
    for (index_t i = 0; i < program.inequalities(); ++i) {
        const auto row = static_cast<std::size_t>(i);
        if (m.rows[row] > positive) {
            fix_product(face, {program.rows.data() + i * n, solution.x.size()}, solution.x);
        } else {
            face.rows.insert(face.rows.end(), program.rows.begin() + i * n,
                             program.rows.begin() + (i + 1) * n);
            face.offsets.push_back(program.offsets[row]);
        }
    }
    for (std::size_t j = 0; j < program.linear.size(); ++j) {
        if (m.lower[j] > positive) {
            face.upper[j] = face.lower[j];
        } else if (m.upper[j] > positive) {
            face.lower[j] = face.upper[j];
        }
    }
    return face;
}

/// The program for the greatest common slack s <= 1 of all inequalities, each scaled by its own
/// size: variables (x, s), minimise -s.
QuadraticProgram slack_program(const QuadraticProgram& plain) {
    const std::size_t n = plain.linear.size();
    QuadraticProgram search;
    search.linear.assign(n + 1, 0.0);
    search.linear.back() = -1.0;
    for (std::size_t i = 0; i < plain.offsets.size(); ++i) {
        double size = 0.0;
        for (std::size_t j = 0; j < n; ++j) {
            search.rows.push_back(plain.rows[i * n + j]);
            size = std::max(size, std::abs(plain.rows[i * n + j]));
        }
        search.rows.push_back(size > 0.0 ? size : 1.0);
    }
    search.offsets = plain.offsets;
    for (std::size_t i = 0; i < plain.values.size(); ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            search.equations.push_back(plain.equations[i * n + j]);
        }
        search.equations.push_back(0.0);
    }
    search.values = plain.values;
    search.lower.assign(n + 1, -kInfinity);
    search.upper.assign(n + 1, kInfinity);
    search.upper.back() = 1.0;
    return search;
}

/// K^-1 [A; E]' from the factor of K, row-major.
Vector inverse_times_rows(MatrixView<const double> factor, const Vector& rows, Context& context) {
    const index_t n = factor.rows;
    const index_t all = static_cast<index_t>(rows.size()) / n;
    Vector out(rows.size());
    for (index_t i = 0; i < all; ++i) {
        for (index_t j = 0; j < n; ++j) {
            out[static_cast<std::size_t>(j * all + i)] = rows[static_cast<std::size_t>(i * n + j)];
        }
    }
    if (all > 0) {
        cholesky_solve(factor, MatrixView<double>(out.data(), n, all), context);
    }
    return out;
}

/// The dual of a program without bounds as a minimum over its multipliers (a, v), a >= 0.
QuadraticProgram negated_dual(const QuadraticProgram& plain, const ExplicitDual& dual) {
    const Vector rows = all_rows(plain);
    const index_t n = plain.variables();
    const index_t m = plain.inequalities();
    const index_t all = m + plain.equalities();
    QuadraticProgram out;
    out.quadratic.resize(static_cast<std::size_t>(all * all));
    for (index_t i = 0; i < all; ++i) {
        const auto row = static_cast<std::size_t>(i);
        for (index_t l = 0; l <= i; ++l) {
            Wide sum = 0;
            for (index_t j = 0; j < n; ++j) {
                sum += static_cast<Wide>(rows[static_cast<std::size_t>(i * n + j)]) *
                       dual.inverse_rows[static_cast<std::size_t>(j * all + l)];
            }
            out.quadratic[static_cast<std::size_t>(i * all + l)] = static_cast<double>(sum);
            out.quadratic[static_cast<std::size_t>(l * all + i)] = static_cast<double>(sum);
        }
        const double offset =
            i < m ? plain.offsets[row] : -plain.values[static_cast<std::size_t>(i - m)];
        out.linear.push_back(
            static_cast<double>(row_times(rows, row, dual.inverse_linear) - offset));
        out.lower.push_back(i < m ? 0.0 : -kInfinity);
    }
    return out;
}

}  // namespace

double KktResiduals::worst() const {
    return std::max({stationarity, primal_feasibility, dual_feasibility, complementarity});
}

double objective(const QuadraticProgram& program, std::span<const double> x) {
    require_length("x", x.size(), program.linear.size());
    return static_cast<double>(objective_at(program, x));
}

double lagrangian(const QuadraticProgram& program, std::span<const double> x,
                  const QuadraticMultipliers& multipliers) {
    require_length("x", x.size(), program.linear.size());
    require_fit(program, multipliers);
    return static_cast<double>(objective_at(program, x) +
                               priced_violations(program, x, multipliers));
}

double dual_function(const QuadraticProgram& program, const QuadraticMultipliers& multipliers,
                     Context& context) {
    require_fit(program, multipliers);
    const index_t n = program.variables();
    Wide constant = 0;
    const std::vector<Wide> g = linear_part(program, multipliers, constant);
    Buffer<double> vectors = symmetric_part(program, context);
    Vector values(program.linear.size());
    symmetric_eigen({vectors.data(), n, n}, values, true, context);
    const double cut = static_cast<double>(n) * std::numeric_limits<double>::epsilon() *
                       std::max(std::abs(values.front()), std::abs(values.back()));
    Wide size = 0;
    for (std::size_t j = 0; j < g.size(); ++j) {
        size = std::max({size, std::abs(g[j]), std::abs(static_cast<Wide>(program.linear[j]))});
    }
    Wide minimum = 0;
    for (index_t k = 0; k < n; ++k) {
        Wide part = 0;
        for (index_t j = 0; j < n; ++j) {
            part += vectors[k * n + j] * g[static_cast<std::size_t>(j)];
        }
        const double value = values[static_cast<std::size_t>(k)];
        if (value > cut) {
            minimum -= part * part / value / 2;
        } else if (value < -cut || std::abs(part) > static_cast<Wide>(kNullPart) * size) {
            return -kInfinity;
        }
    }
    return static_cast<double>(constant + minimum);
}

KktResiduals kkt_residuals(const QuadraticProgram& program, std::span<const double> x,
                           const QuadraticMultipliers& multipliers) {
    require_length("x", x.size(), program.linear.size());
    require_fit(program, multipliers);
    Wide constant = 0;
    const std::vector<Wide> g = linear_part(program, multipliers, constant);
    Wide stationarity = 0;
    for (std::size_t j = 0; j < g.size(); ++j) {
        const Wide curved = program.quadratic.empty() ? 0 : row_times(program.quadratic, j, x);
        stationarity = std::max(stationarity, std::abs(curved + g[j]));
    }
    Wide primal = 0;
    Wide dual = 0;
    Wide complementarity = 0;
    for_each_inequality(program, x, multipliers, [&](Wide value, double multiplier) {
        primal = std::max(primal, value);
        dual = std::max(dual, static_cast<Wide>(-multiplier));
        complementarity = std::max(complementarity, std::abs(value * multiplier));
    });
    for (std::size_t i = 0; i < program.values.size(); ++i) {
        primal = std::max(primal, std::abs(row_times(program.equations, i, x) - program.values[i]));
    }
    return {static_cast<double>(stationarity), static_cast<double>(primal),
            static_cast<double>(dual), static_cast<double>(complementarity)};
}

DualityReport examine(const QuadraticProgram& program, std::span<const double> x,
                      const QuadraticMultipliers& multipliers, Context& context) {
    DualityReport report;
    report.kkt = kkt_residuals(program, x, multipliers);
    const Wide primal = objective_at(program, x);
    const Wide priced = priced_violations(program, x, multipliers);
    report.primal = static_cast<double>(primal);
    report.dual = static_cast<double>(primal + priced);
    report.gap = priced == 0 ? 0.0 : static_cast<double>(-priced);
    report.dual_function = dual_function(program, multipliers, context);
    return report;
}

SaddleReport saddle_test(const QuadraticProgram& program, std::span<const double> x,
                         const QuadraticMultipliers& multipliers, index_t points,
                         Context& context) {
    SaddleReport report;
    report.value = lagrangian(program, x, multipliers);
    const double unit = 1.0 + std::abs(report.value);
    Random random = context.random(kSaddleStream);
    double size = 1.0;
    for (const double value : x) {
        size = std::max(size, std::abs(value));
    }
    for (; report.points < points; ++report.points) {
        // Distances from a thousandth of the point's size to ten times it.
        const double deviation = size * std::pow(10.0, random.uniform(-3.0, 1.0));
        Vector other(x.begin(), x.end());
        for (double& value : other) {
            value += deviation * random.normal();
        }
        report.below =
            std::max(report.below, (report.value - lagrangian(program, other, multipliers)) / unit);
        QuadraticMultipliers prices = multipliers;
        const auto move = [&](Vector& values, bool sign) {
            for (double& value : values) {
                value += std::max(1.0, std::abs(value)) * deviation / size * random.normal();
                value = sign ? std::max(0.0, value) : value;
            }
        };
        move(prices.rows, true);
        move(prices.equations, false);
        move(prices.lower, true);
        move(prices.upper, true);
        report.above =
            std::max(report.above, (lagrangian(program, x, prices) - report.value) / unit);
    }
    return report;
}

QuadraticProgram bounds_as_rows(const QuadraticProgram& program) {
    QuadraticProgram out = program;
    out.lower.clear();
    out.upper.clear();
    const std::size_t n = program.linear.size();
    for (const double sign : {-1.0, 1.0}) {
        const Vector& bounds = sign < 0.0 ? program.lower : program.upper;
        for (std::size_t j = 0; j < bounds.size(); ++j) {
            if (std::isfinite(bounds[j])) {
                out.rows.resize(out.rows.size() + n, 0.0);
                out.rows[out.rows.size() - n + j] = sign;
                out.offsets.push_back(-sign * bounds[j]);
            }
        }
    }
    return out;
}

SlaterReport slater(const QuadraticProgram& program, Context& context) {
    const QuadraticProgram plain = bounds_as_rows(program);
    const QuadraticSolution found = solve_quadratic_program(slack_program(plain), {}, context);
    SlaterReport report;
    report.status = found.status;
    report.proof = per_constraint(program, found.multipliers);
    if (found.status != QuadraticStatus::optimal) {
        return report;  // contradictory equations: no feasible point
    }
    report.slack = found.x.back();
    report.x.assign(found.x.begin(), found.x.end() - 1);
    auto greatest = static_cast<Wide>(-kInfinity);
    for (std::size_t i = 0; i < plain.offsets.size(); ++i) {
        greatest = std::max(greatest, row_times(plain.rows, i, report.x) + plain.offsets[i]);
    }
    report.holds = report.slack > kStrict && greatest < 0;
    return report;
}

std::optional<ExplicitDual> explicit_dual(const QuadraticProgram& program, Context& context) {
    const QuadraticProgram plain = bounds_as_rows(program);
    const index_t n = plain.variables();
    Buffer<double> factor = symmetric_part(plain, context);
    const MatrixView<double> k(factor.data(), n, n);
    if (plain.quadratic.empty() || !cholesky(k, context)) {
        return std::nullopt;
    }
    ExplicitDual dual;
    dual.inverse_rows = inverse_times_rows(k, all_rows(plain), context);
    dual.inverse_linear = plain.linear;
    cholesky_solve(k, MatrixView<double>(dual.inverse_linear.data(), n, 1), context);
    dual.negated = negated_dual(plain, dual);
    Wide constant = 0;
    for (std::size_t j = 0; j < plain.linear.size(); ++j) {
        constant -= static_cast<Wide>(plain.linear[j]) * dual.inverse_linear[j] / 2;
    }
    dual.constant = static_cast<double>(constant);
    return dual;
}

double ExplicitDual::value(std::span<const double> a) const {
    return constant - objective(negated, a);
}

std::vector<double> ExplicitDual::primal_point(std::span<const double> a) const {
    std::vector<double> x(inverse_linear.size());
    for (std::size_t j = 0; j < x.size(); ++j) {
        x[j] = static_cast<double>(-row_times(inverse_rows, j, a) - inverse_linear[j]);
    }
    return x;
}

std::vector<Interval> optimal_ranges(const QuadraticProgram& program,
                                     const QuadraticSolution& solution, Context& context) {
    QuadraticProgram face = optimal_face(program, solution, context);
    std::vector<Interval> ranges;
    for (std::size_t j = 0; j < program.linear.size(); ++j) {
        Interval range{kNaN, kNaN};
        for (const double sign : {1.0, -1.0}) {
            face.linear.assign(program.linear.size(), 0.0);
            face.linear[j] = sign;
            const QuadraticSolution end = solve_quadratic_program(face, {}, context);
            double& place = sign > 0.0 ? range.lower : range.upper;
            if (end.status == QuadraticStatus::optimal) {
                place = end.x[j];
            } else if (end.status == QuadraticStatus::unbounded) {
                place = -sign * kInfinity;
            }
        }
        ranges.push_back(range);
    }
    return ranges;
}

}  // namespace mercer
