# SPDX-License-Identifier: Apache-2.0
"""bench/measure.py - runs a program to its end: seconds, highest resident set, what it printed."""
import os
import platform
import subprocess
import tempfile
import time


class Failed(Exception):
    """The program did not do what it was asked; its own words."""


def run(command, good=(0,)):
    """(seconds, peak bytes, standard output). The peak is never below this interpreter's own 15 MiB,
    which the process inherits before it becomes the program."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode not in good:
            raise Failed(err.read().decode().strip()[-300:] or f"status {process.returncode}")
        return seconds, usage.ru_maxrss * 1024, out.read().decode()


def best(command, runs, good=(0,)):
    """The run of least seconds, with the highest resident set of all."""
    done = [run(command, good) for _ in range(runs)]
    fastest = min(done, key=lambda each: each[0])
    return fastest[0], max(each[1] for each in done), fastest[2]


def machine(threads):
    """What the figures depend on."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as text:
        cpu = next((line.split(":", 1)[1].strip() for line in text
                    if line.startswith("model name")), platform.processor())
    with open("/proc/meminfo", encoding="ascii") as text:
        memory = int(text.readline().split()[1]) * 1024
    return {"cpu": cpu, "cpus": len(os.sched_getaffinity(0)), "threads": threads,
            "memory_bytes": memory, "system": platform.platform(),
            "python": platform.python_version()}
