import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { hookOf, openRelease, packRelease } from "../../support/composition/forge-release.ts";
import { createTenant, type Tenant } from "../../support/composition/tenant.ts";
import { textClient, type TextClient } from "../../support/text-client.ts";

const VICTIM = "victim-01";
const GOOGLE = "compute.cnrm.cloud.google.com/v1beta1";
const LIMIT = { timeout: 60_000, interval: 200 };

let admin: KubeClient & TextClient;
let tenant: Tenant;

const objects = (name = "") =>
  `/apis/composition.krateo.io/v0-1-0/namespaces/tenant-01/vmtemplates${name && `/${name}`}`;
const networks = (namespace: string, name = "") =>
  `/apis/${GOOGLE}/namespaces/${namespace}/computenetworks${name && `/${name}`}`;
const secrets = (namespace: string, name = "") => `/api/v1/namespaces/${namespace}/secrets${name && `/${name}`}`;

const network = (name: string, namespace: string) => ({
  ...{ apiVersion: GOOGLE, kind: "ComputeNetwork", spec: {} },
  metadata: { name, namespace },
});

/** What a hook of an attacker would do: take the place of a Secret of another namespace. */
const theft = {
  ...{ apiVersion: "v1", kind: "Secret", stringData: { password: "mallory's" } },
  metadata: { name: "db", namespace: VICTIM },
};

interface HelmSecret extends Resource {
  data: { release: string };
}

const nameOf = ({ metadata }: Resource): string => metadata.name ?? "";

const copiesOf = async (release: string): Promise<HelmSecret[]> => {
  const selector = encodeURIComponent(`owner=helm,name=${release}`);
  const list = await tenant.client.get<{ items: HelmSecret[] }>(`${secrets("tenant-01")}?labelSelector=${selector}`);
  return (list?.items ?? []).sort((one, other) => nameOf(one).localeCompare(nameOf(other)));
};

/** The kinds of Google's resources that helm made for this release and that are there. */
async function madeBy(release: string): Promise<string[]> {
  const group = `/apis/${GOOGLE}`;
  const kinds = await tenant.client.get<{ resources: { kind: string; name: string }[] }>(group);
  const found: string[] = [];
  for (const { kind, name } of (kinds?.resources ?? []).filter((one) => !one.name.includes("/"))) {
    const list = await tenant.client.get<{ items: Resource[] }>(`${group}/namespaces/tenant-01/${name}`);
    const isIts = ({ metadata }: Resource) => metadata.annotations?.["meta.helm.sh/release-name"] === release;
    if (list?.items.some(isIts) === true) found.push(kind);
  }
  return found.sort();
}

const newestRevision = async (release: string): Promise<number> =>
  Math.max(...(await copiesOf(release)).map(({ metadata }) => Number(metadata.labels?.["version"])));

async function install(name: string): Promise<{ release: string; copy: HelmSecret }> {
  const apiVersion = "composition.krateo.io/v0-1-0";
  const spec = { cpu: 2, memory: 4, provider: "gcp", tags: { step: "one" } };
  await tenant.client.create(objects(), { apiVersion, kind: "VmTemplate", metadata: { name }, spec });
  return vi.waitFor(async () => {
    const object = await tenant.client.get<Resource>(objects(name));
    expect(object?.status?.["managed"]).toBeDefined();
    const release = object?.metadata.labels?.["krateo.io/release-name"] ?? "";
    const [copy] = await copiesOf(release);
    expect(copy?.metadata.labels?.["status"]).toBe("deployed");
    return { release, copy: copy as HelmSecret };
  }, LIMIT);
}

async function forge(copy: HelmSecret, change: (release: Record<string, unknown>) => object): Promise<void> {
  const data = {
    release: packRelease({ ...openRelease(copy.data.release), ...change(openRelease(copy.data.release)) }),
  };
  await tenant.client.patch(secrets("tenant-01", nameOf(copy)), "merge", { data });
}

async function remove(name: string): Promise<void> {
  await tenant.client.remove(objects(name));
  await vi.waitFor(async () => expect(await tenant.client.get(objects(name))).toBeNull(), LIMIT);
}

async function expectVictimIntact(): Promise<void> {
  const secret = await admin.get<HelmSecret & { data: { password: string } }>(secrets(VICTIM, "db"));
  expect(Buffer.from(secret?.data.password ?? "", "base64").toString()).toBe("payroll's");
  const live = await admin.get<Resource>(networks(VICTIM, "payroll"));
  expect(live?.metadata.deletionTimestamp).toBeUndefined();
  expect(live?.metadata.uid).toBe(victimNetwork);
}

let victimNetwork: string | undefined;

beforeAll(async () => {
  const { kubeconfig } = inject("cluster");
  admin = textClient(createClient(await loadKubeconfig(kubeconfig, {})));
  tenant = await createTenant(kubeconfig, "tenant-01");
  await admin.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: VICTIM } });
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "db" }, stringData: { password: "payroll's" } };
  await admin.create(secrets(VICTIM), secret);
  const made = await admin.create<Resource>(networks(VICTIM), network("payroll", VICTIM));
  victimNetwork = made.metadata.uid;
});

afterAll(async () => {
  await tenant.close();
  await admin.close();
});

describe("1: a release Secret that its tenant changed", () => {
  it("runs no hook when its object is deleted", async () => {
    const { copy } = await install("hooked");
    await forge(copy, () => ({ hooks: [hookOf(theft)] }));
    await remove("hooked");
    await expectVictimIntact();
    await vi.waitFor(async () => {
      expect(await tenant.client.get(networks("tenant-01", "hooked-net"))).toBeNull();
    }, LIMIT);
  });

  it("deletes nothing that a manifest in it names, by an upgrade or a deletion", async () => {
    const { copy, release } = await install("edited");
    const foreign = `---\n${JSON.stringify(network("payroll", VICTIM))}\n`;
    await forge(copy, ({ manifest }) => ({ manifest: `${String(manifest)}\n${foreign}` }));
    await tenant.client.patch(objects("edited"), "merge", { spec: { tags: { step: "two" } } });
    await vi.waitFor(async () => {
      const [first, second] = await copiesOf(release);
      expect(second?.metadata.labels?.["status"]).toBe("deployed");
      expect(String(openRelease(first?.data.release ?? "")["manifest"])).not.toContain(VICTIM);
    }, LIMIT);
    await expectVictimIntact();
    await remove("edited");
    await expectVictimIntact();
  });

  it("is of no effect while it is swapped in the middle of upgrades and of the deletion", async () => {
    const { copy, release } = await install("swapped");
    const foreign = `---\n${JSON.stringify(network("payroll", VICTIM))}\n`;
    let swapping = true;
    let swaps = 0;
    const swap = async (): Promise<void> => {
      while (swapping) {
        const change = { hooks: [hookOf(theft)], manifest: foreign };
        await forge(copy, () => change).then(
          () => (swaps += 1),
          () => undefined,
        );
        await sleep(5);
      }
    };
    const swapped = swap();
    /** The swaps go on while something happens: a busy machine makes few of them. */
    const isSwapping = async (): Promise<void> => {
      const before = swaps;
      await vi.waitFor(() => expect(swaps).toBeGreaterThan(before + 1), LIMIT);
    };
    for (const [index, step] of ["two", "three"].entries()) {
      await isSwapping();
      await tenant.client.patch(objects("swapped"), "merge", { spec: { tags: { step } } });
      await vi.waitFor(async () => expect(await newestRevision(release)).toBeGreaterThanOrEqual(index + 2), LIMIT);
    }
    await isSwapping();
    await remove("swapped");
    swapping = false;
    await swapped;
    expect(swaps).toBeGreaterThanOrEqual(6);
    await expectVictimIntact();
    await tenant.client.remove(secrets("tenant-01", nameOf(copy)));
  });

  it("of a revision that nobody rendered is never run, and is removed", async () => {
    const { copy, release } = await install("foreign");
    const manifest = `---\n${JSON.stringify(network("payroll", VICTIM))}\n`;
    const forged = { ...openRelease(copy.data.release), manifest, version: 2, hooks: [hookOf(theft)] };
    const labels = { ...copy.metadata.labels, version: "2" };
    await tenant.client.create(secrets("tenant-01"), {
      ...{ apiVersion: "v1", kind: "Secret", type: "helm.sh/release.v1", data: { release: packRelease(forged) } },
      metadata: { name: `sh.helm.release.v1.${release}.v2`, labels },
    });
    await tenant.client.patch(objects("foreign"), "merge", { spec: { tags: { step: "two" } } });
    await vi.waitFor(async () => {
      const [, second] = await copiesOf(release);
      const { manifest: now } = openRelease(second?.data.release ?? "");
      expect(String(now)).toContain("foreign-net");
    }, LIMIT);
    await remove("foreign");
    await expectVictimIntact();
  });

  it("leaves nothing behind when all of them are deleted before their object", async () => {
    const { release } = await install("bare");
    await vi.waitFor(async () => {
      const { status } = (await tenant.client.get<Resource>(objects("bare"))) ?? {};
      expect(status?.["conditions"]).toContainEqual(expect.objectContaining({ type: "Ready", status: "True" }));
    }, LIMIT);
    for (const copy of await copiesOf(release)) await tenant.client.remove(secrets("tenant-01", nameOf(copy)));
    expect(await madeBy(release)).toEqual(["ComputeInstance", "ComputeNetwork", "ComputeSubnetwork"]);
    await tenant.client.remove(objects("bare"));
    await vi.waitFor(async () => {
      // The object goes last.
      const isThere = (await tenant.client.get(objects("bare"))) !== null;
      const left = await madeBy(release);
      expect(isThere || left.length === 0).toBe(true);
      expect(isThere).toBe(false);
    }, LIMIT);
    expect(await madeBy(release)).toEqual([]);
  });
});
