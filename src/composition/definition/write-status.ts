import { apiPath, type ApiPath, below } from "../../cluster/api-path.ts";
import { conditionsOf, mergeConditions } from "../../model/kubernetes.ts";
import { canonicalJson } from "../../model/json.ts";
import { formatTime } from "../../model/time.ts";
import type { CompositionDefinition, ConditionInput } from "../types.ts";
import type { DefinitionContext } from "./definition-context.ts";

/** Of a CompositionDefinition. */
export const pathOf = ({ namespace = "", name = "" }: { namespace?: string; name?: string }): ApiPath =>
  apiPath`/apis/core.krateo.io/v1alpha1/namespaces/${namespace}/compositiondefinitions/${name}`;

export const condition = (type: string, ok: boolean, reason: string, message: string): ConditionInput => ({
  type,
  status: ok ? "True" : "False",
  reason,
  message,
});

/** Writes what changed of a definition's status. Other conditions stay. */
export async function writeStatus(
  context: Pick<DefinitionContext, "client" | "nowSeconds">,
  definition: CompositionDefinition,
  conditions: ConditionInput[],
  rest: Record<string, unknown>,
): Promise<void> {
  const path = below(pathOf(definition.metadata), "status");
  const merged = mergeConditions(conditionsOf(definition), conditions, formatTime(context.nowSeconds()));
  const status = { ...rest, conditions: merged };
  const before = definition.status ?? {};
  if (canonicalJson({ ...before, ...status }) === canonicalJson(before)) return;
  await context.client.patch(path, "merge", { status });
}
