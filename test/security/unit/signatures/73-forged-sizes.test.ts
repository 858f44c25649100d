import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { AdmissionContext } from "../../../../src/admission/types.ts";
import { createClusterData } from "../../../../src/external-data/cluster-data.ts";
import { readDecided } from "../../../../src/external-data/read-decided.ts";
import type { ExistingWorkload } from "../../../../src/model/cluster-data.ts";
import { readReleaseMark, releaseMetadata } from "../../../../src/model/decision-annotation/system-secrets.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { readRetained, retainedMetadata } from "../../../../src/model/runs/retained.ts";
import { formatTime } from "../../../../src/model/time.ts";
import { context, create, NO_OWNERS, NOW, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const given = context(await loadPolicy(), NOW, NO_OWNERS);
const USER_FINALIZER = { finalizers: ["t.example/x"], deletionTimestamp: formatTime(NOW) };
const PLACE = { provider: "azure", region: "italynorth" };

/** An object that is being deleted, which its user can change without any webhook. */
function forged(placement: Record<string, unknown>, spec: Record<string, unknown> = { cpu: 1, memory: 1 }) {
  const annotations = { [ANNOTATION.decision]: JSON.stringify({ placement: { ...PLACE, ...placement } }) };
  return vm(spec, { ...USER_FINALIZER, name: "forged", annotations });
}

/** A namespace with one honest machine of 2 vCPU. */
function clusterData() {
  const data = createClusterData();
  data.apply({ type: "seen", at: NOW });
  const { workload: honest } = readDecided(given.keys, "VmTemplate", vm({ cpu: 2, memory: 4 }, { name: "honest" }));
  data.apply({ type: "workload", key: "honest", workload: honest });
  const put = (workload: ExistingWorkload | null) => data.apply({ type: "workload", key: "forged", workload });
  const usage = () => data.around({ key: "", namespace: "demo", vmName: null }, NOW)?.usage;
  return { data, put, usage };
}

const HONEST = { objects: 1, vcpus: 2, memoryGiB: 4, pricePerMonth: 0 };
const INFINITE = Number.POSITIVE_INFINITY;

describe("73: a decision that nobody signed", () => {
  it("gives no size: what the spec asks for counts", () => {
    const { put, usage } = clusterData();
    put(readDecided(given.keys, "VmTemplate", forged({ size: { vcpus: 1e308, memoryGiB: 1e308 } })).workload);
    expect(usage()).toMatchObject({ objects: 2, vcpus: 3, memoryGiB: 5 });
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["a huge price", { pricePerHour: 1e308, size: { pricePerHour: 1e308 } }, { cpu: 1, memory: 1 }],
    ["a huge spec", {}, { cpu: 1e308, memory: 1e308 }],
    ["a negative spec", {}, { cpu: -1e308, memory: -5 }],
    ["a spec beyond all numbers", {}, { cpu: INFINITE, memory: -INFINITE }],
  ])("with %s leaves sums that are finite, never lower, and exact once it is gone", (_name, placement, spec) => {
    const { put, usage } = clusterData();
    const { workload: object } = readDecided(given.keys, "VmTemplate", forged(placement, spec));
    for (let turn = 0; turn < 3; turn++) put(object);
    for (const [key, amount] of Object.entries(usage() ?? {})) {
      expect(Number.isFinite(amount)).toBe(true);
      expect(amount).toBeGreaterThanOrEqual(HONEST[key as keyof typeof HONEST]);
    }
    put(null);
    expect(usage()).toEqual(HONEST);
  });
});

describe("73: a quota", () => {
  const namespace = { ...given.namespace, annotations: { "landfall.dev/quota-vcpus": "8" } };
  const asked = create(vm({ cpu: 4, memory: 4 }, { name: "next" }));
  const codes = (around: AdmissionContext["relatedWorkloads"]): readonly string[] => {
    const outcome = admit(asked, { ...given, namespace, relatedWorkloads: around });
    return outcome.allowed ? [] : outcome.codes;
  };

  it("denies while a huge object counts, and allows what fits once it is gone", () => {
    const { data, put } = clusterData();
    const around = () => data.around({ key: "", namespace: "demo", vmName: null }, NOW);
    put(readDecided(given.keys, "VmTemplate", forged({ size: { vcpus: 1e308 } }, { cpu: 1e308, memory: 1 })).workload);
    expect(codes(around())).toEqual(["POL_QUOTA"]);
    put(null);
    expect(codes(around())).toEqual([]);
  });

  it.each([INFINITE, Number.NaN, "many"])("denies if usage is %s", (vcpus) => {
    const usage = { ...HONEST, vcpus: vcpus as number };
    expect(codes({ usage, vmName: "next", sameVmName: [], asOf: NOW })).toEqual(["POL_QUOTA"]);
  });
});

describe("73: a record of Landfall's namespace", () => {
  const workload: ExistingWorkload = {
    ...{ kind: "VmTemplate", namespace: "demo", name: "web", vmName: null, vcpus: 4, memoryGiB: 16 },
    ...{ pricePerHour: 0.5, place: "gcp/europe-west1", start: NOW, end: null },
  };

  it("with an infinite amount is not read", () => {
    const about = { uid: "u", release: "web-1", why: "orphan", at: formatTime(NOW), acknowledged: null } as const;
    const { annotations, ...rest } = retainedMetadata({ ...about, workload });
    const beyond = (texts: Record<string, string>, number: string) =>
      Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, text.replace(number, "1e999")]));
    expect(readRetained({ metadata: { ...rest, annotations } })).not.toBeNull();
    expect(readRetained({ metadata: { ...rest, annotations: beyond(annotations, "16") } })).toBeNull();
    const running = [{ place: "gcp/europe-west1", vcpus: 4, memoryGiB: 16, pricePerHour: 0.5 }];
    const { labels, annotations: marks } = releaseMetadata({
      ...{ kind: "VmTemplate", namespace: "demo", name: "web", uid: "u", release: "web-1" },
      ...{ place: "gcp/europe-west1", running },
    });
    expect(readReleaseMark({ metadata: { labels, annotations: marks } })?.running).toEqual(running);
    expect(readReleaseMark({ metadata: { labels, annotations: beyond(marks, "16") } })?.running).toEqual([]);
  });
});
