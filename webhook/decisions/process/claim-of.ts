import type { AdmissionContext, AdmissionRequest } from "../../../src/admission/types.ts";
import { type Claim, shardsOf } from "../../../src/external-data/ledger/ledger-entry.ts";
import type { Limits } from "./note-limits.ts";
import type { Reserved } from "./reserve.ts";
import { slackOf } from "./slack-of.ts";

/** A decision must be written for the other replicas by so many ms before this process ends its reservation. */
const MARGIN_MS = 250;

export interface Claimed {
  request: AdmissionRequest;
  /** The reservation of this process; null for none. */
  next: Reserved | null;
  context: Pick<AdmissionContext, "relatedWorkloads" | "placed">;
  limits: Limits;
  /** The number of the last change of the ledger that counted. */
  counted: number;
}

/** The entry that the other replicas need before the request is answered; null if no quota and no budget holds. */
export function claimOf({ request, next, context, limits, counted }: Claimed): Claim | null {
  if (next === null) return null;
  const { key, workload, creates = false, until } = next;
  const { uid = "" } = request.object.metadata;
  // An update has another review when it is asked again, and counts for the same.
  const id = creates ? (workload.decisionId ?? request.uid) : `${uid}.${request.uid}`;
  const others = { usage: context.relatedWorkloads?.usage ?? null, placed: () => [...(context.placed?.() ?? [])] };
  const claim = { id, key, creates, workload, slack: slackOf(limits, workload, others), counted };
  if (shardsOf(claim).length === 0) return null;
  next.id = id;
  return { ...claim, untilMs: until * 1000 - MARGIN_MS };
}
