import { LandfallError } from "../../errors.ts";
import type { TakenObject } from "../helm/read-conflict.ts";
import { listRevisions, readValues } from "../helm/release-storage.ts";
import type { InstanceContext } from "./context.ts";
import { describeOwner, ownerIn } from "./release-owner.ts";

async function describeHolder({ cluster }: InstanceContext, holder: TakenObject["holder"]): Promise<string> {
  if (holder === null) return "no release of helm: it was made by something else";
  const [newest] = await listRevisions(cluster, holder.namespace, holder.release);
  const owner = newest ? ownerIn(await readValues(cluster, holder.namespace, newest.secret)) : null;
  const release = `helm's release ${holder.namespace}/${holder.release}`;
  return owner === null ? release : `${describeOwner(owner)} (${release})`;
}

/** Says whose a resource is: REL_OBJECT_TAKEN before this release has it, REL_OBJECT_LOST for one that it had. */
export async function explainTaken(
  context: InstanceContext,
  code: "REL_OBJECT_TAKEN" | "REL_OBJECT_LOST",
  { kind, name, holder }: TakenObject,
): Promise<LandfallError> {
  return new LandfallError(code, { kind, name, holder: await describeHolder(context, holder) });
}
