import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { conditionsOf } from "../../../src/model/kubernetes.ts";
import { isObject } from "../../../src/model/json.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { leaveOut } from "../../support/composition/leave-out.ts";
import { createTenant, type Tenant } from "../../support/composition/tenant.ts";
import { textClient, type TextClient } from "../../support/text-client.ts";

const NAMESPACE = "replay-09";
const COLLECTION = `/apis/composition.krateo.io/v0-1-0/namespaces/${NAMESPACE}/vmtemplates`;
const LIMIT = { timeout: 60_000, interval: 200 };
const run = promisify(execFile);
const { kubeconfig } = inject("cluster");

let admin: KubeClient & TextClient;
let tenant: Tenant;
let kubectl: string;
let base: string;

const about = { apiVersion: "composition.krateo.io/v0-1-0", kind: "VmTemplate" };
const spec = { cpu: 2, memory: 4, provider: "gcp" };
const sealOf = ({ metadata }: Resource): string[] => (metadata.annotations?.["landfall.dev/seal"] ?? "").split(".");
const read = (name: string) => tenant.client.get<Resource>(`${COLLECTION}/${name}`);
const decisionOf = ({ metadata }: Resource): Record<string, unknown> => {
  const decision: unknown = JSON.parse(metadata.annotations?.["landfall.dev/decision"] ?? "{}");
  return isObject(decision) ? decision : {};
};

/** As a tenant sends it again. */
const copyOf = (object: Resource, metadata: Partial<Resource["metadata"]>): Resource => ({
  ...about,
  metadata: { annotations: object.metadata.annotations ?? {}, ...metadata },
  spec: object.spec ?? {},
});

const installed = (name: string): Promise<Resource> =>
  vi.waitFor(async () => {
    const object = await read(name);
    expect(object?.status?.["managed"]).toBeDefined();
    return object as Resource;
  }, LIMIT);

const syncedOf = (object: Resource) => conditionsOf(object).find(({ type }) => type === "Synced");

/** Changes a spec while the webhooks leave out this namespace, which the webhook corrects after some seconds. */
async function changeUnseen(name: string, change: object): Promise<Resource> {
  const path = `${COLLECTION}/${name}`;
  const patch = (spec: object, query = "") => tenant.client.patch<Resource>(path + query, "merge", { spec });
  return vi.waitFor(async () => {
    const before = (await read(name)) as Resource;
    await leaveOut(admin, NAMESPACE);
    expect(sealOf(await patch(change, "?dryRun=All"))).toEqual(sealOf(before));
    const changed = await patch(change);
    // The webhook was there again.
    if (sealOf(changed).join() !== sealOf(before).join())
      await patch(Object.fromEntries(Object.keys(change).map((field) => [field, before.spec?.[field] ?? null])));
    expect(sealOf(changed)).toEqual(sealOf(before));
    return changed;
  }, LIMIT);
}

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-replay-"));
  kubectl = await toolPath("kubectl");
  admin = textClient(createClient(await loadKubeconfig(kubeconfig, {})));
  tenant = await createTenant(kubeconfig, NAMESPACE);
});

afterAll(async () => {
  await Promise.all([tenant.close(), admin.close()]);
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

const create = (object: object, query = ""): Promise<Resource> =>
  tenant.client.create<Resource>(`${COLLECTION}${query}`, object);

describe("9: on the API server", () => {
  it("a copy under another generated name is decided again, and both are installed", async () => {
    const first = await create({ ...about, metadata: { generateName: "web-" }, spec });
    const copy = await create(copyOf(first, { generateName: "web-" }));
    const names = [first, copy].map(({ metadata }) => metadata.name ?? "");
    const objects = await Promise.all(names.map(installed));
    const ids = objects.map((object) => sealOf(object)[4]);
    expect(new Set(ids).size).toBe(2);
    for (const [index, object] of objects.entries()) {
      const path = `/api/v1/namespaces/landfall-system/secrets/landfall.decision.${ids[index] ?? ""}`;
      const binding = await admin.get<Resource>(path);
      expect(binding?.metadata.annotations).toEqual({ "landfall.dev/bound-uid": object.metadata.uid });
      await expect(tenant.client.get(path)).rejects.toMatchObject({ status: 403 });
    }
  });

  it("an update is signed for the uid, and what a tenant signs itself is not accepted", async () => {
    await create({ ...about, metadata: { name: "updated" }, spec });
    const before = await installed("updated");
    const changed = await tenant.client.patch<Resource>(`${COLLECTION}/updated`, "merge", { spec: { cpu: 4 } });
    expect(sealOf(changed).slice(0, 2)).toEqual(["v3", "uid"]);
    expect(sealOf(changed)[4]).toBe(before.metadata.uid);
    const annotations = { "landfall.dev/seal": before.metadata.annotations?.["landfall.dev/seal"] };
    const again = await tenant.client.patch<Resource>(`${COLLECTION}/updated`, "merge", { metadata: { annotations } });
    expect(sealOf(again)).toEqual(sealOf(changed));
  });

  it("an object that is deleted and created again with its decision is decided again", async () => {
    await create({ ...about, metadata: { name: "again" }, spec: { ...spec, duration: "1h" } });
    const first = await installed("again");
    await tenant.client.remove(`${COLLECTION}/again`);
    await vi.waitFor(async () => expect(await read("again")).toBeNull(), LIMIT);
    const second = await create(copyOf(first, { name: "again" }));
    expect(sealOf(second)[4]).not.toBe(sealOf(first)[4]);
    expect(decisionOf(second)["written"]).toEqual(decisionOf(first)["written"]);
    await installed("again");
  });

  it("one that starts tomorrow does not start today if it is deleted and created again without its pause", async () => {
    const schedulingTime = new Date(Date.now() + 86_400_000).toISOString().replace(/\.\d+Z$/, "Z");
    const first = await create({ ...about, metadata: { name: "night" }, spec: { ...spec, schedulingTime } });
    expect(first.metadata.annotations?.["krateo.io/paused"]).toBe("true");
    await tenant.client.remove(`${COLLECTION}/night`);
    await vi.waitFor(async () => expect(await read("night")).toBeNull(), LIMIT);
    const { "krateo.io/paused": _, ...annotations } = first.metadata.annotations ?? {};
    const second = await create(copyOf(first, { name: "night", annotations }));
    expect(sealOf(second)[4]).not.toBe(sealOf(first)[4]);
    expect(second.metadata.annotations?.["krateo.io/paused"]).toBe("true");
  });

  it("a dry run, kubectl diff and kubectl apply work as before, and a dry run's answer is decided again", async () => {
    const dry = await create({ ...about, metadata: { name: "dry" }, spec }, "?dryRun=All");
    expect(sealOf(dry).slice(0, 2)).toEqual(["v3", "preview"]);
    const real = await create(copyOf(dry, { name: "dry" }));
    expect(sealOf(real).slice(0, 2)).toEqual(["v3", "create"]);
    const file = join(base, "applied.json");
    const call = (...args: string[]) =>
      run(kubectl, ["--kubeconfig", kubeconfig, "-n", NAMESPACE, ...args, "-f", file]);
    await writeFile(file, JSON.stringify({ ...about, metadata: { name: "applied" }, spec }));
    await call("apply", "--dry-run=server");
    await call("apply");
    expect((await call("diff")).stdout).toBe("");
    expect((await call("apply")).stdout).toContain("unchanged");
    await writeFile(file, JSON.stringify({ ...about, metadata: { name: "applied" }, spec: { ...spec, cpu: 4 } }));
    await expect(call("diff")).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining("+  cpu: 4") as string,
    });
    await installed("applied");
    expect((await call("apply")).stdout).toContain("configured");
  });

  it("a spec that was changed while no webhook was called is installed once it is accepted, and not if it is denied", async () => {
    for (const name of ["holder", "outage"]) await create({ ...about, metadata: { name }, spec });
    const before = await installed("outage");
    const accepted = await changeUnseen("outage", { tags: { team: "b" } });
    expect(sealOf(accepted)).toEqual(sealOf(before));
    const signed = await vi.waitFor(async () => {
      const object = (await read("outage")) as Resource;
      expect(sealOf(object)).not.toEqual(sealOf(before));
      expect(syncedOf(object)?.status).toBe("True");
      return object;
    }, LIMIT);
    expect(signed.spec).toEqual(accepted.spec);
    const { vmName } = await changeUnseen("outage", { vmName: "holder" }).then((object) => object.spec ?? {});
    expect(vmName).toBe("holder");
    await vi.waitFor(async () => {
      const { message = "" } = syncedOf((await read("outage")) as Resource) ?? {};
      expect(message).toMatch(/it is denied now: .+POL_VM_NAME_TAKEN.+\[REL_SPEC_CHANGED\]$/s);
    }, LIMIT);
    expect((await read("outage"))?.metadata.annotations).toEqual(signed.metadata.annotations);
    await tenant.client.patch(`${COLLECTION}/outage`, "merge", { spec: { vmName: null } });
    await vi.waitFor(async () => expect(syncedOf((await read("outage")) as Resource)?.status).toBe("True"), LIMIT);
  });
});
