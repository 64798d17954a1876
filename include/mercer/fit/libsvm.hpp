// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/libsvm.hpp - LIBSVM's parameters and messages, for the interfaces compatible with it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/fit/folds.hpp"
#include "mercer/fit/train.hpp"

namespace mercer {

/// LIBSVM's kernel; defaults are those of svm-train.
struct LibsvmKernel {
    int type = 2;  ///< LIBSVM's number: linear, polynomial, radial basis, sigmoid, precomputed
    int degree = 3;
    double gamma = 0.0;  ///< svm-train replaces 0 by 1 / columns
    double coef0 = 0.0;
};

/// The parameters of svm-train; the defaults are its own.
struct LibsvmParameters {
    int svm_type = 0;  ///< LIBSVM's number: C-SVC, nu-SVC, one-class, epsilon-SVR, nu-SVR
    LibsvmKernel kernel{};
    double cost = 1.0;
    double nu = 0.5;
    double tube = 0.1;
    double tolerance = 1e-3;
    double cache_megabytes = 100.0;
    int shrinking = 1;
    int probability = 0;
    std::vector<std::pair<int, double>> class_weights;

    [[nodiscard]] bool is_classifier() const noexcept { return svm_type == 0 || svm_type == 1; }
    [[nodiscard]] bool is_regression() const noexcept { return svm_type == 3 || svm_type == 4; }
};

/// LIBSVM's name of a type, `c_svc`, and of a kernel, `rbf`; empty for an unknown number.
[[nodiscard]] const char* svm_type_name(int svm_type) noexcept;
[[nodiscard]] const char* kernel_type_name(int kernel_type) noexcept;

/// Null if the parameters are valid, otherwise the reason. NaN is never valid.
[[nodiscard]] const char* parameter_fault(const LibsvmParameters& parameters) noexcept;

/// Throws InvalidArgument with the text of parameter_fault().
[[nodiscard]] TrainOptions train_options(const LibsvmParameters& parameters);

/// Removes the weights of classes that the data do not have; returns LIBSVM's warning for each.
[[nodiscard]] std::vector<std::string> drop_unknown_classes(const Dataset& data,
                                                            TrainOptions& options);

/// Numeric targets as classes in LIBSVM's order: by first appearance, except that +1 precedes -1 if
/// they are the only two. Throws InvalidArgument, with the row, for a label that is not a 32-bit
/// integer.
[[nodiscard]] Dataset libsvm_classes(Dataset data);

/// Checks rows of precomputed kernel values (kernels/serial_lookup.hpp) for training: throws
/// InvalidArgument, with the row, unless each starts with a unique serial number within the range
/// of its values.
void require_serials(const Dataset& rows);

/// What svm-train prints about a training run: iterations, nu, objective, rho and counts of each
/// machine, then the total.
[[nodiscard]] std::string training_lines(const TrainResult& result,
                                         const LibsvmParameters& parameters);

/// What LIBSVM prints about the machines of a cross-validation, fold by fold.
class FoldLines {
public:
    FoldLines(index_t folds, const LibsvmParameters& parameters)
        : parameters_(parameters), lines_(static_cast<std::size_t>(folds)) {}

    /// A listener that refers to this object.
    [[nodiscard]] fit::FoldListener listener();
    [[nodiscard]] std::string text() const;

private:
    const LibsvmParameters& parameters_;
    std::vector<std::string> lines_;
};

}  // namespace mercer
