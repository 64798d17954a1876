# SPDX-License-Identifier: Apache-2.0
"""The counters of the solvers: kernel rows, products, memory; and the options of the duals."""

import json
import unittest

from program import ProgramTest


class ToldTest(ProgramTest):
    def told(self, *words):
        return json.loads(self.expect(self.run_program(*words, "--json"), 0).out)


class CountersTest(ToldTest):
    def compare(self, model, rows, *words):
        data = self.path("moons.svm")
        self.expect(self.run_program("data", "make", "moons", "--rows", str(rows), "--seed", "3",
                                     "-o", data), 0)
        told = self.told("compare", data, "--model", model, "-j", 1, "--kernel", "rbf(gamma=2)",
                         *words)
        return {run["solver"]: run for run in told["solvers"]}

    def test_every_solver_counts_its_work(self):
        idle = 0
        for model in ("svc", "nu-svc", "svr", "l2-svc", "klr", "krr"):
            for run in self.compare(model, 120).values():
                idle += run["kernel_rows"] + run["products"] == 0 or run["memory_bytes"] == 0
        self.expect_fact("A21", "six machines: solvers that count nothing", idle)

    def test_a_factor_takes_the_square_of_the_rows_and_products_do_not(self):
        small = self.compare("krr", 800, "--solvers", "cholesky,conjugate-gradient")
        large = self.compare("krr", 1600, "--solvers", "cholesky,conjugate-gradient")

        def growth(solver):
            return large[solver]["memory_bytes"] / small[solver]["memory_bytes"]

        self.expect_fact("A21", "krr, rows doubled: memory of cholesky", growth("cholesky"))
        self.expect_fact("A21", "krr, rows doubled: memory of conjugate gradients",
                         growth("conjugate-gradient"))
        self.expect_fact("A21", "krr, 1600 rows: memory of cholesky over 8 n^2",
                         large["cholesky"]["memory_bytes"] / (8.0 * 1600 ** 2))

    def test_train_tells_them(self):
        data = self.path("moons.svm")
        self.expect(self.run_program("data", "make", "moons", "--rows", "120", "-o", data), 0)
        model = self.path("moons.mercer")
        told = self.told("train", data, "-o", model, "--solver", "smo")
        self.assertGreater(told["kernel_rows"], 0)
        self.assertGreater(told["memory_bytes"], 0)
        self.assertEqual(told["products"], 0)  # smo uses rows; certificates do not count as its
                                               # work
        page = self.run_program("train", data, "-o", model, "--solver", "smo", "-v")
        self.assertIn(f"work: {told['kernel_rows']} kernel rows, 0 products", page.err)

    def test_the_table_of_compare_has_them(self):
        data = self.path("moons.svm")
        self.expect(self.run_program("data", "make", "moons", "--rows", "120", "-o", data), 0)
        table = self.expect(self.run_program("compare", data), 0).out.splitlines()
        for word in ("iterations", "rows", "products", "memory", "gap"):
            self.assertIn(word, table[0].split())


class DualChoicesTest(ToldTest):
    def setUp(self):
        super().setUp()
        self.data = self.path("moons.svm")
        self.model = self.path("moons.mercer")
        self.expect(self.run_program("data", "make", "moons", "--rows", "200", "-o", self.data), 0)

    def train(self, *words):
        return self.told("train", self.data, "-o", self.model, "--kernel", "rbf(gamma=2)",
                             *words)

    def test_a_selection_names_smo_and_a_pricing_the_active_set(self):
        self.assertEqual(self.train("--selection", "maximal-violating")["solver"], "smo")
        self.assertEqual(self.train("--selection", "second-order")["solver"], "smo")
        self.assertEqual(self.train("--pricing", "cyclic")["solver"], "active-set")
        self.assertGreater(
            self.train("--selection", "maximal-violating", "-C", "100")["iterations"],
            self.train("--selection", "second-order", "-C", "100")["iterations"])

    def test_a_polish_goes_to_the_last_digits_after_any_solver(self):
        for model, solver in (("svc", "smo"), ("svc", "decomposition"), ("l2-svc", "lbfgs"),
                              ("huber-svc", "finite-newton"), ("nu-svc", "decomposition")):
            told = self.train("--model", model, "--solver", solver, "--polish")
            self.assertEqual(told["solver"], solver)
            self.assertEqual(told["status"], "converged")
            self.assertLessEqual(told["certificate"]["relative_gap"], 1e-12)
            self.expect(self.run_program("verify", self.model, self.data), 0)

    def test_what_does_not_fit_is_refused_by_name(self):
        for words, said in (
                (("--model", "klr", "--polish"), "polish: belongs to duals with a box; klr"),
                (("--solver", "decomposition", "--selection", "second-order"),
                 "selection: belongs to smo, not to decomposition"),
                (("--model", "nu-svc", "--selection", "second-order"), "selection: belongs to smo"),
                (("--solver", "smo", "--pricing", "worst"), "pricing: belongs to active-set"),
                (("--penalty", "l1", "--polish"), "polish: belongs to duals with a box; svc with"),
                (("--selection", "best"), "selection: got 'best'")):
            page = self.run_program("train", self.data, "-o", self.model, *words)
            self.assertEqual(page.status, 2, page.err)
            self.assertIn(said, page.err)


if __name__ == "__main__":
    unittest.main()
