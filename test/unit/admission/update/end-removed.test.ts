// A run that has begun becomes a service: its end is removed.
import { expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { HOUR_SECONDS } from "../../../../src/model/time.ts";
import { context, create, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const POOLS = [{ name: "web", cpu: 2, memory: 4, count: 1 }];

it.each([
  ["VmTemplate", { cpu: 2, memory: 4 }],
  ["KaasCluster", { nodePools: POOLS }],
] as const)("the end of a %s that runs is removed", (kind, what) => {
  const object = { ...vm({ ...what, provider: "gcp", duration: "3h", maxLifetime: "8h", whenDone: "delete" }), kind };
  const decided = patched(object, admit({ ...create(object), kind }, context(policy)));
  const status = { managed: [{}], conditions: [{ type: "Running", status: "True" }] };
  const old = { ...decided, metadata: { ...decided.metadata, uid: "u", generation: 1 }, status };
  const { duration: _duration, maxLifetime: _limit, whenDone: _end, ...spec } = old.spec ?? {};
  const next = { ...old, spec };
  const outcome = admit({ ...update(old, next), kind }, context(policy, NOW + HOUR_SECONDS));
  expect(outcome.allowed ? "" : outcome.message).toBe("");
  const after = patched(next, outcome);
  expect(Object.keys(after.spec ?? {})).not.toContain("whenDone");
  expect(JSON.parse(after.metadata.annotations?.["landfall.dev/decision"] ?? "{}")).toMatchObject({
    placement: { end: null },
  });
});
