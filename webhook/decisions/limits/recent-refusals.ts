import { itself, type OwnerOf } from "../../../src/external-data/sample-fairly.ts";
import { isObject, textOf } from "../../../src/model/json.ts";
import type { Reply } from "../../review/answer-review.ts";

/** Limits of memory: little for each owner of namespaces, so that one does not push the others out, and memory stays small. */
const LIMITS = { owners: 128, each: 4, characters: 16 * 1024 };

/** Requests for new objects that rules denied lately: a looser bundle allows some of them. */
export interface RecentRefusals {
  /** Remembers a review if `log` says that a rule denied it. */
  add(body: string, namespace: string | null, log: Reply["log"]): void;
  /** Bodies of reviews: of each owner of namespaces the last ones. */
  list(): string[];
}

/** Denied by a rule of a bundle. ADM_ and BUNDLE_ codes are Landfall's own, whatever the bundle. */
function isByRule(log: Reply["log"]): boolean {
  if (log?.["allowed"] !== false || log["operation"] !== "CREATE") return false;
  const [first] = Array.isArray(log["codes"]) ? log["codes"].map(textOf) : [];
  return first !== undefined && !first.startsWith("ADM_") && !first.startsWith("BUNDLE_");
}

/** The name of the object: a request that is repeated counts once. */
function nameOf(body: string): string | null {
  const review: unknown = JSON.parse(body);
  const request = isObject(review) && isObject(review["request"]) ? review["request"] : {};
  const object = isObject(request["object"]) ? request["object"] : {};
  const { name } = isObject(object["metadata"]) ? object["metadata"] : {};
  return typeof name === "string" ? name : null;
}

/** Nothing is remembered at first. */
export function openRecentRefusals(ownerOf: OwnerOf = itself): RecentRefusals {
  const owners = new Map<string, Map<string, string>>();

  function put(owner: string, name: string, body: string): void {
    const own = owners.get(owner) ?? new Map<string, string>();
    // The latest last, in both maps.
    owners.delete(owner);
    owners.set(owner, own);
    own.delete(name);
    own.set(name, body);
    const [oldest] = own.keys();
    if (own.size > LIMITS.each && oldest !== undefined) own.delete(oldest);
    const [first] = owners.keys();
    if (owners.size > LIMITS.owners && first !== undefined) owners.delete(first);
  }

  return {
    add: (body, namespace, log) => {
      if (namespace === null || body.length > LIMITS.characters || !isByRule(log)) return;
      const name = nameOf(body);
      if (name !== null) put(ownerOf(namespace), `${namespace}/${name}`, body);
    },
    list: () => [...owners.values()].flatMap((own) => [...own.values()]),
  };
}
