# SPDX-License-Identifier: Apache-2.0
"""tests/cli/frame_test.py - options, streams, help and statuses common to all commands."""

import json
import os
import pty
import shutil
import subprocess
import unittest

from program import PROGRAM, ProgramTest

COMMANDS = [
    ["train"], ["predict"], ["evaluate"], ["verify"], ["inspect"],
    ["data", "info"], ["data", "convert"], ["data", "scale"], ["data", "split"], ["data", "make"],
    ["kernel", "show"], ["kernel", "list"], ["kernel", "gram"], ["kernel", "check"],
    ["kernel", "features"], ["doctor"], ["completion"],
]


class HelpTest(ProgramTest):
    def test_every_page_fits_a_screen_and_has_examples(self):
        for words in [[], *COMMANDS]:
            with self.subTest(words=words):
                page = self.expect(self.run_program(*words, "--help"), 0)
                self.assertEqual(page.err, "")
                lines = page.out.splitlines()
                self.assertLessEqual(len(lines), 50)
                self.assertLessEqual(max(map(len, lines)), 100)
                self.assertIn("Examples:", page.out)
                self.assertIn("Usage: " + " ".join(["mercer", *words]), page.out)

    def test_groups_list_their_commands(self):
        for group in ("data", "kernel"):
            page = self.expect(self.run_program(group, "--help"), 0).out
            for words in COMMANDS:
                if words[0] == group:
                    self.assertIn(f"\n  {words[1]} ", page)

    def test_version_is_one_line(self):
        version = self.expect(self.run_program("--version"), 0)
        self.assertRegex(version.out, r"^mercer \d+\.\d+\.\d+\n$")


class LoadTest(ProgramTest):
    def test_the_program_stands_alone(self):
        loaded = self.run_program(environment={"LD_TRACE_LOADED_OBJECTS": "1"}).out
        self.assertIn("libc.so", loaded)
        self.assertNotIn("libmercer", loaded)
        self.assertNotIn("libhwy", loaded)
        if "libfmt" not in loaded and not os.environ.get("MERCER_TEST_SANITIZED"):
            self.assertNotIn("libstdc++", loaded)  # otherwise there would be two of them


class UsageTest(ProgramTest):
    def test_wrong_words_end_with_2_and_say_where_to_look(self):
        cases = {
            (): "see mercer --help",
            ("dta",): "did you mean data?",
            ("data", "inof", "x"): "did you mean info?",
            ("data", "info"): "DATA is required",
            ("data", "info", "x", "--jsom"): "did you mean --json?",
            ("data", "info", "x", "--threads", "-1"): "--threads: got -1, must be",
            ("data", "info", "x", "--threads", "two"): "--threads: got two, must be an integer",
            ("data", "info", "x", "--memory", "0"): "--memory: got '0', must be a size",
            ("data", "info", "x", "--time-limit", "nan"): "--time-limit: got nan, must be",
            ("data", "info", "x", "--progress", "loud"): "--progress: got 'loud', must be one of",
            ("data", "info", "x", "--config", "none.toml"): "none.toml",
            ("data", "make", "mons", "-o", "x"): "did you mean moons?",
            ("completion", "tcsh"): "must be one of bash, zsh, fish",
        }
        for words, message in cases.items():
            with self.subTest(words=words):
                outcome = self.expect(self.run_program(*words), 2)
                self.assertEqual(outcome.out, "")
                self.assertIn(message, outcome.err)
                self.assertTrue(outcome.err.startswith("error: "), outcome.err)

    def test_json_carries_the_error_as_its_one_object(self):
        outcome = self.expect(self.run_program("data", "info", "none.svm", "--json"), 3)
        self.assertEqual(outcome.json()["exit_status"], 3)
        self.assertIn("none.svm", outcome.json()["error"])
        outcome = self.expect(self.run_program("data", "info", "--json"), 2)
        self.assertEqual(outcome.json()["exit_status"], 2)

    def test_json_and_output_cannot_share_standard_output(self):
        outcome = self.run_program("data", "make", "moons", "--rows", 5, "-o", "-", "--json")
        self.expect(outcome, 2)
        self.assertIn("standard output", outcome.err)


class StreamTest(ProgramTest):
    def test_json_is_exactly_one_object_on_one_line(self):
        data = self.make_data("d.svm", rows=20)
        for words in (["data", "info", data], ["data", "convert", data, "-o", "d.csv"],
                      ["data", "scale", data, "-o", "s.svm"],
                      ["data", "split", data, "--train", "a.svm", "--test", "b.svm"],
                      ["data", "make", "moons", "--rows", 9, "-o", "m.svm"],
                      ["kernel", "show", "linear"], ["kernel", "list"],
                      ["kernel", "gram", "linear", data, "-o", "K.npy"],
                      ["kernel", "check", "linear", data],
                      ["kernel", "features", "monomial(degree=2)", data, "-o", "F.npy"],
                      ["completion", "bash"]):
            with self.subTest(words=words):
                outcome = self.expect(self.run_program(*words, "--json", "-q"), 0)
                self.assertEqual(outcome.out.count("\n"), 1)
                self.assertEqual(outcome.json()["command"],
                                 " ".join(words[:1 if words[0] == "completion" else 2]))
                self.assertEqual(outcome.err, "")

    def test_written_files_are_announced_on_standard_error_only(self):
        outcome = self.expect(self.run_program("data", "make", "moons", "-o", "m.svm"), 0)
        self.assertEqual(outcome.out, "")
        self.assertIn("wrote m.svm", outcome.err)
        self.assertEqual(self.run_program("data", "make", "moons", "-o", "m.svm", "-q").err, "")

    def test_a_reader_that_leaves_early_hears_nothing(self):
        line = f"'{PROGRAM}' data make blobs --rows 200000 -o - | head -n 1"
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout.count("\n"), 1)
        self.assertEqual(done.stderr, "")

    def test_standard_input_is_data(self):
        outcome = self.run_program("data", "info", "-", "--json", input="1 1:2\n-1 2:3\n")
        self.assertEqual(self.expect(outcome, 0).json()["rows"], 2)

    def test_a_full_device_ends_with_4(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "kernel", "list"], stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=60)
        self.assertEqual(done.returncode, 4)
        self.assertIn("No space left", done.stderr)


class TerminalTest(ProgramTest):
    def on_terminal(self, *arguments, **environment):
        """The output on a terminal that is the program's standard error."""
        primary, secondary = pty.openpty()
        variables = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        variables |= {"TERM": "xterm"} | environment
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=subprocess.DEVNULL,
                                   stderr=secondary, cwd=self.folder, env=variables)
        os.close(secondary)
        return self.read_terminal(primary, process).decode()

    def test_errors_have_colour_on_a_terminal_unless_no_color(self):
        self.assertIn("\x1b[1;31m", self.on_terminal("data", "info", "none.svm"))
        self.assertNotIn("\x1b", self.on_terminal("data", "info", "none.svm", NO_COLOR="1"))
        self.assertNotIn("\x1b", self.on_terminal("data", "info", "none.svm", TERM="dumb"))
        self.assertNotIn("\x1b", self.run_program("data", "info", "none.svm").err)

    def test_progress_is_a_line_on_a_terminal_and_lines_when_plain(self):
        data = self.make_data("d.npy", rows=2500, columns=2)
        # A kernel without a vector form: long enough for a line on any machine.
        words = ["kernel", "gram", "matern(nu=1.3, length=1)", data, "-o", "/dev/null", "-j", 1]
        self.assertRegex(self.on_terminal(*words), r"\rcomputing K  \[#*-*\]  \d+ % .*\x1b\[K")
        self.assertNotIn("\x1b", self.on_terminal(*words, "--progress", "none"))
        self.assertEqual(self.run_program(*words, "-q").err, "")
        plain = self.run_program(*words, "-q", "--progress", "plain").err
        self.assertRegex(plain, r"^gram +\d+ % ")
        self.assertNotIn("\r", plain)


class SettingsTest(ProgramTest):
    def test_a_config_file_gives_options_and_the_command_line_wins(self):
        config = self.write("c.toml", "seed = 7\n[data.make]\nrows = 11\n")
        made = self.run_program("data", "make", "moons", "-o", "m.svm", "--json", "--config", config)
        self.assertEqual(self.expect(made, 0).json()["rows"], 11)
        self.assertEqual(made.json()["seed"], 7)
        made = self.run_program("data", "make", "moons", "-o", "m.svm", "--json", "--config", config,
                                "--rows", 12)
        self.assertEqual(made.json()["rows"], 12)

    def test_a_config_file_with_an_unknown_key_is_refused(self):
        config = self.write("c.toml", "sead = 7\n")
        outcome = self.run_program("data", "make", "moons", "-o", "m.svm", "--config", config)
        self.expect(outcome, 2)
        self.assertIn("sead", outcome.err)

    def test_threads_come_from_the_option_then_from_the_environment(self):
        def threads(*words, **environment):
            outcome = self.run_program("doctor", "--json", *words, environment=environment)
            return self.expect(outcome, 0).json()["threads"]["used"]

        self.assertEqual(threads(OMP_NUM_THREADS="1"), 1)
        self.assertEqual(threads("-j", 2, OMP_NUM_THREADS="1"), 2)

    def test_a_time_limit_ends_with_1(self):
        data = self.make_data("d.npy", rows=20000, columns=20)
        outcome = self.run_program("kernel", "gram", "laplace(gamma=1)", data, "-o", "K.npy",
                                   "--time-limit", 0.2)
        self.expect(outcome, 1)
        self.assertEqual(self.leftovers("d.npy"), [])


class CompletionTest(ProgramTest):
    def script(self, shell):
        return self.expect(self.run_program("completion", shell), 0).out

    def complete(self, *words):
        """What bash offers for the last word."""
        listed = " ".join(f"'{word}'" for word in words)
        program = (f"{self.script('bash')}\nCOMP_WORDS=({listed})\n"
                   f"COMP_CWORD={len(words) - 1}\n_mercer\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"")
        done = subprocess.run(["bash", "-c", program], capture_output=True, text=True,
                              cwd=self.folder, timeout=60)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_accepts_the_script(self):
        done = subprocess.run(["bash", "-n"], input=self.script("bash"), text=True, timeout=60,
                              capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_other_shells_accept_theirs_where_they_are_installed(self):
        for shell, check in (("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])):
            script = self.script(shell)
            self.assertIn("kernel gram", script)
            if shutil.which(shell):
                done = subprocess.run(check, input=script, text=True, timeout=60,
                                      capture_output=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_bash_completes_commands_options_values_and_files(self):
        self.write("rows.svm", "1 1:1\n")
        self.assertEqual(self.complete("mercer", "ker"), ["kernel"])
        self.assertEqual(self.complete("mercer", "kernel", "gr"), ["gram"])
        self.assertEqual(self.complete("mercer", "kernel", "gram", "--aga"), ["--against"])
        self.assertEqual(self.complete("mercer", "kernel", "gram", "--progress", "p"), ["plain"])
        self.assertEqual(self.complete("mercer", "data", "make", "moo"), ["moons"])
        self.assertEqual(self.complete("mercer", "data", "info", "ro"), ["rows.svm"])
        self.assertEqual(self.complete("mercer", "data", "convert", "rows.svm", "-o", "ro"),
                         ["rows.svm"])


if __name__ == "__main__":
    unittest.main()
