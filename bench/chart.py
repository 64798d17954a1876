# SPDX-License-Identifier: Apache-2.0
"""bench/chart.py - a bar chart of speedups as SVG text, on a logarithmic axis."""
import html
import math

ROW, LEFT, WIDTH, TOP = 22, 190, 420, 46


def speedups(title, rows):
    """rows: (problem, rival, times faster); bars to the right of 1 are wins."""
    ticks = [1, 2, 5, 10, 20, 50, 100]
    most = max([2.0, *(value for _, _, value in rows)])
    least = min([1.0, *(value for _, _, value in rows)])
    low, high = math.log(least) - 0.05, math.log(most) + 0.1
    place = lambda value: LEFT + WIDTH * (math.log(value) - low) / (high - low)
    bottom = TOP + ROW * len(rows)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 70}" '
             f'height="{bottom + 34}" font-family="sans-serif" font-size="12">',
             f'<text x="8" y="20" font-size="14">{html.escape(title)}</text>']
    for tick in (tick for tick in ticks if low <= math.log(tick) <= high):
        parts.append(f'<line x1="{place(tick):.1f}" x2="{place(tick):.1f}" y1="{TOP - 8}" '
                     f'y2="{bottom}" stroke="#ccc"/><text x="{place(tick):.1f}" '
                     f'y="{bottom + 16}" text-anchor="middle">{tick}x</text>')
    for number, (problem, rival, value) in enumerate(rows):
        y = TOP + ROW * number
        start, end = sorted((place(1.0), place(value)))
        colour = "#2a7f62" if value >= 1.0 else "#b3452c"
        parts.append(f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end">'
                     f'{html.escape(problem)} / {html.escape(rival)}</text>'
                     f'<rect x="{start:.1f}" y="{y}" width="{max(end - start, 1):.1f}" '
                     f'height="{ROW - 7}" fill="{colour}"/>'
                     f'<text x="{place(value) + 5:.1f}" y="{y + 12}">{value:.2g}x</text>')
    return "\n".join(parts) + "\n</svg>\n"
