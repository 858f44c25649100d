import type { Decision, Placement } from "../../model/decision.ts";
import type { Move } from "../../model/decision-annotation/compact-decision.ts";
import { parseTime } from "../../model/time.ts";
import { countedGain, countsWaiting } from "./moves.ts";

/** For so long a move makes the next one harder. */
const REMEMBERED_SECONDS = 86_400;

export interface MoveQuestion {
  /** What today's bundle and forecasts say of the place and the start that are decided. */
  here: Decision;
  /** What they would choose. */
  anew: Placement;
  /** The platform's setting. */
  minimumGain: number;
  /** Earlier moves of the object. */
  moves: readonly Move[];
  /** Seconds since 1970. */
  nowSeconds: number;
}

export interface MoveAnswer {
  /** Why it moves, in a word; null where it stays. */
  move: string | null;
  /** Share of the carbon that it saves, with what waiting is worth; null where that is unknown. */
  gain: number | null;
  /** The same for people. */
  text: string;
}

/**
 * Share of the carbon that a move has to save: the setting, doubled for every move of the last day. Two forecasts that take
 * turns then come to rest after a few moves, however far apart they are.
 */
export function neededGain(minimumGain: number, moves: readonly Move[], nowSeconds: number): number {
  const recent = moves.filter(({ at }) => nowSeconds - (parseTime(at) ?? 0) < REMEMBERED_SECONDS);
  return minimumGain * 2 ** recent.length;
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const named = ({ provider, region, start }: Placement): string => `${provider}/${region} at ${start}`;

/** Whether an object that waits for its start is better moved. Pure. */
export function worthMoving({ here, anew, minimumGain, moves, nowSeconds }: MoveQuestion): MoveAnswer {
  if (here.placement === null) {
    const codes = [...new Set(here.denials.map(({ code }) => code))].join(", ");
    return { move: codes, gain: null, text: `moves to ${named(anew)}: its place is not allowed any more (${codes})` };
  }
  const place = named(here.placement);
  if (place === named(anew)) return { move: null, gain: 0, text: `stays in ${place}: nothing is better` };
  const gain = countedGain(here.placement, anew);
  if (gain === null) return { move: null, gain, text: `stays in ${place}: what a move would save is not known` };
  const needed = neededGain(minimumGain, moves, nowSeconds);
  const waits = countsWaiting(here.placement, anew) ? ", waiting counted" : "";
  if (gain > 0 && gain >= needed) {
    const text = `moves from ${place} to ${named(anew)}: ${percent(gain)} less CO2e${waits}`;
    return { move: `forecast${waits}`, gain, text };
  }
  const saved = gain > 0 ? `saves ${percent(gain)}${waits}` : "saves nothing";
  return { move: null, gain, text: `stays in ${place}: ${named(anew)} ${saved} and ${percent(needed)} are needed` };
}
