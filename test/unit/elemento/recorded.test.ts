import { describe, expect, it } from "vitest";
import { explainFailure } from "../../../src/elemento/operator/explain-failure.ts";
import { notReady, ready } from "../../../src/elemento/operator/save-status.ts";
import type { Saying } from "../../../src/elemento/step/step.ts";
import { type ErrorCode, type ErrorParams, LandfallError } from "../../../src/errors.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import recorded from "../../fixtures/operators/elemento.json" with { type: "json" };
import { type RecordedStep, replay, replayDeletion } from "../simulators/replay.ts";

interface Step extends RecordedStep {
  thrown?: { code: ErrorCode; params: ErrorParams };
  said?: Saying;
  rests?: { reason: string; message: string };
}

interface Sequence {
  name: string;
  kind: string;
  deleting?: boolean;
  steps: Step[];
}

const sequences = recorded.sequences as unknown as Sequence[];
const apiVersion = "elemento.landfall.dev/v1alpha1";

/** What the operator writes into the condition for this step. */
function written({ thrown, said, rests }: Step, kind: string): unknown {
  const object: Resource = { apiVersion, kind, metadata: { name: "web", generation: 1 } };
  if (rests !== undefined) return ready(object, rests.reason, rests.message);
  const say = thrown === undefined ? said : explainFailure(new LandfallError(thrown.code, thrown.params)).say;
  if (say === undefined) throw new TypeError("the step says nothing");
  return notReady(object, say);
}

describe("recorded sequences of Elemento's operator", () => {
  it.each(sequences)("are written by its own code: $name", ({ kind, steps }) => {
    for (const step of steps) {
      const [{ lastTransitionTime: _, ...condition } = {}] = step.conditions;
      expect(written(step, kind)).toEqual(condition);
    }
  });

  it.each(sequences.filter(({ deleting }) => deleting !== true))("are read as: $name", ({ kind, steps }) => {
    replay({ apiVersion, kind, steps });
  });

  it.each(sequences.filter(({ deleting }) => deleting === true))("are read as: $name", ({ kind, steps }) => {
    replayDeletion({ apiVersion, kind, steps });
  });
});
