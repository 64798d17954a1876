# SPDX-License-Identifier: Apache-2.0
"""tests/cli/asked_test.py - what users asked the program to say and to take."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unittest
import zipfile

from program import PROGRAM, ProgramTest


class AskedTest(ProgramTest):
    def on_a_terminal(self, *words, columns=80):
        """All text that reaches a terminal which has the second stream."""
        parent, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen([PROGRAM, *map(str, words)], stdout=subprocess.DEVNULL,
                                   stderr=child, stdin=subprocess.DEVNULL, cwd=self.folder,
                                   env=dict(os.environ) | {"TERM": "xterm"})
        os.close(child)
        return self.read_terminal(parent, process).decode()

    def refused(self, status, message, *words):
        outcome = self.expect(self.run_program(*words), status)
        self.assertIn(message, outcome.err)
        return outcome

    def table(self, name, header, rows):
        lines = [header] if header else []
        return self.write(name, "\n".join(lines + [",".join(map(str, row)) for row in rows]) + "\n")


def wide_rows(classes, factor=1e6):
    """Rows whose second column is so many times wider than the others."""
    rows = []
    for i in range(120):
        a, b, c = (i * 7 % 41) / 20 - 1, (i * 11 % 37) / 18 - 1, (i * 13 % 43) / 21 - 1
        f = 2 * a + b + ((i * 17) % 19) / 60
        rows.append((a, b * factor, c, ("p" if f > 0 else "n") if classes else f))
    return rows


class ProgressTest(AskedTest):
    def lines(self, *words, **options):
        return [line for line in re.split(r"\r|\x1b\[K", self.on_a_terminal(*words, **options))
                if "%" in line or "iteration" in line]

    def test_a_terminal_sees_the_stage_in_words_a_bar_the_share_and_the_time_left(self):
        data = self.make_data("d.npy", rows=2500, columns=2)
        # A kernel without a vector form: long enough for a line on any machine.
        words = ["kernel", "gram", "matern(nu=1.3, length=1)", data, "-o", "/dev/null", "-j", 1]
        lines = self.lines(*words)
        self.assertTrue(lines)
        for line in lines:
            self.assertRegex(line, r"^computing K  \[#*-*\]  \d+ %  ")
            self.assertLess(len(line), 80)
        self.assertTrue(any(re.search(r"  \d+ (s|min \d\d s) left  \d+\.\d s  ", line)
                            for line in lines), lines)

    def test_a_narrow_terminal_sees_what_fits(self):
        data = self.make_data("d.npy", rows=2500, columns=2)
        lines = self.lines("kernel", "gram", "matern(nu=1.3, length=1)", data, "-o", "/dev/null",
                           "-j", 1, columns=40)
        self.assertTrue(lines)
        for line in lines:
            self.assertLess(len(line), 40)

    def test_combinations_stay_on_the_line_while_solvers_report_their_gap(self):
        data = self.make_data("d.svm", "checkerboard", rows=1500, seed=3)
        lines = self.lines("select", data, "-o", "m.mercer", "--grid", "C=1,10,100,1000,10000",
                           "--kernel", "matern(nu=1.3, length=1)", "-j", 1, "--folds", 3,
                           "--time-limit", 8)
        judging = [line for line in lines if line.startswith("judging combinations  [")]
        self.assertTrue(any("  gap " in line for line in judging), lines)


class RemedyTest(AskedTest):
    def notes(self, status, *words):
        outcome = self.expect(self.run_program(*words, "--json"), status)
        notes = outcome.json().get("notes", [])
        for note in notes:
            self.assertEqual(outcome.err.count(f"note: {note}\n"), 1, outcome.err)
        return notes

    def test_columns_of_different_width_are_told_at_the_start_and_after_a_reduced_end(self):
        self.table("d.csv", "a,b,c,y", wide_rows(classes=True))
        notes = self.notes(1, "train", "d.csv", "-o", "m", "--model", "klr", "--kernel", "linear",
                           "-C", 1e6)
        self.assertEqual(len(notes), 1)
        self.assertRegex(notes[0], r"^columns differ \d\d\d,\d\d\d-fold: --scale standard$")
        self.table("d.csv", "a,b,c,y", wide_rows(classes=True, factor=100))
        self.assertEqual(self.notes(0, "train", "d.csv", "-o", "m", "--scale", "standard"), [])
        self.assertEqual(self.notes(0, "train", "d.csv", "-o", "m"), [])

    def test_a_run_that_lacks_iterations_says_which_option_to_raise(self):
        data = self.make_data("d.svm", "moons", rows=200)
        notes = self.notes(1, "train", data, "-o", "m", "-C", 100, "--solver", "smo",
                           "--max-iterations", 5)
        self.assertEqual(notes, ["raise --max-iterations, now 5"])

    def test_a_run_that_rounding_ends_says_what_would_help(self):
        rows = [(i / 50, i / 50 * (1 + 1e-9 * (i % 2)), i % 3) for i in range(50)]
        self.table("d.csv", "a,b,y", rows)
        notes = self.notes(1, "train", "d.csv", "-o", "m", "--model", "krr", "--kernel",
                           "poly(degree=8)", "--alpha", 1e-18)
        self.assertEqual(len(notes), 1)
        self.assertIn("double precision ends here: an --alpha above 1e-18", notes[0])


FLOWERS = [(5.1, 3.5, 10, "s"), (4.9, 3.0, 12, "s"), (6.4, 3.2, 31, "v"), (6.9, 3.1, 35, "v"),
           (6.3, 3.3, 33, "v"), (5.0, 3.4, 11, "s"), (6.0, 2.9, 30, "v"), (4.7, 3.2, 13, "s")]


class HintTest(AskedTest):
    def test_a_classifier_on_a_quantity_asks_for_a_regression(self):
        self.table("d.csv", "a,b,y", [(i, i % 7, (i * 37 % 229) / 4) for i in range(300)])
        done = self.expect(self.run_program("train", "d.csv", "-o", "m", "--json", "--multiclass",
                                            "ovr"), 0)
        self.assertIn("warning: svc: 229 classes for 300 rows", done.err)
        self.assertIn("is the target a quantity? --model svr", done.err)
        self.assertIn("229 classes for 300 rows", done.json()["notes"][0])
        self.table("d.csv", "a,b,y", [(i, i % 7, i % 3) for i in range(60)])
        done = self.expect(self.run_program("train", "d.csv", "-o", "m", "--json"), 0)
        self.assertNotIn("notes", done.json())
        self.assertNotIn("quantity", done.err)

    def test_gamma_and_sigma_stand_for_an_rbf_kernel(self):
        data = self.make_data("d.svm", "moons", rows=60)
        for words, kernel in ((("--gamma", 0.5), "rbf(gamma=0.5)"),
                              (("--sigma", 2), "rbf(sigma=2)"),
                              (("--kernel", "rbf", "--gamma", 0.5), "rbf(gamma=0.5)")):
            with self.subTest(words=words):
                wanted = self.run_program("train", data, "-o", "w", "--kernel", kernel, "--json")
                got = self.run_program("train", data, "-o", "m", "--json", *words)
                self.assertEqual(self.expect(got, 0).json()["kernel"], wanted.json()["kernel"])
                self.assertEqual((self.folder / "m").read_bytes(), (self.folder / "w").read_bytes())
        self.expect(self.run_program("select", data, "-o", "m", "--grid", "C=1,2,3", "--gamma", 1),
                    0)
        self.expect(self.run_program("compare", data, "--gamma", 1, "--solvers", "smo"), 0)
        self.expect(self.run_program("path", data, "-o", "p", "--over", "C", "--to", 1, "--sigma",
                                     1), 0)

    def test_a_kernel_with_its_own_parameters_excludes_them(self):
        data = self.make_data("d.svm", rows=20)
        for kernel in ("rbf(gamma=1)", "laplace", "2 * rbf"):
            self.refused(2, "--gamma: stands for the parameter of a single rbf kernel", "train",
                         data, "-o", "m", "--kernel", kernel, "--gamma", 1)
        self.refused(2, "excludes", "train", data, "-o", "m", "--sigma", 1, "--gamma", 1)

    def test_words_of_other_programs_are_answered(self):
        data = self.make_data("d.svm", rows=20)
        self.refused(2, "not understood: -c; did you mean -C?", "train", data, "-o", "m", "-c", 1)
        for words in (("--kernel", "rbf(gamma=auto)"), ("--gamma", "auto")):
            self.refused(2, "auto is 1 / columns elsewhere", "train", data, "-o", "m", *words)
        self.refused(2, "did you mean svc?", "train", data, "-o", "m", "--model", "SVC")
        for word in ("SVC", "svc"):
            self.refused(2, "it is a model: mercer train DATA -o MODEL --model svc", word, data)

    def test_help_is_a_command(self):
        for words in ((), ("train",), ("kernel", "gram"), ("data",)):
            with self.subTest(words=words):
                page = self.expect(self.run_program("help", *words), 0)
                self.assertEqual(page.out, self.run_program(*words, "--help").out)
        self.refused(2, "help: mercer has no command trian; did you mean train?", "help", "trian")


class GridTest(AskedTest):
    def test_a_best_value_at_the_edge_of_its_grid_is_flagged(self):
        data = self.make_data("d.svm", "checkerboard", rows=300, seed=2)
        done = self.expect(self.run_program("select", data, "-o", "m", "--grid", "C=0.001,0.01",
                                            "--grid", "gamma=1,3,10,30,100", "--json"), 0)
        told = done.json()
        edge = told["best"]["C"]
        word, beyond = ("greatest", "0.1") if edge == 0.01 else ("least", "0.0001")
        self.assertTrue(any(f"the best C = {edge:g} is the {word} of its grid: try {beyond} " in note
                            for note in told["notes"]), told.get("notes"))
        self.assertIn("note: the best C", done.err)
        done = self.expect(self.run_program("select", data, "-o", "m", "--grid", "gamma=3", "--grid",
                                            "C=0.1,1e9"), 0)
        self.assertNotIn("the best gamma", done.err)

    def test_finer_grids_go_on_around_the_best(self):
        data = self.make_data("f.npz", "sinc", rows=80, seed=2)
        words = ("select", data, "-o", "m", "--model", "krr", "--kernel", "rbf(gamma=1)", "--grid",
                 "alpha=10,100", "--loo", "--json")
        coarse = self.expect(self.run_program(*words), 0).json()
        fine = self.expect(self.run_program(*words, "--refine", 3), 0).json()
        self.assertLess(fine["best"]["loo_rmse"], coarse["best"]["loo_rmse"])
        self.assertLess(fine["best"]["alpha"], 10)
        values = [row["alpha"] for row in fine["table"]]
        self.assertEqual(len(values), len(set(values)))
        self.assertEqual(min(row["loo_rmse"] for row in fine["table"]), fine["best"]["loo_rmse"])
        self.refused(2, "--refine makes finer grids", "select", data, "-o", "m", "--model", "krr",
                     "--gradient", "loo", "--refine", 1)


if __name__ == "__main__":
    unittest.main()
