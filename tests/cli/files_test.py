# SPDX-License-Identifier: Apache-2.0
"""tests/cli/files_test.py - what happens to files if data, disks or folders are faulty."""

import os
import resource
import unittest

from program import ProgramTest


class BadDataTest(ProgramTest):
    def test_a_wrong_character_is_named_by_file_line_and_column(self):
        bad = self.write("bad.svm", "1 1:1\n-1 1:x\n")
        for words in (["data", "info", bad], ["data", "convert", bad, "-o", "o.csv"],
                      ["data", "scale", bad, "-o", "o.svm"],
                      ["data", "split", bad, "--train", "a.svm", "--test", "b.svm"],
                      ["kernel", "gram", "linear", bad, "-o", "K.npy"],
                      ["kernel", "check", "linear", bad],
                      ["kernel", "features", "linear", bad, "-o", "F.npy"]):
            with self.subTest(words=words):
                outcome = self.expect(self.run_program(*words), 3)
                self.assertIn("bad.svm:2:", outcome.err)
                self.assertEqual(outcome.out, "")
                self.assertEqual(self.leftovers("bad.svm"), [])

    def test_a_missing_file_and_a_folder_end_with_3(self):
        for name in ("none.svm", str(self.folder)):
            self.expect(self.run_program("data", "info", name), 3)

    def test_a_foreign_scaling_file_is_refused(self):
        data = self.make_data("d.svm", rows=5)
        for text in ("", "{", "[]", '{"format":"other"}',
                     '{"format":"mercer-scaling-1","method":"standard","column_count":2,'
                     '"columns":[],"offset":[0],"factor":[1],"base":0}'):
            with self.subTest(text=text):
                self.write("map.json", text)
                outcome = self.run_program("data", "scale", data, "--restore", "map.json", "-o", "o")
                self.expect(outcome, 3)
                self.assertIn("map.json", outcome.err)


class ScaleTest(ProgramTest):
    def test_a_saved_scaling_is_applied_to_other_rows(self):
        train = self.write("train.csv", "a,b,y\n0,10,1\n2,30,0\n")
        test = self.write("test.csv", "a,b,y\n1,20,1\n4,50,0\n")
        self.expect(self.run_program("data", "scale", train, "--method", "minmax", "--lower", -1,
                                     "--save", "map.json", "-o", "t.csv"), 0)
        self.expect(self.run_program("data", "scale", test, "--restore", "map.json", "-o", "s.csv"),
                    0)
        rows = [line.split(",") for line in (self.folder / "s.csv").read_text().splitlines()[1:]]
        self.assertEqual([[float(value) for value in row] for row in rows],
                         [[0, 0, 1], [3, 3, 0]])

    def test_restore_excludes_what_it_decides(self):
        data = self.make_data("d.svm", rows=5)
        outcome = self.run_program("data", "scale", data, "--restore", "m.json", "--method",
                                   "minmax", "-o", "o.svm")
        self.expect(outcome, 2)


class SplitTest(ProgramTest):
    def test_every_row_goes_to_one_side_and_classes_keep_their_share(self):
        data = self.make_data("d.csv", rows=100)
        outcome = self.run_program("data", "split", data, "--test-fraction", 0.2, "--train",
                                   "a.csv", "--test", "b.csv", "--json", "--seed", 3)
        answer = self.expect(outcome, 0).json()
        self.assertEqual((answer["train"]["rows"], answer["test"]["rows"]), (80, 20))
        self.assertTrue(answer["stratified"])
        rows = lambda name: (self.folder / name).read_text().splitlines()[1:]
        self.assertEqual(sorted(rows("a.csv") + rows("b.csv")), sorted(rows("d.csv")))
        self.assertEqual(sum(row.endswith(",1") for row in rows("b.csv")), 10)

    def test_both_sides_need_files_of_their_own(self):
        data = self.make_data("d.csv", rows=10)
        self.expect(self.run_program("data", "split", data, "--train", "a", "--test", "a"), 2)


class BadDiskTest(ProgramTest):
    def commands(self, data, output):
        return (["data", "convert", data, "-o", output], ["data", "scale", data, "-o", output],
                ["data", "make", "blobs", "--rows", 4000, "-o", output],
                ["kernel", "gram", "linear", data, "-o", output],
                ["kernel", "features", "linear", data, "-o", output])

    def test_a_full_device_ends_with_4(self):
        data = self.make_data("d.svm", rows=2000)
        for words in self.commands(data, "/dev/full"):
            with self.subTest(words=words):
                outcome = self.expect(self.run_program(*words), 4)
                self.assertIn("No space left", outcome.err)

    def test_a_folder_that_is_not_there_or_not_ours_ends_with_4(self):
        data = self.make_data("d.svm", rows=20)
        targets = [self.path("none/K.npy"), str(self.folder), "/proc/K.npy"]
        for target in targets:
            for words in self.commands(data, target):
                with self.subTest(words=words):
                    self.expect(self.run_program(*words), 4)

    def test_a_size_limit_ends_with_4_and_leaves_the_old_file(self):
        data = self.make_data("d.svm", rows=2000)

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        for words in self.commands(data, "out.npy"):
            with self.subTest(words=words):
                self.write("out.npy", "old")
                self.expect(self.run_program(*words, preexec_fn=limit), 4)
                self.assertEqual((self.folder / "out.npy").read_text(), "old")
                self.assertEqual(self.leftovers("d.svm", "out.npy"), [])


if __name__ == "__main__":
    unittest.main()
