import type { KubernetesObject } from "./kubernetes.ts";
import { type Kind, NAME_LIMIT } from "./names.ts";

/** The prefix that the charts add to a name that does not begin with a letter. */
const BEFORE_DIGIT: Readonly<Record<Kind, string>> = { VmTemplate: "vm-", KaasCluster: "k8s-" };

type Named = Pick<KubernetesObject, "metadata"> & { spec?: Record<string, unknown> };

/** The name that the charts make their resources' names of: `vmName`, or the object's name. */
function givenName(kind: Kind, { metadata, spec = {} }: Named): string {
  const { vmName } = spec;
  const name = kind === "VmTemplate" && typeof vmName === "string" ? vmName : (metadata.name ?? "");
  return name.replaceAll(".", "-");
}

const withLetter = (kind: Kind, name: string): string => (/^[a-z]/.test(name) ? name : `${BEFORE_DIGIT[kind]}${name}`);

/** The prefix of all resources of an object, as `vm.prefix` and `kaas.prefix` of the charts render it. */
export const resourcePrefix = (kind: Kind, object: Named): string =>
  withLetter(kind, givenName(kind, object))
    .slice(0, NAME_LIMIT)
    .replace(/^-{1,44}|-{1,44}$/g, "");

/**
 * Most characters of the object's name with which the prefix of its resources is not cut. Names that are cut are the same for two objects, so
 * that one would render the resources of the other.
 */
export const longestName = (kind: Kind, object: Named): number =>
  NAME_LIMIT - (withLetter(kind, givenName(kind, object)).length - givenName(kind, object).length);
