/**
 * EKS refuses each update of Auto Mode's fields of a cluster without Auto Mode, of which it reports a value all the same. ACK sends it when
 * all else is done (`customUpdate`, pkg/resource/cluster/hook.go), so it says nothing of another change.
 */
export const OF_AUTO_MODE =
  /The type for cluster update was not provided|Cannot modify EKS Auto Mode configuration|No changes needed for EKS Auto Mode configuration/;

/** The fields of a condition of ACK, unchecked. */
interface AckCondition {
  type?: unknown;
  status?: unknown;
  message?: unknown;
}

/** Whether ACK could not do all that the spec says: it leaves ACK.ResourceSynced of EKS's resources True next to the error. */
export function isOverruled(conditions: readonly AckCondition[]): boolean {
  const of = (name: string): AckCondition | undefined => conditions.find(({ type }) => type === name);
  const again = of("ACK.Recoverable");
  if (of("ACK.Terminal")?.status === "True") return true;
  if (again?.status === "True") return !OF_AUTO_MODE.test(typeof again.message === "string" ? again.message : "");
  return (of("Ready")?.status ?? "True") !== "True";
}
