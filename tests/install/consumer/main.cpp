// SPDX-License-Identifier: Apache-2.0
//
// tests/install/consumer/main.cpp - what a user may do with the single header, on files in memory.
#include <cmath>
#include <cstdio>
#include <mercer/mercer.hpp>

namespace {

int faults = 0;

void expect(bool holds, const char* what) {
    if (!holds) {
        std::printf("does not hold: %s\n", what);
        ++faults;
    }
}

/// Two classes on a line, separated between 3 and 4.
mercer::Dataset read_rows(mercer::MemoryFiles& files, mercer::Context& context) {
    files.contents["rows.csv"] = "x,class\n1,no\n2,no\n3,no\n4,yes\n5,yes\n6,yes\n";
    return mercer::read_dataset("rows.csv", {.task = "classification"}, context, files).value();
}

void use_a_model(const mercer::Dataset& rows, mercer::MemoryFiles& files,
                 mercer::Context& context) {
    const mercer::TrainResult result = mercer::train(
        rows, {.kernel = mercer::linear_kernel(), .objective = {.cost = 100}}, context);
    mercer::save_model(result.model, "line.mercer", files);
    const mercer::Model model = mercer::load_model("line.mercer", context, files).value();
    const std::vector<std::string> labels = mercer::predict_labels(model, rows, context);
    expect(labels == std::vector<std::string>{"no", "no", "no", "yes", "yes", "yes"}, "labels");
    expect(mercer::verify_model(model, rows, context).holds, "the proof of a loaded model");
    // The widest gap is the one between 3 and 4: f(x) = 2 x - 7.
    const std::vector<double> values = mercer::decision_function(model, rows, context);
    expect(std::abs(values.front() + 5.0) < 0.01, "the hard margin");
}

void choose_a_model(const mercer::Dataset& rows, mercer::Context& context) {
    mercer::SelectOptions options;
    options.train.kernel = mercer::parse_kernel("rbf(gamma=1)").value();
    options.grid = {mercer::parse_grid_axis("C=1,10").value()};
    options.leave_one_out = true;
    const mercer::SelectResult chosen = mercer::select_model(rows, options, context);
    expect(chosen.table.size() == 2 && chosen.refit.has_value(), "a row for each C");

    const mercer::Path path = mercer::trace(
        rows, {.machine = {.kernel = mercer::linear_kernel()}, .over = "C", .from = 0.01, .to = 10},
        context);
    const mercer::Model model = path.at(5.0, context).model;
    expect(mercer::verify_model(model, rows, context).holds, "the proof of a model on a path");
}

void err(const mercer::Dataset& rows, mercer::MemoryFiles& files, mercer::Context& context) {
    try {
        (void)mercer::train(rows, {.run = {.gap_tolerance = -1.0}}, context);
        expect(false, "a tolerance below 0 is refused");
    } catch (const mercer::InvalidArgument& error) {
        const mercer::ArgumentFault* fault = error.fault();
        expect(fault != nullptr && fault->option == "gap_tolerance" && fault->value == "-1",
               "the option and its value");
    }
    files.contents["bad.csv"] = "x,class\n1,no\noops,yes\n";
    const auto bad = mercer::read_dataset("bad.csv", {}, context, files);
    expect(!bad.ok() && bad.diagnostic().line == 3, "the line that is wrong");
}

}  // namespace

int main() {
    mercer::Context context;
    mercer::MemoryFiles files;
    const mercer::Dataset rows = read_rows(files, context);
    use_a_model(rows, files, context);
    choose_a_model(rows, context);
    err(rows, files, context);
    return faults == 0 ? 0 : 1;
}
