import { asLandfallError, type ErrorCode, LandfallError } from "../../src/errors.ts";
import { type BundleSet, usedOf, withoutUsed } from "../../src/bundle/follow/bundle-set.ts";
import type { Member } from "../../src/bundle/follow/follow-bundles.ts";
import { failedTeam } from "../../src/policy/process/failed-team.ts";

/** A set in which one bundle is new. */
export interface NewInSet {
  set: BundleSet;
  /** The bundle that is new in it. */
  member: Member;
}

/** Two sets that were compared. */
export interface Compared extends NewInSet {
  active: BundleSet | null;
  /** Whether the process that answers requests was asked, and not one like it. */
  isActive: boolean;
}

/** A team's bundle that a set does without, because it alone fails. */
export interface Suspended {
  member: Member;
  error: LandfallError;
  digest: string;
}

export const membersOf = (suspended: readonly Suspended[]): Member[] => suspended.map(({ member }) => member);

export const withoutTeams = (set: BundleSet, teams: readonly Member[]): BundleSet =>
  teams.reduce((left, { name }) => withoutUsed(left, name), set);

/** The teams of a set next to the bundle that changed. */
export const otherTeams = ({ set, member }: NewInSet, teams: readonly Member[]): Member[] =>
  teams.filter(({ name }) => name !== member.name && usedOf(set, name) !== null);

/** Suspends a team for the error of a set that names another bundle. */
export function suspend(set: BundleSet, team: Member, error: LandfallError): Suspended {
  const digest = usedOf(set, team.name)?.tarball.digest ?? "";
  const params = { ...error.params, ref: team.ref };
  return { member: team, error: new LandfallError(error.code, params, error), digest };
}

/** The team that an error of a set names, if it is not the one that changed. Anyone who claims another's root is at fault. */
export function blamedTeam(thrown: unknown, asked: NewInSet, teams: readonly Member[]): Suspended | null {
  const error = asLandfallError(thrown);
  const [failed, { ref }] = [failedTeam(error), error.params];
  const team = otherTeams(asked, teams).find((one) => (failed === null ? one.ref === ref : one.name === failed));
  if (team === undefined) return null;
  if (!error.code.startsWith("BUNDLE_") || (error.code === "BUNDLE_ROOTS" && asked.member.name !== null)) return null;
  if (ref === team.ref) return suspend(asked.set, team, error);
  const params = { ref: team.ref, limit: error.params["limit"] ?? "any", detail: error.message };
  return suspend(asked.set, team, new LandfallError("BUNDLE_LOOPS", params, error));
}

/** Errors of all rules together: they say nothing about whose rules caused them. */
const OF_ALL: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["BUNDLE_CANARY", "BUNDLE_LOOSER", "BUNDLE_LOOPS"]);

/** Whether the rules of a team next to the new bundle can have caused an error that names none. */
export function isOfAll(thrown: unknown): boolean {
  const error = asLandfallError(thrown);
  return OF_ALL.has(error.code) && failedTeam(error) === null;
}
