import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openScheduler } from "../../../src/external-data/scheduler/open-scheduler.ts";
import { HOUR_SECONDS, nowSeconds } from "../../../src/model/time.ts";
import { startProcess } from "../../../webhook/decisions/start-process.ts";
import { reviewOf, vm } from "../../support/admission.ts";
import { type Fault, type JsonService, type Reply, startJsonService } from "../../support/services/json-service.ts";
import { policyFile } from "../../support/load-policy.ts";

const file = await policyFile();
const trust = { mode: "off", keys: [], identities: [], root: null } as const;
const BUDGET_MS = 300;
const open: (() => Promise<void>)[] = [];
afterEach(() => Promise.all(open.splice(0).map((close) => close())));

const iso = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, -5)}Z`;
interface Bench {
  scheduler: JsonService;
  bodies: Record<string, unknown>[];
  ask: (uid: string, quiet?: boolean) => Promise<{ allowed: boolean; start?: string; warnings: string[]; ms: number }>;
}

/** A process that decides and asks a scheduler on a real socket, which answers with what `reply` makes of a request. */
async function bench(reply: (body: Record<string, unknown>) => Reply): Promise<Bench> {
  const bodies: Record<string, unknown>[] = [];
  const service = await startJsonService(({ body }) => {
    const request = JSON.parse(body) as Record<string, unknown>;
    bodies.push(request);
    return reply(request);
  });
  const scheduler = openScheduler({ url: `${service.url}/schedule`, tokenFile: null, budgetMs: BUDGET_MS });
  const decider = startProcess({
    ...{
      bytes: readFileSync(file),
      ref: "test",
      trust,
      signed: false,
      keys: [Buffer.alloc(32, 7)] as const,
      events: [],
    },
    ...{ forecasts: null, timeoutMs: 8000, onReserved: () => undefined, logLabels: null },
    consult: (request) => scheduler.ask(request),
  });
  open.push(
    () => decider.stop(),
    () => scheduler.close(),
    () => service.close(),
  );
  await decider.ready;
  const spec = {
    cpu: 2,
    memory: 4,
    duration: "2h",
    deadline: iso(nowSeconds() + 24 * HOUR_SECONDS),
    dataResidency: ["FR", "IT"],
  };
  return {
    ...{ scheduler: service, bodies },
    ask: async (uid, quiet = false) => {
      const began = performance.now();
      const { body } = await decider.ask("/mutate", reviewOf(vm(spec), { uid }), { quiet });
      const { response } = JSON.parse(body) as {
        response: { allowed: boolean; patch: string; warnings?: string[] };
      };
      const patch = JSON.parse(Buffer.from(response.patch, "base64").toString()) as { path: string; value: string }[];
      const start = patch.find(({ path }) => path === "/spec/schedulingTime")?.value ?? "";
      const warnings = (response.warnings ?? []).filter((text) => text.includes("SCHEDULER_"));
      return { allowed: response.allowed, start, warnings, ms: performance.now() - began };
    },
  };
}

const schedule = (zone: string, start: string): Reply => ({
  status: 200,
  body: { scheduling_time: start, scheduling_location: zone },
});

const broken = (status: number, body: unknown): Fault => ({ times: 9, kind: "reply", reply: { status, body } });

describe("a client of an external scheduler", () => {
  const request = { number_of_jobs: 1, eligible_regions: ["FR"], deadline: "", duration: "2h", cpu: 2, memory: 4 };

  it.each<[string, Fault, string]>([
    ["hangs", { times: 9, kind: "hang" }, "SCHEDULER_AWAY"],
    ["cuts the connection", { times: 9, kind: "cut" }, "SCHEDULER_AWAY"],
    ["answers 500", broken(500, { error: "oops" }), "SCHEDULER_STATUS"],
    ["answers HTML", broken(200, "<html>Sign in</html>"), "SCHEDULER_ANSWER"],
    ["answers half of it", broken(200, { scheduling_location: "FR" }), "SCHEDULER_ANSWER"],
    ["answers no time", broken(200, { scheduling_location: "FR", scheduling_time: "tomorrow" }), "SCHEDULER_ANSWER"],
    ["answers too much", broken(200, "x".repeat(200_000)), "SCHEDULER_AWAY"],
  ])("says what is wrong with one that %s", async (_name, fault, code) => {
    const service = await startJsonService(() => schedule("FR", ""));
    const scheduler = openScheduler({ url: service.url, tokenFile: null, budgetMs: BUDGET_MS });
    open.push(
      () => scheduler.close(),
      () => service.close(),
    );
    service.fail(fault);
    expect(await scheduler.ask(request)).toMatchObject({ ok: false, code });
  });

  it("sends the token from a file, and reports a missing file", async () => {
    const seen: unknown[] = [];
    const service = await startJsonService(({ headers }) => {
      seen.push(headers.authorization);
      return schedule("FR", "2026-11-21T04:00:00Z");
    });
    const tokenFile = join(mkdtempSync(join(tmpdir(), "landfall-token-")), "token");
    const scheduler = openScheduler({ url: service.url, tokenFile, budgetMs: BUDGET_MS });
    open.push(
      () => scheduler.close(),
      () => service.close(),
    );
    expect(await scheduler.ask(request)).toMatchObject({ ok: false, code: "SCHEDULER_AWAY" });
    writeFileSync(tokenFile, "s3cret\n");
    expect(await scheduler.ask(request)).toEqual({ ok: true, zone: "FR", start: 1_795_233_600 });
    expect(seen).toEqual(["Bearer s3cret"]);
  });
});

describe("the external scheduler of a webhook", () => {
  it("is asked once per object, as in the contract, and its answer is used", async () => {
    const start = iso(nowSeconds() + 5 * HOUR_SECONDS);
    const { ask, bodies } = await bench(() => schedule("IT-NO", start));
    expect(await ask("1")).toMatchObject({ allowed: true, start, warnings: [] });
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).toMatchObject({
      ...{ number_of_jobs: 1, eligible_regions: ["FR", "IT-NO"], duration: "2h", cpu: 2, memory: 4 },
      req_timeout: BUDGET_MS / 1000,
    });
  });

  it("is not asked while a bundle is being tested", async () => {
    const { ask, bodies } = await bench(() => schedule("IT-NO", iso(nowSeconds() + 5 * HOUR_SECONDS)));
    expect(await ask("1", true)).toMatchObject({ allowed: true });
    expect(bodies).toEqual([]);
  });

  it.each<[string, Fault, string]>([
    ["hangs", { times: 9, kind: "hang" }, "SCHEDULER_AWAY"],
    ["names a date in the past", broken(200, schedule("FR", "2020-01-01T00:00:00Z").body), "SCHEDULER_PAST"],
  ])("that %s costs no more than its budget: the embedded one answers", async (_name, fault, code) => {
    const { ask, scheduler } = await bench(() => schedule("FR", ""));
    scheduler.fail(fault);
    const { allowed, start, warnings, ms } = await ask("1");
    expect(allowed).toBe(true);
    expect(start).not.toBe("");
    expect(warnings).toEqual([expect.stringContaining(`[${code}]`)]);
    expect(ms).toBeLessThan(BUDGET_MS + 1500);
  });

  it("is not asked for a while after repeated failures, and a hanging request does not block others", async () => {
    const { ask, scheduler } = await bench(() => schedule("FR", ""));
    scheduler.fail({ times: 99, kind: "hang" });
    const began = performance.now();
    const together = await Promise.all(Array.from({ length: 5 }, (_, index) => ask(String(index))));
    expect(together.every(({ warnings }) => warnings[0]?.includes("SCHEDULER_AWAY"))).toBe(true);
    expect(performance.now() - began).toBeLessThan(2 * BUDGET_MS + 1500);
    const { warnings } = await ask("6");
    expect(warnings[0]).toContain("SCHEDULER_CIRCUIT");
    expect(scheduler.asked).toHaveLength(5);
  });
});
