# SPDX-License-Identifier: Apache-2.0
"""tests/cli/probabilities_test.py - labels and probabilities of one model are consistent."""

import unittest

from catalogue import CatalogueCase

CLASSIFIERS = ("svc", "nu-svc", "l2-svc", "huber-svc", "ls-svc")


class ProbabilitiesTest(CatalogueCase):
    def lines(self, *words):
        return self.expect(self.run_program("predict", *words, "-q"), 0).out.splitlines()

    def probabilities(self, model, data):
        return [[float(p) for p in line.split(",")]
                for line in self.lines(model, data, "--output", "probability")]

    def train(self, machine, data, model):
        words = ["--nu", "0.2"] if machine == "nu-svc" else []
        self.expect(self.run_program("train", data, "-o", model, "--model", machine,
                                     "--probability", "-q", "--kernel", "rbf(gamma=1)", *words), 0)

    def test_labels_are_the_most_probable_ones_if_requested(self):
        # N2: two predictions of one model that contradict each other
        for classes in ("2", "3"):
            data = self.make_data("d.svm", "blobs", rows=90, classes=classes, noise=0.7, seed=5)
            for machine in CLASSIFIERS:
                with self.subTest(machine=machine, classes=classes):
                    self.train(machine, data, "m.mercer")
                    names = self.expect(self.run_program("inspect", "m.mercer", "--json"),
                                        0).json()["classes"]
                    labels = self.lines("m.mercer", data, "--consistent-labels")
                    probabilities = self.probabilities("m.mercer", data)
                    self.assertEqual(len(labels), len(probabilities))
                    for label, row in zip(labels, probabilities):
                        self.assertAlmostEqual(sum(row), 1.0, delta=1e-9)
                        self.assertEqual(label, names[row.index(max(row))])
                    self.assertGreater(len(set(labels)), 1)

    def test_columns_stand_in_the_order_of_the_classes_not_of_the_rows(self):
        # N3: elsewhere the class of the first row came first
        data = self.make_data("d.svm", "blobs", rows=90, classes="3", noise=0.4, seed=5)
        rows = (self.folder / "d.svm").read_text().splitlines(keepends=True)
        turned = self.write("turned.svm", "".join(reversed(rows)))
        self.assertNotEqual(rows[0].split()[0], rows[-1].split()[0])
        for machine in CLASSIFIERS:
            with self.subTest(machine=machine):
                self.train(machine, data, "a.mercer")
                self.train(machine, turned, "b.mercer")
                for line, a, b in zip(rows, self.probabilities("a.mercer", data),
                                      self.probabilities("b.mercer", data)):
                    # The folds differ, and so do the links; a clear row has the same class in both.
                    if max(a) > 0.8:
                        self.assertEqual(a.index(max(a)), b.index(max(b)), line)


if __name__ == "__main__":
    unittest.main()
