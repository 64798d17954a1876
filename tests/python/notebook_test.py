# SPDX-License-Identifier: Apache-2.0
"""tests/python/notebook_test.py - in the kernel of a notebook: Ctrl-C, progress, what is shown."""

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
    """The reply, and the messages that the cell showed."""
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
    assert seconds < 3.0  # one is promised; the machine may be busy
    _, shown = run(client, "print(m.status_, len(m.predict(X[:2])))")
    assert shown[-1]["content"]["text"] == "interrupted 2\n"
