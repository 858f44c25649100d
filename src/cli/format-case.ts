import { diffLines } from "diff";
import type { Colors } from "picocolors/types.js";
import { stringify } from "yaml";
import type { CaseResult, Mismatch } from "../testing/policy-case.ts";

const yaml = (value: unknown): string => (typeof value === "string" ? `${value}\n` : stringify(value));

const indented = (text: string, mark: string): string =>
  text.replace(/\n$/, "").replace(/^/gm, `      ${mark} `).concat("\n");

function difference({ what, expected, actual }: Mismatch, colors: Colors): string {
  const lines = diffLines(yaml(expected), yaml(actual)).map(({ value, added, removed }) => {
    if (removed) return colors.red(indented(value, "-"));
    return added ? colors.green(indented(value, "+")) : indented(value, " ");
  });
  return `    ${what}\n${lines.join("")}`;
}

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
