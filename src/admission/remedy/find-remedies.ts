import type { Decision, PatchOperation } from "../../model/decision.ts";
import type { DecisionRequest } from "../types.ts";
import { candidateChanges } from "./candidate-changes.ts";
import type { Change } from "./change.ts";

/** A change of the object's own fields after which the same request is allowed. */
export interface Remedy {
  text: string;
  /** Spec fields and their new values; null removes a field. */
  fields: Record<string, unknown>;
  patch: PatchOperation[];
  cost: number;
}

/** A denial shows at most so many. */
const SHOWN = 2;
/** Decisions that the search for one kind of remedy may cost; each takes a fraction of a millisecond. */
const BUDGET = 60;

/** Decides a workload once, without a search for remedies. */
export type DecideOnce = (request: DecisionRequest) => Decision;

/** The same request with some spec fields changed; null removes a field. */
function changed(request: DecisionRequest, change: Record<string, unknown>): DecisionRequest {
  const spec = { ...request.object.spec };
  for (const [field, value] of Object.entries(change)) {
    if (value === null) Reflect.deleteProperty(spec, field);
    else spec[field] = value;
  }
  // A search asks nobody outside: what it finds is asked about when it is applied. Nor does it take part in a batch.
  return { ...request, ask: undefined, advice: undefined, plan: undefined, object: { ...request.object, spec } };
}

function toPatch(request: DecisionRequest, change: Record<string, unknown>): PatchOperation[] {
  return Object.entries(change).map(([field, value]): PatchOperation => {
    const path = `/spec/${field}`;
    if (value === null) return { op: "remove", path };
    return { op: request.object.spec?.[field] === undefined ? "add" : "replace", path, value };
  });
}

class Search {
  readonly #request: DecisionRequest;
  readonly #decideOnce: DecideOnce;
  #left = BUDGET;

  constructor(request: DecisionRequest, decideOnce: DecideOnce) {
    this.#request = request;
    this.#decideOnce = decideOnce;
  }

  /** The decision with this change; null once the budget is spent. */
  ask(change: Record<string, unknown>): Decision | null {
    if (this.#left-- <= 0) return null;
    return this.#decideOnce(changed(this.#request, change));
  }

  /** The smallest version of a change that passes together with `base`; null where none does. */
  smallest(change: Change, base: Record<string, unknown>): Remedy | null {
    const found = change.smallest((fields) => this.ask({ ...base, ...fields }));
    if (found === null) return null;
    const fields = { ...base, ...found.fields };
    return { text: found.text, cost: found.cost, fields, patch: toPatch(this.#request, fields) };
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

/** The fields of all these changes given up as far as each can go. */
const together = (changes: readonly Change[]): Record<string, unknown> =>
  Object.assign({}, ...changes.map(({ loosest }) => loosest?.fields)) as Record<string, unknown>;

/** As few changes as can be found by leaving out one after the other, where not even a pair helps; each then made as small as it can be. */
function several(search: Search, all: readonly Change[]): Remedy[] {
  let needed = all.filter(({ loosest }) => loosest !== null);
  if (search.ask(together(needed))?.allowed !== true) return [];
  for (const change of [...needed]) {
    const others = needed.filter((other) => other !== change);
    if (search.ask(together(others))?.allowed === true) needed = others;
  }
  let fields = together(needed);
  const texts: string[] = [];
  let patch: PatchOperation[] = [];
  for (const change of needed) {
    const remedy = search.smallest(change, fields);
    if (remedy === null) return [];
    texts.push(remedy.text);
    fields = { ...fields, ...remedy.fields };
    patch = remedy.patch;
  }
  return [{ text: texts.join(" and "), fields, patch, cost: needed.length }];
}

/**
 * The smallest single changes of the object's own fields that pass, the least drastic first; where none exists, one pair,
 * and where no pair does, one set of several. Every remedy was asked for and allowed by the same policy, so none breaks a
 * rule of the platform or the namespace.
 */
export function findRemedies(request: DecisionRequest, denied: Decision, decideOnce: DecideOnce): Remedy[] {
  const changes = candidateChanges(request, denied);
  if (changes.length === 0) return [];
  for (const kind of [singles, pair, several]) {
    const found = kind(new Search(request, decideOnce), changes);
    if (found.length > 0) return found.slice(0, SHOWN);
  }
  return [];
}
