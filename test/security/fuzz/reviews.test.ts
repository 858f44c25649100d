import { readFile } from "node:fs/promises";
import jsonPatch, { type Operation } from "fast-json-patch";
import { describe, expect, it } from "vitest";
import { admit } from "../../../src/admission/admit.ts";
import { createClusterData } from "../../../src/external-data/cluster-data.ts";
import { isObject } from "../../../src/model/json.ts";
import { ringOf } from "../../../src/model/decision-annotation/key-ring.ts";
import { ANNOTATION } from "../../../src/model/names.ts";
import type { WorkloadObject } from "../../../src/model/workload.ts";
import { refuseLarge } from "../../../webhook/review/refuse-large.ts";
import { makeAnswers } from "../../../webhook/decisions/process/make-answers.ts";
import { scanReview } from "../../../webhook/review/scan-review.ts";
import { context, create, NOW, patched, reviewOf, vm } from "../../support/admission.ts";
import { fuzz } from "../../support/fuzz.ts";
import { loadPolicy } from "../../support/load-policy.ts";
import { damaged, mutated } from "../../support/mutate.ts";

const policy = await loadPolicy();
const clusterData = createClusterData();
/** The hard rules of the namespace: areas and providers. */
const annotations = { "landfall.dev/residency": "EU", "landfall.dev/providers": "azure,gcp" };
clusterData.apply({ type: "namespace", name: "demo", data: { name: "demo", labels: {}, annotations } });
clusterData.apply({ type: "seen", at: NOW });
const answer = makeAnswers({
  ...{ policy, clusterData, nowSeconds: () => NOW, forecasts: () => null },
  keys: () => ringOf(Buffer.alloc(32, 7)),
});

const read = async <T>(file: string): Promise<T> => JSON.parse(await readFile(`catalog/${file}.json`, "utf8")) as T;
const { places } = await read<{ places: Record<string, { country: string }> }>("places");
const { areas } = await read<{ areas: Record<string, string[]> }>("residency");

const kaas = {
  ...vm({ nodePools: [{ name: "a", cpu: 2, memory: 4, min: 1, max: 3 }], network: { nodeCidr: "10.1.0.0/16" } }),
  kind: "KaasCluster",
};
const full = vm(
  {
    ...{
      cpu: 4,
      memory: 16,
      duration: "3h",
      deadline: "2026-11-23T00:00:00Z",
      maxLatency: 80,
      origin: "azure/italynorth",
    },
    ...{ dataResidency: ["EU"], arch: "amd64", os: "debian-12", disks: [{ sizeGiB: 10 }], ports: [{ port: 443 }] },
    ...{ network: { cidr: "10.0.0.0/24" }, tags: { a: "b" }, optimizeFor: "cost", deletionPolicy: "retain" },
  },
  { labels: { team: "a" }, annotations: { "example.com/x": "y" } },
);
const stored = patched(
  vm({ cpu: 2, memory: 4 }),
  admit(create(vm({ cpu: 2, memory: 4 })), {
    ...context(policy),
    namespace: { name: "demo", labels: {}, annotations },
  }),
);
const reviews = [
  reviewOf(vm({ cpu: 2, memory: 4 })),
  reviewOf(full),
  reviewOf(kaas),
  reviewOf(stored),
  reviewOf({ ...stored, spec: { ...stored.spec, cpu: 4 } }, { operation: "UPDATE", oldObject: stored }),
  reviewOf(vm({ cpu: 2, memory: 4, provider: "aws" })),
  reviewOf(vm({ cpu: 2, memory: 4, schedulingLocation: "us-central1", provider: "gcp" })),
];

interface Response {
  uid: string;
  allowed: boolean;
  patch?: string;
  status?: { code: number; message: string };
}

/** The webhook's answer to a body; null where there was no review to answer. */
function responseTo(path: "/mutate" | "/validate", body: string): Response | null {
  const scan = scanReview(body);
  if (refuseLarge(scan) !== null) return null;
  const { status, body: text } = answer(path, body);
  const parsed = JSON.parse(text) as { kind?: string; response?: Response; message?: string };
  expect([200, 400]).toContain(status);
  if (status === 400) {
    expect(parsed.message).toContain("[ADM_NOT_A_REVIEW]");
    return null;
  }
  expect(parsed).toMatchObject({ kind: "AdmissionReview", response: { allowed: expect.any(Boolean) as boolean } });
  return parsed.response ?? null;
}

/** What the API server would store. */
function after(body: string, { patch }: Response): Record<string, unknown> {
  const object = (JSON.parse(body) as { request: { object: object } }).request.object;
  if (patch === undefined) return object as Record<string, unknown>;
  const operations = JSON.parse(Buffer.from(patch, "base64").toString()) as Operation[];
  return jsonPatch.applyPatch(structuredClone(object), operations).newDocument as Record<string, unknown>;
}

/** Whether an object breaks the namespace's hard rules. */
function breaksRules({ spec }: Record<string, unknown>): boolean {
  const { provider, schedulingLocation } = isObject(spec) ? spec : {};
  const place = places[`${String(provider)}/${String(schedulingLocation)}`];
  return !(provider === "azure" || provider === "gcp") || place === undefined || !areas["EU"]?.includes(place.country);
}

function requestOf(body: string): Record<string, unknown> {
  if (body === "") return {};
  const review: unknown = JSON.parse(body);
  return isObject(review) && isObject(review["request"]) ? review["request"] : {};
}

describe("fuzzing AdmissionReviews", () => {
  it("with changed values never ends in a crash, nor in an allowed object that breaks a hard rule", async () => {
    let allowed = 0;
    await fuzz("AdmissionReviews", mutated(reviews.map((body) => JSON.parse(body) as unknown)), (review) => {
      const body = JSON.stringify(review);
      const response = responseTo("/mutate", body);
      if (response === null) return;
      const { operation, namespace, uid } = requestOf(body);
      expect(response.uid).toBe(uid);
      if (!response.allowed) expect(response.status?.message).toMatch(/\[[A-Z_]+/);
      if (!response.allowed || namespace !== "demo" || operation !== "CREATE") return;
      allowed += 1;
      expect(breaksRules(after(body, response)), body).toBe(false);
    });
    expect(allowed).toBeGreaterThan(10);
  });

  it("with damaged text is answered, or refused as no review", async () => {
    for (const review of [reviews[1] ?? "", reviews[4] ?? ""])
      await fuzz("AdmissionReviews (text)", damaged(Buffer.from(review)), (bytes) => {
        const body = bytes.toString("utf8");
        const response = responseTo("/mutate", body);
        if (response?.allowed !== true) return;
        const { operation, namespace } = requestOf(body);
        if (namespace === "demo" && operation === "CREATE")
          expect(breaksRules(after(body, response)), body).toBe(false);
      });
  });

  it("leaves the guard with objects whose decision is the signed one", async () => {
    const signed = stored.metadata.annotations ?? {};
    await fuzz("guarded objects", mutated([JSON.parse(reviewOf(stored)) as unknown]), (review) => {
      const body = JSON.stringify(review);
      const response = responseTo("/validate", body);
      const { object, operation } = requestOf(body);
      if (response?.allowed !== true || operation !== "CREATE") return;
      const { metadata, spec } = object as WorkloadObject;
      expect(metadata.annotations?.[ANNOTATION.decision], body).toBe(signed[ANNOTATION.decision]);
      for (const field of ["provider", "schedulingLocation", "instanceType"])
        expect(spec?.[field], body).toEqual(stored.spec?.[field]);
    });
  });
});
