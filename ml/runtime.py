"""MLServer's runtime of a zone's model: the tensors of docs/operations/forecasts.md in, the tensors of docs/operations/forecasts.md out."""

from pathlib import Path

import numpy as np
from mlserver import MLModel
from mlserver.errors import InferenceError
from mlserver.types import InferenceRequest, InferenceResponse, RequestInput, ResponseOutput
from mlserver.utils import get_model_uri

from model import ZoneModel

MOST_HOURS = 336


class CarbonRuntime(MLModel):
    async def load(self) -> bool:
        self._model = ZoneModel.read(Path(await get_model_uri(self._settings)))
        return True

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        tensors = {tensor.name: tensor for tensor in payload.inputs}
        history = row_of(tensors, "history")
        [horizon] = row_of(tensors, "horizon")
        if len(history) < 24 or not np.isfinite(history).all():
            raise InferenceError("history needs at least 24 numbers")
        if not 1 <= horizon <= MOST_HOURS:
            raise InferenceError(f"horizon has to lie between 1 and {MOST_HOURS}")
        rows = zip(("intensity", "low", "high"), self._model.forecast(history, int(horizon)))
        return InferenceResponse(
            model_name=self.name,
            model_version=self.version,
            id=payload.id,
            outputs=[
                ResponseOutput(name=name, shape=[1, len(row)], datatype="FP64", data=row.tolist()) for name, row in rows
            ],
        )


def row_of(tensors: dict[str, RequestInput], name: str) -> np.ndarray:
    if name not in tensors:
        raise InferenceError(f"tensor {name} is missing")
    return np.array(list(tensors[name].data), dtype=float).reshape(-1)
