import { createRequire } from "node:module";
import type * as Opa from "@open-policy-agent/opa-wasm";
import { isObject } from "../../model/json.ts";
import { boundedBuiltins, type Builtin } from "./bounded-builtins.ts";

// The package's ES module lacks the class. Its asynchronous function asks whether the module is a Response, for which Node
// loads its whole fetch: 0.1 s in every process and thread.
const { LoadedPolicy } = createRequire(import.meta.url)("@open-policy-agent/opa-wasm") as typeof Opa;

/** The runtime's own state, which its types do not tell. */
interface State {
  entrypoints: unknown;
  /** The data that was set, and the end of it in the module's memory. */
  dataAddr: number;
  dataHeapPtr: number;
}

/** A module with its memory. */
export interface Runtime {
  readonly entrypoints: unknown;
  setData(data: object): void;
  /** The text of the results for this input: a list with one `{result}`, or an empty list if the rule is undefined. */
  evaluate(input: object, entrypoint: string): string;
}

/** Functions that OPA's compiler exports; all but these are only called by the runtime. */
interface Exports {
  [name: string]: unknown;
  opa_wasm_abi_version?: WebAssembly.Global;
  opa_wasm_abi_minor_version?: WebAssembly.Global;
  opa_malloc(bytes: number): number;
  opa_json_parse(address: number, bytes: number): number;
  opa_json_dump(address: number): number;
  opa_eval?(
    reserved: 0,
    entrypoint: number,
    data: number,
    input: number,
    inputBytes: number,
    heap: number,
    format: 0,
  ): number;
  builtins(): number;
}

const PAGE_BYTES = 64 * 1024;
const PAGE_MIB = 1 / 16;
/** The runtime starts with 4 MiB. */
const INITIAL = 64;
/** Bytes of a builtin's argument and result. */
const VALUE = 1024 * 1024;
/** Bytes of the text that a module ends with. */
const TEXT = 1024;

const decoder = new TextDecoder();

/** The bytes up to the zero that ends a text. Throws if there are more than `most`. */
function textAt(memory: WebAssembly.Memory, address: number, most: number, what: string): Uint8Array {
  const bytes = new Uint8Array(memory.buffer, address, Math.min(most + 1, memory.buffer.byteLength - address));
  const end = bytes.indexOf(0);
  if (end === -1) throw new RangeError(`${what} has more than ${String(most)} bytes`);
  return bytes.subarray(0, end);
}

const ANSWER = "the module's answer";

/** The module's exports, with values of so many bytes at most. */
function bounded(exports: Exports, memory: WebAssembly.Memory, answerBytes: number): Exports {
  const dump = (address: number): number => {
    const text = exports.opa_json_dump(address);
    textAt(memory, text, answerBytes, ANSWER);
    return text;
  };
  return { ...exports, opa_json_dump: dump };
}

/** Writes the input behind the data. Returns its size in bytes. */
function writeInput(memory: WebAssembly.Memory, at: number, input: object): number {
  const json = Buffer.from(JSON.stringify(input));
  const missing = at + json.length - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
  new Uint8Array(memory.buffer).set(json, at);
  return json.length;
}

interface Evaluated {
  memory: WebAssembly.Memory;
  exports: Exports;
  state: State;
  answerBytes: number;
}

/**
 * Evaluates in one call of the module, as LoadedPolicy does, but leaves the answer as text: a reader that knows this text need not parse it.
 */
function evaluateAsText({ memory, exports, state, answerBytes }: Evaluated): Runtime["evaluate"] {
  const ids = isObject(state.entrypoints) ? state.entrypoints : {};
  return (input, entrypoint) => {
    const { dataAddr, dataHeapPtr } = state;
    const id = Object.hasOwn(ids, entrypoint) ? ids[entrypoint] : undefined;
    if (typeof id !== "number") throw new TypeError(`the module has no entrypoint ${entrypoint}`);
    if (exports.opa_eval === undefined) throw new TypeError("the module has no function opa_eval");
    const bytes = writeInput(memory, dataHeapPtr, input);
    const address = exports.opa_eval(0, id, dataAddr, dataHeapPtr, bytes, dataHeapPtr + bytes, 0);
    return decoder.decode(textAt(memory, address, answerBytes, ANSWER));
  };
}

interface Linked {
  exports: Exports | null;
  /** The builtins that the module calls, by their number in it. */
  called: Map<number, string>;
}

/** Calls a builtin: its arguments and its result are JSON in the module's memory. */
function caller(memory: WebAssembly.Memory, linked: Linked): (id: number, ...addresses: number[]) => number {
  const builtins = boundedBuiltins();
  const valueOf = (exports: Exports, address: number): unknown =>
    JSON.parse(decoder.decode(textAt(memory, exports.opa_json_dump(address), VALUE, "an argument of a builtin")));
  const store = (exports: Exports, result: unknown): number => {
    if (typeof result === "string" && result.length > VALUE)
      throw new RangeError(`the result of a builtin has more than ${String(VALUE)} bytes`);
    const json = Buffer.from(JSON.stringify(result));
    if (json.length > VALUE) throw new RangeError(`the result of a builtin has more than ${String(VALUE)} bytes`);
    const address = exports.opa_malloc(json.length);
    new Uint8Array(memory.buffer).set(json, address);
    return exports.opa_json_parse(address, json.length);
  };
  return (id, ...addresses) => {
    const { exports, called } = linked;
    const name = called.get(id) ?? String(id);
    const run: Builtin | undefined = builtins.get(name);
    if (exports === null || run === undefined) throw new TypeError(`the runtime has no builtin ${name}`);
    const result = run(...addresses.map((address) => valueOf(exports, address)));
    return result === undefined ? 0 : store(exports, result);
  };
}

function importsOf(memory: WebAssembly.Memory, linked: Linked): WebAssembly.Imports {
  const call = caller(memory, linked);
  const builtin = (id: number, _context: number, ...addresses: number[]): number => call(id, ...addresses);
  const builtins = Array.from({ length: 5 }, (_, count) => [`opa_builtin${String(count)}`, builtin]);
  return {
    env: {
      memory,
      opa_abort: (address: number): never => {
        throw new TypeError(decoder.decode(textAt(memory, address, TEXT, "the module's last message")));
      },
      // The output of a module would reach terminals and logs as it is.
      opa_println: () => undefined,
      ...(Object.fromEntries(builtins) as Record<string, typeof builtin>),
    },
  };
}

const numberOf = (global: WebAssembly.Global | undefined): number => Number(global?.value ?? 0);

export interface ModuleLimits {
  /** A module's own memory, which holds data, input and results; more ends an evaluation. */
  memoryMiB: number;
  /** Bytes of JSON that it may answer with: parsed, they take up to thirty times as much. */
  answerBytes: number;
}

/**
 * Runs a compiled module, which must have passed `checkModule`, in a memory of its own. What it prints is dropped; builtins and answers
 * have limits of size. Throws whatever the module throws.
 */
export function openRuntime(module: WebAssembly.Module, { memoryMiB, answerBytes }: ModuleLimits): Runtime {
  const memory = new WebAssembly.Memory({ initial: INITIAL, maximum: memoryMiB / PAGE_MIB });
  const linked: Linked = { exports: null, called: new Map() };
  const instance = new WebAssembly.Instance(module, importsOf(memory, linked));
  const exports = bounded(instance.exports as Exports, memory, answerBytes);
  linked.exports = exports;
  if (numberOf(exports.opa_wasm_abi_version) !== 1)
    throw new TypeError("the module is of another version than OPA's ABI 1");
  const names: unknown = JSON.parse(
    decoder.decode(textAt(memory, exports.opa_json_dump(exports.builtins()), VALUE, "the list of builtins")),
  );
  if (isObject(names)) for (const [name, id] of Object.entries(names)) linked.called.set(Number(id), name);
  // Since minor version 2, a module evaluates in one call.
  const minor = numberOf(exports.opa_wasm_abi_minor_version);
  if (minor < 2) throw new TypeError("the module is of an older version than OPA's ABI 1.2");
  const policy = new LoadedPolicy({ exports }, memory, minor);
  const state = policy as unknown as State;
  return {
    entrypoints: state.entrypoints,
    setData: (data) => {
      policy.setData(data);
    },
    evaluate: evaluateAsText({ memory, exports, state, answerBytes }),
  };
}
