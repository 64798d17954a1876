// SPDX-License-Identifier: Apache-2.0
//
// src/compute/quadratic_program.cpp - scales and solves a program, or proves that it has no
// optimum.
//
// Method   Rows and columns are scaled to entries of about 1 (Ruiz, 2001), then the interior-point
//          method runs. If it does not reach an optimum, two linear programs that always have one
//          decide why. The least t by which all constraints must be relaxed is > 0 exactly when
//          they contradict each other, and its multipliers prove it. The steepest descent
//          direction in the unit box that stays feasible for ever and has no curvature is a ray.
#include "mercer/compute/quadratic_program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "compute/interior_point.hpp"
#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

using Vector = std::vector<double>;

constexpr int kScalings = 12;
constexpr double kSymmetryTolerance = 1e-12;  // times the largest entry
// A contradiction counts when it exceeds the error of its multipliers by this factor.
constexpr double kProofRatio = 1e6;
constexpr double kBeyondNatural = 10.0;  // times the minimiser of a single coordinate
constexpr double kNothing = 1e-20;       // far below the rounding of a scaled variable
constexpr double kRayTolerance = 1e-9;

std::size_t at(index_t i, index_t j, index_t columns) {
    return static_cast<std::size_t>(i * columns + j);
}

/// A scaled program, and the factors that undo the scaling.
struct Scaling {
    ScaledProgram program;
    Vector column;               // x = size * column * scaled x
    Vector row;                  // of A
    Vector equation;             // of E
    std::vector<index_t> fixed;  // variables with equal bounds: equations after those of E
    double size = 1.0;
    double cost = 1.0;
};

/// One number for each column of K, row of A and row of E.
struct Factors {
    Vector columns;
    Vector rows;
    Vector equations;
};

/// Updates the largest entry of each row (`across`) and of each column (`down`).
void take_greatest(const Vector& matrix, Vector& across, Vector& down) {
    const auto n = static_cast<index_t>(down.size());
    for (std::size_t i = 0; i < across.size(); ++i) {
        for (std::size_t j = 0; j < down.size(); ++j) {
            const double entry =
                std::abs(matrix[at(static_cast<index_t>(i), static_cast<index_t>(j), n)]);
            across[i] = std::max(across[i], entry);
            down[j] = std::max(down[j], entry);
        }
    }
}

/// 1 over the square roots of the largest entries of [K A' E'; A 0 0; E 0 0].
Factors factors_of(const ScaledProgram& p, std::size_t equations) {
    Factors out{Vector(static_cast<std::size_t>(p.n), 0.0),
                Vector(static_cast<std::size_t>(p.dense()), 0.0), Vector(equations, 0.0)};
    Vector ignored(static_cast<std::size_t>(p.n), 0.0);
    take_greatest(p.k, ignored, out.columns);
    take_greatest(p.a, out.rows, out.columns);
    take_greatest(p.e, out.equations, out.columns);
    for (Vector* entries : {&out.columns, &out.rows, &out.equations}) {
        for (double& entry : *entries) {
            entry = entry > 0.0 ? 1.0 / std::sqrt(entry) : 1.0;
        }
    }
    return out;
}

/// One pass: divides every row and column of [K A' E'; A 0 0; E 0 0] by the root of its largest
/// entry.
void equilibrate(ScaledProgram& p, Scaling& scaling) {
    const Factors factors = factors_of(p, scaling.equation.size());
    const auto apply = [n = p.n, &factors](Vector& matrix, const Vector& across) {
        for (std::size_t i = 0; i < across.size(); ++i) {
            for (index_t j = 0; j < n; ++j) {
                matrix[at(static_cast<index_t>(i), j, n)] *=
                    across[i] * factors.columns[static_cast<std::size_t>(j)];
            }
        }
    };
    apply(p.k, factors.columns);
    apply(p.a, factors.rows);
    apply(p.e, factors.equations);
    const auto gather = [](Vector& total, const Vector& more) {
        for (std::size_t i = 0; i < more.size(); ++i) {
            total[i] *= more[i];
        }
    };
    gather(scaling.column, factors.columns);
    gather(scaling.row, factors.rows);
    gather(scaling.equation, factors.equations);
}

double bound_of(const Vector& bounds, index_t j, double none) {
    return bounds.empty() ? none : bounds[static_cast<std::size_t>(j)];
}

/// Adds the bounds as rows and equations, before the variables are scaled to size 1.
void add_bounds(const QuadraticProgram& program, Scaling& scaling) {
    ScaledProgram& p = scaling.program;
    for (index_t j = 0; j < p.n; ++j) {
        const double lower = bound_of(program.lower, j, -kInfinity);
        const double upper = bound_of(program.upper, j, kInfinity);
        const double column = scaling.column[static_cast<std::size_t>(j)];
        if (lower == upper) {
            scaling.fixed.push_back(j);
            p.e.resize(p.e.size() + static_cast<std::size_t>(p.n), 0.0);
            p.e[p.e.size() - static_cast<std::size_t>(p.n - j)] = 1.0;
            p.f.push_back(lower / column);
            continue;
        }
        if (std::isfinite(lower)) {
            p.bounds.push_back({j, -1.0, lower / column});
        }
        if (std::isfinite(upper)) {
            p.bounds.push_back({j, 1.0, -upper / column});
        }
    }
    for (const BoundRow& bound : p.bounds) {
        p.h.push_back(bound.offset);
    }
}

/// The median of the nonzero sizes; 0 when there are none.
double middle_size(Vector values) {
    std::erase(values, 0.0);
    if (values.empty()) {
        return 0.0;
    }
    for (double& value : values) {
        value = std::abs(value);
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Scales variables and objective to about 1.
void scale_sizes(Scaling& scaling) {
    ScaledProgram& p = scaling.program;
    const double curvature = largest(p.k);
    const double slope = largest(p.c);
    Vector constants = p.h;
    constants.insert(constants.end(), p.f.begin(), p.f.end());
    double size = middle_size(std::move(constants));
    // If the objective has a natural scale, bounds far beyond it do not matter.
    const double natural = curvature > 0.0 ? kBeyondNatural * slope / curvature : 0.0;
    size = size > 0.0 && natural > 0.0 ? std::min(size, natural) : std::max(size, natural);
    scaling.size = size > 0.0 ? size : 1.0;
    const double height = std::max(curvature * scaling.size * scaling.size, slope * scaling.size);
    scaling.cost = height > 0.0 ? 1.0 / height : 1.0;
    const auto times = [](Vector& x, double factor) {
        for (double& value : x) {
            value *= factor;
        }
    };
    times(p.k, scaling.cost * scaling.size * scaling.size);
    times(p.c, scaling.cost * scaling.size);
    times(p.h, 1.0 / scaling.size);
    times(p.f, 1.0 / scaling.size);
    for (BoundRow& bound : p.bounds) {
        bound.offset /= scaling.size;
    }
}

Scaling scaled(const QuadraticProgram& program) {
    Scaling scaling;
    ScaledProgram& p = scaling.program;
    p.n = program.variables();
    const auto n = static_cast<std::size_t>(p.n);
    p.k = program.quadratic.empty() ? Vector(n * n, 0.0) : program.quadratic;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            p.k[i * n + j] = p.k[j * n + i] = p.k[i * n + j] / 2.0 + p.k[j * n + i] / 2.0;
        }
    }
    p.a = program.rows;
    p.h = program.offsets;
    p.e = program.equations;
    p.f = program.values;
    scaling.column.assign(n, 1.0);
    scaling.row.assign(program.offsets.size(), 1.0);
    scaling.equation.assign(program.values.size(), 1.0);
    for (int pass = 0; pass < kScalings; ++pass) {
        equilibrate(p, scaling);
    }
    p.c = program.linear;
    for (std::size_t j = 0; j < n; ++j) {
        p.c[j] *= scaling.column[j];
    }
    for (std::size_t i = 0; i < scaling.row.size(); ++i) {
        p.h[i] *= scaling.row[i];
    }
    for (std::size_t i = 0; i < scaling.equation.size(); ++i) {
        p.f[i] *= scaling.equation[i];
    }
    add_bounds(program, scaling);
    scale_sizes(scaling);
    return scaling;
}

/// The point in the program's own units. A variable at an active bound equals the bound exactly.
QuadraticSolution unscaled(const QuadraticProgram& program, const Scaling& scaling,
                           const InteriorRun& run) {
    const ScaledProgram& p = scaling.program;
    const auto n = static_cast<std::size_t>(p.n);
    QuadraticSolution out;
    out.status = run.status;
    out.iterations = run.iterations;
    out.x.resize(n);
    for (std::size_t j = 0; j < n; ++j) {
        const double scaled_x = std::abs(run.point.x[j]) < kNothing ? 0.0 : run.point.x[j];
        out.x[j] = scaling.size * scaling.column[j] * scaled_x;
    }
    const double price = 1.0 / (scaling.size * scaling.cost);
    QuadraticMultipliers& m = out.multipliers;
    m.lower.assign(n, 0.0);
    m.upper.assign(n, 0.0);
    for (std::size_t i = 0; i < scaling.row.size(); ++i) {
        m.rows.push_back(price * scaling.row[i] * run.point.z[i]);
    }
    for (std::size_t i = 0; i < scaling.equation.size(); ++i) {
        m.equations.push_back(price * scaling.equation[i] * run.point.y[i]);
    }
    for (std::size_t i = 0; i < p.bounds.size(); ++i) {
        const auto j = static_cast<std::size_t>(p.bounds[i].variable);
        const std::size_t place = scaling.row.size() + i;
        const bool low = p.bounds[i].sign < 0.0;
        (low ? m.lower : m.upper)[j] = price / scaling.column[j] * run.point.z[place];
        if (run.point.s[place] == 0.0) {
            out.x[j] = (low ? program.lower : program.upper)[j];
        }
    }
    for (std::size_t i = 0; i < scaling.fixed.size(); ++i) {
        const auto j = static_cast<std::size_t>(scaling.fixed[i]);
        const double y = price / scaling.column[j] * run.point.y[scaling.equation.size() + i];
        (y < 0.0 ? m.lower : m.upper)[j] = std::abs(y);
        out.x[j] = program.lower[j];
    }
    return out;
}

/// The optimum, or the last point of the method, without the reason why it stopped.
QuadraticSolution solve_once(const QuadraticProgram& program, const QuadraticOptions& options,
                             Context& context) {
    const Scaling scaling = scaled(program);
    InteriorRun run = run_interior_point(scaling.program, options, context);
    if (options.polish && run.status != QuadraticStatus::interrupted) {
        try {
            polish_active_set(scaling.program, run, context);
        } catch (const Interrupted&) {
            run.status = QuadraticStatus::interrupted;
        }
    }
    if (run.residuals.worst() <= options.tolerance) {
        run.status = QuadraticStatus::optimal;
    }
    return unscaled(program, scaling, run);
}

double row_size(const Vector& matrix, index_t i, index_t n) {
    double size = 0.0;
    for (index_t j = 0; j < n; ++j) {
        size = std::max(size, std::abs(matrix[at(i, j, n)]));
    }
    return size > 0.0 ? size : 1.0;
}

/// minimise t over (x, t), t >= 0, every constraint relaxed by t times the size of its row. The
/// rows: A, then +E, then -E, then the lower bounds, then the upper ones.
QuadraticProgram relaxed(const QuadraticProgram& program) {
    const index_t n = program.variables();
    QuadraticProgram out;
    out.linear.assign(static_cast<std::size_t>(n) + 1, 0.0);
    out.linear.back() = 1.0;
    out.lower.assign(out.linear.size(), -kInfinity);
    out.lower.back() = 0.0;
    const auto add = [&out, n](const double* row, double sign, double offset, double size) {
        for (index_t j = 0; j < n; ++j) {
            out.rows.push_back(sign * row[j]);
        }
        out.rows.push_back(-size);
        out.offsets.push_back(offset);
    };
    for (index_t i = 0; i < program.inequalities(); ++i) {
        add(program.rows.data() + i * n, 1.0, program.offsets[static_cast<std::size_t>(i)],
            row_size(program.rows, i, n));
    }
    for (const double sign : {1.0, -1.0}) {
        for (index_t i = 0; i < program.equalities(); ++i) {
            add(program.equations.data() + i * n, sign,
                -sign * program.values[static_cast<std::size_t>(i)],
                row_size(program.equations, i, n));
        }
    }
    Vector unit(static_cast<std::size_t>(n), 0.0);
    for (const double sign : {-1.0, 1.0}) {
        const Vector& bounds = sign < 0.0 ? program.lower : program.upper;
        for (std::size_t j = 0; j < bounds.size(); ++j) {
            if (std::isfinite(bounds[j])) {
                unit[j] = 1.0;
                add(unit.data(), sign, -sign * bounds[j], 1.0);
                unit[j] = 0.0;
            }
        }
    }
    return out;
}

/// Converts the multipliers of relaxed() to those of the program.
QuadraticMultipliers contradiction_of(const QuadraticProgram& program, const Vector& rows) {
    QuadraticMultipliers out;
    std::size_t place = 0;
    for (index_t i = 0; i < program.inequalities(); ++i) {
        out.rows.push_back(rows[place++]);
    }
    const auto p = static_cast<std::size_t>(program.equalities());
    for (std::size_t i = 0; i < p; ++i) {
        out.equations.push_back(rows[place + i] - rows[place + p + i]);
    }
    place += 2 * p;
    out.lower.assign(program.linear.size(), 0.0);
    out.upper.assign(program.linear.size(), 0.0);
    for (const bool low : {true, false}) {
        const Vector& bounds = low ? program.lower : program.upper;
        for (std::size_t j = 0; j < bounds.size(); ++j) {
            if (std::isfinite(bounds[j])) {
                (low ? out.lower : out.upper)[j] = rows[place++];
            }
        }
    }
    return out;
}

/// True when the multipliers combine the constraints to 0 >= a number > 0, errors included.
bool contradicts(const QuadraticProgram& program, const QuadraticMultipliers& m) {
    const index_t n = program.variables();
    long double sum = 0;
    long double size = 0;
    const auto add = [&](double term, double other) {
        sum += static_cast<long double>(term) * other;
        size += std::abs(static_cast<long double>(term) * other);
    };
    std::vector<long double> left(program.linear.size(), 0);
    for (std::size_t i = 0; i < m.rows.size(); ++i) {
        add(m.rows[i], program.offsets[i]);
        for (std::size_t j = 0; j < left.size(); ++j) {
            left[j] += static_cast<long double>(m.rows[i]) *
                       program.rows[at(static_cast<index_t>(i), static_cast<index_t>(j), n)];
        }
    }
    for (std::size_t i = 0; i < m.equations.size(); ++i) {
        add(-m.equations[i], program.values[i]);
        for (std::size_t j = 0; j < left.size(); ++j) {
            left[j] += static_cast<long double>(m.equations[i]) *
                       program.equations[at(static_cast<index_t>(i), static_cast<index_t>(j), n)];
        }
    }
    long double error = 0;
    for (std::size_t j = 0; j < left.size(); ++j) {
        if (!program.lower.empty() && std::isfinite(program.lower[j])) {
            add(m.lower[j], program.lower[j]);
        }
        if (!program.upper.empty() && std::isfinite(program.upper[j])) {
            add(-m.upper[j], program.upper[j]);
        }
        error = std::max(error, std::abs(left[j] - m.lower[j] + m.upper[j]));
    }
    return sum > 1e-9L * size && sum > static_cast<long double>(kProofRatio) * error;
}

/// minimise c'v over the directions of the unit box that stay feasible for ever and have no
/// curvature.
QuadraticProgram directions(const QuadraticProgram& program) {
    QuadraticProgram out;
    out.linear = program.linear;
    out.rows = program.rows;
    out.offsets.assign(program.offsets.size(), 0.0);
    out.equations = program.quadratic;
    out.equations.insert(out.equations.end(), program.equations.begin(), program.equations.end());
    out.values.assign(out.equations.size() / program.linear.size(), 0.0);
    out.lower.assign(program.linear.size(), -1.0);
    out.upper.assign(program.linear.size(), 1.0);
    for (std::size_t j = 0; j < out.lower.size(); ++j) {
        if (!program.lower.empty() && std::isfinite(program.lower[j])) {
            out.lower[j] = 0.0;
        }
        if (!program.upper.empty() && std::isfinite(program.upper[j])) {
            out.upper[j] = 0.0;
        }
    }
    return out;
}

bool is_ray(const QuadraticProgram& program, const Vector& v) {
    const index_t n = program.variables();
    const auto worst = [&](const Vector& matrix, bool both) {
        double out = 0.0;
        const auto count = static_cast<index_t>(matrix.size()) / n;
        for (index_t i = 0; i < count; ++i) {
            long double sum = 0;
            for (index_t j = 0; j < n; ++j) {
                sum +=
                    static_cast<long double>(matrix[at(i, j, n)]) * v[static_cast<std::size_t>(j)];
            }
            const auto value = static_cast<double>(sum) / row_size(matrix, i, n);
            out = std::max(out, both ? std::abs(value) : value);
        }
        return out;
    };
    double slope = 0.0;
    for (std::size_t j = 0; j < v.size(); ++j) {
        slope += program.linear[j] * v[j];
    }
    return slope < -kRayTolerance * largest(program.linear) && largest(v) > 0.5 &&
           worst(program.quadratic, true) <= kRayTolerance &&
           worst(program.rows, false) <= kRayTolerance &&
           worst(program.equations, true) <= kRayTolerance;
}

void require_size(const char* part, std::size_t got, index_t wanted) {
    if (static_cast<index_t>(got) != wanted) {
        throw InvalidArgument(fmt::format("{}: has {} numbers, must have {}", part, got, wanted));
    }
}

void require_finite(const char* part, const Vector& values, double but) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i]) && values[i] != but) {
            throw InvalidArgument(
                fmt::format("{}: entry {} is {}, must be finite", part, i, values[i]));
        }
    }
}

}  // namespace

std::string_view to_string(QuadraticStatus status) noexcept {
    switch (status) {
        case QuadraticStatus::optimal:
            return "optimal";
        case QuadraticStatus::infeasible:
            return "infeasible";
        case QuadraticStatus::unbounded:
            return "unbounded";
        case QuadraticStatus::iteration_limit:
            return "iteration-limit";
        case QuadraticStatus::interrupted:
            return "interrupted";
        case QuadraticStatus::reduced:
            return "reduced";
    }
    return "reduced";
}

void require_well_formed(const QuadraticProgram& program) {
    const index_t n = program.variables();
    if (n == 0) {
        throw InvalidArgument("linear: has no numbers, must have one for each variable");
    }
    if (!program.quadratic.empty()) {
        require_size("quadratic", program.quadratic.size(), n * n);
    }
    require_size("rows", program.rows.size(), program.inequalities() * n);
    require_size("equations", program.equations.size(), program.equalities() * n);
    if (!program.lower.empty()) {
        require_size("lower", program.lower.size(), n);
    }
    if (!program.upper.empty()) {
        require_size("upper", program.upper.size(), n);
    }
    require_finite("quadratic", program.quadratic, 0.0);
    require_finite("linear", program.linear, 0.0);
    require_finite("rows", program.rows, 0.0);
    require_finite("offsets", program.offsets, 0.0);
    require_finite("equations", program.equations, 0.0);
    require_finite("values", program.values, 0.0);
    require_finite("lower", program.lower, -kInfinity);
    require_finite("upper", program.upper, kInfinity);
    const double allowed = kSymmetryTolerance * largest(program.quadratic);
    for (index_t i = 0; !program.quadratic.empty() && i < n; ++i) {
        for (index_t j = 0; j < i; ++j) {
            const double below = program.quadratic[at(i, j, n)];
            const double above = program.quadratic[at(j, i, n)];
            if (std::abs(below / 2.0 - above / 2.0) > allowed / 2.0) {
                throw InvalidArgument(
                    fmt::format("quadratic: not symmetric, entries ({}, {}) and ({}, {}) are {} "
                                "and {}",
                                i, j, j, i, below, above));
            }
        }
    }
}

QuadraticSolution solve_quadratic_program(const QuadraticProgram& program,
                                          const QuadraticOptions& options, Context& context) {
    require_well_formed(program);
    QuadraticSolution solution = solve_once(program, options, context);
    if (solution.status == QuadraticStatus::optimal ||
        solution.status == QuadraticStatus::interrupted) {
        return solution;
    }
    QuadraticSolution easiest = solve_once(relaxed(program), options, context);
    solution.iterations += easiest.iterations;
    if (easiest.status == QuadraticStatus::interrupted) {
        solution.status = QuadraticStatus::interrupted;
        return solution;
    }
    QuadraticMultipliers proof = contradiction_of(program, easiest.multipliers.rows);
    if (contradicts(program, proof)) {
        solution.status = QuadraticStatus::infeasible;
        solution.multipliers = std::move(proof);
        return solution;
    }
    QuadraticSolution steepest = solve_once(directions(program), options, context);
    solution.iterations += steepest.iterations;
    if (easiest.status == QuadraticStatus::optimal && is_ray(program, steepest.x)) {
        solution.status = QuadraticStatus::unbounded;
        easiest.x.pop_back();
        solution.x = std::move(easiest.x);
        solution.multipliers = {};
        solution.ray = std::move(steepest.x);
    }
    return solution;
}

}  // namespace mercer
