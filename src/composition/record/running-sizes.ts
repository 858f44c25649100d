import { isObject, ownValue, textOf } from "../../model/json.ts";
import { isKind, type Kind } from "../../model/names.ts";
import { readPlacement } from "../../model/decision-annotation/compact-decision.ts";
import { readWorkload, sizeOf } from "../../model/read-workload.ts";
import type { Trusted } from "../../model/decision-annotation/trusted.ts";
import type { PoolSizes, RunningSize } from "../../model/decision-annotation/system-secrets.ts";
import { manifestIn, valuesIn } from "../helm/stored-release.ts";
import { RELEASE_LABEL } from "../keys.ts";
import { resourcesIn } from "../claims/object-ids.ts";
import { marksIn } from "../claims/owned-marks.ts";
import type { Resource } from "../types.ts";
import { poolSizes } from "./pool-sizes.ts";
import { retainsIn } from "./release-owner.ts";
import { ownerIn, placeIn } from "./release-owner.ts";
import {
  currentRevisions,
  type FormerObject,
  isUnchecked,
  isUnfinished,
  type RecordedRevision,
} from "./release-record.ts";
import { typeSize } from "./type-sizes.ts";

type Size = Omit<RunningSize, "place">;

const MILLIONTHS = 1e6;

/** A decimal of a label, in millionths, so that it needs no point and no exponent. */
const packed = (amount: number): string => String(Math.min(Math.round(amount * MILLIONTHS), Number.MAX_SAFE_INTEGER));

/** Of an object without a decision: as large as the types that it names, which admission compared with nothing. Their prices are not known. */
function undecidedSize(kind: Kind, spec: Record<string, unknown>): Size {
  const types = isObject(spec["poolInstanceTypes"]) ? spec["poolInstanceTypes"] : {};
  const size = sizeOf(kind, spec, (pool) => {
    const type = kind === "VmTemplate" ? spec["instanceType"] : ownValue(types, pool);
    return typeof type === "string" && type !== "" ? typeSize(textOf(spec["provider"]), type) : null;
  });
  return { ...size, pricePerHour: null };
}

const amountsOf = ({ vcpus, memoryGiB, pricePerHour }: Size): Size => ({ vcpus, memoryGiB, pricePerHour });

const sizeNow = (kind: Kind, object: Trusted<Resource>): Size =>
  Object.keys(readPlacement(object)).length === 0 ? undecidedSize(kind, object.spec ?? {}) : readWorkload(kind, object);

/** The size of an object of which no record says what it runs. */
export const sizeOfObject = (kind: Kind, object: Trusted<Resource>): RunningSize => ({
  place: placeIn(object.spec ?? {}),
  ...amountsOf(sizeNow(kind, object)),
});

/** The labels of a revision that is rendered from this object: they stay in the record when its values are no longer kept. */
export function sizeLabels(object: Trusted<Resource>): Record<string, string> {
  const { kind } = object;
  if (!isKind(kind)) return {};
  const { vcpus, memoryGiB, pricePerHour } = sizeNow(kind, object);
  const price = pricePerHour === null ? "none" : packed(pricePerHour);
  const place = placeIn(object.spec ?? {}).replace("/", ".");
  return { [RELEASE_LABEL.place]: place, [RELEASE_LABEL.size]: [packed(vcpus), packed(memoryGiB), price].join("-") };
}

const sizeFrom = (vcpus: number, memoryGiB: number, price: string): Size | null => {
  const pricePerHour = price === "none" ? null : Number(price) / MILLIONTHS;
  return [vcpus, memoryGiB, pricePerHour ?? 0].every(Number.isFinite) ? { vcpus, memoryGiB, pricePerHour } : null;
};

/**
 * A label that was written with dots between decimals: `96.86.4.3400000` has 96 vCPU and 86.4 GiB. vCPU come in quarters. Where
 * that leaves two readings, as in `1.5.6`, the larger amount of each counts.
 */
function readDotted(label: string): Size | null {
  const parts = label.split(".");
  const [price = "", [one = "", two = "", ...rest]] = [parts.at(-1), parts.slice(0, -1)];
  const [vcpus, memoryGiB] = [Number(one), Number([two, ...rest].join("."))];
  if (rest.length === 0 || (rest.length === 1 && !["25", "5", "75"].includes(two)))
    return sizeFrom(vcpus, memoryGiB, price);
  const [quarters, others] = [Number(`${one}.${two}`), Number(rest.join("."))];
  return rest.length === 2 || one === "0"
    ? sizeFrom(quarters, others, price)
    : sizeFrom(quarters, Math.max(memoryGiB, others), price);
}

const SIZE = /^\d+([.-]\d+)+[.-](\d+|none)$/;

/** Null for a label that is not one. */
function readSize(label: string): Size | null {
  if (!SIZE.test(label)) return null;
  const [vcpus, memoryGiB, price] = label.split("-");
  if (memoryGiB === undefined || price === undefined) return readDotted(label);
  return sizeFrom(Number(vcpus) / MILLIONTHS, Number(memoryGiB) / MILLIONTHS, price);
}

/** The sizes in the values of a release of an earlier version. */
function sizeInValues(values: Record<string, unknown>): RunningSize | null {
  const kind = ownerIn(values)?.kind ?? "";
  return isKind(kind) ? { place: placeIn(values), ...sizeOf(kind, values), pricePerHour: null } : null;
}

/** The pools of a cluster's revision, also when its values are no longer kept; null for anything else. */
const poolsOf = ({ pools, release }: RecordedRevision, whole: RunningSize): PoolSizes | null =>
  pools ?? poolSizes(valuesIn(release), whole);

/** A revision without its manifest and its values. */
function trimmedRevision(revision: RecordedRevision): RecordedRevision {
  const size = sizeOfRevision(revision);
  const release = { ...revision.release, manifest: "", config: {} };
  return { ...revision, release, ...(size?.pools === undefined ? {} : { pools: size.pools }) };
}

/** Whether a revision was rendered without its machine, which a pause deletes. */
export function isWithoutMachine({ release }: RecordedRevision): boolean {
  const { global } = valuesIn(release);
  return isObject(global) && global["powerState"] === "deleted";
}

/** Former revisions whose manifests are kept until nothing of theirs is left. */
const FORMER = 2;

/**
 * Newest first. Only the newest and the deployed revision are ever acted on: the others keep no values, and a manifest only until what the newer ones lack
 * is gone.
 */
export function trimmed(revisions: RecordedRevision[]): RecordedRevision[] {
  const sorted = [...revisions].sort((one, other) => other.revision - one.revision);
  const current = currentRevisions(sorted);
  const former = sorted.filter((one) => !current.includes(one) && isUnchecked(one)).slice(0, FORMER);
  return sorted.map((one) => {
    if (current.includes(one)) return one;
    const manifest = former.includes(one) ? manifestIn(one.release) : "";
    const slim = trimmedRevision(one);
    return { ...slim, release: { ...slim.release, manifest } };
  });
}

function sizeOfRevision(revision: RecordedRevision): RunningSize | null {
  const { labels, release } = revision;
  const [place, label] = [labels[RELEASE_LABEL.place], labels[RELEASE_LABEL.size]];
  const size = label === undefined ? null : readSize(label);
  const values = valuesIn(release);
  const found =
    place === undefined || size === null ? sizeInValues(values) : { place: place.replace(".", "/"), ...size };
  if (found === null) return null;
  const pools = poolsOf(revision, found);
  return { ...found, ...(retainsIn(values) ? { retains: true } : {}), ...(pools === null ? {} : { pools }) };
}

/**
 * The sizes that the revisions of a record, newest first, may run: the newest and the deployed one, and those that helm did not finish. Equal
 * ones once.
 */
export function runningSizes(revisions: readonly RecordedRevision[]): RunningSize[] {
  const current = currentRevisions(revisions);
  const running = revisions.filter((one) => current.includes(one) || isUnfinished(one));
  const sizes = running.map(sizeOfRevision).filter((size) => size !== null);
  return [...new Map(sizes.map((size) => [JSON.stringify(size), size])).values()];
}

/** As many former objects are recorded, about 300 bytes each. A release that has more is not upgraded until some are gone. */
export const MOST_FORMER = 1000;

const keyOf = ({ apiVersion, kind, metadata: { name = "" } }: FormerObject): string =>
  [apiVersion, kind, name].join(" ");

async function objectsOf({ release }: RecordedRevision): Promise<FormerObject[]> {
  return (await resourcesIn(release)).map(({ apiVersion, kind, metadata: { name, namespace, annotations } }) => ({
    ...{ apiVersion, kind },
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(annotations === undefined ? {} : { annotations: marksIn(annotations) }),
    },
  }));
}

/**
 * The former objects of a record after a change of its revisions: those that it had, and those of unchecked revisions whose manifests the change
 * drops.
 */
export async function formerAfter(
  { revisions = [], former = [] }: { revisions?: readonly RecordedRevision[]; former?: readonly FormerObject[] },
  next: readonly RecordedRevision[],
): Promise<FormerObject[]> {
  const kept = new Map(next.map((one) => [one.secret, one]));
  const dropped = revisions.filter((one) => {
    const after = kept.get(one.secret);
    return isUnchecked(one) && after?.pruned !== true && manifestIn(after?.release ?? {}) === "";
  });
  const found = (await Promise.all(dropped.map(objectsOf))).flat();
  return [...new Map([...found, ...former].map((one) => [keyOf(one), one])).values()];
}
