import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { readRetained, type Retained, retainedName } from "../../../src/model/runs/retained.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { runProcess } from "../../support/processes/run-process.ts";
import { createTenant, type Tenant } from "../../support/composition/tenant.ts";
import { textClient, type TextClient } from "../../support/text-client.ts";

const LIMIT = { timeout: 60_000, interval: 200 };
const { kubeconfig } = inject("cluster");
const SECRETS = "/api/v1/namespaces/landfall-system/secrets";
const objects = (name = "") =>
  `/apis/composition.krateo.io/v0-1-0/namespaces/tenant-13/vmtemplates${name && `/${name}`}`;

let admin: KubeClient & TextClient;
let tenant: Tenant;

beforeAll(async () => {
  admin = textClient(createClient(await loadKubeconfig(kubeconfig, {})));
  tenant = await createTenant(kubeconfig, "tenant-13");
  const annotations = { "landfall.dev/quota-objects": "1" };
  await admin.patch("/api/v1/namespaces/tenant-13", "merge", { metadata: { annotations } });
});

afterAll(async () => {
  await tenant.close();
  await admin.close();
});

const create = (name: string, spec: object, annotations: Record<string, string> = {}): Promise<Resource> =>
  tenant.client.create<Resource>(objects(), {
    ...{ apiVersion: "composition.krateo.io/v0-1-0", kind: "VmTemplate" },
    ...{ metadata: { name, annotations }, spec: { cpu: 2, memory: 4, provider: "gcp", ...spec } },
  });

/** Installs an object and deletes it; returns what is recorded then. */
async function leave(name: string, spec: object, annotations: Record<string, string> = {}): Promise<Retained | null> {
  const { metadata } = await vi.waitFor(() => create(name, spec, annotations), LIMIT);
  await vi.waitFor(async () => {
    const object = await tenant.client.get<Resource>(objects(name));
    expect(object?.status?.["managed"]).toBeDefined();
  }, LIMIT);
  await tenant.client.remove(objects(name));
  await vi.waitFor(async () => expect(await tenant.client.get(objects(name))).toBeNull(), LIMIT);
  const secret = await admin.get<Resource>(`${SECRETS}/${retainedName(metadata.uid ?? "")}`);
  return secret === null ? null : readRetained(secret);
}

const command = (...args: string[]) => runProcess("bin/landfall.js", [...args, "--kubeconfig", kubeconfig]);

describe("13: a quota on the API server", () => {
  it.each([
    ["an orphaned release", {}, { "krateo.io/deletion-policy": "orphan" }, "orphan"],
    ["retained resources", { deletionPolicy: "retain" }, {}, "retain"],
  ])("counts %s until an authorised user acknowledges it", async (_, spec, annotations, why) => {
    const left = await leave(why, spec, annotations);
    expect(left).toMatchObject({ why, workload: { namespace: "tenant-13", name: why, vcpus: 2 } });
    const uid = left?.uid ?? "";
    await vi.waitFor(async () => {
      await expect(create(`next-${why}`, {})).rejects.toThrow("tenant-13 is full: 1 of 1 objects");
    }, LIMIT);
    await expect(tenant.client.remove(`${SECRETS}/${retainedName(uid)}`)).rejects.toMatchObject({ status: 403 });
    expect((await command("audit", "-n", "tenant-13")).out).toContain(`VmTemplate tenant-13/${why}: 2 vCPU`);
    const said = await command("acknowledge", uid, "--reason", "kept by the data team");
    expect(said).toMatchObject({ code: 0, err: "" });
    const record = await admin.get<Resource>(`${SECRETS}/${retainedName(uid)}`);
    expect(record && readRetained(record)?.acknowledged).toMatchObject({ reason: "kept by the data team" });
    await vi.waitFor(() => create(`next-${why}`, {}), LIMIT);
    await tenant.client.remove(objects(`next-${why}`));
    await vi.waitFor(async () => expect(await tenant.client.get(objects(`next-${why}`))).toBeNull(), LIMIT);
  });

  it("counts retained resources also against an object of the same name", async () => {
    const left = await leave("again", { deletionPolicy: "retain" });
    expect(left).toMatchObject({ why: "retain", workload: { name: "again" } });
    await vi.waitFor(async () => {
      await expect(create("again", { deletionPolicy: "retain" })).rejects.toThrow("tenant-13 is full: 1 of 1 objects");
    }, LIMIT);
    expect(await command("acknowledge", left?.uid ?? "", "--reason", "test")).toMatchObject({ code: 0 });
  });
});
