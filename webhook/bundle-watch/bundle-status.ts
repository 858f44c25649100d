import type { OtherIdentity, OtherKind } from "../../src/model/bundle-format/other-bundle.ts";
import { isStale } from "../../src/model/bundle-format/other-bundle.ts";
import type { BundleIdentity } from "../decisions/messages.ts";
import { type BundleSet, type Origin, type Used, usedOf } from "../../src/bundle/follow/bundle-set.ts";
import type { FollowedBundles } from "../../src/bundle/follow/follow-bundles.ts";
import type { Fact, FollowEvent, FollowStatus } from "../../src/bundle/follow/follow-types.ts";
import type { DecisionProcess } from "../decisions/start-process.ts";

export type { Fact, FollowStatus } from "../../src/bundle/follow/follow-types.ts";

/** The active set of bundles. */
export interface Active {
  decider: DecisionProcess;
  set: BundleSet;
  bundle: BundleIdentity;
}

export type BundleEvent =
  | FollowEvent
  | "bundle active"
  | "decision process ended and is restarted"
  | "decision process cannot start";

/** The source of an active bundle, and its signers. */
interface ActiveFact extends Fact {
  from: Origin;
  signers: string[];
}

export interface OtherStatus extends FollowStatus {
  kind: OtherKind;
  ref: string;
  /** Whether nothing is decided until it is loaded. */
  required: boolean;
  active:
    | (ActiveFact & { bundle: OtherIdentity; /** Whether its figures are older than its limit. */ old: boolean })
    | null;
}

/** Three separate facts: the bundle last tried, the bundle last loaded, and the active bundle. */
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

/** The active version of another bundle; null if there is none. */
function describeOther(active: Active | null, name: string, nowSeconds: number): OtherStatus["active"] {
  const used = active?.set.others.get(name);
  const bundle = active?.bundle.others.find((other) => other.name === name);
  if (used === undefined || bundle === undefined) return null;
  return { ...factOf(used), bundle, old: isStale(bundle, nowSeconds) };
}

/** A bundle that became active, in place of what was there before; null if the set is without it. */
export function describeChange(
  { set, bundle }: Active,
  before: BundleSet | null,
  name: string | null,
): Record<string, unknown> | null {
  const used = usedOf(set, name);
  if (used === null) return null;
  const described = name === null ? bundle : bundle.others.find((other) => other.name === name);
  const { signers } = used.tarball;
  const change = { from: used.from, signers, before: usedOf(before, name)?.tarball.digest ?? null };
  const told = { digest: used.tarball.digest, revision: described?.revision, ...change };
  return name === null ? told : { bundle: name, ...told };
}

/** The bundles next to the platform's, by name. */
export const describeOthers = (
  beside: FollowedBundles["beside"],
  active: Active | null,
  nowSeconds: number,
): BundleStatus["others"] =>
  Object.fromEntries(
    beside.map(({ setup: { name, kind, required }, ref, follower }) => [
      name,
      { kind, ref, required, ...follower.status(), active: describeOther(active, name, nowSeconds) },
    ]),
  );

/** The digests of the active version of a bundle, of its tarball and its image; the platform's has no name. */
export function digestsOf(active: Active | null, name: string | null): string[] {
  if (active === null) return [];
  const { set, bundle } = active;
  const used = usedOf(set, name);
  const digest = name === null ? bundle.digest : bundle.others.find((other) => other.name === name)?.digest;
  return [used?.tarball.digest, digest].filter((one) => one !== undefined);
}
