// A scan of the controller holds all objects of the cluster at a time, in the process that installs and ends what runs for all.
import { expect, it } from "vitest";
import { readCluster } from "../../../../../src/audit/read-cluster.ts";
import { scanOnce } from "../../../../../src/audit/start-scans.ts";
import type { KubeClient } from "../../../../../src/cluster/client/create-client.ts";
import type { Workload } from "../../../../../src/model/workload.ts";
import { NOW } from "../../../../support/admission.ts";

const VERSION = "composition.krateo.io/v0-2-0";
const SYSTEM = "/api/v1/namespaces/landfall-system/secrets";

const objectOf = (namespace: string, index: number, characters: number): Workload => ({
  ...{ apiVersion: VERSION, kind: "VmTemplate" },
  metadata: { name: `a${String(index)}`, namespace, uid: `${namespace}-${String(index)}` },
  spec: { cpu: 1, memory: 1, provider: "gcp", schedulingLocation: "europe-west1", userData: "x".repeat(characters) },
});

function serverOf(objects: readonly Workload[]) {
  const page = (items: readonly unknown[]): object => ({
    ...{ apiVersion: "v1", kind: "List", items },
    metadata: { resourceVersion: "1" },
  });
  const resource = { kind: "VmTemplate", name: "vmtemplates", namespaced: true };
  const names = [...new Set(objects.map(({ metadata }) => metadata.namespace))];
  const known: Record<string, object> = {
    "/apis/composition.krateo.io": { versions: [{ groupVersion: VERSION }] },
    [`/apis/${VERSION}`]: { resources: [resource] },
    "/api/v1/namespaces": page(names.map((name) => ({ metadata: { name } }))),
    [SYSTEM]: page([]),
    [`/apis/${VERSION}/vmtemplates`]: page(objects),
  };
  const written: unknown[] = [];
  const get = (path: string): Promise<unknown> => Promise.resolve(known[path] ?? null);
  const write = (_path: string, body: unknown): Promise<unknown> => Promise.resolve(written.push(body));
  const client = { get, create: write, patch: write, replace: write } as unknown as KubeClient;
  return { client, written };
}

it("396: what is held of the objects of one namespace is limited, and all of them count", async () => {
  const loud = Array.from({ length: 20 }, (_, index) => objectOf("loud", index, 10_000));
  const { client } = serverOf([...loud, objectOf("quiet", 0, 100)]);
  const { objects, unread, clusterData } = await readCluster(client, NOW, { mostOfNamespace: 50_000 });
  expect(objects.map(({ metadata }) => metadata.namespace)).toEqual([...Array<string>(4).fill("loud"), "quiet"]);
  expect(unread).toHaveLength(16);
  expect(JSON.stringify(unread).length).toBeLessThan(16 * 200);
  const keys = clusterData.snapshot().flatMap((event) => (event.type === "workload" ? [event.key] : []));
  expect(keys).toHaveLength(21);
  expect((await readCluster(client, NOW)).objects).toHaveLength(21);
});

it("396: a scan reports those that it does not audit", async () => {
  const loud = Array.from({ length: 300 }, (_, index) => objectOf("loud", index, 65_000));
  const { client, written } = serverOf(loud);
  const audited: number[] = [];
  const policy = {
    ...{ digest: `sha256:${"0".repeat(64)}`, zones: [], settingNames: {} as never },
    audit: (objects: readonly Workload[]) => {
      audited.push(objects.length);
      return Promise.resolve([]);
    },
  };
  const scanned = await scanOnce({
    ...{ client, policy: () => Promise.resolve(policy), forecasts: () => Promise.resolve(null) },
    ...{ nowSeconds: () => NOW, record: () => undefined },
  });
  expect(audited[0]).toBeLessThan(260);
  expect(audited[0]).toBeGreaterThan(200);
  expect(scanned.deny).toBe(300 - (audited[0] ?? 0));
  expect(JSON.stringify(written)).toContain("ADM_AUDIT_SHARE");
});
