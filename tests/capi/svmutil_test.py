# SPDX-License-Identifier: Apache-2.0
"""tests/capi/svmutil_test.py - LIBSVM's own Python module on Mercer's library."""

import os
import random
import subprocess
import sys
import tempfile
import unittest

# Debian installs the module for its own interpreter; another one may run this.
sys.path.append("/usr/lib/python3/dist-packages")

# The results of the other library for the same calls: the loader's path determines libsvm.so.3.
PEER = """
import json, sys
sys.path.append("/usr/lib/python3/dist-packages")
from svmutil import svm_train, svm_predict, svm_read_problem
y, x = svm_read_problem(sys.argv[1])
out = []
for flags in json.loads(sys.argv[2]):
    model = svm_train(y, x, flags + " -q")
    labels, accuracy, values = svm_predict(y, x, model, "-q")
    out.append([labels, values, model.get_labels(), model.get_nr_class()])
json.dump(out, sys.stdout)
"""


def data_text(classes, rows):
    source = random.Random(1)
    lines = []
    for i in range(rows):
        c = i % len(classes)
        lines.append(f"{classes[c]} 1:{source.gauss(2 * (c & 1), 1):.6g} "
                     f"3:{source.gauss(2 * (c >> 1), 1):.6g}\n")
    return "".join(lines)


@unittest.skipUnless("mercer-libsvm" in os.environ.get("LD_LIBRARY_PATH", ""), "not our library")
class SvmutilTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            import svmutil
        except ImportError:
            raise unittest.SkipTest("python3-libsvm is not installed")
        cls.svmutil = svmutil

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def test_the_loaded_library_is_ours(self):
        with open("/proc/self/maps") as maps:
            self.assertIn("libmercer-svm.so.3", maps.read())

    def test_labels_and_values_are_those_of_libsvm(self):
        import json
        flags = ["-c 2 -g 0.5 -e 1e-6", "-t 0 -e 1e-6", "-t 1 -d 2 -r 1 -g 0.5 -e 1e-6"]
        for classes in ((1, -1), (-1, 1), (3, 1, 2, 8)):
            path = self.write("data", data_text(classes, 80))
            plain = {k: v for k, v in os.environ.items() if k != "LD_LIBRARY_PATH"}
            peer = subprocess.run([sys.executable, "-c", PEER, path, json.dumps(flags)], env=plain,
                                  capture_output=True, text=True, timeout=60, check=True)
            y, x = self.svmutil.svm_read_problem(path)
            for words, (labels, values, order, count) in zip(flags, json.loads(peer.stdout)):
                with self.subTest(classes=classes, flags=words):
                    model = self.svmutil.svm_train(y, x, words + " -q")
                    mine, _, decisions = self.svmutil.svm_predict(y, x, model, "-q")
                    self.assertEqual(model.get_labels(), order)
                    self.assertEqual(model.get_nr_class(), count)
                    self.assertEqual(mine, labels)
                    for row, other in zip(decisions, values):
                        for a, b in zip(row, other):
                            self.assertAlmostEqual(a, b, delta=1e-3)

    def test_models_are_saved_loaded_and_hold_their_rows(self):
        y, x = self.svmutil.svm_read_problem(self.write("data", data_text((3, 1, 2), 60)))
        model = self.svmutil.svm_train(y, x, "-b 1 -q")
        path = os.path.join(self.folder, "model")
        self.svmutil.svm_save_model(path, model)
        again = self.svmutil.svm_load_model(path)
        for words in ("-q", "-b 1 -q"):
            self.assertEqual(self.svmutil.svm_predict(y, x, model, words),
                             self.svmutil.svm_predict(y, x, again, words))
        self.assertEqual(len(model.get_SV()), model.l)
        self.assertEqual(sorted(set(model.get_sv_indices())), sorted(model.get_sv_indices()))
        self.assertEqual(model.get_SV()[0], {k: v for k, v in
                                             x[model.get_sv_indices()[0] - 1].items()})
        self.assertTrue(again.is_probability_model())

    def test_precomputed_kernel_values_give_the_machine_of_the_kernel(self):
        y, x = self.svmutil.svm_read_problem(self.write("data", data_text((3, 1, 2), 50)))
        rows = [{0: i + 1, **{j + 1: sum(v * b.get(c, 0.0) for c, v in a.items())
                              for j, b in enumerate(x)}} for i, a in enumerate(x)]
        given = self.svmutil.svm_train(self.svmutil.svm_problem(y, rows, isKernel=True),
                                       self.svmutil.svm_parameter("-t 4 -e 1e-6 -q"))
        own = self.svmutil.svm_train(y, x, "-t 0 -e 1e-6 -q")
        path = os.path.join(self.folder, "model")
        self.svmutil.svm_save_model(path, given)
        again = self.svmutil.svm_load_model(path)
        wanted, _, values = self.svmutil.svm_predict(y, x, own, "-q")
        for model in (given, again):
            labels, _, decisions = self.svmutil.svm_predict(y, rows, model, "-q")
            self.assertEqual(labels, wanted)
            for row, other in zip(decisions, values):
                for a, b in zip(row, other):
                    self.assertAlmostEqual(a, b, delta=1e-3)

    def test_cross_validation_runs_and_bad_parameters_are_refused(self):
        y, x = self.svmutil.svm_read_problem(self.write("data", data_text((1, -1), 200)))
        accuracy = self.svmutil.svm_train(y, x, "-v 5 -q")
        self.assertGreater(accuracy, 75.0)
        with self.assertRaises(ValueError):
            self.svmutil.svm_train(y, x, "-c -1 -q")
        with self.assertRaises(ValueError):
            self.svmutil.svm_train([1.5] * len(y), x, "-q")


if __name__ == "__main__":
    unittest.main()
