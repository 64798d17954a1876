// SPDX-License-Identifier: Apache-2.0
//
// cli/model_access.hpp - how every command takes a model, and data for it.
#pragma once

#include <CLI/CLI.hpp>
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
};

/// Registers the positional MODEL.
void add_model_argument(CLI::App& command, std::string& model);

/// Registers --weights.
void add_weights_option(CLI::App& command, std::string& weights);

/// Reads and checks the model file; what is wrong with it becomes DataError.
[[nodiscard]] Model read_model(Session& session, const std::string& path);

/// The rows as the model wants them: as wide, targets numbered like its labels. Throws DataError
/// that says what does not fit.
[[nodiscard]] Dataset read_rows_for(Session& session, const Model& model,
                                    const ModelArguments& arguments);

/// Throws DataError, naming the first row, when a label is not one of the model's, or there are no
/// targets at all.
void require_known_targets(const Model& model, const Dataset& rows, const std::string& path);

/// Puts the weights of the file on the rows; an empty path leaves the data alone.
void read_row_weights(Session& session, const std::string& path, Dataset& data);

/// The certificate as JSON, by the contract's keys.
[[nodiscard]] Json certificate_json(const Certificate& certificate);

/// One certificate as an object, several as a list.
[[nodiscard]] Json certificates_json(const std::vector<Certificate>& certificates);

/// What the certificate says, in words, for lines that start with `margin`.
[[nodiscard]] std::string certificate_text(const Certificate& certificate,
                                           const std::string& margin);

}  // namespace mercer::cli
