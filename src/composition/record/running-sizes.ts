import { isKind } from "../../model/names.ts";
import { readWorkload, sizeOf } from "../../model/read-workload.ts";
import type { RunningSize } from "../../model/decision-annotation/system-secrets.ts";
import { valuesIn } from "../helm/stored-release.ts";
import { RELEASE_LABEL } from "../keys.ts";
import type { Resource } from "../types.ts";
import { ownerIn, placeIn } from "./release-owner.ts";
import { isUnfinished, type RecordedRevision } from "./release-record.ts";

const MILLIONTHS = 1e6;

/** The labels of a revision that is rendered from this object: they stay in the record when its values are no longer kept. */
export function sizeLabels(object: Resource): Record<string, string> {
  const { kind } = object;
  if (!isKind(kind)) return {};
  const { vcpus, memoryGiB, pricePerHour } = readWorkload(kind, object);
  const price = pricePerHour === null ? "none" : String(Math.round(pricePerHour * MILLIONTHS));
  const place = placeIn(object.spec ?? {}).replace("/", ".");
  return { [RELEASE_LABEL.place]: place, [RELEASE_LABEL.size]: [vcpus, memoryGiB, price].join(".") };
}

/** What the values of a release of an earlier version say. */
function sizeInValues(values: Record<string, unknown>): RunningSize | null {
  const kind = ownerIn(values)?.kind ?? "";
  return isKind(kind) ? { place: placeIn(values), ...sizeOf(kind, values), pricePerHour: null } : null;
}

function sizeOfRevision({ labels, release }: RecordedRevision): RunningSize | null {
  const [place, size] = [labels[RELEASE_LABEL.place], labels[RELEASE_LABEL.size]];
  const [vcpus = "", memoryGiB = "", price = ""] = size?.split(".") ?? [];
  if (place === undefined || vcpus === "") return sizeInValues(valuesIn(release));
  const pricePerHour = price === "none" ? null : Number(price) / MILLIONTHS;
  return { place: place.replace(".", "/"), vcpus: Number(vcpus), memoryGiB: Number(memoryGiB), pricePerHour };
}

/**
 * What the revisions of a record, newest first, may run: the newest and the deployed one, and those that helm did not finish. Equal
 * ones once.
 */
export function runningSizes(revisions: readonly RecordedRevision[]): RunningSize[] {
  const running = revisions.filter((one, index) => index === 0 || one.status === "deployed" || isUnfinished(one));
  const sizes = running.map(sizeOfRevision).filter((size) => size !== null);
  return [...new Map(sizes.map((size) => [JSON.stringify(size), size])).values()];
}
