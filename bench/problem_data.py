# SPDX-License-Identifier: Apache-2.0
"""bench/problem_data.py - a problem's rows as one LIBSVM file, the same for every contestant."""
import gzip
import lzma
import os
import struct
import subprocess
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MERCER = os.environ.get("MERCER_PROGRAM", os.path.join(ROOT, "build", "bin", "mercer"))


class Missing(Exception):
    """The data is missing; the message says what to do."""


def problem_names():
    """All problems except those that only show that the benchmark works (smoke = true)."""
    folder = os.path.join(ROOT, "bench", "problems")
    names = sorted(name[:-5] for name in os.listdir(folder) if name.endswith(".toml"))
    return [name for name in names if not read_problem(name).get("smoke", False)]


def read_problem(name):
    with open(os.path.join(ROOT, "bench", "problems", f"{name}.toml"), "rb") as text:
        return {"name": name, **tomllib.load(text)}


def data_file(name):
    path = os.path.join(os.environ.get("MERCER_DATA", ""), name)
    if not os.path.exists(path):
        raise Missing(f"{name}: MERCER_DATA does not name a folder that has it")
    return path


def opened(path):
    if path.endswith(".xz"):
        return lzma.open(path, "rt", encoding="ascii")
    return gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="ascii")


def digits(problem):
    """Rows of a pair of MNIST files, odd against even."""
    with gzip.open(data_file(problem["data"])) as images, \
            gzip.open(data_file(problem["labels"])) as names:
        _, _, height, width = struct.unpack(">4I", images.read(16))
        names.read(8)
        for _ in range(problem["rows"]):
            pixels, label = images.read(height * width), names.read(1)[0]
            entries = " ".join(f"{j + 1}:{p / problem['divide']:.17g}"
                               for j, p in enumerate(pixels) if p)
            yield f"{'+1' if label % 2 else '-1'} {entries}\n"


def on_unit_interval(rows):
    """Scales columns to [0, 1]; absent entries are zeros."""
    least, most, seen = {}, {}, {}
    for _, entries in rows:
        for column, value in entries.items():
            least[column] = min(value, least.get(column, value))
            most[column] = max(value, most.get(column, value))
            seen[column] = seen.get(column, 0) + 1
    for column, count in seen.items():
        if count < len(rows):
            least[column], most[column] = min(0.0, least[column]), max(0.0, most[column])
    columns = sorted(column for column in seen if most[column] > least[column])
    for label, entries in rows:
        yield label, {column: (entries.get(column, 0.0) - least[column]) /
                      (most[column] - least[column]) for column in columns}


def changed(problem, lines):
    """Lines with the label, the target and the columns as the problem requires."""
    rows = []
    for line in lines:
        label, *entries = line.split()
        rows.append((label, {int(k): float(v) for k, v in (e.split(":") for e in entries)}))
    if problem.get("scale") == "minmax":
        rows = list(on_unit_interval(rows))
    divide = problem.get("divide", 1.0)
    for label, entries in rows:
        if "positive" in problem:
            label = "+1" if float(label) == float(problem["positive"]) else "-1"
        if "target_divide" in problem:
            label = repr(float(label) / problem["target_divide"])
        yield f"{label} " + " ".join(f"{k}:{v / divide!r}" for k, v in entries.items() if v) + "\n"


def lines_of(problem):
    if "labels" in problem:
        return digits(problem)
    with opened(data_file(problem["data"])) as source:
        lines = source.readlines()
    lines = lines[:problem.get("rows", len(lines))]
    if any(key in problem for key in ("scale", "positive", "target_divide")):
        return changed(problem, lines)
    return lines


def prepare(problem, folder):
    """Writes train.svm into the folder; returns its path. Raises Missing."""
    target = os.path.join(folder, "train.svm")
    if "generator" in problem:
        subprocess.run([MERCER, "data", "make", problem["generator"], "--rows",
                        str(problem["rows"]), "--columns", str(problem["columns"]), "--noise",
                        str(problem["noise"]), "--seed", "1", "-o", target, "-q"], check=True)
        if "divide" not in problem:
            return target
        with open(target, encoding="ascii") as made:
            lines = list(changed(problem, made.readlines()))
    else:
        lines = lines_of(problem)
    with open(target, "w", encoding="ascii") as out:
        out.writelines(lines)
    return target
