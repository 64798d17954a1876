// SPDX-License-Identifier: Apache-2.0
//
// mercer/search/l1_path.hpp - machines of few coefficients for every weight of the penalty on them.
//
//     SparsePath path = trace_sparse(data, {.loss = "squared-hinge", .features = true}, context);
//     for (const L1Knot& knot : path.knots()) ...
//     TrainResult machine = path.at(0.3, context);      // with its certificate
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/base/result.hpp"
#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/runtime/files.hpp"
#include "mercer/search/path.hpp"
#include "mercer/solvers/l1_path.hpp"

namespace mercer {

class Context;

/// What `mercer path --over lambda` is told.
struct SparsePathOptions {
    TrainOptions machine;  ///< kernel, cost, intercept, scale, class weights; penalty l1 or
                           ///< l1+rkhs; `model` is that of the loss, l1 what moves
    std::string loss = "squared-hinge";  ///< one of l1_path_losses()
    bool features = false;               ///< the columns themselves are the basis, not kernel
                                         ///< functions at the rows; then the kernel is not used
    double to = 0.0;                     ///< where it ends
};

/// The machine that has the loss: "l2-svc", "huber-svc", and "krr" or, with features,
/// "least-squares" for the square. Throws InvalidArgument naming the losses that have a path.
[[nodiscard]] std::string sparse_path_machine(const std::string& loss, bool features);

/// A path and all that is needed to read a machine off it.
class SparsePath {
public:
    SparsePath(Dataset data, SparsePathOptions options, L1Path solution);

    [[nodiscard]] const std::vector<L1Knot>& knots() const noexcept { return solution_.knots; }
    [[nodiscard]] const L1Path& solution() const noexcept { return solution_; }
    [[nodiscard]] const SparsePathOptions& options() const noexcept { return options_; }
    [[nodiscard]] const Dataset& data() const noexcept { return data_; }

    /// The machine at lambda with its certificate. The half of a square is the square at half the
    /// cost. Throws InvalidArgument when the path does not reach lambda, or at 0 with the penalty
    /// l1 alone, where nothing is left to certify.
    [[nodiscard]] TrainResult at(double lambda, Context& context) const;

    /// f + b of other rows at lambda.
    [[nodiscard]] std::vector<double> predict(const Dataset& rows, double lambda,
                                              Context& context) const;

    std::optional<PathScore> score;  ///< of other rows, when it was asked for

private:
    Dataset data_;
    SparsePathOptions options_;
    L1Path solution_;
};

/// Traces the path from the weight at which the first coefficient enters. Memory: the matrix of the
/// kernel, or of the columns, as doubles. Throws InvalidArgument for options that make no path,
/// ResourceError when the matrix does not fit. Not converged is no error: the status says so.
[[nodiscard]] SparsePath trace_sparse(const Dataset& data, const SparsePathOptions& options,
                                      Context& context);

/// The same, with the score of other rows along it.
[[nodiscard]] SparsePath trace_sparse(const Dataset& data, const SparsePathOptions& options,
                                      const Dataset& validation, Context& context);

/// The same, with the score of rows that are left out in turn: one path for each of the folds. No
/// score when the context asked to stop before all were traced.
[[nodiscard]] SparsePath cross_validate(const Dataset& data, const SparsePathOptions& options,
                                        index_t folds, Context& context);

/// Writes rows, settings and knots atomically; the score is not kept. Throws ResourceError; the old
/// file then stands.
void save_sparse_path(const SparsePath& path, const std::string& file_name,
                      Files& files = system_files());

/// Reads them again; what is wrong with the file otherwise, or what it is over instead. Throws
/// DataError when it cannot be opened.
[[nodiscard]] Result<SparsePath> load_sparse_path(const std::string& file_name, Context& context,
                                                  Files& files = system_files());

}  // namespace mercer
