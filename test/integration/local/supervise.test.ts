import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { supervise } from "../../../src/local/processes/supervise.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-supervise-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

const logFile = (): string => join(folder, "logs", "child.log");
const shell = (
  script: string,
): { name: string; command: string; args: string[]; env: NodeJS.ProcessEnv; logFile: string } => ({
  ...{ name: "child", command: "/bin/sh", args: ["-c", script], env: process.env, logFile: logFile() },
});

/** Processes of a group, by `ps`. */
function membersOf(group: number): string[] {
  const lines = execFileSync("ps", ["-A", "-o", "pgid=,stat=,args="], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => Number(line.trim().split(/\s+/)[0]) === group && !/^\s*\d+\s+Z/.test(line));
}

async function untilGone(group: number): Promise<string[]> {
  for (let attempt = 0; attempt < 60 && membersOf(group).length > 0; attempt += 1) await sleep(50);
  return membersOf(group);
}

async function untilLogged(text: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if ((await readFile(logFile(), "utf8").catch(() => "")).includes(text)) return;
    await sleep(20);
  }
}

test("reports a process that dies by name, with its exit status and the tail of its log", async () => {
  const supervisor = supervise();
  supervisor.start(shell("echo first; echo 'cannot bind: address in use' >&2; exit 7"), 0);
  await expect(supervisor.failed).rejects.toMatchObject({
    code: "LOCAL_PROCESS_DIED",
    message: expect.stringMatching(/^child ended: exit code 7; its last lines were:\nfirst\ncannot bind/) as string,
    remedy: `see ${logFile()}`,
  });
  await supervisor.stop();
});

test("reports a program that does not exist like one that dies", async () => {
  const supervisor = supervise();
  supervisor.start({ ...shell(""), command: "/nowhere/etcd" }, 0);
  await expect(supervisor.failed).rejects.toMatchObject({ code: "LOCAL_PROCESS_DIED" });
});

test("reports a killed process with the signal", async () => {
  const supervisor = supervise();
  supervisor.start(shell("kill -9 $$"), 0);
  await expect(supervisor.failed).rejects.toThrow("child ended: signal 9");
});

test("stop ends a process gracefully and reports nothing", async () => {
  const supervisor = supervise();
  const child = supervisor.start(shell("trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done"), 0);
  await untilLogged("up");
  await supervisor.stop();
  expect(await child.exited).toBe("exit code 0");
  expect(await readFile(logFile(), "utf8")).toBe("up\nbye\n");
  await expect(Promise.race([supervisor.failed, sleep(50, "quiet")])).resolves.toBe("quiet");
});

test("stop kills a process that ignores SIGTERM, and what it started", async () => {
  const supervisor = supervise();
  const stubborn = shell("trap '' TERM; sleep 1000 & echo up; while :; do sleep 0.05; done");
  const child = supervisor.start({ ...stubborn, graceSeconds: 1 }, 0);
  await untilLogged("up");
  await supervisor.stop();
  expect(await child.exited).toBe("SIGKILL");
  expect(await untilGone(child.pid ?? 0)).toEqual([]);
});

test("layers stop from the highest down", async () => {
  const supervisor = supervise();
  const trap = (name: string): string =>
    `trap 'sleep 0.1; echo ${name} >> ${folder}/order; exit 0' TERM; echo up; while :; do sleep 0.02; done`;
  supervisor.start({ ...shell(trap("etcd")), logFile: join(folder, "a") }, 0);
  supervisor.start({ ...shell(trap("controller")), logFile: logFile() }, 2);
  await untilLogged("up");
  await supervisor.stop();
  expect(await readFile(join(folder, "order"), "utf8")).toBe("controller\netcd\n");
});

test("an aborted signal makes the supervisor fail with its reason", async () => {
  const abort = new AbortController();
  const supervisor = supervise(abort.signal);
  abort.abort(new RangeError("enough"));
  await expect(supervisor.failed).rejects.toThrow("enough");
});

test("a supervisor that is killed with SIGKILL leaves no process behind", async () => {
  const entry = fileURLToPath(new URL("../../fixtures/local/supervisor.ts", import.meta.url));
  const script = "sleep 1000 & echo up; sleep 1000";
  const supervisor = spawn(process.execPath, [entry, logFile(), "/bin/sh", "-c", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(supervisor.stdout, "data")) as [Buffer];
  const group = Number(line.toString());
  await untilLogged("up");
  expect(membersOf(group).length).toBeGreaterThanOrEqual(3);
  supervisor.kill("SIGKILL");
  expect(await untilGone(group)).toEqual([]);
});
