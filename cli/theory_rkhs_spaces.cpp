// SPDX-License-Identifier: Apache-2.0
//
// cli/theory_rkhs_spaces.cpp - mercer theory rkhs basis, l2, interpolate: properties of a space.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "data_access.hpp"
#include "kernel_access.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/theory/basis_kernels.hpp"
#include "mercer/theory/interpolation.hpp"
#include "option_registrar.hpp"
#include "theory_rkhs.hpp"

namespace mercer::cli {

namespace {

constexpr double kMostTerms = 1e7;  // about a second
constexpr std::size_t kPointsShown = 4;

struct BasisOptions {
    std::string space;
    index_t terms = 1000;
    std::string points = "0.25,0.5";
    double bandwidth = 0.5;
};

struct PeakOptions {
    index_t terms = 1024;
    double point = 0.5;
};

struct InterpolateOptions {
    KernelArgument kernel;
    DataArgument data;
};

/// "0.25,0.5" as two numbers.
std::pair<double, double> parse_points(const std::string& text) {
    const std::size_t comma = text.find(',');
    const auto x = read_number(std::string_view(text).substr(0, comma));
    const auto y = comma == std::string::npos
                       ? std::nullopt
                       : read_number(std::string_view(text).substr(comma + 1));
    if (!x || !y) {
        throw UsageError(fmt::format("--points: got '{}', must be two numbers x,y", text));
    }
    return {*x, *y};
}

/// 1, 10, 100, ... and the last one.
std::vector<index_t> steps_to(index_t last, index_t factor) {
    std::vector<index_t> out;
    for (index_t n = 1; n < last; n *= factor) {
        out.push_back(n);
    }
    out.push_back(last);
    return out;
}

BasisSum basis_sum(const BasisOptions& options, std::pair<double, double> points, index_t terms) {
    return options.space == "sobolev"
               ? sobolev_sum(points.first, points.second, terms)
               : paley_wiener_sum(points.first, points.second, options.bandwidth, terms);
}

double evaluation_constant(const BasisOptions& options, double x) {
    return options.space == "sobolev" ? sobolev_evaluation_bound(x)
                                      : paley_wiener_evaluation_bound(options.bandwidth);
}

/// The partial sums of a basis, shorter ones first.
struct PartialSums {
    Json json = Json::array();
    std::string table =
        fmt::format("{:>16}{:>20}{:>14}{:>14}\n", "terms", "partial sum", "error", "bound");
    bool holds = true;  ///< no error exceeds its bound
    double kernel = 0.0;
};

PartialSums partial_sums(const BasisOptions& options, std::pair<double, double> points) {
    PartialSums out;
    for (const index_t terms : steps_to(options.terms, 10)) {
        const BasisSum one = basis_sum(options, points, terms);
        const double error = std::abs(one.kernel - one.sum);
        // A sum that has converged to k(x, y) has an error of its own rounding.
        out.holds = out.holds && error <= one.tail + 1e-15 * (1.0 + std::abs(one.kernel));
        out.json.push_back(
            Json{{"terms", terms}, {"sum", one.sum}, {"error", error}, {"bound", one.tail}});
        out.table +=
            fmt::format("{:>16}{:>20.10g}{:>14.3e}{:>14.3e}\n", terms, one.sum, error, one.tail);
        out.kernel = one.kernel;
    }
    return out;
}

ExitStatus run_basis(Session& session, const BasisOptions& options) {
    const std::pair<double, double> points = parse_points(options.points);
    PartialSums sums = partial_sums(options, points);
    const double x = evaluation_constant(options, points.first);
    const double y = evaluation_constant(options, points.second);
    Json json = session.json_result();
    json["space"] = options.space;
    json["points"] = {points.first, points.second};
    if (options.space != "sobolev") {
        json["bandwidth"] = options.bandwidth;
    }
    json["kernel"] = sums.kernel;
    json["sums"] = std::move(sums.json);
    json["holds"] = sums.holds;
    json["evaluation_bounds"] = {x, y};
    session.emit_timed(
        std::move(json),
        fmt::format("space           {}\nk({:g}, {:g}) = {:.10g} = sum of e_n(x) e_n(y)\n{}"
                    "bound           {}\n"
                    "evaluation      |f({:g})| <= {:.6g} |f|, |f({:g})| <= {:.6g} |f|\n",
                    options.space == "sobolev"
                        ? "H_0^1[0, 1], <f, g> the integral of f'g'"
                        : fmt::format("Paley-Wiener, band [-{0:g}, {0:g}]", options.bandwidth),
                    points.first, points.second, sums.kernel, sums.table,
                    sums.holds ? "holds" : "FAILS", points.first, x, points.second, y));
    return sums.holds ? ExitStatus::done : ExitStatus::stopped;
}

ExitStatus run_peaks(Session& session, const PeakOptions& options) {
    Json functions = Json::array();
    std::string table = fmt::format("{:>8}{:>16}{:>16}{:>12}{:>16}\n", "n", "|f_n|^2", "1/(2n+1)",
                                    "f_n(x)", "|f_n(x)|/|f_n|");
    for (const index_t power : steps_to(options.terms, 4)) {
        const PeakFunction peak = peak_function(options.point, power);
        const double known = 1.0 / (2.0 * static_cast<double>(power) + 1.0);
        functions.push_back(Json{{"n", power},
                                 {"squared_norm", peak.squared_norm},
                                 {"norm", std::sqrt(peak.squared_norm)},
                                 {"known_squared_norm", known},
                                 {"value", peak.value},
                                 {"ratio", peak.ratio}});
        table += fmt::format("{:>8}{:>16.10g}{:>16.10g}{:>12.6g}{:>16.10g}\n", power,
                             peak.squared_norm, known, peak.value, peak.ratio);
    }
    Json json = session.json_result();
    json["point"] = options.point;
    json["functions"] = std::move(functions);
    session.emit_timed(
        std::move(json),
        fmt::format("L2[0, 1] has no kernel: f_n({:g}) = 1 while |f_n| goes to 0, so no M has\n"
                    "|f(x)| <= M |f| for all f\n{}",
                    options.point, table));
    return ExitStatus::done;
}

/// K of the rows.
Buffer<double> compute_gram(Context& context, const Kernel& kernel, const Dataset& data) {
    const index_t n = data.rows();
    Buffer<double> values = context.allocate<double>(checked_multiply(n, n), "the Gram matrix");
    const GramMatrix gram(kernel, data, Precision::float64, context);
    gram.copy_rows(0, MatrixView<double>(values.data(), n, n), context);
    for (index_t i = 0; i < n * n; ++i) {
        if (!std::isfinite(values[i])) {
            throw DataError(fmt::format("k(row {}, row {}) is {}; rows count from 1", i / n + 1,
                                        i % n + 1, values[i]));
        }
    }
    return values;
}

std::string numbers_line(const char* name, const std::vector<double>& values) {
    const std::size_t shown = std::min(kPointsShown, values.size());
    return fmt::format(
        "{:<16}{:.6g}{}\n", name,
        fmt::join(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        values.size() > shown ? fmt::format(" and {} more", values.size() - shown) : "");
}

/// Rows with values to interpolate.
Dataset read_values(Session& session, const DataArgument& argument) {
    ReadOptions read = argument.read;
    read.task = "regression";
    Dataset data = read_data(session, argument.path, read);
    if (data.targets.empty()) {
        throw DataError(fmt::format("{}: the rows have no targets; name the column with --target",
                                    argument.path));
    }
    return data;
}

std::string interpolant_text(const Interpolant& f, const Kernel& kernel, index_t rows) {
    return fmt::format(
               "kernel          {}, {}\nrows            {}, rank of K {}, condition {:.3g}\n"
               "residual        {:.3g}\n|f|^2           {:.10g}\n",
               to_string(kernel), to_string(kernel.definiteness()), rows, f.rank, f.condition,
               f.residual, f.squared_norm) +
           numbers_line("coefficients", f.coefficients) + numbers_line("f(x_i)", f.values) +
           fmt::format("verdict         {}\n",
                       f.interpolates
                           ? "f(x_i) = y_i for all rows, by the f of least norm"
                           : "no f of the space has f(x_i) = y_i; this one is the closest");
}

ExitStatus run_interpolate(Session& session, const InterpolateOptions& options) {
    const Kernel given = parse_argument(session, options.kernel);
    require_definite(given, options.kernel);
    const Dataset data = read_values(session, options.data);
    const Kernel kernel = bind_to_data(session, given, data);
    Context& context = session.context();
    const Interpolant f = naming_file(options.data.path, [&] {
        return session.timed("rkhs", [&] {
            const Buffer<double> gram = compute_gram(context, kernel, data);
            return interpolate(MatrixView<const double>(gram.data(), data.rows(), data.rows()),
                               data.targets, context);
        });
    });
    Json json = session.json_result();
    json["kernel"] = to_string(kernel);
    json["definiteness"] = to_string(kernel.definiteness());
    json["rows"] = data.rows();
    json["rank"] = f.rank;
    json["condition"] = f.condition;
    json["interpolates"] = f.interpolates;
    json["residual"] = f.residual;
    json["squared_norm"] = f.squared_norm;
    json["coefficients"] = f.coefficients;
    json["values"] = f.values;
    session.emit_timed(std::move(json), interpolant_text(f, kernel, data.rows()));
    return f.interpolates ? ExitStatus::done : ExitStatus::stopped;
}

void describe_basis(CLI::App& app, BasisOptions& options) {
    add_option(app, "SPACE", options.space,
               "sobolev: H_0^1[0, 1]; paley-wiener: a band of frequencies")
        .required()
        .type_name("sobolev|paley-wiener")
        .one_of({"sobolev", "paley-wiener"});
    OptionRegistrar registrar(app);
    registrar.integer("terms", options.terms, Range::within(1.0, kMostTerms),
                      "terms of the longest partial sum");
    registrar.text("points", options.points, "x,y: where k(x, y) is looked at");
    registrar.number("bandwidth", options.bandwidth, Range::positive(),
                     "A of the band [-A, A] of paley-wiener");
}

void describe_peaks(CLI::App& app, PeakOptions& options) {
    OptionRegistrar registrar(app);
    registrar.integer("terms", options.terms, Range::within(1.0, kMostTerms), "the last n");
    registrar.number("point", options.point, Range::any(), "x, between 0 and 1");
}

void describe_interpolate(CLI::App& app, InterpolateOptions& options) {
    add_kernel_argument(app, options.kernel);
    add_model_data_argument(app, options.data);
}

}  // namespace

void add_theory_rkhs_spaces(CLI::App& group, Session& session) {
    add_command<InterpolateOptions>(
        group, session,
        {"interpolate", "is there an f of the space with f(x_i) = y_i? exit 1: there is none",
         "  mercer theory rkhs interpolate 'rbf(gamma=1)' line.csv\n"},
        describe_interpolate, run_interpolate);
    add_command<BasisOptions>(
        group, session,
        {"basis", "a kernel as the sum over an orthonormal basis, with its tail",
         "  mercer theory rkhs basis sobolev --terms 1000 --points 0.25,0.5\n"
         "  mercer theory rkhs basis paley-wiener --bandwidth 0.5 --points 0,0.5\n"},
        describe_basis, run_basis);
    add_command<PeakOptions>(group, session,
                             {"l2", "why L2[0, 1] has no kernel: evaluation is not bounded",
                              "  mercer theory rkhs l2 --terms 1000 --point 0.3\n"},
                             describe_peaks, run_peaks);
}

}  // namespace mercer::cli
