// SPDX-License-Identifier: Apache-2.0
//
// bench/certify.cpp - certifies dual coefficients of any program by the library's certificate.
//
//     bench_certify DATA BETA KERNEL LOSS COST [EPSILON]
//
// DATA is a LIBSVM file; BETA has one coefficient per row, signed: f = sum_j beta_j k(x_j, .) + b.
// For hinge, the greater label is +1. Prints one JSON object.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/data/read.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/runtime/context.hpp"

namespace {

mercer::Problem read_problem(char** words, int count, mercer::Context& context) {
    mercer::Problem problem;
    problem.kernel = mercer::parse_kernel(words[3]).value();
    problem.loss = mercer::loss_by_name(words[4], count > 6 ? std::stod(words[6]) : 0.1).value();
    const bool classes = mercer::is_classification(problem.loss);
    mercer::ReadOptions reading;
    reading.task = classes ? "classification" : "regression";
    problem.rows = mercer::read_dataset(words[1], reading, context).value();
    if (classes) {
        problem.rows = mercer::to_classes(std::move(problem.rows));
    }
    for (const double target : problem.rows.targets) {
        problem.targets.push_back(classes ? (target == 1.0 ? 1.0 : -1.0) : target);
    }
    problem.costs.assign(problem.targets.size(), std::stod(words[5]));
    return problem;
}

}  // namespace

int main(int count, char** words) {
    if (count < 6) {
        std::fputs("usage: bench_certify DATA BETA KERNEL LOSS COST [EPSILON]\n", stderr);
        return 2;
    }
    try {
        mercer::Context context;
        const mercer::Problem problem = read_problem(words, count, context);
        std::ifstream file(words[2]);
        std::vector<double> beta;
        for (double value = 0.0; file >> value;) {
            beta.push_back(value);
        }
        const mercer::Certificate proof = mercer::certify(problem, beta, context);
        fmt::print(
            "{{\"primal\":{},\"dual\":{},\"gap\":{},\"relative_gap\":{},"
            "\"dual_infeasibility\":{},\"kkt_violation\":{}}}\n",
            proof.primal, proof.dual, proof.gap, mercer::relative_gap(proof),
            proof.dual_infeasibility, proof.kkt_violation);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
    return 0;
}
