import { valuesIn } from "../helm/stored-release.ts";
import { RELEASE_LABEL } from "../keys.ts";
import { specDigest } from "../../model/decision-annotation/still-holds.ts";
import { releaseMetadata } from "../../model/decision-annotation/system-secrets.ts";
import { countedSizes } from "./held-sizes.ts";
import { ownerIn, placeIn } from "./release-owner.ts";
import type { RecordedRevision, ReleaseRecord } from "./release-record.ts";

/** SHA-256 of the spec that the newest revision was rendered from; omitted where its values are not those of an object. */
export function installedSpec([newest]: readonly RecordedRevision[]): { spec?: string } {
  const values = newest === undefined ? {} : valuesIn(newest.release);
  return ownerIn(values) === null ? {} : { spec: specDigest(values) };
}

/** For the webhook: which object the release belongs to, where it is, and what it runs. */
export function markOf(record: ReleaseRecord): ReturnType<typeof releaseMetadata> | null {
  const { release, revisions } = record;
  const [newest] = revisions;
  const values = newest === undefined ? {} : valuesIn(newest.release);
  const owner = ownerIn(values);
  if (newest === undefined || owner === null) return null;
  const uid = newest.labels[RELEASE_LABEL.composition] ?? owner.uid;
  const running = countedSizes(record);
  return releaseMetadata({ ...owner, uid, release, place: placeIn(values), running, ...installedSpec(revisions) });
}
