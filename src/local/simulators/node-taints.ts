import { textAt } from "./fields.ts";
import type { Resource } from "./types.ts";

// EKS's taints of a node group. docs/internals/operators.md has the sources.

/** Annotation with the taints that EKS has. */
export const TAINTS = "simulators.landfall.dev/taints";

interface Taint {
  key: string;
  value: string;
  effect: string;
}

const listed = (value: unknown): Taint[] =>
  (Array.isArray(value) ? value : []).map((taint) => ({
    key: textAt(taint, "key") ?? "",
    value: textAt(taint, "value") ?? "",
    effect: textAt(taint, "effect") ?? "",
  }));

const wantedIn = ({ spec }: Resource): Taint[] => listed(spec["taints"]);

/** EKS's taints before this spec. */
function earlier({ metadata: { annotations = {} } }: Resource): Taint[] {
  const text = annotations[TAINTS];
  return text === undefined ? [] : listed(JSON.parse(text));
}

/** The taints that ACK should remove and does not: it compares keys alone, and EKS keeps taints by key and effect. */
function kept(resource: Resource): Taint[] {
  const wanted = wantedIn(resource);
  const isWanted = ({ key, effect }: Taint): boolean => wanted.some((one) => one.key === key && one.effect === effect);
  return earlier(resource).filter((taint) => wanted.some(({ key }) => key === taint.key) && !isWanted(taint));
}

/** EKS's taints once ACK has sent this spec. */
export const taintsText = (resource: Resource): string => JSON.stringify([...wantedIn(resource), ...kept(resource)]);

/** Whether EKS keeps taints that the spec no longer has: ACK then sends the same update at each look, and never a new version. */
export const keepsTaints = (resource: Resource): boolean => kept(resource).length > 0;
