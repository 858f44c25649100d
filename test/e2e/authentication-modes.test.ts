// The chart on an API server that shows webhooks no identity, as on EKS, GKE and AKS.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { apiPath } from "../../src/cluster/api-path.ts";
import { ApiError } from "../../src/cluster/client/api-error.ts";
import { applyObject } from "../../src/local/control-plane/apply-object.ts";
import type { Resource } from "../../src/model/kubernetes.ts";
import { ANNOTATION, API_VERSION } from "../../src/model/names.ts";
import type { WorkloadObject } from "../../src/model/workload.ts";
import { reviewOf } from "../support/admission.ts";
import { useOf } from "../support/services/authenticating-webhook.ts";
import { type InstalledChart, NAMESPACE, prepareChart } from "../support/charts/installed-chart.ts";
import { renderLandfall } from "../support/charts/render-landfall.ts";
import { ownAddress, type RunningPod, untilReady } from "../support/charts/run-pods.ts";

const VMS = apiPath`/apis/${"composition.krateo.io"}/${"v0-2-0"}/namespaces/${"demo"}/vmtemplates`;
const pathOf = (name: string) =>
  apiPath`/apis/${"composition.krateo.io"}/${"v0-2-0"}/namespaces/${"demo"}/vmtemplates/${name}`;
const MACHINES = apiPath`/apis/compute.azure.com/v1api20220301/namespaces/demo/virtualmachines`;

let chart: InstalledChart;
let webhook: RunningPod;
let controller: RunningPod;

const machine = (name: string, spec: Record<string, unknown> = {}): WorkloadObject => ({
  ...{ apiVersion: API_VERSION, kind: "VmTemplate", metadata: { name, namespace: "demo" } },
  spec: { cpu: 2, memory: 4, provider: "azure", ...spec },
});
const get = (name: string) => chart.plane.client.get<Resource>(pathOf(name));
const useOfStored = async (name: string): Promise<string | null> => {
  const object = await get(name);
  return object === null ? null : useOf(object);
};
const machines = async (): Promise<string[]> => {
  const found = await chart.plane.client.get<{ items: Resource[] }>(MACHINES);
  return (found?.items ?? []).map(({ metadata }) => metadata.name ?? "");
};
const messageOf = (thrown: unknown): string => (thrown instanceof ApiError ? thrown.detail : String(thrown));
const wait = { timeout: 90_000, interval: 300 };

/** An answer to a Pod of the cluster network, which shows nothing. */
async function askAsPod(path: string, body: string): Promise<{ allowed: boolean; patch: string; message: string }> {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const url = `https://${ownAddress()}:${String(webhook.ports["https"])}${path}`;
  const headers = { "content-type": "application/json" };
  const answer = await request(url, { method: "POST", body, headers, dispatcher });
  const { response } = (await answer.body.json()) as {
    response: { allowed: boolean; patch?: string; status?: { message: string } };
  };
  await dispatcher.close();
  const patch = Buffer.from(response.patch ?? "", "base64").toString();
  return { allowed: response.allowed, patch, message: response.status?.message ?? "" };
}

/** The object with the values and annotations that an answer adds. */
function withAnswer(object: WorkloadObject, patch: string): WorkloadObject {
  const spec = { ...object.spec };
  const annotations: Record<string, string> = {};
  for (const { path, value } of JSON.parse(patch) as { path: string; value: string }[]) {
    const [, first, second = "", third = ""] = path.split("/");
    if (first === "spec") spec[second] = value;
    else if (third !== "") annotations[third.replaceAll("~1", "/")] = value;
  }
  return { ...object, spec, metadata: { ...object.metadata, annotations } };
}

beforeAll(async () => {
  chart = await prepareChart(
    () => Promise.resolve({ door: "none" }),
    async (base) => {
      const file = join(base, "admission.yaml");
      await writeFile(file, "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins: []\n");
      return { "admission-control-config-file": file };
    },
  );
  const { output, failed } = await chart.install();
  expect([failed, output]).toEqual([
    false,
    expect.stringContaining("Every Pod of the cluster can connect to the webhook"),
  ]);
  webhook = await chart.start("Deployment landfall-webhook", 0);
  controller = await chart.start("Deployment landfall-controller", 0);
  await Promise.all([untilReady(webhook), untilReady(controller)]);
  await chart.announce("webhook-0", webhook);
});

afterAll(() => chart.stop());

describe("a VmTemplate, where the API server shows no identity", () => {
  it("is stored with an offer, confirmed by the leader, and installed", async () => {
    const create = async (): Promise<void> => {
      const made = await chart.plane.client.create<Resource>(VMS, machine("web")).catch(messageOf);
      expect(typeof made === "string" ? made : useOf(made as WorkloadObject)).toBe("offer");
    };
    await vi.waitFor(create, { timeout: 120_000, interval: 500 });
    await vi.waitFor(async () => expect(await useOfStored("web"), await controller.log()).toBe("uid"), wait);
    expect((await get("web"))?.metadata.annotations).not.toHaveProperty([ANNOTATION.confirm]);
    await vi.waitFor(async () => expect(await machines(), await controller.log()).toHaveLength(1), wait);
  });

  it("is resized in place, after another confirmation", async () => {
    const answer = await chart.plane.client.patch<Resource>(pathOf("web"), "merge", { spec: { cpu: 4, memory: 8 } });
    expect(useOf(answer as WorkloadObject)).toBe("offer");
    const before = answer.spec?.["schedulingLocation"];
    await vi.waitFor(async () => expect(await useOfStored("web")).toBe("uid"), wait);
    const object = await get("web");
    expect([object?.spec?.["cpu"], object?.spec?.["schedulingLocation"]]).toEqual([4, before]);
    await vi.waitFor(async () => {
      const found = await chart.plane.client.get<{ items: Resource[] }>(MACHINES);
      const [one] = found?.items ?? [];
      expect(JSON.stringify(one?.spec)).toContain(String(object?.spec?.["instanceType"]));
    }, wait);
  });

  it("270: keeps the name of its machine while the offer of a change is not confirmed", async () => {
    expect((await get("web"))?.spec?.["vmName"]).toBeUndefined();
    await controller.stop();
    const answer = await chart.plane.client.patch<Resource>(pathOf("web"), "merge", { spec: { memory: 16 } });
    expect(useOf(answer as WorkloadObject)).toBe("offer");
    const namesake = (): Promise<string> =>
      chart.plane.client.create(VMS, machine("namesake", { vmName: "web" }), { dryRun: "All" }).then(String, messageOf);
    // Longer than the webhook takes to see the change.
    for (let time = 0; time < 10; time += 1) {
      expect(await namesake()).toContain("POL_VM_NAME_TAKEN");
      await sleep(200);
    }
    controller = await chart.start("Deployment landfall-controller", 0);
    await vi.waitFor(async () => expect(await useOfStored("web"), await controller.log()).toBe("uid"), wait);
  });

  it("that waits for its start is confirmed before it", async () => {
    const start = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, "");
    await chart.plane.client.create(VMS, machine("later", { schedulingTime: start }));
    await vi.waitFor(async () => expect(await useOfStored("later")).toBe("uid"), wait);
    expect((await get("later"))?.metadata.annotations?.[ANNOTATION.paused]).toBe("true");
    await chart.plane.client.remove(pathOf("later"));
  });

  it("waits if others were confirmed first and fill the quota, and goes on when there is room", async () => {
    const quota = { metadata: { annotations: { "landfall.dev/quota-objects": "2" } } };
    await chart.plane.client.patch(apiPath`/api/v1/namespaces/demo`, "merge", quota);
    // Both are offered room for one.
    const made = await Promise.all(
      ["b", "c"].map((name) => chart.plane.client.create<Resource>(VMS, machine(name)).then(() => name, messageOf)),
    );
    expect(made).toEqual(["b", "c"]);
    const reasons = async (): Promise<string[]> => {
      const all = await Promise.all(["b", "c"].map((name) => get(name)));
      return all
        .flatMap((object) => {
          const conditions = (object?.status?.["conditions"] ?? []) as { type: string; message: string }[];
          return conditions.filter(({ type, message }) => type === "Synced" && message.includes("REL_UNCONFIRMED"));
        })
        .map(({ message }) => message);
    };
    await vi.waitFor(async () => expect(await reasons()).toEqual([expect.stringContaining("POL_QUOTA")]), wait);
    const uses = await Promise.all(["b", "c"].map((name) => useOfStored(name)));
    expect(uses.toSorted()).toEqual(["offer", "uid"]);
    expect((await machines()).length).toBeLessThanOrEqual(2);
    await chart.plane.client.remove(pathOf(uses[0] === "uid" ? "b" : "c"));
    const other = uses[0] === "uid" ? "c" : "b";
    await vi.waitFor(async () => expect(await useOfStored(other)).toBe("uid"), { ...wait, timeout: 150_000 });
    await chart.plane.client.remove(pathOf(other));
    const none = { metadata: { annotations: { "landfall.dev/quota-objects": null } } };
    await chart.plane.client.patch(apiPath`/api/v1/namespaces/demo`, "merge", none);
    await vi.waitFor(async () => expect(await machines()).toHaveLength(1), wait);
  });

  it("passes what `helm test` runs, which says how the API server comes", async () => {
    const { objects } = await renderLandfall(chart.values, { args: ["--show-only", "templates/lifecycle/test.yaml"] });
    for (const object of objects.filter(({ kind }) => kind !== "Pod")) await applyObject(chart.plane.client, object);
    const doctor = await chart.start("Pod landfall-doctor", 0);
    expect([await doctor.ended, await doctor.log()]).toEqual([
      0,
      expect.stringContaining("the API server shows no identity: decisions are provisional"),
    ]);
  });
});

describe("60: a Pod of the cluster network", () => {
  it("gets an offer, which no controller installs", async () => {
    // Only while the API server does not call the webhook can an object keep what somebody brought along.
    const suspended = { metadata: { annotations: { "landfall.dev/webhooks-suspended": "test" } } };
    await chart.plane.client.patch(apiPath`/api/v1/namespaces/${NAMESPACE}`, "merge", suspended);
    const { output } = await chart.run(
      ...(["kubectl", "delete", "mutatingwebhookconfigurations/placement.landfall.dev"] as const),
      "validatingwebhookconfigurations/guard.landfall.dev",
    );
    expect(output).toContain("deleted");
    const wanted = machine("stolen");
    const { allowed, patch, message } = await askAsPod("/mutate", reviewOf(wanted));
    expect([allowed, message]).toEqual([true, ""]);
    const before = await machines();
    await chart.plane.client.create(VMS, withAnswer(wanted, patch));
    await vi.waitFor(async () => {
      const conditions = JSON.stringify((await get("stolen"))?.status?.["conditions"] ?? []);
      expect(conditions, await controller.log()).toContain("REL_UNCONFIRMED");
    }, wait);
    expect([await useOfStored("stolen"), await machines()]).toEqual(["offer", before]);
  });

  it("does not learn what another namespace's object was decided to", async () => {
    const stored = await get("web");
    const oldObject = { ...machine("web"), metadata: { name: "web", namespace: "demo", uid: "guessed" } };
    const { allowed, message } = await askAsPod(
      "/mutate",
      reviewOf(machine("web"), { operation: "UPDATE", oldObject }),
    );
    expect([allowed, message]).toEqual([false, expect.stringContaining("ADM_OLD_OBJECT")]);
    expect(message).not.toContain(String(stored?.metadata.uid));
  });

  it("is confirmed honestly once the webhooks are back", async () => {
    const again = { metadata: { annotations: { "landfall.dev/webhooks-suspended": null } } };
    await chart.plane.client.patch(apiPath`/api/v1/namespaces/${NAMESPACE}`, "merge", again);
    await vi.waitFor(async () => expect(await useOfStored("stolen")).toBe("uid"), { ...wait, timeout: 150_000 });
  });

  it("has had every process ask for nothing that it has no right to", async () => {
    const logs = await Promise.all(chart.pods.map((pod) => pod.log()));
    expect(logs.join("\n")).not.toMatch(/forbidden/i);
  });
});
