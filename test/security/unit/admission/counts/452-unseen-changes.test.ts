// 452: each change of an object took memory, and made every decision slower, as long as the webhook could not watch.
import jsonPatch, { type Operation } from "fast-json-patch";
import { describe, expect, it } from "vitest";
import { createClusterData } from "../../../../../src/external-data/cluster-data.ts";
import { createReservations } from "../../../../../src/external-data/usage/reservations.ts";
import type { ExistingWorkload } from "../../../../../src/model/cluster-data.ts";
import { ringOf } from "../../../../../src/model/decision-annotation/key-ring.ts";
import { formatTime } from "../../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { makeAnswers } from "../../../../../webhook/decisions/process/make-answers.ts";
import { NOW, reviewOf, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();

interface Response {
  allowed: boolean;
  patch?: string;
  status?: { code: number; message: string };
}

/** A webhook that saw the cluster at its start. */
function webhook() {
  const clusterData = createClusterData();
  const clock = { nowSeconds: NOW };
  const see = (): void => {
    clusterData.apply({ type: "seen", at: clock.nowSeconds });
  };
  see();
  clusterData.apply({ type: "namespace", name: "demo", data: { name: "demo", labels: {}, annotations: {} } });
  const answer = makeAnswers({
    ...{ policy, clusterData, nowSeconds: () => clock.nowSeconds, forecasts: () => null },
    keys: () => ringOf(Buffer.alloc(32, 7)),
  });
  const review = (
    path: "/mutate" | "/validate",
    object: WorkloadObject,
    oldObject: WorkloadObject | null,
  ): Response => {
    const change = oldObject === null ? {} : { operation: "UPDATE", oldObject };
    const body = reviewOf(object, { userInfo: { username: "ann" }, ...change });
    return (JSON.parse(answer(path, body).body) as { response: Response }).response;
  };
  /** Both webhooks accept the object, and the API server stores it; or the answer that refuses it. */
  function store(object: WorkloadObject, old: WorkloadObject | null): WorkloadObject | Response {
    const answered = review("/mutate", object, old);
    if (!answered.allowed) return answered;
    const operations = JSON.parse(Buffer.from(answered.patch ?? "W10=", "base64").toString()) as Operation[];
    const stored = jsonPatch.applyPatch(jsonPatch.deepClone(object), operations).newDocument as WorkloadObject;
    const guarded = review("/validate", stored, old);
    return guarded.allowed ? stored : guarded;
  }
  return { store, see, clock, clusterData };
}

describe("452: changes of one object that the webhook does not see", () => {
  it("are refused once 16 of them are kept, until it sees the cluster", () => {
    const { store, see, clock, clusterData } = webhook();
    const lasting = (hours: number): WorkloadObject =>
      vm(
        { cpu: 2, memory: 4, duration: `${String(hours)}h`, schedulingTime: formatTime(NOW + 7 * 86_400) },
        { name: "web", namespace: "demo" },
      );
    let object = store(lasting(100), null) as WorkloadObject;
    expect(object).toHaveProperty("metadata");
    const answers: unknown[] = [];
    for (let at = 1; at <= 40; at += 1) {
      clock.nowSeconds += 20;
      const { spec, metadata } = object;
      const answered = store({ ...object, metadata, spec: { ...spec, duration: `${String(100 - at)}h` } }, object);
      if ("metadata" in answered) object = answered;
      else answers.push(answered.status);
    }
    expect(clusterData.snapshot().filter(({ type }) => type === "reservation").length).toBeLessThanOrEqual(17);
    expect(answers.length).toBeGreaterThan(0);
    expect(answers[0]).toMatchObject({
      code: 429,
      message: expect.stringContaining("has not seen 16 objects") as string,
    });
    clock.nowSeconds += 20;
    see();
    const later = store({ ...object, spec: { ...object.spec, duration: "2h" } }, object);
    // The versions that were stored in between are never seen: they count as refused by the API server for ten minutes.
    expect(JSON.stringify(later)).toContain("[ADM_UNSTORED]");
  });
});

const MACHINE: ExistingWorkload = {
  ...{ kind: "VmTemplate", namespace: "", name: "", place: "gcp/europe-west1", vmName: null },
  ...{ vcpus: 2, memoryGiB: 4, pricePerHour: 1, start: null, end: null },
};

/** What holds up a change in a namespace after each of so many objects of others changed ten times, unseen. */
function changed(counts: Record<string, number>) {
  const reservations = createReservations();
  reservations.seen(NOW - 60);
  for (const [namespace, count] of Object.entries(counts))
    for (let at = 0; at < count; at += 1)
      for (let vcpus = 11; vcpus > 0; vcpus -= 1) {
        const workload = { ...MACHINE, namespace, name: `web-${String(at)}`, vcpus };
        reservations.reserve({ key: `VmTemplate/${namespace}/${workload.name}`, workload, until: NOW - 1 });
      }
  return (namespace: string): number | null => reservations.behind(namespace, NOW, `VmTemplate/${namespace}/new`);
}

describe("452: changes of many objects that the webhook does not see", () => {
  it("hold up their own namespace once 1,000 are kept, and all once 10,000 are", () => {
    const behind = changed({ hostile: 100, calm: 10 });
    expect([behind("hostile"), behind("calm")]).toEqual([1000, null]);
    expect(changed({ hostile: 99 })("hostile")).toBeNull();
    expect(changed(Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`t${String(at)}`, 95])))("new")).toBe(
      10_000,
    );
  });
});
