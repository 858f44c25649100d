import type { Decision } from "../../model/decision.ts";
import { decideOnce } from "./decide-once.ts";
import { finish } from "./decision-document.ts";
import { findRemedies } from "../remedy/find-remedies.ts";
import { inOwnWords } from "../respond/message-templates.ts";
import type { Question } from "../decision-request.ts";

/** The first denial says what would pass; the search for it is only made for denials. */
function withRemedies(question: Question, denied: Decision): Decision {
  const [first, ...others] = denied.denials;
  const remedies = findRemedies(question, denied, decideOnce);
  const [best] = remedies;
  if (first === undefined || best === undefined) return denied;
  const remedy = remedies.map(({ text }) => text).join(", or ");
  const { id: _id, ...body } = denied;
  return finish({ ...body, denials: [{ ...first, remedy, patch: best.patch }, ...others] });
}

/** The search for remedies reads codes and fields only; people read the words. */
function worded({ policy }: Question, decision: Decision): Decision {
  if (policy.texts === null) return decision;
  const { denials, degraded } = inOwnWords(decision.denials, decision, policy.texts);
  const { id: _id, ...body } = decision;
  return finish({ ...body, denials, degraded: [...body.degraded, ...degraded] });
}

/**
 * The decision for an object: the same for the webhook, `landfall explain` and the tests. Reads no clock and no network;
 * the same question gives the same decision, byte for byte.
 */
export function decide(question: Question): Decision {
  const decision = decideOnce(question);
  return decision.allowed ? decision : worded(question, withRemedies(question, decision));
}
