import type { Colors } from "picocolors/types.js";
import { readDecision } from "../model/decision-annotation/compact-decision.ts";
import { describeDecision } from "./describe-decision.ts";
import type { Example, ExampleResult } from "./example-types.ts";
import type { Narrator } from "./run-example.ts";

const INDENT = "    ";

const title = ({ file, object }: Example, colors: Colors): string =>
  `${colors.bold(object.metadata.name ?? "")} ${object.kind} in ${object.metadata.namespace ?? "default"}, ${file}`;

export const isAsExpected = (result: ExampleResult): boolean => result.expected.split(", ").includes(result.outcome);

function resourcesLine(result: ExampleResult): string {
  const { resources } = result;
  if (resources.length === 0) return "no resources yet";
  const ready = resources.filter((resource) => resource.ready).length;
  const kinds = [...new Set(resources.map(({ kind }) => kind))].join(", ");
  return `${ready} of ${resources.length} resources ready: ${kinds}`;
}

function ending(result: ExampleResult): string[] {
  const text = result.message?.trim().split("\n") ?? [];
  if (result.outcome.startsWith("Denied")) return text;
  return [resourcesLine(result), ...text];
}

/** Tells on `write` what becomes of each example, a short block per event. */
export function narrate(write: (text: string) => void, colors: Colors): Narrator {
  const block = (head: string, lines: string[]): void => {
    write([head, ...lines.map((line) => `${INDENT}${line}`)].join("\n"));
  };
  return {
    admitted(example, object) {
      const decision = readDecision(object);
      const lines = decision === null ? ["it carries no decision"] : describeDecision(decision, Date.now());
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
