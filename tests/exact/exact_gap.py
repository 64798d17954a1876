#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/exact/exact_gap.py - checks the stated gaps of models in exact arithmetic.

    exact_gap.py --count N --seed S [--mercer PROGRAM] [--jobs J]     random problems
    exact_gap.py --seed S --only NUMBER... [--converges]              some of them
    exact_gap.py --seed S --only NUMBER --keep FOLDER                 one of them, and its files
    exact_gap.py MODEL DATA [--weights FILE]                          one model
    exact_gap.py --count N --seed S --reachable                       what could have converged

For every model that the program writes, the exact gap (judge.py) must be

    1. at most the gap that the model states, and
    2. relative to the primal value at most the requested gap, if the status is `converged`.

With --converges every problem must also end `converged`: for problems that double precision allows.

Prints every violation with the commands that reproduce it, and a table by machine and cost. The
exit status is 1 when there is a violation.

--reachable solves each problem that did not end `converged` exactly (optimum.py), rounds the
optimum to doubles and reports whether that has the requested gap. If so, double precision was not
the reason for stopping. If not, it may have been: other doubles can have a smaller gap.
"""

import argparse
import collections
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import compared
import joint
import judge
from optimum import reachable_gap
from problems import ALL_MACHINES, COMPARING, MACHINES, random_problem
from stored import JOINT as JOINT_WAY
from stored import read_model

SECONDS = 5  # the program's budget for one problem
REFUSED = {2, 3, 4}  # exit statuses of a program that says it cannot; those are no answers to judge


@dataclass
class Verdict:
    """The result of one problem."""

    number: int
    machine: str
    decade: int | None
    status: str
    command: str
    seconds: float = 0.0
    asked: float = 0.0
    stated: float = math.nan
    gap: float = math.nan
    relative: float = math.nan
    moved: float = 0.0
    reachable: float | None = None  # relative gap of the optimum rounded to doubles
    message: str = ""
    violations: list[str] = field(default_factory=list)

    @property
    def converged(self):
        return self.status == "converged"

    @property
    def could_converge(self):
        return self.reachable is not None and self.reachable <= self.asked


def exact_gap(model_path, data_path, weights_path=None):
    """The Proof of a stored model, by the judge of its kind."""
    header = read_model(model_path).header
    kind = (joint if header.get("multiclass") == JOINT_WAY
            else compared if header["machine"] in COMPARING else judge)
    return kind.exact_gap(model_path, data_path, weights_path)


def judge_problem(number, seed, mercer, machines=None, keep=None, reachable=False):
    """Trains on a random problem and judges the model."""
    problem = random_problem(seed, number, machines)
    with tempfile.TemporaryDirectory(prefix="mercer-exact-") as scratch:
        folder = Path(keep or scratch)
        arguments = [mercer, *problem.write(folder), "--json", "-q", "-j", "1",
                     "--time-limit", str(SECONDS)]
        decade = None if problem.cost_exponent is None else math.floor(problem.cost_exponent)
        verdict = Verdict(number, problem.machine, decade, "", shlex.join(arguments),
                          asked=problem.tolerance)
        begin = time.monotonic()
        try:
            done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True,
                                  timeout=20 * SECONDS, check=False)
        except subprocess.TimeoutExpired:
            verdict.status = "endless"
            verdict.violations.append(f"no answer after {20 * SECONDS} s")
            return verdict
        verdict.seconds = time.monotonic() - begin
        if done.returncode in REFUSED:
            verdict.status = "refused"
            verdict.message = done.stderr.strip()
        elif done.returncode not in (0, 1):
            verdict.status = "failed"
            verdict.violations.append(f"exit status {done.returncode}: {done.stderr.strip()}")
        else:
            verdict.status = json.loads(done.stdout)["status"]
            weights = None if problem.weights is None else folder / "weights.txt"
            files = folder / "model.mercer", folder / problem.data_name, weights
            judge_model(verdict, exact_gap(*files))
            if reachable and not verdict.converged and problem.machine in MACHINES:
                verdict.reachable = reachable_gap(*files)
    return verdict


def is_more(proof):
    """True when the gap exceeds the stated one by more than rounding here; NaN states nothing."""
    return not math.isnan(proof.stated_gap) and proof.gap - proof.noise > proof.stated_gap


def judge_model(verdict, proof):
    verdict.stated = proof.stated_gap
    verdict.gap = float(proof.gap)
    verdict.relative = float(proof.relative_gap)
    verdict.moved = float(proof.moved)
    if is_more(proof) or verdict.converged and math.isnan(verdict.stated):
        verdict.violations.append(f"stated: the gap is {verdict.gap:.6g}, "
                                  f"the model says {verdict.stated:.6g}")
    if verdict.converged and not verdict.relative <= verdict.asked:
        verdict.violations.append(f"converged: the relative gap is {verdict.relative:.6g}, "
                                  f"asked for {verdict.asked:.6g}")


def print_violation(verdict, options):
    print(f"{verdict.machine} problem {verdict.number}, {verdict.status}")
    for line in verdict.violations:
        print(f"    {line}")
    print_commands(verdict, options)


def print_reachable(verdict, options):
    """Prints the reachable gap of a problem that did not converge."""
    gap = "unknown" if verdict.reachable is None else f"{verdict.reachable:.3g}"
    print(f"{verdict.machine} problem {verdict.number}, {verdict.status}: relative gap "
          f"{verdict.relative:.3g}, of the rounded optimum {gap}, asked for {verdict.asked:.3g}"
          f"{': reachable' if verdict.could_converge else ''}")
    if verdict.could_converge:
        print_commands(verdict, options)


def print_commands(verdict, options):
    machines = f" --machines {' '.join(options.machines)}" if options.machines else ""
    print(f"    mkdir -p /tmp/exact && {sys.argv[0]} --seed {options.seed} "
          f"--only {verdict.number} --keep /tmp/exact --mercer {options.mercer}{machines}")
    print(f"    cd /tmp/exact && {verdict.command}")


def print_table(verdicts):
    """A line for each machine and decade of the cost, one for each machine, and one for all."""
    machines = collections.defaultdict(lambda: collections.defaultdict(list))
    for verdict in verdicts:
        machines[verdict.machine][verdict.decade].append(verdict)
    print("                        violations of what is")
    print("machine    C  problems  stated  converged  other  not converged  reachable  refused  "
          "slowest")
    for machine, decades in machines.items():
        for decade in sorted(key for key in decades if key is not None):
            print_line(machine, f"1e{decade}", decades[decade])
    for machine, decades in machines.items():
        print_line(machine, "all", [verdict for group in decades.values() for verdict in group])
    print_line("all", "all", verdicts)


def print_line(machine, costs, verdicts):
    lines = [line for verdict in verdicts for line in verdict.violations]
    stated = sum(line.startswith("stated") for line in lines)
    converged = sum(line.startswith("converged") for line in lines)
    answered = [verdict for verdict in verdicts if verdict.status != "refused"]
    open_ones = sum(not verdict.converged for verdict in answered)
    share = f"{100 * open_ones / len(answered):.0f}%" if answered else "-"
    print(f"{machine:<9} {costs:>4} {len(verdicts):>7} {stated:>7} {converged:>10} "
          f"{len(lines) - stated - converged:>6} {share:>14} "
          f"{sum(verdict.could_converge for verdict in verdicts):>10} "
          f"{len(verdicts) - len(answered):>8} {max(v.seconds for v in verdicts):>6.2f} s")


def run_campaign(options):
    work = partial(judge_problem, seed=options.seed, mercer=options.mercer,
                   machines=options.machines, keep=options.keep, reachable=options.reachable)
    numbers = options.only or range(options.count)
    with ProcessPoolExecutor(options.jobs) as pool:
        verdicts = list(pool.map(work, numbers, chunksize=4))
    if options.converges:
        for verdict in verdicts:
            if not verdict.converged:
                verdict.violations.append(f"other: it ends {verdict.status}")
    for verdict in verdicts:
        if verdict.violations:
            print_violation(verdict, options)
    if options.reachable:
        for verdict in verdicts:
            if not verdict.converged and not math.isnan(verdict.gap):
                print_reachable(verdict, options)
    if options.only:
        print(*verdicts, sep="\n")
    print_table(verdicts)
    if options.log:
        options.log.write_text(json.dumps([vars(verdict) for verdict in verdicts], indent=1))
    return any(verdict.violations for verdict in verdicts)


def print_proof(options):
    model, data = options.files
    proof = exact_gap(model, data, options.weights)
    for name in ("primal", "dual", "gap", "relative_gap", "moved"):
        print(f"{name:<13} {getattr(proof, name):.30g}")
    print(f"{'stated gap':<13} {proof.stated_gap!r}")
    return is_more(proof)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("files", nargs="*", metavar="MODEL DATA")
    parser.add_argument("--weights", help="the row weights that MODEL was trained with")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, nargs="+", metavar="NUMBER", help="problems of the seed")
    parser.add_argument("--machines", nargs="+", choices=ALL_MACHINES, metavar="NAME",
                        help=f"of {', '.join(ALL_MACHINES)}; the first nine by default")
    parser.add_argument("--converges", action="store_true", help="not converged is a violation")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where its files are left")
    parser.add_argument("--mercer", default=os.environ.get("MERCER_PROGRAM", "mercer"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--reachable", action="store_true",
                        help="whether doubles allow what was not reached; takes minutes")
    parser.add_argument("--log", type=Path, metavar="FILE", help="every verdict, as JSON")
    options = parser.parse_args()
    if len(options.files) not in (0, 2):
        parser.error("a model and its data, or neither")
    if options.keep and len(options.only or ()) != 1:
        parser.error("--keep needs --only of one problem")
    if os.sep in options.mercer:
        options.mercer = os.path.abspath(options.mercer)
    return int(print_proof(options) if options.files else run_campaign(options))


if __name__ == "__main__":
    sys.exit(main())
