// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/machines_test.cpp - the table of machines is consistent with itself and its users.
#include "mercer/fit/machines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "mercer/base/error.hpp"
#include "mercer/fit/train.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

TEST(machines, stand_at_the_place_of_their_number) {
    for (std::size_t i = 0; i < machines().size(); ++i) {
        EXPECT_EQ(static_cast<std::size_t>(machines()[i].id), i) << machines()[i].name;
        EXPECT_EQ(&machine_of(machines()[i].id), &machines()[i]);
        EXPECT_EQ(&machine_of(machines()[i].name), &machines()[i]);
    }
    EXPECT_EQ(machines().size(), machine_names().size());
}

TEST(machines, of_another_name_are_refused_with_the_names_there_are) {
    try {
        (void)machine_of("svm");
        FAIL() << "svm is no machine";
    } catch (const InvalidArgument& fault) {
        EXPECT_NE(std::string(fault.what()).find("svc"), std::string::npos) << fault.what();
    }
}

TEST(machines, have_a_solver_each) {
    for (const Machine& machine : machines()) {
        EXPECT_FALSE(machine_solvers(machine.name).empty()) << machine.name;
    }
}

TEST(machines, of_the_support_vector_family_are_solved_by_the_active_set_and_no_other_is) {
    for (const Machine& machine : machines()) {
        const std::vector<std::string> solvers = machine_solvers(machine.name);
        const bool found = std::find(solvers.begin(), solvers.end(), "active-set") != solvers.end();
        EXPECT_EQ(found, machine.has_box_dual()) << machine.name;
    }
}

TEST(machines, refuse_what_the_table_says_they_do_not_take) {
    for (const Machine& machine : machines()) {
        const auto refuses = [&](void (*give)(TrainOptions&)) {
            TrainOptions options;
            options.model = machine.name;
            require_taken(options);
            give(options);
            try {
                require_taken(options);
                return false;
            } catch (const InvalidArgument& fault) {
                EXPECT_NE(std::string(fault.what()).find("does not take it; these do: "),
                          std::string::npos);
                return true;
            }
        };
        const Hyperparameters& takes = machine.takes;
        EXPECT_NE(refuses([](TrainOptions& o) { o.objective.cost = 1.0; }), takes.cost);
        EXPECT_NE(refuses([](TrainOptions& o) { o.objective.lambda = 1.0; }), takes.cost);
        EXPECT_NE(refuses([](TrainOptions& o) { o.objective.alpha = 1.0; }), takes.alpha);
        EXPECT_NE(refuses([](TrainOptions& o) { o.objective.epsilon = 0.1; }), takes.epsilon);
        EXPECT_NE(refuses([](TrainOptions& o) { o.objective.nu = 0.5; }), takes.nu);
        EXPECT_NE(refuses([](TrainOptions& o) { o.objective.degree = 2; }), takes.degree);
        EXPECT_NE(refuses([](TrainOptions& o) { o.run.precision = "float32"; }), machine.float32);
        EXPECT_NE(refuses([](TrainOptions& o) { o.outputs.probability = true; }),
                  machine.gives_probabilities());
    }
}

TEST(machines, follow_paths_of_hyperparameters_they_take) {
    for (const Machine& machine : machines()) {
        for (const std::string& name : machine.paths) {
            const bool taken = (name == "C" && machine.takes.cost) ||
                               (name == "epsilon" && machine.takes.epsilon) ||
                               (name == "weight" && machine.has_classes()) ||
                               (name == "nu" && (machine.takes.nu || machine.id == MachineId::svr));
            EXPECT_TRUE(taken) << machine.name << " " << name;
        }
    }
}

TEST(machines, with_a_free_width_take_nu_and_no_other_does) {
    for (const Machine& machine : machines()) {
        EXPECT_EQ(machine.free_width, machine.takes.nu) << machine.name;
    }
}

TEST(machines, that_take_nu_have_one_half_by_default) {
    Context context;
    for (const char* model : {"nu-svc", "nu-svr", "one-class"}) {
        TrainOptions options;
        options.model = model;
        Dataset data = toys::exclusive_or();
        if (!is_classifier(model)) {
            data.label_names.clear();
        }
        EXPECT_EQ(train(data, options, context).model.nu, 0.5) << model;
    }
}

}  // namespace
}  // namespace mercer
