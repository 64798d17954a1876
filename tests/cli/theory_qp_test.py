# SPDX-License-Identifier: Apache-2.0
"""tests/cli/theory_qp_test.py - quadratic programs by the program: solutions, proofs, refusals."""

import json
import unittest

from program import ProgramTest


class QuadraticProgramTest(ProgramTest):
    def example(self, name, *options, status=0):
        self.expect(self.run_program("theory", "qp", "--example", name, "-o", "qp.json", "-q"), 0)
        return self.expect(self.run_program("theory", "qp", "qp.json", "--json", *options),
                           status).json()

    def solve(self, program, *options, status=0):
        self.write("qp.json", json.dumps(program))
        return self.expect(self.run_program("theory", "qp", "qp.json", "--json", *options),
                           status).json()

    def test_one_bound_has_alpha_one_and_both_values_one_half(self):
        found = self.example("toy")
        self.assertEqual(found["class"], "quadratic program")
        self.assertEqual(found["status"], "optimal")
        self.expect_fact("O07", "primal value", found["primal"])
        self.expect_fact("O07", "command: dual value", found["dual"])
        self.expect_fact("O07", "command: alpha", found["alpha"][0])
        self.assertAlmostEqual(found["explicit_dual"]["value"], 0.5, delta=1e-14)
        self.assertAlmostEqual(found["dual_function"], 0.5, delta=1e-14)
        self.assertTrue(found["slater"]["holds"])
        self.assertTrue(found["saddle_point"]["holds"])
        self.assertTrue(found["chords"]["convex"])
        self.assertLessEqual(max(found["kkt"].values()), 1e-14)

    def test_the_optimal_set_of_the_pair_is_an_interval(self):
        found = self.example("pair", "--optimal-set")
        self.expect_fact("O09", "PAIR, C = 0.25: interval of b", found["optimal_set"][1])
        self.assertAlmostEqual(found["primal"], 0.375, delta=1e-13)

    def test_a_machine_and_its_dual_have_opposite_values(self):
        primal, dual = self.example("pair"), self.example("pair-dual")
        self.assertAlmostEqual(primal["primal"], -dual["primal"], delta=1e-13)
        for a, b in zip(primal["alpha"], dual["x"]):
            self.assertAlmostEqual(a, b, delta=1e-12)

    def test_a_linear_program_is_told_by_its_numbers(self):
        found = self.example("linear")
        self.assertEqual(found["class"], "linear program")
        self.assertAlmostEqual(found["primal"], -5.0, delta=1e-12)
        self.assertEqual(self.solve({"K": [[2]], "c": [1]})["class"], "unconstrained")

    def test_contradictions_and_rays_are_answers_with_a_proof(self):
        found = self.example("infeasible")
        self.assertEqual(found["status"], "infeasible")
        proof = found["farkas"]
        # alpha (x + 1) + alpha (-x + 1) <= 0: x cancels.
        self.assertAlmostEqual(proof["alpha"][0], proof["alpha"][1], delta=1e-12)
        self.assertGreater(proof["value"], 0.0)
        self.assertLessEqual(proof["residual"], 1e-12)
        found = self.example("unbounded")
        self.assertEqual(found["status"], "unbounded")
        self.assertLess(found["ray"]["slope"], 0.0)
        self.assertAlmostEqual(found["ray"]["v"][0], 0.0, delta=1e-9)

    def test_without_slater_the_multipliers_are_still_found_and_said(self):
        found = self.example("no-slater")
        self.assertFalse(found["slater"]["holds"])
        self.assertEqual(found["status"], "optimal")
        self.assertAlmostEqual(found["x"][0], 0.0, delta=1e-12)
        self.assertAlmostEqual(found["alpha"][0] - found["alpha"][1], 1.0, delta=1e-12)

    def test_what_is_not_convex_is_shown_and_not_solved(self):
        found = self.example("not-convex", status=1)
        self.assertFalse(found["convex"])
        self.assertNotIn("x", found)
        v = found["witness"]["v"]  # v'Kv of K = [[1, 2], [2, 1]]
        self.assertAlmostEqual(v[0] * v[0] + 4 * v[0] * v[1] + v[1] * v[1], -1.0, delta=1e-12)
        self.assertFalse(found["chords"]["convex"])
        a, b, t = (found["chords"][key] for key in "abt")
        value = lambda x: 0.5 * (x[0] ** 2 + 4 * x[0] * x[1] + x[1] ** 2)
        between = [t * p + (1 - t) * q for p, q in zip(a, b)]
        self.assertGreater(value(between), t * value(a) + (1 - t) * value(b))

    def test_a_given_point_is_checked_instead(self):
        found = self.example("wrong-point", status=1)
        self.assertFalse(found["optimal"])
        self.assertEqual(found["gap"], 2.0)
        self.assertEqual(found["kkt"]["complementarity"], 2.0)
        right = {"K": [[1]], "c": [0], "A": [[-1]], "d": [1], "x": [1.0], "alpha": [1.0]}
        self.assertTrue(self.solve(right)["optimal"])
        right["x"] = [1.001]
        self.assertFalse(self.solve(right, status=1)["optimal"])
        self.assertTrue(self.solve(right, "--tolerance", "0.01")["optimal"])

    def test_equations_and_bounds_have_their_multipliers(self):
        # min (x^2 + y^2)/2 with x + y = 1, y <= 1/4: x = 3/4, nu = -3/4, alpha_upper = 1/2.
        found = self.solve({"K": [[1, 0], [0, 1]], "E": [[1, 1]], "e": [1], "upper": [None, 0.25]})
        for got, wanted in zip(found["x"] + found["nu"] + found["alpha_upper"],
                               [0.75, 0.25, -0.75, 0.0, 0.5]):
            self.assertAlmostEqual(got, wanted, delta=1e-12)

    def test_matrices_may_be_files(self):
        self.write("points.csv", "1,0\n0,1\n1,1\n")
        self.expect(self.run_program("kernel", "gram", "linear", "points.csv", "--target", "none",
                                     "-o", "K.npy", "-q"), 0)
        found = self.solve({"K": "K.npy", "c": [-1, -1, -1]})
        # K x = (1, 1, 1) has no solution: K has rank two, so the objective is unbounded below.
        self.assertEqual(found["status"], "unbounded")
        found = self.solve({"K": "K.npy", "c": [-1, -1, -2]})
        self.assertEqual(found["status"], "optimal")
        self.assertAlmostEqual(found["primal"], -1.0, delta=1e-12)

    def test_files_that_are_no_program_are_refused_with_the_place(self):
        for text, message in [
                ("", "qp.json:1:1: "),
                ("[1]", "qp.json:1:1: must be an object with the keys K, c, A"),
                ('{"K": [[1]],\n "c": [0,}', "qp.json:2:10: syntax error"),
                ('{"A": [[1]], "d": [1]}', "qp.json: needs c or K, or both"),
                ('{"c": []}', "qp.json: c: is empty"),
                ('{"c": [1], "B": [2]}', "qp.json: B: no such key; the keys are K, c,"),
                ('{"c": [1], "c": [2]}', "qp.json: c: stands twice"),
                ('{"c": [1, "two"]}', 'qp.json: c[1]: got "two", must be a number'),
                ('{"c": [1], "A": [[1]]}', "qp.json: A: needs d beside it"),
                ('{"c": [1], "e": [1]}', "qp.json: e: needs E beside it"),
                ('{"c": [1], "A": [[1], [1, 2]], "d": [0, 0]}',
                 "qp.json: A[1]: has 2 entries, must have 1"),
                ('{"c": [1], "A": [[1]], "d": [0, 0]}', "qp.json: d: has 2 entries, must have 1"),
                ('{"c": [1, 2], "K": [[1, 2], [3, 1]]}',
                 "qp.json: K[1][0]: got 3, must be equal to K[0][1], which is 2"),
                ('{"c": [1, 2], "K": [[1, 2]]}', "qp.json: K: has 1 rows, must have 2"),
                ('{"c": [1], "K": 3}', "qp.json: K: must be a list of rows, or the name"),
                ('{"c": [1], "lower": ["a"]}', 'qp.json: lower[0]: got "a", must be a number'),
                ('{"c": [1], "alpha": []}', "qp.json: alpha: needs x beside it"),
                ('{"c": [1], "x": [1, 2]}', "qp.json: x: has 2 entries, must have 1"),
                ('{"c": [1e999]}', "qp.json: number overflow")]:
            with self.subTest(text=text):
                self.write("qp.json", text)
                outcome = self.expect(self.run_program("theory", "qp", "qp.json"), 3)
                self.assertIn("error: " + message, outcome.err)
                self.assertEqual(outcome.out, "")

    def test_usage_is_refused(self):
        for arguments in [(), ("qp.json", "--example", "toy"), ("--example", "no-such"),
                          ("qp.json", "-o", "x.json")]:
            with self.subTest(arguments=arguments):
                self.expect(self.run_program("theory", "qp", *arguments), 2)
        self.expect(self.run_program("theory", "qp", "missing.json"), 3)

    def test_a_time_limit_is_a_status(self):
        n = 300
        program = {"K": [[float(i == j) for j in range(n)] for i in range(n)],
                   "c": [-1.0 - i % 7 for i in range(n)], "upper": [0.5] * n, "lower": [0.0] * n}
        self.write("qp.json", json.dumps(program))
        outcome = self.run_program("theory", "qp", "qp.json", "--time-limit", "0.001")
        self.assertEqual(outcome.status, 1, outcome.err)


class MachineClassTest(ProgramTest):
    def test_inspect_says_the_class_of_a_models_problem(self):
        self.make_data("classes.csv", rows=30)
        self.make_data("numbers.csv", "sinc", rows=30)
        for fact, data, options in [
                ("svc", "classes.csv", ["--model", "svc"]),
                ("l2-svc", "classes.csv", ["--model", "l2-svc"]),
                ("klr", "classes.csv", ["--model", "klr"]),
                ("krr without intercept", "numbers.csv", ["--model", "krr", "--no-intercept"]),
                ("squared loss with l1", "numbers.csv", ["--model", "krr", "--penalty", "l1"]),
                ("logistic loss with l1", "classes.csv", ["--model", "klr", "--penalty", "l1"])]:
            self.expect(self.run_program("train", data, *options, "-o", "m.mercer", "-q"), 0)
            found = self.expect(self.run_program("inspect", "m.mercer", "--json"), 0).json()
            classes = found["problem_class"]
            self.expect_fact("O08", fact, f"{classes['primal']} / {classes['dual']}")
            text = self.expect(self.run_program("inspect", "m.mercer"), 0).out
            self.assertIn(f"solves       {classes['primal']}; dual: {classes['dual']}\n", text)


if __name__ == "__main__":
    unittest.main()
