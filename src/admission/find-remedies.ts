import type { Decision, PatchOperation } from "../model/decision.ts";
import { decideOnce } from "./decide-once.ts";
import type { Question } from "./question.ts";
import { candidateChanges, type Change } from "./remedy-changes.ts";

/** A change of the object's own fields after which the same question is allowed. */
export interface Remedy {
  text: string;
  patch: PatchOperation[];
  cost: number;
}

/** A denial shows at most so many. */
const SHOWN = 2;
/** Decisions that a search may cost; each takes a fraction of a millisecond. */
const BUDGET = 120;

/** Asks the question again with some spec fields changed; null removes a field. */
function askWith(question: Question, change: Record<string, unknown>): Decision {
  const spec = { ...question.object.spec };
  for (const [field, value] of Object.entries(change)) {
    if (value === null) Reflect.deleteProperty(spec, field);
    else spec[field] = value;
  }
  return decideOnce({ ...question, object: { ...question.object, spec } });
}

function toPatch(question: Question, change: Record<string, unknown>): PatchOperation[] {
  return Object.entries(change).map(([field, value]): PatchOperation => {
    const path = `/spec/${field}`;
    if (value === null) return { op: "remove", path };
    return { op: question.object.spec?.[field] === undefined ? "add" : "replace", path, value };
  });
}

class Search {
  readonly #question: Question;
  #left = BUDGET;

  constructor(question: Question) {
    this.#question = question;
  }

  /** The decision with this change; null once the budget is spent. */
  ask(change: Record<string, unknown>): Decision | null {
    if (this.#left-- <= 0) return null;
    return askWith(this.#question, change);
  }

  /** The smallest version of a change that passes together with `base`; null where none does. */
  smallest(change: Change, base: Record<string, unknown>): Remedy | null {
    const found = change.smallest((fields) => this.ask({ ...base, ...fields }));
    if (found === null) return null;
    return { text: found.text, cost: found.cost, patch: toPatch(this.#question, { ...base, ...found.fields }) };
  }
}

function singles(search: Search, changes: readonly Change[]): Remedy[] {
  const found = changes.map((change) => search.smallest(change, {})).filter((remedy) => remedy !== null);
  return found.sort((a, b) => a.cost - b.cost);
}

function pair(search: Search, changes: readonly Change[]): Remedy[] {
  for (const first of changes) {
    for (const second of changes) {
      if (first === second || first.loosest === null) continue;
      const remedy = search.smallest(second, first.loosest.fields);
      if (remedy !== null) return [{ ...remedy, text: `${first.loosest.text} and ${remedy.text}` }];
    }
  }
  return [];
}

/**
 * The smallest single changes of the object's own fields that pass, the least drastic first; where none exists, one pair.
 * Every remedy was asked for and allowed by the same policy, so none breaks a rule of the platform or the namespace.
 */
export function findRemedies(question: Question, denied: Decision): Remedy[] {
  const changes = candidateChanges(question, denied);
  const search = new Search(question);
  const found = singles(search, changes);
  return (found.length > 0 ? found : pair(search, changes)).slice(0, SHOWN);
}
