// SPDX-License-Identifier: Apache-2.0
//
// tests/support/hand_models.hpp - models whose optimum is known on paper, and random ones.
#pragma once

#include <xxhash.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mercer/base/random.hpp"
#include "mercer/data/fingerprint.hpp"
#include "mercer/formats/model_file.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/model.hpp"
#include "mercer/runtime/memory_files.hpp"

namespace mercer::testing {

template <typename T>
[[nodiscard]] Dataset dense_rows(std::vector<T> values, index_t columns) {
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    const index_t rows = columns == 0 ? 0 : static_cast<index_t>(owner->size()) / columns;
    return Dataset(MatrixView<const T>(owner->data(), rows, columns), owner);
}

/// The non-zeros of dense rows.
[[nodiscard]] inline Dataset sparse_rows(const std::vector<double>& values, index_t columns) {
    struct Csr {
        std::vector<index_t> offsets{0};
        std::vector<index_t> columns;
        std::vector<double> values;
    };
    auto csr = std::make_shared<Csr>();
    for (std::size_t k = 0; k < values.size(); ++k) {
        const auto column = static_cast<index_t>(k) % columns;
        if (values[k] != 0.0) {
            csr->columns.push_back(column);
            csr->values.push_back(values[k]);
        }
        if (column == columns - 1) {
            csr->offsets.push_back(static_cast<index_t>(csr->columns.size()));
        }
    }
    return Dataset(CsrView{csr->offsets, csr->columns, csr->values, columns}, csr);
}

struct TrainedModel {
    Model model;
    Dataset data;
};

/// What a hand-made machine is made of; the certificate states primal = dual.
struct HandMade {
    const char* kernel = "linear";
    std::vector<double> rows;
    index_t columns = 1;
    std::vector<double> targets;  ///< 0 and 1 for classes
    std::vector<double> beta;
    double cost = 1.0;
    double intercept = 0.0;
    double optimum = 0.0;
    double squared_norm = 0.0;
};

/// Support rows are those with beta != 0.
[[nodiscard]] inline TrainedModel hand_made(const HandMade& made, const char* machine,
                                            const char* loss) {
    TrainedModel out;
    out.data = dense_rows(made.rows, made.columns);
    out.data.targets = made.targets;
    Model& model = out.model;
    model.machine = machine;
    model.loss = loss;
    if (model.machine == "svc") {
        out.data.label_names = {"-1", "1"};
        model.labels = out.data.label_names;
    }
    model.kernel = parse_kernel(made.kernel).value();
    model.columns = made.columns;
    for (std::size_t i = 0; i < made.beta.size(); ++i) {
        if (made.beta[i] != 0.0) {
            model.support_rows.push_back(static_cast<index_t>(i));
            model.coefficients.push_back(made.beta[i]);
        }
    }
    model.support = out.data.select(model.support_rows);
    model.intercepts = {made.intercept};
    model.has_intercept = model.machine == "svc";
    model.cost = made.cost;
    Certificate certificate;
    certificate.primal = made.optimum;
    certificate.dual = made.optimum;
    certificate.gap = 0.0;
    certificate.squared_norm = made.squared_norm;
    certificate.intercept = made.intercept;
    model.certificates = {certificate};
    model.status = "converged";
    model.solver = "hand";
    model.fingerprint = fingerprint_of(out.data);
    return out;
}

/// x = -1 and x = +1 with C = 1/4.
[[nodiscard]] inline TrainedModel pair_model() {
    return hand_made({.rows = {-1, 1},
                      .targets = {0, 1},
                      .beta = {-0.25, 0.25},
                      .cost = 0.25,
                      .optimum = 0.375,
                      .squared_norm = 0.25},
                     "svc", "hinge");
}

/// x = -1, 1, 3 with C = 1/10: any b in [0.4, 0.8] is optimal.
[[nodiscard]] inline TrainedModel trio_model() {
    return hand_made({.rows = {-1, 1, 3},
                      .targets = {0, 1, 1},
                      .beta = {-0.1, 0.1, 0.0},
                      .cost = 0.1,
                      .intercept = 0.6,
                      .optimum = 0.18,
                      .squared_norm = 0.04},
                     "svc", "hinge");
}

/// The four corners, t = -x1 x2, with (1 + <x, z>)^2.
[[nodiscard]] inline TrainedModel xor_model() {
    return hand_made({.kernel = "poly(degree=2, coef0=1, scale=1)",
                      .rows = {1, 1, 1, -1, -1, 1, -1, -1},
                      .columns = 2,
                      .targets = {0, 1, 1, 0},
                      .beta = {-0.125, 0.125, 0.125, -0.125},
                      .optimum = 0.25,
                      .squared_norm = 0.5},
                     "svc", "hinge");
}

/// K = [[2, 1], [1, 2]], y = (1, 0), alpha = 1.
[[nodiscard]] inline TrainedModel krr2_model() {
    return hand_made({.rows = {1, 1, 0, 0, 1, 1},
                      .columns = 3,
                      .targets = {1, 0},
                      .beta = {0.375, -0.125},
                      .cost = 0.5,
                      .optimum = 0.1875,
                      .squared_norm = 0.21875},
                     "krr", "squared");
}

/// A model of that many rows with nothing optimal about it, in the storage "f64", "f32" or "csr".
[[nodiscard]] inline Model random_model(const char* kernel, index_t rows, index_t columns,
                                        const std::string& storage, index_t outputs = 1) {
    Random random(7, static_cast<std::uint64_t>(rows));
    std::vector<double> values(static_cast<std::size_t>(rows * columns));
    for (double& value : values) {
        value = random.uniform() < 0.6 ? random.normal() : 0.0;
    }
    Model model;
    model.machine = "krr";
    model.loss = "squared";
    model.kernel = parse_kernel(kernel).value();
    model.columns = columns;
    if (storage == "f32") {
        model.support = dense_rows(std::vector<float>(values.begin(), values.end()), columns);
    } else {
        model.support =
            storage == "csr" ? sparse_rows(values, columns) : dense_rows(values, columns);
    }
    for (index_t i = 0; i < rows; ++i) {
        model.support_rows.push_back(2 * i + 1);
    }
    for (index_t k = 0; k < rows * outputs; ++k) {
        model.coefficients.push_back(random.normal());
    }
    for (index_t t = 0; t < outputs; ++t) {
        model.intercepts.push_back(random.normal());
        model.certificates.emplace_back();
    }
    model.fingerprint = {3 * rows + 1, columns, random.bits()};
    return model;
}

/// A model of pairs of classes with two support rows each and nothing optimal about it.
[[nodiscard]] inline Model pairs_model(index_t classes, const char* kernel) {
    Model model = random_model(kernel, 2 * classes, 2, "f64", classes - 1);
    model.machine = "svc";
    model.loss = "hinge";
    model.multiclass = "ovo";
    model.class_support.assign(static_cast<std::size_t>(classes), 2);
    model.intercepts.clear();
    model.certificates.clear();
    model.link.kind = "sigmoid";
    for (index_t c = 0; c < classes; ++c) {
        model.labels.push_back(std::to_string(c));
    }
    for (index_t pair = 0; pair < classes * (classes - 1) / 2; ++pair) {
        model.intercepts.push_back(0.25 * static_cast<double>(pair + 1));
        model.certificates.emplace_back();
        model.link.a.push_back(-1.0 - static_cast<double>(pair));
        model.link.b.push_back(0.125);
    }
    return model;
}

[[nodiscard]] inline std::string saved(const Model& model) {
    MemoryFiles files;
    save_model(model, "m", files);
    return files.contents["m"];
}

[[nodiscard]] inline Result<Model> loaded(const std::string& bytes, Context& context) {
    MemoryFiles files;
    files.contents["m"] = bytes;
    return load_model("m", context, files);
}

/// The bytes with the checksum they should have.
[[nodiscard]] inline std::string repaired(std::string bytes) {
    if (bytes.size() >= 8) {
        const std::uint64_t checksum = XXH3_64bits(bytes.data(), bytes.size() - 8);
        std::memcpy(bytes.data() + bytes.size() - 8, &checksum, 8);
    }
    return bytes;
}

}  // namespace mercer::testing
