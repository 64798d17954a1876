// SPDX-License-Identifier: Apache-2.0
//
// src/report/advice.cpp - finds columns and rows that mislead a machine, in a few passes.
#include "mercer/report/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>

#include "mercer/data/entries.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/data/scale.hpp"
#include "report/advice_parts.hpp"

namespace mercer {

namespace {

constexpr double kUneven = 100.0;    // as for the hints of a summary
constexpr double kImbalanced = 5.0;  // largest class over smallest
constexpr double kSameAsTarget = 1.0 - 1e-9;
constexpr std::size_t kShown = 8;

/// splitmix64's finaliser: every input bit affects half of the output bits.
std::uint64_t mixed(std::uint64_t bits) {
    bits += 0x9e3779b97f4a7c15ULL;
    bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebULL;
    return bits ^ (bits >> 31U);
}

/// A 128-bit hash of a set of (index, value) pairs, independent of their order.
struct Print {
    std::uint64_t first = 0;
    std::uint64_t second = 0;

    void add(index_t place, double value) {
        const std::uint64_t both =
            mixed(static_cast<std::uint64_t>(place)) ^ std::bit_cast<std::uint64_t>(value);
        first += mixed(both);
        second += mixed(both ^ 0x6a09e667f3bcc908ULL);
    }
    auto operator<=>(const Print&) const = default;
};

void find_duplicate_columns(const Dataset& data, DataAdvice& out) {
    // Words that occur once, in the same row, are equal columns by coincidence.
    const index_t least = data.is_sparse() ? 5 : 1;
    std::vector<Print> prints(static_cast<std::size_t>(data.columns()));
    std::vector<index_t> nonzero(prints.size(), 0);
    data::for_each_entry(data, [&](index_t i, index_t j, double value) {
        if (value != 0.0) {
            prints[static_cast<std::size_t>(j)].add(i, value);
            ++nonzero[static_cast<std::size_t>(j)];
        }
    });
    std::map<Print, index_t> seen;
    for (index_t j = 0; j < data.columns(); ++j) {
        const bool constant =
            std::binary_search(out.constant_columns.begin(), out.constant_columns.end(), j);
        const auto [place, fresh] = seen.emplace(prints[static_cast<std::size_t>(j)], j);
        if (!fresh && !constant && nonzero[static_cast<std::size_t>(j)] >= least) {
            out.duplicate_columns.emplace_back(j, place->second);
        }
    }
}

/// Columns whose correlation with the target is 1 or -1.
void find_target_columns(const Dataset& data, const report::ColumnScales& scales, DataAdvice& out) {
    if (data.targets.size() != static_cast<std::size_t>(data.rows()) || data.rows() < 3) {
        return;
    }
    std::vector<double> targets = target_numbers(data);
    const auto n = static_cast<double>(targets.size());
    const double mean = std::accumulate(targets.begin(), targets.end(), 0.0) / n;
    double squares = 0.0;
    for (double& target : targets) {
        target -= mean;
        squares += target * target;
    }
    std::vector<double> products(static_cast<std::size_t>(data.columns()), 0.0);
    data::for_each_entry(data, [&](index_t i, index_t j, double value) {
        // The targets have mean 0, so centring the column only reduces cancellation.
        products[static_cast<std::size_t>(j)] +=
            (value - scales.offset(j)) * targets[static_cast<std::size_t>(i)];
    });
    for (index_t j = 0; j < data.columns(); ++j) {
        const double size = scales.deviation(j) * std::sqrt(n * squares);
        if (size > 0.0 && std::abs(products[static_cast<std::size_t>(j)]) >= kSameAsTarget * size) {
            out.target_columns.push_back(j);
        }
    }
}

/// Groups rows that are equal after rounding, and counts the classes of each group.
void find_near_duplicates(const Dataset& data, const report::ColumnScales& scales,
                          const DatasetSummary& summary, DataAdvice& out) {
    constexpr double kRounded = 1e-6;
    if (summary.classes.size() < 2 || data.targets.empty()) {
        return;
    }
    std::vector<Print> prints(static_cast<std::size_t>(data.rows()));
    data::for_each_entry(data, [&](index_t i, index_t j, double value) {
        const double width = kRounded * scales.deviation(j);
        const double cell = width > 0.0 ? std::nearbyint(value / width) : 0.0;
        if (cell != 0.0) {
            prints[static_cast<std::size_t>(i)].add(j, cell);
        }
    });
    std::map<Print, std::map<double, index_t>> groups;
    for (std::size_t i = 0; i < prints.size(); ++i) {
        ++groups[prints[i]][data.targets[i]];
    }
    index_t reachable = 0;
    for (const auto& [print, classes] : groups) {
        index_t most = 0;
        index_t all = 0;
        for (const auto& [name, rows] : classes) {
            most = std::max(most, rows);
            all += rows;
        }
        reachable += most;
        out.near_duplicates += classes.size() > 1 ? all : 0;
    }
    out.accuracy_bound = static_cast<double>(reachable) / static_cast<double>(data.rows());
}

/// Writes the advice, in the order in which one would act on it.
class Adviser {
public:
    Adviser(const Dataset& data, const DatasetSummary& summary, const AdviceNames& names,
            DataAdvice& out)
        : data_(data), summary_(summary), names_(names), out_(out) {}

    void write() {
        write_target();
        write_scale();
        write_columns();
        write_rows();
        write_classes();
        write_outliers();
        write_kernel();
    }

private:
    void add(const char* topic, std::string words, std::string command) {
        out_.advice.push_back({topic, std::move(words), std::move(command)});
    }

    [[nodiscard]] std::string train(const std::string& options) const {
        return fmt::format("mercer train {} {} -o MODEL", names_.file, options);
    }

    /// The column as --drop accepts it.
    [[nodiscard]] std::string name_of(index_t column) const {
        if (!data_.column_names.empty()) {
            return data_.column_names[static_cast<std::size_t>(column)];
        }
        const index_t target = data_.target_column.place;
        return fmt::format(
            "{}", column + names_.first_column + (target >= 0 && target <= column ? 1 : 0));
    }

    [[nodiscard]] std::string names_of(const std::vector<index_t>& columns) const {
        std::vector<std::string> names;
        for (std::size_t k = 0; k < std::min(kShown, columns.size()); ++k) {
            names.push_back(name_of(columns[k]));
        }
        return fmt::format("{}", fmt::join(names, ","));
    }

    /// The option that leaves out the target: a one-class machine takes none.
    [[nodiscard]] std::string without_target() const {
        const FileColumn& target = data_.target_column;
        if (data_.label_names.empty() || target.place < 0) {
            return "";
        }
        return fmt::format(" --target none --drop {}",
                           target.name.empty() ? fmt::format("{}", target.place) : target.name);
    }

    static std::string more(std::size_t all) {
        return all > kShown ? fmt::format(" and {} more", all - kShown) : "";
    }

    void write_target() {
        const std::vector<index_t>& columns = out_.target_columns;
        if (!columns.empty()) {
            add("target",
                fmt::format("column {}{} tells the target exactly, up to a factor and a constant: "
                            "if it is not known before the target is, leave it out",
                            names_of(columns), more(columns.size())),
                train("--drop " + names_of(columns)));
        }
    }

    void write_scale() {
        if (out_.column_spread > kUneven) {
            add("scale",
                fmt::format(
                    "the deviations of the columns differ by a factor of {:.3g}: the widest "
                    "alone rules every distance",
                    out_.column_spread),
                train("--scale standard"));
        }
    }

    void write_columns() {
        if (!out_.constant_columns.empty() && !data_.is_sparse()) {
            add("constant",
                fmt::format("{} of {} columns have the same value in all rows and tell nothing: "
                            "{}{}",
                            out_.constant_columns.size(), data_.columns(),
                            names_of(out_.constant_columns), more(out_.constant_columns.size())),
                train("--drop " + names_of(out_.constant_columns)));
        }
        if (!out_.duplicate_columns.empty()) {
            std::vector<index_t> copies;
            for (const auto& [copy, original] : out_.duplicate_columns) {
                copies.push_back(copy);
            }
            add("duplicate",
                fmt::format("column {} equals column {}{}: it counts twice in every distance",
                            name_of(copies.front()), name_of(out_.duplicate_columns.front().second),
                            copies.size() > 1
                                ? fmt::format(", and {} more pairs are equal", copies.size() - 1)
                                : ""),
                train("--drop " + names_of(copies)));
        }
    }

    void write_rows() {
        if (out_.near_duplicates > 0) {
            add("near-duplicates",
                fmt::format(
                    "{} rows have a near-duplicate of another class: no machine that cannot "
                    "tell them apart exceeds an accuracy of {:.6g} on these rows",
                    out_.near_duplicates, out_.accuracy_bound),
                fmt::format("mercer kernel distance linear {}", names_.file));
        }
    }

    void write_classes() {
        if (summary_.classes.size() == 1) {
            add("classes",
                fmt::format("all rows have the one target {}; there is nothing to tell apart",
                            summary_.classes.front().name),
                train("--model one-class" + without_target()));
        }
        if (!(out_.imbalance >= kImbalanced)) {
            return;
        }
        const auto by_rows = [](const ClassCount& a, const ClassCount& b) {
            return a.rows < b.rows;
        };
        const auto [rarest, commonest] =
            std::minmax_element(summary_.classes.begin(), summary_.classes.end(), by_rows);
        add("imbalance",
            fmt::format("class {} has {} rows and class {} has {}: always saying {} is right for "
                        "{:.3g} % of them, so look at the balanced accuracy",
                        commonest->name, commonest->rows, rarest->name, rarest->rows,
                        commonest->name,
                        100.0 * static_cast<double>(commonest->rows) /
                            static_cast<double>(std::max<index_t>(1, summary_.rows))),
            train(fmt::format("--weight {}={:.3g}", rarest->name, out_.imbalance)));
    }

    void write_outliers() {
        if (out_.outliers.empty()) {
            return;
        }
        std::vector<index_t> rows;
        for (std::size_t k = 0; k < std::min(kShown, out_.outliers.size()); ++k) {
            rows.push_back(out_.outliers[k] + 1);
        }
        add("outliers",
            fmt::format("{} of {} rows lie far from all others: row {}{}", out_.outliers.size(),
                        out_.searched_rows, fmt::join(rows, ", "), more(out_.outliers.size())),
            train(fmt::format("--model one-class{} --nu {:.2g}", without_target(),
                              std::max(0.001, static_cast<double>(out_.outliers.size()) /
                                                  static_cast<double>(out_.searched_rows)))));
    }

    void write_kernel() {
        const SuggestedHyperparameters& suggested = out_.suggested;
        if (std::isnan(suggested.median_gamma)) {
            return;
        }
        const bool numbers = summary_.classes.empty() && summary_.has_targets;
        add("kernel",
            fmt::format("distances suggest rbf with gamma from {:.3g} to {:.3g}, {:.3g} by the "
                        "median{}; try C from {:.3g} to {:.3g}",
                        suggested.sigest[0], suggested.sigest[2], suggested.median_gamma,
                        suggested.scaled ? ", once the columns are scaled" : "",
                        suggested.least_cost, suggested.greatest_cost),
            summary_.has_targets
                ? fmt::format("mercer select {}{}{} --kernel 'rbf(gamma={:.3g})' --grid "
                              "gamma={:.3g}:{:.3g}:log10:4 --grid C={:.3g}:{:.3g}:log10:5 -o MODEL",
                              names_.file, numbers ? " --model svr" : "",
                              suggested.scaled ? " --scale standard" : "", suggested.median_gamma,
                              suggested.sigest[0], suggested.sigest[2], suggested.least_cost,
                              suggested.greatest_cost)
                : "");
    }

    const Dataset& data_;
    const DatasetSummary& summary_;
    const AdviceNames& names_;
    DataAdvice& out_;
};

double imbalance_of(const DatasetSummary& summary) {
    index_t least = summary.rows;
    index_t most = 0;
    for (const ClassCount& entry : summary.classes) {
        least = std::min(least, entry.rows);
        most = std::max(most, entry.rows);
    }
    return summary.classes.size() < 2 || least == 0
               ? kNaN
               : static_cast<double>(most) / static_cast<double>(least);
}

}  // namespace

DataAdvice advise(const Dataset& data, const DatasetSummary& summary, const AdviceNames& names,
                  Context& context) {
    DataAdvice out;
    if (data.rows() == 0 || data.columns() == 0) {
        return out;
    }
    const report::ColumnScales scales(data);
    for (index_t j = 0; j < data.columns(); ++j) {
        if (scales.deviation(j) == 0.0) {
            out.constant_columns.push_back(j);
        }
    }
    out.column_spread = column_spread(data);
    out.suggested.scaled = out.column_spread > kUneven;
    out.imbalance = imbalance_of(summary);
    find_duplicate_columns(data, out);
    find_target_columns(data, scales, out);
    find_near_duplicates(data, scales, summary, out);
    report::look_at_distances(data, summary, out, context);
    Adviser(data, summary, names, out).write();
    return out;
}

}  // namespace mercer
