// SPDX-License-Identifier: Apache-2.0
//
// cli/model_access.hpp - the model argument of all commands, and the data for it.
#pragma once

#include <string>

#include "data_access.hpp"
#include "mercer/models/model.hpp"
#include "session.hpp"

namespace mercer::cli {

/// A model, and the data to which it is applied.
struct ModelArguments {
    std::string model;
    DataArgument data;
    std::string weights;  ///< file with one row weight per line; empty: none
    std::string at;       ///< of a path file: NAME=VALUE
};

/// Registers the positional MODEL.
void add_model_argument(CLI::App& command, std::string& model);

/// Registers --weights.
void add_weights_option(CLI::App& command, std::string& weights);

/// Reads and checks a model file, Mercer's or LIBSVM's; a fault becomes DataError.
[[nodiscard]] Model read_model(Session& session, const std::string& path);

/// The rows in the form the model needs: as wide as its own, with targets as indices of its labels.
/// Throws DataError that states what does not fit. A model from LIBSVM, which does not store the
/// width of its training rows, gets the width of the rows.
[[nodiscard]] Dataset read_rows_for(Session& session, Model& model,
                                    const ModelArguments& arguments);

/// Throws DataError, with the first row, if a label is not one of the model's, or if there are no
/// targets at all.
void require_known_targets(const Model& model, const Dataset& rows, const std::string& path);

/// Sets the row weights from the file; an empty path leaves the data unchanged.
void read_row_weights(Session& session, const std::string& path, Dataset& data);

/// The classes in words, with their number.
[[nodiscard]] std::string classes_text(const Model& model);

/// The line of the intercepts; a range if there are many.
[[nodiscard]] std::string intercepts_text(const Model& model);

/// The line of the margin and of the number of support vectors of each class; empty if the loss has
/// no margin.
[[nodiscard]] std::string margin_text(const Model& model);

/// Number of nonzero coefficients of the model, over all outputs.
[[nodiscard]] index_t nonzero_coefficients(const Model& model);

/// The line of the penalty on the coefficients, and how many remain.
[[nodiscard]] std::string penalty_text(const Model& model);

/// The certificate as JSON, with the keys of the contract.
[[nodiscard]] Json certificate_json(const Certificate& certificate);

/// Adds `certificate`, the sum over the outputs, and if there are several the list `certificates`.
void add_certificates(Json& json, const std::vector<Certificate>& certificates);

/// The certificate in words, for lines that start with `margin`.
[[nodiscard]] std::string certificate_text(const Certificate& certificate,
                                           const std::string& margin);

/// Their sum in words, and their number.
[[nodiscard]] std::string certificates_text(const std::vector<Certificate>& certificates,
                                            const std::string& margin);

}  // namespace mercer::cli
