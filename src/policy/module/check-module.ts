import { LandfallError } from "../../errors.ts";

/** Bytes before the first section: magic number and version. */
const HEADER = 8;
const MEMORY_SECTION = 5;

/** What the runtime provides. Its memory has a maximum, which `openModule` sets. */
const MEMORY = "env.memory";
const FUNCTIONS = /^env\.opa_(?:abort|println|builtin[0-4])$/;

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

/** The ids of the sections of a valid module. */
function sectionsOf(wasm: Uint8Array): Set<number> {
  const ids = new Set<number>();
  for (let at = HEADER; at < wasm.length;) {
    ids.add(wasm[at] ?? 0);
    const { value, end } = numberAt(wasm, at + 1);
    at = end + value;
  }
  return ids;
}

/** What a module uses that no module of OPA's compiler does; null if there is nothing. Nothing of the module runs. */
export function moduleProblem(wasm: Uint8Array, module: WebAssembly.Module): string | null {
  const imports = WebAssembly.Module.imports(module).map((one) => `${one.module}.${one.name}`);
  const foreign = imports.find((name) => name !== MEMORY && !FUNCTIONS.test(name));
  if (foreign !== undefined) return `policy.wasm imports ${foreign}, which OPA's compiler does not use`;
  const own = sectionsOf(wasm).has(MEMORY_SECTION) || !imports.includes(MEMORY);
  return own ? "policy.wasm has a memory of its own instead of importing env.memory" : null;
}

/**
 * Checks, before anything of it runs, that a module uses no memory but the runtime's, which is limited: a function that runs
 * when the module is opened could take all of the process's. Throws BUNDLE_UNREADABLE.
 */
export function checkModule(wasm: Uint8Array, module: WebAssembly.Module, ref: string): void {
  const detail = moduleProblem(wasm, module);
  if (detail !== null) throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail });
}
