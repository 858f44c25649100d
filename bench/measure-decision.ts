import { performance } from "node:perf_hooks";
import { decideAlone } from "../src/admission/decide/decide.ts";
import { policyInput } from "../src/admission/decide/policy-input.ts";
import { readRequest } from "../src/admission/check/read-request.ts";
import type { DecisionRequest } from "../src/admission/types.ts";
import type { WorkloadObject } from "../src/model/workload.ts";
import type { LoadedBundle } from "../src/policy/loaded-bundle.ts";
import type { DecisionResult } from "./types.ts";

/** Warm-up requests for V8's compilers. */
const WARM_UP = 500;

/** Median and 99th percentile of the calls, in ms. */
function timed(calls: number, call: (index: number) => unknown): { p50Ms: number; p99Ms: number } {
  for (let index = 0; index < WARM_UP; index++) call(index);
  const times = Array.from({ length: calls }, (_, index) => {
    const began = performance.now();
    call(index);
    return performance.now() - began;
  }).sort((a, b) => a - b);
  const at = (share: number): number => Math.round((times[Math.floor(share * calls)] ?? NaN) * 1000) / 1000;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}

export interface Decisions {
  policy: LoadedBundle;
  objects: readonly WorkloadObject[];
  /** Seconds since 1970. */
  nowSeconds: number;
  calls: number;
}

/**
 * Sequential decisions in this process, over four providers and all regions: the policies alone (WASM with input and
 * output), and the whole decision. The same objects as in the webhook's benchmark.
 */
export function measureDecision({ policy, objects, nowSeconds, calls }: Decisions): DecisionResult[] {
  const namespace = { name: "default", labels: {}, annotations: {} };
  const requests = objects.map((object): DecisionRequest => ({
    ...{ kind: "VmTemplate", object, namespace, nowSeconds, relatedWorkloads: null, operation: "CREATE", policy },
  }));
  const inputs = requests.map((request) =>
    policyInput({ ...request, request: readRequest("VmTemplate", request.object) }),
  );
  const inTurn =
    <T>(list: readonly T[], ask: (item: T) => unknown) =>
    (index: number): void => {
      const item = list[index % list.length];
      if (item !== undefined) ask(item);
    };
  const regions = Object.keys(policy.catalog.places).length;
  return [
    {
      stage: "policy",
      regions,
      ...timed(
        calls,
        inTurn(inputs, (input) => policy.evaluate(input)),
      ),
    },
    { stage: "decision", regions, ...timed(calls, inTurn(requests, decideAlone)) },
  ];
}
