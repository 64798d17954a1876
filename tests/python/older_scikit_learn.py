# SPDX-License-Identifier: Apache-2.0
"""tests/python/older_scikit_learn.py - the estimators with the oldest scikit-learn that they support.

    python tests/python/older_scikit_learn.py FOLDER

makes an environment in FOLDER once, and runs scikit-learn's checks and our tests of estimators there.
Exit status 77, a skip to ctest, if PyPI is unreachable.
"""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ["scikit-learn==1.6.*", "pandas", "polars", "pytest"]
TESTS = ["estimator_checks_test.py", "estimators_test.py"]


def environment(folder):
    """The interpreter of the environment; None if its packages are not available."""
    python, complete = folder / "bin" / "python", folder / "complete"
    if not complete.exists() or complete.read_text() != str(PACKAGES):
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        found = subprocess.run([python, "-m", "pip", "install", "--quiet",
                                "--disable-pip-version-check", *PACKAGES])
        if found.returncode != 0:
            return None
        complete.write_text(str(PACKAGES))
    return python


def main():
    python = environment(pathlib.Path(sys.argv[1]).resolve())
    if python is None:
        print("python: scikit-learn 1.6 cannot be had: PyPI is out of reach", file=sys.stderr)
        return 77
    return subprocess.run([python, "-m", "pytest", "-p", "no:cacheprovider", *TESTS], cwd=HERE,
                          env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}).returncode


if __name__ == "__main__":
    sys.exit(main())
