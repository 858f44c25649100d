import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createClient, type KubeClient } from "../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../src/cluster/client/load-kubeconfig.ts";
import type { Resource } from "../../src/composition/types.ts";
import { type Landfall, startLandfall } from "../../src/local/landfall/start-landfall.ts";
import { type Emergency, emergencyMetadata, readEmergencies } from "../../src/model/emergency.ts";
import { formatTime, nowSeconds } from "../../src/model/time.ts";
import { textClient, type TextClient } from "../support/text-client.ts";
import { conditionOf, until } from "./composition/cluster-under-test.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const API = "composition.krateo.io/v0-2-0";
const SECRET = "/api/v1/namespaces/landfall-system/secrets/landfall.emergencies";
const CONFIGURATIONS = [
  "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/placement.landfall.dev",
  "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/guard.landfall.dev",
];
const CHOSEN = {
  ...{ provider: "aws", schedulingLocation: "eu-south-1", instanceType: "m7i.large", zone: "eu-south-1a" },
  image: "ami-0123456789abcdef0",
};

const LIMIT = { timeout: 60_000, interval: 200 };

let base: string;
let landfall: Landfall;
let api: TextClient & KubeClient;

const pathOf = (namespace: string, name: string) => `/apis/${API}/namespaces/${namespace}/vmtemplates/${name}`;
const read = (namespace: string, name: string) => api.get<Resource>(pathOf(namespace, name));

const create = (namespace: string, name: string, spec: object = {}) =>
  api.create<Resource>(`/apis/${API}/namespaces/${namespace}/vmtemplates`, {
    ...{ apiVersion: API, kind: "VmTemplate", metadata: { name, namespace } },
    spec: { cpu: 2, memory: 8, ...spec },
  });

const breakGlass = (...args: string[]) =>
  execa(process.execPath, ["bin/landfall.js", "break-glass", "--kubeconfig", landfall.kubeconfig, ...args], {
    cwd: root,
    reject: false,
  });

async function conditions(): Promise<string[]> {
  const found = await Promise.all(
    CONFIGURATIONS.map((path) =>
      api.get<{ webhooks: { matchConditions?: { name: string; expression: string }[] }[] }>(path),
    ),
  );
  return found.flatMap((one) =>
    (one?.webhooks ?? []).flatMap(({ matchConditions = [] }) =>
      matchConditions.filter(({ name }) => name === "no-emergency").map(({ expression }) => expression),
    ),
  );
}

const isDecided = (object: Resource | null): boolean =>
  object?.metadata.annotations?.["landfall.dev/decision"] !== undefined;

const installed = (name: string) =>
  until(async () => {
    const object = await read("demo", name);
    return conditionOf(object, "Synced")?.reason === "ReconcileSuccess" && object;
  }, 60);

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-emergency-"));
  landfall = await startLandfall({
    ...{ dir: base, env: process.env, namespace: "demo", speed: 20 },
    components: ["webhook", "composition", "simulators"],
  });
  api = textClient(createClient(await loadKubeconfig(landfall.kubeconfig, {})));
  await api.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } });
});

afterAll(async () => {
  await api.close();
  await landfall.stop();
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

// In a cluster of its own: others need the guard at every moment.
it("3: a webhook configuration is put back with the webhook's own rights, changed or deleted", async () => {
  const [, path = ""] = CONFIGURATIONS;
  const guard = () => api.get<{ webhooks: { failurePolicy: string }[] }>(path);
  const before = await guard();
  const [{ failurePolicy } = { failurePolicy: "none" }] = before?.webhooks ?? [];
  expect(failurePolicy).toBe("Fail");
  await api.patch(path, "json", [{ op: "replace", path: "/webhooks/0/failurePolicy", value: "Ignore" }]);
  await vi.waitFor(async () => expect((await guard())?.webhooks[0]?.failurePolicy).toBe("Fail"), LIMIT);
  await api.remove(path);
  await vi.waitFor(async () => expect((await guard())?.webhooks).toEqual(before?.webhooks), LIMIT);
  // The Event is written after the configuration.
  const said = async (): Promise<string[]> => {
    const events = await api.get<{ items: { message: string }[] }>("/api/v1/namespaces/default/events");
    return (events?.items ?? []).map(({ message }) => message);
  };
  const deleted: unknown = expect.stringContaining("ValidatingWebhookConfiguration guard.landfall.dev was deleted");
  await vi.waitFor(async () => expect(await said()).toContainEqual(deleted), LIMIT);
});

describe("landfall break-glass", () => {
  it.each<[string, string[], string]>([
    ["no reason", ["-n", "demo", "--for", "30m"], "needs --for and --reason"],
    ["no namespace", ["--for", "30m", "--reason", "x"], "write --namespace NAME"],
    ["both", ["-n", "demo", "--all-namespaces", "--for", "30m", "--reason", "x"], "write --namespace NAME"],
    ["all of them for long", ["--all-namespaces", "--for", "2h", "--reason", "x"], "lasts 1h at most"],
    ["too long", ["-n", "demo", "--for", "2d", "--reason", "x"], "from 1m to 24h"],
    ["a namespace that does not exist", ["-n", "nope", "--for", "30m", "--reason", "x"], "there is no namespace nope"],
    ["a name with a quote", ["-n", "demo'] || true", "--for", "30m", "--reason", "x"], "the name of a namespace"],
  ])("refuses %s", async (_name, args, text) => {
    const { exitCode, stderr } = await breakGlass(...args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)]);
    expect(await conditions()).toEqual([]);
  });

  it("switches admission off for one namespace, and its objects install if they name what admission chooses", async () => {
    const { stdout, exitCode } = await breakGlass(
      "-n",
      "demo",
      "--for",
      "10m",
      "--reason",
      "INC-42: the bundle is broken",
    );
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("admission is off for demo until")]);
    expect(await conditions()).toEqual(["!(request.namespace in ['demo'])", "!(request.namespace in ['demo'])"]);
    // The API server follows a moment later.
    await until(async () => {
      const object = await create("demo", "lacks-a-type");
      if (!isDecided(object)) return true;
      await api.remove(pathOf("demo", "lacks-a-type"));
      await until(async () => (await read("demo", "lacks-a-type")) === null, 30);
      return false;
    }, 60);
    const held = await until(async () => {
      const object = await read("demo", "lacks-a-type");
      return conditionOf(object, "Synced")?.message.includes("[REL_EMERGENCY]") === true && object;
    }, 30);
    expect(conditionOf(held, "Synced")?.message).toContain("spec.provider, spec.schedulingLocation, spec.instanceType");
    await api.patch(pathOf("demo", "lacks-a-type"), "merge", { spec: CHOSEN });
    expect(isDecided(await installed("lacks-a-type"))).toBe(false);
    const events = await api.get<{ items: { reason: string; message: string }[] }>("/api/v1/namespaces/demo/events");
    const event = events?.items.find(({ reason }) => reason === "InstalledInEmergency");
    expect(event?.message).toContain("INC-42: the bundle is broken");
    // Other namespaces are decided, and the webhook, which looks every five seconds, leaves the condition.
    expect(isDecided(await create("other", "as-usual"))).toBe(true);
    const restored = await execa("grep", ["-c", "RegistrationRestored", landfall.stage.paths.log("webhook")], {
      reject: false,
    });
    expect(restored.stdout).toBe("0");
  });

  it("ends with --end: objects are decided again, and what was installed stays", async () => {
    const { stdout } = await breakGlass("--end");
    expect(stdout).toBe("admission is on again for demo");
    expect(await conditions()).toEqual([]);
    await until(async () => isDecided(await create("demo", `decided-${String(Date.now())}`)), 30);
    expect(isDecided(await read("demo", "lacks-a-type"))).toBe(false);
    expect(conditionOf(await read("demo", "lacks-a-type"), "Synced")?.status).toBe("True");
    const { stdout: audit } = await execa(
      process.execPath,
      ["bin/landfall.js", "audit", "--kubeconfig", landfall.kubeconfig],
      { cwd: root, reject: false },
    );
    expect(audit).toContain("1 objects that were created while admission was switched off:");
    expect(audit).toMatch(
      /VmTemplate demo\/lacks-a-type: never decided: .* by landfall-admin: INC-42: the bundle is broken/,
    );
    // A change is decided: then it is an object like any other.
    await api.patch(pathOf("demo", "lacks-a-type"), "merge", { spec: { tags: { team: "a" } } });
    expect(isDecided(await read("demo", "lacks-a-type"))).toBe(true);
  });

  it("ends by itself: a webhook that runs removes the condition", async () => {
    await breakGlass("-n", "demo", "--for", "1m", "--reason", "a drill");
    expect(await conditions()).toHaveLength(2);
    const secret = await api.get<Resource>(SECRET);
    const soon = readEmergencies(secret).map((one: Emergency) => ({ ...one, until: formatTime(nowSeconds() + 1) }));
    await api.patch(SECRET, "merge", { metadata: { annotations: emergencyMetadata(soon).annotations } });
    await until(async () => (await conditions()).length === 0, 30);
    await until(async () => isDecided(await create("demo", `after-${String(Date.now())}`)), 30);
    expect(await conditions()).toEqual([]);
  });
});
