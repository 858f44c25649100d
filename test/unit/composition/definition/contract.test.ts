import jsonPatch from "fast-json-patch";
import { describe, expect, it } from "vitest";
import { mergeCrd } from "../../../../src/composition/definition/merge-crd.ts";
import { generateCrd } from "../../../../src/composition/definition/generate-crd.ts";
import { labelsOf } from "../../../../src/composition/reconcile/adopt-composition.ts";
import { buildValues } from "../../../../src/composition/release/build-values.ts";
import { chooseChart } from "../../../../src/composition/chart/choose-chart.ts";
import { mergeConditions } from "../../../../src/model/kubernetes.ts";
import { isNews, joinMarks, markOf } from "../../../../src/composition/release/awaited-marks.ts";
import { awaitedValue, readAwaits, valueAt } from "../../../../src/composition/managed/read-awaits.ts";
import { releaseName } from "../../../../src/composition/release/find-release.ts";
import type { Resource, ServedChart } from "../../../../src/composition/types.ts";
import { NAME_LIMIT } from "../../../../src/model/names.ts";

const UID = "a4165974-56b3-4aac-b98f-f5294acf1a1d";
const served = (version: string, definition = "vm", kind = "VmTemplate"): ServedChart => ({
  definition: { name: definition, namespace: "system" },
  chart: { directory: "/", name: "vm-template", version: "1.2.0", alsoServes: [], digest: "", schema: {} },
  ...{ url: "oci://x", kind, plural: "vmtemplates", version },
});
const composition = (labels: Record<string, string> = {}, more: object = {}): Resource => ({
  apiVersion: "composition.krateo.io/v1-2-0",
  kind: "VmTemplate",
  metadata: { name: "vmp", namespace: "greenops", uid: UID, labels, ...more },
  spec: { cpu: 2, global: { forged: true } },
});

describe("Krateo's contract", () => {
  it("names the release after the object with eight more characters, within helm's limit of 53", () => {
    expect(releaseName("vmp", UID)).toBe("vmp-a4165974");
    expect(releaseName("x".repeat(NAME_LIMIT), UID)).toHaveLength(53);
  });

  it("passes the spec and ten global strings, regardless of the spec's own global", () => {
    expect(buildValues({ composition: composition(), served: served("v1-2-0"), krateoNamespace: "krateo" })).toEqual({
      cpu: 2,
      global: {
        compositionApiVersion: "composition.krateo.io/v1-2-0",
        compositionGroup: "composition.krateo.io",
        compositionId: UID,
        compositionInstalledVersion: "v1-2-0",
        compositionKind: "VmTemplate",
        compositionName: "vmp",
        compositionNamespace: "greenops",
        compositionResource: "vmtemplates",
        gracefullyPaused: "false",
        krateoNamespace: "krateo",
      },
    });
  });

  it("passes a chart only fields that its closed schema has", () => {
    const schema = {
      ...{ type: "object", additionalProperties: false },
      properties: {
        cpu: { type: "integer" },
        open: { type: "object", properties: {} },
        disks: { items: { additionalProperties: false, properties: { name: {} } } },
      },
    };
    const chart = { ...served("v1-2-0").chart, schema };
    const spec = { cpu: 1, later: "1h", open: { any: 1 }, disks: [{ name: "a", keep: true }] };
    const input = { composition: { ...composition(), spec }, served: { ...served("v1-2-0"), chart } };
    expect(buildValues({ ...input, krateoNamespace: "krateo" })).toEqual({
      ...{ cpu: 1, open: { any: 1 }, disks: [{ name: "a" }] },
      global: expect.any(Object) as unknown,
    });
  });

  it("labels a composition with its definition, its version and its release", () => {
    expect(labelsOf(served("v1-2-0"), "vmp-v85b9fc8")).toEqual({
      "krateo.io/composition-definition-group": "core.krateo.io",
      "krateo.io/composition-definition-name": "vm",
      "krateo.io/composition-definition-namespace": "system",
      "krateo.io/composition-definition-resource": "compositiondefinitions",
      "krateo.io/composition-definition-version": "v1alpha1",
      "krateo.io/composition-version": "v1-2-0",
      "krateo.io/release-name": "vmp-v85b9fc8",
    });
  });

  it("changes the time of a condition only with its status", () => {
    const old = [{ type: "Ready", status: "True" as const, reason: "a", message: "", lastTransitionTime: "t0" }];
    const same = { type: "Ready", status: "True" as const, reason: "b", message: "m" };
    expect(mergeConditions(old, [same], "t1")).toEqual([{ ...same, lastTransitionTime: "t0" }]);
    const other = { ...same, status: "False" as const };
    expect(mergeConditions(old, [other], "t1")).toEqual([{ ...other, lastTransitionTime: "t1" }]);
  });
});

describe("the chart behind a composition", () => {
  const charts = [served("v1-2-0", "old"), served("v2-0-0", "new")];
  const version = (labels: Record<string, string>, more?: object) =>
    chooseChart(composition(labels, more), charts)?.version ?? null;
  const label = "krateo.io/composition-version";
  const definition = (name: string) => ({
    "krateo.io/composition-definition-name": name,
    "krateo.io/composition-definition-namespace": "system",
  });

  it("is the one of its label", () => {
    expect(version({ [label]: "v2-0-0" })).toBe("v2-0-0");
  });
  it("is the one of its API version without a label", () => {
    const managedFields = [
      { apiVersion: "composition.krateo.io/v1-2-0", time: "2026-01-02T00:00:00Z" },
      { apiVersion: "composition.krateo.io/v2-0-0", time: "2026-01-01T00:00:00Z" },
    ];
    expect(version({}, { managedFields })).toBe("v2-0-0");
  });
  it("follows its definition to a new version", () => {
    expect(version({ [label]: "v0-9-0", ...definition("new") })).toBe("v2-0-0");
  });
  it("is absent if the version belongs to another definition", () => {
    expect(version({ [label]: "v0-9-0" })).toBeNull();
    expect(version({ [label]: "v0-9-0", ...definition("gone") })).toBeNull();
    expect(chooseChart({ ...composition(), kind: "Other" }, charts)).toBeNull();
  });
});

describe("a CRD of several versions", () => {
  const crd = (chartVersion: string, cpu = "integer") =>
    generateCrd({ schema: { type: "object", properties: { cpu: { type: cpu } } }, chartName: "vm", chartVersion });
  const versions = (of: ReturnType<typeof crd> | null) =>
    of?.spec.versions.map(({ name, served: isServed, storage }) => [name, isServed, storage]);

  it("stores the new version and still serves the old one", () => {
    expect(versions(mergeCrd(crd("0.1.0"), crd("0.2.0")))).toEqual([
      ["v0-1-0", true, false],
      ["v0-2-0", true, true],
    ]);
  });
  it("is unchanged if it has the version", () => {
    expect(mergeCrd(crd("0.1.0"), crd("0.1.0"))).toBeNull();
  });
  it("does not alternate the storage version between two definitions", () => {
    const both = mergeCrd(crd("0.1.0"), crd("0.2.0")) ?? crd("0.1.0");
    expect(mergeCrd(both, crd("0.1.0"))).toBeNull();
    expect(versions(mergeCrd(both, crd("0.1.0", "string")))).toEqual([
      ["v0-1-0", true, false],
      ["v0-2-0", true, true],
    ]);
  });

  const NESTED = (names: string[]) => ({
    type: "array",
    items: { type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])) },
  });
  const disks = (chartVersion: string, names: string[], more: object = {}, alsoServes: string[] = []) =>
    generateCrd({
      schema: { type: "object", properties: { disks: NESTED(names), ...more } },
      ...{ chartName: "vm", chartVersion, alsoServes },
    });
  const KEPT = { "x-kubernetes-preserve-unknown-fields": true };
  const specOf = (of: ReturnType<typeof crd> | null, version: string): unknown => {
    const found = of?.spec.versions.find(({ name }) => name === version);
    return jsonPatch.getValueByPointer(found?.schema.openAPIV3Schema, "/properties/spec/properties") as unknown;
  };

  it("keeps in each version the fields that only another has, at any depth", () => {
    const merged = mergeCrd(disks("0.1.0", ["name"]), disks("0.2.0", ["name", "keep"], { wait: { type: "string" } }));
    expect(specOf(merged, "v0-1-0")).toMatchObject({
      disks: { items: { properties: { name: { type: "string" }, keep: KEPT } } },
      wait: KEPT,
    });
    expect(specOf(merged, "v0-2-0")).toEqual(
      specOf(disks("0.2.0", ["name", "keep"], { wait: { type: "string" } }), "v0-2-0"),
    );
  });
  it("no longer keeps a field that its chart gave up, and is otherwise stable", () => {
    const both = mergeCrd(disks("0.1.0", ["name"]), disks("0.2.0", ["name", "keep"])) ?? crd("0.1.0");
    expect(mergeCrd(both, disks("0.2.0", ["name", "keep"]))).toBeNull();
    expect(mergeCrd(both, disks("0.1.0", ["name"]))).toBeNull();
    const without = mergeCrd(both, disks("0.2.0", ["name"]));
    expect(specOf(without, "v0-1-0")).toEqual(specOf(disks("0.1.0", ["name"]), "v0-1-0"));
  });
  it("serves the earlier versions that the chart names, unless they have a chart of their own", () => {
    const fresh = disks("0.2.0", ["name"], {}, ["0.1.0"]);
    expect(versions(fresh)).toEqual([
      ["v0-2-0", true, true],
      ["v0-1-0", true, false],
    ]);
    expect(specOf(fresh, "v0-1-0")).toEqual(specOf(fresh, "v0-2-0"));
    expect(mergeCrd(fresh, fresh)).toBeNull();
    const own = mergeCrd(disks("0.1.0", ["name"]), disks("0.2.0", ["name", "keep"], {}, ["0.1.0"]));
    expect(specOf(own, "v0-1-0")).toMatchObject({ disks: { items: { properties: { keep: KEPT } } } });
    expect(versions(own)).toEqual([
      ["v0-1-0", true, false],
      ["v0-2-0", true, true],
    ]);
  });
});

describe("awaited values", () => {
  const manifest = (awaits: string): Resource => ({
    ...{ apiVersion: "a/v1", kind: "A" },
    metadata: { annotations: { "landfall.dev/awaits": awaits } },
  });
  it("are read from the manifests", () => {
    const awaits = "ec2.services.k8s.aws/SecurityGroup/a-sg:status.id, ec2.services.k8s.aws/VPC/a:status.vpcID";
    expect(readAwaits([manifest(awaits), manifest("nonsense"), { ...manifest(""), metadata: {} }])).toEqual([
      { group: "ec2.services.k8s.aws", kind: "SecurityGroup", name: "a-sg", path: "status.id", not: null },
      { group: "ec2.services.k8s.aws", kind: "VPC", name: "a", path: "status.vpcID", not: null },
    ]);
  });
  it("can be the time since when a condition is True, other than one that is known", () => {
    const path = "eks.services.k8s.aws/Cluster/a:status.conditions[ACK.ResourceSynced]";
    const [awaited] = readAwaits([manifest(`${path}!=2026-11-21T10:00:00Z`)]);
    expect(awaited).toMatchObject({ path: "status.conditions[ACK.ResourceSynced]", not: "2026-11-21T10:00:00Z" });
    const at = (status: string, lastTransitionTime: string, others: object[] = []): unknown => {
      const conditions = [{ type: "ACK.ResourceSynced", status, lastTransitionTime }, ...others];
      return awaited && awaitedValue({ ...manifest(""), status: { conditions } }, awaited);
    };
    expect(at("True", "2026-11-21T10:00:00Z")).toBeNull();
    expect(at("False", "2026-11-21T10:00:01Z")).toBeNull();
    expect(at("True", "2026-11-21T10:09:00Z")).toBe("2026-11-21T10:09:00Z");
    // ACK calls a cluster of EKS synced beside the error of an update.
    expect(at("True", "2026-11-21T10:09:00Z", [{ type: "ACK.Terminal", status: "True" }])).toBeNull();
    expect(at("True", "2026-11-21T10:09:00Z", [{ type: "ACK.Recoverable", status: "True", message: "no" }])).toBeNull();
    expect(at("True", "2026-11-21T10:09:00Z", [{ type: "Ready", status: "False" }])).toBeNull();
  });
  it("ask for an upgrade when one appears, not when one goes away", () => {
    const [first, second] = readAwaits([manifest("a/A/x:status.id, a/B/y:status.conditions[Ready]!=t0")]);
    if (first === undefined || second === undefined) throw new TypeError("two are awaited");
    const marked = (...marks: string[]): string => String(joinMarks(marks));
    const one = marked(markOf(first, "1"));
    const both = marked(markOf(first, "1"), markOf(second, "t1"));
    expect([isNews(both, one), isNews(one, both), isNews(one, "none")]).toEqual([true, false, true]);
    expect(isNews(marked(markOf(first, "2")), one)).toBe(true);
    expect(joinMarks([])).toBeNull();
    expect(marked(...Array.from({ length: 12 }, (_, index) => markOf(first, index))).length).toBeLessThanOrEqual(63);
  });
  it("are missing if the path is missing or empty", () => {
    const object: Resource = { ...manifest(""), status: { id: "sg-1", empty: "" } };
    expect(valueAt(object, "status.id")).toBe("sg-1");
    expect([valueAt(object, "status.empty"), valueAt(object, "status.x.y"), valueAt(undefined, "status")]).toEqual([
      null,
      null,
      null,
    ]);
  });
});
