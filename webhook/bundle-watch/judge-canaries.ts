import type { Rollout } from "../../src/bundle/read-settings.ts";
import { LandfallError } from "../../src/errors.ts";
import type { Announcement } from "../../src/policy/announcements.ts";

/** Of the requests of one owner of namespaces. */
export interface CanaryCount {
  asked: number;
  changed: number;
}

export interface Changed {
  /** By the owner of their namespaces. */
  owners: Map<string, CanaryCount>;
}

/** How the decisions of a new bundle differ from those of the active one. */
export interface CanaryReport {
  /** Of what the active bundle allows: what the new one denies. */
  denied: Changed;
  /** Of what the active bundle denies: what the new one allows. */
  allowed: Changed;
  /** Smoke inputs that the active bundle denies and the new one allows. They are the platform's, not a tenant's. */
  smoke: number;
}

interface Sum extends CanaryCount {
  /** Owners with a change. */
  owners: number;
  /** The mean over all sampled owners of their share of changes: each counts the same, however much it has. */
  share: number;
}

/** Owners with live objects or requests that were denied lately. */
const sampled = ({ denied, allowed }: CanaryReport): number =>
  new Set([...denied.owners.keys(), ...allowed.owners.keys()]).size;

/**
 * An owner without such questions shows no change, and counts: otherwise the few that send requests to be denied would
 * be all that vote on a bundle that allows more.
 */
function sum({ owners }: Changed, all: number): Sum {
  const total: Sum = { asked: 0, changed: 0, owners: 0, share: 0 };
  for (const { asked, changed } of owners.values()) {
    total.asked += asked;
    total.changed += changed;
    total.owners += Number(changed > 0);
    total.share += changed / asked / all;
  }
  return total;
}

/** A change that one owner alone shows does not refuse a bundle: a tenant could have made it. */
const isTooMuch = ({ share, owners }: Sum, canary: Rollout["canary"]): boolean =>
  owners >= canary.namespaces && share > canary.share;

interface Against {
  ref: string;
  canary: Rollout["canary"];
  /** Its settings' announcement of a change from the active bundle; null for none. */
  announced: Announcement | null;
}

function deniesTooMuch(report: CanaryReport, { ref, canary, announced }: Against): LandfallError | null {
  const total = sum(report.denied, sampled(report));
  const { asked, changed, owners: namespaces } = total;
  if (changed <= (announced?.denies ?? -1) || !isTooMuch(total, canary)) return null;
  return new LandfallError("BUNDLE_CANARY", { ref, denied: changed, asked, namespaces });
}

function allowsTooMuch(report: CanaryReport, { ref, canary, announced }: Against): LandfallError | null {
  const total = sum(report.allowed, sampled(report));
  const [{ changed, owners: namespaces }, { smoke }] = [total, report];
  if (smoke === 0 && !isTooMuch(total, canary)) return null;
  if (changed + smoke <= (announced?.allows ?? -1)) return null;
  return new LandfallError("BUNDLE_LOOSER", { ref, allowed: changed + smoke, namespaces, smoke });
}

/**
 * Why the new bundle must not be used: BUNDLE_CANARY or BUNDLE_LOOSER; null if it may be. Pure. `/status` shows the error to
 * anyone on the machine, so it names no object and no namespace.
 */
export const judgeCanaries = (report: CanaryReport, against: Against): LandfallError | null =>
  deniesTooMuch(report, against) ?? allowsTooMuch(report, against);
