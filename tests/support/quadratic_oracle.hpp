// SPDX-License-Identifier: Apache-2.0
//
// tests/support/quadratic_oracle.hpp - a dense quadratic programme, solved in long double.
//
//     minimise   1/2 z'Hz + g'z     subject to   A z = b,   0 <= z <= u   (u may be infinite)
//
// Method   Primal-dual interior point with Mehrotra's predictor and corrector (SIAM J. Optim. 2,
//          1992); each step is one Cholesky factorisation of H + S/Z + T/W.
// Fits     a hundred variables. It shares no line with the engine it judges, and it is not
//          believed either: who uses it brackets the optimum with the z and v it returns.
// Notation s, t  multipliers of z >= 0 and of w = u - z >= 0     v  those of A z = b
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace mercer::testing {

using Real = long double;
using RealVector = std::vector<Real>;
using RealMatrix = std::vector<RealVector>;

struct QuadraticProgramme {
    RealMatrix h;  ///< symmetric, positive semi-definite
    RealVector g;
    RealMatrix a;  ///< few rows
    RealVector b;
    RealVector upper;  ///< > 0
};

struct QuadraticAnswer {
    RealVector z;
    RealVector v;  ///< H z + g - A'v = s - t
};

class QuadraticOracle {
public:
    explicit QuadraticOracle(const QuadraticProgramme& programme) : q_(programme) { scale(); }

    [[nodiscard]] QuadraticAnswer solve() {
        start();
        Real best = std::numeric_limits<Real>::infinity();
        QuadraticAnswer answer{z_, v_};
        int stalled = 0;
        for (int step = 0; step < 300 && stalled < 6; ++step) {
            residuals();
            const Real merit = mean_product() + largest(dual_residual_) + largest(primal_residual_);
            if (!std::isfinite(merit)) {
                break;
            }
            // Far from the end the merit may rise for long; near it, that is rounding.
            stalled = merit < 0.9L * best || best > 1e-9L ? 0 : stalled + 1;
            if (merit < best) {
                best = merit;
                answer = {z_, v_};
            }
            if (merit < 1e-19L || !factorise()) {
                break;
            }
            advance();
        }
        for (Real& value : answer.z) {
            value *= size_;
        }
        for (Real& value : answer.v) {
            value *= height_ / size_;
        }
        return answer;
    }

private:
    /// Variables and values of the order of one.
    void scale() {
        const std::size_t m = q_.g.size();
        Real diagonal = 0;
        for (std::size_t i = 0; i < m; ++i) {
            diagonal = std::max(diagonal, q_.h[i][i]);
            if (std::isfinite(q_.upper[i])) {
                size_ = std::max(size_, q_.upper[i]);
            }
        }
        const Real slope = largest(q_.g);
        if (slope > 0 && diagonal > 0) {
            size_ = size_ > 0 ? std::min(size_, slope * 1e3L / diagonal) : slope / diagonal;
        }
        size_ = std::max(size_, largest(q_.b) / static_cast<Real>(m));
        height_ = std::max(size_ * slope, size_ * size_ * diagonal);
        height_ = height_ > 0 ? height_ : 1;
        for (std::size_t i = 0; i < m; ++i) {
            for (Real& value : q_.h[i]) {
                value *= size_ * size_ / height_;
            }
            q_.g[i] *= size_ / height_;
            q_.upper[i] /= size_;
        }
        for (Real& value : q_.b) {
            value /= size_;
        }
    }

    void start() {
        const std::size_t m = q_.g.size();
        z_.assign(m, 0);
        w_.assign(m, std::numeric_limits<Real>::infinity());
        for (std::size_t i = 0; i < m; ++i) {
            z_[i] = std::min<Real>(1, 0.5L * q_.upper[i]);
            w_[i] = q_.upper[i] - z_[i];
        }
        s_.assign(m, 1);
        t_.assign(m, 0);
        for (std::size_t i = 0; i < m; ++i) {
            t_[i] = bounded(i) ? 1 : 0;
        }
        v_.assign(q_.b.size(), 0);
    }

    [[nodiscard]] bool bounded(std::size_t i) const { return std::isfinite(q_.upper[i]); }

    [[nodiscard]] static Real largest(const RealVector& x) {
        Real out = 0;
        for (const Real value : x) {
            out = std::max(out, std::abs(value));
        }
        return out;
    }

    [[nodiscard]] Real mean_product() const {
        Real sum = 0;
        std::size_t count = 0;
        for (std::size_t i = 0; i < z_.size(); ++i) {
            sum += z_[i] * s_[i] + (bounded(i) ? w_[i] * t_[i] : 0);
            count += bounded(i) ? 2 : 1;
        }
        return sum / static_cast<Real>(count);
    }

    void residuals() {
        dual_residual_.assign(z_.size(), 0);
        for (std::size_t i = 0; i < z_.size(); ++i) {
            Real sum = q_.g[i] - s_[i] + t_[i];
            for (std::size_t j = 0; j < z_.size(); ++j) {
                sum += q_.h[i][j] * z_[j];
            }
            for (std::size_t k = 0; k < v_.size(); ++k) {
                sum -= q_.a[k][i] * v_[k];
            }
            dual_residual_[i] = sum;
        }
        primal_residual_.assign(v_.size(), 0);
        for (std::size_t k = 0; k < v_.size(); ++k) {
            Real sum = -q_.b[k];
            for (std::size_t i = 0; i < z_.size(); ++i) {
                sum += q_.a[k][i] * z_[i];
            }
            primal_residual_[k] = sum;
        }
    }

    /// L of H + S/Z + T/W, and (A M^-1 A')^-1 for up to a few equations by elimination later.
    [[nodiscard]] bool factorise() {
        const std::size_t m = z_.size();
        factor_ = q_.h;
        for (std::size_t j = 0; j < m; ++j) {
            factor_[j][j] += s_[j] / z_[j] + (bounded(j) ? t_[j] / w_[j] : 0);
        }
        for (std::size_t j = 0; j < m; ++j) {
            for (std::size_t i = j; i < m; ++i) {
                Real sum = factor_[i][j];
                for (std::size_t k = 0; k < j; ++k) {
                    sum -= factor_[i][k] * factor_[j][k];
                }
                if (i == j && !(sum > 0)) {
                    return false;
                }
                factor_[i][j] = i == j ? std::sqrt(sum) : sum / factor_[j][j];
            }
        }
        columns_.clear();
        for (const RealVector& row : q_.a) {
            columns_.push_back(solved(row));
        }
        return true;
    }

    [[nodiscard]] RealVector solved(RealVector x) const {
        const std::size_t m = x.size();
        for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                x[i] -= factor_[i][k] * x[k];
            }
            x[i] /= factor_[i][i];
        }
        for (std::size_t i = m; i-- > 0;) {
            for (std::size_t k = i + 1; k < m; ++k) {
                x[i] -= factor_[k][i] * x[k];
            }
            x[i] /= factor_[i][i];
        }
        return x;
    }

    /// Gaussian elimination of a system of the size of the equations.
    [[nodiscard]] static RealVector eliminated(RealMatrix m, RealVector x) {
        for (std::size_t k = 0; k < x.size(); ++k) {
            for (std::size_t i = k + 1; i < x.size(); ++i) {
                const Real factor = m[i][k] / m[k][k];
                for (std::size_t j = k; j < x.size(); ++j) {
                    m[i][j] -= factor * m[k][j];
                }
                x[i] -= factor * x[k];
            }
        }
        for (std::size_t k = x.size(); k-- > 0;) {
            for (std::size_t j = k + 1; j < x.size(); ++j) {
                x[k] -= m[k][j] * x[j];
            }
            x[k] /= m[k][k];
        }
        return x;
    }

    struct Direction {
        RealVector z, s, t, v;
    };

    /// Newton's step towards products z s = rs and w t = rt.
    [[nodiscard]] Direction direction(const RealVector& rs, const RealVector& rt) const {
        const std::size_t m = z_.size();
        Direction d{RealVector(m), RealVector(m), RealVector(m, 0), {}};
        RealVector right(m);
        for (std::size_t i = 0; i < m; ++i) {
            right[i] = -dual_residual_[i] - (z_[i] * s_[i] - rs[i]) / z_[i] +
                       (bounded(i) ? (w_[i] * t_[i] - rt[i]) / w_[i] : 0);
        }
        d.z = solved(right);
        RealMatrix small(v_.size(), RealVector(v_.size()));
        RealVector wanted(v_.size());
        for (std::size_t k = 0; k < v_.size(); ++k) {
            for (std::size_t l = 0; l < v_.size(); ++l) {
                small[k][l] = dot(q_.a[k], columns_[l]);
            }
            wanted[k] = -primal_residual_[k] - dot(q_.a[k], d.z);
        }
        d.v = eliminated(small, wanted);
        for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t k = 0; k < v_.size(); ++k) {
                d.z[i] += columns_[k][i] * d.v[k];
            }
            d.s[i] = (rs[i] - z_[i] * s_[i] - s_[i] * d.z[i]) / z_[i];
            if (bounded(i)) {
                d.t[i] = (rt[i] - w_[i] * t_[i] + t_[i] * d.z[i]) / w_[i];
            }
        }
        return d;
    }

    [[nodiscard]] static Real dot(const RealVector& x, const RealVector& y) {
        Real sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            sum += x[i] * y[i];
        }
        return sum;
    }

    /// How far each half can go and stay positive.
    [[nodiscard]] Real longest(const Direction& d) const {
        Real length = 1;
        const auto limit = [&](Real x, Real dx) {
            if (dx < 0) {
                length = std::min(length, -x / dx);
            }
        };
        for (std::size_t i = 0; i < z_.size(); ++i) {
            limit(z_[i], d.z[i]);
            limit(s_[i], d.s[i]);
            if (bounded(i)) {
                limit(w_[i], -d.z[i]);
                limit(t_[i], d.t[i]);
            }
        }
        return length;
    }

    /// The mean product after so long a step.
    [[nodiscard]] Real product_after(const Direction& d, Real length) const {
        Real sum = 0;
        std::size_t count = 0;
        for (std::size_t i = 0; i < z_.size(); ++i) {
            sum += (z_[i] + length * d.z[i]) * (s_[i] + length * d.s[i]);
            ++count;
            if (bounded(i)) {
                sum += (w_[i] - length * d.z[i]) * (t_[i] + length * d.t[i]);
                ++count;
            }
        }
        return sum / static_cast<Real>(count);
    }

    void advance() {
        const std::size_t m = z_.size();
        const Direction affine = direction(RealVector(m, 0), RealVector(m, 0));
        const Real now = mean_product();
        const Real ratio = std::max<Real>(0, product_after(affine, longest(affine)) / now);
        const Real target = now * ratio * ratio * ratio;
        RealVector rs(m, 0);
        RealVector rt(m, 0);
        for (std::size_t i = 0; i < m; ++i) {
            rs[i] = target - affine.z[i] * affine.s[i];
            rt[i] = bounded(i) ? target + affine.z[i] * affine.t[i] : 0;
        }
        Direction d = direction(rs, rt);
        Real length = std::min<Real>(1, 0.995L * longest(d));
        // The correction may lead astray or in circles: then back to the middle of the path first.
        for (const Real centre : {0.3L, 1.0L}) {
            if (length > 0.2L && product_after(d, length) < 0.8L * now) {
                break;
            }
            d = direction(RealVector(m, centre * now), RealVector(m, centre * now));
            length = std::min<Real>(1, 0.9L * longest(d));
        }
        move(d, length);
    }

    void move(const Direction& d, Real length) {
        for (std::size_t i = 0; i < z_.size(); ++i) {
            z_[i] += length * d.z[i];
            s_[i] += length * d.s[i];
            if (bounded(i)) {
                w_[i] -= length * d.z[i];
                t_[i] += length * d.t[i];
            }
        }
        for (std::size_t k = 0; k < v_.size(); ++k) {
            v_[k] += length * d.v[k];
        }
    }

    QuadraticProgramme q_;
    Real size_ = 0;    // of a variable
    Real height_ = 1;  // of the value
    RealVector z_, w_, s_, t_, v_;
    RealVector dual_residual_, primal_residual_;
    RealMatrix factor_, columns_;
};

}  // namespace mercer::testing
