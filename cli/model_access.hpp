// SPDX-License-Identifier: Apache-2.0
//
// cli/model_access.hpp - how every command takes a model, and data for it.
#pragma once

#include <string>

#include "data_access.hpp"
#include "mercer/models/model.hpp"
#include "session.hpp"

namespace mercer::cli {

/// A model, and the data it is asked about.
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

/// Reads and checks the model file, Mercer's or LIBSVM's; what is wrong with it becomes DataError.
[[nodiscard]] Model read_model(Session& session, const std::string& path);

/// The rows as the model wants them: as wide, targets numbered like its labels. Throws DataError
/// that says what does not fit. A model from LIBSVM, which does not know how wide its training rows
/// were, is made as wide as the rows.
[[nodiscard]] Dataset read_rows_for(Session& session, Model& model,
                                    const ModelArguments& arguments);

/// Throws DataError, naming the first row, when a label is not one of the model's, or there are no
/// targets at all.
void require_known_targets(const Model& model, const Dataset& rows, const std::string& path);

/// Puts the weights of the file on the rows; an empty path leaves the data alone.
void read_row_weights(Session& session, const std::string& path, Dataset& data);

/// The classes in words, with how many are told apart.
[[nodiscard]] std::string classes_text(const Model& model);

/// The line of the intercepts; a range when there are many.
[[nodiscard]] std::string intercepts_text(const Model& model);

/// The line of the margin and of how many support rows each class has; empty where the loss has no
/// margin.
[[nodiscard]] std::string margin_text(const Model& model);

/// Coefficients of the model that are not zero, of all outputs.
[[nodiscard]] index_t nonzero_coefficients(const Model& model);

/// The line of a penalty on the coefficients, and how many it left.
[[nodiscard]] std::string penalty_text(const Model& model);

/// The certificate as JSON, by the contract's keys.
[[nodiscard]] Json certificate_json(const Certificate& certificate);

/// Adds `certificate`, the sum over the outputs, and when there are several the list
/// `certificates`.
void add_certificates(Json& json, const std::vector<Certificate>& certificates);

/// What the certificate says, in words, for lines that start with `margin`.
[[nodiscard]] std::string certificate_text(const Certificate& certificate,
                                           const std::string& margin);

/// The sum of them in words, and how many there are.
[[nodiscard]] std::string certificates_text(const std::vector<Certificate>& certificates,
                                            const std::string& margin);

}  // namespace mercer::cli
