"""A model of one electricity zone: for each group of leads a ridge regression over the figures of features.py."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from features import COUNT, HISTORY, LAST_HOURS, buckets, describe

#: Nine of ten hours lie within this many standard errors of the forecast, were the errors normal.
BAND = 1.645


@dataclass(frozen=True)
class ZoneModel:
    zone: str
    weights: np.ndarray  # (groups of leads, COUNT)
    spread: np.ndarray  # (groups of leads,) standard error, gCO2eq/kWh

    def forecast(self, history: np.ndarray, horizon: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The coming hours and the band around them, gCO2eq/kWh, never below 0."""
        figures, base = describe(history, horizon)
        group = buckets(horizon)
        middle = base + (figures * self.weights[group]).sum(axis=1)
        width = BAND * self.spread[group]
        return tuple(np.maximum(0.0, row) for row in (middle, middle - width, middle + width))

    def write(self, path: Path) -> None:
        values = {"zone": self.zone, "weights": self.weights.tolist(), "spread": self.spread.tolist()}
        path.write_text(json.dumps(values))

    @staticmethod
    def read(path: Path) -> "ZoneModel":
        values = json.loads(path.read_text())
        return ZoneModel(values["zone"], np.array(values["weights"]), np.array(values["spread"]))


def train(zone: str, hours: np.ndarray, horizon: int, every: int = 5, penalty: float = 0.05) -> ZoneModel:
    """Learns from these hours alone: from every fifth one of them, what the hours before it say about those after it."""
    scale = hours.std() + 1e-9
    issued = range(HISTORY, len(hours) - horizon, every)
    described = [describe(hours[:now], horizon) for now in issued]
    figures = np.array([figures for figures, _ in described]) / scale
    wanted = np.array([hours[now : now + horizon] - base for now, (_, base) in zip(issued, described)]) / scale
    group = buckets(horizon)
    weights = np.zeros((len(LAST_HOURS), COUNT))
    spread = np.zeros(len(LAST_HOURS))
    for number in range(len(LAST_HOURS)):
        rows = figures[:, group == number].reshape(-1, COUNT)
        target = wanted[:, group == number].reshape(-1)
        if len(target) == 0:
            weights[number], spread[number] = weights[number - 1], spread[number - 1]
            continue
        gram = rows.T @ rows / len(target) + penalty * np.eye(COUNT)
        weights[number] = np.linalg.solve(gram, rows.T @ target / len(target))
        spread[number] = scale * np.sqrt(np.mean((target - rows @ weights[number]) ** 2))
    return ZoneModel(zone, weights, spread)
