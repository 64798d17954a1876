// SPDX-License-Identifier: Apache-2.0
//
// src/report/make_report.cpp - gathers all parts of a report, in their order of presentation.
#include <fmt/format.h>

#include <cmath>

#include "mercer/data/fingerprint.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/models/expansion.hpp"
#include "mercer/models/inliers.hpp"
#include "mercer/report/report.hpp"
#include "mercer/runtime/context.hpp"
#include "report/gathering.hpp"

namespace mercer {

namespace {

/// Half-width of the tube: given, or determined by a nu-machine.
double tube_of(const Model& model) {
    const bool tube = model.loss == "epsilon" || model.loss == "squared-epsilon";
    if (!tube || model.certificates.empty()) {
        return kNaN;
    }
    const double found = model.certificates.front().width;
    return std::isnan(model.nu) ? model.epsilon : found;
}

void gather_verification(const Model& model, const Dataset& data, bool trained_on,
                         const ReportOptions& options, Report& report, Context& context) {
    if (!trained_on) {
        report.remarks.emplace_back(
            "The rows given are not those that trained the model, so the certificate is shown as "
            "the model states it and was not recomputed.");
    } else if (!options.verify) {
        report.remarks.emplace_back(
            "The certificate was not recomputed, as asked; `mercer verify` does it.");
    } else if (model.status != kImported && !model.certificates.empty()) {
        report.verified = verify_model(model, data, context);
    }
}

void gather_data(const Model& model, const Dataset& data, const ReportOptions& options, Report& out,
                 Context& context) {
    const bool usable = model.machine == kOneClass || report::has_targets(model, data);
    if (!usable) {
        out.remarks.emplace_back("The rows given have no targets, so nothing is measured on them.");
    }
    const bool trained_on =
        usable && is_training_data(model, model.machine == kOneClass ? as_inliers(data) : data);
    gather_verification(model, data, trained_on, options, out, context);
    out.rows.push_back(report::measure_rows(
        model, data, trained_on ? "training rows" : "rows given", options, context));
    out.provenance.emplace_back("rows given, fingerprint",
                                fmt::format("{:016x}", fingerprint_of(data).hash));
    report::gather_leave_one_out(model, data, options.refits, out, context);
}

}  // namespace

Report make_report(const Model& model, const ReportSources& sources, const ReportOptions& options,
                   Context& context) {
    Report out;
    out.task = report::task_of(model);
    out.title = options.title.empty()
                    ? fmt::format("{}, {}", model.machine, to_string(model.kernel))
                    : options.title;
    out.machine = model.machine;
    out.kernel = to_string(model.kernel);
    out.classes = model.labels;
    out.tube = tube_of(model);
    out.grid = sources.grid;
    out.path = sources.path;
    report::describe_problem(model, out);
    report::describe_certificate(model, out);
    report::describe_origin(model, sources, options, out);
    if (sources.data != nullptr) {
        gather_data(model, *sources.data, options, out, context);
    } else {
        out.remarks.emplace_back(
            "No rows were given: this page holds what the model file alone tells. `mercer report "
            "MODEL DATA` measures it.");
    }
    if (sources.validation != nullptr) {
        out.rows.push_back(
            report::measure_rows(model, *sources.validation, "validation rows", options, context));
        out.provenance.emplace_back(
            "validation rows, fingerprint",
            fmt::format("{:016x}", fingerprint_of(*sources.validation).hash));
    }
    const Dataset* judged = sources.validation != nullptr ? sources.validation : sources.data;
    report::gather_support(model, sources.data, out, context);
    report::gather_weights(model, out, context);
    if (judged != nullptr) {
        report::gather_importance(model, *judged, out, context);
    }
    report::gather_plane(model, sources.data, out, context);
    report::gather_refits(model, sources, options, out, context);
    return out;
}

}  // namespace mercer
