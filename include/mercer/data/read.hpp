// SPDX-License-Identifier: Apache-2.0
//
// mercer/data/read.hpp - reading a Dataset from a file of any known format.
//
// Formats, recognised by suffix, and for other names by the first bytes:
//
//     .svm .libsvm .svmlight .t .scale   LIBSVM text: `label [qid:N] index:value ... # comment`
//     .csv .tsv                          fields separated by comma, `;` or tab, quoted with `"`
//     .npy .npz                          NumPy arrays; keys X, y, weights, qid, or arr_0, arr_1
//     .idx .ubyte, ...-ubyte             MNIST idx; labels come from the file `labels`
//
// Any of them may be compressed by gzip, xz, bzip2 or zstd, which is recognised by the first bytes;
// the suffixes .gz .xz .bz2 .zst are only removed from the name. `-` reads standard input.
#pragma once

#include <string>

#include "mercer/base/result.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/files.hpp"
#include "mercer/runtime/options.hpp"

namespace mercer {

/// How a file is read. Options that a format does not need are ignored. Every member has an
/// initialiser, as in all structs of options, so that `{.task = "regression"}` draws no warning.
struct ReadOptions {
    std::string format = "auto";
    std::string target{};
    std::string query{};
    std::string drop{};
    std::string only{};
    std::string header = "auto";
    std::string labels{};
    std::string task = "auto";
    index_t columns = 0;
    bool zero_based = false;
    /// Column names of the rows that a model was trained on. A file with a header is read in the
    /// order of these names, its other columns are ignored, and it is refused when it lacks one.
    /// Not a user's option.
    ColumnNames names{};

    template <typename Visitor>
    static void describe(Visitor& visitor, ReadOptions& options) {
        visitor.choice(
            "format", options.format, {"auto", "libsvm", "csv", "tsv", "npy", "npz", "idx"},
            "format of the data; auto goes by the file's suffix, then by its first bytes");
        visitor.text("target", options.target,
                     "column that holds the target: a name, or an index from 0 (negative from the "
                     "end), or 'none'; default the last one of CSV and none of a .npy matrix");
        visitor.text("query", options.query,
                     "column of CSV that holds the query of a row, a whole number: a name, or an "
                     "index; LIBSVM text has it as qid:N, .npz as the array qid");
        visitor.text("drop", options.drop,
                     "feature columns to leave out: names, indices from 0 and ranges of indices "
                     "(2-5), by commas");
        visitor.text("only", options.only, "feature columns to use, in the same form; no others");
        visitor.choice("header", options.header, {"auto", "yes", "no"},
                       "whether the first line of CSV names the columns; auto: it does when a "
                       "feature column's entry is not a number");
        visitor.text("labels", options.labels,
                     "file with one target per row beside an idx or .npy file (idx or .npy)");
        visitor.choice("task", options.task, {"auto", "classification", "regression"},
                       "auto keeps numeric targets as numbers and makes text labels classes; "
                       "classification makes all classes; regression refuses text labels");
        visitor.integer("columns", options.columns, Range::non_negative(),
                        "least number of columns: a narrower sparse file is read as wider");
        visitor.flag("zero_based", options.zero_based,
                     "the indices of the LIBSVM file count from 0, not from 1");
    }
};

/// Reads a Dataset.
///
/// Faults in the file are returned as a Diagnostic with the place of the offending character (line
/// and column in text, row and column in arrays). All values of the result are finite. Memory: the
/// result plus one block of text, charged to the context's budget; the result stays charged while
/// it lives. Throws DataError when the file cannot be opened, ResourceError when the budget does
/// not suffice or reading fails, InvalidArgument for bad options, Interrupted when the context asks
/// to stop.
[[nodiscard]] Result<Dataset> read_dataset(const std::string& path, const ReadOptions& options,
                                           Context& context, Files& files = system_files());

/// The names by which the columns of later files are put in the same order: empty when there are no
/// names, when two columns share a name, when all names are numbers, or when they exceed 2 MiB.
[[nodiscard]] ColumnNames names_of(const Dataset& data);

/// The format that the suffix of `path` stands for: a choice of ReadOptions::format other than
/// auto, or empty for an unknown suffix.
[[nodiscard]] std::string format_of_path(const std::string& path);

}  // namespace mercer
