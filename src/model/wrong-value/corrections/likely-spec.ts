import type { PatchOperation } from "../../decision.ts";
import { isObject, keysOf, pointerTo } from "../../json.ts";
import { assignment, type Found, WRONG_KEY } from "../explain-value.ts";
import { forProvider } from "../read/read-within.ts";
import { dotted, nodeAt, type SchemaNode, valueAt } from "../schema-node.ts";

/** A spec after the corrections of all its problems. */
export interface LikelySpec {
  spec: unknown;
  /** The fields that hold examples, or that were omitted because nothing is known of what they mean: `spec.cpu`. */
  guessed: string[];
  /** The entries that corrections put before those of a list, which are not in the spec yet: its indices are the user's. */
  inFront: readonly NonNullable<Found["inFront"]>[];
  /** By the field of a problem, what its correction writes: `spec.kubernetesVersion` of `spec.version`. */
  written: ReadonlyMap<string, readonly WrittenField[]>;
}

/** The spec with entries before those of its lists. */
export function withEntries(spec: unknown, all: LikelySpec["inFront"]): unknown {
  const changed: unknown = structuredClone(spec);
  for (const { pointer, entries } of all) {
    const list = valueAt(changed, pointer);
    if (Array.isArray(list)) list.unshift(...entries);
  }
  return changed;
}

/** A text about such a spec in which the entries of the lists have the indices that the user gave them; null for one about an entry that the user did not write there. */
export function withOwnIndices(text: string, all: LikelySpec["inFront"]): string | null {
  const moved = new Map(all.map(({ pointer, entries }) => [fieldOf({ pointer }), entries.length]));
  const indices = [...text.matchAll(INDEX)].map(([, list = "", index]) => Number(index) - (moved.get(list) ?? 0));
  if (indices.some((index) => index < 0)) return null;
  return text.replaceAll(INDEX, (_all, list: string) => `${list}[${String(indices.shift())}]`);
}
const INDEX = /(spec\.\w{1,60})\[(\d{1,3})\]/g;

/** A field that a correction writes. */
export interface WrittenField {
  field: string;
  /** `kubernetesVersion: "1.35"` */
  text: string;
}

const SPEC = "/spec";

/** The change of a problem whose correction is not known: an example where a value must be, and nothing elsewhere. */
function guess(schema: SchemaNode, { pointer, keyword }: Found): PatchOperation {
  const [name = "", ...above] = keysOf(pointer).toReversed();
  const path = SPEC + pointer;
  const isRequired = nodeAt(schema, pointerTo(above.toReversed())).required?.includes(name) === true;
  const example: unknown = nodeAt(schema, pointer).examples?.[0];
  const isKept = isRequired && example !== undefined && keyword !== "additionalProperties";
  return isKept ? { op: "add", path, value: example } : { op: "remove", path };
}

/** The index of the list's item that an operation removes; -1 for other operations. */
function removedItem(spec: unknown, { op, path }: PatchOperation): number {
  const keys = keysOf(path.slice(SPEC.length));
  const isItem = op === "remove" && Array.isArray(valueAt(spec, pointerTo(keys.slice(0, -1))));
  return isItem ? Number(keys.at(-1)) : -1;
}

/** The maps that hold a place are made where there are none. */
function makeHolders(spec: unknown, keys: readonly string[]): void {
  let holder = spec;
  for (const key of keys) {
    if (!isObject(holder)) return;
    holder = holder[key] ??= {};
  }
}

/** A map next to what other corrections write into it, where none of them is the map's own. */
const besides = (present: unknown, value: unknown): unknown =>
  isObject(present) && isObject(value) ? { ...present, ...value } : value;

/** Makes one change in place; one of a part that is gone does nothing. */
function change(spec: unknown, { op, path, value, isPart }: Change): void {
  const keys = keysOf(path.slice(SPEC.length));
  if (op === "add") makeHolders(spec, keys.slice(0, -1));
  const [holder, last = ""] = [valueAt(spec, pointerTo(keys.slice(0, -1))), keys.at(-1)];
  if (Array.isArray(holder)) holder.splice(Number(last), 1, ...(op === "remove" ? [] : [value]));
  else if (isObject(holder) && op === "remove") Reflect.deleteProperty(holder, last);
  else if (isObject(holder)) holder[last] = isPart ? besides(holder[last], value) : value;
}

/** A change, and whether it stands for an unknown field, which can be one of several parts of a map. */
type Change = PatchOperation & { isPart: boolean };

const fieldOf = ({ pointer }: Pick<Found, "pointer">): string => `spec${dotted(pointer)}`;

/** The fields that a correction writes with examples in them. */
const examplesBy = ({ pointer, examples = [] }: Found): string[] =>
  examples.map((name) => fieldOf({ pointer: pointerTo([...keysOf(pointer).slice(0, -1), name]) }));

/** `poolInstanceTypes: {main: m5.large}` of a field of a map by names. */
function textOf(pointer: string, value: unknown): string {
  const [top = "", name, ...more] = keysOf(pointer);
  const isOfMap = name !== undefined && more.length === 0 && !/^\d+$/.test(name);
  return isOfMap ? assignment(pointerTo([top]), { [name]: value }) : assignment(pointer, value);
}

/** The fields that a patch writes. */
export const writtenBy = (patch: readonly PatchOperation[] = []): WrittenField[] =>
  patch
    .filter(({ op }) => op !== "remove")
    .map(({ path, value }) => {
      const pointer = path.slice(SPEC.length);
      return { field: fieldOf({ pointer }), text: textOf(pointer, value) };
    });

/** The spec after the corrections of its problems, the uncertain ones as well. The caller checks it: a guess may be wrong. */
export function likelySpec(schema: SchemaNode, spec: unknown, all: readonly Found[]): LikelySpec {
  const own = forProvider(schema, spec);
  const changes = all.flatMap((found): Change[] =>
    (found.patch ?? found.likely ?? [guess(own, found)]).map((one) => ({
      ...one,
      isPart: found.keyword === "additionalProperties",
    })),
  );
  const changed: unknown = structuredClone(spec);
  // Items of a list are removed last and from its end, so that the indices of the others stay.
  const inOrder = changes.toSorted((a, b) => {
    const [one, other] = [removedItem(spec, a), removedItem(spec, b)];
    return one < 0 || other < 0 ? one - other : other - one;
  });
  for (const one of inOrder) change(changed, one);
  // The value of a wrong key is known, and that of a missing field is an example.
  const isGuess = ({ patch, likely, value, keyword }: Found): boolean =>
    (patch ?? likely) === undefined || (value === undefined && !keyword.startsWith(WRONG_KEY));
  return {
    spec: changed,
    guessed: [...all.filter(isGuess).map(fieldOf), ...all.flatMap(examplesBy)],
    inFront: all.flatMap(({ inFront }) => inFront ?? []),
    written: new Map(all.map((found) => [fieldOf(found), writtenBy(found.patch ?? found.likely)])),
  };
}
