import { describe, expect, it } from "vitest";
import { checkObject } from "../../../../src/admission/check/check-object.ts";
import { type Kind, resourcePrefix } from "../../../../src/model/names.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { renderCluster } from "../../../support/charts/render-cluster.ts";
import { renderVm } from "../../../support/charts/render-vm.ts";

const PLACE = { provider: "gcp", schedulingLocation: "europe-west1" };
const SPECS: Record<Kind, Record<string, unknown>> = {
  VmTemplate: {
    ...PLACE,
    cpu: 2,
    memory: 4,
    instanceType: "e2-medium",
    zone: "europe-west1-b",
    os: "debian-12",
    image: "x",
  },
  KaasCluster: {
    ...{ ...PLACE, kubernetesVersion: "1.34", zones: ["europe-west1-b"] },
    nodePools: [{ name: "system", count: 1, cpu: 2, memory: 8 }],
    poolInstanceTypes: { system: "e2-standard-2" },
  },
};

const objectOf = (kind: Kind, name: string, spec: Record<string, unknown> = {}): WorkloadObject => ({
  apiVersion: "composition.krateo.io/v0-2-0",
  kind,
  metadata: { name, namespace: "demo" },
  spec: { ...SPECS[kind], ...spec },
});

const codesOf = (kind: Kind, object: WorkloadObject): string[] => checkObject(kind, object).map(({ code }) => code);

/** What the real chart renders for the object: kind and name of each resource. */
async function resourcesOf(kind: Kind, { metadata, spec }: WorkloadObject): Promise<string[]> {
  const values = { ...spec, global: { compositionName: metadata.name, compositionId: metadata.name } };
  const manifests = await (kind === "VmTemplate" ? renderVm(values) : renderCluster(values));
  return manifests.map((one) => `${one.kind}/${one.metadata.name}`);
}

describe.each<[Kind, number]>([
  ["VmTemplate", 41],
  ["KaasCluster", 40],
])("122: names of %s that share their first characters", (kind, longest) => {
  it.each([
    ["a letter", "a", 44],
    ["a digit", "1", longest],
  ])(
    "render no resource of each other where they begin with %s, and longer ones are denied",
    async (_, first, most) => {
      const [one, other] = ["x", "y"].map((last) => objectOf(kind, first.padEnd(most - 1, "a") + last));
      if (one === undefined || other === undefined) return;
      expect([codesOf(kind, one), codesOf(kind, other)].flat()).not.toContain("ADM_NAME_TOO_LONG");
      const [mine, others] = [await resourcesOf(kind, one), await resourcesOf(kind, other)];
      expect(mine.length).toBeGreaterThan(0);
      expect(mine.filter((resource) => others.includes(resource))).toEqual([]);
      const longer = objectOf(kind, first.padEnd(most + 1, "a"));
      expect(codesOf(kind, longer)).toEqual(["ADM_NAME_TOO_LONG"]);
    },
  );
});

it.each<[Kind, string]>([
  ["VmTemplate", "1"],
  ["VmTemplate", "vm-1"],
  ["VmTemplate", "a.b"],
  ["KaasCluster", "1"],
])("122: helm is called for one %s %s at a time by the prefix that its chart renders", async (kind, name) => {
  const object = objectOf(kind, name);
  const prefix = resourcePrefix(kind, object);
  const names = (await resourcesOf(kind, object)).map((resource) => resource.split("/")[1]);
  expect(names.filter((one) => one !== prefix && one?.startsWith(`${prefix}-`) !== true)).toEqual([]);
});

it("122: a vmName that begins with a letter leaves a long name its length", () => {
  const object = objectOf("VmTemplate", "1".padEnd(44, "a"), { vmName: "web" });
  expect(codesOf("VmTemplate", object)).not.toContain("ADM_NAME_TOO_LONG");
});
