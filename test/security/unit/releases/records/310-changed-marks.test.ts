import { expect, it } from "vitest";
import { marksIn, marksToPutBack, staysAtProvider } from "../../../../../src/composition/claims/owned-marks.ts";
import { otherHolder } from "../../../../../src/composition/release/recorded/holder-of.ts";
import type { Resource } from "../../../../../src/composition/types.ts";

const of = { name: "web-1", namespace: "demo" };
const HELM = { "meta.helm.sh/release-name": "web-1", "meta.helm.sh/release-namespace": "demo" };
const LABELS = { "app.kubernetes.io/managed-by": "Helm" };

const object = (
  group: string,
  annotations: Record<string, string>,
  labels: Record<string, string> = LABELS,
): Resource => ({
  apiVersion: `${group}/v1`,
  kind: "Machine",
  metadata: { name: "web", annotations, labels },
});

const PROVIDERS = [
  ["compute.azure.com", "serviceoperator.azure.com/reconcile-policy", "manage", "detach-on-delete"],
  ["compute.azure.com", "serviceoperator.azure.com/reconcile-policy", "manage", "skip"],
  ["ec2.services.k8s.aws", "services.k8s.aws/deletion-policy", "delete", "retain"],
  ["compute.cnrm.cloud.google.com", "cnrm.cloud.google.com/deletion-policy", "delete", "abandon"],
] as const;

it.each(PROVIDERS)("310: %s: %s is the manifest's, or none", (group, annotation, own, keeps) => {
  const live = object(group, { ...HELM, [annotation]: keeps });
  expect(staysAtProvider(live)).toBe(true);
  expect(marksToPutBack(object(group, { [annotation]: own }), live, of)?.annotations).toEqual({ [annotation]: own });
  expect(marksToPutBack(object(group, {}), live, of)?.annotations).toEqual({ [annotation]: null });
  expect(marksToPutBack(object(group, { [annotation]: keeps }), live, of)).toBeNull();
  // Another provider's operator does not read it.
  expect(staysAtProvider(object("apps", { [annotation]: keeps }))).toBe(false);
});

it("310: annotations that no manifest has are removed", () => {
  for (const [group, annotation] of [
    ["ec2.services.k8s.aws", "services.k8s.aws/read-only"],
    ["elemento.landfall.dev", "elemento.landfall.dev/abandon"],
  ] as const) {
    const live = object(group, { ...HELM, [annotation]: "true", note: "mine" });
    expect(staysAtProvider(live)).toBe(true);
    expect(marksToPutBack(object(group, {}), live, of)).toEqual({ annotations: { [annotation]: null }, labels: {} });
  }
});

it("310: Helm's marks are those of the release, and its policy is the chart's", () => {
  const changed = { "meta.helm.sh/release-name": "nobody", "helm.sh/resource-policy": "keep" };
  expect(marksToPutBack(object("apps", {}), object("apps", changed, {}), of)).toEqual({
    annotations: { ...HELM, "helm.sh/resource-policy": null },
    labels: LABELS,
  });
  const keep = { "helm.sh/resource-policy": "keep" };
  expect(marksToPutBack(object("apps", keep), object("apps", { ...HELM, ...keep }), of)).toBeNull();
});

it("310: other annotations do not hide a mark, and a long one is cut", () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`a${index}`, "x"]));
  const found = marksIn({
    ...many,
    "services.k8s.aws/deletion-policy": "retain",
    "helm.sh/resource-policy": "k".repeat(9999),
  });
  expect(Object.keys(found)).toEqual(["services.k8s.aws/deletion-policy", "helm.sh/resource-policy"]);
  expect(found["helm.sh/resource-policy"]).toHaveLength(256);
});

it("310: an object is another release's only if Landfall recorded that this one installed it", async () => {
  const manifest = (name: string): string =>
    JSON.stringify({ apiVersion: "apps/v1", kind: "Machine", metadata: { name } });
  const recorded: Record<string, string> = { both: manifest("web"), other: manifest("db") };
  const records = {
    read: (namespace: string, release: string) => {
      const found = namespace === "demo" ? recorded[release] : undefined;
      return Promise.resolve(
        found === undefined ? null : { revisions: [{ status: "deployed", release: { manifest: found } }] },
      );
    },
  };
  const holder = (release: string, namespace = "demo") => {
    const marks = { "meta.helm.sh/release-name": release, "meta.helm.sh/release-namespace": namespace };
    return otherHolder({ records } as never, object("apps", marks), of);
  };
  expect(await holder("both")).toEqual({ release: "both", namespace: "demo" });
  for (const [release, namespace] of [["web-1"], ["other"], ["nobody"], ["both", "elsewhere"]] as const)
    expect(await holder(release, namespace)).toBeNull();
});
