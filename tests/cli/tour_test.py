# SPDX-License-Identifier: Apache-2.0
"""tests/cli/tour_test.py - the pages of the tour run from top to bottom with the output shown."""

import pathlib
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from program import PROGRAM, ProgramTest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TUTORIALS = ROOT / "docs" / "tutorials"
PAGES = sorted(TUTORIALS.glob("[0-9]*.md"))
PICTURES = ROOT / "examples" / "pictures"
IMAGES = ROOT / "docs" / "images"
PAGE = """# A page

```sh
mercer kernel show linear --x 1,2 --z 3,4.5 | tail -1
```
```text
k(x, z) = %s
```
"""


def call(*command):
    return subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True,
                          timeout=600, check=False)


class TourTest(ProgramTest):
    def tour(self, *arguments):
        return call(ROOT / "tools" / "tour", "--mercer", PROGRAM, *arguments)

    def page(self, text):
        path = self.folder / "page.md"
        path.write_text(text)
        return path

    def test_every_page_prints_what_it_shows(self):
        self.assertEqual(len(PAGES), 10)
        for page in [*PAGES, TUTORIALS / "README.md"]:
            with self.subTest(page=page.name):
                done = self.tour(page)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_page_has_a_picture_and_three_exercises_with_solutions_that_run(self):
        for page in PAGES:
            with self.subTest(page=page.name):
                text = page.read_text()
                self.assertRegex(text, r"!\[[^\]]+\]\(\.\./images/[\w-]+\.svg\)")
                exercises = text[text.index("## Exercises"):]
                parts = re.split(r"\*\*\d\.\*\*", exercises)[1:]
                self.assertEqual(len(parts), 3)
                for part in parts:
                    begin = part.index("<details><summary>Solution</summary>\n\n")
                    solution = part[begin:part.index("</details>")]
                    self.assertRegex(solution, r"```sh\n[^`]*mercer")

    def test_a_page_that_shows_the_truth_passes(self):
        done = self.tour(self.page(PAGE % "12"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_wrong_number_is_noticed_and_update_mends_it(self):
        page = self.page(PAGE % "13")
        self.assertEqual(self.tour(page).returncode, 1)
        self.assertEqual(page.read_text(), PAGE % "13")
        self.assertEqual(self.tour("--update", page).returncode, 0)
        self.assertEqual(page.read_text(), PAGE % "12")

    def test_a_command_that_fails_is_noticed(self):
        done = self.tour(self.page("```sh\nmercer kernel show nonsense\necho reached\n```\n"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("exit status 2", done.stdout)
        self.assertEqual(done.stdout.count("reached"), 1, "the script itself is shown, no more")

    def test_tools_beyond_posix_are_not_found(self):
        done = self.tour(self.page("```sh\npython3 --version\n```\n"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("exit status 127", done.stdout)

    def test_times_and_counts_are_not_compared_but_their_neighbours_are(self):
        page = "```sh\necho 'smo, 12 iterations, 0.25 s, gap 0.5'\n```\n```text\n%s\n```\n"
        good = self.tour(self.page(page % "smo, 900 iterations, 7 s, gap 0.50001"))
        self.assertEqual(good.returncode, 0, good.stdout)
        bad = self.tour(self.page(page % "smo, 12 iterations, 0.25 s, gap 0.51"))
        self.assertEqual(bad.returncode, 1)


class PicturesTest(ProgramTest):
    def test_a_contour_of_a_bowl_is_one_closed_circle(self):
        sys.path.insert(0, str(PICTURES))
        self.addCleanup(sys.path.remove, str(PICTURES))
        from svg import contour
        places = [-2 + 0.1 * i for i in range(41)]
        lines = contour(places, places, [[x * x + y * y for x in places] for y in places], 1.7)
        self.assertEqual(len(lines), 1)
        self.assertEqual(lines[0][0], lines[0][-1])
        for x, y in lines[0]:
            self.assertAlmostEqual(x * x + y * y, 1.7, delta=0.01)

    def test_every_picture_is_what_its_script_draws(self):
        done = call(PICTURES / "run", "--mercer", PROGRAM, "--check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_image_has_a_script_is_small_and_is_well_formed(self):
        images = sorted(IMAGES.glob("*.svg"))
        self.assertGreaterEqual(len(images), len(PAGES))
        for image in images:
            with self.subTest(image=image.name):
                self.assertTrue((PICTURES / f"{image.stem}.py").exists())
                self.assertLess(image.stat().st_size, 60_000)
                root = xml.etree.ElementTree.parse(image).getroot()
                self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
                self.assertTrue(root.find("{http://www.w3.org/2000/svg}title").text)


if __name__ == "__main__":
    unittest.main()
