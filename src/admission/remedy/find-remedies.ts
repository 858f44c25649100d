import type { Decision, PatchOperation } from "../../model/decision.ts";
import type { DecisionRequest } from "../types.ts";
import { candidateChanges } from "./candidate-changes.ts";
import type { CandidateChange } from "./change-search.ts";

/** A change of the object's own fields after which the same request is allowed. */
export interface Remedy {
  text: string;
  /** Spec fields and their new values; null removes a field. */
  fields: Record<string, unknown>;
  patch: PatchOperation[];
  cost: number;
}

/** Maximum number of remedies in a denial. */
const SHOWN = 2;
/** Maximum number of decisions in the search for one kind of remedy. */
const BUDGET = 60;
/**
 * Maximum time of the whole search in ms, where the request has a clock: a decision takes a fraction of a millisecond for a
 * machine, but many for a cluster with many pools, and everybody else waits.
 */
const SEARCH_MS = 50;

/** Decides a workload once, without a search for remedies. */
export type DecideOnce = (request: DecisionRequest) => Decision;

/** The same request with some spec fields changed; null removes a field. */
function changed(request: DecisionRequest, change: Record<string, unknown>): DecisionRequest {
  const spec = { ...request.object.spec };
  for (const [field, value] of Object.entries(change)) {
    if (value === null) Reflect.deleteProperty(spec, field);
    else spec[field] = value;
  }
  // The search uses no external services and no batch: those apply when the user applies the result.
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
  readonly #isLate: () => boolean;
  #left = BUDGET;

  constructor(request: DecisionRequest, decideOnce: DecideOnce, isLate: () => boolean) {
    this.#request = request;
    this.#decideOnce = decideOnce;
    this.#isLate = isLate;
  }

  /** The decision with this change; null once the budget or the time is spent. */
  ask(change: Record<string, unknown>): Decision | null {
    if (this.#left-- <= 0 || this.#isLate()) return null;
    return this.#decideOnce(changed(this.#request, change));
  }

  /** The smallest version of a change that passes together with `base`; null if there is none. */
  smallest(change: CandidateChange, base: Record<string, unknown>): Remedy | null {
    const found = change.smallest((fields) => this.ask({ ...base, ...fields }));
    if (found === null) return null;
    const fields = { ...base, ...found.fields };
    return { text: found.text, cost: found.cost, fields, patch: toPatch(this.#request, fields) };
  }
}

function singles(search: Search, changes: readonly CandidateChange[]): Remedy[] {
  const found = changes.map((change) => search.smallest(change, {})).filter((remedy) => remedy !== null);
  return found.sort((a, b) => a.cost - b.cost);
}

function pair(search: Search, changes: readonly CandidateChange[]): Remedy[] {
  for (const first of changes) {
    for (const second of changes) {
      if (first === second || first.loosest === null) continue;
      const remedy = search.smallest(second, first.loosest.fields);
      if (remedy !== null) return [{ ...remedy, text: `${first.loosest.text} and ${remedy.text}` }];
    }
  }
  return [];
}

/** All these changes together at their extremes. */
const together = (changes: readonly CandidateChange[]): Record<string, unknown> =>
  Object.assign({}, ...changes.map(({ loosest }) => loosest?.fields)) as Record<string, unknown>;

/**
 * A minimal set of changes if no pair helps: changes are omitted one after the other, and each remaining one is made as
 * small as possible.
 */
function several(search: Search, all: readonly CandidateChange[]): Remedy[] {
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

/** Says whether the search has used its time; never, without a clock. */
function timeLimit(usedMs: DecisionRequest["usedMs"]): () => boolean {
  if (usedMs === undefined) return () => false;
  const until = usedMs() + SEARCH_MS;
  return () => usedMs() >= until;
}

/**
 * The smallest single changes of the object's own fields that pass, least drastic first; without one, a pair; without a
 * pair, a set of several. The same policy has allowed every remedy, so none breaks a rule of the platform or the
 * namespace.
 */
export function findRemedies(request: DecisionRequest, denied: Decision, decideOnce: DecideOnce): Remedy[] {
  const changes = candidateChanges(request, denied);
  if (changes.length === 0) return [];
  const isLate = timeLimit(request.usedMs);
  for (const kind of [singles, pair, several]) {
    const found = kind(new Search(request, decideOnce, isLate), changes);
    if (found.length > 0) return found.slice(0, SHOWN);
  }
  return [];
}
