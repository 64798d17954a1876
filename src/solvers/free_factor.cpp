// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/free_factor.cpp - M = K + R + sigma E E' of the free rows, factored and solved.
#include "solvers/free_factor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "mercer/base/checked.hpp"
#include "mercer/base/index.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

// A row whose pivot is below this share of its diagonal depends on the free ones: the pivot of a
// dependent row is only rounding, some tens of epsilons for a hundred rows.
constexpr double kDependent = 1e-12;
constexpr double kStepNoise = 4.0 * std::numeric_limits<double>::epsilon();
// From this many free rows on they are factored together: loading BLAS takes 4 ms, while the whole
// path of heart_scale takes 10 ms.
constexpr index_t kFactoredTogether = 256;

double squared_length(std::span<const double> x) {
    return std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
}

/// The multipliers r with a r = right, without groups that have no rows.
std::array<double, 2> solve_groups(const double (&a)[2][2], const double (&right)[2]) {
    const bool first = a[0][0] > 0.0;
    const bool second = a[1][1] > 0.0;
    if (first && second) {
        const double determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
        return {(right[0] * a[1][1] - a[0][1] * right[1]) / determinant,
                (a[0][0] * right[1] - a[1][0] * right[0]) / determinant};
    }
    return {first ? right[0] / a[0][0] : 0.0, second ? right[1] / a[1][1] : 0.0};
}

/// Sets steps that are only rounding to zero: they would make a row at its end leave the set. The
/// multipliers cancel most of a step, so its rounding is that of the value before.
void drop_rounding(std::vector<double>& steps, double before, double after) {
    double size = 0.0;
    for (const double x : steps) {
        size = std::max(size, std::abs(x));
    }
    size *= before > after ? std::sqrt(before / after) : 1.0;
    for (double& x : steps) {
        x = std::abs(x) <= kStepNoise * size ? 0.0 : x;
    }
}

}  // namespace

FreeFactor::FreeFactor(const DualRows& rows, Context& context)
    : rows_(rows), context_(context), columns_(*rows.dual().problem, context) {
    double sum = 0.0;
    for (index_t i = 0; i < rows.size(); ++i) {
        sum += columns_.diagonal(i);
    }
    sigma_ = rows.size() > 0 && sum > 0.0 ? sum / static_cast<double>(rows.size()) : 1.0;
}

double FreeFactor::meeting(index_t i, index_t j, double value) const {
    double sum = value;
    if (rows_.dual().groups > 0 && rows_.group_of(i) == rows_.group_of(j)) {
        sum += sigma_;
    }
    return i == j ? sum + rows_.term(i).ridge : sum;
}

bool FreeFactor::depends(index_t row, std::span<const double> column) {
    std::vector<double> meets;
    for (const index_t other : rows_.free_rows()) {
        meets.push_back(meeting(row, other, column[at(other)]));
    }
    const double own = meeting(row, row, columns_.diagonal(row));
    pivot_ = factor_.pivot(meets, own);
    return !(pivot_ > kDependent * own);
}

void FreeFactor::append(index_t row, std::span<const double> column) {
    columns_.insert(row, column, context_);
    factor_.append(pivot_, context_);
}

void FreeFactor::remove(std::size_t position) {
    columns_.remove(rows_.free_rows()[position]);
    factor_.remove(static_cast<index_t>(position));
}

bool FreeFactor::assign(std::span<const index_t> list) {
    const auto count = static_cast<index_t>(list.size());
    if (count < kFactoredTogether) {
        return false;
    }
    Buffer<double> store =
        context_.allocate<double>(checked_multiply(count, count), "the matrix of the free rows");
    MatrixView<double> m(store.data(), count, count);
    columns_.insert(list, context_);
    for (index_t i = 0; i < count; ++i) {
        for (index_t j = 0; j <= i; ++j) {
            const double value = columns_.value(list[at(i)], list[at(j)]);
            m(i, j) = meeting(list[at(i)], list[at(j)], value);
        }
    }
    if (factor_.assign(m, kDependent, context_)) {
        return true;
    }
    std::for_each(list.begin(), list.end(), [this](index_t row) { columns_.remove(row); });
    return false;
}

FreeSolution FreeFactor::solve(std::vector<double> h, const std::array<double, 2>& d) const {
    const std::vector<index_t>& free = rows_.free_rows();
    const auto groups = static_cast<std::size_t>(rows_.dual().groups);
    FreeSolution out;
    std::array<std::vector<double>, 2> unit;
    for (std::size_t g = 0; g < groups; ++g) {
        unit[g].assign(free.size(), 0.0);
    }
    for (std::size_t k = 0; k < free.size() && groups > 0; ++k) {
        const std::size_t g = rows_.group_of(free[k]);
        h[k] += sigma_ * d[g];
        unit[g][k] = 1.0;
    }
    // R'y = h and R'u = e for each group: E'M^-1 E and E'M^-1 h are products of y and u.
    factor_.solve_lower(h);
    double a[2][2] = {{0.0, 0.0}, {0.0, 0.0}};
    double right[2] = {0.0, 0.0};
    for (std::size_t g = 0; g < groups; ++g) {
        factor_.solve_lower(unit[g]);
        for (std::size_t other = 0; other <= g; ++other) {
            a[g][other] = a[other][g] =
                std::inner_product(unit[g].begin(), unit[g].end(), unit[other].begin(), 0.0);
        }
        right[g] = std::inner_product(unit[g].begin(), unit[g].end(), h.begin(), -d[g]);
    }
    out.r = solve_groups(a, right);
    const double before = squared_length(h);
    for (std::size_t g = 0; g < groups; ++g) {
        for (std::size_t k = 0; k < free.size() && out.r[g] != 0.0; ++k) {
            h[k] -= out.r[g] * unit[g][k];
        }
    }
    const double after = squared_length(h);
    out.x = std::move(h);
    factor_.solve_upper(out.x);
    drop_rounding(out.x, before, after);
    return out;
}

}  // namespace mercer
