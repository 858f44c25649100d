import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from "vitest";
import { readDecision } from "../../src/model/decision-annotation/compact-decision.ts";
import { textClient, type TextClient } from "../support/text-client.ts";
import { type KubeClient, createClient } from "../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../src/cluster/client/load-kubeconfig.ts";
import { listRevisions } from "../../src/composition/helm/release-storage.ts";
import type { Resource } from "../../src/composition/types.ts";
import { applyDefinitions, servedVersion } from "../../src/local/landfall/apply-definitions.ts";
import { awaitAdmission, type Landfall, startLandfall } from "../../src/local/landfall/start-landfall.ts";
import { publishCharts } from "../../src/local/landfall/publish-charts.ts";
import { ANNOTATION } from "../../src/model/names.ts";
import { HOUR_MS, nowSeconds } from "../../src/model/time.ts";
import { vm } from "../support/admission.ts";
import { conditionOf, stays, until } from "./composition/cluster-under-test.ts";
import { type ControllerProcess, startControllerProcess } from "./composition/controller-process.ts";

let base: string;
let landfall: Landfall;
let api: KubeClient & TextClient;
let helm: string;
let collection: string;
const controllers: ControllerProcess[] = [];

/** A controller of the test's own, so that the test may kill it. */
function startController(...flags: string[]): ControllerProcess {
  const { paths } = landfall.stage;
  const own = ["--kubeconfig", paths.kubeconfigOf("composition"), "--helm", helm, "--data-dir", join(base, "data")];
  const controller = startControllerProcess([...own, "--resync", "10", ...flags]);
  controllers.push(controller);
  return controller;
}

/** What comes within seconds may take this long beside other tests, in ms. */
const SOON_MS = 20_000;

const epoch = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
/** The start of an hour that lies ahead. */
const hourAt = (hour: number): string => new Date(epoch + hour * HOUR_MS).toISOString().replace(".000Z", "Z");

/** What the webhook's source of forecasts says about Germany: 200 g, but for the hours that are named. */
async function forecast(hours: Record<number, number>): Promise<void> {
  const rows = Array.from({ length: 49 }, (_, index) => `DE,${hourAt(index - 1)},${String(hours[index - 1] ?? 200)}`);
  const file = join(base, "forecast.csv");
  // The webhook reads at any moment.
  await writeFile(`${file}.new`, ["zone,time,gco2_per_kwh", ...rows].join("\n"));
  await rename(`${file}.new`, file);
}

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-starts-"));
  const forecasts = join(base, "forecasts.yaml");
  await writeFile(
    forecasts,
    `sources: [{name: grid, type: file, path: ${join(base, "forecast.csv")}, zones: [DE], refreshMinutes: 0.01}]`,
  );
  await forecast({ 10: 100 });
  const components = ["webhook"] as const;
  landfall = await startLandfall({ dir: join(base, "plane"), env: process.env, components, forecasts });
  api = textClient(createClient(await loadKubeconfig(landfall.kubeconfig, {})));
  helm = await landfall.tool("helm");
  startController();
  const charts = await publishCharts(landfall.stage, { helm, charts: "charts", registry: landfall.registry });
  await applyDefinitions(landfall.client, charts, landfall.stage.paths.log("composition"));
  const version = servedVersion(charts.find(({ name }) => name === "vm-template")?.version ?? "");
  collection = `/apis/composition.krateo.io/${version}/namespaces/default/vmtemplates`;
  await awaitAdmission(landfall.client, version, landfall.stage.paths.log("webhook"));
});

afterAll(async () => {
  await Promise.all(controllers.map(async (one) => (one.child.exitCode === null ? one.end("SIGKILL") : null)));
  await api.close();
  await landfall.stop();
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

/** When it said that it runs, in ms since 1970: until then a loaded machine is still reading its code. */
const started = (controller: ControllerProcess): Promise<number> =>
  until(async () => {
    const line = controller.lines().find(({ msg }) => msg === "composition controller started");
    return Promise.resolve(line !== undefined && Date.parse(String(line["time"])));
  }, 60);

/** Whatever a failed test left behind, the next ones find one controller that runs. */
function oneControllerAfterFailure(): void {
  onTestFailed(async () => {
    const running = controllers.filter(({ child }) => child.exitCode === null && child.signalCode === null);
    await Promise.all(running.map((one) => one.end("SIGKILL")));
    startController();
  });
}

/** Ends one as Kubernetes does; before it runs it could not end well. */
async function endGently(controller: ControllerProcess | undefined): Promise<void> {
  if (controller === undefined) return;
  await started(controller);
  const code = await controller.end("SIGTERM");
  expect(code, JSON.stringify(controller.lines().slice(-8), null, 1)).toBe(0);
}

const read = (name: string) => api.get<Resource>(`${collection}/${name}`);
const isPaused = (object: Resource | null) => object?.metadata.annotations?.[ANNOTATION.paused] === "true";
const formatted = (ms: number) => new Date(Math.ceil(ms / 1000) * 1000).toISOString().replace(".000Z", "Z");

const decisionOf = (object: Resource | null) => (object === null ? null : readDecision(object));

async function apply(
  name: string,
  spec: Record<string, unknown>,
  annotations: Record<string, string> = {},
): Promise<Resource> {
  const object = vm({ cpu: 2, memory: 4, provider: "azure", schedulingLocation: "italynorth", ...spec });
  const apiVersion = collection.split("/").slice(2, 4).join("/");
  return api.create<Resource>(collection, {
    ...object,
    apiVersion,
    metadata: { name, namespace: "default", annotations },
  });
}

const annotate = (name: string, annotations: Record<string, string | null>) =>
  api.patch<Resource>(`${collection}/${name}`, "merge", { metadata: { annotations } });

/** Ms since 1970 at which the first helm release of the object was made. */
async function installedOnce(name: string): Promise<number> {
  const revisions = await until(async () => {
    const release = (await read(name))?.metadata.labels?.["krateo.io/release-name"];
    const found = release === undefined ? [] : await listRevisions(api, "default", release);
    return found[0]?.status === "deployed" && found;
  }, 90);
  expect(revisions.map(({ revision, status }) => [revision, status])).toEqual([[1, "deployed"]]);
  const secret = await api.get<Resource>(`/api/v1/namespaces/default/secrets/${revisions[0]?.secret ?? ""}`);
  return Date.parse(secret?.metadata.creationTimestamp ?? "");
}

async function eventsOf(name: string): Promise<string[]> {
  const list = await api.get<{ items: { reason: string; message: string; involvedObject: { name: string } }[] }>(
    "/api/v1/namespaces/default/events",
  );
  return (list?.items ?? [])
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ reason, message }) => `${reason}: ${message}`);
}

/** Killed as soon as the decision is there: no controller is left that knows of it. */
async function killAfterDecision(name: string, start: string): Promise<void> {
  const made = await apply(name, { schedulingTime: start });
  expect(isPaused(made)).toBe(true);
  expect(decisionOf(made)?.placement.start).toBe(start);
  expect(await controllers.at(-1)?.end("SIGKILL")).toBeNull();
}

describe("a start in the future", () => {
  it("is shown as a countdown", async () => {
    const start = formatted(Date.now() + 3 * 3_600_000);
    await apply("counted", { schedulingTime: start });
    const scheduled = await until(async () => conditionOf(await read("counted"), "Scheduled") ?? null);
    expect(scheduled).toMatchObject({ status: "True", message: `starts in 3 h (at ${start})` });
    await api.remove(`${collection}/counted`);
  });

  it("is kept if the controller is killed between decision and start and replaced before the start", async () => {
    const start = formatted(Date.now() + 8000);
    await killAfterDecision("kept", start);
    const next = startController();
    await until(async () => !isPaused(await read("kept")), 60);
    const lifted = Date.now();
    expect(lifted).toBeGreaterThanOrEqual(Date.parse(start));
    // On a loaded machine the next one may still read its code when the time has come.
    expect(lifted - Math.max(Date.parse(start), await started(next))).toBeLessThan(SOON_MS);
    // Told in whole seconds.
    expect(await installedOnce("kept")).toBeGreaterThanOrEqual(Date.parse(start));
    expect(await eventsOf("kept")).toContain("Started: its start time has come; the object is resumed");
  });

  it("is caught up with if no controller ran at that time", async () => {
    const start = formatted(Date.now() + 2000);
    await killAfterDecision("missed", start);
    await stays(async () => isPaused(await read("missed")), (Date.parse(start) - Date.now()) / 1000 + 1);
    const restarted = startController();
    await until(async () => !isPaused(await read("missed")), 60);
    const lifted = Date.now();
    expect(lifted - (await started(restarted))).toBeLessThan(SOON_MS);
    await installedOnce("missed");
  });

  it("happens once if two controllers run", async () => {
    oneControllerAfterFailure();
    const second = startController("--schedule-only");
    await started(second);
    const start = formatted(Date.now() + 4000);
    await apply("shared", { schedulingTime: start });
    await installedOnce("shared");
    expect(Date.now() - Date.parse(start)).toBeGreaterThanOrEqual(0);
    const told = (await eventsOf("shared")).filter((event) => event.startsWith("Started"));
    expect(told).toEqual(["Started: its start time has come; the object is resumed"]);
    await endGently(second);
    controllers.pop();
  });
});

describe("two controllers with --leader-elect", () => {
  const ranHelm = (line: Record<string, unknown>): boolean => line["msg"] === "helm";
  const reconsidered = (line: Record<string, unknown>): boolean => line["msg"] === "starts and runs were decided again";

  it("install each object once and reconsider starts on the leader alone; the other takes over when that is killed", async () => {
    oneControllerAfterFailure();
    await endGently(controllers.at(-1));
    const elect = (identity: string) =>
      startController(
        ...["--leader-elect", "default", "--identity", identity, "--data-dir", join(base, identity)],
        ...["--reconsider-every", "1"],
      );
    const [first, second] = [elect("first"), elect("second")];
    await Promise.all([started(first), started(second)]);
    const names = ["led-1", "led-2", "led-3"];
    const start = formatted(Date.now() + 3000);
    await Promise.all(names.map((name) => apply(name, { schedulingTime: start })));
    for (const name of names) await installedOnce(name);
    // A release is deployed a moment before helm ends and its line is written.
    const leader = await until(() => Promise.resolve([first, second].find((one) => one.lines().some(ranHelm))));
    const other = leader === first ? second : first;
    expect(other.lines().some(ranHelm)).toBe(false);
    await apply("later", { schedulingTime: formatted(Date.now() + 3_600_000) });
    await until(() => Promise.resolve(leader.lines().filter(reconsidered).length > 2));
    expect(other.lines().some(reconsidered)).toBe(false);
    const next = formatted(Date.now() + 6000);
    await apply("succeeded", { schedulingTime: next });
    expect(await leader.end("SIGKILL")).toBeNull();
    // Every replica resumes due starts; what only the leader does waits until the Lease has expired.
    await until(async () => !isPaused(await read("succeeded")));
    expect(Date.now() - Date.parse(next)).toBeLessThan(SOON_MS);
    await installedOnce("succeeded");
    await until(() => Promise.resolve(other.lines().some(ranHelm) && other.lines().some(reconsidered)));
    await api.remove(`${collection}/later`);
    await endGently(other);
    startController();
  });
});

describe("a controller with --schedule-only", () => {
  it("counts down and removes the pause, and leaves the rest to Krateo's", async () => {
    oneControllerAfterFailure();
    await endGently(controllers.at(-1));
    const scheduler = startController("--schedule-only");
    // Far enough for a controller that has just been started.
    const start = formatted(Date.now() + 12_000);
    await apply("krateo", { schedulingTime: start });
    const waiting = await until(async () => conditionOf(await read("krateo"), "Scheduled") ?? null);
    expect(waiting).toMatchObject({ status: "True", message: `starts in 1 min (at ${start})` });
    await until(async () => conditionOf(await read("krateo"), "Scheduled")?.status === "False");
    const object = await read("krateo");
    expect(isPaused(object)).toBe(false);
    expect(object?.status?.["conditions"]).toHaveLength(1);
    expect(object?.metadata.labels?.["krateo.io/release-name"]).toBeUndefined();
    await endGently(scheduler);
    startController();
    await installedOnce("krateo");
  });
});

describe("landfall.dev/start-now", () => {
  const hurry = (name: string, value: string) => annotate(name, { [ANNOTATION.startNow]: value });

  it("is refused without a reason, and starts the object within seconds with one", async () => {
    const start = formatted(Date.now() + 90_000_000);
    await apply("hurried", { duration: "1h", deadline: formatted(Date.now() + 200_000_000), schedulingTime: start });
    await expect(hurry("hurried", " ")).rejects.toThrow(
      /does not give a reason to start immediately.*\[ADM_START_REASON/s,
    );
    expect(isPaused(await read("hurried"))).toBe(true);
    const asked = Date.now();
    const object = await hurry("hurried", "the customer waits");
    await until(async () => !isPaused(await read("hurried")));
    expect(Date.now() - asked).toBeLessThan(SOON_MS);
    const { placement, moves } = decisionOf(object) ?? {};
    expect(Math.abs(Date.parse(placement?.start ?? "") - asked)).toBeLessThan(3000);
    expect(moves).toMatchObject([{ from: { start }, why: "start-now: the customer waits" }]);
    await installedOnce("hurried");
    await until(async () =>
      (await eventsOf("hurried")).includes("StartedNow: started before its planned time: the customer waits"),
    );
    const scheduled = await until(async () => {
      const condition = conditionOf(await read("hurried"), "Scheduled");
      return condition?.status === "False" && condition;
    });
    expect(scheduled.reason).toBe("StartedNow");
    expect(scheduled.message).toMatch(/^started \S+Z, before its time: the customer waits$/);
  });
});

describe("a user's pause", () => {
  const paused = { [ANNOTATION.paused]: "true" };
  const said = (name: string, message: string) =>
    until(async () => conditionOf(await read(name), "Scheduled")?.message === message);
  const byUser = (annotation: string, when: string) =>
    `paused by its user; remove the annotation ${annotation} to let it start ${when}`;

  it("on a new object stays until the user removes it", async () => {
    await apply("user-paused", {}, paused);
    await said("user-paused", byUser("krateo.io/paused", "immediately"));
    await stays(async () => isPaused(await read("user-paused")), 2.5);
    expect(await eventsOf("user-paused")).toEqual([]);
    await annotate("user-paused", { [ANNOTATION.paused]: null });
    await installedOnce("user-paused");
    await until(async () => conditionOf(await read("user-paused"), "Scheduled")?.reason === "Started");
  });

  it("stays beyond the start, which is caught up with when it is removed", async () => {
    const start = formatted(Date.now() + 3000);
    const made = await apply("user-held", { schedulingTime: start }, paused);
    expect(made.metadata.annotations?.[ANNOTATION.hold]).toBe("paused by its user");
    await said("user-held", byUser("landfall.dev/hold", `at ${start}`));
    await stays(async () => isPaused(await read("user-held")), (Date.parse(start) - Date.now()) / 1000 + 2.5);
    await annotate("user-held", { [ANNOTATION.hold]: null });
    await installedOnce("user-held");
  });

  it("holds a waiting object as landfall.dev/hold, and then lets it wait for its start", async () => {
    const start = formatted(Date.now() + 7000);
    await apply("held-later", { schedulingTime: start });
    await annotate("held-later", { [ANNOTATION.hold]: "audit" });
    await said("held-later", byUser("landfall.dev/hold", `at ${start}`));
    expect(conditionOf(await read("held-later"), "Ready")).toMatchObject({ status: "False", reason: "PausedByUser" });
    await annotate("held-later", { [ANNOTATION.hold]: null });
    const installed = await installedOnce("held-later");
    expect(installed).toBeGreaterThanOrEqual(Date.parse(start));
  });
});

describe("a start that comes too late for the deadline", () => {
  it("still happens, with a warning about the missed deadline", async () => {
    oneControllerAfterFailure();
    const [made, controller] = [Date.now(), controllers.at(-1)];
    // Until it is ready, a machine on AWS takes 120 s by the catalog.
    const deadline = formatted(made + 136_000);
    const aws = { provider: "aws", schedulingLocation: "eu-north-1" };
    await apply("too-late", { ...aws, duration: "12s", schedulingTime: formatted(made + 3000), deadline });
    await until(async () => conditionOf(await read("too-late"), "Scheduled") ?? null);
    controller?.child.kill("SIGSTOP");
    await stays(async () => isPaused(await read("too-late")), (made + 16_000 - Date.now()) / 1000);
    controller?.child.kill("SIGCONT");
    await installedOnce("too-late");
    const ends = `its run ends 1 min after its deadline ${deadline}`;
    const scheduled = await until(async () => {
      const condition = conditionOf(await read("too-late"), "Scheduled");
      return condition?.status === "False" && condition;
    });
    expect(scheduled.reason).toBe("StartedLate");
    expect(scheduled.message).toContain(ends);
    const told = await until(async () =>
      (await eventsOf("too-late")).find((event) => event.startsWith("REL_DEADLINE_MISSED: ")),
    );
    expect(told).toContain(ends);
  });
});

describe("when the forecast changes", () => {
  const GERMANY = { provider: "gcp", schedulingLocation: "europe-west3", duration: "1h" };

  it("an object that waits is moved and says so, one that runs stays, and nothing else is written", async () => {
    const waiting = await apply("waiting", { ...GERMANY, deadline: hourAt(40) });
    expect(waiting.spec?.["schedulingTime"]).toBe(hourAt(10));
    await apply("running", GERMANY);
    await installedOnce("running");
    const before = await read("running");
    await endGently(controllers.at(-1));
    await forecast({ 10: 100, 20: 50 });
    startController("--reconsider-every", "1");
    const moved = await until(async () => {
      const object = await read("waiting");
      return object?.spec?.["schedulingTime"] === hourAt(20) && object;
    });
    const moves = decisionOf(moved)?.moves;
    const place = "gcp/europe-west3";
    const [from, to] = [
      { place, start: hourAt(10) },
      { place, start: hourAt(20) },
    ];
    expect(moves).toMatchObject([
      { from, to, gain: expect.closeTo(0.45, 3) as number, why: "forecast, waiting counted" },
    ]);
    const told = `Moved: from ${place} at ${hourAt(10)} to ${place} at ${hourAt(20)}, 45.0 % less CO2e (forecast, waiting counted)`;
    await until(async () => (await eventsOf("waiting")).includes(told));
    expect(isPaused(moved)).toBe(true);
    await until(async () => conditionOf(await read("waiting"), "Scheduled")?.message.includes(hourAt(20)));
    // After a move the API server notes its writer's time once more; from then on an object that stays is not written.
    const versionOf = async () => (await read("waiting"))?.metadata.resourceVersion;
    await until(async () => {
      const settled = await versionOf();
      await stays(async () => (await versionOf()) === settled, 3.5);
      return true;
    });
    const after = await read("running");
    expect(decisionOf(after)).toEqual(decisionOf(before));
    expect(after?.spec).toEqual(before?.spec);
  });
});

describe("a run that may pause and has begun", () => {
  const SECRETS = "/api/v1/namespaces/landfall-system/secrets";
  const RECORD = "landfall.dev/run-record";

  const pathOf = (uid: string): string => `${SECRETS}/landfall.run.${uid}`;
  const readRecord = ({ metadata }: Resource) => JSON.parse(metadata.annotations?.[RECORD] ?? "{}") as object;
  const recordOf = async (uid: string): Promise<object> =>
    readRecord(await until(() => api.get<Resource>(pathOf(uid)).catch(() => null)));

  /** The record of its run says that it started so long before. */
  async function backdate(uid: string, seconds: number): Promise<void> {
    const startedAt = nowSeconds() - seconds;
    const annotations = { [RECORD]: JSON.stringify({ ...(await recordOf(uid)), startedAt }) };
    await api.patch(pathOf(uid), "merge", { metadata: { annotations } });
  }

  const partsOf = (object: Resource | null) => decisionOf(object)?.placement.segments ?? [];

  /** Decided to pause until hour 20. */
  async function applySplit(): Promise<Resource> {
    await forecast({ [-1]: 50, 0: 50, 20: 50, 21: 50, 22: 50 });
    const spec = {
      ...{ provider: "gcp", schedulingLocation: "europe-west3", duration: "3h", deadline: hourAt(40) },
      ...{ maxWait: "0h", waitingCostPercent: 0, interruptible: { minRun: "15m", resumeCost: "5m" } },
    };
    // The webhook reads the forecast again within a second.
    return until(async () => {
      const object = await apply("split", spec);
      if (Date.parse(partsOf(object)[1]?.start ?? "") > Date.parse(hourAt(19))) return object;
      await api.remove(`${collection}/split`);
      return null;
    });
  }

  /** Waits until its decision ends at another time than this one. */
  const changed = (before: string | undefined): Promise<Resource> =>
    until(async () => {
      const object = await read("split");
      return decisionOf(object)?.placement.end !== before && object;
    });

  it("has the rest of it decided again by the leader as the forecast changes", async () => {
    oneControllerAfterFailure();
    await endGently(controllers.at(-1));
    const made = await applySplit();
    const { uid = "" } = made.metadata;
    const controller = startController("--reconsider-every", "1");
    await installedOnce("split");
    await until(async () => (await read("split"))?.status?.["endsAt"] !== undefined);
    await backdate(uid, 1000);
    await forecast({ [-1]: 50, 0: 50, 30: 20, 31: 20, 32: 20 });
    const after = await changed(partsOf(made)[1]?.end);
    expect(after.spec).toEqual(made.spec);
    expect(partsOf(after)[0]?.start).toBe(partsOf(made)[0]?.start);
    const { start = "", end = "" } = partsOf(after)[1] ?? {};
    expect(Date.parse(start)).toBeGreaterThanOrEqual(Date.parse(hourAt(29)));
    expect(Date.parse(end)).toBeLessThanOrEqual(Date.parse(hourAt(40)));
    await until(async () =>
      (await eventsOf("split")).some((event) => /^PlanChanged: 1 pause in all, ends /.test(event)),
    );
    // The controller follows it: what it recorded ends then, and so says the status.
    await until(async () => (await read("split"))?.status?.["endsAt"] === end);
    expect(await recordOf(uid)).toMatchObject({ plan: { pauses: [{ to: Date.parse(start) / 1000 }] } });
    await api.remove(`${collection}/split`);
    await until(async () => (await read("split")) === null, 60);
    await endGently(controller);
    startController();
  });
});
