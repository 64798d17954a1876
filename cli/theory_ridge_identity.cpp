// SPDX-License-Identifier: Apache-2.0
//
// cli/theory_ridge_identity.cpp - mercer theory ridge-identity: columns against rows.
#include <vector>

#include "command.hpp"
#include "data_access.hpp"
#include "mercer/theory/ridge_identity.hpp"
#include "theory_commands.hpp"

namespace mercer::cli {

namespace {

struct IdentityOptions {
    DataArgument data;
    std::string prior;
    std::string noise;
};

struct Matrix {
    index_t rows = 0;
    index_t columns = 0;
    std::vector<double> values;

    [[nodiscard]] MatrixView<const double> view() const { return {values.data(), rows, columns}; }
};

Matrix matrix_of(const Dataset& data) {
    Matrix out{data.rows(), data.columns(), {}};
    out.values.resize(static_cast<std::size_t>(checked_multiply(data.rows(), data.columns())));
    for (index_t i = 0; i < data.rows(); ++i) {
        data.copy_row(i, std::span<double>(out.values)
                             .subspan(static_cast<std::size_t>(i * data.columns()),
                                      static_cast<std::size_t>(data.columns())));
    }
    return out;
}

/// The matrix of a file, or the identity matrix if none is given.
Matrix read_matrix(Session& session, const std::string& path, index_t size, const char* option) {
    if (!path.empty()) {
        ReadOptions read;
        read.target = "none";
        Matrix out = matrix_of(read_data(session, path, read));
        if (out.rows != size || out.columns != size) {
            throw DataError(fmt::format("{}: got {} x {}, {} must be {} x {}", path, out.rows,
                                        out.columns, option, size, size));
        }
        return out;
    }
    Matrix out{size, size, {}};
    out.values.assign(static_cast<std::size_t>(checked_multiply(size, size)), 0.0);
    for (index_t i = 0; i < size; ++i) {
        out.values[static_cast<std::size_t>(i * size + i)] = 1.0;
    }
    return out;
}

ExitStatus run_identity(Session& session, const IdentityOptions& options) {
    const Dataset data = read_data(session, options.data.path, options.data.read);
    const Matrix b = matrix_of(data);
    const Matrix p = read_matrix(session, options.prior, data.columns(), "--prior");
    const Matrix r = read_matrix(session, options.noise, data.rows(), "--noise");
    const RidgeIdentity identity = session.timed("identity", [&] {
        return ridge_identity(b.view(), p.view(), r.view(), session.context());
    });
    Json json = session.json_result();
    json["rows"] = data.rows();
    json["columns"] = data.columns();
    json["largest_entry"] = identity.largest;
    json["residual"] = identity.difference;
    json["rounding"] = identity.rounding;
    json["holds"] = identity.holds();
    session.emit_timed(
        std::move(json),
        fmt::format("(P^-1 + B'R^-1 B)^-1 B'R^-1 = P B'(B P B' + R)^-1\n"
                    "B               {} x {}\nP               {}\nR               {}\n"
                    "largest entry   {:.10g}\nresidual        {:.3g}, rounding {:.3g}\n"
                    "verdict         {}\n",
                    data.rows(), data.columns(), options.prior.empty() ? "unit" : options.prior,
                    options.noise.empty() ? "unit" : options.noise, identity.largest,
                    identity.difference, identity.rounding,
                    identity.holds() ? "both sides agree" : "the sides DIFFER"));
    return identity.holds() ? ExitStatus::done : ExitStatus::stopped;
}

void describe_identity(CLI::App& app, IdentityOptions& options) {
    add_option(app, "--prior", options.prior, "P, columns x columns, positive definite; else I")
        .type_name("FILE");
    add_option(app, "--noise", options.noise, "R, rows x rows, positive definite; else I")
        .type_name("FILE");
    add_data_argument(app, options.data);
}

}  // namespace

void add_theory_ridge_identity(CLI::App& group, Session& session) {
    add_command<IdentityOptions>(
        group, session,
        {"ridge-identity", "ridge in the columns is ridge in the rows, for any prior and noise",
         "  mercer theory ridge-identity train.csv --prior P.npy --noise R.csv\n"},
        describe_identity, run_identity);
}

}  // namespace mercer::cli
