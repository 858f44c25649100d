import { KINDS, type Kind } from "../../model/names.ts";
import { abilitiesOf, OPERATIONS, type OperationName } from "../../model/places/operations.ts";
import { type Provider, PROVIDERS } from "../../model/workload.ts";

/** provider -> kind -> operation -> why it is not possible there; what is possible is omitted. */
export type ImpossibleOperations = Record<string, Record<string, Partial<Record<OperationName, string>>>>;

function ofKind(kind: Kind, provider: Provider): Partial<Record<OperationName, string>> {
  const { operations } = abilitiesOf(kind, provider);
  const impossible = OPERATIONS.filter((name) => !operations[name].can);
  return Object.fromEntries(impossible.map((name) => [name, operations[name].detail]));
}

/** Operations that a provider lacks and no policy may ask for, from catalog/operations.json. */
export const impossibleOperations = (): ImpossibleOperations =>
  Object.fromEntries(
    PROVIDERS.map((provider) => [
      provider,
      Object.fromEntries(KINDS.map((kind) => [kind, ofKind(kind, provider)])),
    ]),
  );
