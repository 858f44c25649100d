import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { openStore } from "../../../../src/bundle/bundle-store.ts";
import { askSafely } from "../../../../webhook/decisions/ask-safely.ts";
import { openIntake } from "../../../../webhook/decisions/limits/intake.ts";
import { openRefusedInputs } from "../../../../webhook/decisions/limits/refused-inputs.ts";
import { type DecisionProcess, startProcess } from "../../../../webhook/decisions/start-process.ts";
import { scanReview } from "../../../../webhook/review/scan-review.ts";
import type { BundleWatch } from "../../../../webhook/bundle-watch/watch-bundle.ts";
import { reviewOf, vm } from "../../../support/admission.ts";
import { buildTrapBundle, changedTrap } from "../../../support/bundles/trap-bundle.ts";
import { type Bench, openBench } from "../../../support/bundles/watched-bundle.ts";

const OFF = { mode: "off", keys: [], identities: [], root: null } as const;
let bench: Bench;
let folder: string;
let trap: Buffer;

beforeAll(async () => {
  bench = await openBench();
  folder = await mkdtemp(join(tmpdir(), "landfall-killed-"));
  trap = await buildTrapBundle(folder);
});
afterEach(async () => {
  bench.door.fault = null;
  await rm(join(bench.folder, "store"), { recursive: true, force: true });
});
afterAll(async () => {
  await bench.stop();
  await rm(folder, { recursive: true, force: true });
});

const startWithin = (timeoutMs: number, { bytes, signed }: { bytes: Uint8Array; signed: boolean }, ref: string) =>
  startProcess({
    ...{ bytes, signed, ref, trust: OFF, keys: [Buffer.alloc(32)] as const, events: [], forecasts: null },
    ...{ logLabels: null, onReserved: () => undefined, timeoutMs, loadMs: 60_000 },
  });
const start = (tarball: { bytes: Uint8Array; signed: boolean }, ref: string): DecisionProcess =>
  startWithin(1500, tarball, ref);

let uid = 0;
const review = (tags: Record<string, string> = {}, namespace = "demo"): string =>
  reviewOf(vm({ cpu: 2, memory: 4, tags }, { namespace }), { uid: `u${String((uid += 1))}` });
const killer = (id: string): string => review({ trap: "loop", id }, "hostile");

async function ask(watch: BundleWatch, body: string): Promise<string> {
  const decider = await vi.waitFor(() => watch.decider(), 120_000);
  if (decider === null) return "no process";
  const answer = await decider.ask("/mutate", body).catch((thrown: unknown) => thrown as { code: string });
  return "code" in answer ? answer.code : JSON.stringify(JSON.parse(answer.body));
}

describe("2: requests that end the process", () => {
  it("do not roll the bundle back, however many different ones there are", async () => {
    await bench.push(changedTrap(trap, { number: 1 }));
    const { watch } = await bench.watch({ start });
    await watch.poll();
    const newer = await bench.push(changedTrap(trap, { number: 2 }));
    await watch.poll();
    expect(watch.status().active?.digest).toBe(newer);
    for (const id of ["a", "b", "c", "d"]) expect(await ask(watch, killer(id))).toBe("ADM_TIMEOUT");
    expect(await ask(watch, review())).toContain('"allowed":true');
    expect(watch.status()).toMatchObject({ active: { digest: newer }, quarantined: [] });
  });

  it("are refused by their content, and then their namespace; other requests that waited are answered", async () => {
    await bench.push(changedTrap(trap, { number: 3 }));
    const refused = openRefusedInputs(Date.now);
    const { watch } = await bench.watch({
      start,
      onFatalRequest: (fatalRequest, error) => {
        refused.add(fatalRequest, scanReview(fatalRequest.body).namespace, error);
      },
    });
    await watch.poll();
    const asking = askSafely({
      decider: () => watch.decider(),
      decisionLog: null,
      intake: openIntake(),
      refused,
      namespaceKnown: () => Promise.resolve(),
    });
    interface Answer {
      allowed: boolean;
      status?: { code: number; message: string };
    }
    /** Repeats a request as clients do that follow Retry-After. */
    const asked = async (body: string): Promise<Answer> => {
      const reply = await asking("/mutate", body, scanReview(body));
      expect(reply.status).toBe(200);
      const { response } = JSON.parse(reply.body) as { response: Answer };
      return /ADM_(RESTARTING|BUSY)/.test(response.status?.message ?? "") ? asked(body) : response;
    };
    const first = asked(killer("a"));
    const waiting = Array.from({ length: 20 }, () => asked(review()));
    expect((await first).status).toMatchObject({
      code: 403,
      message: expect.stringContaining("ADM_TIMEOUT") as string,
    });
    for (const answer of await Promise.all(waiting)) expect(answer.allowed).toBe(true);
    expect((await asked(killer("a"))).status?.message).toContain("ADM_INPUT_REFUSED");
    for (const id of ["b", "c"]) expect((await asked(killer(id))).status?.message).toContain("ADM_TIMEOUT");
    expect((await asked(review({}, "hostile"))).status).toMatchObject({
      code: 429,
      details: { retryAfterSeconds: 30 },
      message: expect.stringContaining("ADM_NAMESPACE_HELD") as string,
    });
    expect((await asked(review())).allowed).toBe(true);
  });
});

describe("2: a poll during a restart", () => {
  it("does not take the bundle that restarts for a new one, so that the one before stays the one before", async () => {
    const older = await bench.push(changedTrap(trap, { number: 4 }));
    // From a certain moment on, processes of the second bundle fail.
    let broken = false;
    const { watch } = await bench.watch({
      start: (tarball, ref) =>
        start(broken && tarball.digest !== older ? { ...tarball, bytes: Buffer.from("none") } : tarball, ref),
    });
    await watch.poll();
    const newer = await bench.push(changedTrap(trap, { number: 5 }));
    await watch.poll();
    const killed = ask(watch, killer("a"));
    for (let poll = 0; poll < 40; poll += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      await watch.poll();
    }
    expect(await killed).toBe("ADM_TIMEOUT");
    expect(await ask(watch, review())).toContain('"allowed":true');
    expect(watch.status()).toMatchObject({ active: { digest: newer }, quarantined: [] });
    broken = true;
    expect(await ask(watch, killer("b"))).toBe("ADM_TIMEOUT");
    expect(await ask(watch, review())).toContain('"allowed":true');
    expect(watch.status()).toMatchObject({ active: { digest: older }, quarantined: [{ digest: newer }] });
  });
});

describe("2: a bundle that fails its self-test", () => {
  it("is replaced by the one before, which is what a restart begins with", async () => {
    const older = await bench.push(changedTrap(trap, { number: 6 }));
    const { watch } = await bench.watch({ start });
    await watch.poll();
    // Whatever is asked in this namespace loops: the fault of the bundle.
    const newer = await bench.push(changedTrap(trap, { namespace: "team" }));
    await watch.poll();
    expect(watch.status().active?.digest).toBe(newer);
    expect(await ask(watch, review({}, "team"))).toBe("ADM_TIMEOUT");
    await vi.waitFor(() => {
      expect(watch.status()).toMatchObject({
        active: { digest: older, from: "disk" },
        quarantined: [{ digest: newer, code: "BUNDLE_LOOPS" }],
      });
    }, 40_000);
    await watch.poll();
    expect(watch.status().active?.digest).toBe(older);
    expect(await ask(watch, review({}, "team"))).toContain('"allowed":true');
    expect((await openStore(join(bench.folder, "store")).read(bench.ref))?.digest).toBe(older);
  });

  it("does not stop all admissions if there is none before: it is tried until it works", async () => {
    await bench.push(changedTrap(trap, { number: 7 }));
    let failing = 0;
    const { watch } = await bench.watch({
      start: (tarball, ref) => {
        failing -= 1;
        return failing >= 0 ? start({ ...tarball, bytes: Buffer.from("none") }, ref) : start(tarball, ref);
      },
    });
    await watch.poll();
    failing = 3;
    expect(await ask(watch, killer("a"))).toBe("ADM_TIMEOUT");
    await watch.poll();
    await vi.waitFor(async () => {
      expect(await ask(watch, review())).toContain('"allowed":true');
    }, 30_000);
  });
});

describe("2: a million items", () => {
  it("do not end the process that validates them", async () => {
    const decider = startWithin(20_000, { bytes: trap, signed: false }, "test");
    await decider.ready;
    const body = reviewOf(vm({ cpu: 2, memory: 4, disks: Array.from({ length: 1_000_000 }, () => ({})) }));
    expect((await decider.ask("/mutate", body)).body).toContain("ADM_SCHEMA");
    await decider.stop();
  });
});
