import jsonPatch, { type Operation } from "fast-json-patch";
import { describe, expect, it } from "vitest";
import { checkObject } from "../../../../../src/admission/check/check-object.ts";
import { type ClusterEvent, createClusterData } from "../../../../../src/external-data/cluster-data.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { type AnsweredReply, makeAnswers } from "../../../../../webhook/decisions/process/make-answers.ts";
import { NOW, reviewOf, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";
import { ringOf } from "../../../../../src/model/decision-annotation/key-ring.ts";

const policy = await loadPolicy();

const WORKLOAD = {
  ...{ kind: "VmTemplate" as const, name: "x", vmName: null, vcpus: 1, memoryGiB: 1 },
  ...{ pricePerHour: null, place: null, start: null, end: null },
};

interface Response {
  allowed: boolean;
  patch?: string;
  status?: { code: number; message: string };
}

function webhook(quota = 1) {
  const clusterData = createClusterData();
  const clock = { nowSeconds: NOW };
  const annotations = { "landfall.dev/quota-objects": String(quota) };
  clusterData.apply({ type: "seen", at: NOW });
  clusterData.apply({ type: "namespace", name: "demo", data: { name: "demo", labels: {}, annotations } });
  const answer = makeAnswers({
    ...{ policy, clusterData, nowSeconds: () => clock.nowSeconds, forecasts: () => null },
    keys: () => ringOf(Buffer.alloc(32, 7)),
  });
  const review = (path: "/mutate" | "/validate", object: WorkloadObject, fields: object = {}) => {
    const reply: AnsweredReply = answer(path, reviewOf(object, { userInfo: { username: "ann" }, ...fields }));
    return { reply, response: (JSON.parse(reply.body) as { response: Response }).response };
  };
  const apply = (metadata: WorkloadObject["metadata"], fields: object = {}) => {
    const object = vm({ cpu: 2, memory: 4 }, metadata);
    if (metadata.name === undefined) delete object.metadata.name;
    return review("/mutate", object, fields);
  };
  return { apply, review, clock, clusterData };
}

describe("22: an object that the API server refuses", () => {
  it.each<[string, WorkloadObject["metadata"]]>([
    ["a name in capitals", { name: "Web" }],
    ["a name with a slash", { name: "a/b" }],
    ["an empty part of a name", { name: "a..b" }],
    ["a generated name that begins with a dash", { generateName: "-a" }],
    ["a namespace with a dot", { name: "a", namespace: "a.b" }],
    ["a label's key", { name: "a", labels: { "a b": "c" } }],
    ["a label's prefix", { name: "a", labels: { "A/b": "c" } }],
    ["a label's value", { name: "a", labels: { a: "b c" } }],
    ["an annotation's key", { name: "a", annotations: { "a//b": "c" } }],
    ["annotations of 300 kB", { name: "a", annotations: { a: "x".repeat(300_000) } }],
  ])("reserves nothing for %s, and is logged without its text", (_name, metadata) => {
    const { apply } = webhook();
    const { response, reply } = apply(metadata);
    expect(response.status?.message).toContain("ADM_METADATA");
    expect(reply).toMatchObject({ reserved: null, decided: { object: { metadata: {} }, decision: null } });
    expect(apply({ name: "b" }).response.allowed).toBe(true);
  });

  it.each<[string, WorkloadObject["metadata"]]>([
    ["a name with dots", { name: "a-1.b" }],
    ["a generated name that ends with a dash", { generateName: "a-" }],
    ["labels", { name: "a", labels: { "app.kubernetes.io/name": "A_b.c", empty: "" } }],
    ["annotations", { name: "a", annotations: { "landfall.dev/Reason": " any\ntext ", "x-Y_z": "" } }],
  ])("is not confused with %s", (_name, metadata) => {
    expect(checkObject("VmTemplate", vm({ cpu: 2, memory: 4 }, metadata))).toEqual([]);
  });

  it("blocks others for five seconds at most if only the API server knows", () => {
    const { apply, clock } = webhook();
    expect(apply({ name: "a" }).response.allowed).toBe(true);
    expect(apply({ name: "b" }).response.allowed).toBe(false);
    clock.nowSeconds += 6;
    expect(apply({ name: "b" }).response.allowed).toBe(true);
  });
});

describe("22: a reservation", () => {
  it("counts longer once the guard has seen the object", () => {
    const { apply, review, clock, clusterData } = webhook();
    const object = vm({ cpu: 2, memory: 4 }, { name: "a" });
    const { response } = review("/mutate", object);
    const patch = JSON.parse(Buffer.from(response.patch ?? "", "base64").toString()) as Operation[];
    const decided = jsonPatch.applyPatch(jsonPatch.deepClone(object), patch).newDocument as WorkloadObject;
    clock.nowSeconds += 2;
    expect(review("/validate", decided).reply.reserved).toMatchObject({ key: "VmTemplate/demo/a", until: NOW + 12 });
    clock.nowSeconds += 6;
    expect(apply({ name: "b" }).response.allowed).toBe(false);
    clock.nowSeconds += 5;
    clusterData.apply({ type: "seen", at: clock.nowSeconds });
    expect(apply({ name: "b" }).response.allowed).toBe(true);
  });

  it("is not made by a dry run, on either path", () => {
    const { apply, review } = webhook();
    expect(apply({ name: "a" }, { dryRun: true }).reply.reserved).toBeNull();
    const object = vm({ cpu: 2, memory: 4 }, { name: "a" });
    const { response } = review("/mutate", object, { dryRun: true });
    const patch = JSON.parse(Buffer.from(response.patch ?? "", "base64").toString()) as Operation[];
    const decided = jsonPatch.applyPatch(jsonPatch.deepClone(object), patch).newDocument as WorkloadObject;
    expect(review("/validate", decided, { dryRun: true }).reply.reserved).toBeNull();
    expect(apply({ name: "b" }).response.allowed).toBe(true);
  });

  it("is limited for each namespace and each user, until the guard has seen the objects", () => {
    const { apply, clusterData } = webhook(100_000);
    const workload = { ...WORKLOAD, namespace: "demo" };
    for (let index = 0; index < 600; index += 1)
      clusterData.apply({ type: "reservation", key: `a${String(index)}`, workload, until: NOW + 5, by: "eve" });
    expect(apply({ name: "a" }).response.status).toMatchObject({
      code: 429,
      message: expect.stringContaining("of namespace demo") as string,
    });
    for (let index = 0; index < 600; index += 1)
      clusterData.apply({ type: "reservation", key: `a${String(index)}`, workload, until: NOW + 10 });
    expect(apply({ name: "a" }).response.allowed).toBe(true);
    for (let index = 0; index < 1200; index += 1) {
      const other = { ...WORKLOAD, namespace: `n${String(index % 10)}` };
      clusterData.apply({ type: "reservation", key: `b${String(index)}`, workload: other, until: NOW + 5, by: "ann" });
    }
    expect(apply({ name: "b" }).response.status?.message).toContain("of this user");
  });
});

describe("22: a request that the API server refuses for an object that exists", () => {
  const [HERE, THERE] = ["azure/italynorth", "aws/eu-south-1"];
  const big = { ...WORKLOAD, namespace: "demo", name: "big", vcpus: 4, memoryGiB: 8, pricePerHour: 1, place: HERE };
  const small = { ...big, vcpus: 1, memoryGiB: 1, pricePerHour: 0.1 };
  const key = "VmTemplate/demo/big";
  const around = { key: "", namespace: "demo", vmName: null };

  function having(...workloads: ClusterEvent[]) {
    const data = createClusterData();
    for (const event of [{ type: "seen" as const, at: NOW }, ...workloads]) data.apply(event);
    const places = (now = NOW) => data.workloads(now, "").map(({ place }) => place);
    return { data, places, usage: (now = NOW) => data.around(around, now)?.usage };
  }
  const known: ClusterEvent = { type: "workload", key, workload: big };
  const full = { objects: 1, vcpus: 4, memoryGiB: 8, pricePerMonth: 730 };

  it("does not admit a second machine by a smaller CREATE of the first one's name", () => {
    const { review, clock, clusterData } = webhook(100);
    clusterData.apply({
      type: "namespace",
      name: "demo",
      data: { name: "demo", labels: {}, annotations: { "landfall.dev/quota-vcpus": "4" } },
    });
    clusterData.apply(known);
    const { response, reply } = review("/mutate", vm({ cpu: 1, memory: 1 }, { name: "big" }));
    expect(response.status).toMatchObject({ code: 429, message: expect.stringContaining("ADM_NAME_EXISTS") as string });
    expect(reply.reserved).toBeNull();
    const second = (): string | undefined =>
      review("/mutate", vm({ cpu: 2, memory: 4 }, { name: "second" })).response.status?.message;
    expect(second()).toContain("POL_QUOTA");
    for (let seconds = 0; seconds < 12; seconds += 3) {
      expect(second()).toContain("POL_QUOTA");
      clock.nowSeconds += 3;
    }
  });

  it("counts a CREATE that was admitted before the object was known: that one can be deleted before it is stored", () => {
    const { usage, places } = having(known, {
      ...{ type: "reservation", key, until: NOW + 5, by: "eve", creates: true },
      workload: { ...big, vcpus: 100, place: THERE },
    });
    expect([usage(), places()]).toEqual([{ ...full, vcpus: 100 }, [HERE, THERE]]);
  });

  it("counts a CREATE as soon as the object that it replaces is gone", () => {
    const workload = { ...small, place: THERE, decisionId: "b" };
    const { data, usage, places } = having(known, {
      ...{ type: "reservation", key, until: NOW + 10, creates: true },
      workload,
    });
    data.apply({ type: "workload", key, workload: { ...big, decisionId: "a" } });
    data.apply({ type: "workload", key, workload: null });
    expect([usage()?.vcpus, places()]).toEqual([1, [THERE]]);
    data.apply({ type: "workload", key, workload });
    data.apply({ type: "workload", key, workload: null });
    expect(usage()?.objects).toBe(0);
  });

  it("counts the larger size of both and both places for an UPDATE, until the object is seen like that", () => {
    const reservation = { type: "reservation", key, until: NOW + 5, by: "eve" } as const;
    const { data, usage, places } = having(known, { ...reservation, workload: { ...small, place: THERE } });
    expect([usage(), places()]).toEqual([full, [HERE, THERE]]);
    expect([usage(NOW + 5), places(NOW + 5)]).toEqual([full, [HERE]]);
    data.apply({ ...reservation, workload: { ...small, memoryGiB: 16 } });
    expect([usage(), places()]).toEqual([{ ...full, memoryGiB: 16 }, [HERE]]);
    data.apply({ type: "workload", key, workload: small });
    expect(usage()).toEqual({ objects: 1, vcpus: 1, memoryGiB: 16, pricePerMonth: 73 });
    data.apply({ type: "workload", key, workload: { ...small, memoryGiB: 16 } });
    data.apply({ type: "workload", key, workload: small });
    expect(usage()).toEqual({ objects: 1, vcpus: 1, memoryGiB: 1, pricePerMonth: 73 });
  });

  it("does not lower an earlier reservation of the same name", () => {
    const reservation = { type: "reservation", key, by: "eve", creates: true } as const;
    const { data, usage, places } = having(
      { ...reservation, until: NOW + 5, workload: big },
      { ...reservation, until: NOW + 6, workload: { ...small, place: THERE } },
    );
    expect([usage(), places()]).toEqual([full, [HERE, THERE]]);
    expect(having(...data.snapshot()).usage()).toEqual(full);
    expect([usage(NOW + 5)?.vcpus, places(NOW + 5)]).toEqual([1, [THERE]]);
    data.apply({ type: "workload", key, workload: big });
    expect([usage(), places()]).toEqual([full, [HERE, THERE]]);
    expect([usage(NOW + 6), places(NOW + 6)]).toEqual([full, [HERE]]);
  });
});
