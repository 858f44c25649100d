"""What a model knows about each hour to come, from measured hours alone.

Everything is relative to the mean of the same hour of the last seven days: that mean is the forecast, and the model corrects it.
"""

import numpy as np

DAY, WEEK = 24, 168
#: Hours of history that are used; fewer do, from one day on.
HISTORY = 28 * DAY
#: Leads that share their weights, by the last hour of each.
LAST_HOURS = np.array([1, 2, 3, 4, 6, 8, 10, 12, 15, 18, 21, 24, 30, 36, 42, 48, 60, 72, 96, 120, 144, 168, 192])
COUNT = 17


def buckets(horizon: int) -> np.ndarray:
    """The bucket of each hour to come; leads beyond the last one share its weights."""
    return np.minimum(np.searchsorted(LAST_HOURS, np.arange(1, horizon + 1)), len(LAST_HOURS) - 1)


def same_hours(history: np.ndarray, horizon: int, step: int, count: int) -> np.ndarray:
    """Mean of the last `count` known values that lie whole multiples of `step` hours before each hour to come."""
    known = len(history)
    target = np.arange(known, known + horizon)
    first = target - step * np.maximum(1, -(-(target - known + 1) // step))
    index = first[:, None] - step * np.arange(count)[None, :]
    there = index >= 0
    sums = np.where(there, history[np.maximum(index, 0)], 0.0).sum(axis=1)
    taken = there.sum(axis=1)
    return np.where(taken > 0, sums / np.maximum(taken, 1), history[-1])


def recent_errors(history: np.ndarray) -> np.ndarray:
    """How far each hour of the last week lay from the mean of the same hour of the seven days before it, newest first."""
    known = len(history)
    hours = np.arange(known - 1, max(known - 1 - WEEK, 0), -1)
    if len(hours) == 0:
        return np.array([0.0])
    before = hours[:, None] - DAY * np.arange(1, 8)[None, :]
    there = before >= 0
    taken = there.sum(axis=1)
    means = np.where(there, history[np.maximum(before, 0)], 0.0).sum(axis=1) / np.maximum(taken, 1)
    return np.where(taken > 0, history[hours] - means, 0.0)


def describe(history: np.ndarray, horizon: int) -> tuple[np.ndarray, np.ndarray]:
    """The figures of each hour to come, (horizon, COUNT), and the forecast that they correct, (horizon,); gCO2eq/kWh."""
    history = np.asarray(history, dtype=float)[-HISTORY:]
    base = same_hours(history, horizon, DAY, 7)
    errors = recent_errors(history)
    fourth = errors[min(3, len(errors) - 1)]
    lately = [
        errors[0],
        errors[0] - fourth,
        errors[:6].mean(),
        errors[:12].mean(),
        errors[:DAY].mean(),
        errors[: 3 * DAY].mean(),
        errors.mean(),
        history[-DAY:].mean() - history[-WEEK:].mean(),
        history[-2 * DAY :].mean() - history[-WEEK:].mean(),
        history[-WEEK:].mean() - history.mean(),
    ]
    spans = [(DAY, 1), (DAY, 2), (DAY, 4), (DAY, 14), (DAY, 28), (WEEK, 1), (WEEK, 4)]
    columns = [np.full(horizon, figure) for figure in lately]
    columns += [same_hours(history, horizon, step, count) - base for step, count in spans]
    return np.stack(columns, axis=1), base
