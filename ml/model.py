"""A model of one electricity zone: for each group of leads a ridge regression over the figures of features.py.

What one year's nine months teach about one zone is little. So what other zones teach counts too, and with each question the
model learns again from the hours that the question brings along: they are the newest that there are.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from features import COUNT, DAY, HISTORY, LAST_HOURS, WEEK, buckets, describe

#: Nine of ten hours lie within this many standard errors of the forecast, were the errors normal.
BAND = 1.645
GROUPS = len(LAST_HOURS)
PENALTY = 0.05
#: What the zone itself counts; the rest is shared by the other zones.
OWN = 0.5
#: What the hours of a question count beside what was learned before.
RECENT = 0.2
#: Hours between two forecasts that are learned from: of the months of training, of the weeks of a question.
EVERY, EVERY_RECENT = 5, 12


@dataclass(frozen=True)
class Moments:
    """What least squares need to know of many hours: means of products of the figures, and of these and what came."""

    gram: np.ndarray  # (groups of leads, COUNT, COUNT)
    moment: np.ndarray  # (groups of leads, COUNT)

    def mixed(self, other: "Moments", share: float) -> "Moments":
        """These and `share` of the others."""
        gram = (1 - share) * self.gram + share * other.gram
        return Moments(gram, (1 - share) * self.moment + share * other.moment)

    def weights(self) -> np.ndarray:
        return np.linalg.solve(self.gram + PENALTY * np.eye(COUNT), self.moment[:, :, None])[:, :, 0]


def moments(hours: np.ndarray, issued: range, horizon: int, scale: float) -> Moments:
    """Of forecasts issued at these hours, with what is known of the hours after each; all in units of `scale`."""
    gram, moment, count = np.zeros((GROUPS, COUNT, COUNT)), np.zeros((GROUPS, COUNT)), np.zeros(GROUPS)
    for now in issued:
        length = min(horizon, len(hours) - now)
        figures, base = describe(hours[:now], length)
        figures, wanted = figures / scale, (hours[now : now + length] - base) / scale
        # The leads of a group lie beside each other.
        group = buckets(length)
        edges = np.flatnonzero(np.diff(group, prepend=-1))
        for start, end in zip(edges, [*edges[1:], length]):
            rows = figures[start:end]
            gram[group[start]] += rows.T @ rows
            moment[group[start]] += rows.T @ wanted[start:end]
            count[group[start]] += end - start
    count = np.maximum(count, 1)
    return Moments(gram / count[:, None, None], moment / count[:, None])


@dataclass(frozen=True)
class ZoneModel:
    zone: str
    scale: float  # gCO2eq/kWh
    learned: Moments
    spread: np.ndarray  # (groups of leads,) standard error, gCO2eq/kWh

    def forecast(self, history: np.ndarray, horizon: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The coming hours and the band around them, gCO2eq/kWh, never below 0."""
        history = np.asarray(history, dtype=float)[-HISTORY:]
        figures, base = describe(history, horizon)
        group = buckets(horizon)
        middle = base + (figures * self._weights(history, horizon)[group]).sum(axis=1)
        width = BAND * self.spread[group]
        return tuple(np.maximum(0.0, row) for row in (middle, middle - width, middle + width))

    def _weights(self, history: np.ndarray, horizon: int) -> np.ndarray:
        # A week and a day is the least that the figures can be worked out from.
        issued = range(WEEK + DAY, len(history) - DAY, EVERY_RECENT)
        if len(issued) < 2 * WEEK // EVERY_RECENT:
            return self.learned.weights()
        recent = moments(history, issued, horizon, self.scale)
        return self.learned.mixed(recent, RECENT).weights()

    def write(self, path: Path) -> None:
        learned = {"gram": self.learned.gram.tolist(), "moment": self.learned.moment.tolist()}
        values = {"zone": self.zone, "scale": self.scale, "spread": self.spread.tolist(), **learned}
        path.write_text(json.dumps(values))

    @staticmethod
    def read(path: Path) -> "ZoneModel":
        values = json.loads(path.read_text())
        learned = Moments(np.array(values["gram"]), np.array(values["moment"]))
        return ZoneModel(values["zone"], values["scale"], learned, np.array(values["spread"]))


def issued_in(hours: np.ndarray, horizon: int) -> range:
    return range(HISTORY, len(hours) - horizon, EVERY)


def spread_of(model: Moments, hours: np.ndarray, horizon: int, scale: float) -> np.ndarray:
    """Standard error of each group of leads over the hours that were learned from, gCO2eq/kWh."""
    weights, group = model.weights(), buckets(horizon)
    errors = []
    for now in issued_in(hours, horizon):
        figures, base = describe(hours[:now], horizon)
        errors.append(hours[now : now + horizon] - base - (figures * weights[group]).sum(axis=1))
    squares = np.mean(np.square(errors), axis=0)
    found = [squares[group == number].mean() if (group == number).any() else 0.0 for number in range(GROUPS)]
    return np.sqrt(np.array(found))


def train(series: dict[str, np.ndarray], horizon: int) -> dict[str, ZoneModel]:
    """A model of each zone, learned from these hours alone: each zone's own and, for the rest, those of the others."""
    scales = {zone: float(hours.std()) + 1e-9 for zone, hours in series.items()}
    own = {
        zone: moments(hours, issued_in(hours, horizon), horizon, scales[zone]) for zone, hours in series.items()
    }
    models = {}
    for zone, hours in series.items():
        others = [own[other] for other in series if other != zone]
        learned = own[zone]
        if others:
            mean = Moments(
                np.mean([other.gram for other in others], axis=0), np.mean([other.moment for other in others], axis=0)
            )
            learned = learned.mixed(mean, 1 - OWN)
        models[zone] = ZoneModel(zone, scales[zone], learned, spread_of(learned, hours, horizon, scales[zone]))
    return models
