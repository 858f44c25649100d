import { readFile } from "node:fs/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { boundedBuiltins } from "../../../../../src/policy/module/bounded-builtins.ts";
import { loadBundles } from "../../../../../src/policy/load-bundles.ts";
import { writeTar } from "../../../../../src/model/bundle-format/tar.ts";
import { policyFile } from "../../../../support/load-policy.ts";

const text = (value: string): number[] => [value.length, ...Buffer.from(value)];
const section = (id: number, content: readonly number[]): number[] => [id, content.length, ...content];

/** Prints a text that clears the terminal, as soon as it is opened. */
const PRINTS = Buffer.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  // Types: (i32) -> () and () -> ().
  ...section(1, [2, 0x60, 1, 0x7f, 0, 0x60, 0, 0]),
  ...section(2, [2, ...text("env"), ...text("memory"), 2, 0, 1, ...text("env"), ...text("opa_println"), 0, 0]),
  ...section(3, [1, 1]),
  ...section(8, [1]),
  // opa_println(8)
  ...section(10, [1, 6, 0, 0x41, 8, 0x10, 0, 0x0b]),
  ...section(11, [1, 0, 0x41, 8, 0x0b, ...text("\u001b[2Jowned\0")]),
]);

function teamOf(files: Record<string, Buffer | string>): Buffer {
  const metadata = { landfall: { kind: "policy", name: "security" } };
  const manifest = { revision: "r1", roots: ["landfall/custom/security"], rego_version: 1, metadata };
  const all = { ".manifest": JSON.stringify(manifest), ...files };
  return writeTar(new Map(Object.entries(all).map(([name, body]) => [`/${name}`, Buffer.from(body)])));
}

async function load(bytes: Buffer): Promise<unknown> {
  const platform = await readFile(await policyFile());
  const other = { bytes, ref: "security", expected: { name: "security", kind: "policy" } } as const;
  return loadBundles({ bytes: platform, ref: "platform" }, [other]);
}

const sprintf = (format: string, values: unknown[]): unknown => boundedBuiltins().get("sprintf")?.(format, values);

afterEach(() => {
  vi.restoreAllMocks();
});

describe("17: what a module prints", () => {
  it("reaches no output of the process that loads it", async () => {
    const written: unknown[] = [];
    vi.spyOn(console, "log").mockImplementation((...all) => void written.push(...all));
    await expect(load(teamOf({ "policy.wasm": PRINTS, "data.json": "{}" }))).rejects.toThrow("security");
    expect(written).toEqual([]);
  });
});

describe("17: a builtin", () => {
  it.each([
    ["a width of 400 million", "%0400000000d", [1]],
    ["a width after a key and a percent sign", "%%(%0400000000d", [1]],
    ["a width with a padding character", "%'x99999s", ["a"]],
    ["a precision", "%.99999f", [1]],
    ["a width of indented JSON", "%9j", [[]]],
    ["many placeholders of a long text", "%1$s".repeat(4000), ["x".repeat(1000)]],
    ["a long format", "x".repeat(20_000), []],
  ])("refuses %s in sprintf", (_, format, values) => {
    expect(() => sprintf(format, values)).toThrow(RangeError);
  });

  it.each([
    ["%s has %d of %05.1f%%", ["a", 3, 2.25], "a has 3 of 002.3%"],
    ["arn:aws:iam::123456789012:%v", ["x"], "arn:aws:iam::123456789012:x"],
    ["%%0400000000d", [], "%0400000000d"],
  ])("writes %j as before", (format, values, expected) => {
    expect(sprintf(format, values)).toBe(expected);
  });

  it("keeps a limited amount of formats", () => {
    const own = boundedBuiltins().get("sprintf");
    const call = (count: number): unknown => own?.(`${String(count)}${"x".repeat(8000)}`, []);
    expect(() => Array.from({ length: 200 }, (_, count) => call(count))).toThrow("too many formats");
    expect(call(0)).toMatch(/^0x/);
  });

  it("is none of the names that every object has", () => {
    expect(boundedBuiltins().get("constructor")).toBeUndefined();
  });
});

describe("17: the data of a team", () => {
  it("has a limited size, so that parsing it takes no memory and time", async () => {
    const data = `{"landfall":{"custom":{"security":{"a":[${"{},".repeat(2_000_000)}{}]}}}}`;
    const loaded = load(teamOf({ "policy.wasm": PRINTS, "data.json": data }));
    await expect(loaded).rejects.toMatchObject({ code: "BUNDLE_LIMIT", params: { ref: "security" } });
  });
});
