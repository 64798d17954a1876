# SPDX-License-Identifier: Apache-2.0
"""tests/tools/check_sizes_test.py - the size check measures what a reader would measure."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

SMALL = """\
namespace mercer {
class Box : public Base<int> {
public:
    Box(int a, std::map<int, int> b) : a_{a}, b_(b), c_{1, 2, 3, 4, 5, 6, 7, 8} {}
    [[nodiscard]] bool operator()(int a, int b) const;
    int six(int a, int b, int c, int d, int e, std::pair<int, int> f = {1, 2});
    static constexpr int kTable[] = {1, 2, 3, 4, 5, 6, 7, 8};
};
template <typename T, typename U, typename V, typename W, typename X, typename Y, typename Z>
void many_types(T t);
auto lambda = [](int a, int b, int c, int d, int e, int f, int g) { return a; };
int call = f(1, 2, 3, 4, 5, 6, 7, 8);
void body() {
    if (x < 1) { g(1, 2, 3, 4, 5, 6, 7, 8); }
    const char brace = '{';
    auto inner = [&](int a, int b, int c, int d, int e, int f, int g) { return a; };
}
}  // namespace mercer
"""


class Sizes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.add("src/base/small.cpp", SMALL)

    def add(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def run_check(self):
        command = [sys.executable, str(ROOT / "tools/check_sizes.py"), "--root", str(self.root)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(result.stderr, "")
        return result.returncode, result.stdout

    def test_small_things_pass(self):
        self.assertEqual(self.run_check(), (0, ""))

    def test_a_long_header_is_found(self):
        self.add("include/mercer/base/long.hpp", "\n" * 250)
        self.assertEqual(self.run_check()[0], 0)
        self.add("include/mercer/base/long.hpp", "\n" * 251)
        self.assertEqual(self.run_check(),
                         (1, "include/mercer/base/long.hpp:251: 251 lines, at most 250\n"))

    def test_a_long_source_is_found(self):
        self.add("src/base/long.cpp", "\n" * 801)
        self.assertEqual(self.run_check(), (1, "src/base/long.cpp:801: 801 lines, at most 800\n"))

    def test_a_long_function_is_found(self):
        self.add("src/base/f.cpp", "\nvoid f(int a)\n{" + "\n" * 98 + "}\n")
        self.assertEqual(self.run_check()[0], 0)
        self.add("src/base/f.cpp", "\nvoid f(int a)\n{" + "\n" * 99 + "}\n")
        self.assertEqual(self.run_check(), (1, "src/base/f.cpp:2: f: 101 lines, at most 100\n"))

    def test_a_long_constructor_with_member_braces_is_found(self):
        self.add("src/base/f.cpp", "Box::Box(int a) : a_{a}, b_{2} {" + "\n" * 100 + "}\n")
        status, output = self.run_check()
        self.assertEqual(status, 1)
        self.assertIn("src/base/f.cpp:1: Box::Box: 101 lines", output)

    def test_a_long_class_is_found(self):
        self.add("src/base/box.cpp", "class Box final : public Base {" + "\n" * 349 + "};\n")
        self.assertEqual(self.run_check()[0], 0)
        self.add("src/base/box.cpp", "\nclass Box final : public Base {" + "\n" * 350 + "};\n")
        self.assertEqual(self.run_check(),
                         (1, "src/base/box.cpp:2: Box: 351 lines, at most 350\n"))

    def test_members_outside_of_a_class_count_as_part_of_it(self):
        member = "void Box::f{}() {{" + "\n" * 89 + "}}\n"
        self.add("src/base/box.hpp", "struct Box {\n    void f0();\n};\n")
        self.add("src/base/box.cpp", "".join(member.format(k) for k in range(3)))
        self.add("src/base/box_more.cpp", member.format(3))
        status, output = self.run_check()
        self.assertEqual((status, output),
                         (1, "src/base/box.hpp:1: Box: 363 lines, at most 350\n"))
        self.add("src/base/box_more.cpp", "class Box {" + member.format(3) + "};\n")  # another Box
        self.assertEqual(self.run_check()[0], 0)

    def test_the_summary_counts_files_classes_and_functions(self):
        command = [sys.executable, str(ROOT / "tools/check_sizes.py"), "--summary", "--root",
                   str(self.root)]
        self.add("src/base/f.cpp", "void f(int a)\n{" + "\n" * 40 + "}\n")
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        self.assertEqual(result.stdout, "2 files, 90 % of them have at most 42 lines; the largest "
                                        "class has 7; 1 functions have more than 40\n")

    def test_too_many_long_functions_are_found(self):
        long = "void f(int a)\n{" + "\n" * 40 + "}\n"
        for k in range(30):
            self.add(f"src/base/f{k}.cpp", long)
        self.assertEqual(self.run_check(), (0, ""))
        self.add("src/base/g.cpp", long)
        self.assertEqual(self.run_check(), (1, "31 functions have more than 40 lines, at most 30 may "
                                               "(--list prints all)\n"))

    def test_too_many_fields_of_options_are_found(self):
        fields = "".join(f"    std::map<int, int> field{k}{{{{1, 2}}}};\n" for k in range(12))
        rest = ("    enum class Way { first, second };\n    static constexpr int kMost = 3;\n"
                "    bool fits(int rows) const { return rows > 0; }\n    int cost() const;\n")
        self.add("src/base/o.hpp", "struct RunOptions {\n" + fields + rest + "};\n")
        self.assertEqual(self.run_check(), (0, ""))
        self.add("src/base/o.hpp", "struct RunOptions {\n" + fields + rest + "    Way way{};\n};\n")
        self.assertEqual(self.run_check(), (1, "src/base/o.hpp:1: RunOptions: 13 fields, at most 12 "
                                               "at one level\n"))

    def test_too_many_parameters_are_found(self):
        for declaration in ("void f(int a, int b, int c, int d, int e, int g, int h);",
                            "void f(int a, int b, int c, int d, int e, int g, int h) {}",
                            "struct S {\n    void f(int a, P<1, 2> b, int c, int d, int e, int g, "
                            "int h) const;\n};",
                            "S::f(int a, int b, int c, int d, int e, int g, int h) : a_(a) {}"):
            with self.subTest(declaration):
                self.add("src/base/f.cpp", declaration + "\n")
                status, output = self.run_check()
                self.assertEqual(status, 1)
                self.assertIn("f: 7 parameters, at most 6", output)

    def test_exception_needs_a_use_and_a_reason(self):
        self.add("tools/size_exceptions.toml",
                 '[[exception]]\npath = "src/base/long.cpp"\nreason = "a table"\n')
        self.assertIn("no longer needed", self.run_check()[1])
        self.add("src/base/long.cpp", "\n" * 801)
        self.assertEqual(self.run_check(), (0, ""))
        self.add("tools/size_exceptions.toml", '[[exception]]\npath = "src/base/long.cpp"\n')
        self.assertIn("no reason", self.run_check()[1])


if __name__ == "__main__":
    unittest.main()
