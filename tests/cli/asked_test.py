# SPDX-License-Identifier: Apache-2.0
"""tests/cli/asked_test.py - what users asked the program to say and to take."""

import os
import pty
import re
import subprocess
import unittest

from program import PROGRAM, ProgramTest


class AskedTest(ProgramTest):
    def on_a_terminal(self, *words, columns=80):
        """All text that reaches a terminal which has the second stream."""
        parent, child = pty.openpty()
        import fcntl
        import struct
        import termios
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
        self.assertRegex(notes[0], r"^columns differ \d,\d\d\d,\d\d\d-fold: --scale standard$")
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


if __name__ == "__main__":
    unittest.main()
