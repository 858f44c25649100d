import type { Figures, Overview } from "../contract/overview.ts";
import { type Row, STATES } from "../contract/rows.ts";
import { isDenied } from "./choose-rows.ts";

/** How many objects a list of the overview names. */
const LISTED = 8;

const NONE: Figures = { objects: 0, grams: 0, savedToOrigin: 0, savedByWaiting: 0, usd: 0, unknown: 0 };

function add(sum: Figures, { grams, baselineGrams, nowGrams }: Row, usd: number | null): Figures {
  const unknown = grams === null || baselineGrams === null || nowGrams === null || usd === null;
  if (unknown) return { ...sum, objects: sum.objects + 1, unknown: sum.unknown + 1 };
  return {
    objects: sum.objects + 1,
    grams: sum.grams + grams,
    savedToOrigin: sum.savedToOrigin + baselineGrams - grams,
    savedByWaiting: sum.savedByWaiting + nowGrams - grams,
    usd: sum.usd + usd,
    unknown: sum.unknown,
  };
}

const byStart = (a: Row, b: Row): number => ((a.start ?? "") < (b.start ?? "") ? -1 : 1);

/** The overview of these rows. `audited`: whether the reports about the policies in force could be read. Pure. */
export function summarise(rows: readonly Row[], audited: boolean): Omit<Overview, "current"> {
  const decided = rows.filter(({ decision }) => decision !== null);
  const counts = STATES.map((state) => [state, rows.filter((row) => row.state === state).length] as const);
  const waiting = rows.filter(({ state, start }) => state === "waiting" && start !== null);
  const attention = rows.filter((row) => row.state === "failing" || isDenied(row) || row.decision === null);
  return {
    all: rows.length,
    states: { ...Object.fromEntries(counts), denied: rows.filter(isDenied).length },
    audited,
    runs: decided.filter(({ end }) => end !== null).reduce((sum, row) => add(sum, row, row.usd), NONE),
    perHour: decided
      .filter(({ end, state }) => end === null && state !== "ended")
      .reduce((sum, row) => add(sum, row, row.usdPerHour), NONE),
    next: waiting.sort(byStart).slice(0, LISTED),
    attention: attention.slice(0, LISTED),
  };
}
