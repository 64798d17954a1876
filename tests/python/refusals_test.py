# SPDX-License-Identifier: Apache-2.0
"""tests/python/refusals_test.py - a wrong value of any option raises a structured error."""

import mercer
import numpy as np
import pytest

ROWS = np.arange(12.0).reshape(6, 2)
TARGETS = [0, 1, 0, 1, 0, 1]
# Texts are checked by the machine that takes them.
TEXTS = {"solver": {}, "order": {"model": "perceptron"}}


def wrong_value(option):
    """An invalid value of the option, as a message shows it, and the reason."""
    if option["kind"] == "choice":
        return "nope", "'nope'", "must be one of " + ", ".join(option["choices"])
    if option["kind"] in ("number", "integer"):
        value = int(option["range"]["lower"]) - 1
        return value, str(value), option["range"]["text"]
    if option["kind"] == "flag":
        return "maybe", "'maybe'", "must be "
    return "nope", "'nope'", ""


def refusal(**options):
    with pytest.raises(ValueError) as caught:
        mercer.train(ROWS, TARGETS, **options)
    return caught.value


@pytest.mark.parametrize("option", mercer.options(), ids=lambda option: option["name"])
def test_a_wrong_value_is_refused_with_its_parts(option):
    value, text, reason = wrong_value(option)
    error = refusal(**{option["name"]: value}, **TEXTS.get(option["name"], {}))
    assert error.option == option["name"]
    assert error.value == text
    assert error.reason.startswith(reason) and error.reason
    assert str(error).startswith(f"{error.option}: got {text}, {error.reason}")
    assert str(error).endswith("; " + error.hint if error.hint else error.reason)


def test_an_option_of_another_machine_is_refused_with_a_hint():
    error = refusal(epsilon=0.1)
    assert (error.option, error.value) == ("epsilon", "")
    assert error.reason == "svc does not take it"
    assert error.hint.startswith("these do: svr")


def test_hints_name_options_as_python_writes_them():
    with pytest.raises(ValueError, match="use model= svc") as caught:
        mercer.train(np.ones((3, 2)) * [[1], [2], [3]], ["a", "b", "c"], model="perceptron")
    assert "--" not in str(caught.value)
