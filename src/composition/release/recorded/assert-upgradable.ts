import type { CompositionContext } from "../../context/composition-context.ts";
import { LandfallError } from "../../../errors.ts";
import { isKind } from "../../../model/names.ts";
import { groupKindOf } from "../../../model/kubernetes.ts";
import { vmNameOf } from "../../../model/read-workload.ts";
import { valuesIn } from "../../helm/stored-release.ts";
import { MOST_FORMER } from "../../record/running-sizes.ts";
import { currentRevisions, type RecordedRevision } from "../../record/release-record.ts";
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
}

/** The name of the machine of a recorded revision; null if its values do not say it. */
function machineOf({ release }: RecordedRevision): string | null {
  const values = valuesIn(release);
  const { kind = "", name = "" } = ownerIn(values) ?? {};
  return isKind(kind) ? vmNameOf(kind, { apiVersion: "", kind, metadata: { name }, spec: values }) : null;
}

/** Whether an operator has a machine of this revision, or may make one, by its path: whatever its metadata says. */
async function hasMachine({ context, namespace }: Upgrade, revision: RecordedRevision): Promise<boolean> {
  const machines = [...(await manifestsOf([revision])).values()].filter((one) => isMachine(groupKindOf(one)));
  for (const { path } of await locate(context, namespace, machines)) {
    const live = await context.tenant(namespace).get<Resource>(path);
    if (live !== null && isMade(live)) return true;
  }
  return false;
}

/**
 * Refuses an upgrade that would make a second machine of another name besides the one that the release has: all sizes of a release at one provider count as
 * one machine. Also one with more former objects than a record holds. Throws REL_MACHINE_NAME, REL_FORMER and REL_API….
 */
export async function assertUpgradable(upgrade: Upgrade, revisions: readonly RecordedRevision[]): Promise<void> {
  const { context, composition, namespace, name: release } = upgrade;
  const { object } = composition;
  const { former = [] } = (await context.records.read(namespace, release)) ?? {};
  const count = former.length;
  if (count >= MOST_FORMER) throw new LandfallError("REL_FORMER", { release, count });
  const after = isKind(object.kind) ? vmNameOf(object.kind, object) : null;
  for (const revision of currentRevisions(revisions)) {
    const before = machineOf(revision);
    const isOther = before !== null && after !== null && before !== after;
    if (isOther && (await hasMachine(upgrade, revision)))
      throw new LandfallError("REL_MACHINE_NAME", { release, before, after });
  }
}
