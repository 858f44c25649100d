// What Landfall talks to is gone, hangs or is slow for a minute: the API server, etcd, the registry, Elemento.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Night, named, refusalsOf, startNight, tell } from "../../support/faults/night.ts";

/** Seconds for which something is away. */
const SECONDS = Number(process.env["LANDFALL_FAULT_SECONDS"] ?? "60");
/** Objects that were there before, and that come meanwhile. */
const FEW = 5;
const ELEMENTO = { provider: "elemento", cpu: 2, memory: 4 };

let night: Night;
beforeAll(async () => {
  night = await startNight({ helmBy: "worker" });
});
afterAll(() => night.stop());

type Sabotage = "killed" | "frozen";

async function away(name: string, how: Sabotage, during: () => Promise<void>): Promise<void> {
  if (how === "killed") await night.kubelet.kill(name);
  else night.kubelet.freeze(name);
  await during();
  if (how === "killed") night.kubelet.start(name);
  else night.kubelet.thaw(name);
}

describe.each<[string, Sabotage]>([
  ["kube-apiserver", "frozen"],
  ["kube-apiserver", "killed"],
  ["etcd", "frozen"],
  ["etcd", "killed"],
])("%s, %s", (name, how) => {
  it(`for ${String(SECONDS)} s loses nothing that was there or underway, and admits again afterwards`, async () => {
    const [before, underway, meanwhile] = ["before", "underway", "meanwhile"].map((one) =>
      named(`${one}-${name}-${how}`, FEW),
    ) as [string[], string[], string[]];
    await Promise.all(before.map((one) => night.apply(one)));
    await night.untilReady(before, 120);
    await Promise.all(underway.map((one) => night.apply(one)));
    let applying: ReturnType<Night["apply"]>[] = [];
    await away(name, how, async () => {
      applying = meanwhile.map((one) => night.apply(one));
      await sleep(SECONDS * 1000);
    });
    const back = performance.now();
    const applied = await Promise.all(applying);
    const admitted = (performance.now() - back) / 1000;
    await night.untilReady([...before, ...underway, ...meanwhile], 240);
    const ready = (performance.now() - back) / 1000;
    await night.count([...before, ...underway, ...meanwhile]);
    tell(`${name} ${how} for ${String(SECONDS)} s`, { admitted, ready, seen: refusalsOf(applied) });
    expect(admitted).toBeLessThan(60);
    await night.clear([...before, ...underway, ...meanwhile], 240);
  });
});

describe.each<Sabotage>(["killed", "frozen"])("the registry, %s", (how) => {
  it("refuses and delays no object: charts and bundles are known", async () => {
    const objects = named(`registry-${how}`, FEW);
    await away("registry", how, async () => {
      const began = performance.now();
      const applied = await Promise.all(objects.map((one) => night.apply(one)));
      await night.untilReady(objects, 120);
      await sleep(Math.max(0, SECONDS * 1000 - (performance.now() - began)));
      tell(`registry ${how}`, { seconds: Math.max(...applied.map((one) => one.seconds)), seen: refusalsOf(applied) });
      expect(refusalsOf(applied)).toEqual([]);
    });
    await night.count(objects);
    await night.clear(objects, 120);
  });
});

describe("Elemento's services", () => {
  it("that hang let objects be admitted and wait, which are made once afterwards", async () => {
    const objects = named("elemento-frozen", FEW);
    let seen = "";
    await away("elemento-services", "frozen", async () => {
      const applied = await Promise.all(objects.map((one) => night.apply(one, ELEMENTO)));
      expect(refusalsOf(applied)).toEqual([]);
      await sleep(SECONDS * 1000);
      const ready = await night.ready(objects[0] ?? "");
      expect(ready?.status).not.toBe("True");
      seen = `${ready?.reason ?? ""}: ${ready?.message ?? ""}`;
    });
    const recovery = await night.untilReady(objects, 300);
    await night.count(objects);
    tell("Elemento's services frozen", { recovery, seen });
    await night.clear(objects, 240);
  });
});
