import type { RolloutSettings } from "./plan-rollout.ts";

/** Annotations of a CompositionDefinition. */
const NAME = {
  perMinute: "landfall.dev/rollout-per-minute",
  paused: "landfall.dev/rollout-paused",
  failures: "landfall.dev/rollout-failures",
} as const;

const DEFAULTS = { perMinute: 30, failures: 1 };
const MOST = 1000;

/** The settings of a rollout, and what is wrong with them: the default counts then. */
export interface ReadSettings extends RolloutSettings {
  problems: string[];
}

/** Reads the settings from the annotations of a CompositionDefinition. */
export function readSettings(annotations: Readonly<Record<string, string>>): ReadSettings {
  const problems: string[] = [];
  const whole = (key: "perMinute" | "failures"): number => {
    const text = annotations[NAME[key]];
    if (text === undefined) return DEFAULTS[key];
    const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
    if (value >= 1 && value <= MOST) return value;
    const counts = `${String(DEFAULTS[key])} counts`;
    problems.push(`${NAME[key]} is not a whole number from 1 to ${String(MOST)}: ${counts}`);
    return DEFAULTS[key];
  };
  const paused = (annotations[NAME.paused] ?? "").trim().slice(0, 200);
  return { perMinute: whole("perMinute"), failures: whole("failures"), paused, problems };
}
