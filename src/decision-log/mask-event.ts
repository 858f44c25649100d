import { isObject, keysOf, pointerTo } from "../model/json.ts";
import type { DecisionEvent } from "./build-event.ts";
import { findSecrets } from "./find-secrets.ts";

const HIDDEN = "[hidden]";
/** A longer text is hidden as a whole, without a search for secrets in it. */
const SEARCHED = 32_768;

/** Keys whose values are always secret, or copies of a whole object; removed regardless of the bundle. */
const SECRET_KEY = new RegExp(
  [
    "user-?data|ssh-?public-?key|landfall\\.dev/(?:seal|decision)|kubectl\\.kubernetes\\.io/last-applied-configuration",
    ".*(?:password|passwd|secret|token|api-?key|private-?key|credential)s?",
  ]
    .map((keys) => `^(?:${keys})$`)
    .join("|"),
  "i",
);

/** State of the masking: the pointers that apply below the present value, and the removed ones so far. */
interface Walk {
  erased: string[];
}

type Pointers = readonly (readonly string[])[];

function child(value: unknown, path: readonly string[], pointers: Pointers, walk: Walk): unknown {
  const key = path.at(-1) ?? "";
  const within = pointers.filter(([first]) => first === key || first === "*").map(([, ...rest]) => rest);
  const named = SECRET_KEY.test(key) && typeof value === "string" && value !== "";
  if (!named && !within.some((rest) => rest.length === 0)) return masked(value, path, within, walk);
  walk.erased.push(pointerTo(path));
  return undefined;
}

/** The text with `[hidden]` in place of what looks like a secret. */
function withoutSecrets(value: string): string {
  if (value.length > SEARCHED) return HIDDEN;
  const spans = findSecrets(value).sort(([one], [other]) => one - other);
  let [text, end] = ["", 0];
  for (const [from, to] of spans) {
    if (from >= end) text += value.slice(end, from) + HIDDEN;
    end = Math.max(end, to);
  }
  return text + value.slice(end);
}

function text(value: string, path: readonly string[], walk: Walk): string {
  const hidden = withoutSecrets(value);
  if (hidden !== value) walk.erased.push(pointerTo(path));
  return hidden;
}

function masked(value: unknown, path: readonly string[], pointers: Pointers, walk: Walk): unknown {
  if (typeof value === "string") return text(value, path, walk);
  if (Array.isArray(value)) return value.map((item, index) => child(item, [...path, String(index)], pointers, walk));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const kept = child(inner, [...path, key], pointers, walk);
      return kept === undefined ? [] : [[key, kept] as const];
    }),
  );
}

/**
 * The event without the values that `erase` (JSON pointers, * for any key) and our own rules remove; the input is not
 * changed. Pure.
 */
export function maskEvent(event: DecisionEvent, erase: readonly string[]): DecisionEvent {
  const walk: Walk = { erased: [] };
  const clean = masked(event, [], erase.map(keysOf), walk) as DecisionEvent;
  return walk.erased.length === 0 ? clean : { ...clean, erased: walk.erased };
}
