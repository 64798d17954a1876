// SPDX-License-Identifier: Apache-2.0
//
// src/compute/reference/linear_algebra.cpp - textbook products, Cholesky factors and rotations.
//
// Method   Eigenvalues by Jacobi rotations, in sweeps over all pairs; singular values by the
//          one-sided form of Hestenes, which rotates pairs of vectors until all are orthogonal
//          (Golub, Van Loan, Matrix Computations, 8.5 and 8.6).
// Cost     n^3 for products and factors, some ten sweeps of n^3 for rotations; one thread.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "compute/reference/backend.hpp"
#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer::reference {

namespace {

// Convergence is quadratic once the angles are small; no case has needed more than ten sweeps.
constexpr int kMostSweeps = 60;
constexpr double kNegligible = 1e-17;  // of a matrix's norm: no eigenvalue changes
constexpr double kOrthogonal = 1e-15;  // cosine of two vectors, up to rounding

template <typename T>
void multiply_plainly(const Operand<T>& a, const Operand<T>& b, T alpha, T beta, MatrixView<T> c,
                      Context& context) {
    for (index_t i = 0; i < c.rows; ++i) {
        context.throw_if_stopped("multiply");
        for (index_t j = 0; j < c.columns; ++j) {
            double sum = 0.0;
            for (index_t k = 0; k < a.columns(); ++k) {
                sum += static_cast<double>(a(i, k)) * static_cast<double>(b(k, j));
            }
            // If beta is 0, c may hold anything, NaN included.
            const double before =
                beta == T{0} ? 0.0 : static_cast<double>(beta) * static_cast<double>(c(i, j));
            c(i, j) = static_cast<T>(static_cast<double>(alpha) * sum + before);
        }
    }
}

template <typename T>
bool factorise(MatrixView<T> a, Context& context) {
    for (index_t i = 0; i < a.rows; ++i) {
        context.throw_if_stopped("cholesky");
        for (index_t j = 0; j <= i; ++j) {
            auto sum = static_cast<double>(a(i, j));
            for (index_t k = 0; k < j; ++k) {
                sum -= static_cast<double>(a(i, k)) * static_cast<double>(a(j, k));
            }
            if (i == j && !(sum > 0.0)) {
                return false;
            }
            a(i, j) = static_cast<T>(i == j ? std::sqrt(sum) : sum / static_cast<double>(a(j, j)));
        }
    }
    return true;
}

template <typename T>
void substitute(MatrixView<const T> factor, bool transposed, MatrixView<double> b) {
    const index_t n = factor.rows;
    const Operand<T> l{factor, transposed};
    for (index_t c = 0; c < b.columns; ++c) {
        for (index_t step = 0; step < n; ++step) {
            const index_t i = transposed ? n - 1 - step : step;
            double sum = b(i, c);
            for (index_t k = transposed ? i + 1 : 0; k < (transposed ? n : i); ++k) {
                sum -= static_cast<double>(l(i, k)) * b(k, c);
            }
            b(i, c) = sum / static_cast<double>(l(i, i));
        }
    }
}

/// x and y become cosine x - sine y and sine x + cosine y.
struct Rotation {
    double cosine = 1.0;
    double sine = 0.0;

    /// The rotation that makes the off-diagonal entry `xy` of [xx xy; xy yy] zero, with the smaller
    /// angle.
    static Rotation of(double xx, double yy, double xy) {
        const double theta = (yy - xx) / (2.0 * xy);
        const double tangent =
            std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double cosine = 1.0 / std::hypot(tangent, 1.0);
        return {cosine, tangent * cosine};
    }

    void turn(double& x, double& y) const {
        const double old = x;
        x = cosine * old - sine * y;
        y = sine * old + cosine * y;
    }

    /// Rotates rows p and q.
    void turn_rows(MatrixView<double> a, index_t p, index_t q) const {
        for (index_t k = 0; k < a.columns; ++k) {
            turn(a(p, k), a(q, k));
        }
    }
};

double dot(MatrixView<const double> a, index_t p, index_t q) {
    return std::inner_product(a.row(p), a.row(p) + a.columns, a.row(q), 0.0);
}

/// An identity matrix that owns its memory.
class Basis {
public:
    Basis(index_t size, Context& context)
        : values_(context.allocate<double>(checked_multiply(size, size), "a basis")),
          view_(values_.data(), size, size) {
        for (index_t i = 0; i < size; ++i) {
            view_(i, i) = 1.0;
        }
    }
    [[nodiscard]] MatrixView<double> view() const { return view_; }

private:
    Buffer<double> values_;
    MatrixView<double> view_;
};

/// a becomes the diagonal matrix J a J' with J orthogonal; the rows of `basis` are rotated like
/// those of a.
void diagonalise(MatrixView<double> a, MatrixView<double> basis, Context& context) {
    const index_t n = a.rows;
    double squares = 0.0;
    for (index_t i = 0; i < n; ++i) {
        squares += dot(a, i, i);
    }
    const double negligible = kNegligible * std::sqrt(squares);
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
        bool turned = false;
        for (index_t p = 0; p < n; ++p) {
            context.throw_if_stopped("symmetric_eigen");
            for (index_t q = p + 1; q < n; ++q) {
                if (std::abs(a(p, q)) <= negligible) {
                    continue;
                }
                turned = true;
                const Rotation rotation = Rotation::of(a(p, p), a(q, q), a(p, q));
                rotation.turn_rows(a, p, q);
                for (index_t k = 0; k < n; ++k) {
                    rotation.turn(a(k, p), a(k, q));
                }
                a(p, q) = 0.0;
                a(q, p) = 0.0;
                rotation.turn_rows(basis, p, q);
            }
        }
        if (!turned) {
            return;
        }
    }
}

/// Rotates the rows of `vectors` until they are orthogonal, and those of `basis` with them.
void orthogonalise(MatrixView<double> vectors, MatrixView<double> basis, Context& context) {
    const double orthogonal = kOrthogonal * std::sqrt(static_cast<double>(vectors.columns));
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
        bool turned = false;
        for (index_t p = 0; p < vectors.rows; ++p) {
            context.throw_if_stopped("singular_values");
            for (index_t q = p + 1; q < vectors.rows; ++q) {
                const double pp = dot(vectors, p, p);
                const double qq = dot(vectors, q, q);
                const double pq = dot(vectors, p, q);
                if (std::abs(pq) <= orthogonal * std::sqrt(pp) * std::sqrt(qq)) {
                    continue;
                }
                turned = true;
                const Rotation rotation = Rotation::of(pp, qq, pq);
                rotation.turn_rows(vectors, p, q);
                rotation.turn_rows(basis, p, q);
            }
        }
        if (!turned) {
            return;
        }
    }
}

/// Row `row` becomes a unit vector orthogonal to the rows before it: among the axes, the one with
/// the largest orthogonal part is used.
void complete(MatrixView<double> vectors, index_t row) {
    double longest = -1.0;
    std::vector<double> best;
    std::vector<double> rest(static_cast<std::size_t>(vectors.columns));
    for (index_t axis = 0; axis < vectors.columns; ++axis) {
        std::fill(rest.begin(), rest.end(), 0.0);
        rest[static_cast<std::size_t>(axis)] = 1.0;
        for (int again = 0; again < 2; ++again) {  // twice is enough
            for (index_t i = 0; i < row; ++i) {
                const double part =
                    std::inner_product(rest.begin(), rest.end(), vectors.row(i), 0.0);
                for (index_t k = 0; k < vectors.columns; ++k) {
                    rest[static_cast<std::size_t>(k)] -= part * vectors(i, k);
                }
            }
        }
        const double length =
            std::sqrt(std::inner_product(rest.begin(), rest.end(), rest.begin(), 0.0));
        if (length > longest) {
            longest = length;
            best = rest;
        }
    }
    for (index_t k = 0; k < vectors.columns; ++k) {
        vectors(row, k) = best[static_cast<std::size_t>(k)] / longest;
    }
}

/// Row `row` becomes `direction` divided by its length; if that is 0, any vector that completes the
/// rows.
void set_unit_row(MatrixView<double> vectors, index_t row, const double* direction, double length) {
    if (length > 0.0) {
        std::transform(direction, direction + vectors.columns, vectors.row(row),
                       [length](double x) { return x / length; });
    } else {
        complete(vectors, row);
    }
}

std::vector<index_t> order_of(const std::vector<double>& keys) {
    std::vector<index_t> order(keys.size());
    std::iota(order.begin(), order.end(), index_t{0});
    std::stable_sort(order.begin(), order.end(), [&](index_t i, index_t j) {
        return keys[static_cast<std::size_t>(i)] < keys[static_cast<std::size_t>(j)];
    });
    return order;
}

}  // namespace

void ReferenceBackend::multiply(Operand<float> a, Operand<float> b, float alpha, float beta,
                                MatrixView<float> c, Context& context) const {
    multiply_plainly(a, b, alpha, beta, c, context);
}
void ReferenceBackend::multiply(Operand<double> a, Operand<double> b, double alpha, double beta,
                                MatrixView<double> c, Context& context) const {
    multiply_plainly(a, b, alpha, beta, c, context);
}

bool ReferenceBackend::cholesky(MatrixView<double> a, Context& context) const {
    return factorise(a, context);
}
bool ReferenceBackend::cholesky(MatrixView<float> a, Context& context) const {
    return factorise(a, context);
}

void ReferenceBackend::solve_triangle(MatrixView<const double> factor, bool transposed,
                                      MatrixView<double> b, Context&) const {
    substitute(factor, transposed, b);
}
void ReferenceBackend::solve_triangle(MatrixView<const float> factor, bool transposed,
                                      MatrixView<double> b, Context&) const {
    substitute(factor, transposed, b);
}

void ReferenceBackend::inverse_diagonal(MatrixView<const double> factor, std::span<double> out,
                                        Context& context) const {
    // (L L')^-1 has the squared lengths of the columns of L^-1 on its diagonal.
    std::vector<double> column(out.size());
    for (std::size_t j = 0; j < out.size(); ++j) {
        context.throw_if_stopped("inverse_diagonal");
        std::fill(column.begin(), column.end(), 0.0);
        column[j] = 1.0;
        substitute(factor, false, {column.data(), factor.rows, 1});
        out[j] = std::inner_product(column.begin(), column.end(), column.begin(), 0.0);
    }
}

void ReferenceBackend::symmetric_eigen(MatrixView<double> a, std::span<double> values, bool vectors,
                                       Context& context) const {
    const index_t n = a.rows;
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = i + 1; j < n; ++j) {
            a(i, j) = a(j, i);  // only the lower triangle is read
        }
    }
    const Basis basis(n, context);
    diagonalise(a, basis.view(), context);
    std::vector<double> found;
    for (index_t i = 0; i < n; ++i) {
        found.push_back(a(i, i));
    }
    const std::vector<index_t> order = order_of(found);
    for (index_t k = 0; k < n; ++k) {
        const index_t from = order[static_cast<std::size_t>(k)];
        values[static_cast<std::size_t>(k)] = found[static_cast<std::size_t>(from)];
        if (vectors) {
            std::copy_n(basis.view().row(from), n, a.row(k));
        }
    }
}

void ReferenceBackend::singular_values(MatrixView<double> a, MatrixView<double> left,
                                       std::span<double> values, MatrixView<double> right,
                                       Context& context) const {
    // C is a, or a' when that has fewer rows. Rotations J make J C = diag(values) U with
    // orthonormal rows of U, so that C = J' diag(values) U.
    const bool tall = a.rows > a.columns;
    const index_t k = std::min(a.rows, a.columns);
    const index_t length = std::max(a.rows, a.columns);
    const Operand<double> c{a, tall};
    Buffer<double> room =
        context.allocate<double>(checked_multiply(2 * k, length), "singular vectors");
    const MatrixView<double> turned(room.data(), k, length);
    const MatrixView<double> u(room.data() + k * length, k, length);
    for (index_t i = 0; i < k; ++i) {
        for (index_t j = 0; j < length; ++j) {
            turned(i, j) = c(i, j);
        }
    }
    const Basis basis(k, context);
    orthogonalise(turned, basis.view(), context);
    std::vector<double> negated;
    for (index_t i = 0; i < k; ++i) {
        negated.push_back(-std::sqrt(dot(turned, i, i)));
    }
    const std::vector<index_t> order = order_of(negated);
    for (index_t e = 0; e < k; ++e) {
        const index_t from = order[static_cast<std::size_t>(e)];
        const double value = -negated[static_cast<std::size_t>(from)];
        values[static_cast<std::size_t>(e)] = value;
        set_unit_row(u, e, turned.row(from), value);
        for (index_t i = 0; i < a.rows; ++i) {
            left(i, e) = tall ? u(e, i) : basis.view()(from, i);
        }
        for (index_t j = 0; j < a.columns; ++j) {
            right(e, j) = tall ? basis.view()(from, j) : u(e, j);
        }
    }
}

}  // namespace mercer::reference
