import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { Outcome } from "../../../../src/admission/types.ts";
import { openForecastCache } from "../../../../src/external-data/forecasts/forecast-cache.ts";
import { checkForecastSettings } from "../../../../src/external-data/forecasts/read-settings.ts";
import { openScheduler } from "../../../../src/external-data/scheduler/open-scheduler.ts";
import { forecastHours } from "../../../../src/forecast/forecast-hours.ts";
import type { Advice, SchedulerRequest } from "../../../../src/model/advice.ts";
import type { Decision } from "../../../../src/model/decision.ts";
import type { ForecastBook } from "../../../../src/model/places/forecast.ts";
import { HOUR_SECONDS, formatTime } from "../../../../src/model/time.ts";
import { context, create, NOW, vm } from "../../../support/admission.ts";
import { type Fault, startJsonService } from "../../../support/services/json-service.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

// Everything bad that can be said about the hours to come: what the user gets, by whose figures, and what `degraded` says.
const policy = await loadPolicy();
const open: (() => Promise<void>)[] = [];
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-outlook-"));
});
afterEach(() => Promise.all(open.splice(0).map((close) => close())));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** In the one zone DE, any hour of the next two days. */
const SPEC = {
  ...{ cpu: 2, memory: 4, duration: "1h", deadline: formatTime(NOW + 48 * HOUR_SECONDS) },
  ...{ provider: "gcp", schedulingLocation: "europe-west3" },
};

interface Series {
  zone?: string;
  hours?: number;
  issuedAt?: number;
  /** In the third hour. */
  odd?: number;
}

/** A file of figures: 200 g but for the ninth hour, which is best. */
function csv({ zone = "DE", hours = 72, issuedAt = NOW - HOUR_SECONDS, odd }: Series): string {
  const rows = Array.from({ length: hours }, (_, hour) => {
    const value = hour === 9 ? 5 : hour === 3 && odd !== undefined ? odd : 200;
    return [zone, formatTime(NOW + hour * HOUR_SECONDS), value, "", "", formatTime(issuedAt)].join(",");
  });
  return ["zone,time,gco2_per_kwh,low,high,issued_at", ...rows, ""].join("\n");
}

/** What the sources of these settings said, asked once by the webhook's own cache. */
async function bookOf(first: object): Promise<ForecastBook> {
  await writeFile(join(folder, "spare.csv"), csv({}));
  const spare = { name: "spare", type: "file", path: join(folder, "spare.csv") };
  const cache = openForecastCache({
    settings: checkForecastSettings({ sources: [{ name: "first", ...first }, spare] }, "settings.yaml"),
    ...{ onChange: () => undefined, onProblem: () => undefined, forecastHours, folder: null, random: () => 0.5 },
  });
  await cache.follow(["DE"]);
  await cache.stop();
  return cache.book();
}

async function fromFile(series: Series): Promise<ForecastBook> {
  const path = join(folder, "first.csv");
  await writeFile(path, csv(series));
  return bookOf({ type: "file", path });
}

/** Only what hangs is given up soon: on a busy machine, an answer may take longer. */
const patience = ({ kind }: Fault): number => (kind === "hang" ? 200 : 20_000);

async function fromService(fault: Fault): Promise<ForecastBook> {
  const service = await startJsonService(() => ({ status: 200, body: {} }));
  open.push(() => service.close());
  service.fail(fault);
  const http = { retries: 0, timeoutMs: patience(fault) };
  return bookOf({ type: "electricity-maps", url: service.url, zones: ["DE"], http });
}

const reply = (status: number, body: unknown): Fault => ({ times: 99, kind: "reply", reply: { status, body } });

function admitted(outcome: Outcome): {
  decision: Decision;
  degraded: Decision["degraded"];
  warnings: readonly string[];
} {
  if (!outcome.allowed || outcome.decision === null) throw new TypeError("it was not decided");
  const { decision, warnings } = outcome;
  const degraded = decision.degraded.filter(({ code }) => /^(FORECAST|SCHEDULER)_/.test(code));
  return { decision, degraded, warnings };
}

describe("a bad forecast: the next source of the settings is used, with a code and a line in `degraded`", () => {
  it.each<[string, () => Promise<ForecastBook>, string]>([
    ["no forecast for the zone", () => fromFile({ zone: "FR" }), "FORECAST_ZONE"],
    ["stale data", () => fromFile({ issuedAt: NOW - 30 * HOUR_SECONDS }), "FORECAST_STALE"],
    ["a negative intensity", () => fromFile({ odd: -1 }), "FORECAST_VALUE"],
    ["an absurd intensity", () => fromFile({ odd: 99_999 }), "FORECAST_VALUE"],
    ["a clock far off: made in three hours", () => fromFile({ issuedAt: NOW + 3 * HOUR_SECONDS }), "FORECAST_CLOCK"],
    ["a service that hangs", () => fromService({ times: 99, kind: "hang" }), "FORECAST_AWAY"],
    ["a service that answers 500", () => fromService(reply(500, { error: "oops" })), "FORECAST_STATUS"],
    ["a service that answers HTML", () => fromService(reply(200, "<html>Sign in</html>")), "FORECAST_ANSWER"],
  ])("%s", async (_name, bookFrom, code) => {
    const forecasts = await bookFrom();
    const { decision, degraded, warnings } = admitted(admit(create(vm(SPEC)), { ...context(policy), forecasts }));
    expect(degraded.map((entry) => entry.code)).toEqual([code]);
    expect(degraded[0]?.message).toMatch(/; spare was used instead$/);
    expect(warnings.join("\n")).toContain(`[${code}]`);
    expect(decision.placement).toMatchObject({
      start: formatTime(NOW + 9 * HOUR_SECONDS),
      carbon: { source: "spare" },
    });
  });

  it("a forecast that ends before the deadline: the next one goes on", async () => {
    const forecasts = await fromFile({ hours: 6 });
    const { decision, degraded, warnings } = admitted(admit(create(vm(SPEC)), { ...context(policy), forecasts }));
    expect(degraded.map((entry) => entry.code)).toEqual(["FORECAST_SHORT"]);
    expect(degraded[0]?.message).toMatch(/after that spare was used$/);
    expect(warnings.join("\n")).toContain("[FORECAST_SHORT]");
    expect(decision.placement?.start).toBe(formatTime(NOW + 9 * HOUR_SECONDS));
  });

  it("a clock of ours far off: a day ahead every source is stale, a day behind from the future; climatology decides", async () => {
    const forecasts = await fromFile({});
    const spec = { ...SPEC, deadline: formatTime(NOW + 96 * HOUR_SECONDS) };
    for (const [hours, code] of [
      [30, "FORECAST_STALE"],
      [-30, "FORECAST_CLOCK"],
    ] as const) {
      const at = { ...context(policy, NOW + hours * HOUR_SECONDS), forecasts };
      const { decision, degraded } = admitted(admit(create(vm(spec)), at));
      expect(degraded.map((entry) => entry.code)).toEqual([code, code]);
      expect(degraded.at(-1)?.message).toMatch(/; the climatology of the bundle was used instead$/);
      expect(decision.placement?.carbon).toMatchObject({ issuedAt: null });
    }
  });
});

describe("a deadline that cannot be met", () => {
  // Of the slowest place that it may use: gcp.
  const BOOT = 90;

  it("is a hard rule: denied with a code and the change that passes, never moved", () => {
    const tight = create(vm({ ...SPEC, duration: "3h", deadline: formatTime(NOW + 2 * HOUR_SECONDS) }));
    const denied = admit(tight, context(policy));
    if (denied.allowed) throw new TypeError("it was allowed");
    expect(denied.codes).toEqual(["ADM_DEADLINE_TOO_SHORT"]);
    expect(denied.message).toContain(formatTime(NOW + 3 * HOUR_SECONDS + BOOT));
    const past = admit(create(vm({ ...SPEC, deadline: formatTime(NOW - 1) })), context(policy));
    expect(past.allowed ? [] : past.codes).toEqual(["ADM_DEADLINE_PAST"]);
  });

  it("has priority over carbon: without slack work starts now, though the ninth hour is forty times cleaner", async () => {
    const forecasts = await fromFile({});
    const within = (seconds: number): string | undefined => {
      const spec = { ...SPEC, deadline: formatTime(NOW + seconds) };
      return admitted(admit(create(vm(spec)), { ...context(policy), forecasts })).decision.placement?.start;
    };
    expect(within(HOUR_SECONDS + BOOT)).toBe(formatTime(NOW));
    // One second short of the best hour: not one second of it is taken.
    expect(Date.parse(within(10 * HOUR_SECONDS + BOOT - 1) ?? "") / 1000).toBeLessThanOrEqual(
      NOW + 9 * HOUR_SECONDS - 1,
    );
    expect(within(10 * HOUR_SECONDS + BOOT)).toBe(formatTime(NOW + 9 * HOUR_SECONDS));
  });
});

/** What a scheduler that goes wrong like this says, asked over a real socket by the webhook's own client. */
async function adviceOf(fault: Fault): Promise<Advice> {
  const service = await startJsonService(() => ({ status: 200, body: {} }));
  const scheduler = openScheduler({ url: service.url, tokenFile: null, budgetMs: patience(fault) });
  open.push(
    () => scheduler.close(),
    () => service.close(),
  );
  service.fail(fault);
  const request: SchedulerRequest = {
    ...{ number_of_jobs: 1, eligible_regions: ["DE"], duration: "1h", cpu: 2, memory: 4 },
    deadline: SPEC.deadline,
  };
  return scheduler.ask(request);
}

const says = (zone: string, start: number): Fault =>
  reply(200, { scheduling_location: zone, scheduling_time: formatTime(start) });

describe("a bad scheduler outside: the embedded one answers, with a code and a line in `degraded`", () => {
  it.each<[string, Fault, string]>([
    ["hangs", { times: 9, kind: "hang" }, "SCHEDULER_AWAY"],
    ["answers 500", reply(500, { error: "oops" }), "SCHEDULER_STATUS"],
    ["answers HTML", reply(200, "<html>Sign in</html>"), "SCHEDULER_ANSWER"],
    ["names a wrong region", says("FR", NOW + HOUR_SECONDS), "SCHEDULER_REGION"],
    ["names a date in the past", says("DE", NOW - 24 * HOUR_SECONDS), "SCHEDULER_PAST"],
    ["names a start after which the deadline cannot be kept", says("DE", NOW + 48 * HOUR_SECONDS), "SCHEDULER_LATE"],
    ["names no date", reply(200, { scheduling_location: "DE", scheduling_time: "soon" }), "SCHEDULER_ANSWER"],
  ])("that %s", async (_name, fault, code) => {
    const advice = await adviceOf(fault);
    const forecasts = await fromFile({});
    const own = admitted(admit(create(vm(SPEC)), { ...context(policy), forecasts })).decision.placement;
    const { decision, degraded, warnings } = admitted(
      admit(create(vm(SPEC)), { ...context(policy), forecasts, advice }),
    );
    expect(degraded.map((entry) => entry.code)).toEqual([code]);
    expect(degraded[0]?.message).toMatch(/; the embedded scheduler chose instead$/);
    expect(warnings.join("\n")).toContain(`[${code}]`);
    expect(decision.placement).toEqual({ ...own, scheduler: "embedded" });
  });
});
