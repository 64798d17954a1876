// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/solver_id.cpp - the one list of the solvers' names.
#include "mercer/solvers/solver_id.hpp"

#include <array>

namespace mercer {

namespace {

struct Word {
    SolverId id;
    std::string_view name;
};

constexpr std::array kWords{
    Word{SolverId::automatic, "auto"},
    Word{SolverId::decomposition, "decomposition"},
    Word{SolverId::smo, "smo"},
    Word{SolverId::active_set, "active-set"},
    Word{SolverId::interior_point, "interior-point"},
    Word{SolverId::newton, "newton"},
    Word{SolverId::finite_newton, "finite-newton"},
    Word{SolverId::lbfgs, "lbfgs"},
    Word{SolverId::conjugate_gradient, "conjugate-gradient"},
    Word{SolverId::gradient_descent, "gradient-descent"},
    Word{SolverId::cholesky, "cholesky"},
    Word{SolverId::svd, "svd"},
    Word{SolverId::normal_equations, "normal-equations"},
    Word{SolverId::primal, "primal"},
    Word{SolverId::dual, "dual"},
    Word{SolverId::l1_descent, "l1-descent"},
    Word{SolverId::linear_program, "linear-program"},
    Word{SolverId::l1_path, "l1-path"},
    Word{SolverId::greedy_basis, "greedy-basis"},
    Word{SolverId::perceptron, "perceptron"},
};

}  // namespace

std::string_view name_of(SolverId id) noexcept {
    for (const Word& word : kWords) {
        if (word.id == id) {
            return word.name;
        }
    }
    return {};
}

SolverId parse_solver(std::string_view text) noexcept {
    for (const Word& word : kWords) {
        if (word.name == text) {
            return word.id;
        }
    }
    return SolverId::other;
}

}  // namespace mercer
