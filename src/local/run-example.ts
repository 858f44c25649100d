import { readDecision } from "../model/decision-annotation/compact-decision.ts";
import { applyExample } from "./apply-example.ts";
import type { Api } from "./connect-api.ts";
import type { Example, ExampleResult } from "./example-types.ts";
import { followObject } from "./follow-object.ts";
import { type Composition, denialOutcome, readyCondition } from "./outcome-of.ts";
import { readResources } from "./read-resources.ts";

/** What a person hears of an example while it goes on. */
export interface Narrator {
  admitted(example: Example, object: Composition): void;
  progress(example: Example, message: string): void;
  settled(example: Example, result: ExampleResult): void;
}

export interface ExampleRun {
  api: Api;
  narrator: Narrator;
  /** Milliseconds since 1970 after which an object counts as not settled. */
  until: number;
}

/** Applies one example and follows it to its end. */
export async function runExample(run: ExampleRun, example: Example): Promise<ExampleResult> {
  const { api, narrator, until } = run;
  const begun = Date.now();
  const { metadata, kind } = example.object;
  const seconds = (): number => (Date.now() - begun) / 1000;
  const identity = {
    file: example.file,
    kind,
    name: metadata.name ?? "",
    namespace: metadata.namespace ?? "default",
    expected: example.expected.join(", "),
  };
  const finish = (result: ExampleResult): ExampleResult => {
    narrator.settled(example, result);
    return result;
  };
  const applied = await applyExample(api, example);
  if ("status" in applied) {
    const outcome = denialOutcome(applied.status, applied.message);
    const nothing = { decision: null, resources: [] };
    return finish({ ...identity, outcome, ...nothing, message: applied.message, seconds: seconds() });
  }
  narrator.admitted(example, applied.object);
  const { outcome, object } = await followObject({
    ...{ api, until, expected: example.expected },
    ...applied,
    onProgress: (message) => {
      narrator.progress(example, message);
    },
  });
  const took = seconds();
  const decision = readDecision(object);
  const message = outcome.startsWith("Failed") ? (readyCondition(object)?.message ?? null) : null;
  return finish({
    ...identity,
    outcome,
    decision,
    resources: await readResources(api, object),
    message,
    seconds: took,
  });
}
