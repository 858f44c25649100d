import { isObject, textOf } from "../../../model/json.ts";
import { ASO_KINDS, ASO_OWNERS, COMPUTE, CONTAINERS, NETWORK, RESOURCES, imageParts } from "./aso-kinds.ts";
import { conditionOf, textAt } from "../fields.ts";
import type { Family, Phase, Reference, Refusal, RefusalKind, Resource } from "../types.ts";

/** Every `reference` or `...Reference` with group, kind and name, at any depth. References by armId lie outside the cluster. */
function deepReferences(value: unknown, namespace: string): Reference[] {
  if (Array.isArray(value)) return value.flatMap((item) => deepReferences(item, namespace));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const group = textAt(inner, "group");
    const kind = textAt(inner, "kind");
    const name = textAt(inner, "name");
    const isReference = /^reference$|Reference$/.test(key) && group !== null && kind !== null && name !== null;
    return isReference ? [{ group, kind, namespace, name, owner: false }] : deepReferences(inner, namespace);
  });
}

function references(resource: Resource): Reference[] {
  const { namespace } = resource.metadata;
  const owner = ASO_OWNERS[resource.kind];
  const name = textAt(resource.spec, "owner.name");
  const own = owner && name ? [{ group: owner.group, kind: owner.kind, namespace, name, owner: true }] : [];
  return [...own, ...deepReferences(resource.spec, namespace)];
}

const REFUSALS: Readonly<Record<RefusalKind, (resource: Resource, detail: string) => [code: string, message: string]>> =
  {
    "quota-exceeded": ({ spec }) => [
      "QuotaExceeded",
      `Operation could not be completed as it results in exceeding approved Total Regional Cores quota. Location: ${textAt(spec, "location") ?? ""}.`,
    ],
    "no-capacity": () => [
      "AllocationFailed",
      "Allocation failed. We do not have sufficient capacity for the requested VM size in this region.",
    ],
    "bad-image": (resource) => [
      "PlatformImageNotFound",
      `The platform image '${imageParts(resource)
        .map((part) => part ?? "")
        .join(":")}' is not available.`,
    ],
    "not-offered": ({ spec }, detail) => [
      "SkuNotAvailable",
      `The requested VM size '${detail}' is not available in location '${textAt(spec, "location") ?? ""}'.`,
    ],
    immutable: (_resource, detail) => ["PropertyChangeNotAllowed", `Changing property '${detail}' is not allowed.`],
    "missing-field": (_resource, detail) => ["InvalidParameter", `Required parameter '${detail}' is missing (null).`],
  };

/** Codes that the operator's own list does not have, with an HTTP status other than 400: it tries these again. */
const RETRIED = new Set(["QuotaExceeded", "PlatformImageNotFound", "AllocationFailed", "OperationNotAllowed"]);

function refusal(kind: RefusalKind, resource: Resource, detail: string): Refusal {
  const [code, message] = REFUSALS[kind](resource, detail);
  return { code, message, terminal: !RETRIED.has(code) };
}

const describe = ({ group, kind, namespace, name }: Reference): string => `${namespace}/${name} of ${kind}.${group}`;

type Ready = [status: string, severity: string | null, reason: string, message: string];

/**
 * The operator waits for an owner until it is ready, with one sentence for both. It does not wait for other resources: once they
 * have an id, Azure is asked, and refuses.
 */
function waiting({ reference, exists, claimed }: Phase & { name: "waiting" }): Ready {
  const { group, kind, name } = reference;
  if (reference.owner) {
    const owner = `${name}, Group/Kind: ${group}/${kind}`;
    const message = `Owner ${JSON.stringify(owner)} cannot be found. Progress is blocked until the owner is created.`;
    return ["False", "Warning", "WaitingForOwner", message];
  }
  if (!claimed) {
    const message = exists ? `ref ${describe(reference)} doesn't have an assigned ARM ID` : "does not exist";
    return ["False", "Warning", "ReferenceNotFound", exists ? message : `${describe(reference)} ${message}`];
  }
  const message = `Resource ${name} referenced by resource was not found. Please make sure that the referenced resource exists.`;
  return ["False", "Warning", "InvalidResourceReference", message];
}

/** status, severity, reason and message of the condition Ready. Azure's own codes stand in `reason`. */
function ready(phase: Phase): Ready {
  switch (phase.name) {
    case "ready":
      return ["True", null, "Succeeded", ""];
    case "creating":
    case "updating":
      return ["False", "Info", "Reconciling", "The resource is in the process of being reconciled by the operator"];
    case "deleting":
      return ["False", "Info", "Deleting", "The resource is being deleted"];
    case "blocked":
      return ["False", "Warning", "Failed", `deleting resource: it is in use by ${phase.by}`];
    case "refused":
      return ["False", phase.refusal.terminal ? "Error" : "Warning", phase.refusal.code, phase.refusal.message];
    case "waiting":
      return waiting(phase);
  }
}

/** Azure Service Operator: condition Ready with severity, reason and observedGeneration; owners adopt their children. */
export const aso: Family = {
  name: "aso",
  groups: [RESOURCES, NETWORK, COMPUTE, CONTAINERS],
  kinds: ASO_KINDS,
  finalizer: "serviceoperator.azure.com/finalizer",
  adoptsChildren: true,
  tellsDeletion: true,
  topLevelGeneration: false,
  references,
  refusal,
  conditions: (phase, resource) => {
    const [status, severity, reason, message] = ready(phase);
    const observedGeneration = resource.metadata.generation ?? 1;
    return [{ type: "Ready", status, ...(severity === null ? {} : { severity }), reason, message, observedGeneration }];
  },
  looksEvery: () => 3_600,
  backoff: { firstSeconds: 1, longestSeconds: 180 },
  seesMetadata: false,
  givesUp: (resource) => conditionOf(resource, "Ready")?.["severity"] === "Error",
  isReady: (resource) => conditionOf(resource, "Ready")?.["status"] === "True",
  isRefused: (resource) =>
    conditionOf(resource, "Ready")?.["severity"] === "Error" ||
    RETRIED.has(textOf(conditionOf(resource, "Ready")?.["reason"])),
  exists: (resource) => textAt(resource.status, "id") !== null,
  keepsOnDelete: (resource) => {
    const policy = resource.metadata.annotations?.["serviceoperator.azure.com/reconcile-policy"];
    return policy === "detach-on-delete" || policy === "skip";
  },
};
