import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { sendRequest } from "../support/send-request.ts";
import { type ControlPlane, startControlPlane } from "../../src/local/control-plane/start-control-plane.ts";
import { isObject } from "../../src/model/json.ts";
import type { Double, DoubleOptions } from "../doubles/elemento/start-double.ts";
import { startDouble } from "../doubles/elemento/start-double.ts";
import { SCALE } from "../support/scale.ts";

const ENTRY = fileURLToPath(new URL("../../src/elemento/main.ts", import.meta.url));
const API = "elemento.landfall.dev/v1alpha1";
const BASE = `/apis/${API}/namespaces/default`;
const WAIT = { timeout: 60_000, interval: 100 };

let base: string;
let plane: ControlPlane;
let double: Double;
let operator: ChildProcess;
/** Resolves when the operator that was started last says that it works. */
let working: Promise<unknown>;

type Fields = Record<string, unknown>;
type Condition = Record<"type" | "status" | "reason" | "message" | "severity", string>;

function startOperator(): ChildProcess {
  const flags = [
    ...["--kubeconfig", plane.kubeconfigOf("elemento"), "--account", "landfall-system/elemento-account"],
    ...["--tenants", join(base, "tenants.yaml")],
  ];
  const rate = ["--requests-per-second", "200", "--resync", "3", "--timeout-seconds", "5"];
  // Each test starts one: without compiled code that is half of what they cost.
  const env = { NODE_COMPILE_CACHE: join(base, "compiled"), ...process.env };
  const child = spawn(process.execPath, [ENTRY, ...flags, ...rate], { stdio: ["ignore", "pipe", "inherit"], env });
  working = new Promise((resolve) => void child.stdout.once("data", resolve));
  child.stdout.resume();
  return child;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await ended;
}

async function writeSecret(namespace: string, name: string, data: Record<string, string>): Promise<void> {
  const body = { apiVersion: "v1", kind: "Secret", metadata: { name }, stringData: data };
  const path = `/api/v1/namespaces/${namespace}/secrets`;
  const { status } = await sendRequest(plane.client, path, { method: "POST", body });
  if (status === 409) {
    const request = { method: "PATCH", body } as const;
    expect((await sendRequest(plane.client, `${path}/${name}`, request)).status).toBe(200);
  } else expect(status).toBe(201);
}

async function begin(options: DoubleOptions = {}): Promise<void> {
  double = await startDouble(options);
  const { url } = double;
  await writeSecret("landfall-system", "elemento-account", { url, username: "landfall", password: "correct horse" });
  operator = startOperator();
}

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-elemento-"));
  await writeFile(join(base, "tenants.yaml"), "namespaces: { default: {} }\n");
  plane = await startControlPlane({ dir: join(base, "plane"), env: process.env });
});

afterAll(async () => {
  await plane.stop();
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

afterEach(async () => {
  await end(operator, "SIGTERM");
  await double.close();
});

const VM: Fields = {
  name: "web",
  provider: "ovh",
  flavour: "neon",
  os: { family: "linux", flavour: "ubuntu", image: "ubuntu-24-04" },
  volumes: [
    { name: "boot", type: "image", sizeGB: 50, bootable: true },
    { name: "seed", type: "cloud-init", sizeGB: 1 },
    { name: "data", type: "data", sizeGB: 100 },
  ],
  network: { dhcp: true },
};
const KAAS: Fields = {
  name: "edge",
  provider: "ovh",
  kubernetesVersion: "1.34",
  nodePools: [{ name: "a", minNodes: 3, maxNodes: 3, specs: { cpu: 2, memoryMiB: 2048, storageGB: 32 } }],
  kubeconfigSecret: { name: "edge-kubeconfig" },
};

async function apply(kind: string, plural: string, name: string, spec: Fields): Promise<string> {
  const body = { apiVersion: API, kind, metadata: { name }, spec };
  const answer = await sendRequest(plane.client, `${BASE}/${plural}`, { method: "POST", body });
  expect(answer.body["message"]).toBeUndefined();
  return `${BASE}/${plural}/${name}`;
}

async function statusOf(path: string): Promise<Fields> {
  const { body } = await sendRequest(plane.client, path);
  return isObject(body["status"]) ? body["status"] : {};
}

const conditionOf = (status: Fields, type: string): Condition | undefined =>
  (status["conditions"] as Condition[] | undefined)?.find((one) => one.type === type);

const until = (path: string, expected: Partial<Condition>): Promise<Fields> =>
  vi.waitFor(async () => {
    const status = await statusOf(path);
    expect(conditionOf(status, "Ready")).toMatchObject(expected);
    return status;
  }, WAIT);

async function remove(path: string): Promise<void> {
  await sendRequest(plane.client, path, { method: "DELETE" });
  await vi.waitFor(async () => {
    expect((await sendRequest(plane.client, path)).status).toBe(404);
  }, WAIT);
}

/** All objects of a kind. */
async function list(plural: string): Promise<{ status?: Fields }[]> {
  const { body } = await sendRequest(plane.client, `${BASE}/${plural}`);
  return body["items"] as { status?: Fields }[];
}

/** Many at once, which nobody asks for one by one. */
async function removeAll(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => sendRequest(plane.client, path, { method: "DELETE" })));
  await vi.waitFor(async () => {
    expect((await Promise.all(["elementovms", "elementokaases"].map(list))).flat()).toEqual([]);
  }, WAIT);
}

const alive = (): number[] => {
  const { vms, volumes, networks, clusters } = double.counts();
  return [vms.alive, volumes.alive, networks.alive, clusters.alive];
};

describe("an ElementoVm", () => {
  it("gets its volumes, its network and its machine, and leaves nothing", async () => {
    await begin({ settings: { listLagMs: 500 } });
    const path = await apply("ElementoVm", "elementovms", "web", VM);
    const status = await until(path, { status: "True", reason: "Running" });
    expect(status).toMatchObject({ state: "running", placement: { provider: "ovh" }, attempts: {} });
    expect(status["price"]).toEqual({ currency: "EUR", perHour: "0.0271", perMonth: "19.75" });
    expect(alive()).toEqual([1, 3, 1, 0]);
    expect(double.counts().unattached).toEqual([]);
    await remove(path);
    expect(alive()).toEqual([0, 0, 0, 0]);
  });
});

describe("an ElementoKaas", () => {
  it("becomes ready with its kubeconfig in a Secret, and leaves nothing", async () => {
    await begin();
    const path = await apply("ElementoKaas", "elementokaases", "edge", KAAS);
    const status = await until(path, { status: "True" });
    expect(status["endpoint"]).toMatch(/^https:/);
    const secret = await sendRequest(plane.client, "/api/v1/namespaces/default/secrets/edge-kubeconfig");
    const data = secret.body["data"] as Record<string, string>;
    expect(Buffer.from(data["kubeconfig"] ?? "", "base64").toString()).toContain("kind: Config");
    await remove(path);
    expect(alive()).toEqual([0, 0, 0, 0]);
  });
});

const change = async (path: string, body: Fields): Promise<void> => {
  const answer = await sendRequest(plane.client, path, { method: "PATCH", body });
  expect(answer.body["message"]).toBeUndefined();
};

describe("objects that depend on others, and later changes", () => {
  it("makes a machine wait for its network and volume, stops and starts it, and replaces a lost one", async () => {
    await begin();
    const seed = { name: "seed", type: "cloud-init", sizeGB: 1 };
    const boot = { name: "boot", type: "image", sizeGB: 50, bootable: true };
    const shared = { name: "shared", type: "data", volumeRef: { name: "shared" } };
    const spec = { ...VM, volumes: [boot, seed, shared], network: { networkRef: { name: "net" } } };
    const path = await apply("ElementoVm", "elementovms", "tied", spec);
    await until(path, { reason: "Waiting", severity: "Info", message: "waits for ElementoVolume shared" });
    const place = { provider: "ovh", region: "gra7" };
    const volume = await apply("ElementoVolume", "elementovolumes", "shared", { name: "shared", sizeGB: 20, ...place });
    const net = await apply("ElementoNetwork", "elementonetworks", "net", {
      name: "net",
      cidr: "10.7.0.0/24",
      ...place,
    });
    const { id } = await until(path, { status: "True", reason: "Running" });

    await change(path, { spec: { powerState: "off" } });
    await until(path, { status: "True", reason: "Off" });
    await change(path, { spec: { powerState: "running" } });
    await until(path, { status: "True", reason: "Running" });

    const { byName } = double.counts().vms;
    const body = JSON.stringify({ name: Object.keys(byName)[0] });
    await fetch(`${double.url}/_control/lose`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const again = await vi.waitFor(async () => {
      const status = await statusOf(path);
      expect(status["id"]).not.toBe(id);
      return status;
    }, WAIT);
    expect(again["state"]).not.toBe("gone");
    await until(path, { status: "True", reason: "Running" });
    expect([double.counts().vms.created, double.counts().volumes.created]).toEqual([2, 3]);

    await remove(path);
    expect(alive()).toEqual([0, 1, 1, 0]);
    await Promise.all([remove(volume), remove(net)]);
    expect(alive()).toEqual([0, 0, 0, 0]);
  });
});

describe("failures", () => {
  it("are reported in the condition, with the remedy, and whether they are retried", async () => {
    await begin({ settings: { prices: { ovh: { regions: ["gra7"], month: 20 } } } });
    const nowhere = await apply("ElementoVm", "elementovms", "nowhere", { ...VM, region: "sbg5" });
    const noOffer = await until(nowhere, { reason: "NoOffer", severity: "Warning" });
    expect(conditionOf(noOffer, "Ready")?.message).toContain("there is at ovh gra7");

    await change(nowhere, { spec: { credentialsSecret: { name: "mine" } } });
    const missing = await until(nowhere, { reason: "Account", severity: "Error" });
    expect(conditionOf(missing, "Ready")?.message).toContain("there is no such Secret");
    await sendRequest(plane.client, nowhere, { method: "DELETE" });
    await vi.waitFor(async () => {
      expect(conditionOf(await statusOf(nowhere), "Ready")?.message).toContain("abandon=true");
    }, WAIT);
    await change(nowhere, { metadata: { annotations: { "elemento.landfall.dev/abandon": "true" } } });
    await vi.waitFor(async () => {
      expect((await sendRequest(plane.client, nowhere)).status).toBe(404);
    }, WAIT);

    await writeSecret("default", "elsewhere", { url: double.url, username: "landfall", password: "correct horse" });
    const foreign = { ...VM, credentialsSecret: { name: "elsewhere" } };
    const foreignPath = await apply("ElementoVm", "elementovms", "foreign", foreign);
    const refused = await until(foreignPath, { reason: "Account" });
    expect(conditionOf(refused, "Ready")?.message).toContain("none that the operator may use");

    await writeSecret("default", "taken", { kubeconfig: "somebody's" });
    const taken = { ...KAAS, kubeconfigSecret: { name: "taken" } };
    const path = await apply("ElementoKaas", "elementokaases", "taken", taken);
    await until(path, { reason: "Secret", severity: "Error" });
    const secret = await sendRequest(plane.client, "/api/v1/namespaces/default/secrets/taken");
    expect(secret.body["data"]).toEqual({ kubeconfig: Buffer.from("somebody's").toString("base64") });

    await Promise.all([remove(foreignPath), remove(path)]);
    expect(alive()).toEqual([0, 0, 0, 0]);
  });
});

/** The long test makes fifty machines and five clusters. */
const [MACHINES, CLUSTERS] = SCALE === 1 ? [12, 2] : [50, 5];

describe("many machines and clusters, with faults at a tenth of the calls and a kill -9 every few seconds", () => {
  const rounds = Array.from({ length: SCALE }, (_, index) => index + 1);
  it.each(rounds)(
    "round %i: all become ready, none is made twice, and nothing is left behind",
    async () => {
      await begin({ settings: { listLagMs: 1500, latencyMs: [2, 30], faultRate: 0.1, brokenRate: 0.02 } });
      const vms = Array.from({ length: MACHINES }, (_, index) => `vm-${String(index)}`);
      const clusters = Array.from({ length: CLUSTERS }, (_, index) => `cluster-${String(index)}`);
      const paths = await Promise.all([
        ...vms.map((name) => apply("ElementoVm", "elementovms", name, { ...VM, name })),
        ...clusters.map((name) =>
          apply("ElementoKaas", "elementokaases", name, { ...KAAS, name, kubeconfigSecret: { name } }),
        ),
      ]);
      let kills = 0;
      let killing: NodeJS.Timeout | undefined;
      // Counted from when it works, so that a slow machine does not spend all its time on starting it.
      const killLater = async (): Promise<void> => {
        await working;
        killing = setTimeout(() => {
          kills += 1;
          operator.kill("SIGKILL");
          operator = startOperator();
          void killLater();
        }, 4000);
      };
      void killLater();
      try {
        await vi.waitFor(
          async () => {
            const all = (await Promise.all(["elementovms", "elementokaases"].map(list))).flat();
            const states = all.map(({ status = {} }) => conditionOf(status, "Ready"));
            expect(states.filter((ready) => ready?.status !== "True").map((ready) => ready?.message)).toEqual([]);
            expect(all).toHaveLength(paths.length);
          },
          { timeout: 240_000, interval: 1000 },
        );
      } finally {
        await working;
        clearTimeout(killing);
      }
      expect(kills).toBeGreaterThan(1);
      const counts = double.counts();
      expect([
        counts.vms.duplicates,
        counts.volumes.duplicates,
        counts.networks.duplicates,
        counts.clusters.duplicates,
      ]).toEqual([[], [], [], []]);
      expect(alive()).toEqual([MACHINES, 3 * MACHINES, MACHINES, CLUSTERS]);
      expect(counts.unattached).toEqual([]);
      await removeAll(paths);
      expect(alive()).toEqual([0, 0, 0, 0]);
    },
    400_000,
  );
});
