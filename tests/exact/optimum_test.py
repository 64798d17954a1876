# SPDX-License-Identifier: Apache-2.0
"""tests/exact/optimum_test.py - the exact optimum on problems that were solved by hand."""

import decimal
import unittest
from decimal import Decimal

import judge
import optimum
import stored
from exact_gap_test import (KRR2, KRR2_TARGETS, PAIR, PAIR_LABELS, REG2, REG2_TARGETS, TRIO,
                            TRIO_LABELS, XOR, XOR_LABELS, header_of)


def problem_of(header, rows, targets, weights=None):
    return judge.Problem(stored.Model(header, [], [], [], [0.0], [0.0] * 12), rows, targets, weights)


class Optimum(unittest.TestCase):
    def setUp(self):
        context = decimal.localcontext(optimum.ARITHMETIC)
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)

    def prove(self, header, rows, targets, weights=None, to_number=Decimal):
        problem = problem_of(header, rows, targets, weights)
        beta, lam = optimum.solve(problem, Decimal(header["epsilon"]))
        return optimum.prove_point(problem, list(map(to_number, beta)), lam, to_number), beta

    def assert_value(self, wanted, header, rows, targets, weights=None):
        proof, _ = self.prove(header, rows, targets, weights)
        self.assertLessEqual(abs(proof.gap), Decimal("1e-35"))
        self.assertLessEqual(abs(proof.primal - Decimal(wanted)), Decimal("1e-35"))

    def test_classes(self):
        self.assert_value(".375", header_of("svc", PAIR_LABELS, cost=0.25), PAIR, PAIR_LABELS)
        self.assert_value(".5", header_of("svc", TRIO_LABELS, cost=2.0), TRIO, TRIO_LABELS)
        self.assert_value("12", header_of("svc", XOR_LABELS, cost=3.0), XOR, XOR_LABELS)
        for machine in ("l2-svc", "huber-svc"):
            self.assert_value(Decimal(1) / 3, header_of(machine, PAIR_LABELS), PAIR, PAIR_LABELS)
        self.assert_value("-.5", header_of("nu-svc", PAIR_LABELS, nu=0.5), PAIR, PAIR_LABELS)

    def test_numbers(self):
        self.assert_value(".28125", header_of("svr", cost=2.0, epsilon=0.125), REG2, REG2_TARGETS)
        self.assert_value(".3046875", header_of("nu-svr", cost=0.5, nu=0.75), REG2, REG2_TARGETS)
        self.assert_value(".5", header_of("nu-svr", cost=4.0, nu=1.5), REG2, REG2_TARGETS)
        self.assert_value(".1875", header_of("krr", cost=0.5, has_intercept=False), KRR2,
                          KRR2_TARGETS)
        self.assert_value("-.5", header_of("one-class", ["1"], nu=0.5), [[1.0], [1.0]], ["1", "1"])

    def test_weights(self):
        header = header_of("svc", PAIR_LABELS, cost=0.125)
        self.assert_value(".21875", header, PAIR, PAIR_LABELS, [2.0, 1.0])
        self.assert_value(".5", header_of("svc", TRIO_LABELS, cost=2.0), [*TRIO, [-9.0]],
                          [*TRIO_LABELS, "1"], [1.0, 1.0, 1.0, 0.0])

    def test_logistic_regression_of_a_pair(self):
        proof, beta = self.prove(header_of("klr", PAIR_LABELS), PAIR, PAIR_LABELS)
        self.assertLessEqual(abs(proof.gap), Decimal("1e-35"))
        self.assertAlmostEqual(float(2 * beta[1]), 0.6748316143, 10)

    def test_doubles_of_the_optimum_have_the_gap_of_their_rounding(self):
        proof, _ = self.prove(header_of("l2-svc", PAIR_LABELS), PAIR, PAIR_LABELS,
                              to_number=optimum.rounded)
        self.assertGreater(proof.gap, Decimal("1e-36"))
        self.assertLess(proof.gap, Decimal("1e-30"))

    def test_rounding_together_leaves_less_of_f(self):
        rows = [[1.0], [0.001], [3.0], [0.3]]
        problem = problem_of(header_of("krr", has_intercept=False), rows, ["0"] * 4)
        beta = [Decimal(number) / 7 for number in (1_000_000, 1, 5_000_000, 100)]
        wanted = judge.Point(problem.K, beta).f[0]
        alone = judge.Point(problem.K, list(map(optimum.rounded, beta))).f[0]
        together = judge.Point(problem.K, optimum.rounded_together(problem, beta)).f[0]
        self.assertGreater(abs(alone - wanted), Decimal("1e-13"))
        self.assertLess(abs(together - wanted), Decimal("1e-18"))  # the least one's doubles


if __name__ == "__main__":
    unittest.main()
