# SPDX-License-Identifier: Apache-2.0
"""tests/cli/catalogue_test.py - degenerate and hostile problems, one per row."""

import math
import struct
import unittest

from catalogue import (ANY, CERTIFIED, HONEST, PAIR, VOID, CatalogueCase,
                       integers_of_a_segmentation_fault, normals, svm, uniforms)

SVC = ("svc",)
KRR = ("krr",)
BOTH = ("svc", "krr")
SHAPES = [
    ("no rows", "", BOTH, [], (3, "rows: the data has none")),
    ("one row", "1 1:1\n", SVC, [], (3, "two classes, the data has 1")),
    ("one row", "1 1:1\n", KRR, [], CERTIFIED),
    ("one point with both labels", "1 1:1\n-1 1:1\n", BOTH, [], CERTIFIED),
    ("two points of one label", "1 1:1\n1 1:2\n", SVC, [], (3, "two classes")),
    ("two points of one label", "1 1:1\n1 1:2\n", KRR, [], CERTIFIED),
    ("one point per class", PAIR, BOTH, [], CERTIFIED),
    ("rows without entries", "1\n-1\n", BOTH, ["--kernel", "linear"], CERTIFIED),
    ("rows without entries, gamma at scale", "1\n-1\n", BOTH, [], CERTIFIED),
    ("an empty row among others", "1\n-1 1:1\n1 1:3\n", BOTH, [], CERTIFIED),
    ("all zeros", "1 1:0\n-1 1:0\n", BOTH, [], CERTIFIED),
    ("a million columns, one entry", "1 1000000:1\n-1 5:1\n", BOTH, [], CERTIFIED),
    ("an index above 2^31", "1 2147483649:1\n-1 1:1\n", BOTH, ["--kernel", "rbf(gamma=1)"],
     CERTIFIED),
    ("one row of a million entries", lambda: "1 " + " ".join(f"{j}:1" for j in range(1, 1000001)) +
     "\n-1 1:1\n", BOTH, ["--kernel", "linear"], CERTIFIED),
    ("three points on a line", "-1 1:0 2:0\n1 1:1 2:1\n-1 1:2 2:2\n", BOTH, ["--kernel", "linear"],
     CERTIFIED),
]

LABELS = [
    ("sixty classes of one row", "".join(f"{k} 1:{k}\n" for k in range(60)), SVC, [], CERTIFIED),
    ("47,000 classes", "".join(f"{k} 1:1\n" for k in range(47000)), SVC, [],
     (3, "the data has 47000 classes")),
    ("labels 0 and 1", "0 1:-1\n1 1:1\n0 1:-2\n", BOTH, [], CERTIFIED),
    ("labels in falling order", "1 1:1\n-1 1:-1\n", BOTH, [], CERTIFIED),
    ("labels 1.5 and 1.7", "1.5 1:1\n1.7 1:2\n", BOTH, [], CERTIFIED),
    ("labels 2^53 and 2^53 + 2", "9007199254740992 1:1\n9007199254740994 1:2\n", SVC, [],
     (3, r":2:1: label: .* beyond 2\^53")),
    ("targets 2^53 and 2^53 + 2", "9007199254740992 1:1\n9007199254740994 1:2\n", KRR, [],
     HONEST),
    ("a label that is not a number", "nan 1:1\n1 1:2\n", BOTH, [], (3, r":1:")),
    ("an infinite label", "1 1:1\ninf 1:2\n", BOTH, [], (3, r":2:")),
    ("a missing number", "1 1:1\n-1 1:nan\n", BOTH, [], (3, r":2:")),
    ("an infinite number", "1 1:1\n-1 1:inf\n", BOTH, [], (3, r":2:")),
]

GRAMS = [
    ("exact duplicates", svm(normals(10, 2)[:2] * 20), BOTH, [], CERTIFIED),
    ("duplicates with opposite labels", svm(normals(20, 2) + [(-label, row) for label, row in
                                                              normals(20, 2)]), BOTH, [],
     CERTIFIED),
    ("duplicates, no diagonal", svm(normals(10, 2)[:2] * 20), KRR, ["--alpha", "0"], HONEST),
    ("rows one rounding apart", svm(normals(20, 2) + [
        (-label, [math.nextafter(x, 10) for x in row]) for label, row in normals(20, 2)]), BOTH,
     [], CERTIFIED),
    ("rows 1e-9 apart", svm(normals(20, 2) + [(-label, [x + 1e-9 for x in row])
                                              for label, row in normals(20, 2)]), BOTH,
     ["--kernel", "rbf(gamma=1)"], CERTIFIED),
    ("rank one", svm(normals(60, 1)), BOTH, ["--kernel", "linear"], CERTIFIED),
    ("K = 0", "1 1:0\n-1 1:0\n1 1:0\n", BOTH, ["--kernel", "linear"], CERTIFIED),
    ("K = 0, no diagonal", "1 1:0\n-1 1:0\n1 1:0\n", KRR,
     ["--kernel", "linear", "--alpha", "0"], ANY),
    ("K = I", svm(normals(60, 2)), BOTH, ["--kernel", "rbf(gamma=1e300)"], CERTIFIED),
    ("K = all ones", svm(normals(60, 2)), BOTH, ["--kernel", "rbf(gamma=1e-300)"], CERTIFIED),
    ("condition beyond double", svm(normals(60, 1)), KRR,
     ["--kernel", "rbf(gamma=1e-3)", "--alpha", "1e-15"], ANY),
    ("indefinite", svm(normals(60, 2)), BOTH, ["--kernel", "sigmoid(gamma=1, coef0=1)"],
     (2, "--allow-indefinite")),
    ("indefinite, allowed", svm(normals(60, 2)), SVC,
     ["--kernel", "sigmoid(gamma=1, coef0=1)", "--allow-indefinite"], VOID),
]

SCALES = [
    ("numbers of 1e12", svm(normals(60, 3, 1e12)), BOTH, [], CERTIFIED),
    ("numbers of 1e12, linear", svm(normals(60, 3, 1e12)), SVC, ["--kernel", "linear"], HONEST),
    ("squares beyond double", svm(normals(60, 3, 1e160)), BOTH, ["--kernel", "rbf(gamma=1)"],
     ANY),
    ("squares beyond double, linear", svm(normals(60, 3, 1e160)), BOTH, ["--kernel", "linear"],
     (3, r"row \d+")),
    ("numbers of 1e150", svm(normals(60, 3, 1e150)), BOTH, ["--kernel", "rbf(gamma=1)"], ANY),
    ("squares below double", svm(normals(60, 3, 1e-300)), BOTH, ["--kernel", "linear"], CERTIFIED),
    ("denormals", svm(normals(60, 3, 1e-310)), BOTH, ["--kernel", "rbf(gamma=1)"], CERTIFIED),
    ("columns of 1e12 and 1e-12", svm([(label, [row[0] * 1e12, row[1] * 1e-12])
                                       for label, row in normals(60, 2)]), BOTH, [], CERTIFIED),
    ("the largest numbers", svm(uniforms(60, 3, 1.7e308)), BOTH, ["--kernel", "rbf(gamma=1)"],
     ANY),
    ("the largest numbers, gamma at scale", svm(uniforms(60, 3, 1.7e308)), BOTH, [], ANY),
    ("far from the origin", svm(normals(60, 3, 1.0, 1e8)), BOTH, ["--kernel", "rbf(gamma=0.5)"],
     CERTIFIED),
    ("targets of 1e300", "1e300 1:1\n-1e300 1:2\n", KRR, [], (3, r"row 1: the sum of squared targets")),
    ("targets of 1e100", "1e100 1:1\n-1e100 1:2\n", KRR, [], HONEST),
]

SOME = svm(normals(60, 2))
PARAMETERS = [
    *[(f"C = {cost}", SOME, SVC, [f"--cost={cost}"], (2, rf"--cost: got {cost}")) for cost in
      ("0", "-1", "nan", "-inf")],
    *[(f"C = {cost}", SOME, SVC, ["-C", cost], HONEST) for cost in
      ("1e-300", "1e-12", "1e6", "1e12", "1e300")],
    *[(f"alpha = {alpha}", SOME, KRR, [f"--alpha={alpha}"], (2, rf"--alpha: got {alpha}"))
      for alpha in ("-1", "nan", "inf")],
    *[(f"alpha = {alpha}", SOME, KRR, ["--alpha", alpha], HONEST) for alpha in
      ("0", "1e-300", "1e-12", "1e12", "1e300")],
    *[(f"lambda = {value}", SOME, BOTH, [f"--lambda={value}"], (2, "--lambda: got"))
      for value in ("-1", "nan", "inf")],
    *[(f"gamma = {gamma}", SOME, BOTH, ["--kernel", f"rbf(gamma={gamma})"], (2, "gamma"))
      for gamma in ("0", "-1", "nan", "inf")],
    *[(f"degree = {degree}", SOME, BOTH, ["--kernel", f"poly(degree={degree})"], (2, "degree"))
      for degree in ("-1", "1.5", "nan")],
    *[(f"degree = {degree}", SOME, BOTH, ["--kernel", f"poly(degree={degree})"], HONEST)
      for degree in ("1", "30")],
    ("degree = 1000", SOME, BOTH, ["--kernel", "poly(degree=1000)"],
     (3, r"row \d+: k\(x, x\) is inf")),
    ("coef0 = 0", SOME, BOTH, ["--kernel", "poly(degree=3, coef0=0)"], HONEST),
    ("coef0 = -1", SOME, BOTH, ["--kernel", "poly(degree=3, coef0=-1)"],
     (2, "--allow-indefinite|coef0")),
    ("coef0 = 1e150", SOME, BOTH, ["--kernel", "poly(degree=3, coef0=1e150)"],
     (3, r"row \d+: k\(x, x\) is inf")),
    *[(f"tolerance = {value}", SOME, BOTH, ["--tolerance", value], (2, "--tolerance: got"))
      for value in ("0", "nan")],
    *[(f"gap tolerance = {value}", SOME, BOTH, ["--gap-tolerance", value],
       (2, "--gap-tolerance: got")) for value in ("0", "nan")],
    ("tolerance = 1e-20", SOME, SVC, ["--tolerance", "1e-20"], HONEST),
    ("gap tolerance = 1e-20", SOME, BOTH, ["--gap-tolerance", "1e-20"], HONEST),
    ("tolerance = 1, two rows", PAIR, SVC, ["--tolerance", "1"], CERTIFIED),
    ("one iteration", SOME, SVC, ["--max-iterations", "1"], HONEST),
    *[(f"memory = {value}", SOME, BOTH, ["--memory", value], (2, "--memory: got"))
      for value in ("0", "-1", "9223372036854775808")],
    ("memory = 1 byte", SOME, BOTH, ["--memory", "1"], (4, "memory")),
    ("threads = -1", SOME, BOTH, ["--threads=-1"], (2, "--threads: got -1")),
    ("threads = 10,000", SOME, BOTH, ["--threads", "10000"], (2, "--threads")),
]

STRUCTURES = [
    ("separable by 1e-8", svm([(-1, [1.0, -2.0]), (-1, [1.0, 0.0]), (1, [1.0, 1e-8]),
                               (1, [1.0, 2.0])]), SVC, ["--kernel", "linear", "-C", "1e12"],
     HONEST),
    ("separable by one rounding", svm([(-1, [1.0]), (1, [math.nextafter(1.0, 2.0)])]), SVC,
     ["--kernel", "linear", "-C", "1e12"], HONEST),
    ("hulls that touch", svm([(-1, [-1.0]), (-1, [1.0]), (1, [1.0]), (1, [3.0])]), SVC,
     ["--kernel", "linear", "-C", "1e6"], HONEST),
    ("every coefficient at its bound", svm([(-1, [1.0, 1.0]), (-1, [-1.0, -1.0]),
                                            (1, [1.0, -1.0]), (1, [-1.0, 1.0])]), SVC,
     ["--kernel", "linear"], CERTIFIED),
    ("a constant target", "3 1:1\n3 1:2\n3 1:4\n", KRR, [], CERTIFIED),
    ("twelve powers of five numbers", svm([(i, [float(i)]) for i in range(5)]), KRR,
     ["--kernel", "poly(degree=10)"], HONEST),
    ("one column, high degree, large cost", svm(normals(40, 1)), SVC,
     ["--kernel", "poly(degree=8, coef0=1)", "-C", "1e4", "--time-limit", "5"], HONEST),
    ("integers that crash others", svm(integers_of_a_segmentation_fault()), SVC,
     ["--kernel", "poly(degree=10, scale=9.39, coef0=0)", "--time-limit", "5"], HONEST),
    ("a wide range, linear", svm([(label, [row[0], 1e4 * row[1], 1e-3 * row[2]])
                                  for label, row in normals(200, 3)]), SVC,
     ["--kernel", "linear", "-C", "25", "--time-limit", "5"], HONEST),
    ("degree thirty, 380 columns", svm(uniforms(60, 380, 1.0)), BOTH,
     ["--kernel", "poly(degree=30, scale=1, coef0=0)"], ANY),
]

TUBES = ("svr", "l2-svr", "nu-svr")
FAMILY = ("nu-svc", "l2-svc", "huber-svc", "svr", "l2-svr", "nu-svr", "one-class")
TINY = svm(normals(6, 13))
MACHINES = [
    ("five powers of ten", svm([(i, [float(i)]) for i in range(5)]), TUBES,
     ["--kernel", "poly(degree=10)", "--time-limit", "5"], HONEST),
    ("a constant target", "3 1:1\n3 1:2\n3 1:4\n", TUBES, [], CERTIFIED),
    ("a tube wider than the targets", "1 1:1\n2 1:2\n", ("svr", "l2-svr"), ["--epsilon", "10"], CERTIFIED),
    ("no tube", "1 1:1\n2 1:2\n5 1:4\n", ("svr", "l2-svr"), ["--epsilon", "0"], CERTIFIED),
    ("two rows of one target", "1 1:1\n1 1:2\n", TUBES, [], CERTIFIED),
    ("a target that is none", "1 1:1\nnan 1:2\n", TUBES, [], (3, ":2:")),
    ("an infinite target", "1 1:1\ninf 1:2\n", TUBES, [], (3, ":2:")),
    *[(f"epsilon = {value}", SOME, ("svr", "l2-svr"), [f"--epsilon={value}"], (2, "--epsilon: got"))
      for value in ("-1", "nan", "inf")],
    *[(f"nu = {value}", SOME, ("nu-svc", "one-class"), [f"--nu={value}"], (2, "nu: got"))
      for value in ("0", "-1", "nan", "1.0000001")],
    ("nu beyond twice the smaller share", "1 1:1\n-1 1:2\n1 1:3\n1 1:4\n", ("nu-svc",),
     ["--nu", "0.51"], (2, "nu: got 0.51, must be at most 0.5")),
    ("nu at twice the smaller share", "1 1:1\n-1 1:2\n1 1:3\n1 1:4\n", ("nu-svc",),
     ["--nu", "0.5"], CERTIFIED),
    ("nu = 1", SOME, ("nu-svc", "nu-svr", "one-class"), ["--nu", "1"], CERTIFIED),
    ("six rows of thirteen columns", TINY, ("nu-svc",),
     ["--kernel", "poly(degree=3, coef0=10)", "--nu", str(2 / 7)], HONEST),
    ("few outside, narrow kernel", SOME, ("one-class",),
     ["--kernel", "rbf(gamma=0.9)", "--nu", "0.001"], CERTIFIED),
    ("columns that do not vary", "1 1:2\n-1 1:2\n1 1:2\n-1 1:2\n", FAMILY, [], CERTIFIED),
    ("duplicates", svm(normals(10, 2)[:2] * 10), FAMILY, [], HONEST),
    ("the largest numbers", svm(uniforms(20, 3, 1.7e308)), FAMILY, [], ANY),
    ("poly, C = gamma = 10", svm(normals(100, 2)), ("svc", "l2-svc", "svr"),
     ["--kernel", "poly(degree=3, scale=10, coef0=0)", "-C", "10", "--time-limit", "5"], HONEST),
    ("large cost", SOME, ("l2-svc", "huber-svc", "svr", "l2-svr"), ["-C", "1e5", "--time-limit", "5"],
     HONEST),
    ("tolerance = 1, two rows", PAIR, FAMILY, ["--tolerance", "1"], CERTIFIED),
    ("one iteration", SOME, FAMILY, ["--max-iterations", "1"], HONEST),
]


class CatalogueTest(CatalogueCase):
    def test_degenerate_shapes_end_as_wanted(self):
        self.run_rows(SHAPES)

    def test_degenerate_labels_end_as_wanted(self):
        self.run_rows(LABELS)

    def test_degenerate_gram_matrices_end_as_wanted(self):
        self.run_rows(GRAMS)

    def test_extreme_scales_end_as_wanted(self):
        self.run_rows(SCALES)

    def test_extreme_parameters_end_as_wanted(self):
        self.run_rows(PARAMETERS)

    def test_degenerate_structures_end_as_wanted(self):
        self.run_rows(STRUCTURES)

    def test_machines_of_the_family_end_as_wanted(self):
        self.run_rows(MACHINES)

    def test_degenerate_row_weights_end_as_wanted(self):
        data = self.write("d.svm", svm(normals(20, 2)))
        for name, weights, machines, wanted in (
                ("all equal", ["3"] * 20, BOTH, CERTIFIED),
                ("some zero", ["0", "0", "1", "1"] * 5, BOTH, CERTIFIED),
                ("all zero", ["0"] * 20, BOTH, (3, "weight")),
                ("a class without", ["0", "1"] * 10, SVC, (3, "weight > 0")),
                ("negative", ["1"] * 19 + ["-1"], BOTH, (3, "row 20")),
                ("not a number", ["1"] * 19 + ["nan"], BOTH, (3, "(row |:)20")),
                ("tiny", ["1e-300"] * 20, BOTH, HONEST),
                ("huge", ["1e300"] * 20, BOTH, ANY),
                ("too few", ["1"] * 19, BOTH, (3, "one per row")),
        ):
            file = self.write("w.txt", "\n".join(weights) + "\n")
            for machine in machines:
                with self.subTest(case=name, machine=machine):
                    (self.folder / "m.mercer").unlink(missing_ok=True)
                    outcome = self.run_program("train", data, "-o", "m.mercer", "--model", machine,
                                               "--json", "-q", "--weights", file)
                    if isinstance(wanted, tuple):
                        self.refused(outcome, *wanted)
                    elif wanted == ANY and outcome.status in (3, 4):
                        self.assertRegex(outcome.err, r"row|weight")
                    else:
                        self.assertIn(outcome.status, (0, 1) if wanted != CERTIFIED else (0,),
                                      outcome.err + outcome.out)
                        self.finite(outcome.json())
                        self.used(data)
                        self.expect(self.run_program("verify", "m.mercer", data, "--weights",
                                                     file), 0)

    def test_missing_values_are_named_by_row_and_column(self):
        for text in ("a,b,y\n1,2,0\n3,?,1\n", "a,b,y\n1,2,0\n3,,1\n", "a,b,y\n1,2,0\n3,nan,1\n",
                     "a,b,y\n1,2,0\n3,NA,1\n"):
            data = self.write("d.csv", text)
            for machine in BOTH:
                with self.subTest(text=text, machine=machine):
                    outcome = self.run_program("train", data, "-o", "m.mercer", "--model", machine)
                    self.refused(outcome, 3, r"d\.csv:3:\d+")

    def test_single_precision_near_its_end_is_taken_as_double(self):
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 2), }"
        header += b" " * (117 - len(header)) + b"\n"
        values = [3e38, 1e38, -3e38, 1.0, 2e38, 1.0, -1e38, 0.0]
        (self.folder / "d.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) +
                                            header + struct.pack("<8f", *values))
        for kernel, alpha in (("linear", "1e70"), ("rbf(gamma=1e-76)", "1")):
            with self.subTest(kernel=kernel):
                outcome = self.run_program("train", self.path("d.npy"), "-o", "m.mercer",
                                           "--model", "krr", "--kernel", kernel, "--alpha", alpha,
                                           "--target", 1, "--json")
                self.finite(self.expect(outcome, 0).json())


if __name__ == "__main__":
    unittest.main()
