import type { OtherIdentity, OtherKind } from "../../src/model/bundle-format/other-bundle.ts";
import { isStale } from "../../src/model/bundle-format/other-bundle.ts";
import type { BundleIdentity } from "../decisions/messages.ts";
import type { BundleSet, Origin, Used } from "../../src/bundle/follow/bundle-set.ts";
import type { Fact, FollowEvent, FollowStatus } from "../../src/bundle/follow/follow-reference.ts";
import type { DecisionThread } from "../decisions/start-thread.ts";

export type { Fact, FollowStatus } from "../../src/bundle/follow/follow-reference.ts";

/** A set that decides. */
export interface Active {
  thread: DecisionThread;
  set: BundleSet;
  bundle: BundleIdentity;
}

export type BundleEvent = FollowEvent | "bundle active" | "the thread that decides ended and is started again";

/** Of a bundle that decides: where it came from and who signed it. */
interface ActiveFact extends Fact {
  from: Origin;
  signers: string[];
}

export interface OtherStatus extends FollowStatus {
  kind: OtherKind;
  ref: string;
  /** Whether nothing is decided before it is there. */
  required: boolean;
  active:
    | (ActiveFact & { bundle: OtherIdentity; /** Whether its figures are older than they may get. */ old: boolean })
    | null;
}

/** Three separate facts: what was tried, what could be loaded, and what decides. */
export interface BundleStatus extends FollowStatus {
  active: (ActiveFact & { bundle: BundleIdentity }) | null;
  others: Record<string, OtherStatus>;
  /** Required bundles that were never loaded. */
  missing: string[];
}

const factOf = ({ tarball, from, at }: Used): ActiveFact => ({
  ...{ digest: tarball.digest, at, from },
  signers: tarball.signers,
});

export function describeActive({ set, bundle }: Active): NonNullable<BundleStatus["active"]> {
  const fact = factOf(set.platform);
  return { ...fact, bundle, signers: [...fact.signers, ...bundle.signers] };
}

/** What decides of another bundle; null where it does not. `now` is in seconds. */
export function describeOther(active: Active | null, name: string, nowSeconds: number): OtherStatus["active"] {
  const used = active?.set.others.get(name);
  const bundle = active?.bundle.others.find((other) => other.name === name);
  if (used === undefined || bundle === undefined) return null;
  return { ...factOf(used), bundle, old: isStale(bundle, nowSeconds) };
}
