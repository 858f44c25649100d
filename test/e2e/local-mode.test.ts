import { execFile, execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, onTestFinished } from "vitest";
import { grantedRights, NOT_SHOWN, textOf, unusedRights, usedRights } from "../support/processes/rights.ts";
import { podTemplates, renderLandfall } from "../support/charts/render-landfall.ts";
import { cachedToolPath, toolPath } from "../../src/toolchain/tool-path.ts";

const run = promisify(execFile);
const RBAC = fileURLToPath(new URL("../../charts/landfall/rbac", import.meta.url));
const entry = fileURLToPath(new URL("../../src/local/main.ts", import.meta.url));

interface Status {
  objects: {
    file: string;
    kind: string;
    name: string;
    namespace: string;
    expected: string;
    outcome: string;
    decision: { placement: { provider: string } } | null;
    resources: { apiVersion: string; kind: string; name: string; ready: boolean }[];
  }[];
  timings: Record<string, number>;
}

let base: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-local-"));
});

afterAll(async () => {
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

/** Processes that were started for this folder. */
function processesOf(folder: string): { pid: number; args: string }[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,args="], { encoding: "utf8", maxBuffer: 1e8 }).split("\n");
  return lines
    .filter((line) => line.includes(folder))
    .map((line) => ({ pid: Number.parseInt(line, 10), args: line.trim().replace(/^\d+\s+/, "") }));
}

async function untilNoneOf(folder: string): Promise<string[]> {
  for (let attempt = 0; attempt < 100 && processesOf(folder).length > 0; attempt += 1) await sleep(100);
  return processesOf(folder).map(({ args }) => args);
}

/** Local mode as a person starts it, with what it has printed so far. */
class LocalMode {
  readonly child: ChildProcess;
  output = "";
  readonly exit: Promise<number | NodeJS.Signals | null>;

  constructor(args: string[]) {
    this.child = spawn(process.execPath, [entry, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    // A failed test leaves none that refuses the next one's start.
    onTestFinished(async () => {
      this.child.kill("SIGINT");
      await this.exit;
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on("data", (data: Buffer) => {
        this.output += data.toString();
      });
    }
    this.exit = new Promise((resolve) => {
      this.child.once("close", (code, signal) => {
        resolve(code ?? signal);
      });
    });
  }

  async until(text: string): Promise<void> {
    const end = Date.now() + 120_000;
    while (!this.output.includes(text)) {
      if (this.child.exitCode !== null || Date.now() > end) expect.fail(`no "${text}" in:\n${this.output}`);
      await sleep(50);
    }
  }
}

/** A folder with one example that is denied at once, for starts that are about something else. */
async function smallExamples(): Promise<string> {
  const folder = join(base, "examples");
  await mkdir(folder, { recursive: true });
  const object = {
    apiVersion: "composition.krateo.io/v0-1-0",
    kind: "VmTemplate",
    metadata: {
      name: "giant",
      namespace: "demo",
      annotations: { "example.landfall.dev/expect": "Denied: PLACEMENT_NONE" },
    },
    spec: { cpu: 2, memory: 1_000_000 },
  };
  await writeFile(join(folder, "giant.yaml"), JSON.stringify(object));
  return folder;
}

interface Helm {
  msg: string;
  release: string;
  verb: string;
  code: number;
}

/** How often helm installed or upgraded each release, by the log of the composition controller. */
async function helmCalls(dir: string): Promise<Map<string, number>> {
  const lines = (await readFile(join(dir, "logs", "composition.log"), "utf8")).split("\n");
  const calls = lines
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Helm)
    .filter(({ msg, verb }) => msg === "helm" && verb !== "uninstall");
  const counts = new Map<string, number>();
  for (const { release, code } of calls) {
    expect(code, release).toBe(0);
    counts.set(release, (counts.get(release) ?? 0) + 1);
  }
  return counts;
}

/** A machine or cluster of these kinds has values that its release awaits, and so a second revision. */
const AWAITED = new Set(["SecurityGroup", "Nodegroup", "ContainerCluster", "ManagedCluster"]);

/** The objects that were ready at once and whose releases helm touched more or less often than they need. */
function otherwise({ objects }: Status, counts: ReadonlyMap<string, number>): string[] {
  return objects
    .filter(({ expected, outcome }) => expected === "Ready" && outcome === "Ready")
    .flatMap(({ name, namespace, resources }) => {
      const release = [...counts].find(([key]) => key.replace(/-[^-]{8}$/, "") === name);
      const needed = resources.some(({ kind }) => AWAITED.has(kind)) ? 2 : 1;
      const found = release?.[1] ?? 0;
      return found === needed ? [] : [`${namespace}/${name}: ${found} instead of ${needed}`];
    });
}

/** No request was refused for lack of rights, and each right of the chart was used, or has a reason. */
async function expectLeastRights(log: string): Promise<void> {
  const granted = await grantedRights(["webhook", "controller", "elemento"].map((name) => join(RBAC, `${name}.yaml`)));
  const { used, forbidden } = await usedRights(log);
  expect(forbidden).toEqual([]);
  const unused = unusedRights(granted, used);
  expect(unused.filter((right) => !NOT_SHOWN.some(([pattern]) => pattern.test(right)))).toEqual([]);
  const texts = granted.map(textOf);
  expect(NOT_SHOWN.filter(([pattern]) => !texts.some((text) => pattern.test(text)))).toEqual([]);
}

const nameOf = (argument: string): string => argument.replace(/=.*$/s, "");

/** Paths, addresses and ports are those of this machine, and so are fields of the Pod. */
const isOfThisMachine = (argument: string): boolean => /=\/|\$\(|=0\.0\.0\.0$|port=\d+$/.test(argument);

/** What a process of local mode does not have of the Deployment that the chart renders with the same values, and what it has besides. */
async function differences(dir: string, deployment: string): Promise<{ missing: string[]; more: string[] }> {
  const values = JSON.parse(await readFile(join(dir, "chart-values.json"), "utf8")) as Record<string, unknown>;
  const templates = podTemplates((await renderLandfall(values)).objects);
  const template = templates.find(({ name }) => name === `Deployment ${deployment}`);
  const [container] = (template?.spec.containers ?? []) as { args?: string[] }[];
  const wanted = container?.args ?? [];
  const entry = wanted.find((one) => one.endsWith("main.ts")) ?? "none";
  const running = processesOf(dir).find(({ args }) => args.startsWith(process.execPath) && args.includes(` ${entry} `));
  const there = running?.args.split(" ").slice(1) ?? [];
  const names = new Set(there.map(nameOf));
  const known = new Set(wanted.map(nameOf));
  return {
    missing: wanted.filter((one) => !(isOfThisMachine(one) ? names.has(nameOf(one)) : there.includes(one))).sort(),
    more: there.filter((one) => one.startsWith("-") && !known.has(nameOf(one))),
  };
}

test("npm start -- --once ends each example as it says, writes the status, and leaves no process", async () => {
  const dir = join(base, "once");
  // Half as fast as by default: helm takes real time, and on a busy machine a run would end before it could resume.
  const local = new LocalMode(["--once", "--audit", "--dir", dir, "--time-lapse", "1800"]);
  const code = await local.exit;
  expect(local.output).toContain("examples ended as expected");
  const status = JSON.parse(await readFile(join(dir, "status.json"), "utf8")) as Status;
  const unexpected = status.objects.filter(({ expected, outcome }) => !expected.split(", ").includes(outcome));
  expect(unexpected.map(({ name, expected, outcome }) => `${name}: ${outcome} instead of ${expected}`)).toEqual([]);
  expect(code).toBe(0);
  expect(status.objects.length).toBeGreaterThanOrEqual(10);
  const ready = status.objects.filter(({ outcome }) => outcome === "Ready");
  const providers = new Set(ready.map(({ decision }) => decision?.placement.provider));
  expect([...providers].sort()).toEqual(["aws", "azure", "elemento", "gcp"]);
  for (const { resources } of ready) expect(resources.filter((resource) => !resource.ready)).toEqual([]);
  expect(ready.every(({ resources }) => resources.length > 0)).toBe(true);
  expect(status.objects.filter(({ outcome }) => outcome.startsWith("Denied")).length).toBeGreaterThanOrEqual(2);
  const ended = status.objects.filter(({ outcome }) => outcome === "Deleted");
  // Those of the last two have Events that say that they paused, and that they began again: local mode checks that.
  expect(ended.map(({ name }) => name).sort()).toEqual([
    ...[
      "another-place",
      "another-size",
      "another-zone",
      "cluster-for-a-test",
      "created-again",
      "deleted-at-its-end",
      "evicted",
      "pauses-and-resumes",
      "shuts-itself-down",
      "starts-in-another-zone",
    ],
  ]);
  expect(local.output).toMatch(/pauses-and-resumes: its machine is stopped until/);
  expect(local.output).toMatch(/created-again: its machine is deleted until/);
  expect(ended.flatMap(({ resources }) => resources)).toEqual([]);
  // One revision for each healthy object, two where a value is awaited; and no error of a provider that has none.
  expect(otherwise(status, await helmCalls(dir))).toEqual([]);
  // Local mode itself fails an example that became ready and has an Event ProviderRetrying.
  expect(local.output).not.toContain("REL_PROVIDER_RETRY");
  expect(Object.keys(status.timings)).toContain("apiReadyToLastSettledSeconds");
  await expectLeastRights(join(dir, "logs", "audit.log"));
  expect(await untilNoneOf(dir)).toEqual([]);
}, 420_000);

describe("local mode that stays", () => {
  let dir: string;
  let args: string[];

  beforeAll(async () => {
    dir = join(base, "stays");
    args = ["--dir", dir, "--examples", await smallExamples()];
  });

  test("serves kubectl and refuses a second start; a process that dies is named with the tail of its log, and the rest ends", async () => {
    const local = new LocalMode(args);
    await local.until("Press Ctrl-C to stop everything");
    expect(local.output).toContain("Denied: PLACEMENT_NONE");
    const kubectl = await toolPath("kubectl");
    const { stdout } = await run(kubectl, [
      "--kubeconfig",
      join(dir, "kubeconfig"),
      "get",
      "vmtemplates,namespaces",
      "-o",
      "name",
    ]);
    expect(stdout.split("\n")).toContain("namespace/demo");
    // What is shipped is what is run.
    expect(await differences(dir, "landfall-webhook")).toEqual({ missing: [], more: ["--kubeconfig"] });
    expect(await differences(dir, "landfall-elemento")).toEqual({ missing: [], more: ["--kubeconfig"] });
    expect(await differences(dir, "landfall-controller")).toEqual({
      missing: [
        // A build of the worker takes minutes: it is used where it was built before.
        ...(cachedToolPath("helm-worker") === null ? ["--helm-worker=/usr/local/bin/helm-worker"] : []),
        "--leader-elect=landfall-system",
      ],
      more: ["--kubeconfig", "--end-grace", "--time-lapse"],
    });
    const second = new LocalMode(args);
    expect(await second.exit).toBe(1);
    expect(second.output).toContain("[LOCAL_RUNNING]");
    const etcd = processesOf(dir).find((one) => /^\S*\/etcd /.test(one.args));
    process.kill(etcd?.pid ?? 0, "SIGKILL");
    expect(await local.exit).toBe(1);
    expect(local.output).toContain("etcd ended: signal 9");
    expect(local.output).toContain("[LOCAL_PROCESS_DIED]");
    expect(await untilNoneOf(dir)).toEqual([]);
  });

  test("takes every process along when its supervisor is killed; the next start begins afresh and exits with 0 on Ctrl-C", async () => {
    const killed = new LocalMode(args);
    await killed.until("kube-apiserver is ready");
    killed.child.kill("SIGKILL");
    expect(await killed.exit).toBe("SIGKILL");
    const next = new LocalMode(args);
    await next.until("Press Ctrl-C to stop everything");
    expect(next.output).toContain("Denied: PLACEMENT_NONE");
    next.child.kill("SIGINT");
    expect(await next.exit, next.output).toBe(0);
    expect(await untilNoneOf(dir)).toEqual([]);
  });

  test("Ctrl-C while it starts ends everything", async () => {
    const local = new LocalMode(args);
    await local.until("etcd is ready");
    local.child.kill("SIGINT");
    expect(await local.exit).toBe(130);
    expect(await untilNoneOf(dir)).toEqual([]);
  });
});

test("an examples folder with a wrong expectation is refused with the file's name", async () => {
  const folder = join(base, "wrong");
  await mkdir(folder);
  await writeFile(
    join(folder, "bad.yaml"),
    "apiVersion: composition.krateo.io/v0-1-0\nkind: VmTemplate\nmetadata: { name: x }\n",
  );
  const local = new LocalMode(["--once", "--dir", join(base, "refused"), "--examples", folder]);
  expect(await local.exit).toBe(1);
  expect(local.output).toContain("example bad.yaml");
  expect(local.output).toContain("[LOCAL_EXAMPLE]");
});
