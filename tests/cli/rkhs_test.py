# SPDX-License-Identifier: Apache-2.0
"""tests/cli/rkhs_test.py - kernels and their spaces through the program: distances, norms, series."""

import math
import random
import unittest

from program import ProgramTest


def lines_of(rows):
    return "".join(",".join(repr(value) for value in row) + "\n" for row in rows)


def random_rows(count, columns, seed):
    stream = random.Random(seed)
    return [[stream.gauss(0.0, 1.0) for _ in range(columns)] for _ in range(count)]


class RkhsTestCase(ProgramTest):
    def run_json(self, *arguments, status=0):
        return self.expect(self.run_program(*arguments, "--json"), status).json()

    def matrix(self, *arguments):
        """Numbers of CSV text on standard output."""
        done = self.expect(self.run_program(*arguments, "-o", "-", "-q"), 0)
        return [[float(word) for word in line.split(",")] for line in done.out.splitlines()]

    def refused(self, status, message, *arguments):
        done = self.expect(self.run_program(*arguments), status)
        self.assertIn(message, done.err)
        self.assertEqual(done.out, "")


class KernelTest(RkhsTestCase):
    def test_gram_values_are_those_of_the_formula_and_symmetric(self):
        self.write("points.csv", "1,2\n3,1\n")
        gram = self.matrix("kernel", "gram", "monomial(degree=2)", "points.csv",
                           "--target", "none")
        self.expect_fact("K03", "x=(1,2), z=(3,1), d=2", gram[0][1])
        self.write("random.csv", lines_of(random_rows(12, 3, 1)))
        gram = self.matrix("kernel", "gram", "rbf(gamma=0.3) + poly(degree=3)", "random.csv",
                           "--target", "none")
        self.expect_fact("K20", "random rows: largest |K_ij - K_ji|",
                         max(abs(gram[i][j] - gram[j][i]) for i in range(12) for j in range(12)))

    def test_a_point_at_the_end_makes_the_bridge_singular(self):
        self.write("unit.csv", "0\n0.25\n0.5\n")
        report = self.run_json("kernel", "check", "brownian-bridge", "unit.csv",
                               "--target", "none")
        self.expect_fact("K11", "points 0, 0.25, 0.5: rank of the Gram matrix", report["rank"])
        self.assertTrue(report["holds"])
        self.assertFalse(report["positive_definite"])

    def test_a_precomputed_matrix_gives_the_same_machine(self):
        rows = random_rows(30, 2, 5)
        targets = [math.sin(x) + z for x, z in rows]
        self.write("rows.csv", lines_of([[*row, y] for row, y in zip(rows, targets)]))
        kernel = "rbf(gamma=0.7)"
        gram = self.matrix("kernel", "gram", kernel, "rows.csv")
        self.write("values.csv", lines_of([[*row, y] for row, y in zip(gram, targets)]))
        decisions = []
        for name, data in ((kernel, "rows.csv"), ("precomputed", "values.csv")):
            self.expect(self.run_program("train", data, "-o", "m.mercer", "--model", "krr",
                                         "--kernel", name, "--alpha", "0.1"), 0)
            decisions.append(self.run_json("predict", "m.mercer", data)["values"])
        self.expect_fact("K25", "krr from the matrix of kernel gram: largest difference",
                         max(abs(f - g) for f, g in zip(*decisions)))

    def test_monomials_are_listed_with_their_partitions(self):
        self.write("three.csv", "1,2,3\n")
        listed = self.run_json("kernel", "features", "poly(degree=6)", "three.csv",
                               "--target", "none", "--names")
        partition = listed["partitions"][listed["coordinates"].index("x0*x2^2")]
        self.expect_fact("D06", "x0*x2^2, degree 6", partition)
        self.expect_fact("D06", "n=3, d=6: different partitions",
                         len({tuple(parts) for parts in listed["partitions"]}))
        self.assertTrue(all(sum(parts) == 6 for parts in listed["partitions"]))
        text = self.expect(self.run_program("kernel", "features", "poly(degree=6)", "three.csv",
                                            "--target", "none", "--names"), 0).out
        self.assertRegex(text, r" x0\*x2\^2 +\(3,1,0,2\)\n")
        self.assertEqual(len(text.splitlines()), 85)

    def test_listing_needs_few_coordinates_and_a_stream_of_its_own(self):
        self.write("three.csv", "1,2,3\n")
        features = ("kernel", "features", "poly(degree=6)", "three.csv", "--target", "none")
        self.refused(2, "-o: name the file to write", *features)
        self.refused(2, "--names and -o -", *features, "--names", "-o", "-")
        self.refused(2, "the map has 1771 coordinates, at most 1000 are listed", "kernel",
                     "features", "poly(degree=20)", "three.csv", "--target", "none", "--names")
        self.refused(3, "the rows have no targets", *features, "--targets", "-o", "F.csv")
        self.assertEqual(self.leftovers("three.csv"), [])


class KernelTrickTest(RkhsTestCase):
    """A machine with a kernel, and the same machine on the coordinates of its feature map."""

    kernel = "monomial(degree=2)"

    def write_rows(self, name, seed, target):
        rows = random_rows(40, 2, seed)
        self.write(name, lines_of([[*row, target(row)] for row in rows]))
        self.expect(self.run_program("kernel", "features", self.kernel, name, "--targets",
                                     "-o", "phi-" + name), 0)

    def decisions(self, kernel, train, test, *options):
        self.expect(self.run_program("train", train, "-o", "m.mercer", "--kernel", kernel,
                                     *options), 0)
        return self.run_json("predict", "m.mercer", test, "--output", "decision")["values"]

    def largest_difference(self, *options):
        f = self.decisions(self.kernel, "train.csv", "test.csv", *options)
        g = self.decisions("linear", "phi-train.csv", "phi-test.csv", *options)
        self.assertEqual(len(f), 40)
        self.assertGreater(max(map(abs, f)), 0.1)
        return max(abs(a - b) / (1.0 + abs(a)) for a, b in zip(f, g))

    def test_the_map_is_the_kernel(self):
        self.write("points.csv", "1,2\n3,1\n")
        phi = self.matrix("kernel", "features", self.kernel, "points.csv", "--target", "none")
        self.expect_fact("FM2", "x=(1,2): phi(x)", phi[0])
        self.expect_fact("FM2", "x=(1,2), z=(3,1): <phi(x), phi(z)>",
                         sum(a * b for a, b in zip(*phi)))

    def test_ridge_is_the_same_on_the_coordinates(self):
        for seed, name in ((1, "train.csv"), (2, "test.csv")):
            self.write_rows(name, seed, lambda row: row[0] * row[1] + 0.1 * row[0])
        self.expect_fact("K23", "krr, monomial(degree=2): largest difference",
                         self.largest_difference("--model", "krr", "--alpha", "0.3"))

    def test_vector_machines_are_the_same_on_the_coordinates(self):
        for seed, name in ((3, "train.csv"), (4, "test.csv")):
            self.write_rows(name, seed, lambda row: 1 if row[0] * row[1] > 0.1 else -1)
        self.expect_fact("K23", "svc, monomial(degree=2): largest difference",
                         self.largest_difference("--model", "svc", "-C", "2", "--gap-tolerance",
                                                 "1e-12"))

    def test_perceptrons_are_the_same_on_the_coordinates(self):
        # Rows near the surface might change sides by rounding: there are none.
        for seed, name in ((3, "train.csv"), (4, "test.csv")):
            self.write_rows(name, seed, lambda row: 1 if row[0] * row[1] > 0.0 else -1)
        self.expect_fact("K23", "perceptron, monomial(degree=2): largest difference",
                         self.largest_difference("--model", "perceptron", "--bound", "never"))
        mistakes = [self.run_json("train", rows, "-o", "m.mercer", "--model", "perceptron",
                                  "--kernel", kernel, "--bound", "never")["mistakes"]
                    for rows, kernel in (("train.csv", self.kernel), ("phi-train.csv", "linear"))]
        self.expect_fact("K23", "perceptron: equally many mistakes", mistakes[0] == mistakes[1])


class DistanceTest(RkhsTestCase):
    def distances(self, kernel, data, *options):
        return self.matrix("kernel", "distance", kernel, data, "--target", "none", *options)

    def test_squared_distances_are_those_made_by_hand(self):
        self.write("points.csv", "1,2\n3,1\n")
        linear = self.distances("linear", "points.csv", "--squared")
        self.expect_fact("K24", "linear, (1,2) and (3,1)", linear[0][1])
        monomial = self.distances("monomial(degree=2)", "points.csv", "--squared")
        self.expect_fact("K24", "monomial(degree=2), (1,2) and (3,1)", monomial[0][1])
        self.write("line.csv", "0.5\n1\n")
        gaussian = self.distances("rbf(sigma=1)", "line.csv", "--squared")
        self.expect_fact("K24", "rbf(sigma=1), 0.5 and 1", gaussian[0][1])
        plain = self.distances("rbf(sigma=1)", "line.csv")
        self.assertAlmostEqual(plain[0][1] ** 2, gaussian[0][1], delta=1e-15)

    def test_equal_rows_coincide_and_close_ones_do_not(self):
        close = 1.0 + 2.0 ** -30
        self.write("close.csv", f"1\n{close!r}\n1\n")
        d = self.distances("rbf(gamma=1)", "close.csv")
        self.expect_fact("K24", "equal rows", d[0][2])
        self.expect_fact("K24", "rbf(gamma=1), rows 2^-30 apart", d[0][1])
        report = self.run_json("kernel", "distance", "rbf(gamma=1)", "close.csv",
                               "--target", "none")
        self.assertEqual(report["coincident_pairs"], 1)
        self.assertEqual(report["pairs"], 3)
        self.assertEqual(report["nearest"][0]["rows"], [1, 3])

    def test_the_median_suggests_a_bandwidth(self):
        self.write("line.csv", "0\n1\n3\n")
        report = self.run_json("kernel", "distance", "linear", "line.csv", "--target", "none")
        self.assertEqual(report["median"], 2.0)
        self.assertEqual(report["heuristic_gamma"], 1.0 / 8.0)
        squared = self.run_json("kernel", "distance", "linear", "line.csv", "--target", "none",
                                "--squared")
        self.assertEqual(squared["median"], 4.0)
        self.assertEqual(squared["heuristic_gamma"], 1.0 / 8.0)

    def test_distances_and_cosines_between_two_files_are_those_found_by_hand(self):
        self.write("a.csv", "1,0\n0,2\n")
        self.write("b.csv", "3,4\n")
        self.assertEqual(self.distances("linear", "a.csv", "--to", "b.csv", "--squared"),
                         [[20.0], [13.0]])
        cosines = self.distances("linear", "a.csv", "--to", "b.csv", "--cosine")
        self.assertAlmostEqual(cosines[0][0], 0.6, delta=1e-15)
        self.assertAlmostEqual(cosines[1][0], 0.8, delta=1e-15)
        report = self.run_json("kernel", "distance", "linear", "a.csv", "--to", "b.csv",
                               "--cosine", "--target", "none")
        self.assertAlmostEqual(report["greatest"], 0.8, delta=1e-15)
        self.assertEqual(report["nearest"][0]["rows"], [2, 1])

    def test_sparse_rows_are_the_same_points(self):
        self.write("dense.csv", "1,0,1e-9\n1,0,0\n0,5,0\n")
        self.write("sparse.svm", "0 1:1 3:1e-9\n0 1:1\n0 2:5\n")
        for kernel in ("rbf(gamma=1)", "laplace(gamma=1)", "poly(degree=3)", "cosine"):
            dense = self.distances(kernel, "dense.csv")
            sparse = self.matrix("kernel", "distance", kernel, "sparse.svm")
            for left, right in zip(dense, sparse):
                for a, b in zip(left, right):
                    self.assertAlmostEqual(a, b, delta=1e-14 * (1 + a))
            self.assertGreater(sparse[0][1], 0.0)

    def test_a_small_budget_writes_the_same_file(self):
        self.make_data("rows.svm", "blobs", rows=1500, seed=3)
        whole = self.run_json("kernel", "distance", "rbf(gamma=0.5)", "rows.svm", "-o", "D.npy")
        small = self.run_json("kernel", "distance", "rbf(gamma=0.5)", "rows.svm", "-o", "E.npy",
                              "--memory", "12M")
        self.assertEqual((self.folder / "D.npy").read_bytes(), (self.folder / "E.npy").read_bytes())
        for key in ("least", "greatest", "mean", "median", "nearest"):
            self.assertEqual(whole[key], small[key])

    def test_kernels_that_are_definite_on_differences_have_distances(self):
        self.write("line.csv", "0\n3\n")
        self.assertEqual(self.distances("negative-distance(1)", "line.csv", "--squared")[0][1],
                         6.0)
        self.refused(2, "not shown to be positive definite", "kernel", "distance",
                     "negative-distance(1)", "line.csv", "--target", "none", "--cosine")
        self.refused(2, "not shown to be positive definite", "kernel", "distance", "sigmoid",
                     "line.csv", "--target", "none")

    def test_values_that_no_vectors_have_are_refused_with_their_rows(self):
        self.write("values.csv", "1,5\n5,1\n")
        self.refused(3, "rows 1 and 2: k(x,x) + k(z,z) - 2 k(x,z) is -8", "kernel", "distance",
                     "precomputed", "values.csv", "--target", "none")
        self.write("good.csv", "2,1\n1,2\n")
        self.assertEqual(self.distances("precomputed", "good.csv", "--squared"),
                         [[0.0, 2.0], [2.0, 0.0]])
        self.refused(2, "precomputed values of two sets", "kernel", "distance", "precomputed",
                     "good.csv", "--target", "none", "--to", "good.csv")
        self.refused(2, "a cosine is no distance", "kernel", "distance", "linear", "good.csv",
                     "--squared", "--cosine")


class FunctionsTest(RkhsTestCase):
    def train(self, name, data, *options):
        self.expect(self.run_program("train", data, "-o", name, *options), 0)
        return name

    def test_the_norm_of_a_model_is_the_one_made_by_hand(self):
        self.write("krr2.csv", "1,1,0,1\n0,1,1,0\n")
        self.train("m.mercer", "krr2.csv", "--model", "krr", "--alpha", "1", "--no-intercept",
                   "--kernel", "linear")
        report = self.run_json("theory", "rkhs", "norm", "m.mercer")
        self.assertEqual(report["command"], "theory rkhs norm")
        self.expect_fact("RK1", "KRR2, a=(3/8,-1/8)", report["squared_norm"][0])
        self.assertAlmostEqual(report["stated"][0], report["squared_norm"][0], delta=1e-14)
        self.assertAlmostEqual(report["norm"][0] ** 2, report["squared_norm"][0], delta=1e-14)

    def test_the_reproducing_property_and_the_bound_hold_on_rows(self):
        self.make_data("rows.svm", "moons", rows=80, seed=1)
        for options in (("--kernel", "rbf(gamma=2)"), ("--kernel", "linear"),
                        ("--kernel", "poly(degree=3)", "--scale", "standard")):
            self.train("m.mercer", "rows.svm", *options)
            report = self.run_json("theory", "rkhs", "evaluate", "m.mercer", "rows.svm")
            self.expect_fact("RK2", "holds within the stated rounding", report["reproduces"])
            self.assertLess(report["largest_difference"], 1e-10)
            self.assertTrue(report["bound"]["holds"])
            self.assertLessEqual(report["bound"]["largest_ratio"], 1.0)
            self.assertGreater(report["bound"]["largest_ratio"], 0.05)

    def test_two_models_differ_by_no_more_than_their_distance_allows(self):
        self.make_data("rows.svm", "moons", rows=80, seed=2)
        kernel = ("--kernel", "rbf(gamma=2)")
        self.train("a.mercer", "rows.svm", *kernel, "-C", "1")
        self.train("b.mercer", "rows.svm", *kernel, "-C", "20")
        report = self.run_json("theory", "rkhs", "distance", "a.mercer", "b.mercer",
                               "--data", "rows.svm")
        self.expect_fact("RK3", "two models: it holds", report["bound"]["holds"])
        self.assertGreater(report["distance"][0], 0.1)
        inner = self.run_json("theory", "rkhs", "inner", "a.mercer", "b.mercer")
        f, g = (norms[0] for norms in inner["norms"])
        self.assertAlmostEqual(report["squared_distance"][0],
                               f * f + g * g - 2.0 * inner["inner"][0], delta=1e-9)
        self.assertLess(abs(inner["cosine"][0]), 1.0)
        itself = self.run_json("theory", "rkhs", "distance", "a.mercer", "a.mercer",
                               "--data", "rows.svm")
        self.assertEqual(itself["distance"], [0.0])
        self.assertEqual(itself["differing_rows"], 0)
        self.assertTrue(itself["bound"]["holds"])

    def test_two_ways_to_write_one_function_are_at_distance_zero(self):
        # One point twice, or once with twice the weight: the same function with other coefficients.
        self.write("twice.csv", "1,2,1\n1,2,1\n")
        self.write("once.csv", "1,2,1\n")
        self.write("weights.csv", "2\n")
        ridge = ("--model", "krr", "--no-intercept", "--kernel", "linear")
        self.train("a.mercer", "twice.csv", *ridge, "--alpha", "5")
        self.train("b.mercer", "once.csv", *ridge, "--alpha", "5", "--weights", "weights.csv")
        a = self.run_json("inspect", "a.mercer")
        b = self.run_json("inspect", "b.mercer")
        self.assertEqual((a["support_vectors"], b["support_vectors"]), (2, 1))
        report = self.run_json("theory", "rkhs", "distance", "a.mercer", "b.mercer")
        norm = self.run_json("theory", "rkhs", "norm", "a.mercer")["squared_norm"][0]
        self.expect_fact("RK6", "two models of one function: |f - g|^2 over |f|^2",
                         report["squared_distance"][0] / norm)

    def test_many_classes_have_a_function_each(self):
        self.make_data("rows.svm", "blobs", rows=90, seed=4, classes=3)
        for way, functions in (("ovo", 3), ("ovr", 3)):
            self.train("m.mercer", "rows.svm", "--multiclass", way, "--kernel", "rbf(gamma=0.5)")
            report = self.run_json("theory", "rkhs", "norm", "m.mercer")
            self.assertEqual(report["functions"], functions)
            for mine, stated in zip(report["squared_norm"], report["stated"], strict=True):
                self.assertAlmostEqual(mine, stated, delta=1e-9 * (1 + stated))
            report = self.run_json("theory", "rkhs", "evaluate", "m.mercer", "rows.svm")
            self.assertTrue(report["reproduces"])

    def test_models_of_different_spaces_are_refused_with_both_names(self):
        self.make_data("rows.svm", "moons", rows=40, seed=2)
        self.make_data("three.svm", "blobs", rows=60, seed=2, classes=3)
        self.train("a.mercer", "rows.svm", "--kernel", "rbf(gamma=2)")
        self.train("b.mercer", "rows.svm", "--kernel", "rbf(gamma=3)")
        self.train("c.mercer", "rows.svm", "--kernel", "rbf(gamma=2)", "--scale", "standard")
        self.train("d.mercer", "three.svm", "--kernel", "rbf(gamma=2)")
        for action in ("inner", "distance"):
            compare = ("theory", "rkhs", action, "a.mercer")
            self.refused(3, "a.mercer and b.mercer: rbf(gamma=2) and rbf(gamma=3) span different "
                            "spaces", *compare, "b.mercer")
            self.refused(3, "their columns are scaled differently", *compare, "c.mercer")
            self.refused(3, "a.mercer and d.mercer: 1 and 3 functions", *compare, "d.mercer")
        self.refused(3, "no.mercer", "theory", "rkhs", "norm", "no.mercer")
        self.refused(3, "the rows have", "theory", "rkhs", "distance", "a.mercer", "a.mercer",
                     "--data", self.write("wide.csv", "1,2,3,4,1\n"))
        self.refused(2, "OTHER is required", "theory", "rkhs", "inner", "a.mercer")

    def test_kernels_without_a_space_in_the_model_are_refused(self):
        self.write("values.csv", "2,1,1\n1,2,0\n")
        self.train("p.mercer", "values.csv", "--model", "krr", "--kernel", "precomputed")
        self.refused(3, "p.mercer: its kernel is precomputed", "theory", "rkhs", "norm",
                     "p.mercer")
        self.write("rows.csv", "1,-1\n2,1\n3,-1\n4,1\n")
        self.train("s.mercer", "rows.csv", "--kernel", "sigmoid(gamma=1, coef0=-1)",
                   "--allow-indefinite")
        self.refused(3, "it has no space of functions", "theory", "rkhs", "norm", "s.mercer")


class SpacesTest(RkhsTestCase):
    def sums(self, *arguments):
        report = self.run_json("theory", "rkhs", "basis", *arguments)
        return report, {step["terms"]: step for step in report["sums"]}

    def test_the_sobolev_series_converges_within_its_bound(self):
        report, sums = self.sums("sobolev", "--terms", "1000", "--points", "0.25,0.5")
        self.expect_fact("K11", "k(0.25, 0.5)", report["kernel"])
        self.expect_fact("K11", "partial sum, N=10", sums[10]["sum"])
        self.expect_fact("K11", "partial sum, N=1000", sums[1000]["sum"])
        self.expect_fact("K11", "largest error over 2/(pi^2 N)",
                         max(step["error"] / step["bound"] for step in report["sums"]))
        self.assertAlmostEqual(sums[10]["bound"], 2.0 / (math.pi ** 2 * 10), delta=1e-16)
        self.assertTrue(report["holds"])

    def test_the_paley_wiener_series_converges_within_its_bound(self):
        report, _ = self.sums("paley-wiener", "--terms", "3000", "--points", "0.3,-0.8",
                              "--bandwidth", "0.7")
        self.assertAlmostEqual(report["kernel"],
                               math.sin(2 * math.pi * 0.7 * 1.1) / (math.pi * 1.1), delta=1e-15)
        self.expect_fact("RK5", "PW: largest error over its bound",
                         max(step["error"] / step["bound"] for step in report["sums"]))
        self.assertLess(report["sums"][-1]["error"], 1e-3)

    def test_evaluation_bounds_are_those_found_by_hand(self):
        report, _ = self.sums("sobolev", "--points", "0.2,0.5", "--terms", "1")
        self.expect_fact("RK3", "H_0^1: sup |f(x)| / |f| at x=0.2", report["evaluation_bounds"][0])
        report, _ = self.sums("paley-wiener", "--points", "0,3", "--bandwidth", "0.8",
                              "--terms", "1")
        self.expect_fact("RK3", "PW: sup |f(x)| / |f|, A=0.8", report["evaluation_bounds"][1])

    def test_evaluation_is_not_bounded_in_l2(self):
        report = self.run_json("theory", "rkhs", "l2", "--terms", "12", "--point", "0.3")
        last = report["functions"][-1]
        self.expect_fact("RK4", "n=12: |f_n|", last["norm"])
        self.expect_fact("RK4", "n=12: f_n(x)", last["value"])
        ratios = [function["ratio"] for function in report["functions"]]
        self.assertEqual(ratios, sorted(ratios))

    def test_distinct_points_can_be_interpolated(self):
        rows = random_rows(20, 2, 9)
        self.write("rows.csv", lines_of([[*row, 10.0 * math.cos(7.0 * i)]
                                         for i, row in enumerate(rows)]))
        report = self.run_json("theory", "rkhs", "interpolate", "rbf(gamma=3)", "rows.csv")
        self.expect_fact("RK7", "RBF, 20 distinct points: it interpolates", report["interpolates"])
        self.expect_fact("RK7", "RBF, 20 distinct points: residual over the condition",
                         report["residual"] / report["condition"])
        self.assertEqual(report["rank"], 20)

    def test_one_point_with_two_values_is_inconsistent(self):
        self.write("dup.csv", "3,1\n3,0\n")
        report = self.run_json("theory", "rkhs", "interpolate", "rbf(gamma=1)", "dup.csv",
                               status=1)
        self.expect_fact("RK7", "DUP, y=(1,0): it interpolates", report["interpolates"])
        self.expect_fact("RK7", "DUP, y=(1,0): values", report["values"])
        text = self.expect(self.run_program("theory", "rkhs", "interpolate", "rbf(gamma=1)",
                                            "dup.csv"), 1).out
        self.assertIn("no f of the space has f(x_i) = y_i", text)

    def test_wrong_points_are_refused_by_name(self):
        basis = ("theory", "rkhs", "basis")
        self.refused(2, "--points: got '0.25', must be two numbers x,y", *basis, "sobolev",
                     "--points", "0.25")
        self.refused(2, "--points: got '0.25,x'", *basis, "sobolev", "--points", "0.25,x")
        self.refused(2, "points: got 1.5, must lie in [0, 1]", *basis, "sobolev", "--points",
                     "0.5,1.5")
        self.refused(2, "terms", *basis, "sobolev", "--terms", "0")
        self.refused(2, "bandwidth", *basis, "paley-wiener", "--bandwidth", "-1")
        self.refused(2, "SPACE", *basis, "hardy")
        self.refused(2, "point: got 1, must lie between 0 and 1", "theory", "rkhs", "l2",
                     "--point", "1")
        self.refused(2, "see mercer theory rkhs --help", "theory", "rkhs")


class RidgeIdentityTest(RkhsTestCase):
    def definite(self, name, size, seed):
        """A full symmetric matrix L L' + I / 2."""
        root = random_rows(size, size, seed)
        matrix = [[sum(a * b for a, b in zip(x, z)) + (0.5 if i == j else 0.0)
                   for j, z in enumerate(root)] for i, x in enumerate(root)]
        return self.write(name, lines_of([[0.5 * (matrix[i][j] + matrix[j][i])
                                           for j in range(size)] for i in range(size)]))

    def test_the_identity_holds_with_a_full_noise_matrix_from_a_file(self):
        self.write("b.csv", lines_of(random_rows(15, 4, 1)))
        self.definite("p.csv", 4, 2)
        self.definite("r.csv", 15, 3)
        report = self.run_json("theory", "ridge-identity", "b.csv", "--target", "none",
                               "--prior", "p.csv", "--noise", "r.csv")
        self.expect_fact("RR7", "random P, full random R: it holds within rounding",
                         report["holds"])
        self.expect_fact("RR7", "random P, full random R: largest relative residual",
                         report["residual"] / report["largest_entry"])

    def test_matrices_that_do_not_fit_are_refused(self):
        self.write("b.csv", "1,2\n3,4\n5,6\n")
        self.write("p.csv", "1,2\n2,1\n")
        identity = ("theory", "ridge-identity", "b.csv", "--target", "none")
        self.refused(2, "prior: is not positive definite", *identity, "--prior", "p.csv")
        self.refused(3, "p.csv: got 2 x 2, --noise must be 3 x 3", *identity, "--noise", "p.csv")


if __name__ == "__main__":
    unittest.main()
