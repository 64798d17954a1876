# SPDX-License-Identifier: Apache-2.0
"""tests/cli/asked_test.py - output and options that users asked for."""

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
        """All text that reaches a terminal on standard error."""
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
    """Rows with a second column that many times wider than the others."""
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
        lines = self.lines("select", data, "-o", "m.mercer", "--grid", "C=1:1e6:log10", "--solver",
                           "smo", "--kernel", "matern(nu=1.3, length=1)", "-j", 1, "--folds", 3)
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

    def test_columns_beyond_all_numbers_are_left_to_the_kernel_that_cannot_take_them(self):
        self.table("d.csv", "a,b,y", [["1e308", 1, 0], ["-1e308", 2, 1], [0, 3, 1], [0, 4, 0]])
        outcome = self.run_program("train", "d.csv", "-o", "m", "--kernel", "linear")
        self.assertIn("k(x, x) is inf for linear", outcome.err)
        self.assertNotIn("range of column", outcome.err)

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


class NamesTest(AskedTest):
    def train(self, *words):
        self.table("d.csv", "length,width,weight,kind", FLOWERS)
        self.expect(self.run_program("train", "d.csv", "-o", "m", "-q", *words), 0)

    def decisions(self, data, *words):
        return self.expect(self.run_program("predict", "m", data, "--output", "decision", *words),
                           0).out

    def test_columns_in_another_order_are_put_in_that_of_the_model(self):
        self.train()
        wanted = self.decisions("d.csv")
        self.table("r.csv", "kind,weight,width,length", [row[::-1] for row in FLOWERS])
        self.assertEqual(self.decisions("r.csv"), wanted)
        self.assertEqual(self.expect(self.run_program("evaluate", "m", "r.csv", "--json"), 0)
                         .json()["accuracy"], 1.0)
        self.expect(self.run_program("verify", "m", "r.csv"), 0)

    def test_columns_that_the_model_does_not_know_may_hold_anything(self):
        self.train()
        wanted = self.decisions("d.csv")
        self.table("r.csv", "id,weight,kind,width,length",
                   [(f"no {i}", c, k, b, a) for i, (a, b, c, k) in enumerate(FLOWERS)])
        self.assertEqual(self.decisions("r.csv"), wanted)
        self.assertIn("r.csv: columns that are not used: 'id'",
                      self.run_program("predict", "m", "r.csv", "-v").err)
        self.table("u.csv", "id,weight,width,length",
                   [(f"no {i}", c, b, a) for i, (a, b, c, _) in enumerate(FLOWERS)])
        self.assertEqual(self.decisions("u.csv"), wanted)
        self.refused(3, "the rows have no targets", "evaluate", "m", "u.csv")

    def test_columns_that_are_missing_are_named(self):
        self.train()
        self.table("r.csv", "length,size,kind", [(a, b, k) for a, b, _, k in FLOWERS])
        for command in ("predict", "evaluate", "verify"):
            self.refused(3, "r.csv:1:1: the file has no feature 'width', 'weight', which the model "
                         "was trained on", command, "m", "r.csv")

    def test_files_without_names_go_by_place(self):
        self.train()
        wanted = self.decisions("d.csv")
        self.table("n.csv", "", FLOWERS)
        self.assertEqual(self.decisions("n.csv"), wanted)
        self.expect(self.run_program("data", "convert", "d.csv", "-o", "n.svm"), 0)
        self.assertEqual(self.decisions("n.svm"), wanted)
        self.table("d.csv", "", FLOWERS)
        self.expect(self.run_program("train", "d.csv", "-o", "m", "-q"), 0)
        self.table("r.csv", "a,b,c,kind", FLOWERS)
        self.assertEqual(self.decisions("r.csv"), wanted)

    def test_names_are_in_the_model_and_a_model_without_is_of_the_version_it_was(self):
        self.train()
        told = self.run_program("inspect", "m", "--json").json()
        self.assertEqual(told["column_names"], ["length", "width", "weight"])
        self.assertEqual(told["target_name"], "kind")
        self.assertEqual((self.folder / "m").read_bytes()[8], 7)
        self.table("n.csv", "", FLOWERS)
        self.expect(self.run_program("train", "n.csv", "-o", "n", "-q"), 0)
        self.assertEqual((self.folder / "n").read_bytes()[8], 2)

    def test_every_kind_of_model_keeps_its_names(self):
        numbers = [(a, b, c, c / 10) for a, b, c, _ in FLOWERS]
        self.table("f.csv", "length,width,weight,y", numbers)
        grades = [(a, b, c, i % 3) for i, (a, b, c, _) in enumerate(FLOWERS)]
        self.table("g.csv", "length,width,weight,y", grades)
        for data, words in (("f.csv", ("--model", "krr")),
                            ("f.csv", ("--model", "least-squares", "--penalty", "l1")),
                            ("g.csv", ("--model", "ordinal")),
                            ("g.csv", ("--model", "klr")),
                            ("g.csv", ("--model", "svc"))):
            with self.subTest(words=words):
                self.expect(self.run_program("train", data, "-o", "m", "-q", *words), 0)
                rows = [row[::-1] for row in (numbers if data == "f.csv" else grades)]
                self.table("r.csv", "y,weight,width,length", rows)
                self.assertEqual(self.decisions("r.csv"), self.decisions(data))
                self.expect(self.run_program("verify", "m", "r.csv"), 0)


class ColumnsTest(AskedTest):
    def info(self, data, *words):
        return self.expect(self.run_program("data", "info", data, "--json", *words), 0).json()

    def test_columns_are_left_out_by_name_number_and_range(self):
        self.table("d.csv", "id,a,b,c,y", [(f"row {i}", i, 2 * i, i % 5, i % 2)
                                           for i in range(20)])
        self.refused(3, "is not a number", "data", "info", "d.csv")
        for words in (("--drop", "id,b"), ("--drop", "0,2"), ("--only", "a,c"), ("--only", "1,3"),
                      ("--drop", "id, 2-2")):
            with self.subTest(words=words):
                self.expect(self.run_program("data", "convert", "d.csv", "-o", "o.csv", "-q",
                                             *words), 0)
                lines = (self.folder / "o.csv").read_text().splitlines()
                self.assertEqual(lines[0], "a,c,y")
                self.assertEqual(lines[4], "3,3,1")
        self.assertEqual(self.info("d.csv", "--only", "1-3")["columns"], 3)

    def test_arrays_and_sparse_rows_take_numbers(self):
        self.write("d.svm", "1 1:1 2:5 4:3\n-1 1:2 2:7\n")
        self.expect(self.run_program("data", "convert", "d.svm", "-o", "o.svm", "-q", "--drop", 2),
                    0)
        self.assertEqual((self.folder / "o.svm").read_text(), "1 1:1 4:3\n-1 1:2\n")
        self.expect(self.run_program("data", "convert", "d.svm", "-o", "d.npy", "-q"), 0)
        self.expect(self.run_program("data", "convert", "d.npy", "-o", "o.csv", "-q", "--target",
                                     "-1", "--only", "0,1"), 0)
        self.assertEqual((self.folder / "o.csv").read_text().splitlines()[-1], "2,7,0")
        self.refused(3, "d.svm: drop: there is no column 9; they are 1 to 4", "data", "info",
                     "d.svm", "--drop", 9)

    def test_what_cannot_be_meant_is_refused(self):
        self.table("d.csv", "height,width,y", [(1, 2, 0), (3, 4, 1)])
        self.refused(3, "drop: no column is named 'hight'; did you mean 'height'?", "data", "info",
                     "d.csv", "--drop", "hight")
        self.refused(2, "--drop: got 0, must stand alone", "data", "info", "d.csv", "--drop", 0,
                     "--only", 1)
        self.refused(3, "drop: no feature column is left", "data", "info", "d.csv", "--drop",
                     "height,width")

    def test_every_command_that_reads_data_takes_them(self):
        self.table("d.csv", "id,a,b,y", [(f"r{i}", i % 7, i % 5, "pq"[i % 7 > 3])
                                         for i in range(40)])
        self.expect(self.run_program("train", "d.csv", "-o", "m", "--drop", "id", "-q"), 0)
        self.expect(self.run_program("verify", "m", "d.csv", "--drop", "id"), 0)
        self.expect(self.run_program("verify", "m", "d.csv"), 0)  # the model stores its column
                                                                  # names
        self.expect(self.run_program("kernel", "gram", "linear", "d.csv", "-o", "k.npy", "--only",
                                     "a,b"), 0)
        self.expect(self.run_program("select", "d.csv", "-o", "m", "--grid", "C=1,2,3", "--drop",
                                     "id", "-q"), 0)

    def test_a_misspelt_target_is_answered_with_the_columns(self):
        self.table("d.csv", "height,width,kind", [(1, 2, "a"), (3, 4, "b")])
        self.refused(3, "target: no column is named 'knid'; did you mean 'kind'? The columns are "
                     "'height', 'width', 'kind'", "data", "info", "d.csv", "--target", "knid")


class ReadingTest(AskedTest):
    def test_a_decimal_comma_is_found_and_said(self):
        self.write("p.csv", "a,b,y\n1.5,2.25,0\n-0.5,3,1\n1e-3,7.5,0\n")
        self.expect(self.run_program("data", "convert", "p.csv", "-o", "wanted.npy", "-q"), 0)
        for name, text in (("h.csv", "a;b;y\n1,5;2,25;0\n-0,5;3;1\n1e-3;7,5;0\n"),
                           ("n.csv", "1,5;2,25;0\n-0,5;3;1\n1e-3;7,5;0\n"),
                           ("t.tsv", "1,5\t2,25\t0\n-0,5\t3\t1\n1e-3\t7,5\t0\n")):
            with self.subTest(name=name):
                self.write(name, text)
                done = self.expect(self.run_program("data", "convert", name, "-o", "got.npy"), 0)
                self.assertIn(f"note: {name}: numbers are read with a decimal comma", done.err)
                self.assertEqual((self.folder / "got.npy").read_bytes(),
                                 (self.folder / "wanted.npy").read_bytes())

    def test_a_point_is_a_point_whatever_ends_the_field(self):
        self.write("d.csv", "1.5;2.25;0\n0.5;3;1\n")
        done = self.expect(self.run_program("data", "info", "d.csv", "--json"), 0)
        self.assertNotIn("note", done.err)
        self.assertEqual(done.json()["columns"], 2)
        self.write("d.csv", "1,5,0\n2,7,1\n")
        self.assertEqual(self.run_program("data", "info", "d.csv", "--json").json()["columns"], 2)
        self.write("d.csv", "2.5;1\n1,5;0\n")
        self.refused(3, "d.csv:2:1: column 0: '1,5' is not a number", "data", "info", "d.csv")

    def test_spellings_of_true_are_one_class(self):
        self.table("d.csv", "a,b,y", [(i, i % 3, ("true", "True", "FALSE", "false")[i % 4])
                                      for i in range(16)])
        told = self.expect(self.run_program("train", "d.csv", "-o", "m", "--json"), 0).json()
        self.assertEqual(told["classes"], ["false", "true"])
        self.expect(self.run_program("verify", "m", "d.csv"), 0)
        self.table("d.csv", "a,b,y", [(i, i % 3, ("True", "False")[i % 2]) for i in range(16)])
        told = self.expect(self.run_program("train", "d.csv", "-o", "m", "--json"), 0).json()
        self.assertEqual(told["classes"], ["False", "True"])
        self.table("t.csv", "a,b,y", [(i, i % 3, ("TRUE", "FALSE")[i % 2]) for i in range(16)])
        self.expect(self.run_program("evaluate", "m", "t.csv"), 0)

    def npz(self, name, labels, kind):
        """An archive as NumPy writes it, by hand: the tests need no NumPy."""
        def array(kind, shape, raw):
            head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
            return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + raw
        width = int(kind[2:])
        code = {"<U": "utf-32-le", ">U": "utf-32-be", "|S": "utf-8"}[kind[:2]]
        step = 1 if kind[1] == "S" else 4
        texts = b"".join(text.encode(code).ljust(step * width, b"\0") for text in labels)
        rows = b"".join(struct.pack("<dd", i, i % 3) for i in range(len(labels)))
        with zipfile.ZipFile(self.path(name), "w") as archive:
            archive.writestr("y.npy", array(kind, (len(labels),), texts))
            archive.writestr("X.npy", array("<f8", (len(labels), 2), rows))
        return self.path(name)

    def test_labels_in_npz_may_be_text(self):
        labels = ["größe", "setosa"] * 6
        for kind in ("<U6", ">U6", "|S8"):
            with self.subTest(kind=kind):
                self.npz("d.npz", labels, kind)
                told = self.expect(self.run_program("train", "d.npz", "-o", "m", "--json"), 0)
                self.assertEqual(told.json()["classes"], ["größe", "setosa"])
                self.expect(self.run_program("verify", "m", "d.npz"), 0)
        self.npz("d.npz", ["1", "2", "1", "-3"], "<U2")
        self.assertEqual(self.run_program("train", "d.npz", "-o", "m", "--json").json()["classes"],
                         ["-3", "1", "2"])
        self.npz("d.npz", ["a", "", "b"], "<U2")
        self.refused(3, "d.npz(y.npy):2:1: y: '' is a missing value", "data", "info", "d.npz")
        self.npz("d.npz", ["a", "b"], "<U2")
        self.refused(3, "y: 'a' is not a number", "train", "d.npz", "-o", "m", "--model", "krr")


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

    def test_verify_on_other_rows_says_so_first(self):
        data = self.make_data("d.svm", rows=40)
        other = self.make_data("e.svm", rows=40, seed=5)
        few = self.make_data("f.svm", rows=30)
        self.expect(self.run_program("train", data, "-o", "m", "-q"), 0)
        for rows in (other, few):
            outcome = self.expect(self.run_program("verify", "m", rows), 1)
            self.assertTrue(outcome.out.startswith("these are not the training rows"), outcome.out)
            told = self.run_program("verify", "m", rows, "--json").json()
            self.assertIs(told["training_rows"], False)
        told = self.expect(self.run_program("verify", "m", data, "--json"), 0).json()
        self.assertIs(told["training_rows"], True)


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


class MemoryTest(AskedTest):
    def test_conjugate_gradients_are_taken_when_the_matrix_does_not_fit(self):
        data = self.make_data("f.npz", "friedman1", rows=3000, columns=5)
        words = ("train", data, "-o", "m", "--model", "krr", "--memory", "40M")
        plan = self.expect(self.run_program(*words, "--dry-run", "--json"), 0).json()
        self.assertEqual(plan["solver"], "conjugate-gradient")
        told = self.expect(self.run_program(*words, "--json"), 0).json()
        self.assertEqual(told["solver"], "conjugate-gradient")
        self.expect(self.run_program("verify", "m", data), 0)
        plan = self.run_program("train", data, "-o", "m", "--model", "krr", "--dry-run", "--json")
        self.assertEqual(plan.json()["solver"], "cholesky")
        self.refused(4, "or leave --solver to auto: conjugate-gradient needs", *words, "--solver",
                     "cholesky")
        self.refused(4, "memory: krr by cholesky needs", *words, "--loo")

    def test_conjugate_gradients_are_taken_for_classes_too(self):
        for classes in (2, 3):
            with self.subTest(classes=classes):
                data = self.make_data("c.npz", "blobs", rows=2400, classes=classes)
                words = ("train", data, "-o", "m", "--model", "ls-svc", "--memory",
                         "16M")
                plan = self.expect(self.run_program(*words, "--dry-run", "--json"), 0).json()
                self.assertEqual(plan["solver"], "conjugate-gradient")
                told = self.expect(self.run_program(*words, "--json"), 0).json()
                self.assertEqual(told["solver"], "conjugate-gradient")


if __name__ == "__main__":
    unittest.main()
