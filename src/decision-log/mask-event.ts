import { isObject, keysOf, pointerTo } from "../model/json.ts";
import type { DecisionEvent } from "./build-event.ts";
import { findSecrets } from "./find-secrets.ts";
import { findUnknown } from "./find-unknown.ts";

const HIDDEN = "[hidden]";
/** A longer text is hidden as a whole, without a search for secrets in it. */
const SEARCHED = 32_768;

/** Keys whose values are always secret, or copies of a whole object; removed regardless of the bundle. */
const SECRET_KEY = new RegExp(
  [
    "user[-_]?data|ssh[-_]?public[-_]?key|pass(?:word|wd|phrase)|secret|token|(?:api|access|private)[-_]?key|credential",
    "^landfall\\.dev/(?:seal|decision)$|^kubectl\\.kubernetes\\.io/last-applied-configuration$",
  ].join("|"),
  "i",
);

/** Whether there is anything to hide: not in an empty text, nor in true, false and null. */
const isGiven = (value: unknown): boolean =>
  typeof value === "string" ? value !== "" : typeof value === "number" || (typeof value === "object" && value !== null);

/** State of the masking: the removed pointers so far. */
interface Walk {
  /** Pointers of fields that their kind does not have. */
  readonly unknown: ReadonlySet<string>;
  erased: string[];
}

type Pointers = readonly (readonly string[])[];

function child(value: unknown, path: readonly string[], pointers: Pointers, walk: Walk): unknown {
  const key = path.at(-1) ?? "";
  const within = pointers.filter(([first]) => first === key || first === "*").map(([, ...rest]) => rest);
  const named = SECRET_KEY.test(key) && isGiven(value);
  const isErased = named || within.some((rest) => rest.length === 0);
  const isUnknown = walk.unknown.size > 0 && walk.unknown.has(pointerTo(path));
  if (!isErased && !isUnknown) return masked(value, path, within, walk);
  walk.erased.push(pointerTo(path));
  // Who decides the object again still sees that it has the field.
  return isErased ? undefined : HIDDEN;
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
  const unknown = findUnknown(event.input["object"], ["input", "object"]);
  const walk: Walk = { unknown, erased: [] };
  const clean = masked(event, [], erase.map(keysOf), walk) as DecisionEvent;
  return walk.erased.length === 0 ? clean : { ...clean, erased: walk.erased };
}
