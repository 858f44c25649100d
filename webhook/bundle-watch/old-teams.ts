import type { OtherOptions } from "../../src/bundle/follow/bundle-set.ts";
import type { NamespaceData } from "../../src/model/kubernetes.ts";
import { selectsNamespace } from "../../src/policy/selects-namespace.ts";
import type { DecisionProcess } from "../decisions/start-process.ts";

/** Whether a team is asked about a namespace; of one that is not known, it may be. */
export function concerns(
  { namespaces }: Pick<OtherOptions, "namespaces">,
  namespace: string | null,
  namespaceOf: (name: string) => NamespaceData | null = () => null,
): boolean {
  const data = namespace === null ? null : namespaceOf(namespace);
  return data === null || selectsNamespace(namespaces ?? null, data);
}

/** Tells the process that decides which teams it must not ask, when that changes, and returns the process. */
export function tellAside(): (decider: DecisionProcess, teams: readonly string[]) => DecisionProcess {
  const told = new WeakMap<DecisionProcess, string>();
  return (decider, teams) => {
    const names = teams.join(",");
    if (names === (told.get(decider) ?? "")) return decider;
    told.set(decider, names);
    decider.tell({ type: "aside", teams });
    return decider;
  };
}
