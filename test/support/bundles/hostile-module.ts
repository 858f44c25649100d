import { writeTar } from "../../../src/model/bundle-format/tar.ts";

/** Unsigned and signed LEB128, the integers of WebAssembly's binary format (https://webassembly.github.io/spec/core/binary/values.html). */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest & 127) | 128);
  }
}
function signed(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7) {
    if (rest >= -64 && rest < 64) return [...bytes, rest & 127];
    bytes.push((rest & 127) | 128);
  }
}

const name = (text: string): number[] => [...unsigned(text.length), ...Buffer.from(text)];
const vector = (items: readonly (readonly number[])[]): number[] => [...unsigned(items.length), ...items.flat()];
const section = (id: number, body: Uint8Array | readonly number[]): Buffer =>
  Buffer.concat([Buffer.from([id, ...unsigned(body.length)]), Buffer.from(body)]);

const I32 = 0x7f;
/** i32.const */
const constant = (value: number): number[] => [0x41, ...signed(value)];
const local = (index: number): number[] => [0x20, index];
/** The index of opa_eval. */
const EVALUATION = 7;
const HEAP = 4_150_000;
const TEXTS = 1024;
/** Bytes of "trap" as a little-endian number. */
const TRAP = Buffer.from("trap").readInt32LE();

/** () -> i32, (i32) -> i32, (i32, i32) -> i32, (i32) -> (), (i32 × 7) -> i32 */
const TYPES = [
  [0x60, 0, 1, I32],
  [0x60, 1, I32, 1, I32],
  [0x60, 2, I32, I32, 1, I32],
  [0x60, 1, I32, 0],
  [0x60, 7, I32, I32, I32, I32, I32, I32, I32, 1, I32],
];

/** Functions (i32) -> () that move this many values at each of so many branches: V8 compiles 4 bytes to many times as much. */
export interface Branches {
  functions: number;
  branches: number;
  values: number;
}

/** The body of such a function, without the size: a loop whose branches take all values with them. */
function branching({ branches, values }: Branches, blockType: number): Buffer {
  const repeat = (times: number, ...code: number[]): Buffer => Buffer.alloc(times * code.length, Buffer.from(code));
  return Buffer.concat([
    Buffer.from([0]),
    repeat(values, ...local(0), ...constant(1), 0x6a),
    Buffer.from([0x03, ...signed(blockType)]),
    repeat(branches, ...local(0), 0x0d, 0),
    repeat(values, 0x1a),
    Buffer.from([0x0b, 0x0b]),
  ]);
}

/** opa_eval: looks for "trap" in the input (address in local 3, length in 4), and answers the text at one of two addresses, after `first`. */
const evaluation = (calm: number, trapped: number, first: readonly number[]): number[] => [
  ...[0x02, 0x40, 0x03, 0x40],
  ...[...local(7), ...local(4), ...constant(4), 0x6b, 0x4e, 0x0d, 1],
  ...[
    ...local(3),
    ...local(7),
    0x6a,
    0x28,
    0,
    0,
    ...constant(TRAP),
    0x46,
    0x04,
    0x40,
    ...first,
    ...constant(trapped),
    0x0f,
    0x0b,
  ],
  ...[...local(7), ...constant(1), 0x6a, 0x21, 7, 0x0c, 0],
  ...[0x0b, 0x0b, ...constant(calm)],
];

const CALM = '[{"result":{"denials":[],"warnings":[],"refused":[]}}]';
const NO_BRANCHES: Branches = { functions: 0, branches: 0, values: 0 };

/**
 * A module with OPA's ABI that answers `trapped` for an input with the word "trap", after it has called all functions of `more`, and `calm` for
 * others.
 */
export function hostileModule(calm = CALM, trapped = CALM, more = NO_BRANCHES): Buffer {
  const texts = ["{}", '{"landfall/team/answer":0}', calm, trapped].map((text) => Buffer.from(`${text}\0`));
  const addresses = texts.map((_, index) => TEXTS + texts.slice(0, index).reduce((sum, text) => sum + text.length, 0));
  const [builtins = 0, entrypoints = 0, calmAt = 0, trappedAt = 0] = addresses;
  const types = [...TYPES, [0x60, ...unsigned(more.values), ...Array.from({ length: more.values }, () => I32), 0]];
  const calls = Array.from({ length: more.functions }, (_, index) => [
    ...constant(0),
    0x10,
    ...unsigned(EVALUATION + 1 + index),
  ]);
  const functions: [exported: string, type: number, code: number[], locals?: number[]][] = [
    ["opa_malloc", 1, constant(HEAP)],
    ["opa_json_parse", 2, constant(8)],
    ["opa_json_dump", 1, local(0)],
    ["builtins", 0, constant(builtins)],
    ["entrypoints", 0, constant(entrypoints)],
    ["opa_heap_ptr_get", 0, constant(HEAP)],
    ["opa_heap_ptr_set", 3, []],
    ["opa_eval", 4, evaluation(calmAt, trappedAt, calls.flat()), [1, 1, I32]],
  ];
  const versions = ["opa_wasm_abi_version", "opa_wasm_abi_minor_version"].map((text, index) => [
    ...name(text),
    3,
    index,
  ]);
  const bodies = [
    ...functions.map(([, , code, locals = [0]]) => Buffer.from([...locals, ...code, 0x0b])),
    ...calls.map(() => branching(more, TYPES.length)),
  ];
  const data = texts.map((text, index) =>
    Buffer.concat([Buffer.from([0, ...constant(addresses[index] ?? 0), 0x0b, ...unsigned(text.length)]), text]),
  );
  return Buffer.concat([
    Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]),
    section(1, vector(types)),
    section(2, vector([[...name("env"), ...name("memory"), 2, 0, 2]])),
    section(3, vector([...functions.map(([, type]) => [type]), ...calls.map(() => [3])])),
    section(6, vector([1, 2].map((version) => [I32, 0, ...constant(version), 0x0b]))),
    section(7, vector([...functions.map(([exported], index) => [...name(exported), 0, index]), ...versions])),
    section(
      10,
      Buffer.concat(
        [unsigned(bodies.length), ...bodies.flatMap((body) => [unsigned(body.length), body])].map((part) =>
          Buffer.from(part),
        ),
      ),
    ),
    section(11, Buffer.concat([Buffer.from(unsigned(data.length)), ...data])),
  ]);
}

/** The bundle of a team with this module. */
export function moduleBundle(team: string, wasm: Buffer): Buffer {
  const manifest = {
    ...{ revision: "t1", roots: [`landfall/custom/${team}`], rego_version: 1 },
    metadata: { landfall: { kind: "policy", name: team } },
  };
  const files = {
    ".manifest": Buffer.from(JSON.stringify(manifest)),
    "data.json": Buffer.from("{}"),
    "policy.wasm": wasm,
  };
  return writeTar(new Map(Object.entries(files).map(([file, body]) => [`/${file}`, body])));
}

/** The bundle of a team whose module gives this result (JSON) for objects with the word "trap", and says nothing about others. */
export const hostileBundle = (team: string, result: string): Buffer =>
  moduleBundle(team, hostileModule(CALM, `[{"result":${result}}]`));

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const repeated = (text: string, times: number): string => Array.from({ length: times }, () => text).join(",");
const result = (list: string, rows: string): string =>
  JSON.stringify({ denials: [], warnings: [], refused: [], [list]: ["ROWS"] }).replace('"ROWS"', rows);

/** Results (JSON) that take long or much memory to work on. */
export const HOSTILE = {
  /** 4 MB in 590,000 rows. */
  "many denials": result("denials", repeated('["",1]', 590_000)),
  "many warnings": result("warnings", repeated('["",1]', 590_000)),
  /** Within a megabyte. */
  "100,000 denials": result("denials", repeated('["a","b"]', 100_000)),
  "a long text": result("denials", `["a","${"x".repeat(1_000_000)}"]`),
  "many long texts": result("denials", repeated(`["a","${"x".repeat(1000)}"]`, 99)),
} as const;

/** Reasons that exhaust the stack if they are compared as texts. */
export const NESTED = {
  "deep reasons": result("refused", `["","p",${nested(100_000)}],["","p",${nested(100_000)}]`),
} as const;
