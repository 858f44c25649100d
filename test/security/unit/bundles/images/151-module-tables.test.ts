import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { loadBundles } from "../../../../../src/policy/load-bundles.ts";
import { readTar, writeTar } from "../../../../../src/model/bundle-format/tar.ts";
import { moduleProblem } from "../../../../../src/policy/module/check-module.ts";
import { policyFile } from "../../../../support/load-policy.ts";

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const IMPORTED = "env.memory".split(".").flatMap((name) => [name.length, ...Buffer.from(name)]);
const MEMORY = [2, IMPORTED.length + 4, 1, ...IMPORTED, 2, 0, 1];
/** A section of a module with these bytes. */
const section = (id: number, ...body: number[]): number[] => [id, body.length, ...body];
const FUNCTION = section(1, 1, 0x60, 0, 0);
const FUNCREF = 0x70;
const EXTERNREF = 0x6f;

const withTables = (...tables: number[][]): Buffer =>
  Buffer.from([...HEADER, ...FUNCTION, ...MEMORY, ...section(4, tables.length, ...tables.flat())]);
const withType = (...type: number[]): Buffer => Buffer.from([...HEADER, ...section(1, 1, ...type), ...MEMORY]);

/** A team's bundle with this module. */
function bundleOf(wasm: Buffer): Buffer {
  const metadata = { landfall: { kind: "policy", name: "security" } };
  const manifest = { revision: "r1", roots: ["landfall/custom/security"], rego_version: 1, metadata };
  const files = { "/.manifest": JSON.stringify(manifest), "/data.json": "{}", "/policy.wasm": wasm };
  return writeTar(new Map(Object.entries(files).map(([name, body]) => [name, Buffer.from(body)])));
}

describe("151: a module takes no memory outside of its own: one is not run if it has", () => {
  it.each([
    ["a table of references to objects", withTables([EXTERNREF, 1, 0, 10]), "a table other than"],
    ["a table without a maximum", withTables([FUNCREF, 0, 1]), "a table other than"],
    ["a large table", withTables([FUNCREF, 1, 0, 0x80, 0xad, 0xe2, 0x04]), "a table other than"],
    ["two tables", withTables([FUNCREF, 1, 0, 1], [FUNCREF, 1, 0, 1]), "a table other than"],
    ["a table of another length of addresses", withTables([FUNCREF, 5, 0, 1]), "a table other than"],
    ["structures", withType(0x5f, 1, 0x7f, 1), "types other than"],
    ["arrays", withType(0x5e, 0x7f, 1), "types other than"],
    ["groups of types", withType(0x4e, 1, 0x60, 0, 0), "types other than"],
    ["functions of objects", withType(0x60, 1, EXTERNREF, 0), "types other than"],
    ["functions that return objects", withType(0x60, 0, 1, FUNCREF), "types other than"],
    ["exceptions", Buffer.from([...HEADER, ...FUNCTION, ...MEMORY, ...section(13, 1, 0, 0)]), "a section 13"],
  ])("%s", async (_, wasm, detail) => {
    const platform = await readFile(await policyFile());
    const other = { bytes: bundleOf(wasm), ref: "team", expected: { name: "security", kind: "policy" } } as const;
    const loaded = loadBundles({ bytes: platform, ref: "platform" }, [other]);
    await expect(loaded).rejects.toMatchObject({ code: "BUNDLE_UNREADABLE", params: { ref: "team" } });
    await expect(loaded).rejects.toThrow(detail);
  });

  it("more code than any rules have", async () => {
    const platform = await readFile(await policyFile());
    const bytes = bundleOf(Buffer.alloc(9 * 1024 * 1024));
    const other = { bytes, ref: "team", expected: { name: "security", kind: "policy" } } as const;
    await expect(loadBundles({ bytes: platform, ref: "platform" }, [other])).rejects.toMatchObject({
      code: "BUNDLE_LIMIT",
    });
  });

  it("but a table of all functions and functions of numbers may be there", async () => {
    const own = readTar(await readFile(await policyFile())).get("policy.wasm") ?? Buffer.alloc(0);
    expect(moduleProblem(own, await WebAssembly.compile(new Uint8Array(own)))).toBeNull();
    const table = withTables([FUNCREF, 1, 1, 0x90, 0x4e]);
    expect(moduleProblem(table, await WebAssembly.compile(new Uint8Array(table)))).toBeNull();
  });
});
