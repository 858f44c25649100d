import Table from "cli-table3";
import type { Colors } from "picocolors/types.js";
import type { ExampleResult } from "./example-types.ts";
import { isAsExpected } from "./narrate.ts";

const placeOf = ({ decision }: ExampleResult): string =>
  decision === null ? "" : `${decision.placement.provider}/${decision.placement.region}`;

/** One line per example: what it should end as, and what it did. */
export function resultsTable(results: ExampleResult[], colors: Colors): string {
  const head = ["example", "name", "place", "expected", "outcome", "seconds"];
  const table = new Table({ head, style: { head: [], border: [], compact: true } });
  for (const result of results) {
    const paint = isAsExpected(result) ? colors.green : colors.red;
    const { file, name, expected, outcome, seconds } = result;
    table.push([file, name, placeOf(result), expected, paint(outcome), seconds.toFixed(1)]);
  }
  return table.toString();
}
