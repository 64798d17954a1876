// SPDX-License-Identifier: Apache-2.0
//
// src/data/generate.cpp - the rules of mercer/data/generate.hpp.
#include "mercer/data/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/data/labels.hpp"

namespace mercer {

namespace {

constexpr std::uint64_t kRowStream = 0;
constexpr std::uint64_t kCentreStream = 1;
constexpr index_t kQueryRows = 10;
constexpr double kPi = std::numbers::pi;

/// One row to be made: fills `x` and returns the target (a class index or a number).
struct RowMaker {
    const GenerateOptions& options;
    index_t columns;
    Random random;
    Random centres_random;
    std::vector<double> centres{};
    std::vector<double> deviations{};
    double shift = 0.0;  ///< of the present query

    double make(index_t i, std::span<double> x) {
        if (options.name == "blobs" || options.name == "gaussian-mixture") {
            return cluster(i, x);
        }
        if (options.name == "moons") {
            return moons(i, x);
        }
        if (options.name == "spirals") {
            return spirals(i, x);
        }
        if (options.name == "xor") {
            return parity(x);
        }
        if (options.name == "checkerboard") {
            return checkerboard(x);
        }
        if (options.name == "ordinal" || options.name == "queries") {
            return graded(i, x);
        }
        return options.name == "friedman1" ? friedman1(x) : sinc(x);
    }

    static constexpr index_t kComponents = 3;
    [[nodiscard]] index_t components() const { return options.name == "blobs" ? 1 : kComponents; }

    void place_centres() {
        const index_t count = checked_multiply(options.classes * components(), columns);
        for (index_t i = 0; i < count; ++i) {
            centres.push_back(centres_random.uniform(-1.0, 1.0));
            deviations.push_back(options.name == "blobs"
                                     ? options.noise
                                     : options.noise * centres_random.uniform(0.5, 1.5));
        }
    }

    double cluster(index_t i, std::span<double> x) {
        const index_t label = i % options.classes;
        const index_t component = components() == 1 ? 0 : random.below(components());
        const auto first = static_cast<std::size_t>((label * components() + component) * columns);
        for (std::size_t j = 0; j < x.size(); ++j) {
            x[j] = centres[first + j] + deviations[first + j] * random.normal();
        }
        return static_cast<double>(label);
    }

    void add_noise(std::span<double> x) {
        for (double& value : x) {
            value += options.noise * random.normal();
        }
    }

    double moons(index_t i, std::span<double> x) {
        const bool second = i % 2 == 1;
        const double t = kPi * random.uniform();
        x[0] = second ? 1.0 - std::cos(t) : std::cos(t);
        x[1] = second ? 0.5 - std::sin(t) : std::sin(t);
        add_noise(x);
        return second ? 1.0 : 0.0;
    }

    double spirals(index_t i, std::span<double> x) {
        const auto label = static_cast<double>(i % options.classes);
        const double r = std::sqrt(random.uniform());
        const double angle = 2.0 * kPi * (1.5 * r + label / static_cast<double>(options.classes));
        x[0] = r * std::cos(angle);
        x[1] = r * std::sin(angle);
        add_noise(x);
        return label;
    }

    /// The label itself, or with probability `noise` another one.
    double with_errors(index_t label, index_t classes) {
        if (random.uniform() < options.noise) {
            label = (label + 1 + random.below(classes - 1)) % classes;
        }
        return static_cast<double>(label);
    }

    double parity(std::span<double> x) {
        index_t positive = 0;
        for (double& value : x) {
            value = random.uniform(-1.0, 1.0);
            positive += value > 0.0;
        }
        return with_errors(positive % 2, 2);
    }

    double checkerboard(std::span<double> x) {
        constexpr double kCells = 4.0;
        index_t sum = 0;
        for (double& value : x) {
            value = random.uniform(0.0, kCells);
            sum += static_cast<index_t>(value);
        }
        return with_errors(sum % options.classes, options.classes);
    }

    /// A grade by the mean of the columns. Rows of a query are all shifted alike, so that grades
    /// can be told within it only.
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

    double friedman1(std::span<double> x) {
        for (double& value : x) {
            value = random.uniform();
        }
        return 10.0 * std::sin(kPi * x[0] * x[1]) + 20.0 * (x[2] - 0.5) * (x[2] - 0.5) +
               10.0 * x[3] + 5.0 * x[4] + options.noise * random.normal();
    }

    double sinc(std::span<double> x) {
        x[0] = random.uniform(-10.0, 10.0);
        const double y = x[0] == 0.0 ? 1.0 : std::sin(x[0]) / x[0];
        return y + options.noise * random.normal();
    }
};

index_t column_count(const GenerateOptions& options) {
    const bool friedman = options.name == "friedman1";
    const index_t usual = friedman ? 10 : options.name == "sinc" ? 1 : 2;
    const index_t columns = options.columns == 0 ? usual : options.columns;
    const bool fixed =
        options.name == "moons" || options.name == "spirals" || options.name == "sinc";
    if ((fixed && columns != usual) || (friedman && columns < 5)) {
        throw InvalidArgument(fmt::format("columns: got {}, {} has {}", columns, options.name,
                                          friedman ? "5 or more" : fmt::format("{}", usual)));
    }
    return columns;
}

}  // namespace

Dataset generate(const GenerateOptions& options, Context& context) {
    validate(options);
    const bool two_classes = options.name == "moons" || options.name == "xor";
    const bool queries = options.name == "queries";
    const bool regression = options.name == "friedman1" || options.name == "sinc" || queries;
    const bool flips = options.name == "xor" || options.name == "checkerboard";
    if (two_classes && options.classes != 2) {
        throw InvalidArgument(
            fmt::format("classes: got {}, {} has 2", options.classes, options.name));
    }
    if (flips && options.noise > 1.0) {
        throw InvalidArgument(fmt::format("noise: got {}, {} takes it as a probability <= 1",
                                          options.noise, options.name));
    }
    const index_t columns = column_count(options);
    const auto seed = static_cast<std::uint64_t>(options.seed);
    RowMaker maker{options, columns, Random(seed, kRowStream), Random(seed, kCentreStream)};
    if (options.name == "blobs" || options.name == "gaussian-mixture") {
        maker.place_centres();
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
    for (index_t i = 0; queries && i < options.rows; ++i) {
        data.queries.push_back(i / kQueryRows + 1);
    }
    for (index_t c = 0; !regression && c < options.classes; ++c) {
        const index_t name = options.classes == 2 ? 2 * c - 1 : c + 1;
        data.label_names.push_back(label_text(static_cast<double>(name)));
    }
    return data;
}

}  // namespace mercer
