# SPDX-License-Identifier: Apache-2.0
"""tests/cli/device_test.py - whole machines on every device give the same predictions and proofs."""

import unittest

from program import ProgramTest

DEVICES = ["cpu", "reference"]
TOLERANCE = 1e-10

# Machines with results that are exact up to rounding: float64 throughout, or at the end.
MACHINES = [
    ("classes.csv", ["--model", "svc", "--solver", "active-set", "--kernel", "rbf(gamma=0.7)"]),
    ("classes.csv", ["--model", "svc", "--solver", "active-set", "--kernel", "linear"]),
    ("classes.csv", ["--model", "klr", "--kernel", "rbf(gamma=0.7)", "--gap-tolerance", "1e-13"]),
    ("classes.csv", ["--model", "ls-svc", "--kernel", "poly(degree=2)"]),
    ("values.csv", ["--model", "krr", "--kernel", "matern(nu=1.5, length=1)", "--alpha", "0.1"]),
    ("values.csv", ["--model", "ridge", "--alpha", "0.1"]),
    ("values.csv", ["--model", "least-squares"]),
    ("values.csv", ["--model", "svr", "--solver", "active-set", "--kernel", "rbf(gamma=0.7)"]),
]


class DeviceTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.make_data("classes.csv", "moons", rows=90, seed=3, noise=0.2)
        self.make_data("values.csv", "friedman1", rows=80, seed=4)

    def decisions(self, data, machine, device):
        """Trains, verifies and predicts on one device."""
        common = ["--device", device]
        trained = self.expect(self.run_program("train", data, "-o", "m.mercer", "--json", *machine,
                                               *common), 0).json()
        self.assertEqual(trained["status"], "converged")
        checked = self.expect(self.run_program("verify", "m.mercer", data, "--json", *common), 0)
        self.assertTrue(checked.json()["holds"])
        self.expect(self.run_program("predict", "m.mercer", data, "--output", "decision", "-o",
                                     "out.csv", *common), 0)
        values = []
        for line in (self.folder / "out.csv").read_text().splitlines():
            try:
                values.append([float(word) for word in line.split(",")])
            except ValueError:
                self.assertEqual(values, [], "only a heading is no number")
        return values

    def test_every_device_trains_verifies_and_predicts_alike(self):
        for data, machine in MACHINES:
            first = None
            for device in DEVICES:
                with self.subTest(machine=machine, device=device):
                    values = self.decisions(data, machine, device)
                    self.assertGreaterEqual(len(values), 80)
                    first = first or values
                    for ours, theirs in zip(values, first, strict=True):
                        for a, b in zip(ours, theirs, strict=True):
                            self.assertLessEqual(abs(a - b), TOLERANCE * (1 + abs(b)))

    def test_coordinate_solvers_reach_the_same_objective(self):
        for solver in ("smo", "decomposition"):
            objectives = []
            for device in DEVICES:
                trained = self.expect(self.run_program(
                    "train", "classes.csv", "-o", "m.mercer", "--json", "--kernel", "rbf(gamma=0.7)",
                    "--solver", solver, "--gap-tolerance", "1e-7", "--device", device), 0).json()
                self.assertLessEqual(trained["certificate"]["relative_gap"], 1e-7)
                objectives.append(trained["certificate"]["primal"])
            self.assertLessEqual(abs(objectives[0] - objectives[1]), 2e-7 * abs(objectives[0]))

    def test_a_gram_matrix_is_the_same_on_every_device(self):
        tables = []
        for device in ["auto", *DEVICES]:
            self.expect(self.run_program("kernel", "gram", "rbf(gamma=0.7)", "classes.csv", "-o",
                                         "k.csv", "--device", device), 0)
            tables.append([[float(word) for word in line.split(",")]
                           for line in (self.folder / "k.csv").read_text().splitlines()])
        self.assertEqual(tables[0], tables[1])
        for ours, theirs in zip(tables[1], tables[2], strict=True):
            for a, b in zip(ours, theirs, strict=True):
                self.assertLessEqual(abs(a - b), TOLERANCE)

    def test_doctor_lists_the_devices(self):
        report = self.expect(self.run_program("doctor", "--json"), 0).json()
        self.assertEqual(sorted(report["devices"]), DEVICES)
        text = self.expect(self.run_program("doctor"), 0).out
        for device in DEVICES:
            self.assertIn(f"device     {device}: ", text)

    def test_a_device_that_is_not_there_is_refused_with_those_that_are(self):
        refused = self.expect(self.run_program("data", "info", "classes.csv", "--device", "cuda"), 2)
        self.assertIn("--device: got 'cuda', must be one of auto, cpu, reference", refused.err)


if __name__ == "__main__":
    unittest.main()
