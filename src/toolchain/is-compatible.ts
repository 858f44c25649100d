import type { Compatibility } from "./tool-spec.ts";

const VERSION = /(\d+)\.(\d+)\.(\d+)/;

function numbers(text: string): [number, number, number] | null {
  const found = VERSION.exec(text);
  return found ? [Number(found[1]), Number(found[2]), Number(found[3])] : null;
}

/** The first `1.2.3` in what a program printed about itself, or null. */
export const versionIn = (output: string): string | null => VERSION.exec(output)?.[0] ?? null;

/** Whether a program of version `found` can stand in for the pinned one. */
export function isCompatible(found: string, pinned: string, rule: Compatibility): boolean {
  const [have, want] = [numbers(found), numbers(pinned)];
  if (!have || !want || have[0] !== want[0]) return false;
  if (rule === "same-minor") return have[1] === want[1];
  return have[1] > want[1] || (have[1] === want[1] && have[2] >= want[2]);
}
