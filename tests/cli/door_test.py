# SPDX-License-Identifier: Apache-2.0
"""tests/cli/door_test.py - hostile input from files, and what the program writes to them."""

import os
import pathlib
import pty
import subprocess
import unittest

from program import PROGRAM, ProgramTest

OURS = pathlib.Path(PROGRAM).parent
IRIS = ("length,kind,width\n"
        "5.1,setosa,3.5\n4.9,setosa,3.0\n6.4,versicolor,3.2\n6.9,versicolor,3.1\n"
        "6.3,virginica,3.3\n5.8,virginica,2.7\n5.0,setosa,3.4\n6.0,versicolor,2.9\n")


class DoorTest(ProgramTest):
    def refused(self, status, message, *words):
        outcome = self.expect(self.run_program(*words), status)
        self.assertIn(message, outcome.err)
        return outcome

    def read(self, name):
        return (self.folder / name).read_text()

    def model(self, data=None, *words):
        if data is None:
            data = self.make_data("d.svm", rows=40)
        self.expect(self.run_program("train", data, "-o", "m.mercer", "-q", *words), 0)
        return self.path("m.mercer")

    def on_a_terminal(self, *words):
        """All bytes that reach a terminal on both streams."""
        parent, child = pty.openpty()
        process = subprocess.Popen([PROGRAM, *map(str, words)], stdout=child, stderr=child,
                                   stdin=subprocess.DEVNULL, cwd=self.folder,
                                   env=dict(os.environ) | {"TERM": "dumb"})
        os.close(child)
        return self.read_terminal(parent, process)


class ScaleTest(DoorTest):
    def test_columns_that_the_map_does_not_have_are_named(self):
        self.write("a.svm", "1 1:1 2:5\n-1 1:2 2:7\n")
        self.write("b.svm", "1 1:1 2:5 4:3\n-1 1:2 2:7 9:1\n")
        self.expect(self.run_program("data", "scale", "a.svm", "--save", "map", "-o", "s.svm"), 0)
        self.refused(3, "b.svm: the map of map has 2 columns, and none for 4, 9", "data", "scale",
                     "b.svm", "--restore", "map", "-o", "t.svm")
        self.assertFalse((self.folder / "t.svm").exists())
        self.write("a.csv", "x,y,target\n1,5,1\n2,7,0\n")
        self.write("b.csv", "x,y,height,target\n1,5,3,1\n2,7,4,0\n")
        self.expect(self.run_program("data", "scale", "a.csv", "--save", "map", "-o", "s.csv"), 0)
        self.refused(3, "and none for height", "data", "scale", "b.csv", "--restore", "map", "-o",
                     "t.csv")

    def test_a_wider_file_without_entries_there_is_scaled(self):
        self.write("a.svm", "1 1:1 2:5\n-1 1:2 2:7\n")
        self.expect(self.run_program("data", "scale", "a.svm", "--save", "map", "-o", "s.svm"), 0)
        self.expect(self.run_program("data", "scale", "a.svm", "--columns", "5", "--restore",
                                     "map", "-o", "t.svm"), 0)
        self.assertEqual(self.read("s.svm"), self.read("t.svm"))


class OutputTest(DoorTest):
    def test_an_output_that_is_an_input_is_refused_by_every_command(self):
        data = self.make_data("d.svm", rows=40)
        model = self.model(data)
        self.write("w.csv", "1\n" * 40)
        os.symlink(data, self.path("link.svm"))
        before = self.read("d.svm")
        commands = (
            ("train", data, "-o", data),
            ("train", data, "-o", "./d.svm"),
            ("train", data, "-o", "link.svm"),
            ("train", data, "-o", "x.mercer", "--weights", "w.csv", "--checkpoint", "w.csv"),
            ("train", data, "-o", model, "--start", model),
            ("select", data, "-o", data, "--grid", "C=1,2"),
            ("path", data, "-o", data, "--over", "C"),
            ("path", data, "-o", "p", "--over", "C", "--plot", data),
            ("compare", data, "--plot", data),
            ("predict", model, data, "-o", model),
            ("predict", model, data, "-o", data),
            ("convert", model, "-o", model),
            ("data", "convert", data, "-o", data),
            ("data", "scale", data, "-o", data),
            ("data", "scale", data, "-o", "s.svm", "--save", data),
            ("data", "split", data, "--train", "t.svm", "--test", data),
            ("kernel", "gram", "linear", data, "-o", data),
            ("kernel", "features", "linear", data, "-o", data),
            ("kernel", "distance", "linear", data, "-o", data),
        )
        for words in commands:
            with self.subTest(words=words):
                self.refused(2, "write to another file", *words)
        self.assertEqual(self.read("d.svm"), before)
        self.assertEqual(self.leftovers("d.svm", "m.mercer", "w.csv", "link.svm"), [])

    def test_files_of_a_kernel_and_a_configuration_are_inputs(self):
        data = self.make_data("d.svm", rows=10)
        self.write("q.csv", "a,b\n1,0\n0,1\n")
        self.refused(2, "--output: q.csv is read as the kernel", "kernel", "gram",
                     "quadratic-form(q.csv)", data, "-o", "q.csv")
        self.write("c.toml", "seed = 1\n")
        self.refused(2, "is read as --config", "--config", "c.toml", "train", data, "-o", "c.toml")

    def test_two_outputs_are_two_files(self):
        data = self.make_data("d.svm", rows=10)
        self.refused(2, "--test and --train name the same file", "data", "split", data, "--train",
                     "a.svm", "--test", "./a.svm")
        self.refused(2, "name the same file", "data", "scale", data, "-o", "a", "--save", "a")

    def test_devices_may_be_both(self):
        data = self.make_data("d.svm", rows=10)
        self.expect(self.run_program("data", "split", data, "--train", "/dev/null", "--test",
                                     "/dev/null"), 0)

    def test_the_programs_of_libsvm_refuse_it_too(self):
        data = self.make_data("d.svm", rows=20)
        self.expect(self.run_program("data", "info", data), 0)
        for words in (("svm-train", data, data), ("svm-scale", "-s", data, data)):
            done = subprocess.run([str(OURS / words[0]), *words[1:]], capture_output=True,
                                  text=True, cwd=self.folder, timeout=60)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("write to another file", done.stderr)


class NamesTest(DoorTest):
    def test_names_and_the_place_of_the_target_stay(self):
        self.write("i.csv", IRIS)
        words = ("i.csv", "--target", "kind")
        self.expect(self.run_program("data", "convert", *words, "-o", "c.csv"), 0)
        self.assertEqual(self.read("c.csv").replace(",3\n", ",3.0\n").replace("\n5,", "\n5.0,")
                         .replace("\n6,", "\n6.0,"), IRIS)
        self.expect(self.run_program("data", "scale", *words, "-o", "s.csv"), 0)
        self.expect(self.run_program("data", "split", *words, "--train", "a.csv", "--test",
                                     "b.csv"), 0)
        for name in ("s.csv", "a.csv", "b.csv"):
            lines = self.read(name).splitlines()
            self.assertEqual(lines[0], "length,kind,width")
            self.assertTrue(all(line.split(",")[1] in ("setosa", "versicolor", "virginica")
                                for line in lines[1:]), lines)

    def test_a_first_column_and_a_query_stay_where_they_are(self):
        text = "grade,q,x\n2,7,0.5\n1,7,1.5\n3,8,2.5\n"
        self.write("r.csv", text)
        self.expect(self.run_program("data", "convert", "r.csv", "--target", "grade", "--query",
                                     "q", "-o", "c.csv"), 0)
        self.assertEqual(self.read("c.csv"), text)

    def test_a_file_without_a_header_keeps_the_place(self):
        self.write("r.csv", "1,0.5,2.5\n0,1.5,3.5\n")
        self.expect(self.run_program("data", "convert", "r.csv", "--target", "0", "-o", "c.csv"),
                    0)
        self.assertEqual(self.read("c.csv"), "target,x0,x1\n1,0.5,2.5\n0,1.5,3.5\n")


class TerminalTest(DoorTest):
    EVIL = "a\x1b[31mred\x07"
    C1 = "b\u009b31m\u202eright"

    def evil_data(self):
        (self.folder / "e.csv").write_bytes(
            b'x,"' + self.EVIL.encode() + b'",kind\n' +
            b"".join(b'%d,%d,"%s"\n' % (i % 5, i % 3, label) for i, label in enumerate(
                [self.EVIL.encode(), self.C1.encode(), b"c\xff\xfe", b'two\nerror: lines'] * 6)))
        return self.path("e.csv")

    def assert_harmless(self, text):
        if isinstance(text, str):
            text = text.encode()
        text.decode()  # UTF-8
        for bad in (b"\x1b", b"\x07", b"\xff", b"\xc2\x9b", b"\xe2\x80\xae", b"\x7f"):
            self.assertNotIn(bad, text)

    def test_tables_and_messages_show_what_a_terminal_would_obey(self):
        data = self.evil_data()
        # Models store UTF-8; a label that is not UTF-8 is left to the readers.
        clean = self.path("f.csv")
        pathlib.Path(clean).write_bytes(pathlib.Path(data).read_bytes().replace(b"\xff\xfe", b""))
        model = self.model(clean)
        for words in (("data", "info", data), ("inspect", model), ("evaluate", model, clean),
                      ("data", "info", data, "--json"), ("inspect", model, "--json"),
                      ("verify", model, clean, "--explain"),
                      ("train", clean, "-o", "n.mercer", "-v"),
                      ("data", "convert", data, "-o", "g.svm"),
                      ("data", "info", data, "--target", "\x1b[1m", "--json")):
            with self.subTest(words=words):
                done = subprocess.run([PROGRAM, *words], capture_output=True, cwd=self.folder,
                                      timeout=60)
                self.assert_harmless(done.stdout)
                self.assert_harmless(done.stderr)
                self.assertNotIn(b"\nerror: lines", done.stdout + done.stderr)
        shown = self.expect(self.run_program("inspect", model), 0).out
        self.assertIn("a\\x1b[31mred\\x07", shown)
        self.assertIn("b\\u009b31m\\u202eright", shown)
        self.assertEqual(self.EVIL, self.run_program("inspect", model, "--json").json()["classes"][0])

    def test_labels_are_raw_in_a_pipe_and_shown_on_a_terminal(self):
        clean = self.path("f.csv")
        pathlib.Path(clean).write_bytes(
            pathlib.Path(self.evil_data()).read_bytes().replace(b"\xff\xfe", b""))
        model = self.model(clean)
        piped = self.expect(self.run_program("predict", model, clean), 0).out
        self.assertIn(self.EVIL, piped)
        self.assert_harmless(self.on_a_terminal("predict", model, clean))
        self.assert_harmless(self.on_a_terminal("data", "convert", clean, "-o", "-",
                                                "--output-format", "csv"))
        self.assertIn(b"a\\x1b[31mred", self.on_a_terminal("predict", model, clean))

    def test_damaged_files_are_told_of_without_their_bytes(self):
        evil = b"\x1b]0;owned\x07\x9b\xff\xc2\x9b\x7f"
        broken = {"m.mercer": self.broken_model(evil), "j.json": b'{"a": "' + evil + b'"',
                  "k.json": b'{"format": "mercer-scaling-1", "' + evil + b'": ' + evil,
                  "l.model": b"svm_type " + evil + b"\n", "d.svm": b"1 1:" + evil + b"\n",
                  "e.csv": b"a,b\n1," + evil + b"\n" + evil + b",2\n",
                  "c.toml": evil + b" = 1\n[train]\ncost = '" + evil + b"'\n"}
        for name, content in broken.items():
            (self.folder / name).write_bytes(content)
        good = self.make_data("good.svm", rows=10)
        for words in (("inspect", "m.mercer"), ("theory", "qp", "j.json"),
                      ("theory", "qp", "k.json"), ("inspect", "l.model"), ("data", "info", "d.svm"),
                      ("data", "info", "e.csv"), ("--config", "c.toml", "doctor"),
                      ("data", "scale", good, "--restore", "k.json", "-o", "o"),
                      ("data", "scale", good, "--restore", "j.json", "-o", "o"),
                      ("kernel", "show", "mixture(j.json)"), ("inspect", "l.model", "--json"),
                      ("theory", "qp", "k.json", "--json")):
            with self.subTest(words=words):
                done = subprocess.run([PROGRAM, *words], capture_output=True, cwd=self.folder,
                                      timeout=60)
                self.assertNotEqual(done.returncode, 0)
                self.assertNotEqual(done.returncode, 5)
                self.assertTrue(done.stderr)
                self.assert_harmless(done.stdout)
                self.assert_harmless(done.stderr)

    def broken_model(self, evil):
        """A model file with a JSON header that contains those bytes."""
        whole = pathlib.Path(self.model()).read_bytes()
        at = whole.index(b'"')
        return whole[:at + 1] + evil + whole[at + 1 + len(evil):]


class LabelTest(DoorTest):
    def test_the_map_of_text_labels_is_printed_and_written_beside(self):
        self.write("i.csv", IRIS)
        for output in ("i.svm", "i.npz"):
            outcome = self.expect(self.run_program("data", "convert", "i.csv", "--target", "kind",
                                                   "-o", output), 0)
            self.assertIn("0 = setosa, 1 = versicolor, 2 = virginica", outcome.err)
            self.assertEqual(self.read(output + ".labels.csv"),
                             "number,label\n0,setosa\n1,versicolor\n2,virginica\n")
        result = self.expect(self.run_program("data", "split", "i.csv", "--target", "kind",
                                              "--train", "a.svm", "--test", "b.svm", "--json"),
                             0).json()
        for part in ("train", "test"):
            self.assertEqual(result[part]["classes"], ["setosa", "versicolor", "virginica"])
            self.assertTrue((self.folder / result[part]["label_file"]).exists())
        outcome = self.expect(self.run_program("data", "convert", "i.csv", "--target", "kind",
                                               "-o", "-"), 0)
        self.assertIn("0 = setosa", outcome.err)

    def test_predictions_in_an_array_have_the_map_beside_them(self):
        self.write("i.csv", IRIS)
        model = self.model("i.csv", "--target", "kind")
        self.expect(self.run_program("predict", model, "i.csv", "--target", "kind", "-o",
                                     "p.npy"), 0)
        self.assertIn("2,virginica", self.read("p.npy.labels.csv"))

    def test_outputs_that_keep_the_labels_have_no_map(self):
        self.write("i.csv", IRIS)
        data = self.make_data("d.csv", rows=10)
        for words in (("i.csv", "--target", "kind", "-o", "c.csv"), (data, "-o", "d.svm")):
            outcome = self.expect(self.run_program("data", "convert", *words), 0)
            self.assertNotIn(" = ", outcome.err)
        self.assertEqual([name for name in self.leftovers() if "labels" in name], [])

    def test_the_map_does_not_replace_an_input(self):
        self.write("o.svm.labels.csv", IRIS)
        self.refused(2, "write to another file", "data", "convert", "o.svm.labels.csv",
                     "--target", "kind", "-o", "o.svm")
        self.assertEqual(self.read("o.svm.labels.csv"), IRIS)

    def test_integer_labels_beyond_2_53_are_refused(self):
        self.write("d.svm", "1 1:1\n9007199254740993 1:2\n")
        self.refused(3, "d.svm:2:1: label: '9007199254740993' is an integer beyond 2^53", "train",
                     "d.svm", "-o", "m.mercer")
        self.refused(3, "beyond 2^53", "data", "convert", "d.svm", "-o", "c.csv")
        self.write("d.csv", "x,id\n1,-9007199254740993\n2,5\n")
        self.refused(3, "d.csv:2:3: target column 'id': '-9007199254740993'", "train", "d.csv",
                     "-o", "m.mercer")
        # 2^53 itself, a number that is not an integer literal, and a quantity.
        self.write("e.svm", "9007199254740992 1:1\n1e300 1:2\n")
        self.expect(self.run_program("data", "info", "e.svm"), 0)
        self.expect(self.run_program("data", "info", "d.svm", "--task", "regression"), 0)


class ModelTest(DoorTest):
    def test_a_libsvm_model_without_its_last_newline_is_refused(self):
        model = self.model()
        self.expect(self.run_program("convert", model, "-o", "l.libsvm"), 0)
        text = self.read("l.libsvm")
        lines = text.count("\n")
        self.write("cut.libsvm", text[:-1])
        self.refused(3, f"cut.libsvm:{lines}:", "inspect", "cut.libsvm")
        self.refused(3, "cut short", "inspect", "cut.libsvm")

    def test_verify_says_that_a_model_states_nothing(self):
        data = self.make_data("d.svm", rows=40)
        self.expect(self.run_program("convert", self.model(data), "-o", "l.libsvm"), 0)
        outcome = self.expect(self.run_program("verify", "l.libsvm", data), 1)
        self.assertIn("nothing to verify: the model comes from another program", outcome.out)
        self.assertNotIn("nan", outcome.out)
        self.assertNotIn("NOT hold", outcome.out)
        result = self.expect(self.run_program("verify", "l.libsvm", data, "--json"), 1).json()
        self.assertIs(result["holds"], False)
        self.assertIs(result["states_certificate"], False)
        self.assertNotIn("stated", result)
        self.assertIs(self.run_program("verify", "m.mercer", data, "--json").json()
                      ["states_certificate"], True)


class OptionTest(DoorTest):
    CLASSES = ("svc", "nu-svc", "l2-svc", "huber-svc", "hard-margin", "perceptron", "klr",
               "ls-svc", "ordinal", "logistic")
    NUMBERS = ("one-class", "svr", "l2-svr", "nu-svr", "krr", "rank", "least-squares", "ridge",
               "polynomial")
    TAKERS = {"epsilon": ("svr", "l2-svr"), "nu": ("nu-svc", "one-class", "nu-svr"),
              "degree": ("polynomial",), "alpha": ("krr", "ridge"), "precision": ("krr",)}
    VALUES = {"epsilon": "0.1", "nu": "0.5", "degree": "2", "alpha": "0.5",
              "precision": "float32"}

    def test_what_a_machine_does_not_take_is_refused_alike(self):
        self.make_data("c.svm", rows=30)
        self.make_data("n.svm", "friedman1", rows=30)
        for machine in self.CLASSES + self.NUMBERS:
            data = "c.svm" if machine in self.CLASSES else "n.svm"
            for option, takers in self.TAKERS.items():
                if machine in takers:
                    continue
                with self.subTest(machine=machine, option=option):
                    for dry in ((), ("--dry-run",)):
                        self.refused(2, f"--{option}: {machine} does not take it; these do: "
                                        f"{', '.join(takers)}", "train", data, "-o", "m",
                                     "--model", machine, f"--{option}", self.VALUES[option], *dry)
        for option in ("cost", "lambda"):
            for machine in ("nu-svc", "one-class", "hard-margin", "perceptron", "least-squares",
                            "polynomial"):
                data = "c.svm" if machine in self.CLASSES else "n.svm"
                self.refused(2, f"--{option}: {machine} does not take it; these do: svc",
                             "train", data, "-o", "m", "--model", machine, f"--{option}", "1")
        for machine in ("perceptron", "ordinal", "rank"):
            data = "c.svm" if machine in self.CLASSES else "n.svm"
            self.refused(2, f"--probability: {machine} does not take it; these do: svc", "train",
                         data, "-o", "m", "--model", machine, "--probability")
        self.assertEqual(self.leftovers("c.svm", "n.svm"), [])

    def test_a_grid_has_no_names_that_the_machine_does_not_take(self):
        data = self.make_data("c.svm", rows=30)
        for axis, machine in (("epsilon=0.1,1", "svc"), ("alpha=1,2", "svc"), ("C=1,2", "nu-svc"),
                              ("lambda=1,2", "hard-margin")):
            name = {"C": "cost"}.get(axis.split("=")[0], axis.split("=")[0])
            self.refused(2, f"grid: {name}: {machine} does not take it", "select", data, "-o", "m",
                         "--model", machine, "--grid", axis)
        self.refused(2, "grid:", "select", data, "-o", "m", "--grid", "nu=0.1,0.5")
        self.refused(2, "--epsilon: svc does not take it", "select", data, "-o", "m", "--grid",
                     "C=1,2", "--epsilon", "0.1")
        self.expect(self.run_program("select", data, "-o", "m", "--grid", "degree=1,2",
                                     "--kernel", "poly(degree=2)"), 0)

    def test_searches_refuse_it_before_they_search(self):
        data = self.make_data("n.svm", "friedman1", rows=30)
        for words in (("select", "--model", "krr", "--gradient", "loo"),
                      ("path", "--over", "lambda", "--penalty", "l1"),
                      ("compare", "--model", "krr")):
            output = () if words[0] == "compare" else ("-o", "m")
            self.refused(2, "does not take it; these do: nu-svc", words[0], data, *output, *words[1:],
                         "--nu", "0.5")

    def test_a_penalty_on_the_coefficients_gives_least_squares_a_cost(self):
        data = self.make_data("n.svm", "friedman1", rows=30)
        self.expect(self.run_program("train", data, "-o", "m", "--model", "least-squares",
                                     "--penalty", "l1", "-C", "2"), 0)

    def test_an_empty_kernel_is_an_error(self):
        data = self.make_data("d.svm", rows=20)
        for words in (("train", data, "-o", "m"), ("select", data, "-o", "m", "--grid", "C=1,2"),
                      ("path", data, "-o", "p", "--over", "C"), ("compare", data),
                      ("theory", "separable", data)):
            with self.subTest(words=words):
                self.refused(2, "--kernel: got '', must not be empty", *words, "--kernel", "")
        self.refused(2, "kernel", "kernel", "show", "")


class ConfigTest(DoorTest):
    def test_errors_name_file_and_line(self):
        data = self.make_data("d.svm", rows=20)
        train = ("train", data, "-o", "m")
        for text, message in (
                ("seed = 1\n\n[train]\ncost = much\n", "c.toml:4: --cost: got much, must be a number"),
                ("# note\nseed = -5\n", "c.toml:2: --seed: got -5"),
                ("[train]\nmodel = 'svc'\nkost = 1\n", "c.toml:3: not understood: train.kost"),
                ("threads = 1\n\n\n[trian]\ncost = 1\n", "c.toml:4: not understood: [trian]"),
                ("[train]\nkernel = \"\"\n", "c.toml:2: --kernel"),
                ("[train]\nmodel = 'svm'\n", "c.toml:2: --model: got 'svm'"),
                ("[train]\n\nepsilon = 0.1\n", "c.toml:3: --epsilon: svc does not take it"),
                ("[train]\nnu = 2\nmodel = 'nu-svc'\n", "c.toml:2: --nu: got 2")):
            with self.subTest(text=text):
                self.write("c.toml", text)
                self.refused(2, message, "--config", "c.toml", *train)

    def test_errors_of_the_command_line_do_not_blame_the_file(self):
        data = self.make_data("d.svm", rows=20)
        self.write("c.toml", "seed = 1\n")
        outcome = self.refused(2, "--cost: got much", "--config", "c.toml", "train", data, "-o",
                               "m", "--cost", "much")
        self.assertNotIn("c.toml:", outcome.err)

    def test_a_file_that_cannot_be_read_is_named(self):
        self.refused(2, "--config: none.toml cannot be read", "--config", "none.toml", "doctor")


if __name__ == "__main__":
    unittest.main()
