import { below } from "../../cluster/api-path.ts";
import { type ConditionInput, conditionsOf, mergeConditions, type Resource } from "../../model/kubernetes.ts";
import { canonicalJson } from "../../model/json.ts";
import { formatTime } from "../../model/time.ts";
import type { Saying } from "../step/step.ts";
import type { Item, OperatorContext } from "./context.ts";

interface ElementoCondition extends ConditionInput {
  severity?: Saying["severity"];
  observedGeneration: number;
}

const generationOf = ({ metadata }: Resource): number => metadata.generation ?? 0;

/** The CRD's limit is 1,024 characters. */
const shorten = (message: string): string => message.slice(0, 1024);

export const notReady = (object: Resource, { severity, reason, message }: Saying): ElementoCondition => ({
  ...{ type: "Ready", status: "False", severity, reason, message: shorten(message) },
  observedGeneration: generationOf(object),
});

export const ready = (object: Resource, reason: string, message: string): ElementoCondition => ({
  ...{ type: "Ready", status: "True", reason, message: shorten(message) },
  observedGeneration: generationOf(object),
});

export const inSync = (object: Resource, drift: readonly string[]): ElementoCondition => ({
  type: "InSync",
  observedGeneration: generationOf(object),
  ...(drift.length === 0
    ? { status: "True", reason: "AsWanted", message: "" }
    : { status: "False", severity: "Warning", reason: "UpdateUnsupported", message: shorten(drift.join("; ")) }),
});

/**
 * Writes the status if it changed. The write fails (409) if `item.object` is not the newest version, so that nothing is
 * decided on stale data.
 */
export async function saveStatus(
  context: OperatorContext,
  item: Item,
  change: Readonly<Record<string, unknown>>,
  conditions: ElementoCondition[] = [],
): Promise<void> {
  const { object } = item;
  const merged = mergeConditions(conditionsOf(object), conditions, formatTime(Math.floor(context.nowMs() / 1000)));
  const status = {
    ...object.status,
    ...change,
    observedGeneration: generationOf(object),
    ...(merged.length === 0 ? {} : { conditions: merged }),
  };
  if (canonicalJson(status) === canonicalJson(object.status ?? {})) return;
  // By this path, only the status changes: what the operator does not keep of the object stays as it is.
  item.object = await context.client.replace<Resource>(below(item.path, "status"), { ...object, status });
  context.wrote(item.object);
}
