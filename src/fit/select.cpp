// SPDX-License-Identifier: Apache-2.0
//
// src/fit/select.cpp - every combination of a grid, judged by rows that did not train.
#include "mercer/fit/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>

#include "fit/path_select.hpp"
#include "fit/precomputed.hpp"
#include "fit/recipe.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/split.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/ridge_spectrum.hpp"

namespace mercer {

namespace {

constexpr index_t kMostCombinations = 1'000'000;

bool is_constant(std::string_view name) {
    return name == "C" || name == "cost" || name == "lambda" || name == "alpha";
}

/// Puts one value of the grid where it belongs.
void set_value(TrainOptions& options, std::string_view name, double value) {
    if (name == "C" || name == "cost") {
        options.cost = value;
    } else if (name == "lambda") {
        options.lambda = value;
    } else if (name == "alpha") {
        options.alpha = value;
    } else if (name == "epsilon") {
        options.epsilon = value;
    } else if (name == "l1") {
        options.l1 = value;
    } else if (name == "nu" && machine_of(options.model).takes.nu) {
        options.nu = value;  // elsewhere it is a kernel's
    } else if (name == "degree" && machine_of(options.model).takes.degree) {
        options.degree = static_cast<index_t>(value);
        require_in_range("degree", value - std::floor(value), Range::within(0.0, 0.0));
    } else {
        const std::string_view prefix = "kernel.";  // where the kernel has an alpha of its own
        options.kernel = with_parameter(
            options.kernel, name.starts_with(prefix) ? name.substr(prefix.size()) : name, value);
    }
}

/// All combinations, the last axis fastest.
std::vector<std::vector<double>> combinations(const std::vector<GridAxis>& grid) {
    index_t count = 1;
    for (const GridAxis& axis : grid) {
        if (axis.values.empty()) {
            throw InvalidArgument(fmt::format("grid: {} has no values", axis.name));
        }
        count *= static_cast<index_t>(axis.values.size());
        if (count > kMostCombinations) {
            throw InvalidArgument(
                fmt::format("grid: more than {} combinations", kMostCombinations));
        }
    }
    std::vector<std::vector<double>> all{{}};
    for (const GridAxis& axis : grid) {
        std::vector<std::vector<double>> longer;
        for (const std::vector<double>& start : all) {
            for (const double value : axis.values) {
                longer.push_back(start);
                longer.back().push_back(value);
            }
        }
        all = std::move(longer);
    }
    return all;
}

/// The combinations in an order that keeps those of one kernel together, whatever the order of the
/// axes: what is computed for a kernel is then computed once.
std::vector<std::size_t> by_kernel(const std::vector<GridAxis>& axes,
                                   const std::vector<std::vector<double>>& grid) {
    std::map<std::vector<double>, std::vector<std::size_t>> groups;
    for (std::size_t k = 0; k < grid.size(); ++k) {
        std::vector<double> key;
        for (std::size_t a = 0; a < axes.size(); ++a) {
            if (!is_constant(axes[a].name)) {
                key.push_back(grid[k][a]);
            }
        }
        groups[key].push_back(k);
    }
    std::vector<std::size_t> order;
    for (const auto& [key, members] : groups) {
        order.insert(order.end(), members.begin(), members.end());
    }
    return order;
}

PathOptions path_of(const SelectOptions& options, const TrainOptions& machine) {
    PathOptions path;
    path.machine = machine;
    path.over = options.path->name;
    path.from = options.path->from;
    path.to = options.path->to;
    return path;
}

/// `values` of the grid, and of the path when there is one and it has a value.
TrainOptions options_at(const SelectOptions& options, const std::vector<double>& values) {
    TrainOptions chosen = options.train;
    for (std::size_t a = 0; a < options.grid.size(); ++a) {
        set_value(chosen, options.grid[a].name, values[a]);
    }
    return values.size() > options.grid.size()
               ? fit::machine_at(path_of(options, chosen), values.back())
               : chosen;
}

void require_path(const SelectOptions& options) {
    constexpr std::string_view kWeight = "weight";  // no hyperparameter of a grid
    std::vector<std::string> known = path_parameters(options.train.model);
    known.erase(std::remove(known.begin(), known.end(), kWeight), known.end());
    if (known.empty() || machine_of(options.train.model).task == Task::inliers) {
        throw InvalidArgument(fmt::format(
            "path: {} has no exact path to be judged by; svc, svr, nu-svc and nu-svr do",
            options.train.model));
    }
    if (std::find(known.begin(), known.end(), options.path->name) == known.end()) {
        throw InvalidArgument(fmt::format("path: got '{}', {} has a path over {}",
                                          options.path->name, options.train.model,
                                          fmt::join(known, ", ")));
    }
    for (const GridAxis& axis : options.grid) {
        const bool same = axis.name == options.path->name;
        if (same || (options.path->name == "C" && is_constant(axis.name))) {
            throw InvalidArgument(fmt::format("grid: {} is given, though the path is over {}",
                                              axis.name, options.path->name));
        }
    }
}

bool greater_is_better(std::string_view measure) {
    for (const std::string_view name : {"accuracy", "auc", "r2", "log_likelihood", "tau"}) {
        if (measure.ends_with(name)) {
            return true;
        }
    }
    return false;
}

/// Measures of several parts, put together row by row.
class Judge {
public:
    void add(const Model& model, const Dataset& rows, Context& context) {
        if (model.is_ranking()) {
            add_ranking(evaluate_ranking(model, rows, context));
        } else if (model.labels.empty()) {
            add_values(evaluate_values(model, rows, context), rows);
        } else {
            add_classes(evaluate_classes(model, rows, context));
        }
    }

    [[nodiscard]] std::vector<std::pair<std::string, double>> measures(
        const std::string& prefix) const {
        std::vector<std::pair<std::string, double>> out;
        const auto put = [&](const char* name, double value) {
            out.emplace_back(prefix + name, value);
        };
        if (!confusion_.empty()) {
            put("accuracy", right_ / rows_);
            put("balanced_accuracy", mean_recall());
            put("auc", auc_ / rows_);
            if (!std::isnan(apart_)) {
                put("mae", apart_ / rows_);
            }
            return out;
        }
        if (ranks_) {
            put("pair_accuracy", 0.5 * (1.0 + ordered_ / pairs_));
            put("kendall_tau", ordered_ / pairs_);
            return out;
        }
        put("rmse", std::sqrt(squares_ / rows_));
        put("mse", squares_ / rows_);
        put("mae", absolutes_ / rows_);
        put("r2", 1.0 - squares_ / (target_squares_ - target_sum_ * target_sum_ / rows_));
        return out;
    }

private:
    void add_values(const RegressionReport& report, const Dataset& rows) {
        const auto count = static_cast<double>(report.rows);
        rows_ += count;
        squares_ += report.rmse * report.rmse * count;
        absolutes_ += report.mae * count;
        for (const double target : rows.targets) {
            target_sum_ += target;
            target_squares_ += target * target;
        }
    }
    void add_ranking(const RankingReport& report) {
        ranks_ = true;
        pairs_ += static_cast<double>(report.pairs);
        ordered_ += static_cast<double>(report.concordant - report.discordant);
    }
    void add_classes(const ClassificationReport& report) {
        const auto count = static_cast<double>(report.rows);
        apart_ += report.rank_error * count;
        rows_ += count;
        right_ += report.accuracy * count;
        auc_ += report.auc * count;
        confusion_.resize(report.confusion.size(),
                          std::vector<index_t>(report.confusion.size(), 0));
        for (std::size_t i = 0; i < report.confusion.size(); ++i) {
            for (std::size_t j = 0; j < report.confusion.size(); ++j) {
                confusion_[i][j] += report.confusion[i][j];
            }
        }
    }
    [[nodiscard]] double mean_recall() const {
        double sum = 0.0;
        double present = 0.0;
        for (std::size_t i = 0; i < confusion_.size(); ++i) {
            const index_t all =
                std::accumulate(confusion_[i].begin(), confusion_[i].end(), index_t{0});
            if (all > 0) {
                sum += static_cast<double>(confusion_[i][i]) / static_cast<double>(all);
                present += 1.0;
            }
        }
        return sum / present;
    }

    double rows_ = 0.0;
    double squares_ = 0.0;
    double absolutes_ = 0.0;
    double target_sum_ = 0.0;
    double target_squares_ = 0.0;
    double right_ = 0.0;
    double auc_ = 0.0;    // mean over the parts, by rows
    double apart_ = 0.0;  // ordinal: sum of the classes' distances; NaN for others
    bool ranks_ = false;
    double pairs_ = 0.0;
    double ordered_ = 0.0;  // concordant pairs less the discordant ones
    std::vector<std::vector<index_t>> confusion_;
};

/// Folds of whole queries: pairs are within them.
std::vector<Split> folds_of_queries(const Dataset& data, index_t count, Context& context) {
    std::map<index_t, index_t> fold_of;
    for (const index_t query : data.queries) {
        fold_of.emplace(query, 0);
    }
    const auto queries = static_cast<index_t>(fold_of.size());
    if (count > queries) {
        throw InvalidArgument(fmt::format("folds: got {}, must be <= {} queries", count, queries));
    }
    constexpr std::uint64_t kQueryStream = 17;
    const std::vector<index_t> order = context.random(kQueryStream).permutation(queries);
    index_t next = 0;
    for (auto& [query, fold] : fold_of) {
        fold = order[static_cast<std::size_t>(next++)] % count;
    }
    std::vector<Split> folds(static_cast<std::size_t>(count));
    for (index_t i = 0; i < data.rows(); ++i) {
        const index_t own = fold_of.at(data.queries[static_cast<std::size_t>(i)]);
        for (index_t f = 0; f < count; ++f) {
            Split& split = folds[static_cast<std::size_t>(f)];
            (f == own ? split.test : split.train).push_back(i);
        }
    }
    return folds;
}

std::vector<Split> folds_of(const Dataset& data, const SelectOptions& options, Context& context) {
    if (is_machine(options.train.model, MachineId::rank)) {
        if (options.leave_one_out) {
            throw InvalidArgument("loo: a row left out has no other to be ranked with; use folds");
        }
        if (!data.queries.empty()) {
            return folds_of_queries(data, options.folds, context);
        }
    }
    FoldOptions folds;
    folds.folds = options.leave_one_out ? data.rows() : options.folds;
    folds.stratify = !data.label_names.empty() && !options.leave_one_out;
    folds.seed = static_cast<index_t>(context.seed());
    return make_folds(data, folds);
}

std::string prefix_of(const SelectOptions& options) {
    return options.validation ? "validation_" : (options.leave_one_out ? "loo_" : "cv_");
}

/// Trains on each part and judges by the rest.
std::vector<std::pair<std::string, double>> judge(const Dataset& data,
                                                  const TrainOptions& train_with,
                                                  const SelectOptions& options,
                                                  std::span<const Split> folds, Context& context) {
    Judge out;
    if (options.validation) {
        out.add(train(data, train_with, context).model, *options.validation, context);
        return out.measures(prefix_of(options));
    }
    if (is_precomputed(train_with.kernel)) {
        const fit::NumberedRows numbered = fit::number_rows(data, train_with, context);
        return judge(numbered.rows, numbered.options, options, folds, context);
    }
    for (std::size_t k = 0; k < folds.size(); ++k) {
        context.throw_if_stopped("select");
        try {
            const Model model = train(data.select(folds[k].train), train_with, context).model;
            out.add(model, data.select(folds[k].test), context);
        } catch (const InvalidArgument& fault) {
            throw InvalidArgument(
                fmt::format("fold {} of {}: {}", k + 1, folds.size(), fault.what()));
        }
    }
    return out.measures(prefix_of(options));
}

void put_residuals(const std::vector<double>& residuals, const std::string& prefix,
                   SelectRow& row) {
    double squares = 0.0;
    double absolutes = 0.0;
    for (const double r : residuals) {
        squares += r * r;
        absolutes += std::abs(r);
    }
    const auto count = static_cast<double>(residuals.size());
    row.measures.emplace_back(prefix + "rmse", std::sqrt(squares / count));
    row.measures.emplace_back(prefix + "mse", squares / count);
    row.measures.emplace_back(prefix + "mae", absolutes / count);
}

/// krr: the measures of every constant from one reduction of a kernel matrix. The scaling and
/// a `gamma=scale` are learnt from all rows, once.
class RidgePath {
public:
    RidgePath(const Dataset& data, const SelectOptions& options, Context& context)
        : data_(data), options_(options), context_(context) {}

    void measure(const TrainOptions& train_with, SelectRow& row) {
        if (!spectrum_ || !(kernel_ == train_with.kernel)) {
            decompose(train_with);
        }
        const double alpha = fit::ridge_alpha(train_with, total_weight_);
        const RidgeMeasures found = spectrum_->measure(alpha, folds_, context_);
        if (!folds_.empty()) {
            put_residuals(found.left_out, "cv_", row);
        }
        put_residuals(found.leave_one_out, "loo_", row);
        row.measures.emplace_back("gcv", found.gcv.front());
        row.measures.emplace_back("log_likelihood", found.log_likelihood.front());
        row.measures.emplace_back("degrees_of_freedom", found.degrees);
    }

private:
    void decompose(const TrainOptions& train_with) {
        const fit::Prepared prepared = fit::prepare(data_, train_with);
        RidgeProblem problem;
        problem.gram = make_gram(prepared.kernel, prepared.rows);
        problem.targets = prepared.rows.targets;
        problem.weights = prepared.rows.weights;
        problem.intercept = train_with.intercept;
        total_weight_ = prepared.total_weight;
        kernel_ = train_with.kernel;
        folds_.clear();
        if (!options_.leave_one_out) {
            for (const Split& fold : folds_of(prepared.rows, options_, context_)) {
                folds_.push_back(fold.test);
            }
        }
        spectrum_.reset();  // the old basis makes room for the new one
        spectrum_.emplace(problem, context_);
    }

    const Dataset& data_;
    const SelectOptions& options_;
    Context& context_;
    Kernel kernel_;
    double total_weight_ = 0.0;
    std::vector<std::vector<index_t>> folds_;
    std::optional<RidgeSpectrum> spectrum_;
};

bool takes_one_decomposition(const SelectOptions& options) {
    return is_machine(options.train.model, MachineId::krr) && options.train.penalty == kRkhs &&
           !options.validation &&
           std::any_of(options.grid.begin(), options.grid.end(),
                       [](const GridAxis& axis) { return is_constant(axis.name); });
}

/// The measure asked for, by its full name.
std::string measure_name(const SelectOptions& options, const SelectRow& row, bool classes) {
    const std::string metric = !options.metric.empty()                            ? options.metric
                               : classes                                          ? "accuracy"
                               : is_machine(options.train.model, MachineId::rank) ? "pair_accuracy"
                                                                                  : "rmse";
    for (const std::string& name : {prefix_of(options) + metric, metric}) {
        if (std::any_of(row.measures.begin(), row.measures.end(),
                        [&name](const auto& measure) { return measure.first == name; })) {
            return name;
        }
    }
    std::vector<std::string> known;
    for (const auto& [name, value] : row.measures) {
        known.push_back(name);
    }
    throw InvalidArgument(
        fmt::format("metric: got '{}', must be one of {}", metric, fmt::join(known, ", ")));
}

double measure_of(const SelectRow& row, const std::string& name) {
    for (const auto& [known, value] : row.measures) {
        if (known == name) {
            return value;
        }
    }
    return kNaN;
}

void choose_best(SelectResult& result) {
    const double sign = greater_is_better(result.measure) ? -1.0 : 1.0;
    double least = kInfinity;
    for (std::size_t i = 0; i < result.table.size(); ++i) {
        const double value = sign * measure_of(result.table[i], result.measure);
        if (value < least) {
            least = value;
            result.best = i;
        }
    }
    if (std::isinf(least) && least > 0.0) {
        throw InvalidArgument(
            fmt::format("metric: {} is not defined for any combination", result.measure));
    }
}

std::optional<double> number_of(std::string_view text) {
    double value = 0.0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
    return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::vector<std::string_view> pieces_of(std::string_view text, char mark) {
    std::vector<std::string_view> out;
    for (;;) {
        const std::size_t at = text.find(mark);
        out.push_back(text.substr(0, at));
        if (at == std::string_view::npos) {
            return out;
        }
        text.remove_prefix(at + 1);
    }
}

/// lo:hi:step[:count].
Result<std::vector<double>> range_values(const std::vector<std::string_view>& pieces) {
    const auto refuse = [](std::string message) {
        return Diagnostic{std::move(message), "grid", 0, 0};
    };
    const std::optional<double> low = number_of(pieces[0]);
    const std::optional<double> high = number_of(pieces[1]);
    const std::string_view step = pieces[2];
    if (!low || !high || *low > *high) {
        return refuse("a range is LOW:HIGH:STEP with numbers LOW <= HIGH");
    }
    if (step != "log10" && step != "log2" && step != "lin") {
        return refuse(fmt::format("got the step '{}', must be log10, log2 or lin", step));
    }
    if (step != "lin" && *low <= 0.0) {
        return refuse("a logarithmic range needs LOW > 0");
    }
    const auto to_steps = [&](double value) {
        return step == "lin" ? value : (step == "log2" ? std::log2(value) : std::log10(value));
    };
    const double length = to_steps(*high) - to_steps(*low);
    double count = std::floor(length + 1e-9) + 1.0;
    if (pieces.size() == 4) {
        const std::optional<double> wanted = number_of(pieces[3]);
        if (!wanted || *wanted < 1.0 || *wanted != std::floor(*wanted)) {
            return refuse(fmt::format("got the count '{}', must be a whole number > 0", pieces[3]));
        }
        count = *wanted;
    }
    if (count > static_cast<double>(kMostCombinations)) {
        return refuse(fmt::format("{} values are more than {}", count, kMostCombinations));
    }
    std::vector<double> values;
    for (double k = 0.0; k < count; k += 1.0) {
        const double along = pieces.size() == 4 && count > 1.0 ? length * k / (count - 1.0) : k;
        if (k > 0.0 && k == count - 1.0 && pieces.size() == 4) {
            values.push_back(*high);  // the end as it was written
        } else {
            values.push_back(step == "lin" ? *low + along
                                           : *low * std::pow(step == "log2" ? 2.0 : 10.0, along));
        }
    }
    return values;
}

}  // namespace

Result<PathAxis> parse_path_axis(std::string_view text) {
    const auto refuse = [&](const std::string& message) {
        return Diagnostic{fmt::format("'{}': {}", text, message), "path", 0, 0};
    };
    PathAxis axis;
    const std::size_t mark = text.find('=');
    axis.name = std::string(text.substr(0, mark));
    if (axis.name.empty()) {
        return refuse("must be NAME or NAME=FROM:TO");
    }
    if (mark == std::string_view::npos) {
        return axis;
    }
    const std::vector<std::string_view> ends = pieces_of(text.substr(mark + 1), ':');
    const std::optional<double> from = number_of(ends.front());
    const std::optional<double> to = number_of(ends.back());
    if (ends.size() != 2 || !from || !to) {
        return refuse("must be NAME or NAME=FROM:TO with two finite numbers");
    }
    axis.from = *from;
    axis.to = *to;
    return axis;
}

Result<GridAxis> parse_grid_axis(std::string_view text) {
    const auto refuse = [&](const std::string& message) {
        return Diagnostic{fmt::format("'{}': {}", text, message), "grid", 0, 0};
    };
    const std::size_t mark = text.find('=');
    if (mark == std::string_view::npos || mark == 0) {
        return refuse("must be NAME=VALUES");
    }
    GridAxis axis;
    axis.name = std::string(text.substr(0, mark));
    const std::string_view values = text.substr(mark + 1);
    const std::vector<std::string_view> range = pieces_of(values, ':');
    if (range.size() == 3 || range.size() == 4) {
        Result<std::vector<double>> parsed = range_values(range);
        if (!parsed) {
            return refuse(parsed.diagnostic().message);
        }
        axis.values = std::move(parsed).value();
        return axis;
    }
    for (const std::string_view piece : pieces_of(values, ',')) {
        const std::optional<double> value = number_of(piece);
        if (!value) {
            return refuse(
                fmt::format("'{}' is not a finite number; values are a,b,c or "
                            "LOW:HIGH:log10|log2|lin[:COUNT]",
                            piece));
        }
        axis.values.push_back(*value);
    }
    return axis;
}

SelectResult select_model(const Dataset& data, const SelectOptions& options, Context& context) {
    require_trainable(data, options.train.model);
    const std::vector<std::vector<double>> grid = combinations(options.grid);
    SelectResult result;
    for (const GridAxis& axis : options.grid) {
        if (std::count(result.names.begin(), result.names.end(), axis.name) > 0) {
            throw InvalidArgument(fmt::format("grid: {} is given twice", axis.name));
        }
        result.names.push_back(axis.name);
    }
    if (options.path) {
        require_path(options);
        result.names.push_back(options.path->name);
    }
    result.one_decomposition = !options.path && takes_one_decomposition(options);
    RidgePath path(data, options, context);
    const std::vector<Split> folds = result.one_decomposition || options.validation
                                         ? std::vector<Split>()
                                         : folds_of(data, options, context);
    result.table.resize(grid.size());
    index_t done = 0;
    for (const std::size_t k : by_kernel(options.grid, grid)) {
        context.throw_if_stopped("select");
        const TrainOptions chosen = options_at(options, grid[k]);
        SelectRow& row = result.table[k];
        if (options.path) {
            row = fit::select_on_path(data, path_of(options, chosen), options, folds, context);
        } else if (result.one_decomposition) {
            path.measure(chosen, row);
        } else {
            row.measures = judge(data, chosen, options, folds, context);
        }
        row.values.insert(row.values.begin(), grid[k].begin(), grid[k].end());
        if (done == 0) {
            result.measure = measure_name(options, row, !data.label_names.empty());
        }
        context.report(
            {.stage = "select", .done = ++done, .total = static_cast<index_t>(grid.size())});
    }
    choose_best(result);
    if (options.refit) {
        result.refit = train(data, options_at(options, result.table[result.best].values), context);
    }
    return result;
}

}  // namespace mercer
