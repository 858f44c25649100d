// The charts read live objects. Who may write their annotations or status must not write other objects into the manifest, or other fields.
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isObject } from "../../../../src/model/json.ts";
import { type Live, openLiveRenders, valuesOf } from "../../../support/charts/live-objects.ts";
import { CHART as CLUSTER } from "../../../support/charts/render-cluster.ts";
import { CHART as MACHINE, type Manifest } from "../../../support/charts/render-vm.ts";

let renders: Awaited<ReturnType<typeof openLiveRenders>>;
beforeAll(async () => {
  renders = await openLiveRenders();
});
afterAll(() => renders.close());

const EKS = "eks.services.k8s.aws/v1alpha1";
const EC2 = "ec2.services.k8s.aws/v1alpha1";
const GKE = "container.cnrm.cloud.google.com/v1beta1";
const COMPUTE = "compute.cnrm.cloud.google.com/v1beta1";
const AKS = "containerservice.azure.com/v1api20240901";
const AZURE = "compute.azure.com/v1api20220301";
const SINCE = "2026-11-23T08:00:00Z";

/** Live objects of a release with a text in each field that the charts read, and the values with which they are rendered. */
const CASES: Record<string, { chart: string; values: string; live: readonly Live[] }> = {
  "an EKS cluster that is upgraded": {
    ...{ chart: CLUSTER, values: "aws-minimal" },
    live: [
      {
        ...{ apiVersion: EKS, kind: "Cluster", spec: { version: "1.35" } },
        metadata: {
          name: "web",
          annotations: { "landfall.dev/upgrades": JSON.stringify({ from: "1.34", synced: SINCE }) },
        },
        status: {
          conditions: [{ type: "ACK.ResourceSynced", status: "False", lastTransitionTime: "2026-11-23T09:00:00Z" }],
        },
      },
      {
        ...{ apiVersion: EKS, kind: "Nodegroup", metadata: { name: "web-system" } },
        spec: { version: "1.34", releaseVersion: "1.34.2-20261101" },
      },
    ],
  },
  "an EKS cluster whose upgrade begins": {
    ...{ chart: CLUSTER, values: "aws-minimal" },
    live: [
      {
        ...{ apiVersion: EKS, kind: "Cluster", metadata: { name: "web" }, spec: { version: "1.34" } },
        status: { conditions: [{ type: "ACK.ResourceSynced", status: "True", lastTransitionTime: SINCE }] },
      },
    ],
  },
  "an AKS cluster that is upgraded": {
    ...{ chart: CLUSTER, values: "azure-minimal" },
    live: [
      {
        ...{ apiVersion: AKS, kind: "ManagedCluster", metadata: { name: "web" } },
        spec: { agentPoolProfiles: [{ name: "system", orchestratorVersion: "1.34" }] },
        status: { currentKubernetesVersion: "1.34.2", agentPoolProfiles: [{ name: "system", count: 2 }] },
      },
      {
        ...{ apiVersion: AKS, kind: "ManagedClustersAgentPool", metadata: { name: "web-system" } },
        spec: { orchestratorVersion: "1.34" },
      },
    ],
  },
  "a GKE cluster that is upgraded": {
    ...{ chart: CLUSTER, values: "gcp-minimal" },
    live: [
      {
        ...{ apiVersion: GKE, kind: "ContainerCluster", metadata: { name: "web" } },
        spec: { releaseChannel: { channel: "UNSPECIFIED" } },
        status: { masterVersion: "1.34.2-gke.100" },
      },
      {
        ...{ apiVersion: GKE, kind: "ContainerNodePool", metadata: { name: "web-system", generation: 1 } },
        spec: { nodeLocations: ["europe-north2-a"], nodeConfig: { taint: [] }, management: { autoUpgrade: true } },
        status: {
          ...{ instanceGroupUrls: ["https://example"], observedGeneration: 1 },
          observedState: { version: "1.34.2-gke.100" },
          conditions: [{ type: "Ready", status: "True", lastTransitionTime: SINCE }],
        },
      },
    ],
  },
  "a GKE cluster that enters a channel": {
    ...{ chart: CLUSTER, values: "gcp-minimal" },
    live: [
      {
        ...{ apiVersion: GKE, kind: "ContainerCluster", metadata: { name: "web" } },
        ...{ spec: { releaseChannel: { channel: "STABLE" } }, status: { masterVersion: "1.35.2-gke.100" } },
      },
      {
        ...{ apiVersion: GKE, kind: "ContainerNodePool", metadata: { name: "web-system", generation: 2 } },
        ...{
          spec: {},
          status: { instanceGroupUrls: ["https://example"], observedState: { version: "1.35.2-gke.100" } },
        },
      },
    ],
  },
  "a machine on AWS": {
    ...{ chart: MACHINE, values: "aws-full" },
    live: [
      {
        ...{ apiVersion: EC2, kind: "Instance", metadata: { name: "web" } },
        spec: { securityGroupIDs: ["sg-1"], networkInterfaces: [{ subnetID: "subnet-1" }] },
      },
      { apiVersion: EC2, kind: "SecurityGroup", metadata: { name: "web-sg" }, status: { id: "sg-0123456789abcdef0" } },
    ],
  },
  "a machine on AWS whose group has no id yet": {
    ...{ chart: MACHINE, values: "aws-full" },
    live: [
      {
        ...{ apiVersion: EC2, kind: "Instance", metadata: { name: "web" } },
        spec: { securityGroupIDs: ["sg-1"] },
      },
    ],
  },
  "a machine on Google Cloud": {
    ...{ chart: MACHINE, values: "gcp-full" },
    live: [
      {
        ...{ apiVersion: COMPUTE, kind: "ComputeInstance", metadata: { name: "web" } },
        spec: { bootDisk: { initializeParams: { labels: { team: "one" } } }, attachedDisk: [] },
      },
    ],
  },
  "a machine on Azure": {
    ...{ chart: MACHINE, values: "azure-full" },
    live: [
      {
        ...{ apiVersion: AZURE, kind: "VirtualMachine", metadata: { name: "web" } },
        spec: {
          securityProfile: { securityType: "TrustedLaunch" },
          storageProfile: { dataDisks: [{ lun: 3, managedDisk: { reference: { name: "web-data" } } }] },
        },
      },
    ],
  },
};

/** Ends the field, and the object, of a text that is printed as it is, by each character that YAML takes for the end of a line. */
const TAIL = ["\n", "\u0085", "\u2028"]
  .map((end) =>
    [
      ', evil: "x"',
      "more: true",
      "---",
      "apiVersion: v1",
      "kind: Secret",
      "metadata: {name: evil}",
      "---",
      "a: b",
    ].join(end),
  )
  .join("");

/** The value with each of its texts, one after the other, followed by the tail; in an annotation of JSON also within it. */
function* poisoned(value: unknown): Generator {
  if (typeof value === "string") {
    yield value + TAIL;
    if (value.startsWith("{")) for (const inner of poisoned(JSON.parse(value) as unknown)) yield JSON.stringify(inner);
  } else if (Array.isArray(value)) {
    for (const [index, inner] of value.entries()) for (const next of poisoned(inner)) yield value.with(index, next);
  } else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value))
      for (const next of poisoned(inner)) yield { ...value, [key]: next };
  }
}

/** Live objects of which one has one text with the tail. Its names and kind are the API server's. */
const livesOf = (live: readonly Live[]): Live[][] =>
  live.flatMap(({ apiVersion, kind, metadata: { name, ...metadata }, ...rest }, at) =>
    [...poisoned({ metadata, ...rest })].map((one) => {
      const { metadata: changed, ...other } = one as Pick<Live, "metadata" | "spec" | "status">;
      return live.with(at, { apiVersion, kind, ...other, metadata: { ...changed, name } });
    }),
  );

/** Kinds, names and fields of the objects: where a list or map is in its fields, and not the texts in them. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
  return typeof value;
}
const objectsOf = (manifests: readonly Manifest[]): string[] =>
  manifests.map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.name}`);
const NEW_FIELDS = ["more", "evil"];

describe("410: a text of a live object", () => {
  it.each(Object.entries(CASES))(
    "of %s writes no other object and no other field",
    async (_, { chart, values, live }) => {
      const given = await valuesOf(chart, values);
      const expected = objectsOf(await renders.render(chart, given, live));
      const all = livesOf(live);
      expect(all.length).toBeGreaterThan(0);
      for (const one of all) {
        const manifests = await renders.render(chart, given, one);
        expect(objectsOf(manifests).filter((object) => !expected.includes(object))).toEqual([]);
        const keys = new Set(JSON.stringify(shapeOf(manifests)).match(/"\w+":/g));
        expect(NEW_FIELDS.filter((key) => keys.has(`"${key}":`))).toEqual([]);
      }
    },
  );

  it.each([CLUSTER, MACHINE])("is read in one place of the chart %s, which takes line breaks out", async (chart) => {
    const files = (await readdir(join(chart, "templates"), { recursive: true })).filter((name) =>
      /\.(?:tpl|ya?ml)$/.test(name),
    );
    const texts = await Promise.all(
      files.map(async (name) => [name, await readFile(join(chart, "templates", name), "utf8")]),
    );
    expect(texts.filter(([, text]) => /\blookup /.test(text ?? "")).map(([name]) => name)).toEqual(["_live.tpl"]);
  });
});
