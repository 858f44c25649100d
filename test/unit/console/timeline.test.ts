import { describe, expect, it } from "vitest";
import { checkAlone } from "../../../src/admission/decide/decide.ts";
import { admit } from "../../../src/admission/admit.ts";
import type { Row } from "../../../src/console/contract/rows.ts";
import { requestOf } from "../../../src/console/explanation/decision-request.ts";
import { otherStarts, startsToTry } from "../../../src/console/explanation/other-starts.ts";
import { rowOf } from "../../../src/console/objects/row-of.ts";
import { objectReport } from "../../../src/console/report/object-report.ts";
import { NO_OUTLOOK } from "../../../src/console/timeline/outlook.ts";
import { readTimeline } from "../../../src/console/timeline/read-timeline.ts";
import { zoneHours } from "../../../src/console/timeline/zone-hours.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import type { ForecastBook, ZoneForecast } from "../../../src/model/places/forecast.ts";
import { CarbonCurve, ForecastCurve } from "../../../src/placement/curves.ts";
import { context, create, NOW, patched, vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";

const NAMESPACE = { name: "demo", labels: {}, annotations: {} };
const ASKED = { cpu: 8, memory: 32, duration: "3h", deadline: "2026-11-22T22:00:00Z", dataResidency: ["EU"] };
const HOUR = 3600;
const inTurn = <T>(work: () => T): Promise<T> => Promise.resolve(work());

async function waiting(spec: Record<string, unknown> = ASKED): Promise<Resource> {
  const asked = vm(spec, { uid: "1", creationTimestamp: "2026-11-20T22:00:00Z" });
  return patched(asked, admit(create(asked), context(await loadPolicy(), NOW))) as Resource;
}

const row = (name: string, fields: Partial<Row>): Row => ({
  ...rowOf(vm({ cpu: 2, memory: 4 }, { name }) as Resource),
  ...{ place: "aws/eu-north-1", startsAt: "2026-11-20T20:00:00Z", state: "running" },
  ...fields,
});

const forecast = (values: number[], issuedAt = NOW): ZoneForecast => ({
  ...{ issuedAt, start: NOW - (NOW % HOUR), stepSeconds: HOUR, values },
  band: { low: values.map((value) => value - 5), high: values.map((value) => value + 7) },
});

const bookOf = (zones: Record<string, ZoneForecast>): ForecastBook => ({
  sources: [{ name: "grid", maxAgeSeconds: 24 * HOUR, zones, problems: {}, problem: null }],
});

describe("the limits of an object", () => {
  it("leave time for the boot and the run before the deadline", async () => {
    const found = rowOf(await waiting());
    const latest = Date.parse(found.latestStart ?? "") / 1000;
    const end = Date.parse("2026-11-22T22:00:00Z") / 1000;
    expect(end - latest).toBeGreaterThanOrEqual(3 * HOUR);
    expect(end - latest).toBeLessThan(3.5 * HOUR);
    // The code that decides allows this start, and none a minute later.
    const decider = { policy: await loadPolicy(), forecasts: () => null };
    const request = requestOf(await waiting(), NAMESPACE, decider, NOW);
    const { place } = found;
    const [provider, schedulingLocation] = (place ?? "").split("/");
    const at = (seconds: number): boolean => {
      const schedulingTime = new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
      return checkAlone({ ...request, pins: { provider, schedulingLocation, schedulingTime } }).allowed;
    };
    expect([at(latest), at(latest + 60)]).toEqual([true, false]);
  });

  it("are none without a deadline", async () => {
    expect(rowOf(await waiting({ cpu: 2, memory: 4 }))).toMatchObject({ latestStart: null, parts: [] });
  });
});

describe("the hours of a zone", () => {
  it("are measured where they were, a forecast with its band where there is one, and expected elsewhere", async () => {
    const table = (await loadPolicy()).catalog.carbon["IT-NO"];
    expect(table).toBeDefined();
    if (table === undefined) return;
    const climatology = new CarbonCurve(table);
    const curve = new ForecastCurve("grid", forecast([300, 310, 320]), climatology);
    const measured = { issuedAt: NOW, start: NOW - 2 * HOUR, stepSeconds: HOUR, values: [200, 210], band: null };
    const hours = zoneHours(curve, measured, { from: NOW - 3 * HOUR, hours: 7 });
    expect(hours.map(({ known }) => known)).toEqual([
      "expected",
      ...["measured", "measured", "forecast", "forecast", "forecast"],
      "expected",
    ]);
    expect(hours[2]).toEqual({ value: 210, known: "measured", low: null, high: null });
    expect(hours[4]).toEqual({ value: 310, known: "forecast", low: 305, high: 317 });
    expect(hours[6]?.value).toBe(climatology.meanOver(NOW + 3 * HOUR, HOUR));
  });
});

describe("the timeline", () => {
  const rows = [
    row("runs", {}),
    row("ended-before", { state: "ended", endsAt: "2026-11-18T00:00:00Z", created: "2026-11-17T00:00:00Z" }),
    row("waits", { state: "waiting", startsAt: "2026-11-22T10:00:00Z", place: "azure/italynorth" }),
    row("undecided", { place: null, startsAt: null }),
  ];
  const asked = async (query: object, outlook = NO_OUTLOOK) =>
    readTimeline({ policy: await loadPolicy(), outlook, rows, query, nowSeconds: NOW });

  it("has the objects of the hours, and the zones of these objects", async () => {
    const found = await asked({});
    expect(found.bars.map(({ row: { name }, zone }) => [name, zone])).toEqual([
      ["waits", "IT-NO"],
      ["runs", "SE-SE3"],
    ]);
    expect(found).toMatchObject({ total: 2, undecided: 1, hours: 96, from: "2026-11-19T22:00:00Z" });
    expect(found.zones.map(({ zone, hours }) => [zone, hours.length])).toEqual([
      ["IT-NO", 96],
      ["SE-SE3", 96],
    ]);
  });

  it("follows its filters, and names the zones with the least carbon without objects", async () => {
    expect((await asked({ zone: "IT-NO" })).bars.map(({ row: { name } }) => name)).toEqual(["waits"]);
    expect((await asked({ state: "waiting", limit: 1 })).total).toBe(1);
    const none = await asked({ search: "nothing" });
    expect([none.total, none.zones.length]).toEqual([0, 6]);
    const mean = ({ hours }: (typeof none.zones)[number]): number => hours.reduce((sum, { value }) => sum + value, 0);
    expect(none.zones.map(mean)).toEqual(none.zones.map(mean).toSorted((a, b) => a - b));
    await expect(asked({ zone: "nowhere" })).rejects.toMatchObject({ code: "CONSOLE_REQUEST" });
    await expect(asked({ from: "tomorrow" })).rejects.toMatchObject({ code: "CONSOLE_REQUEST" });
  });

  it("uses the forecasts that it was given", async () => {
    const found = await asked(
      { zone: "IT-NO" },
      { book: () => bookOf({ "IT-NO": forecast([1000, 1000]) }), measured: () => new Map() },
    );
    expect(found).toMatchObject({ hasForecasts: true });
    expect(found.zones[0]).toMatchObject({ source: "grid", issuedAt: "2026-11-20T22:00:00Z" });
    expect(found.zones[0]?.hours[24]).toEqual({ value: 1000, known: "forecast", low: 995, high: 1007 });
  });
});

describe("the other starts", () => {
  it("are tried now and at each full hour, coarsely first", () => {
    const half = NOW + HOUR / 2;
    expect(startsToTry(half, NOW + 3 * HOUR)).toEqual([half, NOW + HOUR, NOW + 3 * HOUR, NOW + 2 * HOUR]);
    expect(startsToTry(NOW, NOW - 1)).toEqual([]);
    expect(startsToTry(NOW, Infinity)).toHaveLength(170);
  });

  it("are decided by the code that decides, and compare with the decided one", async () => {
    const object = await waiting();
    const decider = { policy: await loadPolicy(), forecasts: () => null };
    const found = await otherStarts({ object, namespace: NAMESPACE, inTurn }, decider, NOW);
    expect(found).toMatchObject({ complete: true, perHour: false, at: "2026-11-20T22:00:00Z" });
    const recorded = rowOf(object);
    expect(found.decided).toMatchObject({ place: recorded.place, start: recorded.start, grams: recorded.grams });
    const request = requestOf(object, NAMESPACE, decider, NOW);
    for (const { start, best } of [found.starts[0], found.starts[20], found.starts.at(-1)].flatMap(
      (one) => one ?? [],
    )) {
      const placement = checkAlone({ ...request, pins: { schedulingTime: start } }).placement;
      expect([start, best?.grams]).toEqual([start, placement?.gramsCO2]);
    }
    // All of them are before the latest start.
    expect(Date.parse(found.starts.at(-1)?.start ?? "")).toBeLessThanOrEqual(Date.parse(recorded.latestStart ?? ""));
  });

  it("compare with the recorded pauses, and with the same run without them", async () => {
    const object = await waiting({
      ...{ ...ASKED, duration: "12h", deadline: "2026-11-23T22:00:00Z", provider: "gcp", dataResidency: ["NL"] },
      ...{
        waitingCostPercent: 0,
        whenDone: "delete",
        interruptible: { minRun: "1h", maxPauses: 4, resumeCost: "10m" },
      },
    });
    const recorded = rowOf(object);
    expect(recorded.parts.length).toBeGreaterThan(1);
    const decider = { policy: await loadPolicy(), forecasts: () => null };
    const { decided, withoutPauses } = await otherStarts({ object, namespace: NAMESPACE, inTurn }, decider, NOW);
    expect(decided?.pauses).toBe(recorded.parts.length - 1);
    expect(decided?.grams).toBeCloseTo(recorded.grams ?? NaN, 1);
    expect(decided?.usd).toBeCloseTo(recorded.usd ?? NaN);
    expect(withoutPauses).toMatchObject({ start: recorded.start, place: recorded.place, pauses: 0 });
    expect(withoutPauses?.grams).toBeGreaterThan(recorded.grams ?? NaN);
    const { life, row: shown } = objectReport(object, {
      ...{ verdict: null, nowSeconds: NOW, signature: { state: "unknown", detail: "" } },
    });
    const moments = life.flatMap(({ at, what, detail }) => (what === "Pause" ? [[at, detail]] : []));
    expect(shown.pauseWay).toBe("stop");
    expect(moments).toEqual(
      shown.parts.slice(0, -1).map(({ end }) => [end, "its machine is stopped until it continues"]),
    );
    expect(life.flatMap(({ at, what }) => (what === "Continues" ? [at] : []))).toEqual(
      shown.parts.slice(1).map(({ start }) => start),
    );
  });

  it("say why no place is allowed", async () => {
    const object = await waiting();
    const denied = { ...object, spec: { ...object.spec, cpu: 100_000 } };
    const decider = { policy: await loadPolicy(), forecasts: () => null };
    const found = await otherStarts({ object: denied, namespace: NAMESPACE, inTurn }, decider, NOW);
    expect(found.decided).toBeNull();
    expect(found.starts[0]).toMatchObject({ here: null, best: null, denial: expect.stringMatching(/./) as string });
  });
});
