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

/** opa_eval: looks for "trap" in the input (address in local 3, length in 4), and answers the text at one of two addresses. */
const evaluation = (calm: number, trapped: number): number[] => [
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
    ...constant(trapped),
    0x0f,
    0x0b,
  ],
  ...[...local(7), ...constant(1), 0x6a, 0x21, 7, 0x0c, 0],
  ...[0x0b, 0x0b, ...constant(calm)],
];

/** A module with OPA's ABI that answers `trapped` for an input with the word "trap", and `calm` for others. */
function hostileModule(calm: string, trapped: string): Buffer {
  const texts = ["{}", '{"landfall/team/answer":0}', calm, trapped].map((text) => Buffer.from(`${text}\0`));
  const addresses = texts.map((_, index) => TEXTS + texts.slice(0, index).reduce((sum, text) => sum + text.length, 0));
  const [builtins = 0, entrypoints = 0, calmAt = 0, trappedAt = 0] = addresses;
  const functions: [exported: string, type: number, code: number[], locals?: number[]][] = [
    ["opa_malloc", 1, constant(HEAP)],
    ["opa_json_parse", 2, constant(8)],
    ["opa_json_dump", 1, local(0)],
    ["builtins", 0, constant(builtins)],
    ["entrypoints", 0, constant(entrypoints)],
    ["opa_heap_ptr_get", 0, constant(HEAP)],
    ["opa_heap_ptr_set", 3, []],
    ["opa_eval", 4, evaluation(calmAt, trappedAt), [1, 1, I32]],
  ];
  const versions = ["opa_wasm_abi_version", "opa_wasm_abi_minor_version"].map((text, index) => [
    ...name(text),
    3,
    index,
  ]);
  const bodies = functions.map(([, , code, locals = [0]]) => [...locals, ...code, 0x0b]);
  const data = texts.map((text, index) =>
    Buffer.concat([Buffer.from([0, ...constant(addresses[index] ?? 0), 0x0b, ...unsigned(text.length)]), text]),
  );
  return Buffer.concat([
    Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]),
    section(1, vector(TYPES)),
    section(2, vector([[...name("env"), ...name("memory"), 2, 0, 2]])),
    section(3, vector(functions.map(([, type]) => [type]))),
    section(6, vector([1, 2].map((version) => [I32, 0, ...constant(version), 0x0b]))),
    section(7, vector([...functions.map(([exported], index) => [...name(exported), 0, index]), ...versions])),
    section(10, vector(bodies.map((body) => [...unsigned(body.length), ...body]))),
    section(11, Buffer.concat([Buffer.from(unsigned(data.length)), ...data])),
  ]);
}

/** The bundle of a team whose module gives this result (JSON) for objects with the word "trap", and says nothing about others. */
export function hostileBundle(team: string, result: string): Buffer {
  const manifest = {
    ...{ revision: "t1", roots: [`landfall/custom/${team}`], rego_version: 1 },
    metadata: { landfall: { kind: "policy", name: team } },
  };
  const calm = '[{"result":{"denials":[],"warnings":[],"refused":[]}}]';
  const files = {
    ".manifest": Buffer.from(JSON.stringify(manifest)),
    "data.json": Buffer.from("{}"),
    "policy.wasm": hostileModule(calm, `[{"result":${result}}]`),
  };
  return writeTar(new Map(Object.entries(files).map(([file, body]) => [`/${file}`, body])));
}

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
