import type { Colors } from "picocolors/types.js";
import type { CaseResult, Mismatch } from "../testing/policy-case.ts";
import { formatDifference } from "./format-difference.ts";

const difference = ({ what, expected, actual }: Mismatch, colors: Colors): string =>
  `    ${what}\n${formatDifference(expected, actual ?? "nothing", colors, "      ")}`;

/** What was expected (-) and what came (+), for each expectation that does not hold. */
export function formatMismatches({ mismatches, message }: CaseResult, colors: Colors): string {
  const said = message === null ? "" : `    denied: ${message.split("\n")[0] ?? ""}\n`;
  return mismatches.map((mismatch) => difference(mismatch, colors)).join("") + said;
}

/** One line for a case that passes, the differences for one that fails. */
export function formatCase(result: CaseResult, colors: Colors): string {
  const { name, description } = result.case;
  const title = description === "" ? name : `${name}: ${description}`;
  if (result.mismatches.length === 0) return `  ${colors.green("✓")} ${title}\n`;
  return `  ${colors.red("✗")} ${title}\n${formatMismatches(result, colors)}`;
}
