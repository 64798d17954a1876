// SPDX-License-Identifier: Apache-2.0
//
// src/data/generate.cpp - rows drawn by the rules of mercer/data/generate.hpp.
#include "mercer/data/generate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "data/generator_rules.hpp"
#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/data/labels.hpp"

namespace mercer {

index_t fixed_columns(std::string_view name) {
    return name == "moons" || name == "spirals" ? 2 : name == "sinc" ? 1 : 0;
}

index_t fixed_classes(std::string_view name) { return name == "moons" || name == "xor" ? 2 : 0; }

namespace generators {

namespace {

constexpr std::uint64_t kCentreStream = 1;

bool is_regression(const GenerateOptions& options) {
    return options.name == "friedman1" || options.name == "sinc" || options.name == "queries";
}

index_t column_count(const GenerateOptions& options) {
    const bool friedman = options.name == "friedman1";
    const index_t fixed = fixed_columns(options.name);
    const index_t usual = friedman ? 10 : fixed > 0 ? fixed : 2;
    const index_t columns = options.columns == 0 ? usual : options.columns;
    if ((fixed > 0 && columns != fixed) || (friedman && columns < 5)) {
        throw InvalidArgument("columns", fmt::format("{}", columns),
                              fmt::format("{} has {}", options.name,
                                          friedman ? "5 or more" : fmt::format("{}", usual)));
    }
    return columns;
}

}  // namespace

Clusters place_clusters(const GenerateOptions& options, index_t columns) {
    Random random(static_cast<std::uint64_t>(options.seed), kCentreStream);
    Clusters out;
    const index_t count = checked_multiply(options.classes * components(options), columns);
    for (index_t i = 0; i < count; ++i) {
        out.centres.push_back(random.uniform(-1.0, 1.0));
        out.deviations.push_back(
            options.name == "blobs" ? options.noise : options.noise * random.uniform(0.5, 1.5));
    }
    return out;
}

index_t require_rule(const GenerateOptions& options) {
    validate(options);
    const bool two_classes = fixed_classes(options.name) == 2;
    const bool flips = options.name == "xor" || options.name == "checkerboard";
    if (two_classes && options.classes != 2) {
        throw InvalidArgument("classes", fmt::format("{}", options.classes),
                              fmt::format("{} has 2", options.name));
    }
    if (flips && options.noise > 1.0) {
        throw InvalidArgument("noise", fmt::format("{}", options.noise),
                              fmt::format("{} takes it as a probability <= 1", options.name));
    }
    return column_count(options);
}

std::vector<std::string> class_names(const GenerateOptions& options) {
    std::vector<std::string> names;
    for (index_t c = 0; !is_regression(options) && c < options.classes; ++c) {
        const index_t name = options.classes == 2 ? 2 * c - 1 : c + 1;
        names.push_back(label_text(static_cast<double>(name)));
    }
    return names;
}

}  // namespace generators

namespace {

constexpr std::uint64_t kRowStream = 0;
constexpr index_t kQueryRows = 10;
constexpr std::uint64_t kFirstFreshStream = 2;

/// Generates one row: fills `x` and returns the target (a class index or a number).
struct RowMaker {
    const GenerateOptions& options;
    index_t columns;
    Random random;
    generators::Clusters clusters{};
    double shift = 0.0;  ///< of the current query

    double make(index_t i, std::span<double> x) {
        if (generators::is_cluster(options)) {
            return cluster(i, x);
        }
        if (options.name == "moons") {
            generators::moon(i % 2 == 1, random.uniform(), x);
            add_noise(x);
            return i % 2 == 1 ? 1.0 : 0.0;
        }
        if (options.name == "spirals") {
            const auto label = static_cast<double>(i % options.classes);
            generators::spiral(label, static_cast<double>(options.classes), random.uniform(), x);
            add_noise(x);
            return label;
        }
        if (options.name == "xor") {
            fill_uniform(-1.0, 1.0, x);
            return with_errors(generators::parity(x), 2);
        }
        if (options.name == "checkerboard") {
            fill_uniform(0.0, generators::kCells, x);
            return with_errors(generators::cell_class(x, options.classes), options.classes);
        }
        if (options.name == "friedman1") {
            fill_uniform(0.0, 1.0, x);
            return generators::friedman1(x) + options.noise * random.normal();
        }
        if (options.name == "ordinal" || options.name == "queries") {
            return graded(i, x);
        }
        fill_uniform(-generators::kSincReach, generators::kSincReach, x);
        return generators::sinc(x[0]) + options.noise * random.normal();
    }

    double cluster(index_t i, std::span<double> x) {
        const index_t label = i % options.classes;
        const index_t components = generators::components(options);
        const index_t component = components == 1 ? 0 : random.below(components);
        const auto first = static_cast<std::size_t>((label * components + component) * columns);
        for (std::size_t j = 0; j < x.size(); ++j) {
            x[j] = clusters.centres[first + j] + clusters.deviations[first + j] * random.normal();
        }
        return static_cast<double>(label);
    }

    void add_noise(std::span<double> x) {
        for (double& value : x) {
            value += options.noise * random.normal();
        }
    }

    void fill_uniform(double lower, double upper, std::span<double> x) {
        for (double& value : x) {
            value = random.uniform(lower, upper);
        }
    }

    /// The label itself, or with probability `noise` another one.
    double with_errors(index_t label, index_t classes) {
        if (random.uniform() < options.noise) {
            label = (label + 1 + random.below(classes - 1)) % classes;
        }
        return static_cast<double>(label);
    }

    /// A grade by the mean of the columns. All rows of a query are shifted equally, so that grades
    /// can be compared only within a query.
    double graded(index_t i, std::span<double> x) {
        if (options.name == "queries" && i % kQueryRows == 0) {
            shift = random.uniform(-1.0, 1.0);
        }
        double sum = 0.0;
        for (double& value : x) {
            const double u = random.uniform();
            sum += u;
            value = u + shift;
        }
        const double level = sum / static_cast<double>(columns) + options.noise * random.normal();
        const auto classes = static_cast<double>(options.classes);
        return std::clamp(std::floor(classes * level), 0.0, classes - 1.0);
    }
};

Dataset make_rows(const GenerateOptions& options, std::uint64_t stream, Context& context) {
    const index_t columns = generators::require_rule(options);
    RowMaker maker{options, columns, Random(static_cast<std::uint64_t>(options.seed), stream)};
    if (generators::is_cluster(options)) {
        maker.clusters = generators::place_clusters(options, columns);
    }
    auto values = std::make_shared<Buffer<double>>(
        context.allocate<double>(checked_multiply(options.rows, columns), "generated rows"));
    std::vector<double> targets(static_cast<std::size_t>(options.rows));
    for (index_t i = 0; i < options.rows; ++i) {
        constexpr index_t kStopInterval = 4096;
        if (i % kStopInterval == 0) {
            context.throw_if_stopped("generate");
        }
        targets[static_cast<std::size_t>(i)] =
            maker.make(i, {values->data() + i * columns, static_cast<std::size_t>(columns)});
    }
    Dataset data = Dataset::from_checked(
        MatrixView<const double>(values->data(), options.rows, columns), values, context.memory());
    data.targets = std::move(targets);
    for (index_t i = 0; options.name == "queries" && i < options.rows; ++i) {
        data.queries.push_back(i / kQueryRows + 1);
    }
    data.label_names = generators::class_names(options);
    return data;
}

}  // namespace

Dataset generate(const GenerateOptions& options, Context& context) {
    return make_rows(options, kRowStream, context);
}

Dataset generate_fresh(const GenerateOptions& options, index_t batch, Context& context) {
    if (batch < 0) {
        throw InvalidArgument("batch", fmt::format("{}", batch), "must be >= 0");
    }
    return make_rows(options, kFirstFreshStream + static_cast<std::uint64_t>(batch), context);
}

}  // namespace mercer
