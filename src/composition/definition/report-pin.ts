import type { LandfallError } from "../../errors.ts";
import { askRegistry } from "../chart/fetch-chart.ts";
import type { CompositionDefinition, ConditionInput, ServedChart } from "../types.ts";
import { readPassword } from "./read-password.ts";
import type { DefinitionContext } from "./definition-context.ts";
import { condition, pathOf, writeStatus } from "./write-status.ts";

function conditionOf(pinned: string, problem: LandfallError | null): ConditionInput {
  if (problem === null) return condition("Pinned", true, "Unchanged", `its content is ${pinned}`);
  return problem.code === "REL_CHART_MOVED"
    ? condition("Pinned", false, "Moved", problem.line)
    : condition("Pinned", true, "NotFetched", problem.line);
}

/**
 * Asks the registry of a served chart what it serves now, and reports in the definition's status if that is not what is pinned. The chart
 * is in use meanwhile: nothing waits for the registry. Throws API errors.
 */
export async function reportPin(context: DefinitionContext, { definition: key }: ServedChart): Promise<void> {
  const { client, pins, log, record, chartDirectory: directory } = context;
  const definition = await client.get<CompositionDefinition>(pathOf(key));
  const reference = definition?.spec.chart;
  const pin = reference && (await pins.read(reference));
  if (!definition || !reference || !pin) return;
  const password = await readPassword(context, definition, reference);
  const problem = await askRegistry({ ...context, reference, password, directory }, pin.archive);
  if (problem !== null) {
    const about = { chart: reference.url, pinned: pin.archive, code: problem.code, error: problem.message };
    log.warn(about, "the pinned chart is used");
    if (problem.code === "REL_CHART_MOVED")
      record(definition, { type: "Warning", reason: problem.code, message: problem.line });
  }
  await writeStatus(context, definition, [conditionOf(pin.archive, problem)], {});
}
