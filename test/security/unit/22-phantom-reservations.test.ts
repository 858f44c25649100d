import jsonPatch, { type Operation } from "fast-json-patch";
import { describe, expect, it } from "vitest";
import { checkObject } from "../../../src/admission/check/check-object.ts";
import { createClusterData } from "../../../src/external-data/cluster-data.ts";
import type { WorkloadObject } from "../../../src/model/workload.ts";
import { type AnsweredReply, makeAnswers } from "../../../webhook/review/make-answers.ts";
import { NOW, reviewOf, vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";
import { ringOf } from "../../../src/model/decision-annotation/key-ring.ts";

const policy = await loadPolicy();

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
    const { apply, review, clock } = webhook();
    const object = vm({ cpu: 2, memory: 4 }, { name: "a" });
    const { response } = review("/mutate", object);
    const patch = JSON.parse(Buffer.from(response.patch ?? "", "base64").toString()) as Operation[];
    const decided = jsonPatch.applyPatch(jsonPatch.deepClone(object), patch).newDocument as WorkloadObject;
    clock.nowSeconds += 2;
    expect(review("/validate", decided).reply.reserved).toMatchObject({ key: "VmTemplate/demo/a", until: NOW + 12 });
    clock.nowSeconds += 6;
    expect(apply({ name: "b" }).response.allowed).toBe(false);
    clock.nowSeconds += 5;
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

const WORKLOAD = {
  ...{ kind: "VmTemplate" as const, name: "x", vmName: null, vcpus: 1, memoryGiB: 1 },
  ...{ pricePerHour: null, place: null, start: null, end: null },
};
