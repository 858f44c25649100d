import type { KubeClient } from "../../cluster/client/create-client.ts";
import { readRing } from "../../keys/read-ring.ts";
import type { KeyRing } from "../../model/decision-annotation/key-ring.ts";
import { lostKeyOf, verifyDecision } from "../../model/decision-annotation/signature.ts";
import { coversSpec } from "../../model/decision-annotation/still-holds.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { ANNOTATION } from "../../model/names.ts";
import { formatTime } from "../../model/time.ts";
import type { ObjectReport } from "../contract/object.ts";

type Signature = ObjectReport["signature"];

/** The verdict of the keys on the signature of an object. Pure. */
function judgeSignature(ring: KeyRing, object: Resource): Signature {
  const lost = lostKeyOf(ring, object);
  if (lost !== null) return { state: "unknown", detail: `it names the key ${lost}, which is not among the keys` };
  const verified = verifyDecision(ring, object);
  if (verified === null) return { state: "invalid", detail: "the decision is not the one that Landfall signed" };
  const { signature, spec } = verified;
  if (signature.use === "legacy")
    return { state: "valid", detail: "by an earlier version, which did not sign the spec" };
  if (spec !== null && !coversSpec(verified, object))
    return { state: "invalid", detail: "the spec was changed after it was signed" };
  return { state: "valid", detail: `signed ${formatTime(signature.at)}` };
}

/** Whether Landfall signed the decision on an object, with the keys that the user can read. Throws REL_API…, ADM_SIGNING_KEY. */
export async function checkSignature(
  client: KubeClient,
  systemNamespace: string,
  object: Resource,
): Promise<Signature> {
  const { [ANNOTATION.decision]: decision, [ANNOTATION.seal]: seal } = object.metadata.annotations ?? {};
  if (decision === undefined || seal === undefined)
    return { state: "missing", detail: "the object has no signed decision" };
  const ring = await readRing(client, systemNamespace);
  if (typeof ring !== "string") return judgeSignature(ring, object);
  return { state: "unknown", detail: `${ring}; the controller installs nothing without a valid signature` };
}
