import type { SimulateBody } from "../../../../src/console/contract/simulation.ts";
import type { SimulateSearch } from "./search.ts";

const DEFAULTS = {
  ...{ jobs: "500", seed: "1", shift: "both", duration: "1-24", slack: "2-168" },
  ...{ waitingCost: "", frontier: "0,10,20", maxPauses: "0", knownHours: "0" },
} as const;
export type OptionName = keyof typeof DEFAULTS;
/** The text of each field. */
export type Options = Record<OptionName, string>;

export const OPTION_NAMES = Object.keys(DEFAULTS) as OptionName[];

/** An empty list in an address, where an empty value is none. */
const EMPTY_LIST = "none";

/** The fields for an address: the defaults, and what it names. */
export function optionsOf(search: SimulateSearch): Options {
  const named = Object.entries(search).filter(([key]) => key in DEFAULTS);
  const found: Options = { ...DEFAULTS, ...Object.fromEntries(named.map(([key, value]) => [key, String(value)])) };
  return found.frontier === EMPTY_LIST ? { ...found, frontier: "" } : found;
}

/** The part of the address for the fields: what differs from the defaults. An emptied number is the default. */
export function searchOf(options: Options): Record<string, string | undefined> {
  const written = { ...options, frontier: options.frontier.trim() === "" ? EMPTY_LIST : options.frontier };
  return Object.fromEntries(
    OPTION_NAMES.map((name) => {
      const value = written[name];
      return [name, value === "" || value === DEFAULTS[name] ? undefined : value];
    }),
  );
}

/** The request for the fields. */
export const bodyOf = (options: Options): SimulateBody => {
  const { jobs, seed, shift, duration, slack, waitingCost, frontier, maxPauses, knownHours } = options;
  return {
    ...{ jobs: Number(jobs), seed: Number(seed), knownHours: Number(knownHours) },
    ...{ duration, slack, frontier: frontier.replaceAll(" ", ""), shift: shift as SimulateBody["shift"] },
    // Runs pause in their place alone.
    maxPauses: shift === "time" ? Number(maxPauses) : 0,
    waitingCost: waitingCost === "" ? null : Number(waitingCost),
  };
};
