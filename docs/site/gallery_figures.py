# SPDX-License-Identifier: Apache-2.0
"""docs/site/gallery_figures.py - how the pictures of the gallery look: dark ink on a light card, on
light pages and on dark ones."""

import matplotlib.pyplot as plt

INK = "#24292f"
CARD = "#fcfcfb"
STYLE = {
    "figure.figsize": (6.4, 4.0), "figure.dpi": 100, "savefig.dpi": 100,
    "figure.facecolor": CARD, "axes.facecolor": CARD, "savefig.facecolor": CARD,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.h_pad": 0.1, "figure.constrained_layout.w_pad": 0.1,
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": "#6b7280", "xtick.color": INK,
    "ytick.color": INK, "legend.framealpha": 0.8, "legend.facecolor": CARD,
    "legend.edgecolor": "none", "lines.linewidth": 1.8, "axes.spines.top": False,
    "axes.spines.right": False, "font.size": 10, "axes.titlesize": 10,
    # Okabe and Ito's colours, as in examples/pictures
    "axes.prop_cycle": plt.cycler(color=["#0072b2", "#d55e00", "#00815f", "#b3588c", "#b37b00"]),
}


def prepare(configuration, script):
    """Called before each script of the gallery."""
    plt.rcdefaults()
    plt.rcParams.update(STYLE)
