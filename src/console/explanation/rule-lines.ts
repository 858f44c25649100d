import { table } from "../../model/table.ts";

/** The place of a rule in its bundle. */
export interface RuleLine {
  /** Path in the bundle. */
  file: string;
  line: number;
}

/** Steps of the funnel whose package has another name. */
const PACKAGES = table({ maxPrice: "max_price", custom: "additions" });
/** A limit that TypeScript applies: the rule that sets it. */
const DEFAULT_LATENCY = { step: "latencyDefault", sets: /^preferred := \{/ };

/** The rule that narrows the places: each package has one of these. That a rule passes all places on says nothing of what it removes. */
const NARROWS = [/^(?:remaining|offers) := \[/, /^(?:remaining|offers) :=/];

/**
 * Finds the rule of a step of the funnel in a bundle's sources: the first line that says which places remain. Null for a step that the
 * bundle does not name so. `files`: path -> text.
 */
export function ruleLines(files: ReadonlyMap<string, string>): (rule: string) => RuleLine | null {
  const known = new Map<string, RuleLine>();
  for (const [file, text] of files) {
    const name = /^package landfall\.(\w{1,100})$/m.exec(text)?.[1];
    const lines = text.split("\n");
    const at =
      NARROWS.map((pattern) => lines.findIndex((line) => pattern.test(line))).find((found) => found >= 0) ?? -1;
    const path = file.replace(/^\//, "");
    if (name !== undefined && at >= 0) known.set(name, { file: path, line: at + 1 });
    const set = name === "latency" ? lines.findIndex((line) => DEFAULT_LATENCY.sets.test(line)) : -1;
    if (set >= 0) known.set(DEFAULT_LATENCY.step, { file: path, line: set + 1 });
  }
  return (rule) => known.get(PACKAGES[rule] ?? rule) ?? null;
}
