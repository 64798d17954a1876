# SPDX-License-Identifier: Apache-2.0
"""tests/cli/libsvm_test.py - svm-train, svm-predict, svm-scale compared with LIBSVM's own."""

import os
import pathlib
import random
import re
import shutil
import subprocess
import unittest

from program import PROGRAM, Outcome, ProgramTest

OURS = pathlib.Path(PROGRAM).parent
THEIRS = {name: shutil.which(name, path="/usr/bin:/usr/local/bin")
          for name in ("svm-train", "svm-predict", "svm-scale")}


def rows_text(classes, rows, seed=1, columns=3):
    """Overlapping clouds, with labels not in ascending order."""
    source = random.Random(seed)
    lines = []
    for i in range(rows):
        c = i % len(classes)
        x = [source.gauss(1.5 * ((c >> j) & 1), 1.0) for j in range(columns)]
        entries = " ".join(f"{j + 1}:{v:.6g}" for j, v in enumerate(x) if (i + j) % 7)
        lines.append(f"{classes[c]} {entries}\n")
    return "".join(lines)


# The model of LIBSVM 3.37 for 24 rows with -s 2 -n 0.4 -g 0.5 -b 1, and its predictions for 12
# others.
ONE_CLASS_ROWS = """\
1 1:-1.18 2:-1.15
1 1:0.669 2:-2.29
1 1:-0.143 2:-2.26
1 1:1.1 2:0.203
1 1:1.36 2:-0.504
1 1:0.398 2:-0.286
1 1:-0.738 2:0.145
1 1:-1.26 2:-0.355
1 1:0.697 2:0.0575
1 1:-0.41 2:2.19
1 1:0.0582 2:-0.587
1 1:0.16 2:-0.523
1 1:-0.385 2:-0.35
1 1:2.03 2:0.0226
1 1:0.176 2:0.674
1 1:2.02 2:-0.224
1 1:-0.624 2:2.47
1 1:-1.46 2:-0.367
1 1:0.667 2:2.28
1 1:-0.95 2:-2.43
1 1:0.662 2:-0.522
1 1:-0.387 2:0.461
1 1:0.224 2:0.291
1 1:-0.431 2:1.29
"""
ONE_CLASS_MODEL = """\
svm_type one_class
kernel_type rbf
gamma 0.5
nr_class 2
total_sv 16
rho 2.1148213631835513
prob_density_marks -0.30965805096305321 -0.14681557728359385 -0.0066636160799642408 -0.00014085684281739397 -3.6029078928745406e-05 0.00015910577013400484 0.0031548145052358034 0.0074982356105406378 0.021830650105359561 0.055478276456734088
SV
0.33264176005507196 1:-1.18 2:-1.15 
1 1:0.669 2:-2.29 
0.34402897335277405 1:-0.143 2:-2.26 
0.32162063080125303 1:-1.26 2:-0.355 
0.095681042256133761 1:-0.41 2:2.19 
0.11070810676674575 1:0.16 2:-0.523 
1 1:2.03 2:0.0226 
0.46044919740057949 1:0.176 2:0.674 
0.77192027564445753 1:2.02 2:-0.224 
1 1:-0.624 2:2.47 
1 1:-1.46 2:-0.367 
1 1:0.667 2:2.28 
1 1:-0.95 2:-2.43 
0.54656386360649811 1:0.662 2:-0.522 
0.13837169093602028 1:-0.387 2:0.461 
0.47801445918046737 1:-0.431 2:1.29 
"""
ONE_CLASS_TEST = """\
1 1:0.65 2:-2.33
1 1:-1.01 2:0.0951
1 1:1.92 2:0.00544
1 1:-2.16 2:0.408
1 1:-1.56 2:1.59
1 1:-0.332 2:2.32
1 1:-0.17 2:-1.33
1 1:-1.91 2:-0.469
1 1:0.579 2:1.55
1 1:0.347 2:-0.961
1 1:0.651 2:-1.87
1 1:0.656 2:-0.975
"""
ONE_CLASS_PROBABILITIES = """\
label normal outlier
-1 0.001 0.999
-1 0.2 0.8
1 0.9 0.1
-1 0.001 0.999
-1 0.001 0.999
-1 0.2 0.8
1 0.999 0.001
-1 0.001 0.999
-1 0.2 0.8
-1 0.2 0.8
-1 0.1 0.9
-1 0.2 0.8
"""
# A LIBSVM from 3.31 on, whose one-class machine has probabilities; Debian's does not.
LATER = os.environ.get("MERCER_LIBSVM", "")


class ToolTest(ProgramTest):
    def run_tool(self, program, *words, status=0):
        done = subprocess.run([str(program), *map(str, words)], capture_output=True, text=True,
                              cwd=self.folder, timeout=120)
        outcome = Outcome(done.returncode, done.stdout, done.stderr)
        return outcome if status is None else self.expect(outcome, status)

    def ours(self, name, *words, status=0):
        return self.run_tool(OURS / name, *words, status=status)

    def lines(self, name):
        return (self.folder / name).read_text().splitlines()

    def values(self, text, name):
        return [float(v) for v in re.findall(rf"{name} = (-?[0-9.]+)", text)]


class OneClassProbabilitiesTest(ToolTest):
    def test_a_model_of_libsvm_gives_the_probabilities_libsvm_gives(self):
        test = self.write("t", ONE_CLASS_TEST)
        model = self.write("m", ONE_CLASS_MODEL)
        self.ours("svm-predict", "-b", "1", test, model, "out")
        self.expect_fact("X28", "12 rows: the file of svm-predict -b 1",
                         (self.folder / "out").read_text() == ONE_CLASS_PROBABILITIES)
        # The native program on the same model: the classes -1 (outside) and 1.
        lines = self.expect(self.run_program("predict", model, test, "--output", "probability"),
                            0).out.splitlines()
        for line, theirs in zip(lines, ONE_CLASS_PROBABILITIES.splitlines()[1:], strict=True):
            outside, inside = map(float, line.split(","))
            self.assertAlmostEqual(inside, float(theirs.split()[1]), delta=1e-12)
            self.assertAlmostEqual(outside, 1.0 - inside, delta=1e-12)
        # Converted there and back: every bit of the marks is preserved.
        self.expect(self.run_program("convert", model, "-o", "m.mercer"), 0)
        self.expect(self.run_program("convert", "m.mercer", "-o", "m.libsvm"), 0)
        def marks(name):
            (line,) = [x for x in self.lines(name) if x.startswith("prob_density_marks ")]
            return [float(word) for word in line.split()[1:]]
        self.assertEqual(marks("m.libsvm"), marks("m"))

    def test_marks_are_learned_from_the_values_of_the_rows(self):
        data = self.write("d", ONE_CLASS_ROWS)
        self.ours("svm-train", "-q", "-s", "2", "-n", "0.4", "-g", "0.5", "-b", "1", "-e", "1e-9",
                  data, "a")
        def marks(lines):
            (line,) = [x for x in lines if x.startswith("prob_density_marks ")]
            return [float(word) for word in line.split()[1:]]
        # Edge rows have f = 0 up to rounding, so LIBSVM's own marks may count them on the
        # other side; its rule applied to our values, with edge rows inside, must give ours.
        f = [float(word) for word in self.expect(
            self.run_program("predict", "a", data, "--output", "decision"), 0).out.split()]
        f = sorted(0.0 if -1e-8 < value < 0.0 else value for value in f)
        outside = sum(value < 0 for value in f)
        inside = len(f) - outside
        cuts = ([f[i * outside // 5] for i in range(5)] + [0.0] +
                [f[outside - 1 + i * inside // 5] for i in range(1, 6)])
        mine = marks(self.lines("a"))
        self.assertEqual(len(mine), 10)
        for mark, low, high in zip(mine, cuts, cuts[1:]):
            self.assertAlmostEqual(mark, (low + high) / 2, delta=1e-8)
        self.expect(self.run_program("train", data, "-o", "n.mercer", "--model", "one-class",
                                     "--nu", "0.4", "--kernel", "rbf(gamma=0.5)", "-q",
                                     "--probability", "--tolerance", "1e-3"), 0)
        probabilities = self.expect(self.run_program("predict", "n.mercer", data, "--output",
                                               "probability"), 0).out.splitlines()
        self.assertEqual(len(probabilities), 24)
        self.assertGreater(len(set(probabilities)), 5)
        # A weight of 2 is equivalent to repeating the row, for the marks too.
        rows = ONE_CLASS_ROWS.splitlines(keepends=True)
        doubled = self.write("twice", "".join(row * (2 if i % 3 == 0 else 1)
                                              for i, row in enumerate(rows)))
        weights = self.write("w.csv", "".join("2\n" if i % 3 == 0 else "1\n" for i in range(24)))
        words = ["--model", "one-class", "--nu", "0.4", "--kernel", "rbf(gamma=0.5)", "-q",
                 "--probability", "--gap-tolerance", "1e-12"]
        self.expect(self.run_program("train", data, "-o", "w.mercer", "--weights", weights,
                                     *words), 0)
        self.expect(self.run_program("train", doubled, "-o", "t.mercer", *words), 0)
        for name in "wt":
            self.expect(self.run_program("convert", f"{name}.mercer", "-o", f"{name}.libsvm"), 0)
        for x, y in zip(marks(self.lines("w.libsvm")), marks(self.lines("t.libsvm"))):
            self.assertAlmostEqual(x, y, delta=1e-5)

    def test_too_few_rows_are_reported_and_leave_a_model_without_probabilities(self):
        data = self.write("d", "".join(ONE_CLASS_ROWS.splitlines(keepends=True)[:8]))
        outcome = self.ours("svm-train", "-q", "-s", "2", "-g", "0.5", "-b", "1", data, "m")
        self.assertIn("too few", outcome.err)
        self.assertNotIn("prob_density_marks", (self.folder / "m").read_text())
        self.ours("svm-predict", "-b", "1", data, "m", "out", status=3)

    def test_marks_that_are_none_are_refused(self):
        line = ONE_CLASS_MODEL.splitlines()[6]
        for other, message in ((line + " 1", "must have 10"), (line.rsplit(" ", 1)[0], "has 9"),
                               (line.replace("-0.3096", "0.3096"), "not descend"),
                               (line.replace("-0.3096", "nan"), "m:7")):
            with self.subTest(message=message):
                model = self.write("m", ONE_CLASS_MODEL.replace(line, other))
                outcome = self.ours("svm-predict", "-b", "1", self.write("t", ONE_CLASS_TEST),
                                    model, "out", status=3)
                self.assertIn(message, outcome.err)
        model = self.write("m", ONE_CLASS_MODEL.replace("one_class", "epsilon_svr"))
        self.assertIn("one_class", self.ours("svm-predict", self.write("t", ONE_CLASS_TEST), model,
                                             "out", status=3).err)

    @unittest.skipUnless(LATER, "MERCER_LIBSVM does not name a svm-train of 3.31 or later")
    def test_one_class_probabilities_agree_on_either_model(self):
        data = self.write("d", rows_text((1, -1), 200))
        test = self.write("t", rows_text((1, -1), 150, seed=7))
        flags = ["-q", "-s", "2", "-n", "0.3", "-g", "0.4", "-b", "1"]
        self.ours("svm-train", *flags, data, "a")
        self.run_tool(LATER, *flags, data, "b")
        for model in "ab":
            self.ours("svm-predict", "-b", "1", test, model, "mine")
            self.run_tool(pathlib.Path(LATER).parent / "svm-predict", "-b", "1", test, model,
                          "other")
            self.assertEqual(self.lines("mine"), self.lines("other"))
            self.assertGreater(len({line.split()[1] for line in self.lines("mine")[1:]}), 5)


class LibsvmTest(ToolTest):
    def setUp(self):
        super().setUp()
        if None in THEIRS.values():
            self.skipTest("LIBSVM's programs are not installed")

    def theirs(self, name, *words):
        return self.run_tool(THEIRS[name], *words)

    def test_training_reaches_the_objectives_of_libsvm_and_says_so_in_its_words(self):
        for classes in ((1, -1), (-1, 1), (3, 1, 2), (5, 4, 9, -2)):
            data = self.write("d", rows_text(classes, 120))
            for flags in (["-c", "2", "-g", "0.5"], ["-t", "0", "-c", "0.5"],
                          ["-t", "1", "-d", "2", "-r", "1", "-g", "0.3"],
                          ["-w1", "2.5", "-c", "3"]):
                with self.subTest(classes=classes, flags=flags):
                    a = self.ours("svm-train", "-e", "1e-5", *flags, data, "a").out
                    b = self.theirs("svm-train", "-e", "1e-5", *flags, data, "b").out
                    for word in ("obj", "rho"):
                        mine, other = self.values(a, word), self.values(b, word)
                        self.assertEqual(len(mine), len(other))
                        for x, y in zip(mine, other):
                            self.assertAlmostEqual(x, y, delta=2e-4 * max(1.0, abs(y)))
                    self.assertEqual(re.sub(r"[-0-9.]+|^\*\n", "", a, flags=re.M).count("nSV"),
                                     re.sub(r"[-0-9.]+|^\*\n", "", b, flags=re.M).count("nSV"))
                    for key in ("label", "nr_class", "svm_type", "kernel_type"):
                        mine, other = ([line for line in self.lines(m) if line.split()[0] == key]
                                       for m in "ab")
                        self.assertEqual(mine, other)

    def test_every_machine_prints_the_lines_of_libsvm(self):
        """Words and signs must be equal, numbers to the tolerance of the stopping rule."""
        def lines(text):  # dots and stars show the progress of LIBSVM's solver
            return [line for line in text.splitlines() if line.strip(".*")]
        data = self.write("d", rows_text((1, -1), 120))
        many = self.write("t", rows_text((3, 1, 2), 120))
        for name, *flags in ((data, "-s", "0"), (data, "-s", "1", "-n", "0.4"), (data, "-s", "2"),
                             (data, "-s", "3"), (data, "-s", "4"), (data, "-w1", "2"),
                             (data, "-w1", "2", "-w-1", "2"), (many, "-w1", "2"),
                             (many, "-w1", "2", "-w3", "2"), (data, "-t", "1", "-d", "0"),
                             (data, "-s", "2", "-t", "1", "-d", "0"),
                             (data, "-s", "3", "-t", "1", "-d", "0", "-r", "2")):
            with self.subTest(flags=flags, data=name):
                mine = self.ours("svm-train", "-e", "1e-6", *flags, name, "a")
                other = self.theirs("svm-train", "-e", "1e-6", *flags, name, "b")
                mine, other = lines(mine.out), lines(other.out)
                number = r"-?[0-9.]+"
                self.assertEqual([re.sub(number, "", x) for x in mine],
                                 [re.sub(number, "", x) for x in other])
                for x, y in zip(mine, other):
                    if x.startswith(("nu =", "obj =", "epsilon =", "C =")):
                        for p, q in zip(re.findall(number, x), re.findall(number, y)):
                            self.assertAlmostEqual(float(p), float(q),
                                                   delta=2e-4 * max(1.0, abs(float(q))))
                for key in ("kernel_type", "degree", "nr_class"):
                    self.assertEqual(*([line for line in self.lines(m) if line.startswith(key)]
                                       for m in "ab"))

    def test_a_model_of_degree_0_predicts_as_libsvm_does(self):
        data = self.write("d", rows_text((1, -1), 60))
        for trainer in (self.ours, self.theirs):
            trainer("svm-train", "-q", "-t", "1", "-d", "0", data, "m")
            for predictor, output in ((self.ours, "mine"), (self.theirs, "other")):
                predictor("svm-predict", data, "m", output)
            self.assertEqual(self.lines("mine"), self.lines("other"))

    def test_cross_validation_of_one_class_is_told_as_accuracy(self):
        data = self.write("d", rows_text((1, -1), 200))
        mine, other = (run("svm-train", "-q", "-s", "2", "-n", "0.3", "-v", "5", data).out
                       for run in (self.ours, self.theirs))
        pattern = r"^Cross Validation Accuracy = ([0-9.]+)%\n$"
        self.assertRegex(mine, pattern)
        shares = [float(re.match(pattern, text).group(1)) for text in (mine, other)]
        self.assertAlmostEqual(*shares, delta=10.0)  # the folds differ

    def test_warnings_are_those_of_libsvm(self):
        data = self.write("d", "1 1:1 2:0.5 3:2\n-1 1:3 2:0.25 3:2\n1 2:0.75 3:2\n")
        sparse = self.write("s", "1 1:1\n-1 2:3\n1 3:1 4:1\n")
        kept = self.write("r", "x\n-1 1\n1 0 3\n")
        for words in (("svm-scale", "-r", kept, data), ("svm-scale", sparse),
                      ("svm-scale", "-l", "0", sparse), ("svm-train", "-q", "-w7", "2", data, "m"),
                      ("svm-train", "-q", "-s", "3", "-v", "9", data)):
            with self.subTest(words=words):
                mine, other = self.ours(*words), self.theirs(*words)
                self.assertEqual(mine.err, other.err)
                if words[0] == "svm-scale":
                    self.assertEqual(mine.out, other.out)

    def test_the_usage_names_precomputed_kernels(self):
        self.assertIn("4 precomputed kernel", self.ours("svm-train", status=2).err)

    def test_labels_agree_whoever_trained_and_whoever_predicts(self):
        for classes in ((1, -1), (3, 1, 2), (5, 4, 9, -2)):
            data = self.write("d", rows_text(classes, 120))
            test = self.write("t", rows_text(classes, 300, seed=2, columns=5))
            for flags in (["-c", "2", "-g", "0.5"], ["-t", "0"], ["-t", "3", "-g", "0.01"]):
                with self.subTest(classes=classes, flags=flags):
                    self.ours("svm-train", "-q", *flags, data, "a")
                    self.theirs("svm-train", "-q", *flags, data, "b")
                    for model in "ab":
                        mine = self.ours("svm-predict", test, model, "mine").out
                        other = self.theirs("svm-predict", test, model, "other").out
                        self.assertEqual(self.lines("mine"), self.lines("other"))
                        self.assertEqual(mine, other)
                        self.assertIn("(classification)", mine)

    def test_probabilities_agree_on_either_model(self):
        for classes in ((1, -1), (3, 1, 2)):
            data = self.write("d", rows_text(classes, 150))
            self.ours("svm-train", "-q", "-b", "1", data, "a")
            self.theirs("svm-train", "-q", "-b", "1", data, "b")
            for model in "ab":
                self.ours("svm-predict", "-b", "1", data, model, "mine")
                self.theirs("svm-predict", "-b", "1", data, model, "other")
                mine, other = self.lines("mine"), self.lines("other")
                self.assertEqual(mine[0], other[0])
                self.assertEqual(len(mine), len(other))
                for x, y in zip(mine[1:], other[1:]):
                    x, y = ([float(v) for v in line.split()] for line in (x, y))
                    # LIBSVM stops coupling three classes at 0.005 / 3
                    near = 1e-5 if len(classes) == 2 else 5e-3
                    for p, q in zip(x[1:], y[1:]):
                        self.assertAlmostEqual(p, q, delta=near)
                    self.assertAlmostEqual(sum(x[1:]), 1.0, delta=1e-5)
                    top = sorted(x[1:])
                    if top[-1] - top[-2] > 2 * near:
                        self.assertEqual(x[0], y[0])
        outcome = self.ours("svm-predict", "-b", "1", data, self.train_plain(data), "x", status=3)
        self.assertIn("probability", outcome.err)

    def train_plain(self, data):
        self.ours("svm-train", "-q", data, "plain")
        return "plain"

    def test_both_sigmoids_are_near_each_other(self):
        # The folds differ, the distribution does not: with many rows both are close.
        data = self.write("d", rows_text((1, -1), 900))
        self.ours("svm-train", "-q", "-b", "1", data, "a")
        self.theirs("svm-train", "-q", "-b", "1", data, "b")
        numbers = {}
        for model in "ab":
            for line in self.lines(model):
                key, *rest = line.split()
                if key in ("probA", "probB"):
                    numbers[model, key] = float(rest[0])
        self.assertAlmostEqual(numbers["a", "probA"], numbers["b", "probA"], delta=0.15)
        self.assertAlmostEqual(numbers["a", "probB"], numbers["b", "probB"], delta=0.15)

    def test_cross_validation_is_near_libsvms(self):
        data = self.write("d", rows_text((3, 1, 2), 600))
        found = [self.values(tool("svm-train", "-v", "5", data).out, "Accuracy")[0]
                 for tool in (self.ours, self.theirs)]
        self.assertAlmostEqual(found[0], found[1], delta=4.0)
        again = self.values(self.ours("svm-train", "-v", "5", data).out, "Accuracy")[0]
        self.assertEqual(found[0], again)

    def test_cross_validation_tells_of_each_fold_as_libsvm_does(self):
        classes = self.write("classes", rows_text((1, -1), 90))
        numbers = self.write("numbers", "".join(f"{k % 7}.5 1:{k % 11} 2:{k % 3}\n"
                                                for k in range(60)))
        for flags, data in (((), classes), (("-s", "1"), classes), (("-s", "2"), classes),
                            (("-s", "3"), numbers), (("-s", "4"), numbers)):
            with self.subTest(flags=flags):
                mine, other = ([re.sub(r"-?\d[\d.e+-]*", "N", line).strip("*.\n")
                                for line in tool("svm-train", *flags, "-v", "3", data).out.split("\n")]
                               for tool in (self.ours, self.theirs))
                self.assertEqual([line for line in mine if line],
                                 [line for line in other if line])

    def test_every_type_of_machine_agrees_with_libsvm(self):
        source = random.Random(3)
        numbers = self.write("numbers", "".join(
            f"{x * x + source.gauss(0, 0.2):.6g} 1:{x:.6g}\n"
            for x in (source.uniform(-2, 2) for _ in range(100))))
        classes = self.write("classes", rows_text((3, 1, 2), 120))
        for kind, data, flags in ((1, classes, ["-n", "0.4"]), (2, classes, ["-n", "0.2"]),
                                  (3, numbers, ["-p", "0.05", "-c", "2"]),
                                  (4, numbers, ["-n", "0.4", "-c", "2"]),
                                  (4, numbers, ["-n", "0.1", "-c", "0.3"]),
                                  (4, numbers, ["-n", "0.9", "-c", "10"]),
                                  (4, numbers, ["-n", "0.5", "-t", "0"])):
            with self.subTest(kind=kind, flags=flags):
                words = ["-s", str(kind), "-g", "0.5", "-e", "1e-6", *flags, data]
                other = self.theirs("svm-train", *words, "b").out
                text = self.ours("svm-train", *words, "a").out
                for x, y in zip(self.values(text, "obj"), self.values(other, "obj")):
                    self.assertAlmostEqual(x, y, delta=1e-5 * max(1.0, abs(y)))
                # If no row is on an edge of a free tube, edge and constant are not unique.
                slack = 2 * sum(abs(x - y) for x, y in zip(self.values(text, "epsilon"),
                                                           self.values(other, "epsilon")))
                answers = {}
                for model in "ab":
                    self.ours("svm-predict", data, model, "mine")
                    self.theirs("svm-predict", data, model, "other")
                    answers[model] = [float(v) for v in self.lines("mine")]
                    for x, y in zip(answers[model], map(float, self.lines("other"))):
                        self.assertAlmostEqual(x, y, delta=1e-9)
                if kind >= 3:
                    for x, y in zip(answers["a"], answers["b"]):
                        self.assertAlmostEqual(x, y, delta=1e-3 + slack)
                    self.assertLess(slack, 0.05)
                    continue
                # rows exactly on the edge may fall on either side
                different = sum(x != y for x, y in zip(answers["a"], answers["b"]))
                edge = 2
                if kind == 2:
                    support, bounded = map(int, re.findall(r"nB?SV = (\d+)", text)[:2])
                    edge = support - bounded
                self.assertLessEqual(different, edge)

    def kernel_rows(self, name, rows, basis):
        """Rows of linear kernel values with the rows of `basis`, each with its number."""
        def values(line):
            return {int(j): float(v) for j, v in
                    (word.split(":") for word in line.split()[1:])}
        known = [values(line) for line in basis]
        lines = []
        for i, line in enumerate(rows):
            own = values(line)
            k = [sum(v * other.get(j, 0.0) for j, v in own.items()) for other in known]
            lines.append(f"{line.split()[0]} 0:{i + 1} " +
                         " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(k)) + "\n")
        return self.write(name, "".join(lines))

    def test_precomputed_kernel_values_give_the_machine_of_the_kernel(self):
        for classes in ((1, -1), (3, 1, 2)):
            basis = rows_text(classes, 60).splitlines()
            data = self.kernel_rows("k", basis, basis)
            test = self.kernel_rows("t", rows_text(classes, 40, seed=2).splitlines(), basis)
            for flags in (["-s", "0", "-c", "2"], ["-s", "1", "-n", "0.77"], ["-s", "2"],
                          ["-s", "3"], ["-s", "4"], ["-s", "0", "-b", "1"]):
                with self.subTest(classes=classes, flags=flags):
                    words = ["-t", "4", "-e", "1e-5", *flags, data]
                    mine = self.ours("svm-train", *words, "a").out
                    other = self.theirs("svm-train", *words, "b").out
                    if "-b" not in flags:
                        for x, y in zip(self.values(mine, "obj"), self.values(other, "obj")):
                            self.assertAlmostEqual(x, y, delta=2e-4 * max(1.0, abs(y)))
                    self.assertIn("kernel_type precomputed", self.lines("a"))
                    for model in "ab":
                        self.ours("svm-predict", test, model, "mine")
                        self.theirs("svm-predict", test, model, "other")
                        for x, y in zip(self.lines("mine"), self.lines("other")):
                            self.assertAlmostEqual(float(x), float(y), delta=1e-6)
                    self.ours("svm-train", "-t", "4", "-v", "3", *flags, data)
        # The same machine as with the kernel itself.
        rows = self.write("d", "\n".join(basis) + "\n")
        a = self.ours("svm-train", "-t", "4", "-e", "1e-5", data, "a").out
        b = self.ours("svm-train", "-t", "0", "-e", "1e-5", rows, "b").out
        for x, y in zip(self.values(a, "obj"), self.values(b, "obj")):
            self.assertAlmostEqual(x, y, delta=1e-4 * abs(y))
        for text, message in (("1 1:1\n-1 1:2\n", "row 1"), ("1 0:1 1:1\n-1 0:9 1:1\n", "row 2"),
                              ("1 0:1 1:1 2:0\n-1 0:1 1:0 2:1\n", "row 2"),
                              ("1 0:1.5 1:1 2:0\n-1 0:1 1:0 2:1\n", "row 1")):
            outcome = self.ours("svm-train", "-t", "4", self.write("bad", text), "m", status=3)
            self.assertIn(message, outcome.err)
        narrow = self.write("narrow", "1 0:1 1:0.5\n")
        self.assertIn("kernel values up to number 1",
                      self.ours("svm-predict", narrow, "a", "out", status=3).err)

    def test_models_convert_there_and_back(self):
        data = self.write("d.svm", rows_text((3, 1, 2), 120))
        self.expect(self.run_program("train", data, "-o", "m.mercer", "--kernel",
                                     "rbf(gamma=0.5)", "--probability"), 0)
        labels = self.expect(self.run_program("predict", "m.mercer", data), 0).out
        self.expect(self.run_program("convert", "m.mercer", "-o", "m.libsvm"), 0)
        self.theirs("svm-predict", data, "m.libsvm", "other")
        self.assertEqual((self.folder / "other").read_text(), labels)
        self.expect(self.run_program("convert", "m.libsvm", "-o", "n.mercer"), 0)
        for words in ([], ["--output", "decision"], ["--output", "probability"],
                      ["--output", "decision", "--decision-shape", "ovr"]):
            self.assertEqual(
                self.expect(self.run_program("predict", "n.mercer", data, *words), 0).out,
                self.expect(self.run_program("predict", "m.mercer", data, *words), 0).out)
        outcome = self.run_program("verify", "n.mercer", data)
        self.assertEqual(outcome.status, 1)
        self.assertIn("another program", outcome.out)
        outcome = self.run_program("convert", "m.mercer", "-o", "m.onnx9")
        self.assertEqual(outcome.status, 2)

    def test_scaling_prints_what_libsvm_prints(self):
        data = self.write("d", rows_text((3, 1, 2), 60) + "1 2:4\n")
        test = self.write("t", rows_text((3, 1, 2), 40, seed=3))
        for flags in ([], ["-l", "0", "-u", "2"], ["-y", "-1", "1"]):
            with self.subTest(flags=flags):
                a = self.ours("svm-scale", *flags, "-s", "a", data).out
                b = self.theirs("svm-scale", *flags, "-s", "b", data).out
                self.assertEqual(a, b)
                self.assertEqual(self.lines("a"), self.lines("b"))
                a = self.ours("svm-scale", "-r", "b", test).out
                b = self.theirs("svm-scale", "-r", "a", test).out
                self.assertEqual(a, b)
        self.assertEqual(self.ours("svm-scale", "-l", "1", "-u", "0", data, status=2).out, "")
        bad = self.write("bad", "x\n-1 1\n1 0 nan\n")
        self.assertIn("bad:3", self.ours("svm-scale", "-r", bad, data, status=3).err)

    def test_bad_parameters_are_refused_with_the_status_of_usage(self):
        data = self.write("d", rows_text((1, -1), 20))
        for flags in (["-c", "-1"], ["-c", "nan"], ["-c", "inf"], ["-g", "-1"], ["-e", "0"],
                      ["-e", "nan"], ["-s", "9"], ["-t", "9"], ["-v", "1"],
                      ["-h", "2"], ["-b", "2"], ["-m", "0"], ["-w1", "nan"], ["-wx", "1"], ["-z"],
                      ["-d", "-1", "-t", "1"], ["-c"], ["-c", "1,5"]):
            with self.subTest(flags=flags):
                outcome = self.ours("svm-train", *flags, data, "m", status=2)
                self.assertNotEqual(outcome.err, "")
                self.assertFalse((self.folder / "m").exists())
        self.ours("svm-train", status=2)
        self.ours("svm-train", data, "m", "more", status=2)
        self.ours("svm-predict", data, status=2)
        self.ours("svm-predict", "-x", data, "m", "o", status=2)

    def test_bad_data_is_refused_with_its_place(self):
        for text, message in (("1 1:1\n-1 1:2 1:3\n", "d:2"), ("1 1:1\n", "classes"),
                              ("1.5 1:1\n2 1:2\n", "row 1 has 1.5"), ("1 0:1\n-1 1:1\n", "d:1"),
                              ("1 1:nan\n-1 1:1\n", "d:1"), ("", "rows"),
                              ("9999999999 1:1\n1 1:1\n", "row 1")):
            with self.subTest(text=text):
                outcome = self.ours("svm-train", self.write("d", text), "m", status=3)
                self.assertIn(message, outcome.err)
        self.ours("svm-train", "nowhere", "m", status=3)

    def test_names_of_any_length_and_the_default_model_name(self):
        text = rows_text((1, -1), 20)
        folder = self.folder
        for _ in range(8):
            folder = folder / ("f" * 200)
        os.makedirs(folder)
        (folder / "data").write_text(text)
        self.ours("svm-train", "-q", folder / "data", folder / "model")
        self.ours("svm-predict", folder / "data", folder / "model", folder / "out")
        self.write("plain", text)
        self.ours("svm-train", "-q", "plain")
        self.assertTrue((self.folder / "plain.model").exists())


if __name__ == "__main__":
    unittest.main()
