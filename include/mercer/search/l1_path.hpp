// SPDX-License-Identifier: Apache-2.0
//
// mercer/search/l1_path.hpp - sparse machines for every weight of the l1 penalty.
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

/// The options of `mercer path --over lambda`.
struct SparsePathOptions {
    TrainOptions machine;  ///< kernel, cost, intercept, scale, class weights; penalty l1 or
                           ///< l1+rkhs; `model` follows from the loss, l1 is what varies
    std::string loss = "squared-hinge";  ///< one of l1_path_losses()
    bool features = false;               ///< the basis is the columns, not the kernel functions at
                                         ///< the rows; the kernel is then unused
    double to = 0.0;                     ///< end of the path
};

/// The machine with that loss: "l2-svc", "huber-svc", and for the squared loss "krr" or, with
/// features, "least-squares". Throws InvalidArgument, with the losses that have a path, for others.
[[nodiscard]] std::string sparse_path_machine(const std::string& loss, bool features);

/// A path, and everything needed to obtain a machine at any point of it.
class SparsePath {
public:
    SparsePath(Dataset data, SparsePathOptions options, L1Path solution);

    [[nodiscard]] const std::vector<L1Knot>& knots() const noexcept { return solution_.knots; }
    [[nodiscard]] const L1Path& solution() const noexcept { return solution_; }
    [[nodiscard]] const SparsePathOptions& options() const noexcept { return options_; }
    [[nodiscard]] const Dataset& data() const noexcept { return data_; }

    /// The machine at lambda with its certificate. Half a squared loss is the squared loss at half
    /// the cost. Throws InvalidArgument if the path does not reach lambda, or at 0 if l1 is the
    /// only penalty, where there is nothing to certify.
    [[nodiscard]] TrainResult at(double lambda, Context& context) const;

    /// f + b of other rows at lambda.
    [[nodiscard]] std::vector<double> predict(const Dataset& rows, double lambda,
                                              Context& context) const;

    std::optional<PathScore> score;  ///< on other rows, if requested

private:
    Dataset data_;
    SparsePathOptions options_;
    L1Path solution_;
};

/// Traces the path from the weight at which the first coefficient becomes nonzero. Memory: the
/// kernel matrix, or the matrix of columns, as doubles. Throws InvalidArgument for options without
/// a path, ResourceError if the matrix does not fit. Not converging is not an error: the status
/// reports it.
[[nodiscard]] SparsePath trace_sparse(const Dataset& data, const SparsePathOptions& options,
                                      Context& context);

/// The same, with the score of other rows along the path.
[[nodiscard]] SparsePath trace_sparse(const Dataset& data, const SparsePathOptions& options,
                                      const Dataset& validation, Context& context);

/// The same, with the cross-validated score: one path for each fold. No score if the context asked
/// to stop before all paths were traced.
[[nodiscard]] SparsePath cross_validate(const Dataset& data, const SparsePathOptions& options,
                                        index_t folds, Context& context);

/// Writes rows, settings and knots atomically, without the score. Throws ResourceError, and then
/// leaves an existing file as it was.
void save_sparse_path(const SparsePath& path, const std::string& file_name,
                      Files& files = system_files());

/// Reads a path back; an error describes the fault of the file, or the hyperparameter of another
/// kind of path. Throws DataError if it cannot be opened.
[[nodiscard]] Result<SparsePath> load_sparse_path(const std::string& file_name, Context& context,
                                                  Files& files = system_files());

}  // namespace mercer
