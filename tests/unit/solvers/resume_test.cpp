// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/resume_test.cpp - a solver that is stopped anywhere and resumed ends with the
// same bits as one that was never stopped.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/state_keeper.hpp"
#include "mercer/solvers/solve.hpp"
#include "row_sets.hpp"
#include "support/origin.hpp"

namespace mercer {
namespace {

using testing::set_rows;

using testing::set_kernel;

using testing::rows_of;

using testing::RowSet;

/// Counts boundaries; at number `at` it saves the state (as before a kill) or requests a stop.
class Moments final : public StateKeeper {
public:
    enum class Way { kill, stop_between_rounds, stop_within_a_round };

    Moments(Way way, index_t at) : way_(way), at_(at) {}

    [[nodiscard]] bool due() override {
        const bool now = seen_++ == at_;
        if (now && way_ != Way::kill) {
            stop_.store(true);
        }
        return now && way_ != Way::stop_within_a_round;
    }
    void save(std::string state) override {
        if (way_ != Way::kill || state_.empty()) {
            state_ = std::move(state);
        }
        stop_.store(true);
    }
    [[nodiscard]] std::string_view saved() const override { return {}; }

    [[nodiscard]] const std::atomic<bool>& stop_flag() const { return stop_; }
    [[nodiscard]] const std::string& state() const { return state_; }
    [[nodiscard]] index_t seen() const { return seen_; }

private:
    Way way_;
    index_t at_;
    index_t seen_ = 0;
    std::string state_;
    std::atomic<bool> stop_{false};
};

/// Returns a given state, and saves none.
class Handed final : public StateKeeper {
public:
    explicit Handed(std::string state) : state_(std::move(state)) {}
    [[nodiscard]] bool due() override { return false; }
    void save(std::string) override {}
    [[nodiscard]] std::string_view saved() const override { return state_; }

private:
    std::string state_;
};

struct Case {
    const char* name;
    const char* solver;
    index_t rows;
    const char* kernel;
    double mass_share;  ///< of the costs; 0: no free width
    double epsilon;     ///< < 0: classification
};

std::ostream& operator<<(std::ostream& out, const Case& entry) { return out << entry.name; }

class resume : public ::testing::TestWithParam<Case> {
protected:
    resume() : rows_(GetParam().rows, 4, 11) {
        const Case& entry = GetParam();
        set_rows(problem_, rows_.dense());
        set_kernel(problem_, parse_kernel(entry.kernel).value());
        Random random(3);
        std::vector<double> row(4);
        for (index_t i = 0; i < entry.rows; ++i) {
            rows_of(problem_).copy_row(i, row);
            const double value = std::sin(2.0 * row[0]) + row[1] * row[2] + 0.3 * random.normal();
            problem_.targets.push_back(entry.epsilon >= 0.0 ? value : (value > 0.0 ? 1.0 : -1.0));
            problem_.costs.push_back(10.0);
        }
        if (entry.epsilon >= 0.0) {
            problem_.loss = EpsilonInsensitiveLoss{entry.epsilon};
        }
        if (entry.mass_share > 0.0) {
            problem_.mass = entry.mass_share * 10.0 * static_cast<double>(entry.rows);
        }
    }

    [[nodiscard]] Solution run(StateKeeper* keeper, const std::atomic<bool>* stop, int threads) {
        Context context({.threads = threads, .stop_flag = stop});
        SolveOptions options;
        options.gap_tolerance = gap_;
        options.solver = GetParam().solver;
        options.keeper = keeper;
        return solve(problem_, options, context);
    }

    RowSet rows_;
    Problem problem_;
    double gap_ = GetParam().epsilon >= 0.0 ? 1e-4 : 1e-6;  // a tube takes longer
};

TEST_P(resume, stopped_with_its_goal_met_it_still_goes_on) {
    gap_ = 0.5;  // reached long before the end of the solver's first run
    Moments all(Moments::Way::kill, -1);
    const Solution whole = run(&all, nullptr, 2);
    index_t met = 0;
    for (index_t at = 1; at < all.seen(); at += std::max<index_t>(1, all.seen() / 5)) {
        Moments moments(Moments::Way::stop_between_rounds, at);
        const Solution stopped = run(&moments, &moments.stop_flag(), 2);
        EXPECT_EQ(stopped.status, SolveStatus::interrupted) << at;
        met += static_cast<index_t>(relative_gap(stopped.certificate()) <= gap_);
        Handed handed(moments.state());
        EXPECT_EQ(run(&handed, nullptr, 1).beta, whole.beta) << at;
    }
    EXPECT_GT(met, 0);
}

TEST_P(resume, ends_with_the_same_bits_from_everywhere) {
    Moments all(Moments::Way::kill, -1);
    const Solution whole = run(&all, nullptr, 2);
    ASSERT_EQ(whole.status, SolveStatus::converged);
    ASSERT_GT(all.seen(), 4);
    index_t resumed = 0;
    for (const auto way : {Moments::Way::kill, Moments::Way::stop_between_rounds,
                           Moments::Way::stop_within_a_round}) {
        const index_t step = std::max<index_t>(1, all.seen() / 5);
        for (index_t at = static_cast<index_t>(way); at < all.seen(); at += step) {
            Moments moments(way, at);
            const Solution stopped = run(&moments, &moments.stop_flag(), 2);
            if (moments.state().empty()) {  // stopped before the first step: nothing was saved
                ASSERT_EQ(at, 0);
                continue;
            }
            EXPECT_LE(stopped.iterations, whole.iterations);
            Handed handed(moments.state());
            const Solution again = run(&handed, nullptr, 1 + static_cast<int>(at % 2));
            EXPECT_EQ(again.iterations, whole.iterations) << at;
            EXPECT_EQ(again.beta, whole.beta) << at;
            EXPECT_EQ(again.certificate().primal, whole.certificate().primal) << at;
            EXPECT_EQ(again.certificate().dual, whole.certificate().dual) << at;
            EXPECT_EQ(again.intercept(), whole.intercept()) << at;
            ++resumed;
        }
    }
    EXPECT_GT(resumed, 8);
}

INSTANTIATE_TEST_SUITE_P(
    solvers, resume,
    ::testing::Values(Case{"rounds", "decomposition", 2600, "rbf(gamma=0.5)", 0.0, -1.0},
                      // A kernel whose matrix may not be symmetric to the last bit.
                      Case{"normalized", "decomposition", 2200,
                           "normalized(poly(degree=3, coef0=1)) + 0.1 * rbf(gamma=1)", 0.0, -1.0},
                      Case{"tube", "decomposition", 2200, "rbf(gamma=0.5)", 0.0, 0.1},
                      Case{"free_width", "decomposition", 2200, "rbf(gamma=0.5)", 0.3, -1.0},
                      Case{"pairs", "smo", 500, "rbf(gamma=0.5)", 0.0, -1.0}),
    [](const auto& entry) { return std::string(entry.param.name); });

TEST_P(resume, stopped_before_its_first_step_it_keeps_nothing) {
    const std::atomic<bool> stop{true};
    Moments never(Moments::Way::kill, -1);
    const Solution stopped = run(&never, &stop, 1);
    EXPECT_EQ(stopped.status, SolveStatus::interrupted);
    EXPECT_EQ(stopped.iterations, 0);
    EXPECT_TRUE(never.state().empty());
}

TEST(resume_state, refuses_a_state_that_is_cut_or_of_another_size) {
    RowSet rows(300, 3, 5);
    Problem problem;
    problem.gram = make_gram(rbf_kernel(1.0), rows.dense());
    Random random(8);
    for (index_t i = 0; i < 300; ++i) {
        problem.targets.push_back(random.uniform() < 0.5 ? -1.0 : 1.0);
        problem.costs.push_back(1.0);
    }
    Moments moments(Moments::Way::kill, 0);
    Context context;
    SolveOptions options;
    options.keeper = &moments;
    static_cast<void>(solve(problem, options, context));
    ASSERT_FALSE(moments.state().empty());
    for (std::size_t length = 1; length < moments.state().size(); length += 977) {
        Handed handed(moments.state().substr(0, length));
        options.keeper = &handed;
        EXPECT_THROW(static_cast<void>(solve(problem, options, context)), DataError) << length;
    }
    Handed longer(moments.state() + "x");
    options.keeper = &longer;
    EXPECT_THROW(static_cast<void>(solve(problem, options, context)), DataError);
    Problem other = problem;
    std::vector<index_t> few(299);
    std::iota(few.begin(), few.end(), index_t{0});
    set_rows(other, rows_of(problem).select(few));
    other.targets.pop_back();
    other.costs.pop_back();
    Handed whole(moments.state());
    options.keeper = &whole;
    EXPECT_THROW(static_cast<void>(solve(other, options, context)), DataError);
}

}  // namespace
}  // namespace mercer
