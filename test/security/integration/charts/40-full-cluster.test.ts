import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ClusterEvent } from "../../../../src/external-data/cluster-data.ts";
import type { DecisionProcess } from "../../../../webhook/decisions/start-process.ts";
import { startProcess } from "../../../../webhook/decisions/start-process.ts";
import { reviewOf, vm } from "../../../support/admission.ts";
import { type Bench, numbered, openBench } from "../../../support/bundles/watched-bundle.ts";

const OFF = { mode: "off", keys: [], identities: [], root: null } as const;
/** More than a process may take: two bytes for each character. */
const EVENTS = 150;
const large = (index: number): ClusterEvent => {
  const id = `\u0100${String(index)}${"x".repeat(1_000_000)}`;
  return { type: "binding", id, uid: "u" };
};

let bench: Bench;
let stored: ClusterEvent[] = [];
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.stop());

let starts = 0;
const start = ({ bytes, signed }: { bytes: Uint8Array; signed: boolean }, ref: string): DecisionProcess => {
  starts += 1;
  return startProcess({
    ...{ bytes, signed, ref, trust: OFF, keys: [Buffer.alloc(32, 7)] as const, events: stored, forecasts: null },
    ...{ logLabels: null, onReserved: () => undefined, timeoutMs: 60_000, loadMs: 300_000 },
  });
};

describe("40: data of the cluster that take all memory of the process that decides", () => {
  it("put no bundle in quarantine and bring no older one back, and admission recovers once they are gone", async () => {
    await bench.push(await numbered(320));
    const { watch, events } = await bench.watch({ start });
    await watch.poll();
    const newer = await bench.push(await numbered(321));
    await watch.poll();
    expect(watch.status().active?.digest).toBe(newer);
    const before = starts;
    for (let index = 0; index < EVENTS; index++) {
      stored.push(large(index));
      watch.tell(large(index));
      await sleep(5);
    }
    await vi.waitFor(
      () => {
        expect(starts - before).toBeGreaterThan(2);
      },
      { timeout: 300_000, interval: 50 },
    );
    expect(watch.status()).toMatchObject({ active: null, quarantined: [] });
    expect(events).toContainEqual(["decision process cannot start", expect.anything()]);
    stored = [];
    await vi.waitFor(
      () => {
        expect(watch.status()).toMatchObject({ active: { digest: newer }, quarantined: [] });
      },
      { timeout: 300_000, interval: 50 },
    );
    const answer = await (await watch.decider())?.ask("/mutate", reviewOf(vm({ cpu: 2, memory: 4 })));
    expect(answer?.body).toContain('"allowed":true');
  });

  it("only let a new bundle wait", async () => {
    stored = [];
    const good = await bench.push(await numbered(322));
    const { watch } = await bench.watch({ start });
    await watch.poll();
    stored = Array.from({ length: EVENTS }, (_, index) => large(index));
    const next = await bench.push(await numbered(323));
    await watch.poll();
    expect(watch.status()).toMatchObject({
      active: { digest: good },
      lastError: expect.stringContaining("[ADM_RESTARTING]") as string,
    });
    stored = [];
    await watch.poll();
    expect(watch.status()).toMatchObject({ active: { digest: next }, quarantined: [], lastError: null });
  });
});
