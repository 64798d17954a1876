// SPDX-License-Identifier: Apache-2.0
//
// src/theory/exact_system.cpp - p-adic lifting, and fraction-free elimination.
//
// Method   Dixon, "Exact solution of linear equations using p-adic expansions", Numerische
//          Mathematik 40, 1982: with C = A^-1 mod p, the digits of x = x_0 + x_1 p + ... come from
//          x_t = C r_t mod p, r_{t+1} = (r_t - A x_t) / p. Cramer's rule and Hadamard's bound give
//          the number of digits that determine the rational x, which Euclid's algorithm then finds.
//          The rank is found by Bareiss's elimination (Math. Comp. 22, 1968).
// Cost     n^3 word operations for C, n^2 for each of 2 n (bits of an entry) / 31 digits.
// Notation p  a prime below 2^31   C  the inverse modulo p   r  residual of b   m  p^digits
#include "theory/exact_system.hpp"

#include <algorithm>
#include <array>

#include "mercer/runtime/context.hpp"

namespace mercer::theory {

namespace {

using Word = std::uint64_t;

/// The greatest primes below 2^31.
constexpr std::array<Word, 8> kPrimes{2147483647, 2147483629, 2147483587, 2147483579,
                                      2147483563, 2147483549, 2147483543, 2147483497};
constexpr double kPrimeBits = 30.99;

Word residue_modulo(const Integer& x, Word p) { return mpz_fdiv_ui(x.get_mpz_t(), p); }

Word inverse_modulo(Word x, Word p) {
    Word power = p - 2;  // Fermat's little theorem
    Word out = 1;
    for (Word square = x % p; power != 0; power >>= 1, square = square * square % p) {
        out = (power & 1) != 0 ? out * square % p : out;
    }
    return out;
}

/// row -= factor * other, modulo p, from entry `begin` on.
void subtract_multiple(Word* row, const Word* other, Word factor, std::size_t begin,
                       std::size_t end, Word p) {
    const Word negative = p - factor;
    for (std::size_t j = begin; j < end; ++j) {
        row[j] = (row[j] + negative * other[j]) % p;
    }
}

/// A^-1 modulo p by Gauss-Jordan elimination; false when A is singular modulo p.
bool invert_modulo(const IntegerMatrix& a, Word p, std::vector<Word>& inverse) {
    const std::size_t n = a.size;
    const std::size_t width = 2 * n;
    std::vector<Word> work(n * width, 0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            work[i * width + j] = residue_modulo(a(i, j), p);
        }
        work[i * width + n + i] = 1;
    }
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        while (pivot < n && work[pivot * width + k] == 0) {
            ++pivot;
        }
        if (pivot == n) {
            return false;
        }
        Word* row = work.data() + k * width;
        if (pivot != k) {
            std::swap_ranges(row, row + width, work.data() + pivot * width);
        }
        const Word scale = inverse_modulo(row[k], p);
        for (std::size_t j = k; j < width; ++j) {
            row[j] = row[j] * scale % p;
        }
        for (std::size_t i = 0; i < n; ++i) {
            Word* other = work.data() + i * width;
            if (i != k && other[k] != 0) {
                subtract_multiple(other, row, other[k], k, width, p);
            }
        }
    }
    inverse.resize(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        std::copy_n(work.data() + i * width + n, n, inverse.data() + i * n);
    }
    return true;
}

/// log2 of a bound on every numerator and denominator of the solution.
double hadamard_bits(const IntegerMatrix& a, std::span<const Integer> b) {
    double bits = 1.0;
    for (std::size_t i = 0; i < a.size; ++i) {
        // The norm of a row of (A, b) bounds that of the same row in any matrix of Cramer's rule.
        std::size_t longest = mpz_sizeinbase(b[i].get_mpz_t(), 2);
        for (std::size_t j = 0; j < a.size; ++j) {
            longest = std::max(longest, mpz_sizeinbase(a(i, j).get_mpz_t(), 2));
        }
        bits += static_cast<double>(longest) + 0.5 * std::log2(static_cast<double>(a.size) + 1.0);
    }
    return bits;
}

/// The fraction u / v = x modulo m with |u| <= bound, by Euclid's algorithm.
void reconstruct(const Integer& x, const Integer& m, const Integer& bound, Integer& u, Integer& v) {
    Integer older = m;
    Integer older_factor = 0;
    u = x;
    v = 1;
    Integer quotient;
    Integer next;
    while (u > bound) {
        mpz_fdiv_qr(quotient.get_mpz_t(), next.get_mpz_t(), older.get_mpz_t(), u.get_mpz_t());
        swap(older, u);
        swap(u, next);
        mpz_submul(older_factor.get_mpz_t(), quotient.get_mpz_t(), v.get_mpz_t());
        swap(older_factor, v);
    }
    if (v < 0) {
        u = -u;
        v = -v;
    }
}

/// The residue of least magnitude.
Integer centred(Integer x, const Integer& m) {
    mpz_fdiv_r(x.get_mpz_t(), x.get_mpz_t(), m.get_mpz_t());
    return 2 * x > m ? Integer(x - m) : x;
}

/// From x modulo m to fractions over one denominator.
void reconstruct_all(const std::vector<Integer>& residues, const Integer& m, const Integer& bound,
                     RationalVector& x) {
    x.denominator = 1;
    std::vector<Integer> at_denominator;  // the denominator when each numerator was found
    x.numerators.clear();
    Integer u;
    Integer v;
    for (const Integer& residue : residues) {
        Integer y = centred(residue * x.denominator, m);
        if (abs(y) > bound) {
            mpz_fdiv_r(y.get_mpz_t(), y.get_mpz_t(), m.get_mpz_t());
            reconstruct(y, m, bound, u, v);
            x.denominator *= v;
            y = u;
        }
        x.numerators.push_back(y);
        at_denominator.push_back(x.denominator);
    }
    for (std::size_t i = 0; i < x.numerators.size(); ++i) {
        x.numerators[i] *= x.denominator / at_denominator[i];
    }
}

/// The digits of x to base p, put together: x modulo p^digits.
std::vector<Integer> lift(const IntegerMatrix& a, std::span<const Integer> b,
                          const std::vector<Word>& inverse, Word p, std::size_t digits,
                          const Context& context) {
    const std::size_t n = a.size;
    std::vector<Integer> remainder(b.begin(), b.end());
    std::vector<Integer> x(n);
    std::vector<Word> residues(n);
    std::vector<Word> digit(n);
    Integer power = 1;
    for (std::size_t t = 0; t < digits; ++t) {
        context.throw_if_stopped("an exact system of equations");
        for (std::size_t i = 0; i < n; ++i) {
            residues[i] = residue_modulo(remainder[i], p);
        }
        for (std::size_t i = 0; i < n; ++i) {
            Word sum = 0;
            const Word* row = inverse.data() + i * n;
            for (std::size_t j = 0; j < n; ++j) {
                sum = (sum + row[j] * residues[j]) % p;
            }
            digit[i] = sum;
            mpz_addmul_ui(x[i].get_mpz_t(), power.get_mpz_t(), sum);
        }
        for (std::size_t i = 0; i < n; ++i) {
            mpz_ptr value = remainder[i].get_mpz_t();
            for (std::size_t j = 0; j < n; ++j) {
                mpz_submul_ui(value, a(i, j).get_mpz_t(), digit[j]);
            }
            mpz_divexact_ui(value, value, p);
        }
        power *= static_cast<unsigned long>(p);
    }
    return x;
}

}  // namespace

bool solve_exactly(const IntegerMatrix& a, std::span<const Integer> b, RationalVector& x,
                   const Context& context) {
    std::vector<Word> inverse;
    for (const Word p : kPrimes) {
        if (!invert_modulo(a, p, inverse)) {
            continue;
        }
        const double bits = hadamard_bits(a, b);
        const auto digits = static_cast<std::size_t>((2.0 * bits + 2.0) / kPrimeBits) + 1;
        const std::vector<Integer> residues = lift(a, b, inverse, p, digits, context);
        Integer m;
        mpz_ui_pow_ui(m.get_mpz_t(), p, digits);
        const Integer bound = Integer(1) << static_cast<mp_bitcnt_t>(bits);
        reconstruct_all(residues, m, bound, x);
        return true;
    }
    return false;
}

double exact_work(std::size_t size, std::size_t bits) {
    const auto n = static_cast<double>(size);
    const double entry = static_cast<double>(bits) + 0.5 * std::log2(n + 1.0);
    const double digits = 2.0 * n * entry / kPrimeBits;
    return 2.0 * n * n * n + digits * n * n * (2.0 + entry / 64.0) + n * digits * digits / 4.0;
}

std::uint64_t IndependentVectors::residue(const Integer& x) {
    return residue_modulo(x, kPrimes[0]);
}

bool IndependentVectors::add(std::vector<std::uint64_t> vector) {
    constexpr Word p = kPrimes[0];
    for (std::size_t k = 0; k < reduced_.size(); ++k) {
        if (const Word factor = vector[pivots_[k]]; factor != 0) {
            subtract_multiple(vector.data(), reduced_[k].data(), factor, 0, dimension_, p);
        }
    }
    const auto found = std::find_if(vector.begin(), vector.end(), [](Word x) { return x != 0; });
    if (found == vector.end()) {
        return false;
    }
    const Word scale = inverse_modulo(*found, p);
    pivots_.push_back(static_cast<std::size_t>(found - vector.begin()));
    for (Word& x : vector) {
        x = x * scale % p;
    }
    reduced_.push_back(std::move(vector));
    return true;
}

std::size_t exact_rank(std::vector<std::vector<Integer>> vectors) {
    std::size_t rank = 0;
    Integer previous = 1;
    const std::size_t columns = vectors.empty() ? 0 : vectors[0].size();
    for (std::size_t j = 0; j < columns && rank < vectors.size(); ++j) {
        std::size_t pivot = rank;
        while (pivot < vectors.size() && vectors[pivot][j] == 0) {
            ++pivot;
        }
        if (pivot == vectors.size()) {
            continue;
        }
        std::swap(vectors[rank], vectors[pivot]);
        const std::vector<Integer>& row = vectors[rank];
        for (std::size_t i = rank + 1; i < vectors.size(); ++i) {
            const Integer factor = vectors[i][j];
            for (std::size_t k = j; k < columns; ++k) {
                Integer value = vectors[i][k] * row[j] - factor * row[k];
                mpz_divexact(value.get_mpz_t(), value.get_mpz_t(), previous.get_mpz_t());
                vectors[i][k] = value;
            }
        }
        previous = row[j];
        ++rank;
    }
    return rank;
}

}  // namespace mercer::theory
