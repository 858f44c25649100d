import { isObject } from "../../../src/model/json.ts";
import type { LoadedBundles } from "../../../src/policy/load-bundles.ts";
import type { LoadedBundle } from "../../../src/policy/loaded-bundle.ts";
import type { Reply, ReviewPath } from "../../review/answer-review.ts";
import type { TrialInput } from "../messages.ts";
import type { SmokeReport } from "../messages.ts";
import { readCases, reviewOf, ROUNDS, runSmoke, type SmokeCase } from "./run-smoke.ts";

/** Of one team, in all of its packages. */
const TEAM_CASES = 100;
/** So many decisions of `limits.decisionMs` may the cases of a team take, and the platform's with its rules; at least one for each. */
const BUDGET = 100;
/** Ms of all of them at most: loading has three times as much. */
const MOST_MS = 10_000;

type Answer = (path: ReviewPath, body: string) => Reply;

const child = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);

/** The platform's smoke cases: data.landfall.smoke.cases. */
const platformCases = (data: Record<string, unknown>, ref: string): SmokeCase[] =>
  readCases(child(child(data["landfall"], "smoke"), "cases"), ref, "data.landfall.smoke.cases");

/** Reviews of the platform's smoke cases that must be denied. Throws BUNDLE_DATA. */
export const deniedCases = (data: Record<string, unknown>, ref: string): string[] =>
  platformCases(data, ref).flatMap((one) => (one.allowed ? [] : [reviewOf(one)]));

/** The smoke cases of a team's bundle: data.landfall.custom.NAME.smoke.cases. Throws BUNDLE_DATA, BUNDLE_LIMIT. */
function teamCases(data: Record<string, unknown>, ref: string): SmokeCase[] {
  const custom = child(data["landfall"], "custom");
  const packages = isObject(custom) ? Object.entries(custom) : [];
  let left = TEAM_CASES;
  return packages.flatMap(([name, own]) => {
    const cases = readCases(child(child(own, "smoke"), "cases"), ref, `data.landfall.custom.${name}.smoke.cases`, left);
    left -= cases.length;
    return cases;
  });
}

/**
 * Runs the platform's smoke cases (data.landfall.smoke.cases) against its own rules, and each team's cases against those and its
 * own: a team may deny what the platform allows, and what one team denies must not fail another's bundle. The time is measured
 * with all rules. `slowMs`: what one decision may take. Throws BUNDLE_SMOKE, BUNDLE_DATA, BUNDLE_LIMIT and BUNDLE_SLOW, which name
 * the bundle whose case or time it is.
 */
export function smokeAll(
  { platform, bundle, data, teams }: LoadedBundles,
  ref: string,
  answersOf: (bundle: LoadedBundle) => Answer,
  slowMs = Infinity,
): { smoke: SmokeReport; times: TrialInput["times"] } {
  const cases = platformCases(data, ref);
  const own = runSmoke(cases, { ref, limitMs: slowMs }, answersOf(platform));
  const { totalMs, ...smoke } = own;
  if (teams.length === 0) return { smoke, times: { platformMs: own.medianMs, teamsMs: {} } };
  // The age of data images must not fail the rules.
  const answers = (one: LoadedBundle): Answer => answersOf({ ...one, others: [] });
  const budgetMs = Math.min(Math.max(BUDGET, cases.length * ROUNDS) * slowMs, MOST_MS);
  const reports = teams.map(({ data: given, ref: from, bundle: one }) => {
    const budget = { ref: from, ms: budgetMs };
    return runSmoke(teamCases(given, from), { ref: from, rounds: 1, budget }, answers(one));
  });
  const timed = teams.map(({ name, ref: from, bundle: one }) => {
    // The platform's own time is not the team's.
    const budget = { ref: from, ms: totalMs + budgetMs };
    return [name, runSmoke(cases, { ref: null, budget, limitMs: slowMs }, answers(one)).medianMs] as const;
  });
  const teamsMs = Object.fromEntries(timed);
  const count = own.cases + reports.reduce((sum, report) => sum + report.cases, 0);
  const { medianMs } = runSmoke(cases, { ref: null, limitMs: slowMs }, answers(bundle));
  return { smoke: { cases: count, medianMs }, times: { platformMs: own.medianMs, teamsMs } };
}
