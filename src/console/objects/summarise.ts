import type { Compared, Figures, Overview, Sum } from "../contract/overview.ts";
import { type Row, STATES } from "../contract/rows.ts";
import { isDenied } from "./choose-rows.ts";

/** How many objects a list of the overview names. */
const LISTED = 8;

type Figure = number | null;

const total = (values: readonly Figure[]): number => values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

/** The decided sum and the one that it would be instead, of the rows that have both. */
function compare(rows: readonly Readonly<{ decided: Figure; instead: Figure }>[]): Compared {
  const known = rows.filter(({ decided, instead }) => decided !== null && instead !== null);
  return {
    decided: total(known.map(({ decided }) => decided)),
    instead: total(known.map(({ instead }) => instead)),
    unknown: rows.length - known.length,
  };
}

/** A figure of these rows, with the baselines that it is compared with. */
function sumOf(rows: readonly Readonly<Record<"decided" | "origin" | "now", Figure>>[]): Sum {
  return {
    decided: total(rows.map(({ decided }) => decided)),
    unknown: rows.filter(({ decided }) => decided === null).length,
    origin: compare(rows.map(({ decided, origin }) => ({ decided, instead: origin }))),
    now: compare(rows.map(({ decided, now }) => ({ decided, instead: now }))),
  };
}

/** `usd`: the price of a row for the time that its grams are for. */
const figuresOf = (rows: readonly Row[], usd: (row: Row) => Figure): Figures => ({
  objects: rows.length,
  grams: sumOf(rows.map((row) => ({ decided: row.grams, origin: row.baselineGrams, now: row.nowGrams }))),
  usd: sumOf(rows.map((row) => ({ decided: usd(row), origin: row.baselineUsd, now: row.nowUsd }))),
});

const byStart = (a: Row, b: Row): number => ((a.start ?? "") < (b.start ?? "") ? -1 : 1);

/** Whether nothing but a person helps: it fails, or is paid for after its run. */
const isUrgent = ({ state }: Row): boolean => state === "failing" || state === "overdue";

/** The overview of these rows. `audited`: whether the reports about the policies in force could be read. Pure. */
export function summarise(rows: readonly Row[], audited: boolean): Omit<Overview, "current"> {
  const decided = rows.filter(({ decision }) => decision !== null);
  const counts = STATES.map((state) => [state, rows.filter((row) => row.state === state).length] as const);
  const waiting = rows.filter(({ state, start }) => state === "waiting" && start !== null);
  const attention = rows.filter((row) => isUrgent(row) || isDenied(row) || row.decision === null);
  return {
    all: rows.length,
    states: { ...Object.fromEntries(counts), denied: rows.filter(isDenied).length },
    audited,
    runs: figuresOf(
      decided.filter(({ end }) => end !== null),
      ({ usd }) => usd,
    ),
    perHour: figuresOf(
      decided.filter(({ end, state }) => end === null && state !== "ended"),
      ({ usdPerHour }) => usdPerHour,
    ),
    next: waiting.sort(byStart).slice(0, LISTED),
    attention: attention.slice(0, LISTED),
  };
}
