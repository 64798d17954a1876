// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/catalogue.cpp - the one table that describes every kernel.
#include "mercer/kernels/catalogue.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "kernels/lookup.hpp"
#include "mercer/base/quad.hpp"
#include "mercer/kernels/formulas.hpp"

namespace mercer {

namespace {

constexpr Range kAny{};
constexpr Range kPositive{0.0, kInfinity, true};
constexpr Range kNonNegative{0.0, kInfinity, false};
constexpr Range kDegree{1.0, std::numeric_limits<int>::max(), false};
// The squares of these must neither overflow nor underflow.
constexpr Range kSpread{1e-100, 1e100, false};
// Above 50 the Bessel function overflows where the kernel is still far from 1; rbf is the limit of
// large nu.
constexpr Range kSmoothness{0.0, 50.0, true};
constexpr Range kDistancePower{0.0, 2.0, true};

constexpr KernelParameter kPolyParameters[] = {
    {"degree", 3.0, kDegree, true, false, "power the inner product is raised to"},
    {"coef0", 1.0, kAny, false, false, "constant added first; below 0 the kernel is indefinite"},
    {"scale", 1.0, kPositive, false, true, "factor of the inner product"},
};
constexpr KernelParameter kMonomialParameters[] = {
    {"degree", 2.0, kDegree, true, false, "power the inner product is raised to"},
};
constexpr KernelParameter kRbfParameters[] = {
    {"gamma", kNaN, kPositive, false, true, "inverse squared width; sigma=s means 1 / (2 s^2)"},
};
constexpr KernelParameter kLaplaceParameters[] = {
    {"gamma", 1.0, kPositive, false, true, "inverse width"},
};
constexpr KernelParameter kMaternParameters[] = {
    {"nu", 1.5, kSmoothness, false, false, "smoothness; 0.5, 1.5 and 2.5 are fastest"},
    {"length", 1.0, kPositive, false, false, "distance over which values stay similar"},
};
template <typename Real>
Real matern_of_square(Real d2, const double* p) {
    using std::sqrt;
    return formulas::matern(sqrt(d2), p[0], p[1]);
}
constexpr RadialForm kMaternForm{
    matern_of_square<double>, matern_of_square<Quad>,
    // k = 1 - nu / (2 (nu - 1)) d2 / length^2 + ...  for nu > 1; a kink at zero otherwise.
    [](const double* p) {
        return p[0] > 1.0 ? p[0] / (2.0 * (p[0] - 1.0) * p[1] * p[1]) : kInfinity;
    },
    Definiteness::strictly_positive_definite,
    "the Fourier transform of a positive density (Bochner)"};
constexpr KernelParameter kRationalQuadraticParameters[] = {
    {"alpha", 1.0, kPositive, false, false, "weight of the tails; large is close to rbf"},
    {"length", 1.0, kPositive, false, false, "distance over which values stay similar"},
};
template <typename Real>
Real rational_quadratic_of_square(Real d2, const double* p) {
    return formulas::rational_quadratic(d2, p[0], p[1]);
}
constexpr RadialForm kRationalQuadraticForm{
    rational_quadratic_of_square<double>, rational_quadratic_of_square<Quad>,
    [](const double* p) { return 0.5 / (p[1] * p[1]); }, Definiteness::strictly_positive_definite,
    "a mixture of Gaussian kernels over their widths"};
constexpr KernelParameter kSigmoidParameters[] = {
    {"gamma", 1.0, kPositive, false, true, "factor of the inner product"},
    {"coef0", 0.0, kAny, false, false, "constant added to it"},
};
constexpr KernelParameter kSincParameters[] = {
    {"bandwidth", 0.5, kPositive, false, false, "highest frequency A; the diagonal is 2 A"},
};
constexpr KernelParameter kChi2Parameters[] = {
    {"gamma", 1.0, kPositive, false, false, "inverse width"},
};
constexpr KernelParameter kConstantParameters[] = {
    {"value", 1.0, kNonNegative, false, false, "the value everywhere"},
};
constexpr KernelParameter kLatentGaussianParameters[] = {
    {"s", 1.0, kSpread, false, false, "standard deviation of an entry given its latent variable"},
    {"tau", 1.0, kSpread, false, false, "standard deviation of the latent variable"},
};
constexpr KernelParameter kNegativeDistanceParameters[] = {
    {"power", 2.0, kDistancePower, false, false, "exponent of the distance"},
};
constexpr KernelParameter kScaleParameters[] = {
    {"factor", 1.0, kPositive, false, false, "positive factor"},
};
constexpr KernelParameter kPowerParameters[] = {
    {"exponent", 2.0, kDegree, true, false, "integer power"},
};

constexpr std::string_view kLinearSynonyms[] = {"dot", "inner-product"};
constexpr std::string_view kPolySynonyms[] = {"polynomial-kernel", "inhomogeneous-polynomial"};
constexpr std::string_view kMonomialSynonyms[] = {"homogeneous-polynomial", "homogeneous"};
constexpr std::string_view kRbfSynonyms[] = {"gaussian", "gauss", "squared-exponential", "radial"};
constexpr std::string_view kLaplaceSynonyms[] = {"laplacian", "exponential", "l1"};
constexpr std::string_view kSigmoidSynonyms[] = {"tanh", "mlp"};
constexpr std::string_view kDeltaSynonyms[] = {"kronecker", "white", "identity"};
constexpr std::string_view kBridgeSynonyms[] = {"sobolev", "brownian"};
constexpr std::string_view kSincSynonyms[] = {"paley-wiener", "bandlimited"};
constexpr std::string_view kChi2Synonyms[] = {"chi-squared", "chisquare", "additive-chi2"};
constexpr std::string_view kIntersectionSynonyms[] = {"histogram", "histogram-intersection"};
constexpr std::string_view kConstantSynonyms[] = {"bias", "ones"};
constexpr std::string_view kQuadraticSynonyms[] = {"weighted-linear", "mahalanobis"};
constexpr std::string_view kDistanceSynonyms[] = {"energy", "distance"};
constexpr std::string_view kNormalizedSynonyms[] = {"normalised", "normalize", "normalise"};

constexpr std::string_view kStrict = "strictly positive definite";
constexpr std::string_view kPlain = "positive definite";
constexpr std::string_view kOfChild = "see the rules of construction";

// One row per KernelType, in its order: entry_of() indexes by it.
constexpr CatalogueEntry kCatalogue[] = {
    {KernelType::linear,
     "linear",
     "linear",
     "x'z",
     "The inner product of two rows.",
     kPlain,
     "",
     {},
     kLinearSynonyms},
    {KernelType::poly, "poly", "poly(degree=3, coef0=1, scale=1)", "(scale x'z + coef0)^degree",
     "All monomials up to a degree.", "positive definite for coef0 >= 0, otherwise indefinite", "",
     kPolyParameters, kPolySynonyms},
    {KernelType::monomial, "monomial", "monomial(degree=2)", "(x'z)^degree",
     "All monomials of exactly one degree.", kPlain, "", kMonomialParameters, kMonomialSynonyms},
    {KernelType::rbf, "rbf", "rbf(gamma=scale)", "exp(-gamma |x-z|^2)",
     "The Gaussian; rbf(sigma=s) is the same with gamma = 1 / (2 s^2).", kStrict, "",
     kRbfParameters, kRbfSynonyms},
    {KernelType::laplace, "laplace", "laplace(gamma=1)", "exp(-gamma sum |x_i-z_i|)",
     "Exponential decay in the sum of absolute differences.", kStrict, "", kLaplaceParameters,
     kLaplaceSynonyms},
    {KernelType::matern,
     "matern",
     "matern(nu=1.5, length=1)",
     "2 (t/2)^nu K_nu(t) / Gamma(nu), t = sqrt(2 nu) |x-z| / length",
     "Functions of adjustable smoothness.",
     kStrict,
     "",
     kMaternParameters,
     {},
     &kMaternForm},
    {KernelType::rational_quadratic,
     "rational-quadratic",
     "rational-quadratic(alpha=1, length=1)",
     "(1 + |x-z|^2 / (2 alpha length^2))^-alpha",
     "A mixture of Gaussians of all widths.",
     kStrict,
     "",
     kRationalQuadraticParameters,
     {},
     &kRationalQuadraticForm},
    {KernelType::sigmoid, "sigmoid", "sigmoid(gamma=1, coef0=0)", "tanh(gamma x'z + coef0)",
     "The neural-network kernel, which is not a kernel in general.", "indefinite", "",
     kSigmoidParameters, kSigmoidSynonyms},
    {KernelType::delta,
     "delta",
     "delta",
     "1 if x = z, else 0",
     "Rows are similar only when equal.",
     kStrict,
     "",
     {},
     kDeltaSynonyms},
    {KernelType::brownian_bridge,
     "brownian-bridge",
     "brownian-bridge",
     "min(x,z) (1 - max(x,z))",
     "The kernel of the Sobolev space H_0^1 of the unit interval.",
     kPlain,
     "one column, entries in [0, 1]",
     {},
     kBridgeSynonyms},
    {KernelType::sinc, "sinc", "sinc(bandwidth=0.5)", "sin(2 pi A (x-z)) / (pi (x-z))",
     "The kernel of band-limited functions (Paley-Wiener).", kStrict, "one column", kSincParameters,
     kSincSynonyms},
    {KernelType::cosine,
     "cosine",
     "cosine",
     "x'z / (|x| |z|)",
     "The cosine of the angle between two rows; 0 when a row is zero.",
     kPlain,
     "",
     {},
     {}},
    {KernelType::chi2, "chi2", "chi2(gamma=1)", "exp(-gamma sum (x_i-z_i)^2 / (x_i+z_i))",
     "For histograms; a column where both entries are 0 contributes nothing.", kStrict,
     "entries >= 0", kChi2Parameters, kChi2Synonyms},
    {KernelType::intersection,
     "intersection",
     "intersection",
     "sum min(x_i, z_i)",
     "The overlap of two histograms.",
     kPlain,
     "entries >= 0",
     {},
     kIntersectionSynonyms},
    {KernelType::constant, "constant", "constant(1)", "value",
     "The same value everywhere; a bare number in a sum means it.", kPlain, "", kConstantParameters,
     kConstantSynonyms},
    {KernelType::quadratic_form,
     "quadratic-form",
     "quadratic-form(file.npy)",
     "x'Az",
     "The inner product weighted by a symmetric matrix without negative eigenvalues.",
     kPlain,
     "as many columns as A",
     {},
     kQuadraticSynonyms},
    {KernelType::mixture,
     "mixture",
     "mixture(file.json)",
     "sum_i p(x|i) p(z|i) p(i)",
     "Two symbols are similar when the same hidden states emit them.",
     kPlain,
     "one column of symbols 0, 1, ...",
     {},
     {}},
    {KernelType::latent_gaussian,
     "latent-gaussian",
     "latent-gaussian(s=1, tau=1)",
     "product over columns of N((x,z); 0, [[tau^2+s^2, tau^2], [tau^2, tau^2+s^2]])",
     "The mixture kernel of a Gaussian latent variable per column.",
     kStrict,
     "",
     kLatentGaussianParameters,
     {}},
    {KernelType::negative_distance, "negative-distance", "negative-distance(power=2)",
     "-|x-z|^power", "A similarity that is a kernel only up to a constant.",
     "conditionally positive definite", "", kNegativeDistanceParameters, kDistanceSynonyms},
    {KernelType::precomputed,
     "precomputed",
     "precomputed",
     "K[i][j]",
     "Values come from a matrix instead of rows.",
     "assumed to be positive definite",
     "a matrix",
     {},
     {}},
    {KernelType::custom,
     "",
     "",
     "",
     "A kernel written by the user.",
     "as its author declares",
     "",
     {},
     {}},
    {KernelType::scale,
     "",
     "2 * k",
     "factor k",
     "A positive multiple.",
     kOfChild,
     "",
     kScaleParameters,
     {}},
    {KernelType::sum, "", "k1 + k2", "k1 + k2", "The sum of kernels.", kOfChild, "", {}, {}},
    {KernelType::product, "", "k1 * k2", "k1 k2", "The product of kernels.", kOfChild, "", {}, {}},
    {KernelType::exponential,
     "exp",
     "exp(k)",
     "exp(k)",
     "The exponential of a kernel.",
     kOfChild,
     "",
     {},
     {}},
    {KernelType::polynomial,
     "polynomial",
     "polynomial(k; 1, 1, 1, 1)",
     "sum_i c_i k^i",
     "A polynomial of a kernel with coefficients >= 0, constant first.",
     kOfChild,
     "",
     {},
     {}},
    {KernelType::normalized,
     "normalized",
     "normalized(k)",
     "k(x,z) / sqrt(k(x,x) k(z,z))",
     "The kernel scaled to a diagonal of 1; 0 where the diagonal is not positive.",
     kOfChild,
     "",
     {},
     kNormalizedSynonyms},
    {KernelType::row_scaled,
     "scaled",
     "scaled(k; f)",
     "f(x) k(x,z) f(z)",
     "A kernel times a function of each row: numbers, norm2, norm, column(j), exp(f), + - * ^.",
     kOfChild,
     "",
     {},
     {}},
    {KernelType::columns,
     "columns",
     "columns(k; 0:3, 7)",
     "k(x[columns], z[columns])",
     "A kernel of some columns, counted from 0; 0:3 means 0, 1, 2.",
     kOfChild,
     "",
     {},
     {}},
    {KernelType::power,
     "",
     "k ^ 3",
     "k^exponent",
     "An integer power.",
     kOfChild,
     "",
     kPowerParameters,
     {}},
};

static_assert(std::size(kCatalogue) == static_cast<std::size_t>(KernelType::power) + 1);

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) {
        c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return lower;
}

/// Insertions, deletions, replacements and swaps of neighbours that turn a into b.
int edit_distance(std::string_view a, std::string_view b) {
    std::vector<int> before(b.size() + 1);
    std::vector<int> previous(b.size() + 1);
    std::vector<int> current(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        previous[j] = static_cast<int>(j);
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        current[0] = static_cast<int>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const int replace = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            current[j] = std::min({replace, previous[j] + 1, current[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                current[j] = std::min(current[j], before[j - 2] + 1);
            }
        }
        before.swap(previous);
        previous.swap(current);
    }
    return previous[b.size()];
}

constexpr std::size_t kLongestName = 40;  // no name is longer: a longer word is not a misspelling

}  // namespace

std::span<const CatalogueEntry> kernel_catalogue() noexcept { return kCatalogue; }

const CatalogueEntry& entry_of(KernelType type) noexcept {
    return kCatalogue[static_cast<std::size_t>(type)];
}

const CatalogueEntry* find_entry(std::string_view name) noexcept {
    for (const CatalogueEntry& entry : kCatalogue) {
        if (!name.empty() && entry.name == name) {
            return &entry;
        }
    }
    return nullptr;
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
    if (name.size() > kLongestName) {
        return {};
    }
    const std::string wanted = lower_case(name);
    std::string_view best;
    int best_distance = name.size() <= 3 ? 2 : 3;  // accepted strictly below
    for (const std::string_view candidate : candidates) {
        // A prefix of a name counts as one edit.
        const bool begins = wanted.size() >= 3 && candidate.starts_with(wanted);
        // The difference in length is a lower bound of the edits, which rules out most names.
        const std::size_t longer = std::max(wanted.size(), candidate.size());
        const std::size_t shorter = std::min(wanted.size(), candidate.size());
        if (!begins && static_cast<int>(longer - shorter) >= best_distance) {
            continue;
        }
        const int distance = begins ? 1 : edit_distance(wanted, candidate);
        // One edit of a two-letter name gives another name, not a misspelling.
        if (distance < best_distance && distance < static_cast<int>(candidate.size())) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

std::string_view nearest_kernel(std::string_view name) {
    std::vector<std::string_view> names;
    std::vector<std::string_view> meanings;
    for (const CatalogueEntry& entry : kCatalogue) {
        if (!entry.name.empty()) {
            names.push_back(entry.name);
            meanings.push_back(entry.name);
        }
        for (const std::string_view synonym : entry.synonyms) {
            names.push_back(synonym);
            meanings.push_back(entry.name);
        }
    }
    const std::string_view best = nearest(name, names);
    const auto place = std::find(names.begin(), names.end(), best);
    return best.empty() ? best : meanings[static_cast<std::size_t>(place - names.begin())];
}

std::string did_you_mean(std::string_view suggestion) {
    return suggestion.empty() ? std::string() : fmt::format("; did you mean '{}'?", suggestion);
}

void require_parameter(const KernelParameter& parameter, double value) {
    if (std::isnan(value) && parameter.accepts_scale) {
        return;
    }
    if (parameter.integer && !(std::floor(value) == value && parameter.range.contains(value))) {
        throw InvalidArgument(fmt::format("{}: got {}, must be an integer >= {} and <= {:.0f}",
                                          parameter.name, value, parameter.range.lower,
                                          parameter.range.upper));
    }
    require_in_range(parameter.name, value, parameter.range);
}

}  // namespace mercer
