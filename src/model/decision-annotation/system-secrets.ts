// The Secrets of Landfall's own namespace that say which object has which decision. Their metadata is enough to read them.
import type { KubernetesObject } from "../kubernetes.ts";
import { isObject } from "../json.ts";
import { PART_OF_LANDFALL } from "../names.ts";
import type { PlaceKey } from "../workload.ts";

const [BOUND_UID, OBJECT, PLACE] = ["landfall.dev/bound-uid", "landfall.dev/object", "landfall.dev/place"] as const;
const [RELEASE, RUNNING] = ["landfall.dev/release", "landfall.dev/running"] as const;
const SPEC = "landfall.dev/spec";
const REMOVED = "landfall.dev/removed";
const SIGNED_AT = "landfall.dev/signed-at";
const BINDING_PREFIX = "landfall.decision.";

type Secret = Pick<KubernetesObject, "metadata">;

/** A decision's nonce, or the uid that it was signed for, and the object that it counts for. */
export interface Binding {
  id: string;
  uid: string;
  /** When the latest decision for this uid was signed that a controller saw, in seconds since 1970; omitted for a nonce. */
  signedAt?: number;
}

export const bindingName = (id: string): string => `${BINDING_PREFIX}${id.toLowerCase()}`;

/** The metadata of a Secret that binds a decision. */
export const bindingMetadata = ({ id, uid, signedAt }: Binding) => ({
  name: bindingName(id),
  labels: PART_OF_LANDFALL,
  annotations: { [BOUND_UID]: uid, ...(signedAt === undefined ? {} : { [SIGNED_AT]: String(signedAt) }) },
});

/** Null for another Secret. */
export function readBinding({ metadata: { name = "", annotations = {} } }: Secret): Binding | null {
  const uid = annotations[BOUND_UID];
  if (!name.startsWith(BINDING_PREFIX) || uid === undefined) return null;
  const signedAt = Number(annotations[SIGNED_AT]);
  return { id: name.slice(BINDING_PREFIX.length), uid, ...(Number.isSafeInteger(signedAt) ? { signedAt } : {}) };
}

/** A pool of a cluster with all of its nodes, at its largest. */
export interface PoolSize {
  nodes: number;
  vcpus: number;
  memoryGiB: number;
  /** USD, list price; null if it is not known. */
  pricePerHour: number | null;
}

/** By name. */
export type PoolSizes = Readonly<Record<string, PoolSize>>;

/** The workload of one revision of a release that runs or may still run: its place, and its share of quotas and budgets. */
export interface RunningSize {
  place: PlaceKey;
  vcpus: number;
  memoryGiB: number;
  /** USD, list price; null if it is not known. */
  pricePerHour: number | null;
  /** Removed parts of it stay at the provider: it was installed with `deletionPolicy: retain`. */
  retains?: true;
  /** Its machine was deleted for a pause, and the controller has seen that nothing of the release runs it any more. */
  idle?: true;
  /** Of a cluster: pools that one revision replaced by others are still there until their provider has deleted them. */
  pools?: PoolSizes;
}

/** Which object has a release, and where: for readers of the record's metadata. */
export interface ReleaseMark {
  kind: string;
  namespace: string;
  name: string;
  /** The object's; empty where an earlier version of Landfall recorded the release. */
  uid: string;
  release: string;
  /** Of the newest revision. */
  place: PlaceKey;
  /** Of every revision that may still run something: the object itself can have been changed since. */
  running: RunningSize[];
  /** SHA-256 of the spec that the newest revision was rendered from; omitted where an earlier version of Landfall recorded the release. */
  spec?: string;
  /** Helm was asked to uninstall it: what is left of it counts, and no object has it or takes it over. */
  removed?: true;
}

const RELEASE_UID = "landfall.dev/composition";

/** The annotations and labels of a record. */
export const releaseMetadata = (mark: ReleaseMark) => ({
  labels: { [RELEASE_UID]: mark.uid },
  annotations: {
    [OBJECT]: `${mark.kind}/${mark.namespace}/${mark.name}`,
    [PLACE]: mark.place,
    [RELEASE]: mark.release,
    [RUNNING]: JSON.stringify(mark.running),
    ...(mark.spec === undefined ? {} : { [SPEC]: mark.spec }),
    ...(mark.removed === true ? { [REMOVED]: "true" } : {}),
  },
});

/** Whether the record says that its release runs this, of this spec: those of earlier versions do not, or say it wrongly. */
export const namesSizes = (
  { metadata: { annotations = {} } }: Secret,
  running: readonly RunningSize[],
  spec?: string,
): boolean => annotations[RUNNING] === JSON.stringify(running) && annotations[SPEC] === spec;

const areAmounts = (...amounts: unknown[]): boolean =>
  amounts.every((amount) => typeof amount === "number" && Number.isFinite(amount) && amount >= 0);

const isAmount = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && areAmounts(value["vcpus"], value["memoryGiB"], value["pricePerHour"] ?? 0);

const arePools = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((pool) => isAmount(pool) && areAmounts(pool["nodes"]));

const isSize = (value: unknown): value is RunningSize =>
  isAmount(value) && typeof value["place"] === "string" && (value["pools"] === undefined || arePools(value["pools"]));

function readRunning(text: string | undefined): RunningSize[] {
  try {
    const running: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(running) ? running.filter(isSize) : [];
  } catch {
    return [];
  }
}

/** The parts of a mark that not every record has. */
const optionalIn = ({
  [SPEC]: spec,
  [REMOVED]: removed,
}: Record<string, string>): Pick<ReleaseMark, "spec" | "removed"> => ({
  ...(spec === undefined ? {} : { spec }),
  ...(removed === undefined ? {} : { removed: true }),
});

/** Null for another Secret. */
export function readReleaseMark({ metadata: { annotations = {}, labels = {} } }: Secret): ReleaseMark | null {
  const { [OBJECT]: object = "", [PLACE]: place, [RELEASE]: release = "", [RUNNING]: running } = annotations;
  const [kind, namespace, name] = object.split("/") as [string, string?, string?];
  if (place === undefined || namespace === undefined || name === undefined) return null;
  const { [RELEASE_UID]: uid = "" } = labels;
  const mark = { kind, namespace, name, uid, release, place, running: readRunning(running) };
  return { ...mark, ...optionalIn(annotations) };
}
