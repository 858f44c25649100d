import type { Decision, PatchOperation } from "../../model/decision.ts";
import type { DecisionRequest } from "../types.ts";
import { candidateChanges } from "./candidate-changes.ts";
import { type CandidateChange, type Fields, type FoundChange, LAST_COST } from "./change-search.ts";

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
/** Of a change that has no smaller version: more than that of one that has. */
const EXTREME_COST = 5;
/** Pairs of changes that are compared. */
const MOST_PAIRS = 6;
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
export function changed(request: DecisionRequest, change: Record<string, unknown>): DecisionRequest {
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
  ask(change: Fields): Decision | null {
    if (this.#left-- <= 0 || this.#isLate()) return null;
    return this.#decideOnce(changed(this.#request, change));
  }

  /** The smallest version of a change that passes together with `base`; null if there is none. */
  smallest(change: CandidateChange, base: Fields): FoundChange | null {
    return change.smallest((fields) => this.ask({ ...base, ...fields }));
  }

  /** Changes that pass at their extremes, each as small as possible while the earlier ones are as small as they were made. */
  narrowed(changes: readonly Combinable[]): Remedy {
    this.#left = BUDGET;
    const found: FoundChange[] = [];
    for (const [index, change] of changes.entries()) {
      const others = [...found.map(({ fields }) => fields), extremes(changes.slice(index + 1))];
      const one = this.smallest(change, Object.assign({}, ...others) as Fields);
      found.push(one ?? { ...change.loosest, where: "", cost: EXTREME_COST });
    }
    return this.remedy(found);
  }

  remedy(found: readonly FoundChange[]): Remedy {
    const fields = Object.assign({}, ...found.map((one) => one.fields)) as Fields;
    const text = `${found.map((one) => one.text).join(" and ")}${found.at(-1)?.where ?? ""}`;
    const cost = found.reduce((sum, one) => sum + one.cost, 0);
    return { text, fields, cost, patch: toPatch(this.#request, fields) };
  }
}

/** A change that can be made with others. */
type Combinable = CandidateChange & { loosest: NonNullable<CandidateChange["loosest"]> };

const isCombinable = (change: CandidateChange): change is Combinable => change.loosest !== null;

/** All these changes together at their extremes. */
const extremes = (changes: readonly Combinable[]): Fields =>
  Object.assign({}, ...changes.map(({ loosest }) => loosest.fields)) as Fields;

/** Those that can be made with others, each extreme once: the first of two that end at the same one gives up less. */
function combinable(changes: readonly CandidateChange[]): Combinable[] {
  const byExtreme = new Map<string, Combinable>();
  for (const change of changes.filter(isCombinable)) {
    const extreme = JSON.stringify(change.loosest.fields);
    if (!byExtreme.has(extreme)) byExtreme.set(extreme, change);
  }
  return [...byExtreme.values()];
}

/** Whether another change keeps a part of a field that this one drops. */
const dropsMore = ({ fields }: FoundChange, all: readonly FoundChange[]): boolean =>
  Object.entries(fields).some(
    ([field, value]) =>
      value === null && all.some((other) => typeof other.fields[field] === "object" && other.fields[field] !== null),
  );

/** Changes of the same fields to the same values, once. */
const onceEach = (all: readonly FoundChange[]): FoundChange[] =>
  [...new Map(all.toReversed().map((one) => [JSON.stringify(one.fields), one])).values()].toReversed();

function singles(search: Search, changes: readonly CandidateChange[]): Remedy[] {
  const found = changes.map((change) => search.smallest(change, {})).filter((one) => one !== null);
  const others = onceEach(found).filter((one) => !dropsMore(one, found));
  const usual = others.filter(({ cost }) => cost < LAST_COST);
  const least = usual.length > 0 ? usual : others;
  return least.toSorted((a, b) => a.cost - b.cost).map((one) => search.remedy([one]));
}

/** The two changes that give up least together. */
function pair(search: Search, all: readonly CandidateChange[]): Remedy[] {
  const changes = combinable(all);
  const pairs = changes.flatMap((first, index) => changes.slice(index + 1).map((second) => [first, second]));
  const passing = pairs.filter((both) => search.ask(extremes(both))?.allowed === true).slice(0, MOST_PAIRS);
  const found = passing.map((both) => search.narrowed(both));
  return found.toSorted((a, b) => a.cost - b.cost).slice(0, 1);
}

/** A minimal set of changes if no pair helps: changes are omitted one after the other, and each remaining one is made as small as possible. */
function several(search: Search, all: readonly CandidateChange[]): Remedy[] {
  let needed = combinable(all);
  if (search.ask(extremes(needed))?.allowed !== true) return [];
  for (const change of [...needed]) {
    const others = needed.filter((other) => other !== change);
    if (search.ask(extremes(others))?.allowed === true) needed = others;
  }
  return [search.narrowed(needed)];
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
