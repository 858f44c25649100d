// kill -9 of every process, at random, while objects are applied; and then each of them once in turn.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { childrenOf } from "../../support/faults/kubelet.ts";
import { type Night, named, refusalsOf, startNight, tell } from "../../support/faults/night.ts";

const OBJECTS = Number(process.env["LANDFALL_FAULT_OBJECTS"] ?? "200");
/** Ms between two kills, and until a killed process is started again. */
const [EVERY_MS, AWAY_MS] = [2500, 1500] as const;
/** Ms between two objects: all processes die several times meanwhile. */
const PACE_MS = 60_000 / OBJECTS;
/** The double of Elemento's services holds its machines in memory: to kill it would be a loss at the provider. */
const SPARED = ["elemento-services"];

let night: Night;
beforeAll(async () => {
  night = await startNight({ helmBy: "worker" });
});
afterAll(() => night.stop());

const victims = (): string[] => night.kubelet.names().filter((name) => !SPARED.includes(name));

/** The helm worker is a child of the controller, which starts another one. */
function killWorker(): boolean {
  const [worker] = childrenOf(night.kubelet.pid("composition"));
  if (worker !== undefined) process.kill(worker, "SIGKILL");
  return worker !== undefined;
}

/** Kills a process at random every few seconds, until it is told to stop. Returns how often each was killed. */
function killAtRandom(): () => Promise<Record<string, number>> {
  const kills: Record<string, number> = { "helm-worker": 0 };
  const stopping = new AbortController();
  // Every process has its turn before one has a second: a random order, not a random choice.
  const order = (): string[] => [...victims(), "helm-worker"].sort(() => Math.random() - 0.5);
  const killing = (async () => {
    let queue = order();
    while (!stopping.signal.aborted) {
      await sleep(EVERY_MS * (0.5 + Math.random()));
      const [name = "", ...rest] = queue;
      queue = rest.length > 0 ? rest : order();
      if (name === "helm-worker" && !killWorker()) continue;
      if (name !== "helm-worker") await night.kubelet.crash(name, AWAY_MS * Math.random());
      kills[name] = (kills[name] ?? 0) + 1;
    }
  })();
  return async () => {
    stopping.abort();
    await killing;
    return kills;
  };
}

const specOf = (index: number): object => ({ provider: index % 4 === 3 ? "elemento" : "gcp", cpu: 2, memory: 4 });

it(`loses and doubles none of ${String(OBJECTS)} objects while every process is killed at random`, async () => {
  const names = named("killed", OBJECTS);
  const stop = killAtRandom();
  const applying = [];
  for (const [index, name] of names.entries()) {
    applying.push(night.apply(name, specOf(index)));
    await sleep(PACE_MS);
  }
  const kills = await stop();
  const applied = await Promise.all(applying);
  const recovery = await night.untilReady(names, 600);
  await night.count(names);
  const repeated = applied.filter(({ refusals }) => refusals.length > 0).length;
  tell("kill -9 at random", { ...kills, "objects repeated": repeated, recovery, seen: refusalsOf(applied) });
  expect(Object.keys(kills).sort()).toEqual([...victims(), "helm-worker"].sort());
  expect(await night.clear(names, 600)).toBeGreaterThan(0);
});

it("recovers from the death of each process alone", async () => {
  for (const name of victims()) {
    await night.kubelet.kill(name);
    const began = performance.now();
    night.kubelet.start(name);
    const objects = named(`after-${name}`, 3);
    const applied = await Promise.all(objects.map((one, index) => night.apply(one, specOf(index + 1))));
    await night.untilReady(objects, 180);
    tell(`kill -9 of ${name}`, {
      admitted: Math.max(...applied.map(({ seconds }) => seconds)),
      ready: (performance.now() - began) / 1000,
      seen: refusalsOf(applied),
    });
    await night.count(objects);
    await night.clear(objects, 180);
  }
  expect(victims()).toEqual(expect.arrayContaining(["etcd", "kube-apiserver", "webhook", "composition", "registry"]));
});
