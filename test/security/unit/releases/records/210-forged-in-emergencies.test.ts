import { describe, expect, it } from "vitest";
import { assertDecided } from "../../../../../src/composition/decision/assert-decided.ts";
import type { Composition, CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { runningSizes, sizeLabels } from "../../../../../src/composition/record/running-sizes.ts";
import { startRun } from "../../../../../src/composition/run/follow/follow-run.ts";
import { apiPath } from "../../../../../src/cluster/api-path.ts";
import { trusted } from "../../../../../src/model/decision-annotation/trusted.ts";
import { ANNOTATION } from "../../../../../src/model/names.ts";
import type { RunRecord } from "../../../../../src/model/runs/run-record.ts";
import { formatTime } from "../../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { NOW, vm } from "../../../../support/admission.ts";
import { keys, openStore } from "../../../../support/admission-store.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();
const LASTS = { namespaces: ["demo"], from: formatTime(NOW - 60), until: formatTime(NOW + 600), by: "ada", reason: "" };
const CHOSEN = {
  ...{ provider: "aws", schedulingLocation: "eu-south-1", zone: "eu-south-1a", instanceType: "m7i.large" },
  image: "ami-0123456789abcdef0",
};
const FILLING = {
  placement: {
    ...{ provider: "aws", region: "eu-south-1", pricePerHour: 1e9, gramsCO2: 1e9, start: formatTime(NOW + 9e8) },
    size: { vcpus: 5e8, memoryGiB: 5e8, pricePerHour: 1e9 },
  },
};

const started: Partial<RunRecord>[] = [];
const context = {
  ...{
    keys: () => keys,
    graceSeconds: 60,
    boots: { known: () => ({}) },
    nowSeconds: () => NOW,
    serverSeconds: () => NOW,
  },
  emergencies: () => Promise.resolve([LASTS]),
  records: { read: () => Promise.resolve(null), find: () => Promise.resolve(null) },
  runs: {
    list: () => [],
    start: (record: Partial<RunRecord>) => Promise.reject(new Error(String(started.push(record)))),
  },
  record: () => undefined,
} as unknown as CompositionContext;

function compositionOf(
  { kind, metadata, spec = {} }: WorkloadObject,
  annotations: Record<string, string>,
): Composition {
  const created = { ...metadata, uid: "u", creationTimestamp: formatTime(NOW - 1), annotations };
  return { key: "a", path: apiPath`/a`, object: { apiVersion: "v1", kind, metadata: created, spec } };
}

const asked = vm({ cpu: 1, memory: 1, duration: "1h", ...CHOSEN });

describe("210: a decision that was written in an emergency", () => {
  it.each<[string, Record<string, string>]>([
    ["without a signature", {}],
    ["with one that is wrong", { [ANNOTATION.seal]: `v3.create.${keys[0].id}.1.${"0".repeat(32)}.${"A".repeat(43)}` }],
  ])("gives neither size, price, start nor CO2e: %s", async (_name, seal) => {
    const forged = { [ANNOTATION.decision]: JSON.stringify(FILLING), ...seal, kept: "yes" };
    const found = await assertDecided(context, compositionOf(asked, forged));
    if (found === null) throw new Error("not installed");
    expect(found.object.metadata.annotations).toEqual({ kept: "yes" });
    const revision = { secret: "v1", revision: 1, status: "deployed" as const, createdAt: NOW, copy: "", release: {} };
    const counted = runningSizes([{ ...revision, labels: sizeLabels(found.object) }]);
    expect(counted).toMatchObject([{ place: "aws/eu-south-1", vcpus: 2, memoryGiB: 8, pricePerHour: null }]);
    await expect(startRun(context, found)).rejects.toThrow("1");
    expect(started.pop()).toMatchObject({ pricePerHour: null, gramsCO2: null, seenAt: NOW });
  });

  it("gives nothing to what stops a machine either", () => {
    const { object } = compositionOf(asked, { [ANNOTATION.decision]: JSON.stringify(FILLING) });
    expect(trusted(() => keys, object).metadata.annotations).toEqual({});
  });

  it("is read where admission signed it", () => {
    const decided = openStore(policy).create(asked).object;
    const { object } = compositionOf(decided, decided.metadata.annotations ?? {});
    expect(trusted(() => keys, object)).toBe(object);
    expect(sizeLabels(trusted(() => keys, object))["landfall.dev/size"]).toMatch(/^2000000-/);
  });
});
