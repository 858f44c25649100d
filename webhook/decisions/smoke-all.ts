import { isObject } from "../../src/model/json.ts";
import type { LoadedBundles } from "../../src/policy/load-bundles.ts";
import type { LoadedBundle } from "../../src/policy/loaded-bundle.ts";
import type { Reply, ReviewPath } from "../review/answer-review.ts";
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
 * Runs the platform's smoke cases (data.landfall.smoke.cases) against its own rules, and each team's cases against all rules:
 * a team may deny what the platform allows. The time is measured with all rules. Throws BUNDLE_SMOKE, BUNDLE_DATA.
 */
export function smokeAll(
  { platform, bundle, data, teams }: LoadedBundles,
  ref: string,
  answersOf: (bundle: LoadedBundle) => Answer,
): SmokeReport {
  const cases = platformCases(data, ref);
  const own = runSmoke(cases, ref, answersOf(platform));
  if (teams.length === 0) return own;
  // The age of data images must not fail the rules.
  const together = answersOf({ ...bundle, others: [] });
  const reports = teams.map((team) => runSmoke(teamCases(team.data, team.ref), team.ref, together));
  const { medianMs } = runSmoke(cases, null, together);
  return { cases: own.cases + reports.reduce((sum, report) => sum + report.cases, 0), medianMs };
}
