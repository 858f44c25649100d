import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { admit } from "../../../src/admission/admit.ts";
import { readDecision } from "../../../src/model/decision-annotation/compact-decision.ts";
import { DAY_SECONDS, HOUR_SECONDS, parseTime } from "../../../src/model/time.ts";
import { context, create, patched, type vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";

const policy = await loadPolicy();
const objectIn = async (file: string) =>
  parse(await readFile(new URL(`../../../examples/${file}`, import.meta.url), "utf8")) as ReturnType<typeof vm>;

/** The parts of the run if it is created then. */
function partsAt(object: ReturnType<typeof vm>, nowSeconds: number): { start: number; end: number }[] {
  const outcome = admit(create(object), { ...context(policy), nowSeconds });
  const segments = readDecision(patched(object, outcome))?.placement.segments ?? [];
  return segments.map(({ start, end }) => ({ start: parseTime(start) ?? 0, end: parseTime(end) ?? 0 }));
}

test.each([
  "18-pauses-and-resumes.yaml",
  "26-created-again.yaml",
  "27-another-size.yaml",
  "28-another-place.yaml",
  "29-another-zone.yaml",
])("%s pauses for hours, starts at once and ends in time, whenever it is created", async (file) => {
  const object = await objectIn(file);
  const first = Date.parse("2026-11-23T00:00:00Z") / 1000;
  // 36 times in a year, at all hours of the day.
  for (let index = 0; index < 36; index++) {
    const now = first + index * (10 * DAY_SECONDS + 5 * HOUR_SECONDS) + 137 * index;
    const parts = partsAt(object, now);
    const pauses = parts.slice(1).map(({ start }, at) => start - (parts[at]?.end ?? 0));
    expect(Math.max(0, ...pauses) / HOUR_SECONDS, new Date(now * 1000).toISOString()).toBeGreaterThan(6);
    expect((parts[0]?.start ?? 0) - now).toBeLessThanOrEqual(1);
    expect((parts.at(-1)?.end ?? 0) - now).toBeLessThanOrEqual(42 * HOUR_SECONDS);
  }
});

test("28-another-place.yaml starts in the region that its tag names, whenever it is created", async () => {
  const object = await objectIn("28-another-place.yaml");
  const first = Date.parse("2026-11-23T00:00:00Z") / 1000;
  for (let index = 0; index < 36; index++) {
    const nowSeconds = first + index * (10 * DAY_SECONDS + 5 * HOUR_SECONDS) + 137 * index;
    const outcome = admit(create(object), { ...context(policy), nowSeconds });
    const { region } = readDecision(patched(object, outcome))?.placement ?? {};
    expect(object.spec?.["tags"]).toEqual({ simulate: `no-more-in-${String(region)}` });
  }
});
