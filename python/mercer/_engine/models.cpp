// SPDX-License-Identifier: Apache-2.0
//
// python/mercer/_engine/models.cpp - a model: its parts as arrays, its bytes, its predictions.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "results.hpp"

namespace mercer::python {

namespace {

constexpr const char* kBytes = "model";  ///< name of the only file in memory
/// Kernel values above which a prediction can be interrupted: some tenths of a second.
constexpr double kLongPrediction = 2e7;
/// Kernel values up to which one thread is faster than starting several.
constexpr double kSmallPrediction = 1e5;

template <typename T>
nb::object matrix(std::vector<T> values, index_t rows) {
    const std::size_t count = values.size();
    const auto height = static_cast<std::size_t>(rows);
    return to_numpy(std::move(values), {height, height == 0 ? 0 : count / height});
}

template <typename T>
nb::object dense_support(const MatrixView<const T>& rows) {
    std::vector<T> values;
    values.reserve(static_cast<std::size_t>(rows.rows * rows.columns));
    for (index_t i = 0; i < rows.rows; ++i) {
        values.insert(values.end(), rows.row(i), rows.row(i) + rows.columns);
    }
    return to_numpy(std::move(values),
                    {static_cast<std::size_t>(rows.rows), static_cast<std::size_t>(rows.columns)});
}

/// (values, indices, offsets, columns).
nb::object sparse_support(const CsrView& rows) {
    std::vector<index_t> indices;
    indices.reserve(rows.values.size());
    for (index_t i = 0; i < rows.rows(); ++i) {
        const auto row = static_cast<std::size_t>(i);
        for (index_t k = rows.offsets[row]; k < rows.offsets[row + 1]; ++k) {
            indices.push_back(rows.column(i, k));
        }
    }
    return nb::make_tuple(to_numpy(std::vector<double>(rows.values.begin(), rows.values.end())),
                          to_numpy(std::move(indices)),
                          to_numpy(std::vector<index_t>(rows.offsets.begin(), rows.offsets.end())),
                          rows.column_count);
}

/// A dense array, or the parts of a CSR array.
nb::object support_vectors(const Model& model) {
    const RowStorage& rows = model.support.storage();
    if (const auto* single = std::get_if<MatrixView<const float>>(&rows)) {
        return dense_support(*single);
    }
    if (const auto* full = std::get_if<MatrixView<const double>>(&rows)) {
        return dense_support(*full);
    }
    return sparse_support(std::get<CsrView>(rows));
}

/// A kernel expression as nested dicts: name, parameters, children, columns, matrix.
nb::dict kernel_tree(const Kernel& kernel) {
    const KernelNode& node = kernel.node();
    nb::dict out;
    switch (node.type) {  // operators have no name in the catalogue
        case KernelType::scale:
            out["name"] = "scale";
            break;
        case KernelType::sum:
            out["name"] = "sum";
            break;
        case KernelType::product:
            out["name"] = "product";
            break;
        case KernelType::power:
            out["name"] = "power";
            break;
        default:
            out["name"] = std::string(entry_of(node.type).name);
    }
    out["parameters"] = nb::cast(node.parameters);
    nb::list children;
    for (const Kernel& child : node.children) {
        children.append(kernel_tree(child));
    }
    out["children"] = children;
    nb::list columns;
    for (const ColumnRange& range : node.selection) {
        columns.append(nb::make_tuple(range.begin, range.end));
    }
    out["columns"] = columns;
    out["matrix"] = nb::none();
    if (node.matrix) {
        out["matrix"] =
            to_numpy(node.matrix->values, {static_cast<std::size_t>(node.matrix->rows),
                                           static_cast<std::size_t>(node.matrix->columns)});
    }
    return out;
}

/// (offset, factor, base) of each column, x -> (x - offset) * factor + base; None: no scaling.
nb::object scaling_map(const Model& model) {
    if (!model.scaling || model.scaling->method == "none") {
        return nb::none();
    }
    const Scaling& scaling = *model.scaling;
    const auto width = static_cast<std::size_t>(scaling.column_count);
    std::vector<double> offset(width, 0.0);
    std::vector<double> factor(width, 0.0);
    for (std::size_t k = 0; k < scaling.offset.size(); ++k) {
        const auto column =
            scaling.columns.empty() ? k : static_cast<std::size_t>(scaling.columns[k]);
        offset[column] = scaling.offset[k];
        factor[column] = scaling.factor[k];
    }
    return nb::make_tuple(to_numpy(std::move(offset)), to_numpy(std::move(factor)), scaling.base);
}

nb::bytes to_bytes(const Model& model) {
    MemoryFiles files;
    save_model(model, kBytes, files);
    const std::string& bytes = files.contents[kBytes];
    return nb::bytes(bytes.data(), bytes.size());
}

Model from_bytes(const nb::bytes& bytes) {
    Context context({.threads = 1});
    MemoryFiles files;
    files.contents[kBytes] = std::string(bytes.c_str(), bytes.size());
    return load_model(kBytes, context, files).value();
}

Model load(const std::string& path) {
    const nb::gil_scoped_release released;
    Context context({.threads = 1});
    return load_model(path, context).value();
}

void save(const Model& model, const std::string& path) {
    const nb::gil_scoped_release released;
    save_model(model, path);
}

void save_libsvm(const Model& model, const std::string& path) {
    const nb::gil_scoped_release released;
    write_libsvm_model(to_libsvm(model), path);
}

/// A compiled model, with its own context for predictions so small that creating one would take
/// longer than predicting.
class Compiled {
public:
    explicit Compiled(const Model& model)
        : context_(ContextOptions{.threads = 1}), predictor_(model, context_) {}

    [[nodiscard]] const PredictionRule& rule() const noexcept { return predictor_.rule(); }

    /// True when one thread is faster for that many rows than starting several.
    [[nodiscard]] bool takes_few(index_t rows, index_t columns) const {
        return work(rows) < kSmallPrediction &&
               static_cast<double>(rows) * static_cast<double>(columns) < kSmallPrediction;
    }

    /// Predicts with its own context; nullopt while another thread uses it.
    template <typename Ask>
    auto ask_at_once(Ask question)
        -> std::optional<decltype(question(std::declval<const Predictor&>(),
                                           std::declval<Context&>()))> {
        std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) {
            return std::nullopt;
        }
        const nb::gil_scoped_release released;
        return question(predictor_, context_);
    }

    /// Predicts with the given context; Ctrl-C raises.
    template <typename Ask>
    auto ask(const Dataset& rows, const nb::dict& settings, Ask question) {
        if (work(rows.rows()) < kSmallPrediction) {
            if (auto found = ask_at_once(question)) {
                return *std::move(found);
            }
        }
        decltype(question(predictor_, context_)) answer;
        Call call(settings);
        try {
            call.run([&] { answer = question(predictor_, call.context()); },
                     work(rows.rows()) > kLongPrediction);
        } catch (const Interrupted&) {
            call.raise_if_stopped();
            throw;
        }
        call.raise_if_stopped();
        return answer;
    }

private:
    /// Kernel values needed for that many rows.
    [[nodiscard]] double work(index_t rows) const {
        return static_cast<double>(rows) * static_cast<double>(rule().support.rows());
    }

    std::mutex mutex_;  ///< of the context
    Context context_;
    Predictor predictor_;
};

/// The kinds of prediction: the call of the predictor, and the array it returns.
struct DecisionValues {
    static auto ask(const Predictor& predictor, const Dataset& rows, Context& context) {
        return predictor.decision_values(rows, context);
    }
    static nb::object array(std::vector<double> values, index_t rows, const PredictionRule& rule) {
        return to_numpy(std::move(values),
                        {static_cast<std::size_t>(rows), static_cast<std::size_t>(rule.outputs())});
    }
};
struct Classes {
    static auto ask(const Predictor& predictor, const Dataset& rows, Context& context) {
        return predictor.classes(rows, context);
    }
    static nb::object array(std::vector<index_t> values, index_t, const PredictionRule&) {
        return to_numpy(std::move(values));
    }
};
struct Probabilities {
    static auto ask(const Predictor& predictor, const Dataset& rows, Context& context) {
        return predictor.probabilities(rows, context);
    }
    static nb::object array(std::vector<double> values, index_t rows, const PredictionRule&) {
        return matrix(std::move(values), rows);
    }
};

template <typename Question>
nb::object answer(Compiled& compiled, const Dataset& rows, const nb::dict& settings) {
    return Question::array(compiled.ask(rows, settings,
                                        [&](const Predictor& predictor, Context& context) {
                                            return Question::ask(predictor, rows, context);
                                        }),
                           rows.rows(), compiled.rule());
}

template <typename T>
bool all_finite(const InMatrix<T>& array) {
    T sum = 0;  // stays 0 unless a value is not finite
    for (const T *value = array.data(), *end = value + array.size(); value != end; ++value) {
        sum += *value * T{0};
    }
    return sum == T{0};
}

/// Predictions for a few dense rows, which need no settings; None for other rows.
template <typename Question, typename T>
nb::object answer_few_of(Compiled& compiled, const InMatrix<T>& array) {
    const auto rows = static_cast<index_t>(array.shape(0));
    const auto columns = static_cast<index_t>(array.shape(1));
    if (rows == 0 || columns != compiled.rule().columns || !compiled.takes_few(rows, columns) ||
        !all_finite(array)) {
        return nb::none();
    }
    const Dataset data = Dataset::from_checked(MatrixView<const T>(array.data(), rows, columns), {},
                                               nullptr);  // the caller holds it
    auto found = compiled.ask_at_once([&](const Predictor& predictor, Context& context) {
        return Question::ask(predictor, data, context);
    });
    return found ? Question::array(std::move(*found), rows, compiled.rule()) : nb::none();
}

template <typename Question>
nb::object answer_few(Compiled& compiled, const nb::object& rows) {
    if (InMatrix<double> full; nb::try_cast(rows, full, false)) {
        return answer_few_of<Question>(compiled, full);
    }
    if (InMatrix<float> single; nb::try_cast(rows, single, false)) {
        return answer_few_of<Question>(compiled, single);
    }
    return nb::none();
}

nb::object scores(const Model& model, const InMatrix<double>& decisions) {
    const std::vector<double> values(decisions.data(), decisions.data() + decisions.size());
    return matrix(class_scores(model, values), static_cast<index_t>(decisions.shape(0)));
}

Model weighted(const Model& model, const InMatrix<double>& weights,
               const InVector<double>& intercepts) {
    const MatrixView<const double> view(weights.data(), static_cast<index_t>(weights.shape(0)),
                                        static_cast<index_t>(weights.shape(1)));
    return with_weights(model, view, {intercepts.data(), intercepts.size()});
}

std::unique_ptr<Compiled> compile(const Model& model) {
    const nb::gil_scoped_release released;
    return std::make_unique<Compiled>(model);
}

void bind_what_predicts(nb::class_<Model>& model) {
    model.def_ro("machine", &Model::machine)
        .def_prop_ro("kernel", [](const Model& m) { return to_string(m.kernel); })
        .def_prop_ro("kernel_tree", [](const Model& m) { return kernel_tree(m.kernel); })
        .def_prop_ro("coefficients",
                     [](const Model& m) { return matrix(m.coefficients, m.support.rows()); })
        .def_prop_ro(
            "coefficients_by_output",
            [](const Model& m) { return matrix(coefficients_by_output(m), m.support.rows()); })
        .def_prop_ro("intercepts", [](const Model& m) { return to_numpy(m.intercepts); })
        .def_prop_ro("support_vectors", &support_vectors)
        .def_prop_ro("support_rows", [](const Model& m) { return to_numpy(m.support_rows); })
        .def_ro("columns", &Model::columns)
        .def_prop_ro("column_names", [](const Model& m) { return m.names.features; })
        .def_ro("labels", &Model::labels)
        .def_ro("multiclass", &Model::multiclass)
        .def_prop_ro("class_support", [](const Model& m) { return to_numpy(m.class_support); })
        .def_prop_ro("thresholds", [](const Model& m) { return to_numpy(m.thresholds); })
        .def_prop_ro("link", [](const Model& m) { return m.link.kind; })
        .def_prop_ro(
            "link_numbers",
            [](const Model& m) { return nb::make_tuple(to_numpy(m.link.a), to_numpy(m.link.b)); })
        .def_prop_ro(
            "gives_probabilities",
            [](const Model& m) { return m.link.gives_probabilities() && !m.labels.empty(); })
        .def_prop_ro("scaling",
                     [](const Model& m) { return m.scaling ? m.scaling->method : "none"; })
        .def_prop_ro("scaling_map", &scaling_map)
        .def_ro("has_intercept", &Model::has_intercept)
        .def_prop_ro("outputs", &Model::outputs);
}

void bind_what_proves(nb::class_<Model>& model) {
    model.def_ro("penalty", &Model::penalty)
        .def_ro("on_columns", &Model::on_columns)
        .def_ro("loss", &Model::loss)
        .def_ro("cost", &Model::cost)
        .def_ro("epsilon", &Model::epsilon)
        .def_ro("nu", &Model::nu)
        .def_ro("class_weights", &Model::class_weights)
        .def_ro("row_weights", &Model::row_weights)
        .def_ro("status", &Model::status)
        .def_ro("solver", &Model::solver)
        .def_ro("iterations", &Model::iterations)
        .def_ro("gap_tolerance", &Model::gap_tolerance)
        .def_ro("tolerance", &Model::tolerance)
        .def_prop_ro("certificates",
                     [](const Model& m) { return certificate_list(m.certificates); })
        .def_prop_ro("certificate", [](const Model& m) {
            return certificate_dict(total_certificate(m.certificates));
        });
}

}  // namespace

void bind_models(nb::module_& module) {
    nb::class_<Model> model(module, "Model");
    bind_what_predicts(model);
    bind_what_proves(model);
    model.def("to_bytes", &to_bytes)
        .def_static("from_bytes", &from_bytes)
        .def("save", &save)
        .def_static("load", &load)
        .def("save_libsvm", &save_libsvm)
        .def("with_weights", &weighted,
             "The linear machine with other weights, a row per output, and intercepts.");
    nb::class_<Compiled>(module, "Predictor", "A model compiled once.")
        .def("decision_values", &answer<DecisionValues>)
        .def("classes", &answer<Classes>)
        .def("probabilities", &answer<Probabilities>)
        .def("few_decision_values", &answer_few<DecisionValues>,
             "Of few finite rows in C order, as wide as the model's; None: they are not such.")
        .def("few_classes", &answer_few<Classes>)
        .def("few_probabilities", &answer_few<Probabilities>);
    module.def("predictor", &compile);
    module.def("class_scores", &scores, "A number for each class, of decision values.");
}

}  // namespace mercer::python
