// SPDX-License-Identifier: Apache-2.0
//
// cli/kernel_check.cpp - mercer kernel check: is the Gram matrix of these rows positive
// semidefinite?
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "command.hpp"
#include "data_access.hpp"
#include "environment.hpp"
#include "kernel_access.hpp"
#include "kernel_commands.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/theory/mercer_test.hpp"
#include "option_registrar.hpp"
#include "spectrum_chart.hpp"

namespace mercer::cli {

namespace {

// The matrix, the copy that the eigenvalues destroy, and two more in LAPACK if it needs a witness.
constexpr double kMatrices = 4.0;
constexpr std::size_t kWitnessRows = 5;
constexpr std::uint64_t kSampleStream = 0x636865636bULL;

struct CheckOptions {
    KernelArgument kernel;
    DataArgument data;
    index_t rows = 0;
};

/// The largest number of rows whose test fits into `bytes`.
index_t fitting_rows(index_t bytes) {
    return static_cast<index_t>(std::sqrt(static_cast<double>(bytes) / kMatrices / sizeof(double)));
}

/// Throws ResourceError with a feasible number of rows, before anything is computed.
void require_room(const Context& context, index_t rows) {
    const index_t fitting = fitting_rows(context.memory()->left());
    if (rows > fitting) {
        const double need = kMatrices * sizeof(double) * std::pow(static_cast<double>(rows), 2.0);
        throw ResourceError(fmt::format(
            "memory: the test of {} rows needs {:.1f} GiB, {} are left; --rows {} would fit", rows,
            need / 0x1.0p30, format_byte_size(context.memory()->left()), fitting));
    }
}

/// The rows to test: all, or a sample, in ascending order.
std::vector<index_t> choose_rows(const Context& context, index_t rows, index_t wanted) {
    if (wanted == 0 || wanted >= rows) {
        std::vector<index_t> all(static_cast<std::size_t>(rows));
        std::iota(all.begin(), all.end(), index_t{0});
        return all;
    }
    std::vector<index_t> chosen = context.random(kSampleStream).permutation(rows);
    chosen.resize(static_cast<std::size_t>(wanted));
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

/// Computes K; throws DataError with the rows if a value is not finite.
Buffer<double> compute_gram(Context& context, const Kernel& kernel, const Dataset& data,
                            std::span<const index_t> numbers) {
    constexpr index_t kBlock = 1024;
    const index_t n = data.rows();
    Buffer<double> values = context.allocate<double>(checked_multiply(n, n), "the Gram matrix");
    const GramMatrix gram(kernel, data, Precision::float64, context);
    for (index_t begin = 0; begin < n; begin += kBlock) {
        const MatrixView<double> rows(values.data() + begin * n, std::min(kBlock, n - begin), n);
        gram.copy_rows(begin, rows, context);
        context.report({"gram", begin + rows.rows, n, kNaN, 0});
    }
    for (index_t i = 0; i < n * n; ++i) {
        if (!std::isfinite(values[i])) {
            throw DataError(fmt::format("k(row {}, row {}) is {}; rows count from 1",
                                        numbers[static_cast<std::size_t>(i / n)] + 1,
                                        numbers[static_cast<std::size_t>(i % n)] + 1, values[i]));
        }
    }
    return values;
}

/// The rows with the largest weights in the witness, by position.
std::vector<std::size_t> heaviest(const std::vector<double>& witness) {
    std::vector<std::size_t> order(witness.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t shown = std::min(kWitnessRows, order.size());
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
        [&](std::size_t a, std::size_t b) { return std::abs(witness[a]) > std::abs(witness[b]); });
    order.resize(shown);
    return order;
}

/// The number of a tested row in the file, from 1; null for none.
Json row_json(std::span<const index_t> numbers, index_t position) {
    return position < 0 ? Json() : Json(numbers[static_cast<std::size_t>(position)] + 1);
}

Json witness_json(const MercerReport& report, std::span<const index_t> numbers) {
    if (report.witness.empty()) {
        return {};
    }
    Json json{{"value", report.witness_value}, {"error", report.witness_error}};
    json["heaviest"] = Json::array();
    for (const std::size_t i : heaviest(report.witness)) {
        json["heaviest"].push_back(Json{{"row", numbers[i] + 1}, {"weight", report.witness[i]}});
    }
    return json;
}

Json report_json(const MercerReport& report, std::span<const index_t> numbers, Json json) {
    json["holds"] = report.is_gram();
    json["rows"] = report.size;
    json["symmetric"] = report.symmetric;
    json["symmetry_error"] = report.symmetry_error;
    json["positive_semidefinite"] = report.positive_semidefinite;
    json["positive_definite"] = report.positive_definite;
    json["least_eigenvalue"] = report.least_eigenvalue;
    json["largest_eigenvalue"] = report.eigenvalues.empty() ? 0.0 : report.eigenvalues.back();
    json["eigenvalue_error"] = report.eigenvalue_error;
    json["rank"] = report.rank;
    json["cauchy_schwarz_excess"] = report.cauchy_schwarz_excess;
    json["cauchy_schwarz_rows"] = Json::array({row_json(numbers, report.cauchy_schwarz_row),
                                               row_json(numbers, report.cauchy_schwarz_column)});
    json["witness"] = witness_json(report, numbers);
    json["histogram"] = Json{{"edges", report.histogram.edges},
                             {"counts", report.histogram.counts},
                             {"zero", report.histogram.zero},
                             {"negative", report.histogram.negative}};
    return json;
}

std::string witness_text(const MercerReport& report, std::span<const index_t> numbers) {
    if (report.witness.empty()) {
        return "";
    }
    std::string text = fmt::format(
        "witness         v'Kv = {:.6g} (error <= {:.1e}) for |v| = 1, "
        "most of it in rows\n",
        report.witness_value, report.witness_error);
    for (const std::size_t i : heaviest(report.witness)) {
        text += fmt::format("  row {:<12}{:+.6f}\n", numbers[i] + 1, report.witness[i]);
    }
    return text;
}

std::string report_text(const MercerReport& report, std::span<const index_t> numbers) {
    std::string text = fmt::format(
        "rows            {}\nsymmetric       {}, error {:.1e}\n"
        "eigenvalues     least {:.6g}, largest {:.6g}, error <= {:.1e}\n"
        "rank            {} of {}\n",
        report.size, report.symmetric ? "yes" : "no", report.symmetry_error,
        report.least_eigenvalue, report.eigenvalues.empty() ? 0.0 : report.eigenvalues.back(),
        report.eigenvalue_error, report.rank, report.size);
    if (report.cauchy_schwarz_row < 0) {
        text += "Cauchy-Schwarz  holds for all pairs\n";
    } else {
        text += fmt::format("Cauchy-Schwarz  fails: rows {} and {} exceed it by {:.6g}\n",
                            numbers[static_cast<std::size_t>(report.cauchy_schwarz_row)] + 1,
                            numbers[static_cast<std::size_t>(report.cauchy_schwarz_column)] + 1,
                            report.cauchy_schwarz_excess);
    }
    text += witness_text(report, numbers);
    const ChartStyle style{locale_is_utf8(), terminal_width(STDOUT_FILENO)};
    text += "spectrum        eigenvalues by power of ten\n" +
            draw_spectrum(report.histogram, report.eigenvalue_error, style);
    const char* verdict = report.positive_definite       ? "positive definite"
                          : report.positive_semidefinite ? "positive semidefinite within rounding"
                                                         : "not positive semidefinite";
    return text + fmt::format("verdict         {}{}\n", report.symmetric ? "" : "not symmetric, ",
                              verdict);
}

ExitStatus run_check(Session& session, const CheckOptions& options) {
    const Kernel given = parse_argument(session, options.kernel);
    const Dataset all = read_data(session, options.data.path, options.data.read);
    const Kernel kernel = bind_to_data(session, given, all);
    Context& context = session.context();
    const std::vector<index_t> numbers = choose_rows(context, all.rows(), options.rows);
    require_room(context, static_cast<index_t>(numbers.size()));
    const bool sampled = static_cast<index_t>(numbers.size()) < all.rows();
    const Dataset data = sampled ? all.select(numbers) : all;
    const MercerReport report = session.timed("check", [&] {
        const Buffer<double> gram = naming_file(
            options.data.path, [&] { return compute_gram(context, kernel, data, numbers); });
        return test_gram(MatrixView<const double>(gram.data(), data.rows(), data.rows()), context);
    });
    Json json = session.json_result();
    json["kernel"] = to_string(kernel);
    json["definiteness"] = to_string(kernel.definiteness());
    json["sampled"] = sampled;
    session.emit_timed(report_json(report, numbers, std::move(json)),
                       fmt::format("kernel          {}\nby construction {}\n", to_string(kernel),
                                   to_string(kernel.definiteness())) +
                           report_text(report, numbers));
    return report.is_gram() ? ExitStatus::done : ExitStatus::stopped;
}

void describe_check(CLI::App& app, CheckOptions& options) {
    add_kernel_argument(app, options.kernel);
    OptionRegistrar(app).integer("rows", options.rows, Range::non_negative(),
                                 "test a random sample of this many rows; 0: all");
    add_data_argument(app, options.data);
}

}  // namespace

void add_kernel_check(CLI::App& group, Session& session) {
    add_command<CheckOptions>(
        group, session,
        {"check", "test symmetry and positive semidefiniteness on data; exit 1: they fail",
         "  mercer kernel check 'rbf(gamma=0.5)' train.svm\n"
         "  mercer kernel check 'sigmoid(gamma=1, coef0=-1)' train.svm --rows 500 --seed 1\n"},
        describe_check, run_check);
}

}  // namespace mercer::cli
