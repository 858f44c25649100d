import { describe, expect, it } from "vitest";
import type { KubeClient } from "../../../../../src/cluster/client/create-client.ts";
import { openRecords } from "../../../../../src/composition/record/open-records.ts";
import type { RecordedRevision } from "../../../../../src/composition/record/release-record.ts";
import { runningSizes } from "../../../../../src/composition/record/running-sizes.ts";
import type { Wanted } from "../../../../../src/composition/release/wanted-release.ts";
import { recordDropped } from "../../../../../src/composition/release/record-dropped.ts";
import type { Resource } from "../../../../../src/composition/types.ts";
import { createClusterData, retainedEvent } from "../../../../../src/external-data/cluster-data.ts";
import { ringOf } from "../../../../../src/model/decision-annotation/key-ring.ts";
import { readReleaseMark } from "../../../../../src/model/decision-annotation/system-secrets.ts";
import type { Retained } from "../../../../../src/model/runs/retained.ts";

type Values = Record<string, unknown>;

const pool = (name: string, count = 2) => ({ name, count, cpu: 4, memory: 16 });
const OWNER = {
  ...{ compositionId: "old", compositionKind: "KaasCluster" },
  ...{ compositionNamespace: "demo", compositionName: "web" },
};
const INSTALLED = {
  ...{ global: OWNER, provider: "gcp", schedulingLocation: "europe-west1" },
  ...{ deletionPolicy: "retain", nodePools: [pool("a"), pool("b", 3)] },
};

const revision = (values: Values, fields: Partial<RecordedRevision> = {}): RecordedRevision => ({
  ...{ secret: "v1", revision: 4, status: "deployed", createdAt: 0, copy: "" },
  ...{ labels: { "landfall.dev/place": "gcp.europe-west1", "landfall.dev/size": "20000000-80000000-none" } },
  release: { config: values },
  ...fields,
});

/** What is recorded before an upgrade of the release to these values. */
async function left(values: Values, before: Values = INSTALLED): Promise<Retained[]> {
  const found: Retained[] = [];
  const record = (one: Retained): Promise<void> => {
    found.push(one);
    return Promise.resolve();
  };
  const object = { apiVersion: "x/v1", kind: "KaasCluster", metadata: { name: "web", namespace: "demo", uid: "new" } };
  const wanted = {
    ...{ context: { retentions: { record }, nowSeconds: () => 1000 }, composition: { object } },
    ...{ namespace: "demo", name: "web-old", uid: "new", values },
  } as unknown as Wanted;
  await recordDropped(wanted, [revision(before)]);
  return found;
}

describe("88: an object that takes over an orphaned release that retains", () => {
  it("leaves everything behind where it is decided elsewhere, and that counts", async () => {
    const [found] = await left({ ...INSTALLED, schedulingLocation: "europe-north1" });
    expect(found).toMatchObject({
      ...{ uid: "new-r4", release: "web-old", why: "retain", acknowledged: null },
      workload: {
        kind: "KaasCluster",
        namespace: "demo",
        name: "web",
        place: "gcp/europe-west1",
        vcpus: 20,
        memoryGiB: 80,
      },
    });
    const data = createClusterData();
    if (found !== undefined) data.apply(retainedEvent(found));
    data.apply({ type: "seen", at: 1000 });
    expect(data.around({ key: "KaasCluster/demo/web", namespace: "demo", vmName: null }, 1000)?.usage.vcpus).toBe(20);
    expect(data.workloads(1000, "").map(({ place }) => place)).toEqual(["gcp/europe-west1"]);
  });

  it("leaves the pools that it lacks", async () => {
    const [found] = await left({ ...INSTALLED, nodePools: [pool("a")] });
    expect(found?.workload).toMatchObject({ place: "gcp/europe-west1", vcpus: 12, memoryGiB: 48 });
  });

  it("leaves nothing where it has the same parts, or they did not retain", async () => {
    expect(await left({ ...INSTALLED, nodePools: [pool("a", 1), pool("b"), pool("c")] })).toEqual([]);
    const { deletionPolicy: _, ...deletes } = INSTALLED;
    expect(await left({ ...deletes, nodePools: [] }, deletes)).toEqual([]);
  });
});

describe("88: the record of a release", () => {
  /** An API server with the Secrets of one namespace. */
  function server() {
    const secrets = new Map<string, Resource>();
    let writes = 0;
    const write = (body: Resource): Promise<Resource> => {
      writes += 1;
      const stored = { ...body, metadata: { ...body.metadata, resourceVersion: String(writes) } };
      secrets.set(body.metadata.name ?? "", stored);
      return Promise.resolve(stored);
    };
    const client = {
      get: (path: string) =>
        Promise.resolve(
          path.endsWith("/secrets")
            ? { items: [...secrets.values()] }
            : (secrets.get(path.slice(path.lastIndexOf("/") + 1)) ?? null),
        ),
      create: (_path: string, body: Resource) => write(body),
      replace: (_path: string, body: Resource) => write(body),
    } as unknown as KubeClient;
    const log = { warn: () => undefined } as never;
    const open = () =>
      openRecords({ client, log, systemNamespace: "landfall-system", keys: () => ringOf(Buffer.alloc(32, 1)) });
    return { open, secrets, writes: () => writes };
  }

  it("says that what is installed retains", () => {
    expect(runningSizes([revision(INSTALLED)])).toMatchObject([
      { place: "gcp/europe-west1", vcpus: 20, memoryGiB: 80, pricePerHour: null, retains: true },
    ]);
    expect(runningSizes([revision({ ...INSTALLED, deletionPolicy: "delete" })])[0]).not.toHaveProperty("retains");
  });

  it("of a paused object is corrected once, if an earlier version wrote it", async () => {
    const { open, secrets, writes } = server();
    await open().change("demo", "web-old", () => [revision(INSTALLED)]);
    const [secret] = secrets.values();
    if (secret === undefined) throw new TypeError("there is no record");
    const right = readReleaseMark(secret);
    const wrong = {
      ...secret.metadata.annotations,
      "landfall.dev/running": '[{"place":"gcp/europe-west1","vcpus":1,"memoryGiB":1,"pricePerHour":0}]',
    };
    secrets.set(secret.metadata.name ?? "", { ...secret, metadata: { ...secret.metadata, annotations: wrong } });
    const records = open();
    await records.correct("demo", "old");
    await records.correct("demo", "old");
    expect([...secrets.values()].map(readReleaseMark)).toEqual([right]);
    expect(writes()).toBe(2);
  });
});
