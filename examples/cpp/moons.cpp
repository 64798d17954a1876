// SPDX-License-Identifier: Apache-2.0
//
// examples/cpp/moons.cpp - read rows, train, predict, check the proof, save.
#include <cstdio>
#include <mercer/mercer.hpp>

int main() {
    mercer::Context context;
    const mercer::Dataset data =
        mercer::read_dataset("moons.csv", {.task = "classification"}, context).value();
    const mercer::TrainOptions options{.kernel = mercer::rbf_kernel(2), .objective = {.cost = 10}};
    const mercer::Model model = mercer::train(data, options, context).model;
    const std::vector<std::string> labels = mercer::predict_labels(model, data, context);
    const mercer::VerifyReport report = mercer::verify_model(model, data, context);
    mercer::save_model(model, "moons.mercer");
    std::printf("row 1 is of class %s\nthe proof %s: within %.2g of the best objective\n",
                labels[0].c_str(), report.holds ? "holds" : "fails", model.certificates[0].gap);
}
