import { diffLines } from "diff";
import type { Colors } from "picocolors/types.js";
import { stringify } from "yaml";

/** Context lines around a difference. */
const CONTEXT = 3;

const yaml = (value: unknown): string => {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? `${value}\n` : stringify(value);
};

function shortened(lines: string[], isFirst: boolean, isLast: boolean): string[] {
  const [head, tail] = [isFirst ? 0 : CONTEXT, isLast ? 0 : CONTEXT];
  if (lines.length <= head + tail + 1) return lines;
  return [...lines.slice(0, head), "…", ...lines.slice(lines.length - tail)];
}

/** A line-by-line difference of two values as YAML: removed (-) and added (+) lines with context. */
export function formatDifference(before: unknown, after: unknown, colors: Colors, indent: string): string {
  const parts = diffLines(yaml(before), yaml(after));
  return parts
    .flatMap(({ value, added, removed }, index) => {
      const lines = value.replace(/\n$/, "").split("\n");
      if (removed) return lines.map((line) => colors.red(`${indent}- ${line}`));
      if (added) return lines.map((line) => colors.green(`${indent}+ ${line}`));
      return shortened(lines, index === 0, index === parts.length - 1).map((line) => `${indent}  ${line}`);
    })
    .map((line) => `${line}\n`)
    .join("");
}
