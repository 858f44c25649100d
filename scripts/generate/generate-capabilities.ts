import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format } from "oxfmt";
import { runProgram } from "../../src/bundle/run-program.ts";
import { LandfallError } from "../../src/errors.ts";
import { readTar } from "../../src/model/bundle-format/tar.ts";
import { toolPath } from "../../src/toolchain/tool-path.ts";
import type { GenerateOptions } from "../generate.ts";

const TARGET = "policies/capabilities.json";

/** What opa-wasm 1.10 can load. */
const WASM_ABI = [
  { version: 1, minor_version: 1 },
  { version: 1, minor_version: 2 },
  { version: 1, minor_version: 3 },
];

interface Builtin {
  name: string;
  /** Builtins without a result (print) are statements. */
  decl: { args?: unknown[]; result?: unknown };
  /** Set for operators, which are written otherwise than called. */
  infix?: string;
  deprecated?: boolean;
}

interface Capabilities {
  builtins: Builtin[];
  [rest: string]: unknown;
}

/** The parts of WebAssembly that are used here; TypeScript knows them only together with a browser. */
interface Wasm {
  Memory: new (size: { initial: number }) => { buffer: ArrayBuffer };
  instantiate: (bytes: Uint8Array, imports: unknown) => Promise<{ instance: { exports: unknown } }>;
}

const { WebAssembly: wasmRuntime } = globalThis as unknown as { WebAssembly: Wasm };

const call = ({ name, decl }: Builtin): string =>
  `${name}(${(decl.args ?? []).map((_, index) => `input.a${index}`).join(", ")})`;

/** Names of the builtins that the compiled module asks its host for: all others are inside the module. */
async function hostBuiltins(opa: string, builtins: Builtin[]): Promise<Set<string>> {
  const folder = await mkdtemp(join(tmpdir(), "landfall-capabilities-"));
  try {
    const rules = builtins.map((builtin, index) => `r${index} := ${call(builtin)}`);
    await writeFile(join(folder, "all.rego"), ["package all", ...rules].join("\n"));
    const out = join(folder, "bundle.tar.gz");
    const built = await runProgram(opa, ["build", "-t", "wasm", "-e", "all", "-o", out, join(folder, "all.rego")]);
    if (built.code !== 0)
      throw new LandfallError("BUNDLE_BUILD", { detail: built.stderr + built.stdout.toString("utf8") });
    const wasm = readTar(await readFile(out)).get("policy.wasm");
    if (!wasm) throw new LandfallError("BUNDLE_BUILD", { detail: "opa wrote no policy.wasm" });
    const memory = new wasmRuntime.Memory({ initial: 5 });
    const none = (): number => 0;
    const env = {
      memory,
      opa_abort: none,
      opa_println: none,
      opa_builtin0: none,
      opa_builtin1: none,
      opa_builtin2: none,
      opa_builtin3: none,
      opa_builtin4: none,
    };
    const { instance } = await wasmRuntime.instantiate(wasm, { env });
    const { builtins: list, opa_json_dump: dump } = instance.exports as Record<string, (address?: number) => number>;
    if (!list || !dump) throw new LandfallError("BUNDLE_BUILD", { detail: "the module exports no builtins()" });
    const start = dump(list());
    const bytes = new Uint8Array(memory.buffer);
    const text = new TextDecoder().decode(bytes.subarray(start, bytes.indexOf(0, start)));
    return new Set(Object.keys(JSON.parse(text) as Record<string, number>));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What the runtime brings: the names that npm's opa-wasm implements in JavaScript. */
function runtimeBuiltins(): Set<string> {
  const require = createRequire(import.meta.url);
  const entry = require.resolve("@open-policy-agent/opa-wasm");
  return new Set(Object.keys(require(join(entry, "../builtins/index.js")) as Record<string, unknown>));
}

/**
 * policies/capabilities.json: OPA's own capabilities less every builtin that would fail when it is called in the WASM
 * runtime. So a policy that needs one fails when it is built, not in a request.
 */
export async function generateCapabilities({ check }: GenerateOptions): Promise<string[]> {
  const opa = await toolPath("opa");
  const current = JSON.parse(
    (await runProgram(opa, ["capabilities", "--current"])).stdout.toString("utf8"),
  ) as Capabilities;
  const builtins = current.builtins.filter(({ deprecated }) => deprecated !== true);
  const callable = builtins.filter(({ infix, decl }) => infix === undefined && decl.result !== undefined);
  const asked = await hostBuiltins(opa, callable);
  const brought = runtimeBuiltins();
  const missing = new Set([...asked].filter((name) => !brought.has(name)));
  const kept = { ...current, wasm_abi_versions: WASM_ABI, builtins: builtins.filter(({ name }) => !missing.has(name)) };
  const { code: text } = await format(TARGET, JSON.stringify(kept), { printWidth: 120 });
  const before = await readFile(TARGET, "utf8").catch(() => "");
  if (text === before) return [];
  if (!check) await writeFile(TARGET, text);
  return [TARGET];
}
