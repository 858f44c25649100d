import fc from "fast-check";
import { SCALE } from "./scale.ts";

const everySeed = SCALE === 1 ? 20_261_123 : Date.now() % 2_147_483_647;

/**
 * Seed of the random cases. `npm test` always tries the same ones, so that a failure belongs to a change; `npm run test:long` tries
 * others each time. LANDFALL_FUZZ_SEED repeats a run.
 */
export const FUZZ_SEED = Number(process.env["LANDFALL_FUZZ_SEED"] ?? everySeed);

const CODE_POINT = fc.oneof(fc.nat({ max: 0x7f }), fc.nat({ max: 0xffff }), fc.nat({ max: 0x10ffff }));

/** Any characters, also halves of surrogate pairs. fc.string of "binary" lists all of Unicode first, which takes a second. */
export const anyText = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(CODE_POINT, { maxLength }).map((points) => String.fromCodePoint(...points));

/** Values that code does not expect. */
const ODD: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1e300, -1e-300, 2 ** 53, 0.1, "", "..", "../../x", "\0", "\u202e"),
  fc.constantFrom<unknown>([], {}, [[]], [null], { a: null }, "true", "1e9", "999999999999h", "9999-12-31T23:59:59Z"),
  fc.constantFrom<unknown>("__proto__", "constructor", "sha256:0", "*", "a".repeat(5000), "%2e%2e%2f", "{{ . }}"),
  fc.constantFrom<unknown>({ __proto__: { x: 1 } }, { constructor: {} }, JSON.parse('{"__proto__":{"allowed":true}}')),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
  anyText(40),
  fc.integer({ min: 1, max: 200 }).map((depth) => nested(depth)),
  fc
    .integer({ min: 1, max: 400 })
    .map((length) => Array.from({ length }, (_, index) => ({ name: `n${String(index)}` }))),
);

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? { a: value } : [value];
  return value;
}

interface Edit {
  at: number;
  what: "replace" | "remove" | "double" | "add";
  value: unknown;
  key: string;
}

const EDIT: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(),
  what: fc.constantFrom("replace", "replace", "replace", "remove", "double", "add"),
  value: ODD,
  key: fc.constantFrom("x", "__proto__", "constructor", "toString", "name", "namespace", "spec", ""),
});

type Holder = Record<string, unknown> | unknown[];

const isHolder = (value: unknown): value is Holder => typeof value === "object" && value !== null;

/** Every place of a value that can be changed: its holder and key. */
function places(root: Holder): [Holder, string][] {
  const found: [Holder, string][] = [];
  const open: Holder[] = [root];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop())
    for (const [key, value] of Object.entries(holder)) {
      found.push([holder, key]);
      if (isHolder(value)) open.push(value);
    }
  return found;
}

function apply(root: Record<string, unknown>, { at, what, value: given, key }: Edit): void {
  const value = structuredClone(given);
  const all = places(root);
  const [holder, name] = all[at % Math.max(1, all.length)] ?? [root, "x"];
  const fields = holder as Record<string, unknown>;
  if (what === "remove") Reflect.deleteProperty(fields, name);
  else if (what === "double") fields[name] = [fields[name], structuredClone(fields[name])];
  else if (what === "add" && Array.isArray(holder)) holder.push(value);
  else if (what === "add")
    Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true });
  else fields[name] = value;
}

/** Some of these values with up to five changes at random places. */
export const mutated = (bases: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.tuple(fc.constantFrom(...bases), fc.array(EDIT, { maxLength: 5 })).map(([base, edits]) => {
    const root = { value: structuredClone(base) };
    for (const edit of edits) apply(root, edit);
    return root.value ?? null;
  });

/** These bytes with up to five bytes or runs of bytes changed, removed or repeated. */
export const damaged = (bytes: Uint8Array): fc.Arbitrary<Buffer> =>
  fc
    .array(
      fc.record({ at: fc.nat(), length: fc.integer({ min: 0, max: 64 }), put: fc.uint8Array({ maxLength: 16 }) }),
      { minLength: 1, maxLength: 5 },
    )
    .map((edits) => {
      let result = Buffer.from(bytes);
      for (const { at, length, put } of edits) {
        const from = at % (result.length + 1);
        result = Buffer.concat([result.subarray(0, from), put, result.subarray(from + length)]);
      }
      return result;
    });
