import { isObject } from "../../src/model/json.ts";
import type { LoadedBundles } from "../../src/policy/load-bundles.ts";
import type { LoadedBundle } from "../../src/policy/loaded-bundle.ts";
import type { Reply, ReviewPath } from "../review/answer-review.ts";
import { readCases, runSmoke, type SmokeCase, type SmokeReport } from "./run-smoke.ts";

type Answer = (path: ReviewPath, body: string) => Reply;

const child = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);

/** The cases that lie beside a team's rules: data.landfall.custom.NAME.smoke.cases. */
function teamCases(data: Record<string, unknown>, ref: string): SmokeCase[] {
  const custom = child(data["landfall"], "custom");
  const packages = isObject(custom) ? Object.entries(custom) : [];
  return packages.flatMap(([name, own]) =>
    readCases(child(child(own, "smoke"), "cases"), ref, `data.landfall.custom.${name}.smoke.cases`),
  );
}

/**
 * Asks the platform's smoke inputs (data.landfall.smoke.cases) of its own rules, and those of each team of all rules together:
 * what a team denies is no fault of the platform's. The time is that of all rules. Throws BUNDLE_SMOKE, BUNDLE_DATA.
 */
export function smokeAll(
  { platform, bundle, data, teams }: LoadedBundles,
  ref: string,
  answersOf: (bundle: LoadedBundle) => Answer,
): SmokeReport {
  const smoke = child(child(data["landfall"], "smoke"), "cases");
  const cases = readCases(smoke, ref, "data.landfall.smoke.cases");
  const own = runSmoke(cases, ref, answersOf(platform));
  if (teams.length === 0) return own;
  // Old data is no fault of the rules.
  const together = answersOf({ ...bundle, others: [] });
  const reports = teams.map((team) => runSmoke(teamCases(team.data, team.ref), team.ref, together));
  const { medianMs } = runSmoke(cases, null, together);
  return { cases: own.cases + reports.reduce((sum, report) => sum + report.cases, 0), medianMs };
}
