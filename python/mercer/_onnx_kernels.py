# SPDX-License-Identifier: Apache-2.0
"""python/mercer/_onnx_kernels.py - kernel expressions as ONNX nodes of double precision.

Basic operators alone are used: the operators for support vector machines that ONNX has keep their
numbers in single precision and know four kernels.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np


class Graph:
    """Nodes and constants in the making; a tensor is its name."""

    def __init__(self, prefix: str = ""):
        import onnx

        self._helper = onnx.helper
        self._numpy = onnx.numpy_helper
        self._prefix = prefix
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def _name(self, kind: str) -> str:
        return f"{self._prefix}{kind}_{len(self.nodes) + len(self.constants)}"

    def constant(self, values: Any, dtype: Any = np.float64) -> str:
        """A tensor of numbers, or of text."""
        name = self._name("constant")
        array = np.asarray(values)
        if array.dtype.kind in "UO":
            tensor = self._helper.make_tensor(name, self._helper.np_dtype_to_tensor_dtype(
                np.dtype(object)), array.shape, [str(one).encode() for one in array.ravel()])
        else:
            tensor = self._numpy.from_array(np.ascontiguousarray(array, dtype=dtype), name)
        self.constants.append(tensor)
        return name

    def add(self, operator: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        """One node; the name of its result."""
        name = output or self._name(operator.lower())
        self.nodes.append(self._helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    # Arithmetic with numbers.

    def plus(self, tensor: str, number: float) -> str:
        return tensor if number == 0.0 else self.add("Add", tensor, self.constant(number))

    def times(self, tensor: str, number: Any) -> str:
        return self.add("Mul", tensor, self.constant(number))

    def power(self, tensor: str, exponent: int) -> str:
        """A whole power by repeated squaring, as the engine takes it."""
        if exponent == 0:
            return self.plus(self.times(tensor, 0.0), 1.0)
        half = tensor if exponent == 1 else self.power(tensor, exponent // 2)
        if exponent == 1:
            return half
        square = self.add("Mul", half, half)
        return square if exponent % 2 == 0 else self.add("Mul", square, tensor)

    def sum(self, tensor: str, axis: int, keepdims: int = 1) -> str:
        return self.add("ReduceSum", tensor, self.constant([axis], np.int64), keepdims=keepdims)


class Pairs:
    """What two sets of rows give for each pair: x is a tensor, s are rows that are known.

    With ``s=None`` a row is paired with itself, and the results have one column.
    """

    def __init__(self, graph: Graph, x: str, s: np.ndarray | None, columns: int):
        self.graph = graph
        self.x = x
        self.s = s
        self.width = columns

    def of_columns(self, columns: np.ndarray) -> "Pairs":
        x = self.graph.add("Gather", self.x, self.graph.constant(columns, np.int64), axis=1)
        return Pairs(self.graph, x, None if self.s is None else self.s[:, columns], len(columns))

    def own(self) -> "Pairs":
        return Pairs(self.graph, self.x, None, self.width)

    def rows_known(self) -> "Pairs":
        """The known rows, each with itself."""
        return Pairs(self.graph, self.graph.constant(self.s), None, self.width)

    def zeros(self) -> str:
        return self.graph.times(self.graph.sum(self.x, 1), np.zeros((1, 1 if self.s is None else len(self.s))))

    def dot(self) -> str:
        if self.s is None:
            return self.graph.sum(self.graph.add("Mul", self.x, self.x), 1)
        return self.graph.add("MatMul", self.x, self.graph.constant(self.s.T))

    def form(self, matrix: np.ndarray) -> str:
        """x' A s."""
        if self.s is None:
            moved = self.graph.add("MatMul", self.x, self.graph.constant(matrix))
            return self.graph.sum(self.graph.add("Mul", moved, self.x), 1)
        return self.graph.add("MatMul", self.x, self.graph.constant(matrix @ self.s.T))

    def squared(self) -> str:
        """|x - s|^2. The rows are moved to the middle of s first, which keeps digits."""
        if self.s is None:
            return self.zeros()
        middle = self.s.mean(axis=0) if len(self.s) else np.zeros(self.width)
        x = self.graph.add("Sub", self.x, self.graph.constant(middle))
        s = self.s - middle
        norms = self.graph.add("Add", self.graph.sum(self.graph.add("Mul", x, x), 1),
                               self.graph.constant((s * s).sum(axis=1)[None, :]))
        crossed = self.graph.add("MatMul", x, self.graph.constant(-2.0 * s.T))
        return self.graph.add("Max", self.graph.add("Add", norms, crossed), self.graph.constant(0.0))

    def apart(self) -> tuple[str, str]:
        """x as (rows, 1, columns), s as (1, rows, columns)."""
        wide = self.graph.add("Unsqueeze", self.x, self.graph.constant([1], np.int64))
        return wide, (wide if self.s is None else self.graph.constant(self.s[None, :, :]))

    def over_columns(self, combine: Callable[[Graph, str, str], str]) -> str:
        """The sum over the columns of what two entries give."""
        return self.graph.sum(combine(self.graph, *self.apart()), 2, keepdims=0)


def _absolute(graph: Graph, x: str, s: str) -> str:
    return graph.add("Abs", graph.add("Sub", x, s))


def _chi2_term(graph: Graph, x: str, s: str) -> str:
    apart, total = graph.add("Sub", x, s), graph.add("Add", x, s)
    empty = graph.add("Equal", total, graph.constant(0.0))
    divisor = graph.add("Where", empty, graph.constant(1.0), total)
    return graph.add("Div", graph.add("Mul", apart, apart), divisor)


def _square(graph: Graph, x: str, s: str) -> str:
    apart = graph.add("Sub", x, s)
    return graph.add("Mul", apart, apart)


def _minimum(graph: Graph, x: str, s: str) -> str:
    return graph.add("Min", x, s)


def _different(graph: Graph, x: str, s: str) -> str:
    return graph.add("Cast", graph.add("Not", graph.add("Equal", x, s)), to=11)


def _bridge(graph: Graph, x: str, s: str) -> str:
    return graph.add("Sub", graph.add("Min", x, s), graph.add("Mul", x, s))


def _matern(pairs: Pairs, nu: float, length: float) -> str:
    graph = pairs.graph
    terms = {0.5: (1.0,), 1.5: (1.0, 1.0), 2.5: (1.0, 1.0, 1.0 / 3.0)}.get(nu)
    if terms is None:
        raise ValueError(f"kernel: matern(nu={nu:g}) has no closed form, so that ONNX cannot hold it; "
                         "nu of 0.5, 1.5 and 2.5 have one")
    # Near 0 the root of rounding would be 1e-8, which the kernel of 1/2 shows.
    squared = pairs.over_columns(_square) if nu == 0.5 else pairs.squared()
    t = graph.times(graph.add("Sqrt", squared), math.sqrt(2.0 * nu) / length)
    decay = graph.add("Exp", graph.add("Neg", t))
    return graph.add("Mul", _polynomial(graph, t, terms), decay)


def _polynomial(graph: Graph, tensor: str, coefficients: Any) -> str:
    """c0 + c1 t + ..., by Horner."""
    result = graph.plus(graph.times(tensor, 0.0), float(coefficients[-1]))
    for coefficient in reversed(coefficients[:-1]):
        result = graph.plus(graph.add("Mul", result, tensor), float(coefficient))
    return result


def _normalized(graph: Graph, value: str, own_x: str, own_s: str) -> str:
    product = graph.add("Mul", own_x, own_s)
    positive = graph.add("Greater", product, graph.constant(0.0))
    root = graph.add("Sqrt", graph.add("Where", positive, product, graph.constant(1.0)))
    return graph.add("Where", positive, graph.add("Div", value, root), graph.constant(0.0))


def _own_values(pairs: Pairs, node: dict[str, Any]) -> tuple[str, str]:
    """k(x, x) as a column, k(s, s) as a row; both are columns when rows are paired with themselves."""
    own_x = values(pairs.own(), node)
    if pairs.s is None:
        return own_x, own_x
    return own_x, pairs.graph.add("Transpose", values(pairs.rows_known(), node), perm=[1, 0])


def _latent_gaussian(pairs: Pairs, s: float, tau: float) -> str:
    graph = pairs.graph
    narrow, wide = s * s, 2.0 * tau * tau + s * s
    apart = pairs.squared()
    own_x, own_s = _own_values(pairs, {"name": "linear", "parameters": []})
    both = graph.times(graph.add("Add", own_x, own_s), 2.0)  # |x+z|^2 + |x-z|^2 = 2|x|^2 + 2|z|^2
    together = graph.add("Sub", both, apart)
    quadratic = graph.times(graph.add("Add", graph.times(together, 1.0 / wide),
                                      graph.times(apart, 1.0 / narrow)), -0.25)
    height = -pairs.width * math.log(2.0 * math.pi * s * math.sqrt(wide))
    return graph.add("Exp", graph.plus(quadratic, height))


def _sinc(pairs: Pairs, bandwidth: float) -> str:
    graph = pairs.graph
    x, s = pairs.apart()
    angle = graph.times(graph.sum(graph.add("Sub", x, s), 2, keepdims=0), 2.0 * math.pi * bandwidth)
    small = graph.add("Less", graph.add("Abs", angle), graph.constant(1e-4))
    series = graph.plus(graph.times(graph.add("Mul", angle, angle), -1.0 / 6.0), 1.0)
    safe = graph.add("Where", small, graph.constant(1.0), angle)
    ratio = graph.add("Div", graph.add("Sin", safe), safe)
    return graph.times(graph.add("Where", small, series, ratio), 2.0 * bandwidth)


def _columns_of(node: dict[str, Any]) -> np.ndarray:
    return np.concatenate([np.arange(begin, end) for begin, end in node["columns"]])


def _folded(pairs: Pairs, node: dict[str, Any], operator: str) -> str:
    parts = [values(pairs, child) for child in node["children"]]
    result = parts[0]
    for part in parts[1:]:
        result = pairs.graph.add(operator, result, part)
    return result


def _exp(pairs: Pairs, exponent: str, factor: float) -> str:
    return pairs.graph.add("Exp", pairs.graph.times(exponent, factor))


def _affine(pairs: Pairs, scale: float, coef0: float) -> str:
    return pairs.graph.plus(pairs.graph.times(pairs.dot(), scale), coef0)


_MAKERS: dict[str, Callable[..., str]] = {
    "linear": lambda k, n: k.dot(),
    "poly": lambda k, n, degree, coef0, scale: k.graph.power(_affine(k, scale, coef0), int(degree)),
    "monomial": lambda k, n, degree: k.graph.power(k.dot(), int(degree)),
    "rbf": lambda k, n, gamma: _exp(k, k.squared(), -gamma),
    "laplace": lambda k, n, gamma: _exp(k, k.over_columns(_absolute), -gamma),
    "matern": lambda k, n, nu, length: _matern(k, nu, length),
    "rational-quadratic": lambda k, n, alpha, length: _exp(
        k, k.graph.add("Log", k.graph.plus(
            k.graph.times(k.squared(), 0.5 / (alpha * length * length)), 1.0)), -alpha),
    "sigmoid": lambda k, n, gamma, coef0: k.graph.add("Tanh", _affine(k, gamma, coef0)),
    "delta": lambda k, n: k.graph.add("Cast", k.graph.add(
        "Equal", k.over_columns(_different), k.graph.constant(0.0)), to=11),
    "brownian-bridge": lambda k, n: k.over_columns(_bridge),
    "sinc": lambda k, n, bandwidth: _sinc(k, bandwidth),
    "cosine": lambda k, n: _normalized(k.graph, k.dot(), *_own_values(
        k, {"name": "linear", "parameters": []})),
    "chi2": lambda k, n, gamma: _exp(k, k.over_columns(_chi2_term), -gamma),
    "intersection": lambda k, n: k.over_columns(_minimum),
    "constant": lambda k, n, value: k.graph.plus(k.zeros(), value),
    "quadratic-form": lambda k, n: k.form(n["matrix"]),
    "latent-gaussian": lambda k, n, s, tau: _latent_gaussian(k, s, tau),
    "negative-distance": lambda k, n, power: k.graph.add("Neg", k.squared() if power == 2.0 else
                                                         k.graph.add(
        "Pow", k.over_columns(_square), k.graph.constant(0.5 * power))),
    "scale": lambda k, n, factor: k.graph.times(values(k, n["children"][0]), factor),
    "sum": lambda k, n: _folded(k, n, "Add"),
    "product": lambda k, n: _folded(k, n, "Mul"),
    "exp": lambda k, n: k.graph.add("Exp", values(k, n["children"][0])),
    "polynomial": lambda k, n, *c: _polynomial(k.graph, values(k, n["children"][0]), c),
    "normalized": lambda k, n: _normalized(k.graph, values(k, n["children"][0]),
                                           *_own_values(k, n["children"][0])),
    "columns": lambda k, n: values(k.of_columns(_columns_of(n)), n["children"][0]),
    "power": lambda k, n, exponent: k.graph.power(values(k, n["children"][0]), int(exponent)),
}


def values(pairs: Pairs, node: dict[str, Any]) -> str:
    """The tensor of kernel values. ``node`` is a tree as ``_engine.Model.kernel_tree`` gives it."""
    if node["name"] not in _MAKERS:
        raise ValueError(f"kernel: {node['name'] or 'a kernel of your own'} cannot be written as ONNX; "
                         f"these can: {', '.join(sorted(_MAKERS))}")
    return _MAKERS[node["name"]](pairs, node, *node["parameters"])
