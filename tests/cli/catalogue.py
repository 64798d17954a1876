# SPDX-License-Identifier: Apache-2.0
"""tests/cli/catalogue.py - how degenerate and hostile problems must end, and their runner.

Each ends within ten seconds of work in one of three ways: certified, a reduced status that is
reported, or a refusal that names the row, column or parameter. Never a crash, a hang, or a NaN.
"""

import math
import os
import random
import resource
import subprocess

from program import ProgramTest

SECONDS = math.ceil(10 * float(os.environ.get("MERCER_TEST_PATIENCE", "1.0")))
SANITIZED = "MERCER_TEST_SANITIZED" in os.environ
PAIR = "-1 1:-1\n1 1:1\n"
CERTIFIED = "certified"  # status 0, converged, the proof verified
HONEST = "honest"        # that, or status 1 with a model, its gap and a verified proof
ANY = "any"              # that, or a refusal that names the row, the column or the parameter
VOID = "void"            # trained, and the certificate says that it proves nothing
# The support vector family; a name that is not a machine stands for one with options.
MACHINES = {"absolute": ("svr", "--epsilon", "0")}
FAMILY = ("svc", "hard-margin", "nu-svc", "one-class", "svr", "absolute", "nu-svr", "l2-svc",
          "huber-svc", "ls-svc")


def svm(rows):
    """LIBSVM text of (label, values) rows; zeros are left out."""
    return "".join(f"{label} " + " ".join(f"{j + 1}:{value!r}" for j, value in enumerate(values)
                                          if value) + "\n" for label, values in rows)


def normals(rows, columns, scale=1.0, shift=0.0, seed=1):
    """Two overlapping clouds."""
    numbers = random.Random(seed)
    return [((-1, 1)[i % 2], [scale * (numbers.gauss(0, 1) + 0.7 * (i % 2)) + shift
                              for _ in range(columns)]) for i in range(rows)]


def uniforms(rows, columns, largest, seed=1):
    numbers = random.Random(seed)
    return [((-1, 1)[i % 2], [largest * numbers.random() for _ in range(columns)])
            for i in range(rows)]


def integers_of_a_segmentation_fault():
    """28 rows that stopped a well known package."""
    values = ([20] + [13, 14, 15] * 37)[:112]
    return [(1 + i // 14, [values[j * 28 + i] for j in range(4)]) for i in range(28)]


class CatalogueCase(ProgramTest):
    """Runs rows of (name, data, machines, words, wanted end)."""

    def finite(self, value, where="answer"):
        """No NaN or infinity anywhere in the output (JSON has null for them)."""
        if isinstance(value, dict):
            for key, part in value.items():
                self.finite(part, f"{where}.{key}")
        elif isinstance(value, list):
            for part in value:
                self.finite(part, where)
        elif isinstance(value, float):
            self.assertTrue(math.isfinite(value), where)

    def refused(self, outcome, status, message):
        self.assertEqual(outcome.status, status, outcome.err + outcome.out)
        self.assertRegex(outcome.err, message)
        self.assertFalse((self.folder / "m.mercer").exists())

    def used(self, data):
        """The model loads and predicts a finite number for every row."""
        values = self.expect(self.run_program("predict", "m.mercer", data, "--output", "decision",
                                              "-q"), 0).out.replace(",", " ").split()
        self.assertTrue(all(math.isfinite(float(value)) for value in values))

    def check(self, machine, data, words, wanted):
        outcome = self.run_program("train", data, "-o", "m.mercer", "--model",
                                   *MACHINES.get(machine, (machine,)), "--json", "-q", *words)
        if isinstance(wanted, tuple):
            self.refused(outcome, *wanted)
            return
        if wanted == ANY and outcome.status in (2, 3, 4):
            self.assertRegex(outcome.err, r"row \d|column|[a-z]+: got|alpha: ")
            return
        self.assertIn(outcome.status, (0, 1) if wanted != CERTIFIED else (0,),
                      outcome.err + outcome.out)
        answer = outcome.json()
        self.finite(answer)
        self.assertEqual(answer["status"] == "converged", outcome.status == 0, outcome.out)
        proof = answer["certificate"]
        self.assertIsNotNone(proof["gap"], outcome.out)
        if wanted != ANY:  # equations without a solution are not claimed to be solved
            self.assertEqual(proof["exact"], wanted != VOID)
        self.used(data)
        if wanted != VOID:
            verified = self.run_program("verify", "m.mercer", data)
            self.assertEqual(verified.status, 0, outcome.out + verified.out + verified.err)

    def run_rows(self, rows):
        for name, text, machines, words, wanted in rows:
            data = self.write("d.svm", text() if callable(text) else text)
            for machine in machines:
                with self.subTest(case=name, machine=machine):
                    (self.folder / "m.mercer").unlink(missing_ok=True)
                    try:
                        self.check(machine, data, words, wanted)
                    except subprocess.TimeoutExpired:
                        self.fail("no end")

    def run_program(self, *arguments, **options):
        def limit():
            # CPU seconds, not wall time: other tests run at the same time.
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
            if not SANITIZED:  # a larger request is refused instead of filling the machine
                resource.setrlimit(resource.RLIMIT_AS, (1 << 32,) * 2)
        return super().run_program(*arguments, timeout=20 * SECONDS, preexec_fn=limit, **options)
