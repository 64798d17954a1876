# SPDX-License-Identifier: Apache-2.0
"""tests/cli/basis_test.py - mercer train --basis: f as a sum of few functions."""

import csv
import unittest

from program import ProgramTest


class BasisTest(ProgramTest):
    def setUp(self):
        super().setUp()
        for name, seed in (("moons.svm", 1), ("test.svm", 2)):
            made = self.run_program("data", "make", "moons", "--rows", 300, "--seed", seed,
                                    "-o", name)
            self.assertEqual(made.status, 0, made.err)

    def train(self, *options, data="moons.svm", status=0):
        done = self.run_program("train", data, "-o", "m.mercer", "--json", *options)
        self.assertEqual(done.status, status, done.err)
        return done.json() if status < 2 else done

    def test_a_model_of_few_functions_is_verified_and_predicts(self):
        for machine in ("l2-svc", "huber-svc", "klr", "ls-svc"):
            found = self.train("--model", machine, "--basis", 12, "--kernel", "rbf(gamma=1)")
            self.assertEqual(found["status"], "converged")
            self.assertLessEqual(found["certificate"]["relative_gap"], 1e-8)
            self.expect_fact("A18", "2 classes: support vectors of --basis 12",
                             found["support_vectors"])
            self.assertEqual(found["penalty"], "basis")
            self.assertGreaterEqual(found["whole_machine"]["gap"], 0.0)
            verified = self.run_program("verify", "m.mercer", "moons.svm", "--json")
            self.assertTrue(verified.json()["holds"], verified.out)
            scored = self.run_program("evaluate", "m.mercer", "test.svm", "--json").json()
            self.assertGreater(scored["accuracy"], 0.8)

    def test_the_curve_never_rises_and_ends_at_the_model(self):
        found = self.train("--model", "l2-svc", "--basis", 20, "--curve", "curve.csv",
                           "--validation", "test.svm")
        with open(self.path("curve.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), ["basis", "objective", "training_error", "seconds",
                                         "validation_error"])
        self.assertEqual([int(row["basis"]) for row in rows],
                         [point["basis"] for point in found["basis_curve"]])
        values = [float(row["objective"]) for row in rows]
        self.assertEqual(values, sorted(values, reverse=True))
        self.assertAlmostEqual(values[-1] / found["certificate"]["primal"], 1.0, places=9)
        for data, key in (("moons.svm", "training_error"), ("test.svm", "validation_error")):
            scored = self.run_program("evaluate", "m.mercer", data, "--json").json()
            self.assertAlmostEqual(float(rows[-1][key]), 1.0 - scored["accuracy"], places=12)

    def test_columns_may_be_the_basis(self):
        lines = [f"{t} 1:{t * 0.1} 2:{t * 2 + (i % 7) * 0.1} 3:{(i * 7) % 5}"
                 for i, t in enumerate([1, -1] * 40)]
        self.write("columns.svm", "\n".join(lines) + "\n")
        found = self.train("--model", "l2-svc", "--basis", 1, "--features", data="columns.svm")
        self.assertEqual(found["support_vectors"], 1)
        verified = self.run_program("verify", "m.mercer", "columns.svm", "--json")
        self.assertTrue(verified.json()["holds"], verified.out)
        predicted = self.run_program("evaluate", "m.mercer", "columns.svm", "--json").json()
        self.assertEqual(predicted["accuracy"], 1.0)

    def test_regressions_take_a_basis(self):
        made = self.run_program("data", "make", "sinc", "--rows", 200, "-o", "sinc.csv")
        self.assertEqual(made.status, 0, made.err)
        for machine in ("krr", "l2-svr"):
            found = self.train("--model", machine, "--basis", 15, data="sinc.csv")
            self.assertLessEqual(found["support_vectors"], 15)
            self.assertLess(found["basis_curve"][-1]["training_error"], 0.2)
            verified = self.run_program("verify", "m.mercer", "sinc.csv", "--json")
            self.assertTrue(verified.json()["holds"], verified.out)

    def test_many_classes_have_a_basis_each(self):
        lines = [f"{c} 1:{(c % 3) * 2 + (i % 11) * 0.1} 2:{(c // 2) * 2 + (i % 7) * 0.15}"
                 for i in range(40) for c in (0, 1, 2, 3)]
        self.write("four.svm", "\n".join(lines) + "\n")
        for way, machines in (("ovo", 6), ("ovr", 4)):
            found = self.train("--model", "l2-svc", "--basis", 8, "--multiclass", way,
                               "--kernel", "rbf(gamma=1)", data="four.svm")
            self.assertEqual(len(found["certificates"]), machines)
            self.assertLessEqual(found["support_vectors"], 8 * machines)
            self.assertLess(found["basis_curve"][-1]["training_error"], 0.05)
            verified = self.run_program("verify", "m.mercer", "four.svm", "--json")
            self.assertTrue(verified.json()["holds"], verified.out)

    def test_the_tolerance_ends_the_choice(self):
        found = self.train("--model", "l2-svc", "--basis", 300, "--basis-tolerance", 0.1)
        self.assertEqual(found["basis_end"], "tolerance")
        self.assertLess(found["support_vectors"], 150)

    def test_machines_without_a_curvature_say_which_take_it(self):
        for machine in ("svc", "nu-svc", "one-class", "svr", "perceptron"):
            refused = self.train("--model", machine, "--basis", 5, status=2)
            self.assertIn(f"basis: {machine} does not take it; these do: l2-svr, l2-svc",
                          refused.err)
        for options in (("--curve", "c.csv"), ("--features",), ("--basis-tolerance", 0.1),
                        ("--validation", "test.svm")):
            self.assertIn("--basis N asks for one", self.train("--model", "l2-svc", *options,
                                                               status=2).err)
        self.train("--model", "l2-svc", "--basis", 5, "--penalty", "l1", status=2)

    def test_the_plan_has_the_bytes_of_the_basis(self):
        planned = self.train("--model", "l2-svc", "--basis", 50, "--dry-run")
        self.assertEqual(planned["plan"]["matrix_bytes"], 300 * 50 * 8)
        self.assertGreater(planned["plan"]["needed_bytes"], 300 * 50 * 8)

    def test_a_run_that_is_stopped_leaves_an_honest_model(self):
        found = self.train("--model", "l2-svc", "--basis", 250, "--max-iterations", 9, status=1)
        self.assertEqual(found["status"], "iteration-limit")
        self.assertEqual(found["basis_end"], "stopped")
        self.assertLess(found["support_vectors"], 250)
        verified = self.run_program("verify", "m.mercer", "moons.svm", "--json")
        self.assertTrue(verified.json()["holds"], verified.out)


if __name__ == "__main__":
    unittest.main()
