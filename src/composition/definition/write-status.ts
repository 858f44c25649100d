import { apiPath, type ApiPath, below } from "../../cluster/api-path.ts";
import { retryConflicts } from "../../cluster/retry-conflicts.ts";
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

/**
 * Writes what changed of a definition's status; nothing for one that is gone. Other conditions stay, also those that are written at the same
 * moment. Throws API errors.
 */
export async function writeStatus(
  { client, nowSeconds }: Pick<DefinitionContext, "client" | "nowSeconds">,
  { metadata }: Pick<CompositionDefinition, "metadata">,
  conditions: ConditionInput[],
  rest: Record<string, unknown>,
): Promise<void> {
  const path = pathOf(metadata);
  await retryConflicts(async () => {
    const definition = await client.get<CompositionDefinition>(path);
    if (definition === null) return;
    const merged = mergeConditions(conditionsOf(definition), conditions, formatTime(nowSeconds()));
    const status = { ...rest, conditions: merged };
    const before = definition.status ?? {};
    if (canonicalJson({ ...before, ...status }) === canonicalJson(before)) return;
    const { resourceVersion } = definition.metadata;
    await client.patch(below(path, "status"), "merge", { metadata: { resourceVersion }, status });
  });
}
