import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { loadBundles } from "../../../../../src/policy/load-bundles.ts";
import { writeTar } from "../../../../../src/model/bundle-format/tar.ts";
import { policyFile } from "../../../../support/load-policy.ts";

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
/** Of type () -> (). */
const TYPES = [1, 4, 1, 0x60, 0, 0];
/** The function runs when the module is opened, and takes 1 GiB. */
const START = [3, 2, 1, 0];
const RUN = [8, 1, 0, 10, 11, 1, 9, 0, 0x41, 0x80, 0x80, 0x01, 0x40, 0, 0x1a, 0x0b];
const IMPORTED = "env.memory".split(".").flatMap((name) => [name.length, ...Buffer.from(name)]);

/** (module (memory 1) (start …)) */
const OWN_MEMORY = [...HEADER, ...TYPES, ...START, 5, 3, 1, 0, 1, ...RUN];
/** The same beside the runtime's memory. */
const TWO_MEMORIES = [
  ...[...HEADER, ...TYPES, 2, IMPORTED.length + 4, 1, ...IMPORTED, 2, 0, 1],
  ...[...START, 5, 3, 1, 0, 1, ...RUN],
];
/** Imports another function than OPA's. */
const FOREIGN_IMPORT = [...HEADER, ...TYPES, 2, 9, 1, 3, ...Buffer.from("env"), 1, ...Buffer.from("x"), 0, 0];

/** A team's bundle with this module. */
function withModule(wasm: readonly number[]): Buffer {
  const metadata = { landfall: { kind: "policy", name: "security" } };
  const manifest = { revision: "r1", roots: ["landfall/custom/security"], rego_version: 1, metadata };
  const files = { "/.manifest": JSON.stringify(manifest), "/data.json": "{}", "/policy.wasm": Buffer.from(wasm) };
  return writeTar(new Map(Object.entries(files).map(([name, body]) => [name, Buffer.from(body)])));
}

describe("17: a team's module is not run if", () => {
  it.each([
    ["has a memory of its own", OWN_MEMORY, "has a memory of its own"],
    ["has a second memory", TWO_MEMORIES, "has a memory of its own"],
    ["imports what OPA's compiler does not", FOREIGN_IMPORT, "imports env.x"],
  ])("it %s", async (_, wasm, detail) => {
    const [platform, bytes] = [await readFile(await policyFile()), withModule(wasm)];
    const other = { bytes, ref: "security", expected: { name: "security", kind: "policy" } } as const;
    const loaded = loadBundles({ bytes: platform, ref: "platform" }, [other]);
    await expect(loaded).rejects.toMatchObject({ code: "BUNDLE_UNREADABLE", params: { ref: "security" } });
    await expect(loaded).rejects.toThrow(detail);
  });
});
