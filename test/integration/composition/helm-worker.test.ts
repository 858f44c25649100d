// The controller's side of the helm worker, with programs that stand for workers that fail.
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { HelmResult, HelmWorker, ReleaseCall } from "../../../src/composition/helm/calls.ts";
import { openHelmWorker, type WorkerLimits } from "../../../src/composition/helm/helm-worker.ts";
import { performCall } from "../../../src/composition/helm/perform-call.ts";

const HELLO = `process.stdout.write('{"protocol":1,"helm":"4.3.1"}\\n');`;
/** Answers as the release's name says. */
const ANSWERS = `${HELLO}
  const lines = require("node:readline").createInterface({ input: process.stdin });
  const say = (text) => process.stdout.write(text + "\\n");
  require("node:fs").appendFileSync(process.env.STARTS, process.pid + "\\n");
  lines.on("line", (line) => {
    const { id, verb, release } = JSON.parse(line);
    if (verb === "reset") return;
    if (release === "fails") say(JSON.stringify({ id, error: "INSTALLATION FAILED: no" }));
    else if (release === "hangs") return;
    else if (release === "late") setTimeout(() => say(JSON.stringify({ id })), 1500);
    else if (release === "dies") { process.stdout.write('{"id":'); process.kill(process.pid, "SIGKILL"); }
    else if (release === "babbles") say("this is no JSON");
    else if (release === "unasked") say(JSON.stringify({ id: id + 1000 }));
    else if (release === "numbers") say(JSON.stringify({ id, error: 3 }));
    else if (release === "endless") setInterval(() => process.stdout.write("x".repeat(65536)), 1);
    else if (release === "grows") { globalThis.kept = []; setInterval(() => kept.push(Buffer.alloc(50e6, 1)), 5); }
    else say(JSON.stringify({ id }));
  });
  lines.on("close", () => process.exit());`;

let folder: string;
let worker: HelmWorker;
let now: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-helm-worker-"));
  now = 0;
});

afterEach(async () => {
  await worker.stop();
  await rm(folder, { recursive: true });
});

async function program(body: string): Promise<string> {
  const file = join(folder, "worker.cjs");
  await writeFile(file, `#!${process.execPath}\n${body}\n`);
  await chmod(file, 0o755);
  return file;
}

async function open(body = ANSWERS, limits: Partial<WorkerLimits> = {}): Promise<HelmWorker> {
  const env = { PATH: process.env["PATH"] ?? "", STARTS: join(folder, "starts") };
  worker = openHelmWorker({
    ...{ program: { binary: await program(body), env, maxMemory: 400 * 1024 ** 2 }, limits, nowMs: () => now },
    log: { warn: () => undefined, info: () => undefined },
  });
  return worker;
}

const ACCESS = { server: "http://127.0.0.1:1", token: "secret" };
const callOf = (release: string, namespace = "demo"): ReleaseCall => ({ verb: "uninstall", release, namespace });
const perform = (release: string, namespace?: string, timeoutMs = 60_000): Promise<HelmResult | null> =>
  worker.perform(callOf(release, namespace), ACCESS, timeoutMs);
const starts = async (): Promise<string[]> => (await readFile(join(folder, "starts"), "utf8")).trim().split("\n");

const DONE = { code: 0, by: "worker", stdout: "", stderr: "" };

test("a call that succeeds and one that fails have the results of helm's program", async () => {
  await open();
  expect(await perform("works")).toEqual(DONE);
  expect(await perform("fails")).toEqual({ ...DONE, code: 1, stderr: "Error: INSTALLATION FAILED: no\n" });
  expect(await starts()).toHaveLength(1);
});

test.for(["dies", "babbles", "unasked", "numbers", "endless", "grows"])(
  "a worker that %s costs the calls underway, once; their namespaces use the program then",
  async (release) => {
    await open();
    const [underway, own] = await Promise.all([perform("late", "other"), perform(release)]);
    expect(own?.code).toBe(-1);
    expect(own?.stderr).toContain("the helm worker ended (");
    expect(underway?.code).toBe(-1);
    expect(await perform("works")).toBeNull();
    expect(await perform("works", "other")).toBeNull();
    expect(await perform("works", "third")).toEqual(DONE);
    expect(await starts()).toHaveLength(2);
    now += 600_000;
    expect(await perform("works")).toEqual(DONE);
  },
);

test("a call that never ends is given up at its deadline, and those beside it end as usual", async () => {
  await open(ANSWERS, { graceMs: 100 });
  const began = performance.now();
  const late = perform("late", "other");
  expect(await perform("hangs", "demo", 200)).toEqual({ ...DONE, code: -1, stderr: "helm was ended after 0.3 s" });
  expect(performance.now() - began).toBeLessThan(1400);
  expect(await perform("works", "third")).toEqual(DONE);
  expect(await late).toEqual(DONE);
  const pids = await starts();
  expect(pids).toHaveLength(2);
  await expect.poll(() => isAlive(Number(pids[0]))).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.for([
  ["cannot be started", "not a program"],
  ["says nothing and ends", "process.exit(3)"],
  ["speaks another protocol", `process.stdout.write('{"protocol":2}\\n'); setInterval(() => {}, 1000);`],
])("with a worker that %s, helm's program is called, and the worker is tried again later", async ([, body = ""]) => {
  await open(body);
  if (body === "not a program") await chmod(join(folder, "worker.cjs"), 0o600);
  expect(await perform("works")).toBeNull();
  await program(ANSWERS);
  expect(await perform("works")).toBeNull();
  now += 60_000;
  expect(await perform("works")).toEqual(DONE);
});

test("a worker that dies again and again is left alone for a minute", async () => {
  await open();
  for (const namespace of ["a", "b", "c"]) expect((await perform("dies", namespace))?.code).toBe(-1);
  expect(await perform("works", "d")).toBeNull();
  now += 60_000;
  expect(await perform("works", "d")).toEqual(DONE);
});

test("a new process takes over after some calls, and when there was nothing to do", async () => {
  await open(ANSWERS, { calls: 2, idleMs: 50 });
  for (let call = 0; call < 5; call += 1) expect(await perform("works")).toEqual(DONE);
  const pids = await starts();
  expect(pids).toHaveLength(3);
  await expect.poll(() => pids.some((pid) => isAlive(Number(pid)))).toBe(false);
  expect(await perform("works")).toEqual(DONE);
});

test("a process that has taken much memory is replaced", async () => {
  await open(ANSWERS, { memory: 1 });
  expect(await perform("works")).toEqual(DONE);
  expect(await perform("works")).toEqual(DONE);
  expect(await starts()).toHaveLength(2);
});

test("stopping ends the process after its calls", async () => {
  await open();
  const late = perform("late");
  await expect.poll(starts).toHaveLength(1);
  await worker.stop();
  expect(await late).toEqual(DONE);
  expect(isAlive(Number((await starts())[0]))).toBe(false);
});

test("helm's program does what the worker does not take", async () => {
  await open("process.exit(3)");
  const helm = { binary: process.execPath, env: {}, kubeconfig: null, worker: { process: worker, access: ACCESS } };
  const result = await performCall(helm, callOf("works"));
  // node knows no module `uninstall`.
  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining("uninstall") as string });
  expect(result.by).toBeUndefined();
});
