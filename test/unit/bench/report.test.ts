import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { formatReport } from "../../../bench/format-report.ts";
import { median } from "../../../bench/median.ts";
import { batchObjects, machineObjects, reviewOf } from "../../../bench/sample-objects.ts";

describe("median", () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[7], 7],
  ])("%j is %d", (values, expected) => {
    expect(median(values)).toBe(expected);
  });
});

describe("the objects of the benchmark", () => {
  it("differ by name and have a deadline a day ahead", () => {
    const objects = batchObjects(3, 1_800_000_000, "composition.krateo.io/v0-1-0");
    expect(objects.map(({ metadata }) => metadata.name)).toEqual(["batch-0", "batch-1", "batch-2"]);
    expect(objects[0]?.spec).toMatchObject({ deadline: "2027-01-16T08:00:00Z", duration: "3h", dataResidency: ["EU"] });
  });

  it("are a quarter on each provider for the composition", () => {
    const providers = machineObjects(8, "bench", "composition.krateo.io/v0-1-0").map(({ spec }) => spec?.["provider"]);
    expect(providers).toEqual(["azure", "aws", "gcp", "elemento", "azure", "aws", "gcp", "elemento"]);
  });

  it("come in a review as the API server sends it", () => {
    const [object] = batchObjects(1, 1_800_000_000, "composition.krateo.io/v0-1-0");
    if (object === undefined) throw new TypeError("no object");
    expect(reviewOf(object, "u")).toMatchObject({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      request: {
        uid: "u",
        operation: "CREATE",
        kind: { version: "v0-1-0", kind: "VmTemplate" },
        object,
        oldObject: null,
      },
    });
  });
});

describe("the report for people", () => {
  it("compares every server with OPA at the same number of connections", () => {
    const at = { connections: 16, p50Ms: 1, p99Ms: 2 };
    const text = formatReport({
      admission: [
        { server: "landfall", requestsPerSecond: 10_000, ...at },
        { server: "opa", requestsPerSecond: 2_000, ...at },
      ],
      decision: [{ stage: "policy" as const, regions: 163, p50Ms: 0.168, p99Ms: 0.308 }],
      composition: { objects: 100, seconds: 31.4 },
      helm: [
        {
          ...{ by: "worker", seconds: 58.5, requests: 77.2, helmMb: 205, controllerMb: 311 },
          milliseconds: { helm: 100.1, "API server": 351 },
        },
      ],
      webhookRssMb: 120,
    });
    const plain = stripVTControlCharacters(text);
    expect(plain).toMatch(/landfall\s+│ 16\s+│ 10000 │ 1.00\s+│ 2.00\s+│ 5.0 x/);
    expect(plain).toContain("100 objects applied at once, all releases deployed after 31.4 s");
    expect(plain).toContain("deployed after 58.5 s, 77.2 API requests and 451 ms of processor time per object");
    expect(plain).toContain(
      "helm 100.1 ms, API server 351 ms; at most 205 MiB for helm and 311 MiB for the controller",
    );
    expect(plain).toContain("policy over 163 regions: p50 0.17 ms, p99 0.31 ms");
    expect(plain).toContain("at most 120 MiB");
  });
});
