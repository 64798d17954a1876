// SPDX-License-Identifier: Apache-2.0
//
// python/mercer/_engine/options.cpp - from a dict to options, and the tables that Python reads.
#include "options.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.hpp"

namespace mercer::python {

nb::object OptionSetter::take(std::string_view name) {
    known_.emplace_back(name);
    const nb::str key(name.data(), name.size());
    return given_.contains(key) ? nb::object(given_[key]) : nb::none();
}

void OptionSetter::require_all_taken() const {
    for (const auto& [key, value] : given_) {
        const auto name = nb::cast<std::string>(key);
        if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
            std::string all;
            for (const std::string& known : known_) {
                all += (all.empty() ? "" : ", ") + known;
            }
            throw InvalidArgument(name + ": there is no such option; there are " + all);
        }
    }
}

Kernel kernel_of(const std::string& text, std::optional<double> scale_gamma) {
    const Result<Kernel> parsed = parse_kernel(text);
    if (!parsed) {
        throw InvalidArgument("kernel: " + parsed.diagnostic().message + "\n" +
                              point_at(text, parsed.diagnostic()));
    }
    return scale_gamma ? resolve_kernel(parsed.value(), *scale_gamma) : parsed.value();
}

TrainOptions train_options(const nb::dict& given) {
    TrainOptions options;
    OptionSetter setter(given);
    TrainOptions::describe(setter, options);
    BasisChoices::describe(setter, options.basis);
    DualChoices::describe(setter, options.dual);
    PerceptronChoices::describe(setter, options.perceptron);
    setter.flag("leave_one_out", options.outputs.leave_one_out, "");
    setter.flag("start_only", options.run.start_only, "");
    setter.flag("record_steps", options.perceptron.record_steps, "");
    setter.integer("cache_bytes", options.run.cache_bytes, Range::non_negative(), "");
    std::optional<double> gamma;
    setter.number("scale_gamma", gamma, Range::positive(), "");
    if (const nb::object kernel = setter.take("kernel"); !kernel.is_none()) {
        options.kernel =
            kernel_of(OptionSetter::cast<std::string>("kernel", kernel, "an expression"), gamma);
    }
    if (const nb::object weights = setter.take("class_weights"); !weights.is_none()) {
        options.objective.class_weights = OptionSetter::cast<std::map<std::string, double>>(
            "class_weights", weights, "a dict from labels to numbers");
    }
    if (const nb::object start = setter.take("start"); !start.is_none()) {
        options.run.start = nb::cast<const Model*>(start);
    }
    setter.require_all_taken();
    validate(options);
    validate(options.basis);
    validate(options.dual);
    validate(options.perceptron);
    require_taken(options);
    return options;
}

namespace {

/// Visitor that lists the options.
class OptionLister {
public:
    nb::list found;

    template <typename Number>
    void number(std::string_view name, const Number& value, const Range& range,
                std::string_view help) {
        add("number", name, nb::cast(value), help)["range"] = range_of(range);
    }
    template <typename Number>
    void integer(std::string_view name, const Number& value, const Range& range,
                 std::string_view help) {
        add("integer", name, nb::cast(value), help)["range"] = range_of(range);
    }
    void flag(std::string_view name, bool value, std::string_view help) {
        add("flag", name, nb::cast(value), help);
    }
    void text(std::string_view name, const std::string& value, std::string_view help) {
        add("text", name, nb::cast(value), help);
    }
    void word(std::string_view name, const SolverChoice& value, std::string_view help) {
        add("text", name, nb::cast(value.name()), help);
    }
    void choice(std::string_view name, const std::string& value,
                const std::vector<std::string>& choices, std::string_view help) {
        add("choice", name, nb::cast(value), help)["choices"] = nb::cast(choices);
    }

private:
    nb::dict add(const char* kind, std::string_view name, const nb::object& standard,
                 std::string_view help) {
        nb::dict option;
        option["name"] = nb::str(name.data(), name.size());
        option["kind"] = kind;
        option["default"] = standard;
        option["help"] = nb::str(help.data(), help.size());
        found.append(option);
        return option;
    }
    static nb::dict range_of(const Range& range) {
        nb::dict out;
        out["lower"] = range.lower;
        out["upper"] = range.upper;
        out["lower_open"] = range.lower_open;
        out["infinite"] = range.infinite;
        out["text"] = range.text();
        return out;
    }
};

nb::list list_options() {
    OptionLister lister;
    TrainOptions options;
    TrainOptions::describe(lister, options);
    BasisChoices::describe(lister, options.basis);
    DualChoices::describe(lister, options.dual);
    PerceptronChoices::describe(lister, options.perceptron);
    return lister.found;
}

const char* task_name(Task task) {
    switch (task) {
        case Task::two_classes:
            return "two classes";
        case Task::many_classes:
            return "classes";
        case Task::numbers:
            return "numbers";
        case Task::inliers:
            return "inliers";
    }
    return "";
}

nb::dict describe_machine(const Machine& machine) {
    nb::dict out;
    out["task"] = task_name(machine.task);
    out["loss"] = std::string(name_of(machine.loss));
    out["gap_tolerance"] = machine.gap_tolerance;
    nb::list takes;
    const Hyperparameters& taken = machine.takes;
    for (const auto& [name, does] : {std::pair{"cost", taken.cost},
                                     {"epsilon", taken.epsilon},
                                     {"nu", taken.nu},
                                     {"alpha", taken.alpha},
                                     {"degree", taken.degree}}) {
        if (does) {
            takes.append(name);
        }
    }
    out["takes"] = takes;
    out["sparse"] = machine.sparse;
    out["starts"] = machine.starts;
    out["leave_one_out"] = machine.leave_one_out;
    out["float32"] = machine.float32;
    out["linear"] = machine.is_linear();
    out["linear_kernel"] = machine.linear_kernel;
    out["probabilities"] = machine.gives_probabilities();
    out["paths"] = nb::cast(machine.paths);
    return out;
}

nb::dict list_machines() {
    nb::dict out;
    for (const Machine& machine : machines()) {
        out[machine.name] = describe_machine(machine);
    }
    return out;
}

nb::list list_kernels() {
    nb::list out;
    for (const CatalogueEntry& entry : kernel_catalogue()) {
        if (entry.name.empty()) {
            continue;
        }
        nb::dict kernel;
        kernel["name"] = std::string(entry.name);
        kernel["usage"] = std::string(entry.usage);
        kernel["formula"] = std::string(entry.formula);
        kernel["help"] = std::string(entry.help);
        nb::list parameters;
        for (const KernelParameter& parameter : entry.parameters) {
            nb::dict one;
            one["name"] = std::string(parameter.name);
            one["default"] = parameter.standard;
            one["range"] = parameter.range.text();
            parameters.append(one);
        }
        kernel["parameters"] = parameters;
        out.append(kernel);
    }
    return out;
}

}  // namespace

void bind_options(nb::module_& module) {
    module.def("options", &list_options, "Every option of training, as the engine describes it.");
    module.def("machines", &list_machines, "The table of machines, by name.");
    module.def("kernels", &list_kernels, "The catalogue of kernels.");
    module.def(
        "require_choice",
        [](const std::string& option, const std::string& value,
           const std::vector<std::string>& choices) { require_choice(option, value, choices); },
        nb::arg("option"), nb::arg("value"), nb::arg("choices"),
        "ValueError, with its parts, unless the value is one of the choices.");
    module.def("machine_solvers", &machine_solvers, nb::arg("model"), nb::arg("classes") = 2,
               nb::arg("penalty") = kRkhs);
    module.def(
        "canonical_kernel",
        [](const std::string& text, std::optional<double> scale_gamma) {
            return to_string(kernel_of(text, scale_gamma));
        },
        nb::arg("text"), nb::arg("scale_gamma") = nb::none(),
        "The canonical text of a kernel expression; ValueError when it is none.");
    module.def(
        "definiteness",
        [](const std::string& text) {
            return std::string(to_string(kernel_of(text, std::nullopt).definiteness()));
        },
        nb::arg("text"));
    module.def(
        "waits_for_data",
        [](const std::string& text) { return !kernel_of(text, std::nullopt).is_resolved(); },
        nb::arg("text"), "True when a parameter is still `scale`.");
}

}  // namespace mercer::python
