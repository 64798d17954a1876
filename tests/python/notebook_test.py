# SPDX-License-Identifier: Apache-2.0
"""tests/python/notebook_test.py - in a notebook kernel: Ctrl-C, progress, displayed objects."""

import time

import pytest

manager = pytest.importorskip("jupyter_client.manager")
pytest.importorskip("ipykernel")

ROWS = """
import numpy as np, mercer
random = np.random.default_rng(0)
X = random.standard_normal((6000, 30)); y = random.integers(0, 2, 6000)
m = mercer.SVC(gamma=0.03, C=1e5, tol=1e-13)
"""


@pytest.fixture(scope="module")
def kernel():
    km, client = manager.start_new_kernel(kernel_name="python3", startup_timeout=60)
    run(client, ROWS)
    yield km, client
    client.stop_channels()
    km.shutdown_kernel(now=True)


def run(client, code, meanwhile=None):
    """The reply, and the messages that the cell displayed."""
    shown = []
    sent = client.execute(code)
    if meanwhile:
        meanwhile()
    reply = client.get_shell_msg(timeout=60)
    while reply["parent_header"].get("msg_id") != sent:
        reply = client.get_shell_msg(timeout=60)
    while True:
        message = client.get_iopub_msg(timeout=10)
        if message["parent_header"].get("msg_id") != sent:
            continue
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            return reply["content"], shown
        shown.append(message)


def test_interrupting_a_cell_leaves_a_fitted_estimator(kernel):
    km, client = kernel
    when = []

    def interrupt():
        time.sleep(2.0)
        when.append(time.monotonic())
        km.interrupt_kernel()

    reply, _ = run(client, "m.fit(X, y)", interrupt)
    seconds = time.monotonic() - when[0]
    assert reply["status"] == "error" and reply["ename"] == "KeyboardInterrupt"
    assert seconds < 3.0  # one second is promised; the machine may be busy
    _, shown = run(client, "print(m.status_, len(m.predict(X[:2])))")
    assert shown[-1]["content"]["text"] == "interrupted 2\n"


def test_progress_is_one_line_with_a_bar(kernel):
    _, client = kernel
    _, shown = run(client, "import warnings; warnings.simplefilter('ignore')\n"
                           "mercer.SVC(gamma=0.03, C=1e5, tol=1e-13, time_limit=1.5, verbose=True)"
                           ".fit(X, y); None")
    text = "".join(message["content"]["text"] for message in shown if message["msg_type"] == "stream")
    assert text.count("\r[mercer] ") >= 2 and text.count("\n") == 1
    assert "█" in text or "░" in text
    assert "relative gap" in text


def test_an_estimator_shows_its_certificate(kernel):
    _, client = kernel
    _, shown = run(client, "mercer.SVC().fit(X[:50], y[:50])")
    page = next(message["content"]["data"]["text/html"] for message in shown
                if message["msg_type"] == "execute_result")
    assert "proved within" in page
