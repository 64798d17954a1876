# SPDX-License-Identifier: Apache-2.0
"""bench/measure.py - runs a program to its end: seconds, peak resident set size, output."""
import os
import platform
import subprocess
import tempfile
import threading
import time


class Failed(Exception):
    """The program failed; the message is its own."""


def high_water(pid):
    """The process's peak resident set size so far, in bytes; 0 when it has ended. Unlike the figure
    of wait4, it does not include the pages of the process that started it."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as text:
            return next((int(line.split()[1]) * 1024 for line in text
                         if line.startswith("VmHWM")), 0)
    except OSError:
        return 0


class Watch(threading.Thread):
    """Reads the high-water mark every millisecond until the process ends."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.peak, self.over = pid, 0, threading.Event()

    def run(self):
        while not self.over.wait(0.001):
            self.peak = max(self.peak, high_water(self.pid))


def run(command, good=(0,)):
    """(seconds, peak bytes, standard output)."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=err)
        watch = Watch(process.pid)
        watch.start()
        process.wait()
        seconds = time.perf_counter() - start
        watch.over.set()
        watch.join()
        out.seek(0)
        err.seek(0)
        if process.returncode not in good:
            raise Failed(err.read().decode().strip()[-300:] or f"status {process.returncode}")
        return seconds, watch.peak, out.read().decode()


def best(command, runs, good=(0,)):
    """The fastest run, with the highest peak of all runs."""
    done = [run(command, good) for _ in range(runs)]
    fastest = min(done, key=lambda each: each[0])
    return fastest[0], max(each[1] for each in done), fastest[2]


def machine(threads):
    """The environment that the figures depend on."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as text:
        cpu = next((line.split(":", 1)[1].strip() for line in text
                    if line.startswith("model name")), platform.processor())
    with open("/proc/meminfo", encoding="ascii") as text:
        memory = int(text.readline().split()[1]) * 1024
    return {"cpu": cpu, "cpus": len(os.sched_getaffinity(0)), "threads": threads,
            "memory_bytes": memory, "system": platform.platform(),
            "python": platform.python_version()}
