import type { PatchOperation } from "../decision.ts";
import { isObject, keysOf, pointerTo } from "../json.ts";
import { assignment, type Found, labelOf } from "./explain-value.ts";
import { accepts, nodeAt, type SchemaNode, valueAt } from "./schema-node.ts";

type Added = PatchOperation & { op: "add"; value: unknown };

const isAdded = (operation: PatchOperation): operation is Added => operation.op === "add";

/** The path at which a correction adds a field: `/spec/ports`. */
const addedBy = ({ patch = [] }: Found): Added | undefined => patch.find(isAdded);

const SPEC = "/spec";

/** All entries of lists, each once, or all fields of maps that share none; undefined for values of which only one can be written. */
function united(values: readonly unknown[]): unknown {
  if (values.every((value): value is unknown[] => Array.isArray(value))) {
    const byText = new Map(values.flat().map((one) => [JSON.stringify(one), one]));
    return [...byText.values()];
  }
  if (!values.every(isObject)) return undefined;
  const names = values.flatMap((value) => Object.keys(value));
  return new Set(names).size === names.length ? Object.assign({}, ...values) : undefined;
}

/** One of several corrections that would each write the same field, and overwrite that of the others. */
function among(own: Found, added: Added, values: readonly unknown[]): Found {
  const pointer = added.path.slice(SPEC.length);
  const value = united(values);
  if (value !== undefined) {
    const patch = (own.patch ?? []).map((one) => (one === added ? { ...added, value } : one));
    return { ...own, correction: `write ${assignment(pointer, value)}`, patch };
  }
  const { patch: _patch, ...rest } = own;
  const choices = [...new Set(values.map((one) => assignment(pointer, one)))];
  return { ...rest, correction: `write ${choices.join(" or ")}, and no other field for it` };
}

/** The first free name of `web-2`, `web-3` and so on, without a dash where names have none. */
function freeName(node: SchemaNode, name: string, taken: readonly unknown[]): string | undefined {
  const numbers = Array.from({ length: taken.length + 1 }, (_, index) => String(index + 2));
  const names = ["-", ""].flatMap((sign) => numbers.map((number) => name + sign + number));
  return names.find((one) => !taken.includes(one) && accepts(node, one));
}

/** A corrected name that another entry of the list has. */
function withFreeName(schema: SchemaNode, spec: unknown, found: Found): Found {
  const { pointer, patch: [replaced] = [] } = found;
  const [key, index = "", ...above] = keysOf(pointer).toReversed();
  const list = valueAt(spec, pointerTo(above.toReversed()));
  if (key !== "name" || !Array.isArray(list) || replaced?.op !== "replace" || typeof replaced.value !== "string")
    return found;
  const others = list
    .filter((one, at) => isObject(one) && String(at) !== index)
    .map((one: unknown) => (isObject(one) ? one["name"] : null));
  if (!others.includes(replaced.value)) return found;
  const value = freeName(nodeAt(schema, pointer), replaced.value, others);
  if (value === undefined) return found;
  const correction = `write another name than ${replaced.value}, which is used, e.g. ${labelOf(pointer)}${value}`;
  return { ...found, correction, patch: [{ ...replaced, value }] };
}

/** Corrections that can be made together: none overwrites what another writes, and no name is used twice. */
export function combineCorrections(schema: SchemaNode, spec: unknown, all: readonly Found[]): Found[] {
  return all.map((found) => {
    const added = addedBy(found);
    if (added === undefined) return withFreeName(schema, spec, found);
    const same = all.flatMap((other) => addedBy(other) ?? []).filter(({ path }) => path === added.path);
    return same.length < 2
      ? found
      : among(
          found,
          added,
          same.map(({ value }) => value),
        );
  });
}
