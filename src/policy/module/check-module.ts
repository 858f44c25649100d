import { LandfallError } from "../../errors.ts";
import { areFunctions, isFunctionTable, sectionsOf } from "./module-sections.ts";

/** Sections by their ids: https://webassembly.github.io/spec/core/binary/modules.html */
const TYPES = 1;
const TABLES = 4;
const MEMORIES = 5;
/** Data count. Those after it belong to extensions, such as the tags of exceptions. */
const LAST = 12;

/** OPA's compiler writes one table of all functions that a rule can call: for the project's own rules 431. */
const TABLE = 10_000;
/** Of one type. OPA's compiler writes up to 11, and at most one result. */
const PARAMETERS = 16;

/** The imports that the runtime provides. Its memory has a maximum, which `openModule` sets. */
const MEMORY = "env.memory";
const FUNCTIONS = /^env\.opa_(?:abort|println|builtin[0-4])$/;

/** The import or instruction of a module that no module of OPA's compiler has; null for none. Nothing of the module runs. */
export function moduleProblem(wasm: Uint8Array, module: WebAssembly.Module): string | null {
  const imports = WebAssembly.Module.imports(module).map((one) => `${one.module}.${one.name}`);
  const foreign = imports.find((name) => name !== MEMORY && !FUNCTIONS.test(name));
  if (foreign !== undefined) return `policy.wasm imports ${foreign}, which OPA's compiler does not use`;
  const sections = sectionsOf(wasm);
  if (sections.has(MEMORIES) || !imports.includes(MEMORY))
    return "policy.wasm has a memory of its own instead of importing env.memory";
  return heapProblem(sections);
}

/** Tables of references, objects and exceptions live in the process's heap, which all modules share. */
function heapProblem(sections: ReadonlyMap<number, Uint8Array>): string | null {
  const [types, tables] = [sections.get(TYPES), sections.get(TABLES)];
  if (tables !== undefined && !isFunctionTable(tables, TABLE))
    return `policy.wasm has a table other than one of at most ${String(TABLE)} functions, as OPA's compiler writes it`;
  if (types !== undefined && !areFunctions(types, PARAMETERS))
    return `policy.wasm has types other than functions of at most ${String(PARAMETERS)} numbers with one result, which OPA's compiler does not use`;
  const foreign = [...sections.keys()].find((id) => id > LAST);
  return foreign === undefined
    ? null
    : `policy.wasm has a section ${String(foreign)}, which OPA's compiler does not use`;
}

/**
 * Checks, before anything of it runs, that a module uses no memory but the runtime's, which is limited: a function that runs
 * when the module is opened could take all of the process's, also by tables. Throws BUNDLE_UNREADABLE.
 */
export function checkModule(wasm: Uint8Array, module: WebAssembly.Module, ref: string): void {
  const detail = moduleProblem(wasm, module);
  if (detail !== null) throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail });
}
