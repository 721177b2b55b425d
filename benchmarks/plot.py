"""The costs of a run as a picture: bars of CPU seconds, a panel for each measurement."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl

from benchmarks.lake import Cost

OURS, OTHERS = "#d1495b", "#8d99ae"


def draw(path: Path, measured: Mapping[str, Mapping[str, Cost]]) -> None:
    """Writes a PNG file; the same figures give the same bytes.

    Args:
        path: the file.
        measured: for each title, cost by name of the way; `ours` stands out.
    """
    mpl.use("agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415 - needs to know first that there is no display

    heights = [len(costs) + 2 for costs in measured.values()]
    figure, panels = plt.subplots(
        len(measured), 1, figsize=(7, 0.27 * sum(heights)), height_ratios=heights, squeeze=False
    )
    for panel, (title, costs) in zip(panels[:, 0], measured.items(), strict=True):
        names = list(costs)[::-1]
        seconds = [costs[name].cpu for name in names]
        bars = panel.barh(names, seconds, color=[OURS if name == "ours" else OTHERS for name in names])
        panel.bar_label(bars, [f"{value:.1f}" for value in seconds], padding=3, fontsize=8)
        panel.set_title(title, fontsize=9, loc="left")
        panel.tick_params(labelsize=8)
        panel.margins(x=0.12)
        panel.spines[["top", "right"]].set_visible(False)
    panels[-1, 0].set_xlabel("CPU seconds", fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})
