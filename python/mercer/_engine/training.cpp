// SPDX-License-Identifier: Apache-2.0
//
// python/mercer/_engine/training.cpp - train and verify.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "options.hpp"
#include "results.hpp"

namespace mercer::python {

nb::dict certificate_dict(const Certificate& certificate) {
    nb::dict out;
    out["primal"] = certificate.primal;
    out["dual"] = certificate.dual;
    out["gap"] = certificate.gap;
    out["relative_gap"] = relative_gap(certificate);
    out["kkt_violation"] = certificate.kkt_violation;
    out["dual_infeasibility"] = certificate.dual_infeasibility;
    out["squared_norm"] = certificate.squared_norm;
    out["intercept"] = certificate.intercept;
    out["intercept_interval"] =
        nb::make_tuple(certificate.intercepts.lower, certificate.intercepts.upper);
    out["width"] = certificate.width;
    out["worst_sample"] = certificate.worst_sample;
    out["exact"] = certificate.exact;
    return out;
}

nb::list certificate_list(const std::vector<Certificate>& certificates) {
    nb::list out;
    for (const Certificate& certificate : certificates) {
        out.append(certificate_dict(certificate));
    }
    return out;
}

namespace {

nb::list trace_list(const std::vector<Moment>& moments) {
    nb::list out;
    for (const Moment& moment : moments) {
        out.append(nb::make_tuple(moment.seconds, moment.stage, moment.done, moment.gap));
    }
    return out;
}

nb::list output_list(const std::vector<OutputSummary>& outputs) {
    nb::list out;
    for (const OutputSummary& output : outputs) {
        nb::dict one;
        one["iterations"] = output.iterations;
        one["support"] = output.support;
        one["bounded"] = output.bounded;
        one["basis_rows"] = nb::cast(output.basis_rows);
        out.append(one);
    }
    return out;
}

nb::dict perceptron_dict(const MistakeBound& bound) {
    nb::dict out;
    out["mistakes"] = bound.mistakes;
    out["passes"] = bound.passes;
    out["radius"] = bound.radius;
    out["margin_norm"] = bound.margin_norm;
    out["bound"] = bound.bound;
    out["reason"] = bound.reason;
    return out;
}

nb::dict basis_dict(const BasisReport& basis) {
    nb::list curve;
    for (const BasisCurvePoint& point : basis.curve) {
        curve.append(nb::make_tuple(point.size, point.objective, point.training_error));
    }
    nb::dict out;
    out["curve"] = curve;
    out["end"] = basis.end;
    out["dependent"] = basis.dependent;
    out["whole"] = certificate_dict(basis.whole);
    return out;
}

nb::dict train_model(const Dataset& data, const nb::dict& options, const nb::dict& settings) {
    const TrainOptions wanted = train_options(options);
    Call call(settings);
    std::optional<TrainResult> result;
    call.run([&] { result = train(data, wanted, call.context()); });
    return result_dict(std::move(*result), call);
}

nb::dict verify(const Model& model, const Dataset& data, const nb::dict& settings) {
    Call call(settings);
    VerifyReport report;
    try {
        call.run([&] { report = verify_model(model, data, call.context()); });
    } catch (const Interrupted&) {
        call.raise_if_stopped();
        throw;
    }
    nb::list conditions;
    for (const VerifyCondition& condition : report.conditions) {
        conditions.append(nb::make_tuple(condition.name, condition.holds, condition.explanation));
    }
    nb::dict out;
    out["holds"] = report.holds;
    out["states"] = report.states;
    out["other_rows"] = report.other_rows;
    out["stated"] = certificate_list(report.stated);
    out["recomputed"] = certificate_list(report.recomputed);
    out["conditions"] = conditions;
    return out;
}

}  // namespace

nb::dict result_dict(TrainResult result, const Call& call) {
    nb::dict out;
    out["outputs"] = output_list(result.outputs);
    out["bounded_support"] = result.bounded_support;
    out["leave_one_out"] = to_numpy(std::move(result.leave_one_out));
    out["leave_one_out_loss"] = to_numpy(std::move(result.leave_one_out_loss));
    out["leave_one_out_wrong"] = result.leave_one_out_wrong;
    out["rank"] = result.rank;
    out["weights"] = to_numpy(std::move(result.weights));
    out["weight_names"] = nb::cast(result.weight_names);
    out["tube"] = result.tube;
    out["residual"] = result.residual;
    if (result.perceptron) {
        out["perceptron"] = perceptron_dict(*result.perceptron);
    }
    if (result.basis) {
        out["basis"] = basis_dict(*result.basis);
    }
    out["missing"] = nb::cast(result.missing);
    out["kernel_rows"] = result.work.kernel_rows;
    out["products"] = result.work.products;
    out["memory_bytes"] = result.work.memory_bytes;
    out["fit_seconds"] = result.fit_seconds;
    out["certify_seconds"] = result.certify_seconds;
    out["trace"] = trace_list(call.recorder().moments());
    out["notes"] = nb::cast(call.recorder().notes());
    out["raised"] = call.raised();
    out["model"] = nb::cast(std::move(result.model));
    return out;
}

void bind_training(nb::module_& module) {
    module.def("train", &train_model, nb::arg("data"), nb::arg("options"), nb::arg("settings"),
               "Trains; a dict with the model and how it was made.");
    module.def("verify", &verify, nb::arg("model"), nb::arg("data"), nb::arg("settings"),
               "The certificate again, from the model and the data alone.");
    module.def(
        "allowed_threads", [] { return Context().threads(); },
        "CPUs that this process may use, by affinity and cgroup.");
    module.def(
        "byte_size",
        [](const std::string& text) {
            const std::optional<index_t> bytes = parse_byte_size(text);
            if (!bytes) {
                throw InvalidArgument(ArgumentFault{"memory_limit", "'" + text + "'",
                                                    "must be a size like 512M or 4G"});
            }
            return *bytes;
        },
        "`4G`, `512M` or `1000` as bytes.");
    module.def("label_text", &label_text, "The shortest text that reads back as the same number.");
}

}  // namespace mercer::python
