# SPDX-License-Identifier: Apache-2.0
"""tests/cli/stop_test.py - Ctrl-C ends the work soon, with status 1, and leaves no files behind."""

import os
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ProgramTest

# The contract is one second; a loaded machine under a sanitizer gets more.
PATIENCE = float(os.environ.get("MERCER_TEST_PATIENCE", "1.0"))


class StopTest(ProgramTest):
    def stop(self, arguments, number, delay=0.5, **options):
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   **options)
        time.sleep(delay)
        self.assertIsNone(process.poll(), "the work was over before the signal")
        process.send_signal(number)
        start = time.monotonic()
        out, err = process.communicate(timeout=60)
        return process.returncode, time.monotonic() - start, out, err

    def test_gram_stops_within_a_second(self):
        data = self.make_data("d.npy", rows=60000, columns=50)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                status, seconds, out, err = self.stop(
                    ["kernel", "gram", "laplace(gamma=1)", data, "-o", "K.npy"], number)
                self.assertEqual(status, 1, err)
                self.assertLess(seconds, PATIENCE)
                self.assertEqual(out, "")
                self.assertIn("stopped", err)
                self.assertEqual(self.leftovers("d.npy"), [])

    def test_a_closed_terminal_does_not_stop_a_run_under_nohup(self):
        data = self.make_data("d.npy", rows=60000, columns=50)
        process = subprocess.Popen(
            ["sh", "-c", 'trap "" HUP; exec "$0" "$@"', PROGRAM, "kernel", "gram",
             "laplace(gamma=1)", data, "-o", "K.npy"],
            cwd=self.folder, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 1)

    def test_waiting_for_standard_input_stops(self):
        status, seconds, _, err = self.stop(["data", "info", "-"], signal.SIGINT,
                                            stdin=subprocess.PIPE)
        self.assertEqual(status, 1, err)
        self.assertLess(seconds, PATIENCE)

    def test_the_second_signal_kills(self):
        data = self.make_data("d.npy", rows=60000, columns=50)
        process = subprocess.Popen([PROGRAM, "kernel", "gram", "laplace(gamma=1)", data, "-o",
                                    "K.npy"], cwd=self.folder, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        self.assertIn(process.wait(timeout=60), (1, -signal.SIGINT))


if __name__ == "__main__":
    unittest.main()
