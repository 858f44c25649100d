import { textOf } from "../../model/json.ts";
import { nodeAt } from "../../model/wrong-value/schema-node.ts";
import { SCHEMAS } from "../check/schema-denials.ts";
import type { DecisionRequest } from "../types.ts";

/** The least size of a machine. */
export interface Least {
  cpu: number;
  memory: number;
}

/** The first of types, the smallest first, that has what is asked for; undefined for none. */
export const firstWith = (
  { policy: { catalog } }: DecisionRequest,
  provider: string,
  { cpu, memory }: Least,
  types: readonly string[],
): string | undefined =>
  types.find((type) => {
    const size = catalog.sizeOf?.(provider, type) ?? null;
    return size !== null && size.vcpus >= cpu && size.memoryGiB >= memory;
  });

/** The part of a type's name that those of its family have in common: `m7i.`, `n2-standard-`, `Standard_D`. */
const familyOf = (type: string): string =>
  /^(?:.{1,20}\.|.{1,40}-(?=\d))/.exec(type)?.[0] ?? /^\D{1,40}/.exec(type)?.[0] ?? type;

/** The smallest type of the family that examples name, and that has what is asked for; undefined for none. */
export function usualType(request: DecisionRequest, provider: string, least: Least): string | undefined {
  const { catalog } = request.policy;
  const examples = nodeAt(SCHEMAS.KaasCluster, "/poolInstanceTypes")["x-provider-examples"]?.[provider];
  const family = familyOf(textOf(Object.values(Object(examples) as object)[0]));
  const vcpus = (type: string): number => catalog.sizeOf?.(provider, type)?.vcpus ?? Infinity;
  const all = (catalog.types?.[provider] ?? []).filter((type) => type.startsWith(family));
  return firstWith(
    request,
    provider,
    least,
    all.toSorted((one, other) => vcpus(one) - vcpus(other)),
  );
}
