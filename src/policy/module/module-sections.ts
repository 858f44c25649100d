/** Bytes before the first section: magic number and version. */
const HEADER = 8;

/** An unsigned LEB128 number, and where it ends. */
function numberAt(wasm: Uint8Array, start: number): { value: number; end: number } {
  let value = 0;
  for (let [end, factor] = [start, 1]; ; factor *= 128) {
    const byte = wasm[end] ?? 0;
    end += 1;
    value += (byte & 127) * factor;
    if (byte < 128) return { value, end };
  }
}

/** The sections of a valid module by id; of custom ones (0), which may be several, the last. */
export function sectionsOf(wasm: Uint8Array): ReadonlyMap<number, Uint8Array> {
  const sections = new Map<number, Uint8Array>();
  for (let at = HEADER; at < wasm.length;) {
    const { value, end } = numberAt(wasm, at + 1);
    sections.set(wasm[at] ?? 0, wasm.subarray(end, end + value));
    at = end + value;
  }
  return sections;
}

/** A form of a type, and the types of values: https://webassembly.github.io/spec/core/binary/types.html */
const FUNCTION = 0x60;
const NUMBERS: ReadonlySet<number> = new Set([0x7c, 0x7d, 0x7e, 0x7f]);

/**
 * Whether the types of a valid module's section are all functions of numbers, with so many parameters and one result at most. Others are of
 * objects in the process's own heap, and each branch to a block with many values compiles to code that moves all of them.
 */
export function areFunctions(types: Uint8Array, mostParameters: number): boolean {
  const count = numberAt(types, 0);
  let at = count.end;
  for (let index = 0; index < count.value; index += 1) {
    if (types[at] !== FUNCTION) return false;
    const parameters = numberAt(types, at + 1);
    const results = numberAt(types, parameters.end + parameters.value);
    if (parameters.value > mostParameters || results.value > 1) return false;
    const values = [
      ...types.subarray(parameters.end, parameters.end + parameters.value),
      ...types.subarray(results.end, results.end + results.value),
    ];
    if (values.some((type) => !NUMBERS.has(type))) return false;
    at = results.end + results.value;
  }
  return true;
}

const FUNCREF = 0x70;
/** The flags of limits without a maximum, and with one. */
const HAS_MAXIMUM = 1;

/** Whether a valid module's section of tables has one only, of functions, which can hold so many at most. */
export function isFunctionTable(tables: Uint8Array, most: number): boolean {
  const count = numberAt(tables, 0);
  if (count.value !== 1 || tables[count.end] !== FUNCREF || tables[count.end + 1] !== HAS_MAXIMUM) return false;
  return numberAt(tables, numberAt(tables, count.end + 2).end).value <= most;
}
