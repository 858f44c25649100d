import { isObject } from "../../../src/model/json.ts";
import type { Resource } from "../../../src/composition/types.ts";

const POOLS = "managedclustersagentpools";

const managedOf = ({ status }: Resource): Record<string, unknown>[] => {
  const managed = status?.["managed"];
  return Array.isArray(managed) ? managed.filter(isObject) : [];
};

/** What an upgrade of a chart leaves as it is: everything but pools of AKS that get a resource of their own. */
export const lasting = (object: Resource): object => ({
  ...{ uid: object.metadata.uid, spec: object.spec },
  managed: managedOf(object).filter(({ resource }) => resource !== POOLS),
  decision: object.metadata.annotations?.["landfall.dev/decision"],
});

/** The names of the pools of AKS that have a resource of their own. */
export const poolsOf = (object: Resource): unknown[] =>
  managedOf(object)
    .filter(({ resource }) => resource === POOLS)
    .map(({ name }) => name);
