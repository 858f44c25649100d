import { withSource } from "../../admission/check/denial.ts";
import type { Colors } from "picocolors/types.js";
import type { Decision, ScoredCandidate } from "../../model/decision.ts";
import { latencyText, placementLines } from "./placement-lines.ts";
import { type Column, plainTable } from "./plain-table.ts";

const number = (value: number | null, digits: number): string => (value === null ? "-" : value.toFixed(digits));

const BEST: readonly Column[] = [
  ...([[""], ["PLACE"], ["TYPE"], ["START"]] as const),
  ...([
    ["LATENCY", "right"],
    ["USD/H", "right"],
    ["G CO2E", "right"],
    ["SCORE", "right"],
  ] as const),
];

function bestTable(best: readonly ScoredCandidate[], colors: Colors): string {
  const rows = best.map((entry, index) => {
    const { place, instanceType, start, pricePerHour, gramsCO2, score } = entry;
    const figures = [latencyText(entry), number(pricePerHour, 4), number(gramsCO2, 2), score.toFixed(3)];
    return [index === 0 ? colors.green(">") : " ", place, instanceType, start, ...figures];
  });
  return plainTable(BEST, rows, colors)
    .map((line) => `  ${line}`)
    .join("\n");
}

function denialLines(decision: Decision, colors: Colors): string[] {
  return decision.denials.flatMap((denial) => [
    `  ${colors.red(denial.code)}  ${withSource(denial)}`,
    `    ${colors.dim("do:")} ${denial.remedy}`,
  ]);
}

function funnelLines({ considered, funnel }: Decision["candidates"]): string[] {
  return considered === 0
    ? []
    : [`  why      ${[`${String(considered)} places`, ...funnel.map((step) => step.text)].join(" · ")}`];
}

/** The additions of `-o wide`: why each place was rejected, what was filled in, and by which policies and figures. */
function detailLines({ candidates, written, policy, data }: Decision, colors: Colors): string[] {
  const rejected = Object.entries(candidates.rejected).map(([rule, places]) => `  ${rule}: ${places.join(", ")}`);
  const bundles = Object.entries(policy.bundles ?? {}).map(([name, one]) => ({ name, ...one }));
  return [
    ...(rejected.length === 0 ? [] : ["", "rejected by", ...rejected]),
    "",
    ...(written.length === 0 ? [] : [`filled in   ${written.map((field) => `spec.${field}`).join(", ")}`]),
    ...[{ name: "bundle", ...policy }, ...bundles].map(
      ({ name, revision, digest }) => `${name.padEnd(11)} ${revision} ${colors.dim(digest)}`,
    ),
    ...Object.entries(data).map(([source, date]) => `figures     ${source}: ${date}`),
  ].map((line) => (line === "" ? "" : `  ${line}`));
}

export interface DecisionLook {
  /** Seconds since 1970. */
  nowSeconds: number;
  colors: Colors;
  /** Adds what `-o wide` shows. */
  isWide?: boolean;
}

/** A decision as text for a terminal. */
export function formatDecision(decision: Decision, { nowSeconds, colors, isWide = false }: DecisionLook): string {
  const { object, allowed, placement, candidates } = decision;
  const verdict = allowed ? colors.green("ALLOWED") : colors.red("DENIED");
  const title = `${object.kind} ${object.namespace}/${object.name}  ${verdict}  ${colors.dim(`decision ${decision.id}`)}`;
  const lines = [title, ...denialLines(decision, colors)];
  if (placement !== null) lines.push(...placementLines(placement, nowSeconds, colors));
  lines.push(...funnelLines(candidates));
  for (const note of [...decision.warnings, ...decision.degraded])
    lines.push(`  ${colors.yellow("note")}     ${withSource(note)} [${note.code}]`);
  if (candidates.best.length > 0) lines.push("", bestTable(candidates.best, colors));
  if (isWide) lines.push(...detailLines(decision, colors));
  return `${lines.join("\n")}\n`;
}
