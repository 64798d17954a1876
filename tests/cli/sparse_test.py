# SPDX-License-Identifier: Apache-2.0
"""tests/cli/sparse_test.py - sparse models through the program: proof, file, refusals, Ctrl-C."""

import math
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ProgramTest

PAIR = "-1 1:-1\n+1 1:1\n"
COLUMN_MACHINES = ("least-squares", "logistic")
MACHINES = ("l2-svr", "l2-svc", "huber-svc", "klr", "krr", "ls-svc")


class SparseTest(ProgramTest):
    def moons(self, rows=300, noise=0.2):
        done = self.run_program("data", "make", "moons", "--rows", rows, "--noise", noise,
                                "--seed", 1, "-o", "moons.svm")
        self.assertEqual(done.status, 0, done.err)
        return "moons.svm"

    def train(self, data, *arguments, status=0):
        done = self.run_program("train", data, "-o", "m.mercer", "--json", *arguments)
        self.assertEqual(done.status, status, done.err)
        return done.json() if status in (0, 1) else done.err

    def test_the_pair_has_its_known_objective(self):
        data = self.write("pair.svm", PAIR)
        report = self.train(data, "--model", "l2-svc", "--kernel", "linear", "--penalty", "l1",
                            "-C", 1, "--gap-tolerance", 1e-10)
        self.expect_fact("S15", "PAIR, C = 1: objective", report["certificate"]["primal"])
        self.expect_fact("S15", "PAIR, C = 1: dual value", report["certificate"]["dual"])
        report = self.train(data, "--model", "l2-svc", "--kernel", "linear", "--penalty",
                            "l1+rkhs", "--l1", 0.5, "-C", 1, "--gap-tolerance", 1e-10)
        # s = 1/2: 0.5 * 0.5 + 0.5 * 0.25 + 0.25
        self.expect_fact("S16", "PAIR, C = 1, lambda = 0.5: objective",
                         report["certificate"]["primal"])
        report = self.train(data, "--model", "l2-svc", "--kernel", "linear", "--penalty", "l1",
                            "-C", 0.5)
        self.assertEqual(report["nonzero_coefficients"], 0)
        self.assertEqual(report["support_vectors"], 0)

    def test_every_machine_trains_verifies_and_predicts(self):
        data = self.moons()
        for penalty in ("l1", "l1+rkhs"):
            for machine in MACHINES:
                with self.subTest(machine=machine, penalty=penalty):
                    report = self.train(data, "--model", machine, "--penalty", penalty,
                                        "--kernel", "rbf(gamma=2)", "-C", 5)
                    self.assertEqual(report["status"], "converged")
                    self.assertEqual(report["solver"], "l1-descent")
                    self.assertEqual((report["penalty"], report["l1"]), (penalty, 1.0))
                    self.assertEqual(report["bounded_support_vectors"], 0)
                    self.assertLess(report["support_vectors"], 60)
                    seen = self.run_program("inspect", "m.mercer", "--json").json()
                    self.assertEqual((seen["penalty"], seen["l1"]), (penalty, 1.0))
                    self.assertEqual(seen["nonzero_coefficients"],
                                     report["nonzero_coefficients"])
                    self.assertIn("nonzero coefficients",
                                  self.run_program("inspect", "m.mercer").out)
                    self.assertEqual(self.run_program("verify", "m.mercer", data).status, 0)
                    measured = self.run_program("evaluate", "m.mercer", data, "--json").json()
                    if "accuracy" in measured:
                        self.assertGreater(measured["accuracy"], 0.94)
                    else:
                        self.assertGreater(measured["r2"], 0.7)

    def test_logistic_regression_of_one_column_has_its_closed_form(self):
        # l1 |w| + 2 C log(1 + exp(-w)) is minimal at w = log(2 C / l1 - 1).
        data = self.write("pair.svm", PAIR)
        report = self.train(data, "--model", "logistic", "--penalty", "l1", "--l1", 0.5, "-C", 1,
                            "--gap-tolerance", 1e-14)
        w = math.log(3)
        self.assertAlmostEqual(report["weights"][0], w, delta=1e-6)
        self.assertAlmostEqual(report["certificate"]["primal"], 0.5 * w + 2 * math.log(4 / 3),
                               delta=1e-12)
        report = self.train(data, "--model", "logistic", "--penalty", "l1")
        self.assertEqual(report["weights"], [0.0])

    def test_machines_on_columns_train_verify_and_predict(self):
        lines = ["a,b,c,y"]
        for i in range(120):
            a, b, c = (math.sin(1.3 * i), math.cos(2.1 * i), math.sin(0.7 * i + 1))
            lines.append(f"{a!r},{b!r},{c!r},{int(a + 0.3 * math.sin(5.1 * i) > 0)}")
        data = self.write("rows.csv", "\n".join(lines) + "\n")
        for model in COLUMN_MACHINES:
            for penalty in ("l1", "l1+rkhs"):
                for more in ((), ("--no-intercept",), ("--scale", "standard")):
                    with self.subTest(model=model, penalty=penalty, more=more):
                        report = self.train(data, "--model", model, "--penalty", penalty, "--l1", 6,
                                            *more)
                        self.assertEqual((report["status"], report["solver"]),
                                         ("converged", "l1-descent"))
                        self.assertEqual((report["penalty"], report["l1"]), (penalty, 6.0))
                        self.assertLessEqual(report["certificate"]["relative_gap"], 1e-8)
                        used = [w != 0 for w in report["weights"]]
                        self.assertEqual((used[0], all(used)), (True, False))
                        self.assertEqual(report["nonzero_coefficients"], sum(used))
                        self.assertEqual(self.run_program("verify", "m.mercer", data).status, 0)
                        self.assertIn(f"{sum(used)} of 3 columns have a weight",
                                      self.run_program("inspect", "m.mercer").out)
        self.train(data, "--model", "logistic", "--penalty", "l1", "--l1", 6)
        done = self.run_program("predict", "m.mercer", data, "--output", "probability", "-o", "-")
        self.assertEqual(done.status, 0, done.err)
        self.assertEqual(len(done.out.split()), 120)
        measured = self.run_program("evaluate", "m.mercer", data, "--json").json()
        self.assertGreater(measured["accuracy"], 0.85)
        done = self.run_program("train", data, "-o", "n.mercer", "--model", "logistic", "--penalty",
                                "l1", "--dry-run", "--json")
        self.assertEqual(done.status, 0, done.err)
        self.assertEqual(done.json()["solver"], "l1-descent")

    def test_a_sparse_machine_has_fewer_support_vectors_and_is_as_good(self):
        data = self.moons()
        usual = self.train(data, "--model", "l2-svc", "--kernel", "rbf(gamma=2)", "-C", 10)
        self.assertEqual(usual["penalty"], "rkhs")
        self.assertNotIn("l1", usual)
        few = self.train(data, "--model", "l2-svc", "--kernel", "rbf(gamma=2)", "-C", 10,
                         "--penalty", "l1")
        self.assertLess(few["support_vectors"], usual["support_vectors"] / 3)

    def test_the_weight_is_chosen_by_select(self):
        data = self.moons(rows=120)
        done = self.run_program("select", data, "-o", "m.mercer", "--model", "l2-svc", "--penalty",
                                "l1", "--kernel", "rbf(gamma=2)", "--grid", "l1=0.1,1,1000",
                                "--folds", 3, "--json")
        self.assertEqual(done.status, 0, done.err)
        self.assertIn(done.json()["best"]["l1"], (0.1, 1.0))

    def test_the_hinge_is_a_linear_programme_with_a_proof_that_verifies(self):
        data = self.moons(rows=80)
        report = self.train(data, "--model", "svc", "--penalty", "l1", "--kernel", "rbf(gamma=2)",
                            "-C", 5)
        self.assertEqual(report["solver"], "linear-program")
        self.assertLess(report["certificate"]["relative_gap"], 1e-9)
        self.assertLess(report["support_vectors"], 40)
        self.assertEqual(self.run_program("verify", "m.mercer", data).status, 0)

    def test_the_hinge_tells_three_classes_apart(self):
        self.write("three.csv", "a,b,y\n" + "".join(
            f"{0.37 * (i % 7)},{0.23 * (i * i % 11)},{i % 3}\n" for i in range(45)))
        for way in ("ovo", "ovr"):
            with self.subTest(way=way):
                report = self.train("three.csv", "--model", "svc", "--penalty", "l1", "--kernel",
                                    "rbf(gamma=2)", "--multiclass", way)
                self.assertEqual(report["status"], "converged")
                self.assertEqual(self.run_program("verify", "m.mercer", "three.csv").status, 0)

    def test_what_does_not_fit_is_refused_with_names_that_do(self):
        data = self.moons(rows=40)
        for arguments, words in [
                (("--model", "nu-svc", "--penalty", "l1"), "these do: svc, " +
                 ", ".join(MACHINES + COLUMN_MACHINES)),
                (("--model", "svc", "--penalty", "l1+rkhs"), "svc takes l1"),
                (("--model", "svc", "--penalty", "l1", "--solver", "l1-descent"), "linear-program"),
                (("--model", "ridge", "--penalty", "l1"), "ridge does not take l1"),
                (("--model", "logistic", "--penalty", "l1", "--kernel", "rbf(gamma=1)"),
                 "logistic is linear"),
                (("--model", "logistic", "--penalty", "l1", "--solver", "newton"), "l1-descent"),
                (("--model", "logistic", "--penalty", "l1", "--lambda", 0), "lambda: got 0"),
                (("--model", "logistic", "--penalty", "l1", "--l1", 0), "got 0"),
                (("--model", "l2-svc", "--penalty", "l2"), "must be one of rkhs, l1, l1+rkhs"),
                (("--model", "l2-svc", "--l1", 1), "belongs to the penalties"),
                (("--model", "l2-svc", "--penalty", "l1", "--l1", 0), "got 0"),
                (("--model", "l2-svc", "--penalty", "l1", "--l1", -1), "-1"),
                (("--model", "l2-svc", "--penalty", "l1", "--solver", "smo"), "l1-descent"),
                (("--model", "klr", "--penalty", "l1", "--loo"), "leave_one_out"),
                (("--model", "klr", "--penalty", "l1", "--multiclass", "softmax"), "ovo or ovr"),
                (("--model", "l2-svc", "--penalty", "l1", "--checkpoint", "c"), "checkpoint"),
                (("--model", "nu-svc", "--penalty", "l1", "--dry-run"), "nu-svc does not take l1"),
        ]:
            with self.subTest(arguments=arguments):
                self.assertIn(words, self.train(data, *arguments, status=2))

    def test_a_small_budget_is_enough(self):
        data = self.moons(rows=2000)
        report = self.train(data, "--model", "l2-svc", "--penalty", "l1", "--kernel",
                            "rbf(gamma=2)", "--memory", "8M")
        self.assertEqual(report["status"], "converged")

    def test_ctrl_c_leaves_a_model_with_the_gap_it_has(self):
        data = self.moons(rows=3000, noise=0.6)
        process = subprocess.Popen(
            [PROGRAM, "train", data, "-o", "m.mercer", "--model", "klr", "--penalty", "l1", "--l1",
             "1e-4", "--kernel", "rbf(gamma=50)", "-C", "100", "--gap-tolerance", "1e-13"],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1.5)
        self.assertIsNone(process.poll(), "the work was over before the signal")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, err)
        self.assertIn("interrupted", out + err)
        verified = self.run_program("verify", "m.mercer", data, "--json")
        self.assertEqual(verified.status, 0, verified.out)


if __name__ == "__main__":
    unittest.main()
