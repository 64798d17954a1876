# SPDX-License-Identifier: Apache-2.0
"""tests/exact/stored.py - reads a model file and its training data without the program.

Every number is the stored double. The layout of the model file is that of
docs/adr/0007-model-file.md and 0008-model-file-2.md.
"""

import csv
import json
import struct
from dataclasses import dataclass, field
from pathlib import Path

MAGIC = b"MERCER\r\n"
ALIGNMENT = 64
CODES = {"f64": "d", "f32": "f", "i64": "q"}
JOINT = "softmax"  # the way of many classes that makes one problem of them
GAP, WIDTH = 2, 11  # places in the block of a certificate


@dataclass
class Model:
    """One machine with one output, or with one for each class of a joint problem."""

    header: dict
    support: list[list[float]]
    support_rows: list[int]
    coefficients: list[float]
    intercepts: list[float]
    certificate: list[float]
    thresholds: list[float] = field(default_factory=list)
    compared: list[tuple] = field(default_factory=list)  # upper place, lower place, multiplier

    @property
    def intercept(self):
        return self.intercepts[0]

    def coefficients_of_rows(self):
        """The place and the coefficients of every support row."""
        width = len(self.intercepts)
        for j, place in enumerate(self.support_rows):
            yield place, self.coefficients[j * width:(j + 1) * width]

    @property
    def stated_gap(self):
        return self.certificate[GAP]

    @property
    def width(self):
        return self.certificate[WIDTH]


def number(value):
    """A number of the header; JSON has no literals for numbers that are not finite."""
    return float(value)


def read_model(path):
    content = Path(path).read_bytes()
    if content[:len(MAGIC)] != MAGIC:
        raise ValueError(f"{path}: not a model file")
    _, length = struct.unpack_from("<II", content, len(MAGIC))
    begin = len(MAGIC) + 8
    header = json.loads(content[begin:begin + length])
    first = (begin + length + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    blocks = {block["name"]: list(struct.unpack_from(f"<{block['count']}{CODES[block['type']]}",
                                                     content, first + block["offset"]))
              for block in header["blocks"]}
    sizes = header["sizes"]
    single = sizes["outputs"] == 1 and sizes["coefficient_columns"] == 1
    if not single and header["multiclass"] != JOINT:
        raise ValueError(f"{path}: the model has several outputs")
    if header["scaling"] is not None:
        raise ValueError(f"{path}: the model scales its rows")
    if blocks.get("row_multipliers"):
        raise ValueError(f"{path}: the model has weights of columns")
    return Model(header, support_of(sizes, blocks), blocks["support_rows"], blocks["coefficients"],
                 blocks["intercepts"], blocks["certificates"], blocks.get("thresholds", []),
                 list(zip(*(blocks.get(name, []) for name in
                            ("compared_uppers", "compared_lowers", "multipliers")))))


def support_of(sizes, blocks):
    """The support rows, without gaps."""
    columns, values = sizes["columns"], blocks["support_values"]
    if sizes["storage"] != "csr":
        return [values[i * columns:(i + 1) * columns] for i in range(sizes["rows"])]
    rows = []
    offsets = blocks["support_offsets"]
    for begin, end in zip(offsets, offsets[1:]):
        row = [0.0] * columns
        for place in range(begin, end):
            row[blocks["support_columns"][place]] = values[place]
        rows.append(row)
    return rows


def read_rows(path, columns):
    """Rows and the text of their targets. The last column of a .csv file is the target."""
    text = Path(path).read_text(encoding="utf-8")
    if str(path).endswith(".csv"):
        _, *lines = csv.reader(text.splitlines())
        return [[float(word) for word in line[:-1]] for line in lines], [line[-1] for line in lines]
    rows, targets = [], []
    for line in text.splitlines():
        target, *entries = line.split()
        row = [0.0] * columns
        for entry in entries:
            index, value = entry.split(":")
            row[int(index) - 1] = float(value)
        rows.append(row)
        targets.append(target)
    return rows, targets


def read_weights(path):
    return [float(word) for word in Path(path).read_text(encoding="utf-8").split()]


def read_stored(model_path, data_path, weights_path=None):
    """A model, and the rows, targets and weights that it was trained on: its support rows are
    among them."""
    model = read_model(model_path)
    rows, targets = read_rows(data_path, model.header["columns"])
    weights = None if weights_path is None else read_weights(weights_path)
    if model.header["row_weights"] != (weights is not None):
        raise ValueError(f"{model_path}: row weights are missing, or there are too many")
    for place, row in zip(model.support_rows, model.support):
        if rows[place] != row:
            raise ValueError(f"{model_path}: row {place + 1} of the data is not the support row")
    return model, rows, targets, weights
