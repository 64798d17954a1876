// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/solver_id.hpp - names of solvers: text at the interfaces, an id inside.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mercer {

/// The solvers that code refers to. One name may stand for solvers of several forms of problems:
/// `newton` solves smooth losses and the joint problem of many classes (registry.hpp).
enum class SolverId : std::uint8_t {
    automatic,  ///< the one expected to be best
    decomposition,
    smo,
    active_set,
    interior_point,
    newton,
    finite_newton,
    lbfgs,
    conjugate_gradient,
    gradient_descent,
    cholesky,
    svd,
    normal_equations,
    primal,
    dual,
    l1_descent,
    linear_program,
    l1_path,
    greedy_basis,
    perceptron,
    other,  ///< none of these: a solver registered by the caller, or an unknown name
};

/// "auto", "smo", "active-set"; empty for `other`.
[[nodiscard]] std::string_view name_of(SolverId id) noexcept;

/// The id of a solver's name; `other` for any other text.
[[nodiscard]] SolverId parse_solver(std::string_view text) noexcept;

/// The requested solver, by its id or by its name. Whether it fits the problem is checked where the
/// problem is known.
class SolverChoice {
public:
    // Implicit, so that an option reads `.solver = SolverId::smo` or takes a user's text.
    // NOLINTBEGIN(google-explicit-constructor)
    SolverChoice(SolverId id = SolverId::automatic) : id_(id), name_(name_of(id)) {}
    SolverChoice(std::string_view name) : id_(parse_solver(name)), name_(name) {}
    SolverChoice(const std::string& name) : SolverChoice(std::string_view(name)) {}
    SolverChoice(const char* name) : SolverChoice(std::string_view(name)) {}
    // NOLINTEND(google-explicit-constructor)

    [[nodiscard]] SolverId id() const noexcept { return id_; }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] bool is_automatic() const noexcept { return id_ == SolverId::automatic; }

    friend bool operator==(const SolverChoice& choice, SolverId id) noexcept {
        return choice.id_ == id;
    }
    friend bool operator==(const SolverChoice& a, const SolverChoice& b) noexcept {
        return a.name_ == b.name_;
    }

private:
    SolverId id_;
    std::string name_;
};

}  // namespace mercer
