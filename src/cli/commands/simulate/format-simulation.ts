import { type Column, plainTable } from "../../output/plain-table.ts";
import type { Colors } from "picocolors/types.js";
import { shareOfBound, type Simulation } from "../../../simulate/simulate.ts";

export const HEAD = [
  "POLICY",
  "KG CO2E",
  "SAVING",
  "OF BOUND",
  "USD",
  "DELAY H",
  "LATENCY MS",
  "MISSES",
  "VIOLATIONS",
  "BUSIEST",
];

const inPercent = (value: number | null, digits: number): string =>
  value === null ? "-" : `${(100 * value).toFixed(digits)} %`;
const percent = (value: number | null): string => inPercent(value, 1);
const hundredths = (value: number | null): string => inPercent(value, 2);

/** Decimals that show at least three digits of the largest amount in a column. */
const decimals = (largest: number): number => (largest > 0 ? Math.max(0, 2 - Math.floor(Math.log10(largest))) : 0);

/** Decimals of kg and USD: a few jobs sum up to grams and cents. */
function precision({ policies }: Simulation): { kg: number; usd: number } {
  const largest = (of: "kgCO2" | "cost"): number => Math.max(...policies.map(({ figures }) => figures[of]));
  return { kg: Math.max(2, decimals(largest("kgCO2"))), usd: decimals(largest("cost")) };
}

/** The figures of each policy in the order of `HEAD`, as text. */
export function figureRows(simulation: Simulation): string[][] {
  const baseline = simulation.policies[0]?.figures.kgCO2 ?? 0;
  const { kg, usd } = precision(simulation);
  return simulation.policies.map(({ figures }) => [
    figures.name,
    figures.kgCO2.toFixed(kg),
    percent(baseline === 0 ? null : 1 - figures.kgCO2 / baseline),
    percent(shareOfBound(simulation, figures.kgCO2)),
    figures.cost.toFixed(usd),
    figures.meanDelayHours.toFixed(1),
    figures.meanLatencyMs.toFixed(1),
    String(figures.deadlineMisses),
    String(figures.violations),
    percent(figures.busiestRegionShare),
  ]);
}

function tableOf(head: readonly string[], rows: readonly string[][], colors: Colors): string {
  const columns = head.map((title, index): Column => (index === 0 ? [title] : [title, "right"]));
  const painted = rows.map(([name = "", ...rest]) => [
    /^ours/.test(name) ? colors.green(colors.bold(name)) : name,
    ...rest,
  ]);
  return plainTable(columns, painted, colors).join("\n");
}

const FRONTIER_HEAD = ["COST OF A DAY", "OURS OF BOUND", "DELAY H", "WITH WAITING", "CLAIRVOYANT", "DELAY H"];

function frontierRows(simulation: Simulation): string[][] {
  return simulation.frontier.map(({ waitingCostPercent, ours, clairvoyant }) => [
    `${String(waitingCostPercent)} %${waitingCostPercent === simulation.waitingCostPercent ? ", in force" : ""}`,
    percent(shareOfBound(simulation, ours.kgCO2)),
    ours.meanDelayHours.toFixed(1),
    hundredths(shareOfBound(simulation, ours.kgWithWaiting)),
    percent(shareOfBound(simulation, clairvoyant.kgCO2)),
    clairvoyant.meanDelayHours.toFixed(1),
  ]);
}

const PAUSES_HEAD = [
  "RUNS THAT PAUSE",
  "KG CO2E",
  "SAVING",
  "OVER ONE RUN",
  "OF CLAIRVOYANT",
  "DELAY H",
  "PAUSES",
  "MOST",
  "MISSES",
];

function pauseRows(simulation: Simulation): string[][] {
  const baseline = simulation.pauses[0]?.kgCO2 ?? 0;
  const { kg } = precision(simulation);
  return simulation.pauses.map((one) => [
    one.name,
    one.kgCO2.toFixed(kg),
    percent(baseline === 0 ? null : 1 - one.kgCO2 / baseline),
    percent(one.savedOverOneRun),
    percent(one.shareOfClairvoyant),
    one.meanDelayHours.toFixed(1),
    one.meanPauses.toFixed(1),
    String(one.mostPauses),
    String(one.deadlineMisses),
  ]);
}

/** Which parts of the greatest saving `ours` does not reach, as a line; nothing if there is no saving. */
function lostLine({ policies, upperBound, lost }: Simulation): string {
  const possible = (policies[0]?.figures.kgCO2 ?? 0) - upperBound.kgCO2;
  if (lost === null || possible <= 1e-9) return "";
  const part = (kg: number): string => hundredths(kg / possible);
  const { place, hour, waitingCost } = lost;
  return `ours does not reach ${part(place + hour + waitingCost)}: by the place ${part(place)}, by the hour ${part(hour)}, by the cost of waiting ${part(waitingCost)}\n`;
}

/** The saving that is left if waiting counts at its cost, as a line; nothing if no policy pays it. */
function waitingLine(simulation: Simulation): string {
  const kgOf = (wanted: string): number | undefined =>
    simulation.policies.find(({ figures: { name } }) => name === wanted)?.figures.kgWithWaiting;
  const [ours, knowing] = [kgOf("ours"), kgOf("clairvoyant-same-cost")];
  if (ours === undefined || knowing === undefined) return "";
  const share = (kg: number): string => hundredths(shareOfBound(simulation, kg));
  const now = share(simulation.bestNow.kgCO2);
  return `with the cost of waiting counted: ours ${share(ours)}, clairvoyant-same-cost ${share(knowing)}; the best places on arrival ${now}\n`;
}

/** The figures as tables for a terminal: the policies, then costs of waiting and pauses if they were measured. */
export function formatSimulation(simulation: Simulation, colors: Colors): string {
  const { upperBound, tasks, frontier, pauses } = simulation;
  const text = tableOf(HEAD, figureRows(simulation), colors);
  const costs = frontier.length === 0 ? "" : `\n\n${tableOf(FRONTIER_HEAD, frontierRows(simulation), colors)}`;
  const paused = pauses.length === 0 ? "" : `\n\n${tableOf(PAUSES_HEAD, pauseRows(simulation), colors)}`;
  const jobs = `${String(tasks.length)} job${tasks.length === 1 ? "" : "s"}`;
  const least = upperBound.kgCO2.toFixed(precision(simulation).kg);
  const bound = `${jobs} · nothing that keeps the limits can go below ${least} kg CO2e`;
  return `${text}${costs}${paused}\n\n${lostLine(simulation)}${waitingLine(simulation)}${colors.dim(bound)}\n`;
}
