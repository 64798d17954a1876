// SPDX-License-Identifier: Apache-2.0
//
// cli/theory_qp.cpp - mercer theory qp: a convex quadratic program, its dual, and what they prove.
#include <cmath>

#include "command.hpp"
#include "mercer/theory/convexity.hpp"
#include "mercer/theory/mercer_test.hpp"
#include "mercer/theory/quadratic_duality.hpp"
#include "option_registrar.hpp"
#include "qp_file.hpp"
#include "stoppable_files.hpp"
#include "text_file.hpp"
#include "theory_commands.hpp"

namespace mercer::cli {

namespace {

constexpr index_t kChords = 1000;
constexpr index_t kSaddlePoints = 1000;
constexpr std::size_t kEntriesShown = 8;  // entries of a vector in text
constexpr std::uint64_t kChordStream = 0x63686f7264ULL;

struct QpOptions {
    std::string file;
    std::string example;
    std::string output = "-";
    bool optimal_set = false;
    double tolerance = 1e-8;
};

std::string plain(double value) { return fmt::format("{:.6g}", value + 0.0); }  // no -0

std::string vector_text(std::span<const double> values) {
    std::string text;
    for (std::size_t i = 0; i < std::min(kEntriesShown, values.size()); ++i) {
        text += (i == 0 ? "" : ", ") + plain(values[i]);
    }
    return fmt::format(
        "({}{})", text,
        values.size() > kEntriesShown ? fmt::format(", ... {} in all", values.size()) : "");
}

/// JSON has no infinities: null.
Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string counted(index_t count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// The report under construction, in both forms.
struct Report {
    Json json;
    std::string text;

    void line(std::string_view label, std::string_view words) {
        text += fmt::format("{:<15} {}\n", label, words);
    }
};

void describe_problem(const QuadraticProgram& program, Report& report) {
    index_t bounds = 0;
    for (const std::vector<double>* side : {&program.lower, &program.upper}) {
        for (const double bound : *side) {
            bounds += std::isfinite(bound) ? 1 : 0;
        }
    }
    const std::string kind(to_string(classify(program)));
    report.json["class"] = kind;
    report.json["variables"] = program.variables();
    report.json["inequalities"] = program.inequalities();
    report.json["equalities"] = program.equalities();
    report.json["bounds"] = bounds;
    report.line("problem",
                fmt::format("{}: {}, {}, {}, {}", kind,
                            counted(program.variables(), "variable", "variables"),
                            counted(program.inequalities(), "inequality", "inequalities"),
                            counted(program.equalities(), "equation", "equations"),
                            counted(bounds, "bound", "bounds")));
}

/// The Mercer test of K; false if the objective is not convex.
bool describe_convexity(const QuadraticProgram& program, Context& context, Report& report) {
    const index_t n = program.variables();
    const std::vector<double> zero(static_cast<std::size_t>(program.quadratic.empty() ? n * n : 0));
    const double* k = program.quadratic.empty() ? zero.data() : program.quadratic.data();
    const MercerReport test = test_gram({k, n, n}, context);
    report.json["convex"] = test.positive_semidefinite;
    report.json["strictly_convex"] = test.positive_definite;
    report.json["least_eigenvalue"] = test.least_eigenvalue;
    report.json["eigenvalue_error"] = test.eigenvalue_error;
    if (!test.positive_semidefinite) {
        report.json["witness"] =
            Json{{"v", test.witness}, {"value", test.witness_value}, {"error", test.witness_error}};
        report.line("convex", fmt::format("no: v'Kv = {} (error <= {:.1e}) for v = {}",
                                          plain(test.witness_value), test.witness_error,
                                          vector_text(test.witness)));
        return false;
    }
    report.line("convex", fmt::format("{}: the least eigenvalue of K is {} (error <= {:.1e})",
                                      test.positive_definite ? "yes, strictly" : "yes",
                                      plain(test.least_eigenvalue), test.eigenvalue_error));
    return true;
}

void describe_chords(const QuadraticProgram& program, std::vector<double> centre, Context& context,
                     Report& report) {
    double size = 1.0;
    for (const double value : centre) {
        size = std::max(size, std::abs(value));
    }
    Random random = context.random(kChordStream);
    const ChordReport chords =
        chord_test([&](std::span<const double> x) { return objective(program, x); },
                   normal_points(std::move(centre), size), kChords, random);
    report.json["chords"] = Json{{"drawn", chords.chords},
                                 {"least_bend", chords.least_bend},
                                 {"convex", chords.convex()},
                                 {"a", chords.a},
                                 {"b", chords.b},
                                 {"t", chords.t}};
    if (chords.convex()) {
        report.line("chords", fmt::format("{} drawn, none below the objective", chords.chords));
        return;
    }
    report.line("chords", fmt::format("one is below the objective at t = {}", plain(chords.t)));
    report.line("  from", vector_text(chords.a));
    report.line("  to", vector_text(chords.b));
}

Json multipliers_json(const QuadraticMultipliers& multipliers) {
    return Json{{"alpha", multipliers.rows},
                {"nu", multipliers.equations},
                {"alpha_lower", multipliers.lower},
                {"alpha_upper", multipliers.upper}};
}

void multiplier_lines(const QuadraticProgram& program, const QuadraticMultipliers& multipliers,
                      Report& report) {
    if (!multipliers.rows.empty()) {
        report.line("alpha", vector_text(multipliers.rows));
    }
    if (!multipliers.equations.empty()) {
        report.line("nu", vector_text(multipliers.equations));
    }
    if (!program.lower.empty()) {
        report.line("alpha lower", vector_text(multipliers.lower));
    }
    if (!program.upper.empty()) {
        report.line("alpha upper", vector_text(multipliers.upper));
    }
}

void describe_slater(const QuadraticProgram& program, Context& context, Report& report) {
    const SlaterReport found = slater(program, context);
    Json json{{"holds", found.holds}, {"slack", number_json(found.slack)}};
    if (found.holds) {
        json["x"] = found.x;
        report.line("Slater", fmt::format("yes: slack {} at x = {}", plain(found.slack),
                                          vector_text(found.x)));
    } else if (found.status == QuadraticStatus::optimal) {
        json["proof"] = multipliers_json(found.proof);
        report.line(
            "Slater",
            fmt::format(
                "no: the greatest slack is {}, by multipliers {}", plain(found.slack),
                found.proof.rows.empty() ? "of the bounds" : vector_text(found.proof.rows)));
    } else {
        report.line("Slater", fmt::format("no point found: {}", to_string(found.status)));
    }
    report.json["slater"] = std::move(json);
}

void describe_optimality(const QuadraticProgram& program, const std::vector<double>& x,
                         const QuadraticMultipliers& multipliers, Context& context,
                         Report& report) {
    const DualityReport values = examine(program, x, multipliers, context);
    const SaddleReport saddle = saddle_test(program, x, multipliers, kSaddlePoints, context);
    report.json["x"] = x;
    report.json.update(multipliers_json(multipliers));
    report.json["primal"] = values.primal;
    report.json["dual"] = values.dual;
    report.json["gap"] = values.gap;
    report.json["dual_function"] = number_json(values.dual_function);
    report.json["kkt"] = Json{{"stationarity", values.kkt.stationarity},
                              {"primal_feasibility", values.kkt.primal_feasibility},
                              {"dual_feasibility", values.kkt.dual_feasibility},
                              {"complementarity", values.kkt.complementarity}};
    report.json["saddle_point"] = Json{{"holds", saddle.holds()},
                                       {"value", saddle.value},
                                       {"points", saddle.points},
                                       {"above", saddle.above},
                                       {"below", saddle.below}};
    report.line("x", vector_text(x));
    multiplier_lines(program, multipliers, report);
    report.line("primal", fmt::format("{:.10g}", values.primal + 0.0));
    report.line("dual", fmt::format("{:.10g}", values.dual + 0.0));
    report.line("gap", fmt::format("{:.3g}", values.gap + 0.0));
    report.line("KKT", fmt::format("stationarity {:.2g}, feasibility {:.2g}, sign {:.2g}, "
                                   "complementarity {:.2g}",
                                   values.kkt.stationarity, values.kkt.primal_feasibility,
                                   values.kkt.dual_feasibility, values.kkt.complementarity));
    report.line("saddle point",
                fmt::format("{}: L = {} against {} other multipliers and points",
                            saddle.holds() ? "yes" : "no", plain(saddle.value), saddle.points));
}

void describe_explicit_dual(const QuadraticProgram& program, const std::vector<double>& x,
                            Context& context, Report& report) {
    const std::optional<ExplicitDual> dual = explicit_dual(program, context);
    if (!dual || dual->negated.linear.empty()) {
        return;
    }
    const QuadraticSolution solved = solve_quadratic_program(dual->negated, {}, context);
    const std::vector<double> point = dual->primal_point(solved.x);
    double apart = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) {
        apart = std::max(apart, std::abs(point[j] - x[j]));
    }
    const double value = dual->value(solved.x);
    report.json["explicit_dual"] = Json{{"value", value}, {"x", point}, {"x_apart", apart}};
    report.line(
        "dual by K^-1",
        fmt::format("{:.10g}, and -K^-1 (A'alpha + c) is within {:.2g} of x", value + 0.0, apart));
}

void describe_optimal_set(const QuadraticProgram& program, const QuadraticSolution& solution,
                          Context& context, Report& report) {
    const std::vector<Interval> ranges = optimal_ranges(program, solution, context);
    Json json = Json::array();
    for (std::size_t j = 0; j < ranges.size(); ++j) {
        const auto [lower, upper] = ranges[j];
        json.push_back(Json::array({number_json(lower), number_json(upper)}));
        if (j < kEntriesShown) {
            report.line(j == 0 ? "optimal set" : "",
                        fmt::format("x[{}] in [{}, {}]", j, plain(lower), plain(upper)));
        }
    }
    report.json["optimal_set"] = std::move(json);
}

/// The proof that there is no optimum.
void describe_failure_to_exist(const QuadraticProgram& program, const QuadraticSolution& solution,
                               Report& report) {
    if (solution.status == QuadraticStatus::infeasible) {
        // As the Lagrangian of a zero objective, L(x, a) is the same for every x.
        QuadraticProgram constraints = program;
        constraints.quadratic.clear();
        constraints.linear.assign(program.linear.size(), 0.0);
        const std::vector<double> origin(program.linear.size(), 0.0);
        const double value = lagrangian(constraints, origin, solution.multipliers);
        const double residual =
            kkt_residuals(constraints, origin, solution.multipliers).stationarity;
        report.json["farkas"] = multipliers_json(solution.multipliers);
        report.json["farkas"]["value"] = value;
        report.json["farkas"]["residual"] = residual;
        multiplier_lines(program, solution.multipliers, report);
        report.line("proof", fmt::format("these multipliers add the constraints up to {} <= 0 "
                                         "(x left: {:.1g})",
                                         plain(value), residual));
        return;
    }
    double slope = 0.0;
    for (std::size_t j = 0; j < solution.ray.size(); ++j) {
        slope += program.linear[j] * solution.ray[j];
    }
    report.json["x"] = solution.x;
    report.json["ray"] = Json{{"v", solution.ray}, {"slope", slope}};
    report.line("x", fmt::format("{} is feasible", vector_text(solution.x)));
    report.line("ray", vector_text(solution.ray));
    report.line("proof", fmt::format("along the ray the objective changes by {} per step, for ever",
                                     plain(slope)));
}

/// Checks the point given in the file.
ExitStatus check_point(const QuadraticFile& file, const QpOptions& options, Context& context,
                       Report& report) {
    describe_optimality(file.program, *file.x, file.multipliers, context, report);
    const bool optimal =
        kkt_residuals(file.program, *file.x, file.multipliers).worst() <= options.tolerance;
    report.json["optimal"] = optimal;
    report.line("verdict", fmt::format("{} within {:.1g}", optimal ? "optimal" : "not optimal",
                                       options.tolerance));
    return optimal ? ExitStatus::done : ExitStatus::stopped;
}

ExitStatus solve_program(const QuadraticProgram& program, const QpOptions& options,
                         Context& context, Report& report) {
    describe_slater(program, context, report);
    const QuadraticSolution solution = solve_quadratic_program(program, {}, context);
    report.json["status"] = to_string(solution.status);
    report.json["iterations"] = solution.iterations;
    report.line("status", fmt::format("{} after {}", to_string(solution.status),
                                      counted(solution.iterations, "iteration", "iterations")));
    if (solution.status == QuadraticStatus::infeasible ||
        solution.status == QuadraticStatus::unbounded) {
        describe_failure_to_exist(program, solution, report);
        return ExitStatus::done;
    }
    describe_optimality(program, solution.x, solution.multipliers, context, report);
    if (solution.status != QuadraticStatus::optimal) {
        return ExitStatus::stopped;
    }
    describe_explicit_dual(program, solution.x, context, report);
    if (options.optimal_set) {
        describe_optimal_set(program, solution, context, report);
    }
    return ExitStatus::done;
}

ExitStatus write_example(Session& session, const QpOptions& options) {
    session.require_free_output(options.output);
    StoppableFiles files(session.context());
    write_text_file(options.output, quadratic_example(options.example), files);
    if (options.output != "-") {
        session.say(fmt::format("wrote {}", options.output));
    }
    Json json = session.json_result();
    json["example"] = options.example;
    json["file"] = options.output;
    session.emit(json, "");
    return ExitStatus::done;
}

ExitStatus run_qp(Session& session, const QpOptions& options) {
    if (options.file.empty() == options.example.empty()) {
        throw UsageError("give a FILE, or --example NAME to write one");
    }
    if (!options.example.empty()) {
        return write_example(session, options);
    }
    const QuadraticFile file = read_quadratic_file(session, options.file);
    if (file.x && options.optimal_set) {
        throw UsageError("--optimal-set: not with a file that has x; it is for a solved program");
    }
    Context& context = session.context();
    Report report{session.json_result(), ""};
    const ExitStatus status = session.timed("qp", [&] {
        describe_problem(file.program, report);
        const bool convex = describe_convexity(file.program, context, report);
        describe_chords(file.program,
                        file.x ? *file.x : std::vector<double>(file.program.linear.size(), 0.0),
                        context, report);
        if (!convex) {
            report.line("verdict", "not convex: duality and the solver need a convex objective");
            return ExitStatus::stopped;
        }
        return file.x ? check_point(file, options, context, report)
                      : solve_program(file.program, options, context, report);
    });
    session.emit_timed(std::move(report.json), report.text);
    return status;
}

void describe_qp(CLI::App& app, QpOptions& options) {
    add_option(app, "FILE", options.file, "the program as JSON; - is standard input").reads_file();
    OptionRegistrar registrar(app);
    add_option(app, "--example", options.example, "write an example of that name instead")
        .one_of(quadratic_example_names())
        .type_name("NAME");
    add_option(app, "-o,--output", options.output, "where --example goes; - is standard output")
        .type_name("FILE")
        .writes_file()
        .needs(find_option(app, "--example"));
    registrar.flag("optimal_set", options.optimal_set,
                   "the interval of each variable over all optima");
    registrar.number("tolerance", options.tolerance, Range::positive(),
                     "greatest violation of a given x and alpha that counts as none");
}

}  // namespace

void add_theory_qp(CLI::App& group, Session& session) {
    add_command<QpOptions>(
        group, session,
        {"qp",
         "solve a convex quadratic program and show its dual; exit 1: not convex, or not optimal",
         "  mercer theory qp --example toy -o toy.json\n"
         "  mercer theory qp toy.json\n"
         "  mercer theory qp pair.json --optimal-set --json\n"},
        describe_qp, run_qp);
}

}  // namespace mercer::cli
