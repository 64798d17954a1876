# SPDX-License-Identifier: Apache-2.0
"""tests/cli/comparisons_test.py - ordinal regression and ranking from the shell."""

import unittest

from program import ProgramTest

STEPS = "1 1:-1\n2 1:0\n3 1:1\n"
PAIR = "0 1:0\n1 1:1\n"
EXACT = ("--kernel", "linear", "--gap-tolerance", "1e-10")


class ComparisonCase(ProgramTest):
    def train(self, data, model, *words, status=0):
        done = self.run_program("train", data, "-o", "m.mercer", "--model", model, "--json", "-q",
                                *words)
        return self.expect(done, status).json()

    def verified(self, data, *words):
        self.expect(self.run_program("verify", "m.mercer", data, *words), 0)

    def refused(self, status, message, *words):
        outcome = self.expect(self.run_program(*words), status)
        self.assertIn(message, outcome.err)


class OrdinalTest(ComparisonCase):
    def test_three_points_on_a_line_have_the_solution_by_hand(self):
        data = self.write("d.svm", STEPS)
        answer = self.train(data, "ordinal", "-C", "0.5", *EXACT)
        self.expect_fact("S17", "ordinal, C = 1/2: thresholds", answer["thresholds"])
        self.expect_fact("S17", "ordinal, C = 1/2: objective", answer["certificate"]["primal"])
        self.assertEqual(answer["comparisons"], 6)
        self.verified(data)
        labels = self.run_program("predict", "m.mercer", data, "-q").out.split()
        self.assertEqual(labels, ["1", "2", "3"])
        measures = self.run_program("evaluate", "m.mercer", data, "--json").json()
        self.assertEqual((measures["accuracy"], measures["mae"]), (1.0, 0.0))

    def test_mae_counts_classes_and_inspect_shows_thresholds(self):
        data = self.make_data("d.svm", "ordinal", rows=200, classes=5, noise=0.2, seed=1)
        self.train(data, "ordinal", "-C", "10", "--kernel", "linear")
        self.verified(data)
        measures = self.run_program("evaluate", "m.mercer", data, "--json").json()
        confusion = measures["confusion"]
        apart = sum(abs(i - j) * count for i, row in enumerate(confusion)
                    for j, count in enumerate(row))
        self.assertAlmostEqual(measures["mae"], apart / 200, places=12)
        self.assertLess(measures["mae"], 1.0)
        shown = self.run_program("inspect", "m.mercer", "--json").json()
        self.assertEqual(shown["thresholds"], sorted(shown["thresholds"]))
        self.assertEqual(len(shown["thresholds"]), 4)
        self.assertIn("thresholds", self.run_program("inspect", "m.mercer").out)

    def test_text_labels_need_an_order(self):
        data = self.write("d.csv", "x,size\n0,small\n1,medium\n2,large\n3,large\n")
        self.refused(2, "order: the label", "train", data, "-o", "m.mercer", "--model", "ordinal")
        answer = self.train(data, "ordinal", "--order", "small,medium,large", "-C", "100")
        self.assertEqual(answer["classes"], ["small", "medium", "large"])
        self.verified(data)

    def test_what_it_does_not_take_is_refused(self):
        data = self.write("d.svm", STEPS)
        train = ["train", data, "-o", "m.mercer", "--model", "ordinal"]
        self.refused(2, "thresholds", *train, "--multiclass", "ovr")
        self.refused(2, "thresholds", *train, "--no-intercept")
        self.refused(2, "probability: ordinal", *train, "--probability")
        self.refused(2, "cost: got inf", *train, "-C", "inf")
        self.refused(2, "does not take it", *train, "--checkpoint", "c")
        self.refused(2, "solved by: decomposition", *train, "--solver", "smo")
        self.train(data, "ordinal")
        self.refused(2, "cannot hold the machine ordinal", "convert", "m.mercer", "-o",
                     "m.libsvm")
        self.refused(2, "--decision-shape", "predict", "m.mercer", data, "--output", "decision",
                     "--decision-shape", "ovr")
        self.expect(self.run_program("convert", "m.mercer", "-o", "copy.mercer"), 0)

    def test_a_time_limit_leaves_a_model_with_its_gap(self):
        data = self.make_data("d.svm", "ordinal", rows=3000, classes=6, noise=0.3, seed=1)
        answer = self.train(data, "ordinal", "-C", "1e4", "--gap-tolerance", "1e-9",
                            "--time-limit", "0.3", status=1)
        self.assertEqual(answer["status"], "interrupted")
        self.assertGreater(answer["certificate"]["gap"], 0)

    def test_dry_run_and_compare_and_select_know_it(self):
        data = self.make_data("d.svm", "ordinal", rows=80, classes=3, noise=0.1, seed=1)
        plan = self.expect(self.run_program("train", data, "--model", "ordinal", "--dry-run",
                                            "--json"), 0).json()
        self.assertEqual(plan["plan"]["needed_bytes"], 80 * 2 * 40)
        chosen = self.expect(self.run_program("select", data, "-o", "s.mercer", "--model",
                                              "ordinal", "--grid", "C=0.1,1", "--metric", "mae",
                                              "--json"), 0).json()
        self.assertIn("cv_mae", chosen["table"][0])


class RankTest(ComparisonCase):
    def test_one_pair_has_the_solution_by_hand(self):
        data = self.write("d.svm", PAIR)
        answer = self.train(data, "rank", "-C", "0.5", *EXACT)
        self.expect_fact("S17", "rank, one pair, C = 1/2: objective",
                         answer["certificate"]["primal"])
        self.assertEqual(answer["comparisons"], 1)
        self.verified(data)

    def test_queries_are_ranked_by_themselves(self):
        data = self.make_data("d.svm", "queries", rows=200, classes=3, noise=0.05, seed=1)
        answer = self.train(data, "rank", "-C", "1", "--kernel", "linear")
        measures = self.run_program("evaluate", "m.mercer", data, "--json").json()
        self.assertEqual(measures["queries"], 20)
        self.assertEqual(measures["pairs"], answer["comparisons"])
        self.assertGreater(measures["pair_accuracy"], 0.9)
        self.assertAlmostEqual(measures["kendall_tau"], 2 * measures["pair_accuracy"] - 1)
        self.verified(data)
        self.expect(self.run_program("data", "convert", data, "-o", "d.csv"), 0)
        table = self.run_program("evaluate", "m.mercer", "d.csv", "--query", "qid", "--json")
        self.assertEqual(self.expect(table, 0).json()["pairs"], measures["pairs"])
        self.verified("d.csv", "--query", "qid")
        forgotten = self.write("e.svm", "".join(
            " ".join(word for word in line.split() if not word.startswith("qid:")) + "\n"
            for line in (self.folder / "d.svm").read_text().splitlines()))
        self.expect(self.run_program("verify", "m.mercer", forgotten), 1)

    def test_nothing_to_rank_and_too_much_to_rank_are_refused(self):
        level = self.write("d.svm", "1 1:0\n1 1:1\n")
        self.refused(3, "nothing to rank", "train", level, "-o", "m.mercer", "--model", "rank")
        alone = self.write("e.svm", "1 qid:1 1:0\n2 qid:2 1:1\n")
        self.refused(3, "nothing to rank", "train", alone, "-o", "m.mercer", "--model", "rank")
        many = self.make_data("f.svm", "friedman1", rows=4000, seed=1)
        self.refused(4, "rank by decomposition needs", "train", many, "-o", "m.mercer", "--model",
                     "rank", "--memory", "50M")
        plan = self.run_program("train", many, "--model", "rank", "--dry-run", "--json",
                                "--memory", "50M")
        self.assertFalse(self.expect(plan, 4).json()["plan"]["fits"])

    def test_weights_are_repetitions(self):
        rows = ["0 1:0 2:1", "1 1:1 2:0.5", "2 1:0.5 2:-1", "1 1:0.2 2:0.3"]
        weighted = self.write("w.svm", "\n".join(rows) + "\n")
        self.write("w.txt", "1\n2\n1\n1\n")
        repeated = self.write("r.svm", "\n".join(rows + rows[1:2]) + "\n")
        once = self.train(weighted, "rank", *EXACT, "--weights", "w.txt")
        self.verified(weighted, "--weights", "w.txt")
        twice = self.train(repeated, "rank", *EXACT)
        self.assertAlmostEqual(once["certificate"]["primal"], twice["certificate"]["primal"],
                               places=8)
        self.refused(2, "rank has no classes", "train", weighted, "-o", "m.mercer", "--model",
                     "rank", "--weight", "1=2")

    def test_other_machines_do_not_look_at_queries(self):
        with_queries = self.write("q.svm", "1 qid:1 1:1\n-1 qid:2 1:-1\n1 qid:1 1:2\n")
        without = self.write("p.svm", "1 1:1\n-1 1:-1\n1 1:2\n")
        answers = [self.train(data, "svc", "--kernel", "linear") for data in
                   (with_queries, without)]
        self.assertEqual(answers[0]["certificate"], answers[1]["certificate"])


if __name__ == "__main__":
    unittest.main()
