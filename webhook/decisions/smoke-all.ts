import { isObject } from "../../src/model/json.ts";
import type { LoadedBundles } from "../../src/policy/load-bundles.ts";
import type { LoadedBundle } from "../../src/policy/loaded-bundle.ts";
import type { Reply, ReviewPath } from "../review/answer-review.ts";
import type { TrialInput } from "./messages.ts";
import { readCases, reviewOf, runSmoke, type SmokeCase, type SmokeReport } from "./run-smoke.ts";

type Answer = (path: ReviewPath, body: string) => Reply;

const child = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);

/** The platform's smoke cases: data.landfall.smoke.cases. */
const platformCases = (data: Record<string, unknown>, ref: string): SmokeCase[] =>
  readCases(child(child(data["landfall"], "smoke"), "cases"), ref, "data.landfall.smoke.cases");

/** Reviews of the platform's smoke cases that must be denied. Throws BUNDLE_DATA. */
export const deniedCases = (data: Record<string, unknown>, ref: string): string[] =>
  platformCases(data, ref).flatMap((one) => (one.allowed ? [] : [reviewOf(one)]));

/** The smoke cases of a team's bundle: data.landfall.custom.NAME.smoke.cases. */
function teamCases(data: Record<string, unknown>, ref: string): SmokeCase[] {
  const custom = child(data["landfall"], "custom");
  const packages = isObject(custom) ? Object.entries(custom) : [];
  return packages.flatMap(([name, own]) =>
    readCases(child(child(own, "smoke"), "cases"), ref, `data.landfall.custom.${name}.smoke.cases`),
  );
}

/**
 * Runs the platform's smoke cases (data.landfall.smoke.cases) against its own rules, and each team's cases against those and its
 * own: a team may deny what the platform allows, and what one team denies must not fail another's bundle. The time is measured
 * with all rules. Throws BUNDLE_SMOKE, BUNDLE_DATA, which name the bundle whose case it is.
 */
export function smokeAll(
  { platform, bundle, data, teams }: LoadedBundles,
  ref: string,
  answersOf: (bundle: LoadedBundle) => Answer,
): { smoke: SmokeReport; times: TrialInput["times"] } {
  const cases = platformCases(data, ref);
  const own = runSmoke(cases, ref, answersOf(platform));
  if (teams.length === 0) return { smoke: own, times: { platformMs: own.medianMs, teamsMs: {} } };
  // The age of data images must not fail the rules.
  const answers = (one: LoadedBundle): Answer => answersOf({ ...one, others: [] });
  const reports = teams.map((team) => runSmoke(teamCases(team.data, team.ref), team.ref, answers(team.bundle)));
  const timeOf = (one: LoadedBundle): number => runSmoke(cases, null, answers(one)).medianMs;
  const teamsMs = Object.fromEntries(teams.map((team) => [team.name, timeOf(team.bundle)]));
  const count = own.cases + reports.reduce((sum, report) => sum + report.cases, 0);
  return { smoke: { cases: count, medianMs: timeOf(bundle) }, times: { platformMs: own.medianMs, teamsMs } };
}
