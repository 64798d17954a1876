# SPDX-License-Identifier: Apache-2.0
"""examples/pictures/svg.py - panels with axes, lines, points and contours as plain SVG text.

Colours are those of Okabe and Ito, which eyes of every kind tell apart; where two sets of points
share a panel they also differ in shape. A picture carries a style for light and one for dark pages.
Coordinates have one decimal: the same numbers give the same bytes.
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


def number(value: float) -> str:
    text = f"{value:.1f}"
    return text.removesuffix(".0") if text != "-0.0" else "0"


def tick_text(value: float) -> str:
    return f"{value:.6g}".replace("-", "\u2212")


@dataclass
class Axis:
    """One direction of a panel. Without ticks it has marks at round numbers."""

    low: float
    high: float
    label: str = ""
    ticks: list | None = None  # values, or (value, text) pairs
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """0 at the low end, 1 at the high one."""
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def marks(self) -> list[tuple[float, str]]:
        if self.ticks is not None:
            return [tick if isinstance(tick, tuple) else (tick, tick_text(tick)) for tick in self.ticks]
        if self.logarithmic:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            step = max(1, math.ceil((last - first) / 8))
            return [(10.0 ** e, f"1e{e}".replace("-", "\u2212") if abs(e) > 3 else tick_text(10.0 ** e))
                    for e in range(first, last + 1, step)]
        raw = (self.high - self.low) / 6
        unit = 10.0 ** math.floor(math.log10(raw))
        step = next(unit * m for m in (1, 2, 2.5, 5, 10) if unit * m >= raw * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [(step * k, tick_text(step * k)) for k in range(first, last + 1)]


def contour(xs, ys, values, level: float) -> list[list[tuple[float, float]]]:
    """The lines f = level by marching squares; values[row][column] belongs to (xs[column], ys[row])."""
    segments = []

    def crossing(a, b):
        (ax, ay, av), (bx, by, bv) = a, b
        share = (level - av) / (bv - av)
        return (ax + share * (bx - ax), ay + share * (by - ay))

    for r in range(len(ys) - 1):
        for c in range(len(xs) - 1):
            corners = [(xs[c], ys[r], values[r][c]), (xs[c + 1], ys[r], values[r][c + 1]),
                       (xs[c + 1], ys[r + 1], values[r + 1][c + 1]), (xs[c], ys[r + 1], values[r + 1][c])]
            cuts = [crossing(corners[k], corners[(k + 1) % 4]) for k in range(4)
                    if (corners[k][2] < level) != (corners[(k + 1) % 4][2] < level)]
            segments += [(cuts[k], cuts[k + 1]) for k in range(0, len(cuts) - 1, 2)]
    return chained(segments)


def chained(segments) -> list[list[tuple[float, float]]]:
    """Segments put end to end."""
    key = lambda point: (round(point[0], 9), round(point[1], 9))
    ends: dict = {}
    for index, (a, b) in enumerate(segments):
        ends.setdefault(key(a), []).append(index)
        ends.setdefault(key(b), []).append(index)
    used = [False] * len(segments)

    def grown(line):
        while True:
            following = [i for i in ends[key(line[-1])] if not used[i]]
            if not following:
                return line
            used[following[0]] = True
            a, b = segments[following[0]]
            line.append(b if key(a) == key(line[-1]) else a)

    lines = []
    for index, (a, b) in enumerate(segments):
        if not used[index]:
            used[index] = True
            forward = grown([a, b])
            lines.append(grown(forward[::-1]))
    return lines


@dataclass
class Panel:
    """A rectangle of a picture with two axes."""

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

    def frame(self, title: str = "", grid: bool = True) -> "Panel":
        out = self.picture
        bottom = self.top + self.height
        for value, text in self.across.marks():
            if grid:
                out.add(f'<path class="s-grid" d="M{number(self.x(value))} {number(self.top)}V{number(bottom)}"/>')
            out.text(self.x(value), bottom + 17, text, size=12, anchor="middle")
        for value, text in self.up.marks():
            if grid:
                out.add(f'<path class="s-grid" d="M{number(self.left)} {number(self.y(value))}'
                        f'H{number(self.left + self.width)}"/>')
            out.text(self.left - 7, self.y(value) + 4, text, size=12, anchor="end")
        out.add(f'<rect class="s-ink" fill="none" x="{number(self.left)}" y="{number(self.top)}" '
                f'width="{number(self.width)}" height="{number(self.height)}"/>')
        if self.across.label:
            out.text(self.left + self.width / 2, bottom + 37, self.across.label, anchor="middle")
        if self.up.label:
            out.text(self.left - 46, self.top + self.height / 2, self.up.label, anchor="middle", turned=True)
        if title:
            out.text(self.left + self.width / 2, self.top - 10, title, anchor="middle", bold=True)
        return self

    def line(self, points, colour: str = "blue", width: float = 2, dash: str = "") -> None:
        """A polyline; parts outside the panel are clipped."""
        if len(points) < 2:
            return
        path = "M" + "L".join(f"{number(self.x(a))} {number(self.y(b))}" for a, b in points)
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.picture.add(f'<path class="s-{colour}" fill="none" stroke-width="{number(width)}"{dashes} '
                         f'clip-path="url(#{self.clip()})" d="{path}"/>')

    def clip(self) -> str:
        return self.picture.clip(self.left, self.top, self.width, self.height)

    def contour(self, surface, level: float, colour: str = "ink", width: float = 2, dash: str = "") -> None:
        for line in contour(*surface, level):
            self.line(line, colour, width, dash)

    def area(self, points, colour: str, opacity: float = 0.18) -> None:
        path = "M" + "L".join(f"{number(self.x(a))} {number(self.y(b))}" for a, b in points) + "Z"
        self.picture.add(f'<path class="f-{colour}" fill-opacity="{opacity}" clip-path="url(#{self.clip()})" '
                         f'd="{path}"/>')

    def points(self, points, colour: str, shape: str = "circle", size: float = 4) -> None:
        for a, b in points:
            self.picture.mark(self.x(a), self.y(b), colour, shape, size)

    def note(self, x: float, y: float, text: str, colour: str = "ink", anchor: str = "start") -> None:
        self.picture.text(self.x(x), self.y(y), text, colour=colour, anchor=anchor, size=13)


@dataclass
class Picture:
    """An SVG file in the making."""

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

    def mark(self, x: float, y: float, colour: str, shape: str = "circle", size: float = 4) -> None:
        a, b, s = number(x), number(y), size
        if shape == "circle":
            self.add(f'<circle class="f-{colour}" cx="{a}" cy="{b}" r="{number(s)}"/>')
        elif shape == "ring":
            self.add(f'<circle class="s-{colour}" fill="none" stroke-width="1.6" cx="{a}" cy="{b}" r="{number(s)}"/>')
        elif shape == "square":
            self.add(f'<rect class="f-{colour}" x="{number(x - s)}" y="{number(y - s)}" '
                     f'width="{number(2 * s)}" height="{number(2 * s)}"/>')
        elif shape == "cross":
            self.add(f'<path class="s-{colour}" stroke-width="2" d="M{number(x - s)} {number(y - s)}l{number(2 * s)} '
                     f'{number(2 * s)}m0 {number(-2 * s)}l{number(-2 * s)} {number(2 * s)}"/>')
        else:
            raise ValueError(f"no such shape: {shape}")

    def text(self, x, y, text, size=14, anchor="start", colour="ink", bold=False, turned=False) -> None:
        style = ' font-weight="bold"' if bold else ""
        turn = f' transform="rotate(-90 {number(x)} {number(y)})"' if turned else ""
        self.add(f'<text class="f-{colour}" x="{number(x)}" y="{number(y)}" font-size="{size}" '
                 f'text-anchor="{anchor}"{style}{turn}>{html.escape(text, quote=False)}</text>')

    def legend(self, left: float, top: float, entries) -> None:
        """entries: (text, colour, kind) below each other; kind is a shape, `line` or a dash pattern."""
        for row, (text, colour, kind) in enumerate(entries):
            y = top + 21 * row
            if kind in ("circle", "ring", "square", "cross"):
                self.mark(left + 13, y - 4, colour, kind)
            else:
                dash = "" if kind == "line" else f' stroke-dasharray="{kind}"'
                self.add(f'<path class="s-{colour}" stroke-width="2.5"{dash} d="M{number(left)} {number(y - 4)}h26"/>')
            self.text(left + 34, y, text, size=13)

    def svg(self) -> str:
        body = "\n".join(self.parts)

        def rules(colours):
            return "".join(f".{kind}-{name}{{{what}:{value}}}" for name, value in colours.items()
                           for kind, what in (("s", "stroke"), ("f", "fill"))
                           if name == "page" or f'"{kind}-{name}"' in body)

        clips = "".join(f'<clipPath id="{name}"><rect x="{number(x)}" y="{number(y)}" width="{number(w)}" '
                        f'height="{number(h)}"/></clipPath>' for (x, y, w, h), name in self.clips.items())
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}" font-family="sans-serif" role="img">\n'
                f"<title>{html.escape(self.title, quote=False)}</title>\n"
                f"<style>{rules(LIGHT)}@media(prefers-color-scheme:dark){{{rules(DARK)}}}</style>\n"
                f"<defs>{clips}</defs>\n"
                f'<rect class="f-page" width="{self.width}" height="{self.height}"/>\n{body}\n</svg>\n')
