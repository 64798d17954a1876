# SPDX-License-Identifier: Apache-2.0
"""tests/cli/report_test.py - the report of every machine has the numbers of the other commands."""

import html.parser
import json
import re
import unittest

from program import ProgramTest

MACHINES = {
    "svc": ("moons", ()), "nu-svc": ("moons", ("--nu", "0.3")), "one-class": ("moons", ("--nu", "0.1")),
    "svr": ("friedman1", ("--epsilon", "0.5")), "l2-svr": ("friedman1", ()),
    "nu-svr": ("friedman1", ()), "l2-svc": ("moons", ()), "huber-svc": ("moons", ()),
    "hard-margin": ("moons", ("--kernel", "rbf(gamma=50)")),
    "perceptron": ("moons", ("--kernel", "rbf(gamma=50)")), "klr": ("blobs", ()),
    "krr": ("friedman1", ("--alpha", "0.1")), "ls-svc": ("moons", ()), "ordinal": ("ordinal", ()),
    "rank": ("queries", ()), "least-squares": ("friedman1", ()), "ridge": ("friedman1", ()),
    "polynomial": ("friedman1", ("--degree", "2")), "logistic": ("moons", ()),
}
MORE = {
    "pairs": ("svc", "blobs", ("--probability",)), "rest": ("svc", "blobs", ("--multiclass", "ovr")),
    "few": ("l2-svc", "moons", ("--penalty", "l1", "--l1", "0.5")),
    "basis": ("l2-svc", "moons", ("--basis", "8")),
    "linear": ("svc", "moons", ("--kernel", "linear", "--scale", "standard")),
    "line": ("svr", "sinc", ()),
}


class Page(html.parser.HTMLParser):
    """Unclosed tags, ids, and everything a page would fetch."""

    VOID = {"meta", "link", "br", "img", "hr", "input"}

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.fetched, self.wrong = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        if "id" in named:
            self.ids.append(named["id"])
        self.fetched += [named[key] for key in ("src", "href") if key in named]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.ids += [value for key, value in attributes if key == "id"]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append((tag, self.getpos()))


class ReportTest(ProgramTest):
    def make(self, generator, rows=120):
        name = f"{generator}.csv" if generator != "queries" else "queries.svm"
        options = {"blobs": ("--columns", "4", "--classes", "3", "--noise", "0.4"),
                   "ordinal": ("--classes", "3"), "moons": ("--noise", "0.2"),
                   "friedman1": ("--columns", "6")}.get(generator, ())
        self.run_program("data", "make", generator, "-o", name, "--rows", rows, *options)
        return name

    def train(self, machine, data, *options):
        outcome = self.run_program("train", data, "--model", machine, "-o", "m.mercer", "--json",
                                   *options)
        self.assertEqual(outcome.status, 0, outcome.err)
        return outcome.json()

    def report(self, *words, status=0):
        outcome = self.run_program("report", *words, "-o", "r.html", "--json")
        self.assertEqual(outcome.status, status, outcome.err)
        page = (self.folder / "r.html").read_text()
        parsed = Page(page)
        self.assertEqual(parsed.wrong, [])
        self.assertEqual(parsed.open, [])
        self.assertEqual(len(parsed.ids), len(set(parsed.ids)))
        self.assertEqual([one for one in parsed.fetched if not one.startswith(("#", "data:"))], [])
        json.loads(re.search(r'id="figures">(.*?)</script>', page, re.S)[1])
        return outcome.json(), page

    def same_as_evaluate(self, data, found):
        told = self.run_program("evaluate", "m.mercer", data, "--json").json()
        measures = found["measures"]
        for name in set(measures) & set(told):
            self.assertEqual(measures[name]["value"], told[name], name)
        if "confusion" in found:
            self.assertEqual(found["confusion"], told["confusion"])
        for name, measure in measures.items():
            if "low" in measure:
                self.assertLessEqual(measure["low"], measure["value"], name)
                self.assertGreaterEqual(measure["high"], measure["value"], name)
        return measures

    def check(self, machine, generator, options):
        data = self.make(generator)
        trained = self.train(machine, data, *options)
        answer, page = self.report("m.mercer", data)
        self.assertEqual(answer["sets"][0]["name"], "training rows")
        measures = self.same_as_evaluate(data, answer["sets"][0])
        self.assertTrue(measures)
        verified = self.run_program("verify", "m.mercer", data, "--json").json()
        self.assertTrue(answer["verify"]["holds"])
        self.assertEqual(answer["verify"]["recomputed"], verified["recomputed"])
        self.assertEqual(answer["certificate"], verified["stated"])
        self.assertEqual(answer["support"]["support_vectors"], trained["support_vectors"])
        bounded = answer["support"]["bounded_support_vectors"]
        if bounded is not None:
            self.assertEqual(bounded, trained["bounded_support_vectors"])
        self.assertEqual(len(answer["support"]["hardest"]), 20)
        self.assertIn("<svg", page)
        # The command it prints trains the same model.
        command = answer["commands"][0].replace("-o m.mercer", "-o again.mercer")
        again = self.run_shell(command)
        self.assertEqual(again.returncode, 0, again.stderr)
        first = self.run_program("inspect", "m.mercer", "--json").json()
        second = self.run_program("inspect", "again.mercer", "--json").json()
        self.assertEqual(first["certificate"], second["certificate"], command)
        alone, _ = self.report("m.mercer")
        self.assertEqual(alone["sets"], [])
        self.assertEqual(alone["certificate"], verified["stated"])

    def run_shell(self, command):
        import os
        import subprocess

        from program import PROGRAM
        words = command.replace("mercer ", os.path.abspath(PROGRAM) + " ", 1)
        return subprocess.run(["sh", "-c", words], cwd=self.folder, capture_output=True, text=True,
                              timeout=120)

    def test_every_machine_has_a_report_whose_numbers_other_commands_say(self):
        for machine, (generator, options) in MACHINES.items():
            with self.subTest(machine=machine):
                self.check(machine, generator, options)

    def test_other_penalties_classes_and_kernels_have_one(self):
        for name, (machine, generator, options) in MORE.items():
            with self.subTest(name):
                self.check(machine, generator, options)

    def test_validation_rows_stand_first_and_refits_are_told(self):
        data = self.make("moons")
        self.run_program("data", "make", "moons", "-o", "new.csv", "--rows", 200, "--seed", 5)
        self.train("klr", data)
        answer, page = self.report("m.mercer", data, "--validation", "new.csv", "--refits")
        self.assertEqual([one["name"] for one in answer["sets"]],
                         ["training rows", "validation rows"])
        self.same_as_evaluate("new.csv", answer["sets"][1])
        self.assertLess(page.index("On the validation rows"), page.index("On the training rows"))
        points = answer["learning"]["points"]
        self.assertEqual(points[-1]["rows"], 120)
        self.assertEqual(points[-1]["validation"]["value"],
                         answer["sets"][1]["measures"]["accuracy"]["value"])
        gaps = [point["relative_gap"] for point in answer["convergence"]]
        self.assertLess(gaps[-1], 1e-8)
        self.assertGreater(gaps[0], gaps[-1])

    def test_the_order_of_queries_has_intervals_over_queries(self):
        data = self.make("queries", 300)
        self.train("rank", data)
        answer, _ = self.report("m.mercer", data)
        measures = self.same_as_evaluate(data, answer["sets"][0])
        tau, share = measures["kendall_tau"], measures["pair_accuracy"]
        self.assertLess(tau["low"], tau["high"])
        for end in ("low", "value", "high"):  # one is a linear function of the other
            self.assertAlmostEqual(share[end], 0.5 * (1.0 + tau[end]), places=12)

    def test_leave_one_out_of_ridge_is_that_of_select(self):
        data = self.make("friedman1")
        self.train("krr", data, "--alpha", "0.1", "--kernel", "rbf(gamma=1)")
        answer, _ = self.report("m.mercer", data)
        curve = answer["leave_one_out"]["curve"]
        self.assertAlmostEqual(answer["leave_one_out"]["alpha"], 0.1)
        own = min(curve, key=lambda point: abs(point["alpha"] - 0.1))
        told = self.run_program("select", data, "-o", "s.mercer", "--model", "krr", "--kernel",
                                "rbf(gamma=1)", "--grid", "alpha=0.1", "--loo", "--json").json()
        self.assertAlmostEqual(own["rmse"], told["table"][0]["loo_rmse"], places=10)

    def test_grid_and_path_are_shown(self):
        data = self.make("moons")
        outcome = self.run_program("select", data, "-o", "m.mercer", "--kernel", "rbf(gamma=1)",
                                   "--grid", "C=0.1,1,10", "--grid", "gamma=0.5,2", "--json")
        self.write("grid.json", outcome.out)
        self.run_program("path", data, "-o", "m.path", "--kernel", "rbf(gamma=1)")
        answer, page = self.report("m.mercer", data, "--grid", "grid.json", "--path", "m.path")
        table = outcome.json()["table"]
        self.assertEqual(answer["grid"]["scores"], [row["cv_accuracy"] for row in table])
        self.assertEqual(answer["grid"]["values"], [[row["C"], row["gamma"]] for row in table])
        self.assertIn('id="chart-grid"', page)
        self.assertIn('id="chart-path"', page)
        self.write("wrong.json", '{"table": 3}')
        for words, said in ((("--grid", "wrong.json"), "select --json"),
                            (("--path", "grid.json"), "mercer path")):
            outcome = self.run_program("report", "m.mercer", data, *words, "-o", "x.html")
            self.assertEqual(outcome.status, 3, outcome.err)
            self.assertIn(said, outcome.err)

    def test_other_rows_are_called_that_and_a_broken_certificate_is_seen(self):
        data = self.make("moons")
        self.train("svc", data)
        other = self.make("blobs")
        outcome = self.run_program("report", "m.mercer", other, "-o", "x.html")
        self.assertEqual(outcome.status, 3)
        self.run_program("data", "make", "moons", "-o", "new.csv", "--rows", 50, "--seed", 5)
        answer, _ = self.report("m.mercer", "new.csv")
        self.assertEqual(answer["sets"][0]["name"], "rows given")
        self.assertNotIn("verify", answer)
        self.assertTrue(any("not those that trained" in one for one in answer["remarks"]))
        skipped, page = self.report("m.mercer", data, "--no-verify")
        self.assertNotIn("verify", skipped)
        self.assertIn("was not recomputed", page)

    def test_names_are_escaped(self):
        rows = "\n".join(f"{i % 7},{i % 5},{'<b>a' if i % 2 else 'x</script>'}" for i in range(40))
        data = self.write("d.csv", '"<i>one","two&",class\n' + rows + "\n")
        self.train("svc", data)
        _, page = self.report("m.mercer", data, "--title", "<script>alert(1)</script>")
        self.assertNotIn("<script>alert", page)
        self.assertNotIn("<b>a", page)
        self.assertNotIn("<i>one", page)
        self.assertEqual(page.count("</script>"), 2)

    def test_a_hundred_thousand_rows_stay_below_a_megabyte(self):
        self.run_program("data", "make", "moons", "-o", "m.npz", "--rows", 100000)
        self.train("logistic", "m.npz")
        answer, page = self.report("m.mercer", "m.npz", "--no-verify")
        self.assertLess(len(page.encode()), 1_000_000)
        self.assertEqual(answer["sets"][0]["rows"], 100000)
        self.same_as_evaluate("m.npz", answer["sets"][0])

    def test_the_same_call_writes_the_same_page(self):
        data = self.make("moons")
        self.train("svc", data)
        _, once = self.report("m.mercer", data)
        _, again = self.report("m.mercer", data)
        self.assertEqual(once, again)


if __name__ == "__main__":
    unittest.main()
