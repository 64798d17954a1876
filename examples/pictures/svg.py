# SPDX-License-Identifier: Apache-2.0
"""examples/pictures/svg.py - panels with axes, lines, points and contours as plain SVG text.

The colours are those of Okabe and Ito, which remain distinct with any colour vision; if two sets
of points share a panel they also differ in shape. A figure has a style for light and one for dark
pages. Coordinates have one decimal: the same numbers give the same bytes.
"""

import html
import math
from dataclasses import dataclass, field

LIGHT = {"ink": "#24292f", "page": "#ffffff", "grid": "#dfe3e8", "blue": "#0072b2",
         "orange": "#d55e00", "green": "#00815f", "pink": "#b3588c", "yellow": "#b37b00",
         "sky": "#3f93c4"}
DARK = {"ink": "#dde3ea", "page": "#14181d", "grid": "#343b44", "blue": "#56b4e9",
        "orange": "#f0833a", "green": "#2bc59a", "pink": "#dc94ba", "yellow": "#e6b035",
        "sky": "#8fd0f5"}
SHAPES = ("circle", "ring", "square", "cross")
SOLID = "line"  # the kind of a line that is not dashed; other kinds are dash patterns


def number(value: float) -> str:
    text = f"{value:.1f}"
    return text.removesuffix(".0") if text != "-0.0" else "0"


def tag(name: str, style: str = "", content: str | None = None, **attributes) -> str:
    """An element; numbers are rounded, None is left out, _ in a name becomes -."""
    text = f"<{name}" + (f' class="{style}"' if style else "")
    for key, value in attributes.items():
        if value is not None:
            shown = value if isinstance(value, str) else number(value)
            text += f' {key.replace("_", "-")}="{shown}"'
    return text + ("/>" if content is None else f">{content}</{name}>")


def dashes(kind: str) -> str | None:
    return None if kind == SOLID else kind


def signed(text: str) -> str:
    return text.replace("-", "\u2212")


@dataclass
class Axis:
    """One direction of a panel. Without given ticks they are at round numbers."""

    low: float
    high: float
    label: str = ""
    ticks: list | None = None  # values
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """0 at the low end, 1 at the high end."""
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def marks(self) -> list[tuple[float, str]]:
        if self.ticks is not None:
            return [(tick, signed(f"{tick:.6g}")) for tick in self.ticks]
        return self.decades() if self.logarithmic else self.round_numbers()

    def decades(self) -> list[tuple[float, str]]:
        first = math.ceil(math.log10(self.low) - 1e-9)
        last = math.floor(math.log10(self.high) + 1e-9)
        step = max(1, math.ceil((last - first) / 8))
        return [(10.0 ** e, signed(f"1e{e}" if abs(e) > 3 else f"{10.0 ** e:.6g}"))
                for e in range(first, last + 1, step)]

    def round_numbers(self) -> list[tuple[float, str]]:
        raw = (self.high - self.low) / 6
        unit = 10.0 ** math.floor(math.log10(raw))
        step = next(unit * m for m in (1, 2, 2.5, 5, 10) if unit * m >= raw * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [(step * k, signed(f"{step * k:.6g}")) for k in range(first, last + 1)]


def contour(xs, ys, values, level: float) -> list[list[tuple[float, float]]]:
    """The lines f = level by marching squares; values[r][c] belongs to (xs[c], ys[r])."""
    segments = []

    def crossing(a, b):
        (ax, ay, av), (bx, by, bv) = sorted((a, b))  # so that both cells get the same bits
        share = (level - av) / (bv - av)
        return (ax + share * (bx - ax), ay + share * (by - ay))

    for r in range(len(ys) - 1):
        for c in range(len(xs) - 1):
            corners = [(xs[c + i], ys[r + j], values[r + j][c + i])
                       for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
            cuts = [crossing(a, b) for a, b in zip(corners, corners[1:] + corners[:1])
                    if (a[2] < level) != (b[2] < level)]
            segments += [(cuts[k], cuts[k + 1]) for k in range(0, len(cuts) - 1, 2)]
    return chained(segments)


def chained(segments) -> list[list[tuple[float, float]]]:
    """Joins segments end to end."""
    ends: dict = {}
    for index, (a, b) in enumerate(segments):
        ends.setdefault(a, []).append(index)
        ends.setdefault(b, []).append(index)
    used = [False] * len(segments)

    def grown(line):
        while True:
            following = [i for i in ends[line[-1]] if not used[i]]
            if not following:
                return line
            used[following[0]] = True
            a, b = segments[following[0]]
            line.append(b if a == line[-1] else a)

    lines = []
    for index, (a, b) in enumerate(segments):
        if not used[index]:
            used[index] = True
            forward = grown([a, b])
            lines.append(grown(forward[::-1]))
    return lines


@dataclass
class Panel:
    """A rectangle of a figure with two axes."""

    picture: "Picture"
    left: float
    top: float
    width: float
    height: float
    across: Axis
    up: Axis

    def x(self, value: float) -> float:
        return self.left + self.width * self.across.place(value)

    def y(self, value: float) -> float:
        return self.top + self.height * (1 - self.up.place(value))

    def clip(self) -> str:
        name = self.picture.clip(self.left, self.top, self.width, self.height)
        return f"url(#{name})"

    def path(self, points) -> str:
        return "M" + "L".join(f"{number(self.x(a))} {number(self.y(b))}" for a, b in points)

    def frame(self, title: str = "", grid: bool = True) -> "Panel":
        out = self.picture
        right, bottom = self.left + self.width, self.top + self.height
        for value, text in self.across.marks():
            x = self.x(value)
            if grid:
                out.add(tag("line", "s-grid", x1=x, x2=x, y1=self.top, y2=bottom))
            out.text(x, bottom + 17, text, size=12, anchor="middle")
        for value, text in self.up.marks():
            y = self.y(value)
            if grid:
                out.add(tag("line", "s-grid", x1=self.left, x2=right, y1=y, y2=y))
            out.text(self.left - 7, y + 4, text, size=12, anchor="end")
        out.add(tag("rect", "s-ink", fill="none", x=self.left, y=self.top, width=self.width,
                    height=self.height))
        middle = self.left + self.width / 2
        if self.across.label:
            out.text(middle, bottom + 37, self.across.label, anchor="middle")
        if self.up.label:
            out.text(self.left - 46, self.top + self.height / 2, self.up.label, anchor="middle",
                     turned=True)
        if title:
            out.text(middle, self.top - 10, title, anchor="middle", bold=True)
        return self

    def line(self, points, colour: str, width: float = 2, kind: str = SOLID) -> None:
        """A polyline, clipped to the panel."""
        if len(points) > 1:
            self.picture.add(tag("path", f"s-{colour}", fill="none", stroke_width=width,
                                 stroke_dasharray=dashes(kind), clip_path=self.clip(),
                                 d=self.path(points)))

    def contour(self, surface, level: float, colour: str, width: float = 2,
                kind: str = SOLID) -> None:
        for line in contour(*surface, level):
            self.line(line, colour, width, kind)

    def area(self, points, colour: str, opacity: str = "0.18") -> None:
        self.picture.add(tag("path", f"f-{colour}", fill_opacity=opacity, clip_path=self.clip(),
                             d=self.path(points) + "Z"))

    def points(self, points, colour: str, shape: str = "circle", size: float = 4) -> None:
        for a, b in points:
            self.picture.mark(self.x(a), self.y(b), colour, shape, size)

    def note(self, x: float, y: float, text: str, colour: str = "ink",
             anchor: str = "start") -> None:
        self.picture.text(self.x(x), self.y(y), text, colour=colour, anchor=anchor, size=13)


@dataclass
class Picture:
    """An SVG file under construction."""

    width: int
    height: int
    title: str
    parts: list[str] = field(default_factory=list)
    clips: dict = field(default_factory=dict)

    def add(self, text: str) -> None:
        self.parts.append(text)

    def clip(self, *box) -> str:
        return self.clips.setdefault(box, f"c{len(self.clips)}")

    def panel(self, left, top, width, height, across: Axis, up: Axis) -> Panel:
        return Panel(self, left, top, width, height, across, up)

    def mark(self, x: float, y: float, colour: str, shape: str, size: float = 4) -> None:
        if shape == "circle":
            self.add(tag("circle", f"f-{colour}", cx=x, cy=y, r=size))
        elif shape == "ring":
            self.add(tag("circle", f"s-{colour}", fill="none", stroke_width=1.6, cx=x, cy=y,
                         r=size))
        elif shape == "square":
            self.add(tag("rect", f"f-{colour}", x=x - size, y=y - size, width=2 * size,
                         height=2 * size))
        elif shape == "cross":
            side = number(2 * size)
            self.add(tag("path", f"s-{colour}", stroke_width=2,
                         d=f"M{number(x - size)} {number(y - size)}l{side} {side}m0 -{side}"
                           f"l-{side} {side}"))
        else:
            raise ValueError(f"no such shape: {shape}")

    def text(self, x, y, text, size=14, anchor="start", colour="ink", bold=False,
             turned=False) -> None:
        self.add(tag("text", f"f-{colour}", html.escape(text, quote=False), x=x, y=y,
                     font_size=size, text_anchor=None if anchor == "start" else anchor,
                     font_weight="bold" if bold else None,
                     transform=f"rotate(-90 {number(x)} {number(y)})" if turned else None))

    def legend(self, left: float, top: float, entries) -> None:
        """entries: (text, colour, kind), one below the other; kind is a shape or a kind of line."""
        for row, (text, colour, kind) in enumerate(entries):
            y = top + 21 * row
            if kind in SHAPES:
                self.mark(left + 13, y - 4, colour, kind)
            else:
                self.add(tag("line", f"s-{colour}", stroke_width=2.5, stroke_dasharray=dashes(kind),
                             x1=left, x2=left + 26, y1=y - 4, y2=y - 4))
            self.text(left + 34, y, text, size=13)

    def svg(self) -> str:
        body = "\n".join([tag("rect", "f-page", width=self.width, height=self.height), *self.parts])

        def rules(colours):
            return "".join(f".{kind}-{name}{{{what}:{value}}}" for name, value in colours.items()
                           for kind, what in (("s", "stroke"), ("f", "fill"))
                           if f'"{kind}-{name}"' in body)

        clips = "".join(tag("clipPath", "", tag("rect", x=x, y=y, width=w, height=h), id=name)
                        for (x, y, w, h), name in self.clips.items())
        dark = f"@media(prefers-color-scheme:dark){{{rules(DARK)}}}"
        head = [tag("title", "", html.escape(self.title, quote=False)),
                tag("style", "", rules(LIGHT) + dark), tag("defs", "", clips)]
        inside = "\n".join(["", *head, body, ""])
        return tag("svg", "", inside, xmlns="http://www.w3.org/2000/svg", width=self.width,
                   height=self.height, viewBox=f"0 0 {self.width} {self.height}",
                   font_family="sans-serif", role="img") + "\n"
