"""Fetches the models of a tracked run and lays them out as a model repository of MLServer.

  python ml/export.py --tracking http://127.0.0.1:5000 --run ID --into repository --ports 8080,8081,8082
"""

import argparse
import json
from pathlib import Path

import mlflow


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tracking", required=True, help="URL of the MLflow tracking server")
    parser.add_argument("--run", required=True, help="id of the run")
    parser.add_argument("--into", required=True, type=Path, help="folder of the repository")
    parser.add_argument("--ports", required=True, type=lambda text: [int(port) for port in text.split(",")])
    options = parser.parse_args()
    mlflow.set_tracking_uri(options.tracking)
    fetched = Path(mlflow.artifacts.download_artifacts(run_id=options.run, artifact_path="models"))
    http, grpc, metrics = options.ports
    settings = {"host": "127.0.0.1", "http_port": http, "grpc_port": grpc, "metrics_port": metrics}
    options.into.mkdir(parents=True, exist_ok=True)
    # One process is enough for matrices of this size.
    (options.into / "settings.json").write_text(json.dumps({**settings, "parallel_workers": 0, "debug": False}))
    for file in sorted(fetched.glob("*.json")):
        folder = options.into / file.stem
        folder.mkdir(exist_ok=True)
        (folder / "weights.json").write_bytes(file.read_bytes())
        model = {
            "name": f"carbon-{file.stem}",
            "implementation": "runtime.CarbonRuntime",
            "parameters": {"uri": "./weights.json", "version": options.run},
        }
        (folder / "model-settings.json").write_text(json.dumps(model))


if __name__ == "__main__":
    main()
