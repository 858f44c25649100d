import jsonPatch, { type Operation } from "fast-json-patch";
import { describe, expect, it } from "vitest";
import { createClusterData } from "../../../../../src/external-data/cluster-data.ts";
import { ringOf } from "../../../../../src/model/decision-annotation/key-ring.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { makeAnswers } from "../../../../../webhook/decisions/process/make-answers.ts";
import { NOW, reviewOf, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();

interface Response {
  allowed: boolean;
  patch?: string;
  warnings?: string[];
  status?: { code: number; reason: string; message: string; details?: { retryAfterSeconds?: number } };
}

/** A webhook with a namespace of two objects at most, and one without a limit. */
function webhook() {
  const clusterData = createClusterData();
  const clock = { nowSeconds: NOW };
  const namespace = (name: string, annotations: Record<string, string>): void => {
    clusterData.apply({ type: "namespace", name, data: { name, labels: {}, annotations } });
  };
  const seen = (): void => {
    clusterData.apply({ type: "seen", at: clock.nowSeconds });
  };
  seen();
  namespace("demo", { "landfall.dev/quota-objects": "2" });
  namespace("free", {});
  const answer = makeAnswers({
    ...{ policy, clusterData, nowSeconds: () => clock.nowSeconds, forecasts: () => null },
    keys: () => ringOf(Buffer.alloc(32, 7)),
  });
  const review = (path: "/mutate" | "/validate", object: WorkloadObject): Response =>
    (JSON.parse(answer(path, reviewOf(object, { userInfo: { username: "ann" } })).body) as { response: Response })
      .response;
  const ask = (name: string, namespace = "demo"): Response =>
    review("/mutate", vm({ cpu: 2, memory: 4 }, { name, namespace }));
  /** Both webhooks accept the object, and the API server stores it. */
  function store(name: string, namespace = "demo"): boolean {
    const object = vm({ cpu: 2, memory: 4 }, { name, namespace });
    const { allowed, patch = "" } = review("/mutate", object);
    if (!allowed) return false;
    const operations = JSON.parse(Buffer.from(patch, "base64").toString()) as Operation[];
    const stored = jsonPatch.applyPatch(jsonPatch.deepClone(object), operations).newDocument as WorkloadObject;
    return review("/validate", stored).allowed;
  }
  return { ask, store, seen, clock, clusterData };
}

describe("86: while the webhook cannot watch", () => {
  it("counts the objects that it admitted, however long it does not see them", () => {
    const { ask, store, clock } = webhook();
    expect([store("a"), store("b")]).toEqual([true, true]);
    clock.nowSeconds += 59;
    expect(ask("c").status?.message).toContain("namespace demo is full: 2 of 2 objects");
  });

  it("counts them until it has seen everything again, and not if they do not exist then", () => {
    const { ask, store, clock, seen } = webhook();
    expect([store("a"), store("b")]).toEqual([true, true]);
    clock.nowSeconds += 11;
    expect(ask("c").allowed).toBe(false);
    seen();
    expect(ask("c").allowed).toBe(true);
  });

  it("counts them for ten seconds if it sees everything all the time", () => {
    const { ask, store, clock, seen } = webhook();
    expect([store("a"), store("b")]).toEqual([true, true]);
    clock.nowSeconds += 9;
    seen();
    expect(ask("c").allowed).toBe(false);
  });

  it("refuses creations in a namespace with a quota after a minute, to be repeated", () => {
    const { ask, clock, seen } = webhook();
    clock.nowSeconds += 61;
    const { status } = ask("a");
    expect(status).toMatchObject({ code: 429, reason: "TooManyRequests", details: { retryAfterSeconds: 5 } });
    expect(status?.message).toContain("the objects of namespace demo were last seen 61 s ago");
    expect(status?.message).toContain("POL_QUOTA_STALE");
    expect(ask("a", "free").allowed).toBe(true);
    seen();
    expect(ask("a").allowed).toBe(true);
  });

  it("keeps a limited number of objects that it has not seen, and refuses more", () => {
    const { ask, clock, seen, clusterData } = webhook();
    const workload = {
      ...{ kind: "VmTemplate" as const, namespace: "other", name: "x", vmName: null, vcpus: 1, memoryGiB: 1 },
      ...{ pricePerHour: null, place: null, start: null, end: null },
    };
    for (let index = 0; index < 10_000; index += 1)
      clusterData.apply({ type: "reservation", key: `a${String(index)}`, workload, until: NOW + 10 });
    expect(ask("a", "free").allowed).toBe(true);
    clock.nowSeconds += 11;
    expect(ask("b", "free").status).toMatchObject({
      code: 429,
      message: expect.stringContaining("ADM_UNSEEN") as string,
    });
    seen();
    expect(ask("b", "free").allowed).toBe(true);
  });
});
