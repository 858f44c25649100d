import type { Denial } from "../../../model/decision.ts";
import type { PolicyWarning } from "../../../model/policy.ts";
import { note } from "../../../model/text/note-codes.ts";
import { denial } from "../../check/denial.ts";
import { type Change, specOf } from "../change.ts";
import { isControlPlaneRefused, minorOf, runningMinor, wasNeverMade } from "./cluster-facts.ts";

const version = (minor: number): string => `1.${String(minor)}`;

interface Versions {
  /** In the specification before. */
  from: number;
  /** In the changed one. */
  to: number;
  runs: number;
}

/** Whether the provider would not take the version because it runs a newer one. Google takes one below the running one for none. */
const isDowngrade = ({ from, to, runs }: Versions, provider: string): boolean =>
  to < runs && (to < from || provider !== "gcp");

function denialsOf({ update, earlier }: Change, versions: Versions): Denial[] {
  const { provider } = earlier.placement;
  const { from, to, runs } = versions;
  const where = { field: "spec.kubernetesVersion", actual: version(to) };
  const installed = version(runs);
  if (to > runs + 1) return [denial("ADM_UPGRADE_STEP", { ...where, allowed: version(runs + 1) }, { installed })];
  if (isDowngrade(versions, provider))
    return [denial("ADM_DOWNGRADE", { ...where, allowed: installed }, { installed })];
  if (to > from || isControlPlaneRefused(update.oldObject)) return [];
  return [denial("ADM_UPGRADE_UNDERWAY", { ...where, allowed: version(from) }, { provider, installed })];
}

/** The versions in the specification before and after a change of them; null without one, and of a cluster that was never made. */
function changedVersions({ update: { object, oldObject } }: Change): Omit<Versions, "runs"> | null {
  const from = minorOf(specOf(oldObject)["kubernetesVersion"]);
  const to = minorOf(specOf(object)["kubernetesVersion"]);
  return from === null || to === null || to === from || wasNeverMade(oldObject) ? null : { from, to };
}

/**
 * A managed service upgrades one minor version at a time, and never downgrades. What it runs counts, as far as its operator says it: the
 * specification has the wanted version also after an upgrade that was refused, and the earlier one after an upgrade by the provider.
 */
export function versionDenials(change: Change): Denial[] {
  const { oldObject } = change.update;
  const versions = changedVersions(change);
  return versions === null ? [] : denialsOf(change, { ...versions, runs: runningMinor(oldObject) ?? versions.from });
}

/** EKS updates the add-ons of a cluster neither with its control plane nor later, and the chart has no resources for them. */
export function addonWarnings(change: Change): PolicyWarning[] {
  const versions = changedVersions(change);
  if (change.earlier.placement.provider !== "aws" || versions === null || versions.to <= versions.from) return [];
  const message =
    "vpc-cni, kube-proxy and CoreDNS keep their versions: update them when the upgrade is over (docs/operations/providers/aws.md#add-ons)";
  return [note("ADDONS_KEPT", message)];
}
