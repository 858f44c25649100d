import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import { shareSlots } from "../../../../src/cluster/queue/share-slots.ts";
import { isObject } from "../../../../src/model/json.ts";
import { conditionsOf, type Resource } from "../../../../src/model/kubernetes.ts";
import { PLURALS } from "../../../../src/elemento/kinds.ts";
import type { OperatorContext } from "../../../../src/elemento/operator/context.ts";
import { countMetrics } from "../../../../src/elemento/operator/metrics.ts";
import { viewAccount } from "../../../../src/elemento/operator/account-view.ts";
import { reconcileObject } from "../../../../src/elemento/operator/reconcile-object.ts";
import { ownNamespaceOnly, readTenants, type Tenants } from "../../../../src/elemento/tenants.ts";
import { apiPath } from "../../../../src/cluster/api-path.ts";
import { openBoth } from "../../../unit/elemento/open-both.ts";
import { catalog } from "../../../unit/elemento/samples.ts";

/** The operator's reconciler on a double of Elemento, with an API server that only keeps objects. */
async function openOperator(tenants: Tenants) {
  const both = await openBoth({ listLagMs: 0 });
  onTestFinished(() => both[Symbol.asyncDispose]());
  const objects = new Map<string, Resource>();
  let nowMs = Date.now();
  const keyOf = ({ metadata }: Resource) => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
  const keep = (object: Resource) => {
    objects.set(keyOf(object), object);
    return Promise.resolve(object);
  };
  const client = {
    get: () => Promise.resolve(null),
    patch: (path: string, _type: string, body: { metadata: object }) => {
      const [, , , , , namespace = "", , name = ""] = path.split("/");
      const found = objects.get(`${namespace}/${name}`);
      return found ? keep({ ...found, metadata: { ...found.metadata, ...body.metadata } }) : Promise.resolve(null);
    },
    replace: (_path: string, body: Resource) => keep(body),
  } as unknown as KubeClient;
  const createSlot = shareSlots({ all: 4, group: 4 });
  const account = { api: both.api, view: viewAccount(both.api, () => nowMs), createSlot };
  const context: OperatorContext = {
    ...{ client, catalog, tenants, ownAccount: { namespace: "landfall-system", name: "elemento-account" } },
    accounts: { of: () => Promise.resolve(account), close: () => Promise.resolve() },
    ...{ record: () => undefined, log: pino({ level: "silent" }), metrics: countMetrics() },
    ...{ nowMs: () => nowMs, startedAt: nowMs - 3_600_000, resyncMs: 1000 },
    pendingNetworks: new Map(),
    list: () => [...objects.values()],
    find: (kind, namespace, name) => {
      const found = objects.get(`${namespace}/${name}`);
      return found?.kind === kind ? found : undefined;
    },
    wrote: (object) => void objects.set(keyOf(object), object),
  };

  async function once(key: string): Promise<void> {
    const object = objects.get(key);
    if (object === undefined) throw new TypeError(`no object ${key}`);
    const kind = object.kind as keyof typeof PLURALS;
    const { namespace = "", name = "" } = object.metadata;
    const path = apiPath`/apis/elemento.landfall.dev/v1alpha1/namespaces/${namespace}/${PLURALS[kind]}/${name}`;
    await reconcileObject(context, { kind, path, object }).catch(() => undefined);
    nowMs += 5000;
  }

  return {
    double: both.double,
    add(kind: keyof typeof PLURALS, namespace: string, name: string, spec: object): string {
      const metadata = { namespace, name, uid: `uid-${namespace}-${name}`, generation: 1 };
      const common = { name, provider: "ovh", deletionPolicy: "delete", ...spec };
      objects.set(`${namespace}/${name}`, {
        ...{ apiVersion: "elemento.landfall.dev/v1alpha1", kind, metadata },
        spec: common,
      });
      return `${namespace}/${name}`;
    },
    once,
    /** Reconciles the object until it says the same twice; answers its condition Ready. */
    async settle(key: string) {
      for (let round = 0; round < 12; round += 1) await once(key);
      const object = objects.get(key);
      return object && conditionsOf(object).find(({ type }) => type === "Ready");
    },
    idOf: (key: string): string => {
      const status = objects.get(key)?.status;
      return isObject(status) ? String(status["id"]) : "";
    },
    forget: (key: string) => objects.delete(key),
    claims(key: string, status: object) {
      const object = objects.get(key);
      if (object) objects.set(key, { ...object, status: { ...object.status, ...status } });
    },
  };
}

async function tenants(text: string): Promise<Tenants> {
  const folder = await mkdtemp(join(tmpdir(), "landfall-tenants-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "tenants.yaml");
  await writeFile(file, text);
  return readTenants(file, "landfall-system");
}

const NETWORK = { cidr: "10.1.0.0/24", private: true };
const VOLUME = { type: "data", sizeGB: 10, bootable: false, readonly: false, shareable: false, private: true };
const VM = {
  flavour: "neon",
  os: { family: "linux", flavour: "ubuntu", image: "ubuntu-24-04" },
  volumes: [{ name: "boot", type: "image", sizeGB: 50, bootable: true }],
  powerState: "running",
};
const TWO = "namespaces: { payroll: {}, evil: {} }";

describe("20: namespaces that share Elemento's account", () => {
  it("refuses objects without credentials in a namespace that may not use the operator's account", async () => {
    const operator = await openOperator(ownNamespaceOnly("landfall-system"));
    const ready = await operator.settle(operator.add("ElementoNetwork", "evil", "net", NETWORK));
    expect(ready).toMatchObject({ status: "False", severity: "Error", reason: "Tenant" });
    expect(operator.double.counts().networks.alive).toBe(0);
  });

  it("serves the namespace of the account itself", async () => {
    const operator = await openOperator(ownNamespaceOnly("landfall-system"));
    expect(await operator.settle(operator.add("ElementoNetwork", "landfall-system", "net", NETWORK))).toMatchObject({
      status: "True",
    });
  });

  it.each([
    ["network.existing", (id: string) => ({ network: { existing: id } })],
    ["additionalNetworks.existing", (id: string) => ({ additionalNetworks: [{ existing: id }] })],
  ])("does not let a machine join another namespace's network by %s", async (_field, choice) => {
    const operator = await openOperator(await tenants(TWO));
    const net = operator.add("ElementoNetwork", "payroll", "net", NETWORK);
    expect(await operator.settle(net)).toMatchObject({ status: "True" });
    const vm = operator.add("ElementoVm", "evil", "vm", { ...VM, ...choice(operator.idOf(net)) });
    expect(await operator.settle(vm)).toMatchObject({ status: "False", severity: "Error", reason: "Foreign" });
    expect(operator.double.counts()).toMatchObject({ vms: { alive: 0 }, volumes: { alive: 0 } });
    // Also after the object that made it is gone.
    operator.forget(net);
    expect(await operator.settle(vm)).toMatchObject({ reason: "Foreign" });
  });

  it("does not attach another namespace's volume", async () => {
    const operator = await openOperator(await tenants(TWO));
    const disk = operator.add("ElementoVolume", "payroll", "disk", VOLUME);
    expect(await operator.settle(disk)).toMatchObject({ status: "True" });
    const volumes = [...VM.volumes, { name: "data", type: "data", existing: operator.idOf(disk) }];
    const vm = operator.add("ElementoVm", "evil", "vm", { ...VM, volumes });
    expect(await operator.settle(vm)).toMatchObject({ reason: "Foreign" });
  });

  it("does not trust the id in the status of an ElementoVolume", async () => {
    const operator = await openOperator(await tenants(TWO));
    const disk = operator.add("ElementoVolume", "payroll", "disk", VOLUME);
    expect(await operator.settle(disk)).toMatchObject({ status: "True" });
    const fake = operator.add("ElementoVolume", "evil", "fake", VOLUME);
    operator.claims(fake, { id: operator.idOf(disk) });
    const volumes = [...VM.volumes, { name: "data", type: "data", volumeRef: { name: "fake" } }];
    const vm = operator.add("ElementoVm", "evil", "vm", { ...VM, volumes });
    expect(await operator.settle(vm)).toMatchObject({ reason: "Foreign" });
  });

  it("lets a namespace name its own network, also after its object is gone, and one that the platform allows", async () => {
    const operator = await openOperator(await tenants(TWO));
    const net = operator.add("ElementoNetwork", "payroll", "net", NETWORK);
    await operator.settle(net);
    const id = operator.idOf(net);
    operator.forget(net);
    const vm = operator.add("ElementoVm", "payroll", "vm", { ...VM, network: { existing: id } });
    expect(await operator.settle(vm)).toMatchObject({ status: "True" });
    const allowing = await tenants(`namespaces: { evil: { existing: [${id}] } }`);
    expect(allowing("evil")?.existing).toEqual([id]);
  });

  it("does not let one network take the addresses of all", async () => {
    const operator = await openOperator(await tenants(TWO));
    const net = operator.add("ElementoNetwork", "evil", "net", { ...NETWORK, cidr: "10.128.0.0/9" });
    expect(await operator.settle(net)).toMatchObject({ status: "False", severity: "Error", reason: "Cidr" });
    const vm = operator.add("ElementoVm", "evil", "vm", { ...VM, network: { cidr: "10.128.0.0/9" } });
    expect(await operator.settle(vm)).toMatchObject({ reason: "Cidr" });
    expect(operator.double.counts().networks.alive).toBe(0);
  });

  it("counts the addresses of a namespace's networks together, also of those that are made at once or retained", async () => {
    const operator = await openOperator(await tenants("namespaces: { evil: { addresses: 512 } }"));
    const keys = [1, 2, 3, 4].map((part) =>
      operator.add("ElementoNetwork", "evil", `net-${String(part)}`, {
        cidr: `10.${String(part)}.0.0/24`,
        private: true,
      }),
    );
    for (let round = 0; round < 4; round += 1) await Promise.all(keys.map(operator.once));
    expect(operator.double.counts().networks.alive).toBe(2);
    for (const key of keys) operator.forget(key);
    const more = operator.add("ElementoNetwork", "evil", "more", { cidr: "10.9.0.0/24", private: true });
    expect(await operator.settle(more)).toMatchObject({ reason: "Cidr" });
    expect(operator.double.counts().networks.alive).toBe(2);
  });

  it("keeps networks in the namespace's ranges, also those that a machine gets by itself", async () => {
    const operator = await openOperator(await tenants("namespaces: { evil: { cidrs: [10.200.0.0/16] } }"));
    const net = operator.add("ElementoNetwork", "evil", "net", NETWORK);
    expect(await operator.settle(net)).toMatchObject({ reason: "Cidr" });
    const vm = operator.add("ElementoVm", "evil", "vm", { ...VM, network: { dhcp: true } });
    expect(await operator.settle(vm)).toMatchObject({ status: "True" });
    expect([...operator.double.world.networks.values()].map(({ cidr }) => cidr)).toEqual([
      expect.stringMatching(/^10\.200\.\d+\.0\/24$/),
    ]);
  });

  it.each([
    ["namespaces: { a: { cidr: x } }", 'namespaces.a.cidr "x" is not a field; write cidrs: [x]'],
    ["namespaces: { a: { cidrs: [10.0.0.0] } }", "10.0.0.0"],
    ["names: {}", "namespaces is missing; write a map"],
    ["{", ""],
  ])("refuses the tenants file %s", async (text, detail) => {
    await expect(tenants(text)).rejects.toMatchObject({
      code: "ELEMENTO_TENANTS",
      message: expect.stringContaining(detail) as string,
    });
  });
});
