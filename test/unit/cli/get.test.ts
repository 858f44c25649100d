import colors from "picocolors";
import { describe, expect, it } from "vitest";
import { readWanted } from "../../../src/cli/commands/get/find-objects.ts";
import { formatLive } from "../../../src/cli/commands/get/format-live.ts";
import { liveObject } from "../../../src/cli/commands/get/live-object.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { ANNOTATION } from "../../../src/model/names.ts";

const plain = colors.createColors(false);

describe("the words after landfall get", () => {
  it.each([
    [[], null, { kind: null, namespace: null, name: null }],
    [["vmtemplates"], "demo", { kind: "VmTemplate", namespace: "demo", name: null }],
    [["demo/web"], null, { kind: null, namespace: "demo", name: "web" }],
    [["KaasCluster", "demo/web"], null, { kind: "KaasCluster", namespace: "demo", name: "web" }],
    [["vmtemplate", "web"], "demo", { kind: "VmTemplate", namespace: "demo", name: "web" }],
  ])("%j with -n %s", (words, namespace, wanted) => {
    expect(readWanted(words, namespace)).toEqual(wanted);
  });

  it.each([
    [["web"], null, '"web" has no namespace: write NAMESPACE/web, or -n NAMESPACE'],
    [["demo/"], null, '"demo/" is not an object: write NAMESPACE/NAME, e.g. demo/web'],
    [["a/b/c"], null, '"a/b/c" is not an object: write NAMESPACE/NAME, e.g. demo/web'],
    [["vmtemplat", "demo/web"], null, '"vmtemplat" is not a kind: write vmtemplate'],
    [["pods", "demo/web"], null, '"pods" is not a kind: write vmtemplate or kaascluster'],
    [["demo/web"], "other", "-n other and demo/web name two namespaces: omit one of them"],
  ])("%j with -n %s are refused: %s", (words, namespace, message) => {
    expect(() => readWanted(words, namespace)).toThrow(message);
  });
});

const PLACEMENT = { provider: "aws", region: "eu-north-1", instanceType: "c5.large", start: "2026-11-21T09:00:00Z" };
const DECISION = {
  ...{ id: "d74e7f", inputs: "00", written: ["provider"], why: ["residency [EU]: 43 remain"], considered: 163 },
  ...{ eligible: 43, alternatives: [{ place: "gcp/x", gramsCO2: null, pricePerHour: 0.1 }], degraded: [] },
  policy: { digest: "sha256:1a", revision: "r1" },
};

const object = (placement: unknown, more: object = {}): Resource => ({
  apiVersion: "composition.krateo.io/v0-2-0",
  kind: "VmTemplate",
  metadata: {
    ...{ name: "web", namespace: "demo", uid: "u" },
    annotations: { [ANNOTATION.decision]: JSON.stringify({ ...DECISION, placement, ...more }) },
  },
  status: { conditions: [{ type: "Ready", status: "False", reason: "Creating", message: "Instance web: Pending" }] },
});

const text = (resource: Resource): string => formatLive(liveObject(resource), 1_795_251_600, plain);

describe("a live object in words", () => {
  it("has the figures of its decision, and unknown where an earlier version wrote none", () => {
    expect(text(object(PLACEMENT))).toBe(`VmTemplate demo/web  Creating  decision d74e7f
  place    aws/eu-north-1  c5.large
  start    2026-11-21T09:00:00Z (now), long-running
  carbon   unknown per hour
  price    unknown
  latency  unknown
  why      163 places · residency [EU]: 43 remain · 43 remained
  next     gcp/x (unknown, 0.1000 USD/h)
  filled   spec.provider
  bundle   r1 sha256:1a
  state    Ready False (Creating): Instance web: Pending
`);
  });

  it.each([
    ["no annotation", { ...object(PLACEMENT), metadata: { name: "web", namespace: "demo" } }],
    ["a placement without a region", object({ ...PLACEMENT, region: undefined })],
    ["a placement that is a text", object("aws")],
    ["reasons that are no list", object(PLACEMENT, { why: "because" })],
    ["no policy", object(PLACEMENT, { policy: null })],
  ])("says so for %s", (_what, resource) => {
    expect(text(resource)).toContain("no decision that this version reads");
  });
});
