"""Trains one model per electricity zone on the first hours of a recorded year and tracks the run in MLflow.

  python ml/train.py --tracking http://127.0.0.1:5000 --series catalog/carbon-hourly-2022.json.gz --zones DE,FR --until 6552

Prints the id of the run as the only line on standard output.
"""

import argparse
import gzip
import json
import tempfile
from pathlib import Path

import mlflow
import numpy as np

from model import train

EXPERIMENT = "landfall-carbon"


def read_series(path: str, zones: list[str]) -> dict[str, np.ndarray]:
    """Measured intensities by the hour, gCO2eq/kWh. The file holds hundredths of a gram, each as the difference to the last."""
    with gzip.open(path) as file:
        known = json.load(file)["zones"]
    missing = [zone for zone in zones if zone not in known]
    if missing:
        raise SystemExit(f"{path} has no series of {', '.join(missing)}")
    return {zone: np.cumsum(known[zone]["deltas"]) / 100 for zone in zones}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tracking", required=True, help="URL of the MLflow tracking server")
    parser.add_argument("--series", required=True, help="the catalog's hourly series")
    parser.add_argument("--zones", required=True, type=lambda text: text.split(","), help="separated by commas")
    parser.add_argument("--until", required=True, type=int, help="hours of the year that are learned from; none later")
    parser.add_argument("--horizon", type=int, default=192, help="longest lead in hours")
    options = parser.parse_args()
    series = read_series(options.series, options.zones)
    mlflow.set_tracking_uri(options.tracking)
    mlflow.set_experiment(EXPERIMENT)
    with mlflow.start_run() as run, tempfile.TemporaryDirectory() as folder:
        mlflow.log_params({"zones": ",".join(options.zones), "until": options.until, "horizon": options.horizon})
        known = {zone: hours[: options.until] for zone, hours in series.items()}
        for zone, model in train(known, options.horizon).items():
            mlflow.log_metric(f"standard_error_day_ahead_{zone}", float(model.spread[11]))
            model.write(Path(folder) / f"{zone}.json")
        mlflow.log_artifacts(folder, "models")
    print(run.info.run_id)


if __name__ == "__main__":
    main()
