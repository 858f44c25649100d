import type { CompositionContext } from "../../context/composition-context.ts";
import { LandfallError } from "../../../errors.ts";
import { isKind, resourcePrefix } from "../../../model/names.ts";
import { groupKindOf } from "../../../model/kubernetes.ts";
import { vmNameOf } from "../../../model/read-workload.ts";
import { valuesIn } from "../../helm/stored-release.ts";
import { MOST_FORMER } from "../../record/running-sizes.ts";
import { currentRevisions, type FormerObject, type RecordedRevision } from "../../record/release-record.ts";
import { ownerIn } from "../../record/release-owner.ts";
import { isMachine, isMade } from "../../status/shown-size.ts";
import type { Resource } from "../../types.ts";
import { locate, manifestsOf } from "./list-recorded.ts";

/** The object that a release is upgraded for. */
interface Upgrade {
  context: CompositionContext;
  composition: { object: Resource };
  namespace: string;
  name: string;
  /** Its spec is that of the deployed revision. */
  asInstalled?: true;
}

/** The name of the machine of a recorded revision; null if its values do not say it. */
function machineOf({ release }: RecordedRevision): string | null {
  const values = valuesIn(release);
  const { kind = "", name = "" } = ownerIn(values) ?? {};
  return isKind(kind) ? vmNameOf(kind, { apiVersion: "", kind, metadata: { name }, spec: values }) : null;
}

/** The first of these that is a machine which an operator has, or may make, by its path: whatever its metadata says. Null for none. */
async function madeMachine({ context, namespace }: Upgrade, objects: Iterable<FormerObject>): Promise<string | null> {
  const machines = [...objects].filter((one) => isMachine(groupKindOf(one)));
  for (const { manifest, path } of await locate(context, namespace, machines)) {
    const live = await context.tenant(namespace).get<Resource>(path);
    if (live !== null && isMade(live)) return manifest.metadata.name ?? "";
  }
  return null;
}

/** Whether the machine of this name, of these revisions, is still there. */
async function isThere(upgrade: Upgrade, revisions: readonly RecordedRevision[], machine: string): Promise<boolean> {
  const own = (await manifestsOf(revisions)).values().filter(({ metadata }) => metadata.name === machine);
  return (await madeMachine(upgrade, own)) !== null;
}

/**
 * Refuses a new machine next to one of another name that a former revision made and that is still there, at whichever provider. `named`: former objects whose
 * manifests are no longer kept. A release that has its machine makes none: its upgrade can be the one that stops it.
 */
async function assertFormerGone(
  upgrade: Upgrade,
  revisions: readonly RecordedRevision[],
  named: readonly FormerObject[],
): Promise<void> {
  const { object } = upgrade.composition;
  if (object.kind !== "VmTemplate") return;
  const after = resourcePrefix(object.kind, object);
  const kept = currentRevisions(revisions);
  const former = [...named, ...(await manifestsOf(revisions.filter((one) => !kept.includes(one)))).values()];
  const before = await madeMachine(
    upgrade,
    former.filter(({ metadata }) => metadata.name !== after),
  );
  if (before === null) return;
  if (!(await isThere(upgrade, kept, after)))
    throw new LandfallError("REL_MACHINE_NAME", { release: upgrade.name, before, after });
}

/** Refuses a machine of another name than the one that these revisions made, as long as that one is there. */
async function assertSameName(upgrade: Upgrade, revisions: readonly RecordedRevision[]): Promise<void> {
  const { object } = upgrade.composition;
  const after = isKind(object.kind) ? vmNameOf(object.kind, object) : null;
  for (const revision of revisions) {
    const before = machineOf(revision);
    const isOther = before !== null && after !== null && before !== after;
    if (isOther && (await madeMachine(upgrade, (await manifestsOf([revision])).values())) !== null)
      throw new LandfallError("REL_MACHINE_NAME", { release: upgrade.name, before, after });
  }
}

/** Whether the machine of the deployed revision is still there. */
async function hasMachine(upgrade: Upgrade, revisions: readonly RecordedRevision[]): Promise<boolean> {
  const { object } = upgrade.composition;
  const deployed = revisions.filter(({ status }) => status === "deployed");
  return object.kind === "VmTemplate" && isThere(upgrade, deployed, resourcePrefix(object.kind, object));
}

/**
 * Refuses an upgrade that would make a second machine of another name besides the one that the release has: all sizes of a release at one provider count as
 * one machine. Also one with more former objects than a record holds. What only stops the machine that is there is not refused. Throws REL_MACHINE_NAME,
 * REL_FORMER and REL_API….
 */
export async function assertUpgradable(upgrade: Upgrade, revisions: readonly RecordedRevision[]): Promise<void> {
  const { context, namespace, name: release } = upgrade;
  if (upgrade.asInstalled && (await hasMachine(upgrade, revisions))) return;
  const { former = [] } = (await context.records.read(namespace, release)) ?? {};
  const count = former.length;
  if (count >= MOST_FORMER) throw new LandfallError("REL_FORMER", { release, count });
  await assertSameName(upgrade, currentRevisions(revisions));
  await assertFormerGone(upgrade, revisions, former);
}
