import Table from "cli-table3";
import type { Colors } from "picocolors/types.js";
import { type CompactDecision, readDecision } from "../../model/decision-annotation/compact-decision.ts";
import type { Example, ExampleResult } from "./example-types.ts";
import type { ExampleReporter } from "./run-examples.ts";
import type { Placement } from "../../model/decision.ts";
import { formatGrams } from "../../model/places/intensity.ts";
import { placeName } from "../../model/workload.ts";

function when(placement: Placement, nowMs: number): string {
  const start = placement.start.slice(0, 16).replace("T", " ");
  return Date.parse(placement.start) > nowMs ? `starts ${start} UTC` : "starts now";
}

function carbon({ gramsCO2, baselineGramsCO2, end }: Placement): string {
  if (gramsCO2 === null) return "carbon unknown";
  const per = end === null ? "an hour" : "the whole run";
  const against = baselineGramsCO2 === null ? "" : ` against ${formatGrams(baselineGramsCO2)} now at the origin`;
  return `${formatGrams(gramsCO2)}${against} for ${per}`;
}

function cost({ pricePerHour, latencyMs, latencySource }: Placement): string {
  const price = pricePerHour === null ? "price unknown" : `${pricePerHour.toFixed(3)} USD/h`;
  return latencyMs === null ? price : `${price}, ${latencyMs} ms to the origin (${latencySource ?? "unknown"})`;
}

/** A decision in three or four short lines. `now` in milliseconds since 1970. */
function describeDecision(decision: CompactDecision, nowMs: number): string[] {
  const { placement } = decision;
  const zone = placement.zone === null ? "" : ` (${placement.zone})`;
  const place = `${placeName(placement)}${zone}`;
  const funnel = decision.why.filter((text) => text !== "").join(" · ");
  const others = decision.alternatives.map((one) => one.place).join(", ");
  return [
    `placed  ${place}, ${placement.instanceType}, ${when(placement, nowMs)}`,
    `why     ${decision.eligible} of ${decision.considered} places fit${funnel ? `: ${funnel}` : ""}`,
    `        ${carbon(placement)}, ${cost(placement)}${others ? `; next best ${others}` : ""}`,
    ...(decision.degraded.length > 0 ? [`        degraded: ${decision.degraded.join(", ")}`] : []),
  ];
}

const INDENT = "    ";

const title = ({ file, object }: Example, colors: Colors): string =>
  `${colors.bold(object.metadata.name ?? "")} ${object.kind} in ${object.metadata.namespace ?? "default"}, ${file}`;

export const isAsExpected = (result: ExampleResult): boolean => result.expected.split(", ").includes(result.outcome);

function resourcesLine(result: ExampleResult): string {
  const { resources } = result;
  if (resources.length === 0) return result.outcome === "Deleted" ? "nothing is left" : "no resources yet";
  const ready = resources.filter((resource) => resource.ready).length;
  const kinds = [...new Set(resources.map(({ kind }) => kind))].join(", ");
  return `${ready} of ${resources.length} resources ready: ${kinds}`;
}

function ending(result: ExampleResult): string[] {
  const text = result.message?.trim().split("\n") ?? [];
  if (result.outcome.startsWith("Denied")) return text;
  return [resourcesLine(result), ...text];
}

const placeOf = ({ decision }: ExampleResult): string => (decision === null ? "" : placeName(decision.placement));

/** A table of the results, one line per example: what it should end as, and what it ended as. */
export function resultsTable(results: ExampleResult[], colors: Colors): string {
  const head = ["example", "name", "place", "expected", "outcome", "seconds"];
  const table = new Table({ head, style: { head: [], border: [], compact: true } });
  for (const result of results) {
    const paint = isAsExpected(result) ? colors.green : colors.red;
    const { file, name, expected, outcome, seconds } = result;
    table.push([file, name, placeOf(result), expected, paint(outcome), seconds.toFixed(1)]);
  }
  return table.toString();
}

/** Writes the progress of each example, a short block per event. */
export function reportProgress(write: (text: string) => void, colors: Colors): ExampleReporter {
  const block = (head: string, lines: string[]): void => {
    write([head, ...lines.map((line) => `${INDENT}${line}`)].join("\n"));
  };
  return {
    admitted(example, object) {
      const decision = readDecision(object);
      const lines = decision === null ? ["it has no decision"] : describeDecision(decision, Date.now());
      block(`${colors.cyan("→")} ${title(example, colors)}`, lines);
    },
    progress(example, message) {
      write(`${colors.dim("…")} ${example.object.metadata.name ?? ""}: ${message}`);
    },
    settled(example, result) {
      const good = isAsExpected(result);
      const mark = good ? colors.green("✔") : colors.red("✘");
      const wanted = good ? "" : `, expected ${result.expected}`;
      const outcome = `${result.outcome} after ${result.seconds.toFixed(1)} s${wanted}`;
      block(`${mark} ${title(example, colors)}: ${good ? colors.green(outcome) : colors.red(outcome)}`, ending(result));
    },
  };
}
