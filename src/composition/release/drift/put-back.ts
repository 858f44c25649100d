import { groupKindOf } from "../../../model/kubernetes.ts";
import { isObject } from "../../../model/json.ts";
import type { Composition, CompositionContext, RetryTimes } from "../../context/composition-context.ts";
import { isRemadeOften } from "../../status/remade-machines.ts";
import type { Resource } from "../../types.ts";
import type { Release, ReleaseObject } from "../../managed/release.ts";
import { putMarksBack } from "./put-marks-back.ts";
import { isOperatorsOwn } from "./written-back.ts";

interface Written {
  /** `group/Kind` */
  kind: string;
  /** Field of spec that the operator wrote or emptied when it had created the resource. */
  field: string;
  /** The value to restore: none, or the manifest's. */
  put: "nothing" | "manifest";
  /** Whether what stands there contradicts the manifest, so that it is removed no matter who wrote it. */
  contradicts?: (manifest: Record<string, unknown>, written: unknown) => boolean;
}

/**
 * Values that an operator writes into a spec once and that harm later; helm does not see it, since no manifest has the field or the
 * difference is known (written-back.ts). Measured with ACK's ec2 and eks controllers 1.20.0; by their code they write it at a
 * creation only, so putting it back lasts.
 */
const WRITTEN: readonly Written[] = [
  // ACK sends it with each update, and refuses one of another version permanently ("version and release version do not match").
  {
    kind: "eks.services.k8s.aws/Nodegroup",
    field: "releaseVersion",
    put: "nothing",
    contradicts: ({ version }, written) =>
      typeof version === "string" && typeof written === "string" && !written.startsWith(`${version}.`),
  },
  // A machine that someone terminated is created again from the spec: AWS refuses these next to a subnet,
  { kind: "ec2.services.k8s.aws/Instance", field: "networkInterfaces", put: "nothing" },
  // and without these it would have no disks of its own.
  { kind: "ec2.services.k8s.aws/Instance", field: "blockDeviceMappings", put: "manifest" },
];

/** An operator that writes again what was put back is left alone. Each machine that it creates is counted alone. */
const ATTEMPTS = 3;

/** The resource as its provider knows it: it has another id when it is created again. */
function machineOf({ entry }: ReleaseObject, { status }: Resource): string {
  const id = isObject(status) ? status["instanceID"] : undefined;
  return typeof id === "string" ? `${entry.path} ${id}` : entry.path;
}

const specOf = ({ spec }: Resource): Record<string, unknown> => (isObject(spec) ? spec : {});
/** ACK takes an empty text for none. */
const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** The rules by which the live resource's spec is to be put back. Pure. */
function applying(manifest: Resource, live: Resource): Written[] {
  const kind = groupKindOf(manifest);
  return WRITTEN.filter((rule) => {
    const [wanted, found] = [specOf(manifest)[rule.field], specOf(live)[rule.field]];
    if (rule.kind !== kind || live.status === undefined) return false;
    if (rule.put === "manifest") return !isAbsent(wanted) && isAbsent(found);
    return isAbsent(wanted) && found !== undefined && found !== null;
  });
}

/**
 * The fields of spec to be written, by name; null removes one. A field that a person wrote is left, unless it contradicts the
 * manifest. `live` with its `managedFields`. Pure.
 */
export function fieldsToPutBack(manifest: Resource, live: Resource): Record<string, unknown> {
  const found = applying(manifest, live).filter(
    ({ field, put, contradicts }) =>
      put === "manifest" ||
      // An empty value: the chart wrote it where it found the operator's.
      isAbsent(specOf(live)[field]) ||
      isOperatorsOwn(live, `spec.${field}`) ||
      contradicts?.(specOf(manifest), specOf(live)[field]) === true,
  );
  return Object.fromEntries(
    found.map(({ field, put }) => [field, put === "manifest" ? (specOf(manifest)[field] ?? null) : null]),
  );
}

async function putBackOne(
  context: CompositionContext,
  release: Release,
  { object, times }: { object: ReleaseObject; times: RetryTimes },
): Promise<void> {
  const seen = context.managed.get(object);
  const hasRule = WRITTEN.some(({ kind }) => kind === groupKindOf(object.manifest));
  if (seen === undefined || !hasRule || isRemadeOften({ ...object, live: seen }, times)) return;
  // Of a large object, not all of the spec is kept.
  if (context.managed.isWhole(object) && applying(object.manifest, seen).length === 0) return;
  const machine = machineOf(object, seen);
  const tried = release.putBack.get(machine) ?? 0;
  if (tried >= ATTEMPTS) return;
  const live = await context.managed.read(object);
  const spec = live === null ? {} : fieldsToPutBack(object.manifest, live);
  if (Object.keys(spec).length === 0) return;
  release.putBack.set(machine, tried + 1);
  const fields = Object.keys(spec);
  context.log.info({ kind: object.kind, name: object.name, fields }, "fields that an operator wrote are put back");
  await context.tenant(release.namespace).patch(object.entry.path, "merge", { spec });
}

/**
 * Puts back what operators wrote into their specs and what would make a later change fail, as the namespace's identity. Not of a machine
 * whose provider ended the earlier ones: with what stands there, EC2 refuses another.
 */
export async function putBackFields(
  context: CompositionContext,
  release: Release,
  times: RetryTimes = new Map(),
): Promise<void> {
  for (const object of release.objects) await putBackOne(context, release, { object, times });
}

/** Puts back what operators wrote into their specs, and marks that anyone wrote. Throws REL_API…. */
export async function putBack(context: CompositionContext, composition: Composition, release: Release): Promise<void> {
  await putBackFields(context, release, context.retrying.get(composition.object.metadata.uid ?? ""));
  await putMarksBack(context, composition, release);
}
