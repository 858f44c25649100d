import { createRequire } from "node:module";
import type * as Opa from "@open-policy-agent/opa-wasm";
import { isObject } from "../../model/json.ts";
import { boundedBuiltins, type Builtin } from "./bounded-builtins.ts";

// The package's ES module lacks the class. Its asynchronous function asks whether the module is a Response, for which Node
// loads its whole fetch: 0.1 s in every process and thread.
const { LoadedPolicy } = createRequire(import.meta.url)("@open-policy-agent/opa-wasm") as typeof Opa;

export type Runtime = InstanceType<typeof LoadedPolicy>;

/** Functions that OPA's compiler exports; all but these are only called by the runtime. */
interface Exports {
  [name: string]: unknown;
  opa_wasm_abi_version?: WebAssembly.Global;
  opa_wasm_abi_minor_version?: WebAssembly.Global;
  opa_malloc(bytes: number): number;
  opa_json_parse(address: number, bytes: number): number;
  opa_json_dump(address: number): number;
  builtins(): number;
}

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

/** The module's exports, with answers of so many bytes at most. */
function bounded(exports: Exports, memory: WebAssembly.Memory, answerBytes: number): Exports {
  const checked = (name: "opa_eval" | "opa_json_dump") => {
    const own = exports[name] as ((...args: number[]) => number) | undefined;
    return (...args: number[]): number => {
      const address = own?.(...args) ?? 0;
      textAt(memory, address, answerBytes, "the module's answer");
      return address;
    };
  };
  return { ...exports, opa_eval: checked("opa_eval"), opa_json_dump: checked("opa_json_dump") };
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
  return new LoadedPolicy({ exports }, memory, numberOf(exports.opa_wasm_abi_minor_version));
}
