import { groupKindOf } from "../../../model/kubernetes.ts";
import { isObject } from "../../../model/json.ts";
import type { Resource } from "../../types.ts";

interface WrittenBack {
  /** `group/Kind` */
  kind: string;
  /** Dotted path of the field; everything below it belongs to it. */
  path: string;
  /** Only where the manifest's value looks like this. */
  wanted?: RegExp;
}

/**
 * Fields of a manifest into which the operator writes what it found at the provider. Measured with ACK's ec2 controller 1.20.0
 * (docs/operations/providers/aws.md). Fields that no manifest has, such as a Nodegroup's `releaseVersion`, are never drift.
 */
const WRITTEN_BACK: readonly WrittenBack[] = [
  // The id of the image that the parameter named when the machine was made.
  { kind: "ec2.services.k8s.aws/Instance", path: "spec.imageID", wanted: /^resolve:ssm:/ },
  // Stripped after the creation; ACK has no update for it.
  { kind: "ec2.services.k8s.aws/Instance", path: "spec.blockDeviceMappings" },
  { kind: "ec2.services.k8s.aws/Instance", path: "spec.networkInterfaces" },
];

/** `spec.disks[0].size` -> `spec.disks`: the API server knows the owners of whole lists only, where a CRD says nothing else. */
const listOf = (path: string): string => path.split("[")[0] ?? path;

interface ManagedFields {
  manager: string;
  subresource?: string;
  fieldsV1: unknown;
}

function managedFields({ metadata }: Resource): ManagedFields[] {
  const found = (metadata as { managedFields?: unknown }).managedFields;
  const entries: unknown[] = Array.isArray(found) ? found : [];
  return entries.filter(
    (entry): entry is ManagedFields & Record<string, unknown> =>
      isObject(entry) && typeof entry["manager"] === "string",
  );
}

/** Whether these fields hold the path, or an ancestor of it as a whole. */
function holds(fields: unknown, [name, ...rest]: string[]): boolean {
  if (!isObject(fields)) return false;
  const inner = name === undefined ? undefined : fields[`f:${name}`];
  if (inner === undefined) return false;
  const isWhole = isObject(inner) && Object.keys(inner).length === 0;
  return rest.length === 0 || isWhole || holds(inner, rest);
}

/**
 * Whether only the resource's operator owns the field: it wrote the value last. An operator is known by the status, which
 * no one else writes. False for a resource without `managedFields`.
 */
export function isOperatorsOwn(live: Resource, path: string): boolean {
  const entries = managedFields(live);
  const operators = new Set(entries.filter(({ subresource }) => subresource === "status").map((one) => one.manager));
  const steps = listOf(path).split(".");
  const owners = entries.filter(({ subresource, fieldsV1 }) => subresource === undefined && holds(fieldsV1, steps));
  return owners.length > 0 && owners.every(({ manager }) => operators.has(manager));
}

/** Whether a difference at this path is what the operator wrote back into the spec, and no drift. */
export function isWrittenBack(live: Resource, path: string, wanted: unknown): boolean {
  const kind = groupKindOf(live);
  const at = listOf(path);
  const isKnown = WRITTEN_BACK.some(
    (rule) =>
      rule.kind === kind &&
      (at === rule.path || at.startsWith(`${rule.path}.`)) &&
      (rule.wanted === undefined || (typeof wanted === "string" && rule.wanted.test(wanted))),
  );
  return isKnown || isOperatorsOwn(live, path);
}
