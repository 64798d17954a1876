# SPDX-License-Identifier: Apache-2.0
"""tests/exact/exact_gap_test.py - the judge on problems whose gaps are known by hand."""

import decimal
import json
import random
import struct
import tempfile
import unittest
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import compared
import joint
import judge
import stored
from exact_gap import Verdict, exact_gap, judge_model
from problems import MACHINES, random_problem

PAIR = [[-1.0], [1.0]]
PAIR_LABELS = ["-1", "1"]
TRIO, TRIO_LABELS = [[-1.0], [1.0], [3.0]], ["-1", "1", "1"]
XOR = [[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]
XOR_LABELS = ["-1", "-1", "1", "1"]
REG2, REG2_TARGETS = [[0.0], [1.0]], ["0", "1"]
KRR2, KRR2_TARGETS = [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]], ["1", "0"]
LOSSES = {"svc": "hinge", "nu-svc": "hinge", "one-class": "hinge", "svr": "epsilon",
          "nu-svr": "epsilon", "l2-svc": "squared-hinge", "huber-svc": "modified-huber",
          "klr": "logistic", "krr": "squared"}
NOTHING = Decimal("1e-90")  # what rounding may leave of a gap of zero


def header_of(machine, labels=(), **changes):
    return {"machine": machine, "loss": LOSSES[machine], "kernel": "linear", "cost": 1.0,
            "epsilon": 0.0, "nu": "nan", "labels": sorted(set(labels)), "class_weights": [],
            "has_intercept": True, "row_weights": False, "scaling": None} | changes


class Exact(unittest.TestCase):
    """Base of tests in the judge's arithmetic."""

    def setUp(self):
        context = decimal.localcontext(judge.ARITHMETIC)
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)

    def prove(self, header, rows, targets, beta, b=0, width="nan", weights=None):
        model = stored.Model(header, [], [], [], [0.0], [0.0] * 11 + [0.0])
        problem = judge.Problem(model, rows, targets, weights)
        problem.set_loss(header, Decimal(width))
        return judge.prove(problem, [Decimal(value) for value in beta], Decimal(b))

    def assert_optimal(self, proof, primal, tolerance="1e-90"):
        self.assertLessEqual(abs(proof.gap), Decimal(tolerance))
        self.assertLessEqual(abs(proof.primal - Decimal(primal)), Decimal(tolerance))
        self.assertLessEqual(abs(proof.dual - Decimal(primal)), Decimal(tolerance))


class KnownOptima(Exact):
    def test_soft_margins_of_a_pair(self):
        header = header_of("svc", PAIR_LABELS, cost=0.25)
        self.assert_optimal(self.prove(header, PAIR, PAIR_LABELS, ["-.25", ".25"]), ".375")
        header = header_of("svc", PAIR_LABELS, cost=10.0)
        self.assert_optimal(self.prove(header, PAIR, PAIR_LABELS, ["-.5", ".5"]), ".5")

    def test_every_constant_of_the_best_interval_is_optimal(self):
        header = header_of("svc", PAIR_LABELS, cost=0.25)
        for b in ("-.5", "0", ".25", ".5"):
            self.assert_optimal(self.prove(header, PAIR, PAIR_LABELS, ["-.25", ".25"], b), ".375")

    def test_three_rows_leave_the_far_one_out(self):
        header = header_of("svc", TRIO_LABELS, cost=2.0)
        self.assert_optimal(self.prove(header, TRIO, TRIO_LABELS, ["-.5", ".5", "0"]), ".5")

    def test_exclusive_or_with_a_line_and_a_square(self):
        header = header_of("svc", XOR_LABELS, cost=3.0)
        self.assert_optimal(self.prove(header, XOR, XOR_LABELS, [-3, -3, 3, 3]), 12)
        square = header | {"kernel": "poly(degree=2, coef0=1, scale=1)"}
        eighths = ["-.125", "-.125", ".125", ".125"]
        self.assert_optimal(self.prove(square, XOR, XOR_LABELS, eighths), ".25")

    def test_radial_pair(self):
        header = header_of("svc", PAIR_LABELS, cost=100.0, kernel="rbf(gamma=0.125)")
        alpha = 1 / (1 - Decimal("-.5").exp())
        self.assert_optimal(self.prove(header, PAIR, PAIR_LABELS, [-alpha, alpha]), alpha)
        sigma = header | {"kernel": "rbf(sigma=2)"}
        self.assert_optimal(self.prove(sigma, PAIR, PAIR_LABELS, [-alpha, alpha]), alpha)

    def test_squared_hinge_and_huber_agree_on_a_pair(self):
        third = Decimal(1) / 3
        for machine in ("l2-svc", "huber-svc"):
            header = header_of(machine, PAIR_LABELS)
            self.assert_optimal(self.prove(header, PAIR, PAIR_LABELS, [-third, third]), third)

    def test_huber_is_a_line_far_inside_the_margin(self):
        rows, labels = [[0.0]] * 4, ["-1", "1", "1", "1"]
        header = header_of("huber-svc", labels, has_intercept=False)
        proof = self.prove(header, rows, labels, [0] * 4, b=5)  # slack 6 of the first row
        self.assertEqual(proof.primal, 10)

    def test_logistic_regression_of_a_pair(self):
        for cost, w, primal in ((1.0, "0.6748316143", "1.0509141452"),
                                (10.0, "2.1280345185", "4.5142447090")):
            half = Decimal(w) / 2
            proof = self.prove(header_of("klr", PAIR_LABELS, cost=cost), PAIR, PAIR_LABELS,
                               [-half, half])
            self.assert_optimal(proof, primal, "1e-10")
            self.assertGreater(proof.gap, 0)
            self.assertLess(proof.gap, Decimal("1e-18"))

    def test_ridge_regression(self):
        header = header_of("krr", cost=0.5, has_intercept=False)
        self.assert_optimal(self.prove(header, KRR2, KRR2_TARGETS, [".375", "-.125"]), ".1875")

    def test_tubes(self):
        header = header_of("svr", cost=2.0, epsilon=0.125)
        self.assert_optimal(self.prove(header, REG2, REG2_TARGETS, ["-.75", ".75"], ".125"),
                            ".28125")
        header = header_of("svr", cost=0.5, epsilon=0.125)
        for b in (".125", ".25", ".375"):  # w = 1/2, and an interval of constants
            self.assert_optimal(self.prove(header, REG2, REG2_TARGETS, ["-.5", ".5"], b), ".25")

    def test_tube_of_free_width(self):
        header = header_of("nu-svr", cost=0.5, nu=0.75)
        self.assert_optimal(self.prove(header, REG2, REG2_TARGETS, ["-.375", ".375"], ".3125",
                                       ".3125"), ".3046875")

    def test_closed_tube_needs_less_than_its_mass(self):
        header = header_of("nu-svr", cost=4.0, nu=1.5)
        self.assert_optimal(self.prove(header, REG2, REG2_TARGETS, [-1, 1], 0, 0), ".5")

    def test_margin_of_free_width(self):
        header = header_of("nu-svc", PAIR_LABELS, nu=0.5)
        self.assert_optimal(self.prove(header, PAIR, PAIR_LABELS, ["-.5", ".5"], 0, 1), "-.5")

    def test_one_class(self):
        header = header_of("one-class", ["1"], nu=0.5)
        self.assert_optimal(self.prove(header, [[1.0], [1.0]], ["7", "8"], [1, 0], -1), "-.5")

    def test_weights_of_classes_and_rows_are_costs(self):
        header = header_of("svc", PAIR_LABELS, cost=0.125,
                           class_weights=[{"label": "-1", "weight": 2.0}])
        proof = self.prove(header, PAIR, PAIR_LABELS, ["-.125", ".125"], "-.75")
        self.assert_optimal(proof, ".21875")
        header["class_weights"] = []
        proof = self.prove(header, PAIR, PAIR_LABELS, ["-.125", ".125"], "-.75", weights=[2.0, 1.0])
        self.assert_optimal(proof, ".21875")


class KnownGaps(Exact):
    def test_zero_coefficients_prove_the_sum_of_losses(self):
        proof = self.prove(header_of("svc", PAIR_LABELS), PAIR, PAIR_LABELS, [0, 0])
        self.assertEqual((proof.gap, proof.primal), (2, 2))

    def test_half_way_to_the_optimum(self):
        proof = self.prove(header_of("svc", PAIR_LABELS), PAIR, PAIR_LABELS, ["-.25", ".25"])
        self.assertEqual((proof.gap, proof.primal, proof.dual),
                         (Decimal(".75"), Decimal("1.125"), Decimal(".375")))
        self.assertEqual(proof.relative_gap, Decimal(".75") / Decimal("1.125"))

    def test_a_gap_far_below_double_precision(self):
        step = Decimal("1e-30")
        proof = self.prove(header_of("svc", PAIR_LABELS), PAIR, PAIR_LABELS,
                           [-(step + Decimal(".5")), step + Decimal(".5")])
        self.assertEqual(proof.gap, 4 * step * step + 2 * step)

    def test_values_are_those_of_rational_arithmetic(self):
        source = random.Random(3)
        for _ in range(10):
            rows = [[source.uniform(-1e4, 1e4), source.uniform(-1, 1)] for _ in range(6)]
            labels = ["1", "-1"] * 3
            alpha = [source.randrange(64) / 64 for _ in range(3) for _ in range(2)]
            alpha[1::2] = alpha[::2]
            beta = [a if label == "1" else -a for a, label in zip(alpha, labels)]
            b = source.uniform(-1, 1)
            header = header_of("svc", labels, kernel="poly(degree=3, coef0=0.3, scale=0.1)")
            proof = self.prove(header, rows, labels, beta, b)
            gap = rational_gap(rows, labels, beta, b)
            exact = Decimal(gap.numerator) / Decimal(gap.denominator)
            self.assertLessEqual(abs(proof.gap - exact), abs(exact) * NOTHING)


def rational_gap(rows, labels, beta, b):
    """The gap of svc with C = 1, poly(degree=3, coef0=0.3, scale=0.1) whose beta is feasible."""
    def kernel(x, z):
        product = sum(Fraction(p) * Fraction(q) for p, q in zip(x, z))
        return (Fraction(0.1) * product + Fraction(0.3)) ** 3
    f = [sum(Fraction(beta[j]) * kernel(x, rows[j]) for j in range(len(rows))) for x in rows]
    norm = sum(Fraction(value) * z for value, z in zip(beta, f))
    losses = sum(max(Fraction(0), 1 - int(label) * (z + Fraction(b)))
                 for label, z in zip(labels, f))
    return norm + losses - sum(abs(Fraction(value)) for value in beta)


class Repairs(Exact):
    def test_what_a_sum_lacks_moves_the_coefficient_that_serves_best(self):
        step = Decimal("1e-20")
        proof = self.prove(header_of("svc", PAIR_LABELS), PAIR, PAIR_LABELS,
                           ["-.5", Decimal(".5") + step])
        self.assertEqual((proof.dual, proof.moved), (Decimal(".5"), step))
        self.assertEqual(proof.gap, step + step * step / 2)

    def test_coefficients_outside_of_their_box_are_clipped(self):
        header = header_of("svc", PAIR_LABELS, cost=0.25)
        proof = self.prove(header, PAIR, PAIR_LABELS, ["-.375", ".3125"])
        self.assertEqual((proof.dual, proof.moved), (Decimal(".375"), Decimal(".1875")))

    def test_several_coefficients_share_what_one_has_no_room_for(self):
        header = header_of("one-class", ["1"], nu=0.75)
        proof = self.prove(header, [[1.0]] * 4, ["1"] * 4, [0, 0, 0, ".5"], -1)
        self.assertEqual((proof.dual, proof.moved), (Decimal("-4.5"), Decimal("2.5")))

    def test_rows_without_weight_lose_their_coefficient(self):
        for machine in ("svc", "l2-svc", "huber-svc", "klr"):
            proof = self.prove(header_of(machine, TRIO_LABELS), TRIO, TRIO_LABELS,
                               ["-.25", ".25", ".125"], weights=[1.0, 1.0, 0.0])
            self.assertEqual(proof.moved, Decimal(".125"), machine)
        proof = self.prove(header_of("krr"), REG2, REG2_TARGETS, [0, 1], weights=[1.0, 0.0])
        self.assertEqual((proof.dual, proof.moved), (0, 1))

    def test_sides_of_a_tube_get_the_best_common_sum(self):
        header = header_of("nu-svr", cost=0.5, nu=0.75)
        proof = self.prove(header, REG2, REG2_TARGETS, ["-.5", ".25"], ".3125", ".3125")
        self.assertEqual((proof.dual, proof.moved), (Decimal(".3046875"), Decimal(".25")))

    def test_coefficients_that_are_no_numbers_prove_nothing(self):
        proof = self.prove(header_of("svc", PAIR_LABELS), PAIR, PAIR_LABELS, ["nan", 0])
        self.assertEqual(proof.gap, judge.INFINITY)

    def test_a_mass_that_no_box_holds_proves_nothing(self):
        header = header_of("one-class", ["1"], nu=1.5)
        self.assertEqual(self.prove(header, PAIR, PAIR_LABELS, [1, 1], -1).gap, judge.INFINITY)


class Joint(Exact):
    """Three rows at right angles, each of its own class: by symmetry the own class of a row has one
    probability p and the others (1 - p) / 2, where log(2p / (1 - p)) = 3/2 c (1 - p)."""

    UNIT = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]

    def problem(self, intercept=False, cost=None):
        header = {"labels": ["a", "b", "c"], "cost": 1.0, "kernel": "linear", "machine": "klr",
                  "class_weights": [], "has_intercept": intercept}
        problem = joint.JointProblem(header, self.UNIT, ["a", "b", "c"], None)
        if cost is not None:
            problem.costs = [cost] * 3
        return problem

    def rows(self, own, others):
        return [[own if i == k else others for k in range(3)] for i in range(3)]

    def test_the_optimum_has_no_gap(self):
        cost = Decimal(4) / 3 * Decimal(2).ln()  # then p is 1/2
        for intercept in (False, True):
            beta = self.rows(cost / 2, -cost / 4)
            proof = joint.prove(self.problem(intercept, cost), beta, [Decimal(0)] * 3)
            self.assertLessEqual(abs(proof.gap), NOTHING)
            # 1/2 |f|^2 = 3/2 c^2 (1/4 + 1/8); the loss of each row is log 2
            primal = Decimal("0.5625") * cost * cost + 3 * cost * Decimal(2).ln()
            self.assertLessEqual(abs(proof.primal - primal), NOTHING)

    def test_zero_coefficients_prove_the_losses(self):
        proof = joint.prove(self.problem(), self.rows(Decimal(0), Decimal(0)), [Decimal(0)] * 3)
        self.assertLessEqual(abs(proof.gap - 3 * Decimal(3).ln()), NOTHING)
        self.assertEqual(proof.dual, 0)

    def test_a_gap_far_below_double_precision(self):
        # f = s at the own class and -s/2 at the others, beta the same: the gap of a row is the
        # divergence of p = (1 - s, s/2, s/2) from the softmax of f.
        step = Decimal("1e-20")
        proof = joint.prove(self.problem(), self.rows(step, -step / 2), [Decimal(0)] * 3)
        p = [1 - step, step / 2, step / 2]
        q = [step.exp(), (-step / 2).exp(), (-step / 2).exp()]
        row = sum(a * (a.ln() - b.ln() + sum(q).ln()) for a, b in zip(p, q))
        self.assertLessEqual(abs(proof.gap - 3 * row), NOTHING)

    def test_rows_that_do_not_sum_to_zero_are_repaired(self):
        step = Decimal("1e-20")
        right = self.rows(Decimal(".5"), Decimal("-.25"))
        wrong = [row[:] for row in right]
        wrong[1][1] += step
        exact = joint.prove(self.problem(), right, [Decimal(0)] * 3)
        proof = joint.prove(self.problem(), wrong, [Decimal(0)] * 3)
        self.assertEqual((proof.dual, proof.moved), (exact.dual, step))
        self.assertGreater(proof.primal, exact.primal - step)

    def test_columns_that_do_not_sum_to_zero_are_repaired(self):
        step = Decimal("1e-20")
        beta = self.rows(Decimal(".5"), Decimal("-.25"))
        beta[0][1] -= step
        beta[0][0] += step
        free = joint.prove(self.problem(), beta, [Decimal(0)] * 3)
        self.assertEqual(free.moved, 0)
        for balance in (joint.exchanged, joint.mixed):
            point = balance(self.problem(True), beta)
            for sums in (map(sum, point), map(sum, zip(*point))):
                self.assertLessEqual(max(map(abs, sums)), NOTHING)
        bound = joint.prove(self.problem(True), beta, [Decimal(0)] * 3)
        self.assertLess(bound.dual, free.dual)
        self.assertLess(abs(bound.dual - free.dual), 8 * step)

    def test_a_row_cannot_cost_more_than_its_cost(self):
        beta = self.rows(Decimal(2), Decimal(-1))
        proof = joint.prove(self.problem(), beta, [Decimal(0)] * 3)
        self.assertEqual(proof.moved, 6)


class Compared(Exact):
    """Two rows on a line: compared with one threshold, or with each other."""

    def problem(self, machine, cost=1.0, weights=None):
        header = {"machine": machine, "labels": ["1", "2"] if machine == "ordinal" else [],
                  "cost": cost, "kernel": "linear", "class_weights": []}
        return compared.Comparisons(header, PAIR, ["1", "2"], weights)

    def test_the_optimum_has_no_gap(self):
        half, quarter = Decimal(".5"), Decimal(".25")
        proof = compared.prove(self.problem("ordinal"), [-half, half], [Decimal(0)],
                               {(1, 2): half, (2, 0): half})
        self.assertEqual((proof.gap, proof.primal), (0, half))
        proof = compared.prove(self.problem("rank"), [-quarter, quarter], [], {(1, 0): quarter})
        self.assertEqual((proof.gap, proof.primal), (0, quarter / 2))

    def test_a_multiplier_at_its_cost(self):
        # alpha = c: d = 4 c, primal 2 c^2 + c (1 - 4 c), dual c - 2 c^2.
        c = Decimal(".125")
        proof = compared.prove(self.problem("rank", 0.125), [-c, c], [], {(1, 0): c})
        self.assertEqual((proof.gap, proof.dual), (0, c - 2 * c * c))
        weighted = self.problem("rank", 0.25, [0.25, 2.0])
        self.assertEqual(weighted.costs, {(1, 0): c})

    def test_thresholds_are_balanced_by_the_multiplier_that_serves_best(self):
        half, step = Decimal(".5"), Decimal("1e-20")
        proof = compared.prove(self.problem("ordinal"), [-half, half], [Decimal(0)],
                               {(1, 2): half, (2, 0): half + step})
        self.assertEqual((proof.dual, proof.moved), (half, step))

    def test_coefficients_that_do_not_follow_from_the_multipliers_count(self):
        step, quarter = Decimal("1e-20"), Decimal(".25")
        proof = compared.prove(self.problem("rank"), [-quarter, quarter + step], [],
                               {(1, 0): quarter})
        # f = (1/2 + step) x, so the comparison is met
        self.assertEqual(proof.gap, (quarter + quarter + step) ** 2 / 2 - quarter / 2)

    def test_multipliers_of_no_comparison_prove_nothing(self):
        proof = compared.prove(self.problem("rank"), [0, 0], [], {(0, 1): Decimal(1)})
        self.assertEqual(proof.gap, judge.INFINITY)


def write_model(path, header, blocks):
    """Writes a model file in the format of docs/adr/0008-model-file-2.md, without checksum."""
    table, content = [], b""
    for name, (code, values) in blocks.items():
        content += bytes(-len(content) % 64)
        table.append({"name": name, "type": {"d": "f64", "q": "i64"}[code], "count": len(values),
                      "offset": len(content)})
        content += struct.pack(f"<{len(values)}{code}", *values)
    text = json.dumps(header | {"blocks": table}).encode()
    head = b"MERCER\r\n" + struct.pack("<II", 2, len(text)) + text
    path.write_bytes(head + bytes(-len(head) % 64) + content)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.model = Path(folder.name) / "m.mercer"
        self.data = Path(folder.name) / "pair.svm"
        self.table = Path(folder.name) / "pair.csv"
        self.data.write_text("-1 1:-1\n1 1:1\n")
        self.table.write_text("x,y\n-1,-1\n1,1\n")

    def write(self, support, storage, **changes):
        sizes = {"outputs": 1, "coefficient_columns": 1, "rows": 2, "columns": 1,
                 "storage": storage}
        header = header_of("svc", PAIR_LABELS, columns=1, sizes=sizes) | changes
        write_model(self.model, header, support | {
            "support_rows": ("q", [1, 0]), "coefficients": ("d", [0.25, -0.25]),
            "intercepts": ("d", [0.0]), "certificates": ("d", [0.0, 0.0, 0.5] + [0.0] * 9)})

    def test_dense_and_sparse_models_are_read(self):
        dense = {"support_values": ("d", [1.0, -1.0])}
        sparse = {"support_offsets": ("q", [0, 1, 2]), "support_columns": ("q", [0, 0])} | dense
        for support, storage in ((dense, "f64"), (sparse, "csr")):
            for data in (self.data, self.table):
                self.write(support, storage)
                proof = exact_gap(self.model, data)
                self.assertEqual((proof.gap, proof.stated_gap), (Decimal(".75"), 0.5))

    def test_other_rows_than_those_of_the_training_are_refused(self):
        self.write({"support_values": ("d", [1.0, -1.5])}, "f64")
        with self.assertRaisesRegex(ValueError, "row 1 of the data"):
            exact_gap(self.model, self.data)

    def test_missing_weights_are_refused(self):
        self.write({"support_values": ("d", [1.0, -1.0])}, "f64", row_weights=True)
        with self.assertRaisesRegex(ValueError, "row weights"):
            exact_gap(self.model, self.data)


class Verdicts(unittest.TestCase):
    def violations(self, status, gap, stated, primal="1"):
        verdict = Verdict(0, "svc", 0, status, "", asked=1e-3)
        primal = Decimal(primal)
        judge_model(verdict, judge.Proof(Decimal(gap), primal, primal - Decimal(gap), Decimal(0),
                                         stated))
        return [line.split(":")[0] for line in verdict.violations]

    def test_a_gap_above_the_stated_one_is_a_violation(self):
        self.assertEqual(self.violations("converged", "1e-4", 1e-4), [])
        self.assertEqual(self.violations("converged", "1.0000000000000001e-4", 1e-4), ["stated"])

    def test_only_a_converged_model_must_have_what_was_asked_for(self):
        self.assertEqual(self.violations("converged", "2e-3", 3e-3), ["converged"])
        self.assertEqual(self.violations("reduced", "2e-3", 3e-3), [])
        self.assertEqual(self.violations("converged", "2e-3", 3e-3, "-10"), [])

    def test_a_converged_model_that_states_no_number_is_a_violation(self):
        self.assertEqual(self.violations("converged", "1e-4", float("nan")), ["stated"])
        self.assertEqual(self.violations("reduced", "Infinity", float("nan")), [])

    def test_problems_are_the_same_every_time(self):
        for number, machine in enumerate(MACHINES):
            problem = random_problem(5, number)
            self.assertEqual(problem, random_problem(5, number))
            self.assertEqual(problem.machine, machine)


if __name__ == "__main__":
    unittest.main()
