import { readDecision } from "../../../model/decision-annotation/compact-decision.ts";
import type { KeyRing } from "../../../model/decision-annotation/key-ring.ts";
import { type VerifiedDecision, verifyDecision } from "../../../model/decision-annotation/signature.ts";
import { type DecisionOwners, standingOf } from "../../../model/decision-annotation/standing.ts";
import { isRecorded } from "../../../model/decision-annotation/recorded-decision.ts";
import { specStanding, stillHolds } from "../../../model/decision-annotation/still-holds.ts";
import { placeName } from "../../../model/workload.ts";
import type { Resource } from "../../../model/kubernetes.ts";
import { ANNOTATION } from "../../../model/names.ts";
import { keyOfSignature } from "./key-users.ts";

/** `sign` an object whose decision is its own, with the key that signed it; `keep` one that has the newest key already. */
export type Judgement = { do: "sign"; from: string } | { do: "keep" } | { do: "skip"; why: string };

export interface SignContext {
  ring: KeyRing;
  /** Lost keys, whose signatures count as valid. */
  lost: ReadonlySet<string>;
  owners: Pick<DecisionOwners, "ownerOf" | "isInstalled" | "recordedSpecs">;
}

const skip = (why: string): Judgement => ({ do: "skip", why });

const isInstalled = (owners: SignContext["owners"], object: Resource): boolean => {
  const decision = readDecision(object);
  return decision !== null && owners.isInstalled(object, placeName(decision.placement));
};

function judgeVerified(object: Resource, verified: VerifiedDecision, from: string, context: SignContext): Judgement {
  const { ring, owners } = context;
  const spec = specStanding(verified, object);
  if (from === ring[0].id && spec !== "unknown") return { do: "keep" };
  if (!stillHolds(object, verified.decision)) return skip("it changed since its decision");
  if (spec === "changed") return skip("its spec changed after admission accepted it; decide it again");
  const standing = standingOf(verified, object.metadata, owners.ownerOf(verified.signature.id));
  if (standing === "own" || isInstalled(owners, object)) return { do: "sign", from };
  return skip("no controller has found its decision to be its own");
}

/** A lost key proves nothing: the record of the release, where tenants cannot write, has to confirm the decided place. */
function judgeLost(object: Resource, from: string, { lost, owners }: SignContext): Judgement {
  if (!lost.has(from)) return skip(`key ${from} is not there; name it with --lost if it is lost`);
  const decision = readDecision(object);
  if (decision === null || !stillHolds(object, decision)) return skip("it changed since its decision");
  if (!isRecorded(owners, object, decision))
    return skip("no release of this spec is recorded for it in the decided place; decide it again");
  return { do: "sign", from };
}

/** Whether the decision on an object may be signed again. */
export function judgeSignature(object: Resource, context: SignContext): Judgement {
  const { annotations = {}, deletionTimestamp } = object.metadata;
  const from = keyOfSignature(annotations[ANNOTATION.seal]);
  if (deletionTimestamp !== undefined) return skip("it is being deleted");
  if (from === null) return skip("it has no decision");
  const verified = verifyDecision(context.ring, object);
  return verified === null ? judgeLost(object, from, context) : judgeVerified(object, verified, from, context);
}
