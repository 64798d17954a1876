// SPDX-License-Identifier: Apache-2.0
//
// cli/model_access.cpp - reads models and the data they are applied to.
#include "model_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "argument.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/formats/libsvm_model.hpp"
#include "mercer/formats/model_file.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/models/expansion.hpp"
#include "mercer/theory/leave_one_out.hpp"
#include "printable.hpp"
#include "stoppable_files.hpp"

namespace mercer::cli {

namespace {

/// Throws if the rows do not fit the model.
void require_width(const Model& model, const Dataset& rows, const DataArgument& argument) {
    const bool narrow = rows.columns() < model.columns && !rows.is_sparse();
    if (!narrow && rows.columns() <= model.columns) {
        return;
    }
    std::string hint;
    if (rows.columns() + 1 == model.columns && argument.read.target.empty()) {
        hint = "; if the file has no target column, say --target none";
    } else if (rows.columns() == model.columns + 1) {
        hint = "; if one of them is the target, name it with --target";
    }
    throw DataError(fmt::format("{}: the rows have {} columns, the model was trained on {}{}",
                                argument.path, rows.columns(), model.columns, hint));
}

/// Whether the file starts with a key of LIBSVM's model files. A pipe cannot be read twice.
bool looks_like_libsvm(const std::string& path, Files& files) {
    if (path == "-") {
        return false;
    }
    std::array<char, 12> bytes{};
    const std::unique_ptr<ReadFile> file = files.open(path);
    if (file->size() < 0) {
        return false;
    }
    const index_t got = file->read(bytes);
    const std::string_view begin(bytes.data(), static_cast<std::size_t>(got));
    const std::string_view word = begin.substr(0, begin.find(' '));
    constexpr std::array<std::string_view, 13> kKeys = {
        "svm_type", "kernel_type", "degree", "gamma", "coef0", "nr_class", "total_sv",
        "rho",      "label",       "probA",  "probB", "nr_sv", "SV"};
    return std::find(kKeys.begin(), kKeys.end(), word) != kKeys.end();
}

}  // namespace

void add_model_argument(CLI::App& command, std::string& model) {
    add_option(command, "MODEL", model, "model file, from mercer train").reads_file().required();
}

void add_weights_option(CLI::App& command, std::string& weights) {
    add_option(command, "--weights", weights, "file with one weight >= 0 per row")
        .type_name("FILE")
        .reads_file();
}

Model read_model(Session& session, const std::string& path) {
    Context& context = session.context();
    StoppableFiles files(context);
    return session.timed("load", [&] {
        return looks_like_libsvm(path, files)
                   ? from_libsvm(read_libsvm_model(path, context, files).value())
                   : load_model(path, context, files).value();
    });
}

Dataset read_rows_for(Session& session, Model& model, const ModelArguments& arguments) {
    ReadOptions options = arguments.data.read;
    if (options.columns == 0) {
        options.columns = model.columns;
    }
    options.names = model.names;
    options.task = model.labels.empty() ? "regression" : "classification";
    Dataset rows = read_data(session, arguments.data.path, options);
    if (model.status == kImported) {
        model = widened(std::move(model), rows.columns());
    }
    require_width(model, rows, arguments.data);
    if (!model.labels.empty() && !rows.targets.empty()) {
        rows = align_classes(std::move(rows), model.labels);
    }
    return rows;
}

void require_known_targets(const Model& model, const Dataset& rows, const std::string& path) {
    if (rows.rows() > 0 && rows.targets.empty()) {
        throw DataError(
            fmt::format("{}: the rows have no targets; name the column with --target", path));
    }
    for (std::size_t i = 0; i < rows.targets.size(); ++i) {
        if (!model.labels.empty() && rows.targets[i] < 0.0) {
            throw DataError(fmt::format("{}: row {}: its label is not one of the model's, {}", path,
                                        i + 1, fmt::join(printable(model.labels), ", ")));
        }
    }
}

void read_row_weights(Session& session, const std::string& path, Dataset& data) {
    if (path.empty()) {
        return;
    }
    ReadOptions options;
    options.target = "none";
    options.format = format_of_path(path).empty() ? "csv" : "auto";
    const Dataset column = read_data(session, path, options);
    if (column.rows() != data.rows() || column.columns() != 1) {
        throw DataError(fmt::format("{}: got {} x {} weights, must be one per row, {} x 1", path,
                                    column.rows(), column.columns(), data.rows()));
    }
    data.weights.assign(static_cast<std::size_t>(data.rows()), 0.0);
    for (std::size_t i = 0; i < data.weights.size(); ++i) {
        column.copy_row(static_cast<index_t>(i), std::span<double>(&data.weights[i], 1));
        if (data.weights[i] < 0.0) {
            throw DataError(fmt::format("{}: row {}: weight {}, must be finite and >= 0", path,
                                        i + 1, data.weights[i]));
        }
    }
}

Json certificate_json(const Certificate& certificate) {
    return Json{{"primal", certificate.primal},
                {"dual", certificate.dual},
                {"gap", certificate.gap},
                {"relative_gap", relative_gap(certificate)},
                {"kkt_violation", certificate.kkt_violation},
                {"exact", certificate.exact}};
}

std::string classes_text(const Model& model) {
    constexpr std::size_t kShown = 10;
    if (model.labels.size() <= 2) {
        return fmt::format("{}", fmt::join(printable(model.labels), " and "));
    }
    const std::size_t shown = std::min(kShown, model.labels.size());
    const std::vector<std::string> names = printable(model.labels);
    const std::string way = model.is_ordinal() ? "in order, thresholds of one function"
                            : model.is_joint()
                                ? "softmax, one joint problem"
                                : fmt::format("{}, {} machines", model.multiclass, model.outputs());
    return fmt::format(
        "{}{} ({})",
        fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        model.labels.size() > shown ? fmt::format(" and {} more", model.labels.size() - shown) : "",
        way);
}

std::string intercepts_text(const Model& model) {
    if (model.is_ordinal()) {
        const std::size_t shown = std::min<std::size_t>(8, model.thresholds.size());
        return fmt::format(
            "thresholds   {:.6g}{}\n",
            fmt::join(model.thresholds.begin(),
                      model.thresholds.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
            shown < model.thresholds.size()
                ? fmt::format(" and {} more", model.thresholds.size() - shown)
                : "");
    }
    if (model.is_ranking()) {
        return "";
    }
    if (model.multiclass.empty()) {
        return fmt::format("intercept    {:.10g}\n", fmt::join(model.intercepts, ", "));
    }
    const auto [least, greatest] =
        std::minmax_element(model.intercepts.begin(), model.intercepts.end());
    return fmt::format("intercepts   {:.10g} .. {:.10g}\n", *least, *greatest);
}

std::string margin_text(const Model& model) {
    const std::vector<index_t> counts = support_by_class(model);
    const double margin = margin_width(model);
    const std::optional<Loss> loss = loss_by_name(model.loss, model.epsilon);
    if (counts.empty() || std::isnan(margin) || !loss || !support_shape(*loss)) {
        return "";
    }
    return fmt::format("margin       {:.6g} wide; support rows: {} of class {}, {} of class {}\n",
                       margin, counts[0], printable(model.labels[0]), counts[1],
                       printable(model.labels[1]));
}

index_t nonzero_coefficients(const Model& model) {
    return std::count_if(model.coefficients.begin(), model.coefficients.end(),
                         [](double value) { return value != 0.0; });
}

std::string penalty_text(const Model& model) {
    if (model.penalty == kBasis) {
        return fmt::format("basis        {} of {} {}\n", model.support.rows(),
                           model.on_columns ? model.columns : model.fingerprint.rows,
                           model.on_columns ? "columns" : "rows");
    }
    if (model.on_columns) {
        return fmt::format("penalty      {}, weight {:.6g}: {} of {} columns have a weight\n",
                           model.penalty, model.l1, nonzero_coefficients(model), model.columns);
    }
    return fmt::format("penalty      {}, weight {:.6g}: {} nonzero coefficients, {} of {} rows\n",
                       model.penalty, model.l1, nonzero_coefficients(model), model.support.rows(),
                       model.fingerprint.rows);
}

void add_certificates(Json& json, const std::vector<Certificate>& certificates) {
    json["certificate"] = certificate_json(total_certificate(certificates));
    if (certificates.size() > 1) {
        Json list = Json::array();
        for (const Certificate& certificate : certificates) {
            list.push_back(certificate_json(certificate));
        }
        json["certificates"] = std::move(list);
    }
}

std::string certificates_text(const std::vector<Certificate>& certificates,
                              const std::string& margin) {
    if (certificates.empty()) {
        return "";
    }
    std::string text = certificate_text(total_certificate(certificates), margin);
    if (certificates.size() > 1) {
        text += fmt::format("{}summed over {} problems; --json tells each\n",
                            std::string(margin.size(), ' '), certificates.size());
    }
    return text;
}

std::string certificate_text(const Certificate& certificate, const std::string& margin) {
    std::string text = fmt::format("{}primal {:.10g}, dual {:.10g}\n", margin, certificate.primal,
                                   certificate.dual);
    const std::string indent(margin.size(), ' ');
    if (!certificate.exact) {
        text +=
            fmt::format("{}void: an indefinite kernel, or equations without a solution\n", indent);
    } else if (std::isnan(certificate.gap)) {
        text += fmt::format("{}no gap: the objective is not bounded by a dual value\n", indent);
    } else {
        text +=
            fmt::format("{}proved within {:.3g} of the best objective, {:.2g} relative\n", indent,
                        std::max(0.0, certificate.gap), std::max(0.0, relative_gap(certificate)));
    }
    return text + fmt::format("{}optimality conditions hold to {:.3g}\n", indent,
                              certificate.kkt_violation);
}

}  // namespace mercer::cli
