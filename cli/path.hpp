// SPDX-License-Identifier: Apache-2.0
//
// cli/path.hpp - the options of mercer path, and path files in place of models.
#pragma once

#include <string>

#include "data_access.hpp"
#include "kernel_access.hpp"
#include "mercer/models/model.hpp"
#include "mercer/search/path.hpp"
#include "session.hpp"

namespace mercer::cli {

struct PathCommand {
    DataArgument data;
    PathOptions path;
    KernelArgument kernel;
    std::vector<std::string> class_weights;  ///< L=R
    std::string weights;
    std::string validation;
    index_t folds = 0;  ///< 0: none
    std::string plot;
    std::string output;
    std::string loss;       ///< over lambda; empty: the loss of the machine
    bool features = false;  ///< over lambda: the columns are the basis
};

/// The path over lambda: sparse models.
[[nodiscard]] ExitStatus run_l1_path(Session& session, const PathCommand& command);

/// The model of such a path at `at`, lambda=VALUE.
[[nodiscard]] Model read_l1_model_at(Session& session, const std::string& path,
                                     const std::string& at);

/// The validation score along a path.
[[nodiscard]] Json score_json(const PathScore& score);

/// The model of a file: a model file as it is, a path file at `at` (NAME=VALUE). Throws UsageError
/// if one is given without the other.
[[nodiscard]] Model read_model_at(Session& session, const std::string& path, const std::string& at);

/// Registers --at.
void add_at_option(CLI::App& command, std::string& at);

}  // namespace mercer::cli
