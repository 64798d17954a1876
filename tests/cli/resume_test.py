# SPDX-License-Identifier: Apache-2.0
"""tests/cli/resume_test.py - kill -9 at random moments of a fit, then --resume.

Each run is killed once or several times, until one ends by itself; its model file must have the
bytes of a run that was never interrupted. On real data:

    MERCER_DATA=folder MERCER_KILLS=50 python3 -m unittest resume_test
"""

import lzma
import os
import random
import signal
import subprocess
import time

from program import PROGRAM, ProgramTest

KILLS = int(os.environ.get("MERCER_KILLS", "10"))
FEW_KILLS = int(os.environ.get("MERCER_KILLS", "4"))


class ResumeTest(ProgramTest):
    def kill_after(self, words, seconds):
        """True if the process was killed, False if it had ended successfully."""
        process = subprocess.Popen([PROGRAM, *map(str, words)], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            _, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return True
        self.assertEqual(process.returncode, 0, err)
        return False

    def model_bytes(self):
        return (self.folder / "m.mercer").read_bytes()

    def kill_often(self, words, interval, kills=KILLS):
        """`words` without -o and --checkpoint."""
        plain = [*words, "-o", "m.mercer"]
        start = time.monotonic()
        self.expect(self.run_program(*plain, timeout=600), 0)
        whole = time.monotonic() - start
        expected = self.model_bytes()
        kept = [*plain, "--checkpoint", "run.checkpoint", "--checkpoint-seconds", interval]
        # How often it is written has no effect.
        self.expect(self.run_program(*kept, timeout=600), 0)
        self.assertEqual(self.model_bytes(), expected)
        numbers = random.Random(17)
        killed = went_on = 0
        known = [entry.name for entry in self.folder.iterdir()]
        while killed < kills or (went_on == 0 and killed < 20 * kills):
            (self.folder / "m.mercer").unlink(missing_ok=True)
            while self.kill_after([*kept, "--resume"], numbers.uniform(0.02, whole)):
                killed += 1
                went_on += (self.folder / "run.checkpoint").exists()
                if killed >= kills:
                    self.expect(self.run_program(*kept, "--resume", timeout=600), 0)
                    break
            self.assertEqual(self.model_bytes(), expected, f"after {killed} kills")
            self.assertEqual(self.leftovers(*known), [])
        self.assertGreater(went_on, 0)

    def test_a_killed_run_ends_with_the_same_bytes(self):
        data = self.make_data("d.svm", "xor", rows=3000, columns=10, noise=0.2, seed=1)
        self.kill_often(["train", data, "-C", "100", "--kernel", "rbf(gamma=0.2)"], "0.01")

    def test_pairs_of_classes_are_kept_one_by_one(self):
        data = self.make_data("d.svm", "blobs", rows=1200, columns=4, classes=5, noise=3, seed=2)
        self.kill_often(["train", data, "-C", "10", "--kernel", "rbf(gamma=0.5)", "--probability"],
                        "0", FEW_KILLS)

    def test_killed_runs_of_many_classes_end_with_the_same_bytes(self):
        data = self.make_data("d.svm", "blobs", rows=1500, columns=4, classes=5, noise=3, seed=2)
        self.kill_often(["train", data, "-C", "100", "--kernel", "rbf(gamma=0.5)"], "0.01",
                        FEW_KILLS)

    def test_a_killed_run_on_real_data_ends_with_the_same_bytes(self):
        packed = os.path.join(os.environ.get("MERCER_DATA", ""), "a9a.xz")
        if not os.path.exists(packed):
            self.skipTest("MERCER_DATA does not name a folder with a9a.xz")
        with lzma.open(packed, "rt") as source:
            data = self.write("d.svm", source.read())
        self.kill_often(["train", data, "-C", "32", "--kernel", "rbf(gamma=0.0078125)"], "1")


class CheckpointTest(ProgramTest):
    """When a checkpoint is refused, and what happens to it."""

    def setUp(self):
        super().setUp()
        self.data = self.make_data("d.svm", "xor", rows=2500, columns=6, noise=0.2, seed=1)
        self.words = ["train", self.data, "-o", "m.mercer", "--kernel", "rbf(gamma=0.3)",
                      "-C", "1000", "--gap-tolerance", "1e-7", "--checkpoint", "run.checkpoint"]

    def stopped(self):
        """A checkpoint of a run that was stopped with Ctrl-C, and the words of its command."""
        for moment in (0.5, 0.3, 0.15, 0.08):
            process = subprocess.Popen([PROGRAM, *self.words], cwd=self.folder, text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(moment)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=120)
            if process.returncode == 1 and (self.folder / "run.checkpoint").exists():
                self.assertIn("--resume goes on from run.checkpoint", err)
                return self.words
        self.skipTest("the fit was over before it could be stopped")
        return None

    def test_ctrl_c_leaves_a_checkpoint_that_leads_to_the_same_bytes(self):
        words = self.stopped()
        done = self.expect(self.run_program(*words, "--resume"), 0)
        self.assertIn("run.checkpoint: going on from here", done.err)
        resumed = (self.folder / "m.mercer").read_bytes()
        self.assertEqual(self.leftovers("d.svm", "m.mercer"), [])
        self.expect(self.run_program(*words), 0)
        self.assertEqual((self.folder / "m.mercer").read_bytes(), resumed)
        self.assertEqual(self.leftovers("d.svm", "m.mercer"), [])

    def test_a_folder_that_goes_away_is_a_warning(self):
        (self.folder / "sub").mkdir()
        words = [*self.words[:-1], "sub/run.checkpoint", "--checkpoint-seconds", "0.01"]
        process = subprocess.Popen([PROGRAM, *words], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while process.poll() is None and not (self.folder / "sub" / "run.checkpoint").exists():
            time.sleep(0.001)
        # At once: rmtree() could fail, because the next checkpoint may be written meanwhile.
        (self.folder / "sub").rename(self.folder / "elsewhere")
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("warning: the checkpoint could not be written, the run went on", err)
        self.assertIn("converged", out)
        self.assertTrue((self.folder / "m.mercer").exists())

    def test_a_torn_or_damaged_file_is_refused(self):
        words = self.stopped()
        file = self.folder / "run.checkpoint"
        whole = file.read_bytes()
        middle = len(whole) // 2
        damaged = {
            b"": "too short", whole[:5]: "too short", whole[:-1]: "does not fit", whole + b"x": "",
            whole[:middle]: "", b"MERCER\r\n" + whole[8:]: "not a checkpoint",
            whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:]: "checksum",
        }
        for content, reason in damaged.items():
            file.write_bytes(content)
            done = self.expect(self.run_program(*words, "--resume"), 3)
            self.assertIn("run.checkpoint: ", done.err)
            self.assertIn(reason, done.err)
            self.assertEqual(file.read_bytes(), content)  # and left unchanged
        file.write_bytes(whole)
        self.expect(self.run_program(*words, "--resume"), 0)

    def test_other_data_or_options_are_refused(self):
        words = self.stopped()
        whole = (self.folder / "run.checkpoint").read_bytes()
        words[words.index("1000")] = "500"
        done = self.expect(self.run_program(*words, "--resume"), 3)
        self.assertIn("cost: it was '1000', now it is '500'", done.err)
        words[words.index("500")] = "1000"
        words[words.index("rbf(gamma=0.3)")] = "rbf(gamma=0.31)"
        done = self.expect(self.run_program(*words, "--resume"), 3)
        self.assertIn("kernel: it was 'rbf(gamma=0.3)', now it is 'rbf(gamma=0.31)'", done.err)
        words[words.index("rbf(gamma=0.31)")] = "rbf(gamma=0.3)"
        lines = (self.folder / "d.svm").read_text().splitlines(keepends=True)
        self.write("d.svm", "".join(lines[:-1]))
        done = self.expect(self.run_program(*words, "--resume"), 3)
        self.assertIn("of other data: 2500 rows", done.err)
        self.assertEqual((self.folder / "run.checkpoint").read_bytes(), whole)

    def test_without_a_file_it_starts_from_the_beginning_and_says_so(self):
        done = self.expect(self.run_program(*self.words, "--resume"), 0)
        self.assertIn("run.checkpoint: there is no checkpoint, starting from the beginning",
                      done.err)
        self.assertEqual(self.leftovers("d.svm", "m.mercer"), [])

    def test_contradictory_options_are_refused(self):
        done = self.expect(self.run_program("train", self.data, "-o", "m", "--resume"), 2)
        self.assertIn("--checkpoint", done.err)
        done = self.expect(self.run_program("train", self.data, "-o", "m", "--checkpoint", "m"), 2)
        self.assertIn("the same file", done.err)
        done = self.expect(self.run_program("train", self.data, "-o", "m", "--checkpoint",
                                            "missing/c"), 4)
        self.assertIn("missing/c: cannot write", done.err)
        done = self.expect(self.run_program("train", self.data, "-o", "m", "--model", "klr",
                                            "--checkpoint", "c"), 2)
        self.assertIn("checkpoint: klr does not take it; these do: svc, nu-svc", done.err)
        done = self.expect(self.run_program("train", self.data, "-o", "m", "--model", "l2-svc",
                                            "--solver", "newton", "--checkpoint", "c"), 2)
        self.assertIn("decomposition and smo do", done.err)
        self.assertEqual(self.leftovers("d.svm"), [])
