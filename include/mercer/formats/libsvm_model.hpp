// SPDX-License-Identifier: Apache-2.0
//
// mercer/formats/libsvm_model.hpp - LIBSVM's model files: untrusted on reading, exact on writing.
//
// The reader requires every key once (in any order), consistent counts, classes, indices and
// numbers in range, and exactly the announced number of lines. The writer prints the shortest text
// that reads back bit for bit, which LIBSVM itself does not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mercer/base/result.hpp"
#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"
#include "mercer/runtime/files.hpp"

namespace mercer {

class Context;

/// The content of a LIBSVM model file, under LIBSVM's names.
///
/// For the classes i < j, f = sum coefficients k - rho, and f > 0 is a vote for i.
struct LibsvmModel {
    std::string svm_type;     ///< c_svc, nu_svc, one_class, epsilon_svr or nu_svr
    std::string kernel_type;  ///< linear, polynomial, rbf, sigmoid or precomputed
    double degree = 3.0;      ///< a whole number
    double gamma = 0.0;
    double coef0 = 0.0;
    index_t classes = 2;                 ///< 2 also if there are none
    std::vector<double> rho;             ///< one per pair
    std::vector<std::int32_t> labels;    ///< of classifiers, one per class
    std::vector<double> prob_a;          ///< one per pair, the scale of a regression, or empty
    std::vector<double> prob_b;          ///< one per pair, or empty
    std::vector<double> density_marks;   ///< of one_class: kDensityMarks, or empty
    std::vector<index_t> class_support;  ///< of classifiers, one per class
    std::vector<double> coefficients;    ///< support.rows() x (classes - 1), row-major
    Dataset support;                     ///< sparse when read from a file
    std::vector<index_t> support_rows;   ///< numbers in the training data; not in the file

    [[nodiscard]] bool is_classifier() const noexcept {
        return svm_type == "c_svc" || svm_type == "nu_svc";
    }
};

/// Throws InvalidArgument unless lengths, indices and numbers are consistent.
void require_consistent(const LibsvmModel& model);

/// Reads and checks a file. The text and the rows are charged to the context's budget.
[[nodiscard]] Result<LibsvmModel> read_libsvm_model(const std::string& path, Context& context,
                                                    Files& files = system_files());

/// Writes atomically.
void write_libsvm_model(const LibsvmModel& model, const std::string& path,
                        Files& files = system_files());

/// A model with the same decision values. It makes no claims about its training: status kImported.
[[nodiscard]] Model from_libsvm(const LibsvmModel& model);

/// Throws InvalidArgument with the reason if LIBSVM's format cannot represent the model: another
/// kernel, a scaling, labels that are not 32-bit integers, one against the rest.
[[nodiscard]] LibsvmModel to_libsvm(const Model& model);

/// The model, for rows of at least that many columns. A LIBSVM file does not state the width of its
/// training rows; only the entries of the support rows are known.
[[nodiscard]] Model widened(Model model, index_t columns);

}  // namespace mercer
