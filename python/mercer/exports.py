# SPDX-License-Identifier: Apache-2.0
"""python/mercer/exports.py - models and estimators as ONNX graphs of double precision.

``to_onnx()`` of a model or an estimator is made here; it needs the package ``onnx``. The graph has one
input ``X`` and, by task, the outputs

- ``label`` and ``decision`` for classes, and ``probabilities`` where there are any;
- ``label`` (+1, -1) and ``decision`` for outliers;
- ``value`` for numbers,

each with a row per row of X. For pipelines of scikit-learn, :func:`register_with_skl2onnx` tells
skl2onnx of the estimators.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _engine
from ._model import Model
from ._onnx_kernels import Graph, Pairs, values

__all__ = ["register_with_skl2onnx"]

_OPSET = 17
_FLOAT, _DOUBLE = 1, 11  # ONNX's numbers of the types
_LEAST_PROBABILITY = 1e-7  # of a pair of classes, as the engine has it


@dataclass
class Exported:
    """What is to be written: models, and how their outputs become answers."""

    models: list[Model]
    classes: np.ndarray | None = None
    units: Any = None  #: what the outputs are multiplied by
    pair_scores: bool = False  #: decision: one per class, made of the votes of pairs
    scores_decide: bool = False  #: the label is that of the greatest score
    probabilities: bool = False
    least: float = 0.0  #: a decision of less is 0

    @property
    def columns(self) -> int:
        return self.models[0].engine.columns


def _support(engine: _engine.Model) -> np.ndarray:
    rows = engine.support_vectors
    if isinstance(rows, tuple):
        entries, indices, offsets, columns = rows
        dense = np.zeros((len(offsets) - 1, columns))
        dense[np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), indices] = entries
        return dense
    return np.asarray(rows, dtype=np.float64)


def _decision(graph: Graph, x: str, engine: _engine.Model) -> str:
    """rows x outputs: f(x)."""
    if (scaling := engine.scaling_map) is not None:
        offset, factor, base = scaling
        x = graph.add("Mul", graph.add("Sub", x, graph.constant(offset)), graph.constant(factor))
        x = graph.plus(x, base)
    tree = engine.kernel_tree
    coefficients = np.asarray(engine.coefficients_by_output)
    if len(coefficients) == 0:
        f = graph.times(graph.sum(x, 1), np.zeros((1, engine.outputs)))
    elif tree["name"] == "precomputed":
        chosen = graph.constant(engine.support_rows, np.int64)
        f = graph.add("MatMul", graph.add("Gather", x, chosen, axis=1), graph.constant(coefficients))
    elif tree["name"] == "linear":
        f = graph.add("MatMul", x, graph.constant(_support(engine).T @ coefficients))
    else:
        gram = values(Pairs(graph, x, _support(engine), engine.columns), tree)
        f = graph.add("MatMul", gram, graph.constant(coefficients))
    return graph.add("Add", f, graph.constant(engine.intercepts))


def _pair_places(classes: int) -> tuple[np.ndarray, np.ndarray]:
    """pairs x classes: 1 where the class is the first, the second of a pair."""
    pairs = list(itertools.combinations(range(classes), 2))
    eye = np.eye(classes)
    return eye[[i for i, _ in pairs]], eye[[j for _, j in pairs]]


def _as_double(graph: Graph, truth: str) -> str:
    return graph.add("Cast", truth, to=_DOUBLE)


def _votes(graph: Graph, f: str, classes: int, wins: str = "Greater") -> str:
    """The votes of pairs; the first class of one has its vote if its value `wins` against 0."""
    first, second = _pair_places(classes)
    ahead = graph.add(wins, f, graph.constant(0.0))
    return graph.add("Add", graph.add("MatMul", _as_double(graph, ahead), graph.constant(first)),
                     graph.add("MatMul", _as_double(graph, graph.add("Not", ahead)),
                               graph.constant(second)))


def _scores(graph: Graph, f: str, classes: int) -> str:
    first, second = _pair_places(classes)
    sums = graph.add("MatMul", f, graph.constant(first - second))
    divisor = graph.times(graph.plus(graph.add("Abs", sums), 1.0), 3.0)
    votes = _votes(graph, f, classes, "GreaterOrEqual")
    return graph.add("Add", votes, graph.add("Div", sums, divisor))


def _reached(graph: Graph, f: str, marks: np.ndarray) -> str:
    """How many of the marks f has reached."""
    reached = graph.add("GreaterOrEqual", f, graph.constant(marks[None, :]))
    return graph.add("ReduceSum", graph.add("Cast", reached, to=7), graph.constant([1], np.int64),
                     keepdims=0)


def _greatest(graph: Graph, scores: str) -> str:
    return graph.add("ArgMax", scores, axis=1, keepdims=0)


def _class_numbers(graph: Graph, f: str, decision: str, what: Exported) -> str:
    """The place of each row's class."""
    engine = what.models[0].engine
    if len(what.models) > 1 or what.scores_decide:
        return _greatest(graph, decision)
    if len(engine.thresholds):
        return _reached(graph, f, engine.thresholds)
    if len(what.classes) == 2:
        return _reached(graph, f, np.zeros(1))
    if engine.multiclass == "ovo":
        return _greatest(graph, _votes(graph, f, len(what.classes)))
    return _greatest(graph, f)


def _coupled(graph: Graph, r: str, classes: int) -> str:
    """Probabilities of classes from those of pairs: p is a multiple of (Q + 1 1')^-1 1, where Q is
    the form that Wu, Lin and Weng's second method minimises. Gauss' elimination is written out."""
    place = {pair: number for number, pair in enumerate(itertools.combinations(range(classes), 2))}

    def of_pair(i: int, j: int) -> str:  # the probability of i given i or j
        if i < j:
            return graph.add("Gather", r, graph.constant([place[i, j]], np.int64), axis=1)
        return graph.plus(graph.times(of_pair(j, i), -1.0), 1.0)

    probability = {(i, j): of_pair(i, j) for i in range(classes) for j in range(classes) if i != j}
    one = graph.plus(graph.times(probability[0, 1], 0.0), 1.0)
    rows = []
    for i in range(classes):
        row = []
        for j in range(classes):
            if i == j:
                entry = one
                for k in range(classes):
                    if k != i:
                        entry = graph.add("Add", entry,
                                          graph.add("Mul", probability[k, i], probability[k, i]))
            else:
                entry = graph.add("Sub", one, graph.add("Mul", probability[i, j], probability[j, i]))
            row.append(entry)
        rows.append(graph.add("Concat", *row, one, axis=1))
    for pivot in range(classes):
        at = graph.constant([pivot], np.int64)
        rows[pivot] = graph.add("Div", rows[pivot], graph.add("Gather", rows[pivot], at, axis=1))
        for other in range(classes):
            if other != pivot:
                factor = graph.add("Gather", rows[other], at, axis=1)
                rows[other] = graph.add("Sub", rows[other],
                                        graph.add("Mul", factor, rows[pivot]))
    last = graph.constant([classes], np.int64)
    p = graph.add("Concat", *[graph.add("Gather", row, last, axis=1) for row in rows], axis=1)
    return graph.add("Div", p, graph.sum(p, 1))


def _probabilities(graph: Graph, f: str, what: Exported) -> str:
    engine = what.models[0].engine
    if engine.link == "softmax":
        return graph.add("Softmax", f, axis=1)
    a, b = engine.link_numbers
    if engine.link == "density":
        table = np.concatenate([[0.001], np.arange(1, len(a)) / len(a), [0.999]])
        inside = graph.add("Gather", graph.constant(np.column_stack([1.0 - table, table])),
                           _reached(graph, f, a), axis=0)
        return inside
    t = graph.add("Add", graph.times(f, a), graph.constant(b))
    p = graph.add("Clip", graph.add("Sigmoid", graph.add("Neg", t)),
                  graph.constant(_LEAST_PROBABILITY), graph.constant(1.0 - _LEAST_PROBABILITY))
    if len(what.classes) == 2:
        return graph.add("Concat", graph.plus(graph.times(p, -1.0), 1.0), p, axis=1)
    if engine.multiclass == "ovo":
        return _coupled(graph, p, len(what.classes))
    return graph.add("Div", p, graph.sum(p, 1))


def _class_constant(graph: Graph, classes: np.ndarray) -> tuple[str, int]:
    """The classes, and ONNX's number of their type."""
    kind = classes.dtype.kind
    if kind in "iub":
        return graph.constant(classes, np.int64), 7
    if kind == "f":
        return graph.constant(classes), _DOUBLE
    return graph.constant(classes.astype(object)), 8


def build(what: Exported, graph: Graph, x: str) -> list[tuple[str, int, int]]:
    """Adds the nodes; the outputs as (name, type, columns), 0 columns for a plain row of values."""
    f = graph.add("Concat", *[_decision(graph, x, model.engine) for model in what.models], axis=1)
    if what.units is not None:
        f = graph.times(f, what.units)
    if what.least > 0.0:
        small = graph.add("LessOrEqual", graph.add("Abs", f), graph.constant(what.least))
        f = graph.add("Where", small, graph.constant(0.0), f)
    outputs = sum(model.engine.outputs for model in what.models)
    if what.classes is None:
        return [(f, _DOUBLE, outputs)]
    decision = _scores(graph, f, len(what.classes)) if what.pair_scores else f
    table, kind = _class_constant(graph, what.classes)
    label = graph.add("Gather", table, _class_numbers(graph, f, decision, what), axis=0)
    found = [(label, kind, 0), (decision, _DOUBLE, len(what.classes) if what.pair_scores else outputs)]
    if what.probabilities:
        found.append((_probabilities(graph, f, what), _DOUBLE, len(what.classes)))
    return found


def to_onnx(what: Exported, dtype: str = "float64") -> Any:
    """An ``onnx.ModelProto`` whose input is of that type."""
    try:
        import onnx
    except ModuleNotFoundError as missing:
        raise ImportError("to_onnx needs the package onnx: pip install 'mercer[onnx]'") from missing
    if dtype not in ("float64", "float32"):
        raise ValueError(f"dtype: got {dtype!r}, must be 'float64' or 'float32'")
    helper, graph = onnx.helper, Graph()
    x = graph.add("Cast", "X", to=_DOUBLE) if dtype == "float32" else "X"
    names = ["value"] if what.classes is None else ["label", "decision", "probabilities"]
    outputs = []
    for name, (tensor, kind, columns) in zip(names, build(what, graph, x)):
        graph.add("Identity", tensor, output=name)
        outputs.append(helper.make_tensor_value_info(name, kind, ["N", columns] if columns else ["N"]))
    kind = _DOUBLE if dtype == "float64" else _FLOAT
    inputs = [helper.make_tensor_value_info("X", kind, ["N", what.columns])]
    made = helper.make_model(
        helper.make_graph(graph.nodes, "mercer", inputs, outputs, graph.constants),
        producer_name="mercer", producer_version=_engine.__version__, ir_version=8,
        opset_imports=[helper.make_opsetid("", _OPSET)])
    onnx.checker.check_model(made)
    return made


def of_model(model: Model) -> Exported:
    """A model, as it predicts itself."""
    return Exported([model], model.classes, probabilities=model.engine.gives_probabilities)


def register_with_skl2onnx() -> None:
    """Tells skl2onnx of every estimator, so that pipelines with one convert.

    The second output of a classifier are the probabilities where there are any, else the decision
    values. To keep double precision all the way, convert with inputs of ``DoubleTensorType``, and
    pipelines that end with a classifier with ``options={id(pipeline): {"zipmap": False}}``.
    """
    from skl2onnx import update_registered_converter
    from skl2onnx.common.data_types import (DoubleTensorType, FloatTensorType, Int64TensorType,
                                            StringTensorType)

    import mercer

    types = {7: Int64TensorType, 8: StringTensorType, _DOUBLE: DoubleTensorType,
             _FLOAT: FloatTensorType}

    def added(operator: Any, graph: Graph, x: str) -> list[tuple[str, int, int]]:
        """The label and one matrix, or the values."""
        found = build(operator.raw_operator._exported(), graph, x)
        found = found if len(found) < 3 else [found[0], found[2]]
        asked = operator.scope_inst.get_options(operator.raw_operator, {"zipmap": True}, fail=False)
        if hasattr(operator.raw_operator, "classes_") and asked.get("zipmap", True):
            values, _, columns = found[1]  # the operator ZipMap takes single precision alone
            found[1] = graph.add("Cast", values, to=_FLOAT), _FLOAT, columns
        return found

    def shapes(operator: Any) -> None:
        rows = operator.inputs[0].get_first_dimension()
        for variable, (_, kind, columns) in zip(operator.outputs, added(operator, Graph(), "X")):
            variable.type = types[kind]([rows, columns] if columns else [rows])

    def convert(scope: Any, operator: Any, container: Any) -> None:
        graph = Graph(scope.get_unique_variable_name("mercer") + "_")
        x = operator.inputs[0].full_name
        if not isinstance(operator.inputs[0].type, DoubleTensorType):
            x = graph.add("Cast", x, to=_DOUBLE)
        for variable, (tensor, _, _) in zip(operator.outputs, added(operator, graph, x)):
            graph.add("Identity", tensor, output=variable.full_name)
        container.initializers.extend(graph.constants)
        container.nodes.extend(graph.nodes)
        container.node_domain_version_pair_sets.add(("", 13))  # the newest form of an operator above

    for name, home in ((name, home) for home, names in mercer._HOMES.items() for name in names):
        options = {"zipmap": [True, False, "columns"], "nocl": [True, False]}
        update_registered_converter(getattr(mercer, name), f"Mercer{name}", shapes, convert,
                                    options=options if home == "classifiers" else None)

