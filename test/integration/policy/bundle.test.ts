import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildBundle } from "../../../src/bundle/build-bundle.ts";
import type { ErrorCode } from "../../../src/errors.ts";
import { readTar, writeTar } from "../../../src/model/bundle-format/tar.ts";
import { loadBundle } from "../../../src/policy/load-bundle.ts";
import { PROBE } from "../../../src/policy/module/probe.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { builtBundle, CATALOG, SOURCE } from "../../support/bundles/built-bundle.ts";

let built: Awaited<ReturnType<typeof builtBundle>>;
let opa: string;

beforeAll(async () => {
  opa = await toolPath("opa");
  built = await builtBundle();
});

afterAll(() => built.remove());

/** The bundle with some of its files changed; null takes a file away. */
function changed(changes: Record<string, string | Buffer | null>): Buffer {
  const files = readTar(built.bytes);
  for (const [name, body] of Object.entries(changes)) {
    if (body === null) files.delete(name);
    else files.set(name, Buffer.from(body));
  }
  return writeTar(files);
}

const withData = (change: (catalog: Record<string, unknown>) => void): Buffer => {
  const data = JSON.parse(readTar(built.bytes).get("data.json")?.toString("utf8") ?? "{}") as {
    landfall: { catalog: Record<string, unknown> };
  };
  change(data.landfall.catalog);
  return changed({ "data.json": JSON.stringify(data) });
};

/** A small policy compiled in the same way, to see what the loader makes of other people's bundles. */
async function compiled(name: string, files: Record<string, string>): Promise<Buffer> {
  const source = join(built.folder, name);
  await rm(source, { recursive: true, force: true });
  await mkdir(join(source, "landfall/settings"), { recursive: true });
  await writeFile(join(source, ".manifest"), '{"roots": ["landfall"]}');
  await cp(`${SOURCE}/landfall/settings`, join(source, "landfall/settings"), { recursive: true });
  for (const [path, text] of Object.entries(files)) await writeFile(join(source, path), text);
  const output = join(built.folder, `${name}.tar.gz`);
  const capabilities = "policies/capabilities.json";
  await buildBundle({ opa, source, catalog: CATALOG, output, revision: name, capabilities });
  return readFile(output);
}

describe("building", () => {
  it("gives equal bytes for equal sources", async () => {
    const again = await builtBundle();
    expect(again.digest).toBe(built.digest);
    expect(again.bytes.equals(built.bytes)).toBe(true);
    await again.remove();
  });

  it("omits the tests and does not change the policies", async () => {
    const files = readTar(built.bytes);
    expect([...files.keys()].filter((name) => name.includes("_test"))).toEqual([]);
    expect(files.get("landfall/main.rego")).toEqual(await readFile(join(SOURCE, "landfall/main.rego")));
  });

  it.each<[string, Record<string, string>, string]>([
    ["a syntax error", { "landfall/main.rego": "package landfall.main\nresult := {" }, "main.rego:2"],
    [
      "a builtin that the runtime lacks",
      { "landfall/main.rego": "package landfall.main\nresult := time.now_ns()" },
      "time.now_ns",
    ],
    ["no entrypoint", { "landfall/main.rego": "package landfall.main\nanswer := 1" }, "landfall/main/result"],
  ])("refuses %s and says what opa says", async (name, files, detail) => {
    const failure = compiled(name.replaceAll(" ", "-"), files);
    await expect(failure).rejects.toMatchObject({ code: "BUNDLE_BUILD" satisfies ErrorCode });
    await expect(failure).rejects.toThrow(detail);
  });

  it("rejects a catalog that its schema rejects", async () => {
    const catalog = join(built.folder, "catalog");
    await cp(CATALOG, catalog, { recursive: true });
    await writeFile(join(catalog, "power.json"), "{}");
    const output = join(built.folder, "never.tar.gz");
    await expect(buildBundle({ opa, source: SOURCE, catalog, output, revision: "x" })).rejects.toMatchObject({
      code: "BUNDLE_DATA",
    });
    await writeFile(join(catalog, "power.json"), "{");
    await expect(buildBundle({ opa, source: SOURCE, catalog, output, revision: "x" })).rejects.toMatchObject({
      code: "BUNDLE_DATA",
    });
  });
});

describe("loading", () => {
  it("returns the digest, the revision and the placement's catalog", async () => {
    const bundle = await loadBundle(built.bytes, "here");
    expect(bundle).toMatchObject({ ref: "here", digest: built.digest, revision: "test" });
    expect(bundle.catalog.places["azure/italynorth"]).toEqual({ electricityZone: "IT-NO" });
    expect(bundle.catalog.carbon["IT-NO"]).toMatchObject({ detail: "month × hour of week" });
    expect(bundle.catalog.carbon["IT-NO"]?.tenths.length).toBe(12 * 168);
    expect(bundle.catalog.power.pue["azure"]).toBe(1.185);
    expect(bundle.catalog.dates["power model"]).toBe("2023");
  });

  it.each<[string, () => Buffer | Promise<Buffer>, ErrorCode, string]>([
    ["a truncated tarball", () => built.bytes.subarray(0, 10_000), "BUNDLE_UNREADABLE", "unexpected end"],
    ["no tarball at all", () => Buffer.from("hello"), "BUNDLE_UNREADABLE", "it is a text, and not a gzip archive"],
    ["an empty file", () => Buffer.alloc(0), "BUNDLE_UNREADABLE", "it is empty"],
    ["no manifest", () => changed({ ".manifest": null }), "BUNDLE_UNREADABLE", "it holds no .manifest"],
    ["no module", () => changed({ "policy.wasm": null }), "BUNDLE_UNREADABLE", "it holds no policy.wasm"],
    ["a module that is none", () => changed({ "policy.wasm": "wasm" }), "BUNDLE_UNREADABLE", "WebAssembly"],
    ["no data", () => changed({ "data.json": null }), "BUNDLE_UNREADABLE", "it holds no data.json"],
    ["data that is no JSON", () => changed({ "data.json": "{" }), "BUNDLE_UNREADABLE", "data.json"],
    ["data that is a list", () => changed({ "data.json": "[]" }), "BUNDLE_UNREADABLE", "data.json is not an object"],
    ["data without a catalog", () => changed({ "data.json": "{}" }), "BUNDLE_DATA", "catalog.power"],
    [
      "a power model without figures",
      () => withData((catalog) => (catalog["power"] = {})),
      "BUNDLE_DATA",
      "catalog.power",
    ],
    [
      "hours that are packed wrongly",
      () => withData((catalog) => (catalog["carbon"] = { IT: { yearly: 1, hourOfWeek: "AAAA", source: "" } })),
      "BUNDLE_DATA",
      "catalog.carbon",
    ],
    [
      "a profile of wrong length",
      () => withData((catalog) => (catalog["carbon"] = { IT: { yearly: 1, hourOfWeek: [1] } })),
      "BUNDLE_DATA",
      "catalog.carbon",
    ],
    ["places that are no list", () => withData((catalog) => (catalog["places"] = {})), "BUNDLE_DATA", "catalog.places"],
    [
      "settings that are gone",
      () => changed({ "data.json": readData((root) => delete root["settings"]) }),
      "BUNDLE_PROBE",
      "undefined",
    ],
    [
      "settings of a wrong type",
      () =>
        changed({
          "data.json": readData(
            (root) => (root["settings"] = { ...(root["settings"] as object), horizonHours: "many" }),
          ),
        }),
      "POL_SETTINGS",
      'horizonHours: "many" is not a whole number',
    ],
  ])("refuses %s", async (_, bytes, code, detail) => {
    const failure = Promise.resolve(bytes()).then((given) => loadBundle(given, "bad"));
    await expect(failure).rejects.toMatchObject({ code });
    await expect(failure).rejects.toThrow(detail);
  });

  it("refuses an answer of another shape in the probe", async () => {
    const bytes = await compiled("other-shape", {
      "landfall/main.rego": 'package landfall.main\nresult := {"allow": data.landfall.catalog.schema == 1}',
    });
    await expect(loadBundle(bytes, "bad")).rejects.toMatchObject({ code: "BUNDLE_PROBE" });
  });

  it("refuses a module with another entrypoint", async () => {
    const other = await compiled("other-entrypoint", {
      "landfall/main.rego": 'package landfall.main\nresult := {"a": input.x}',
    });
    const wasm = readTar(other).get("policy.wasm") ?? Buffer.alloc(0);
    const renamed = Buffer.from(
      wasm.toString("latin1").replace("landfall/main/result", "landfall/main/answer"),
      "latin1",
    );
    await expect(loadBundle(changed({ "policy.wasm": renamed }), "bad")).rejects.toMatchObject({
      code: "BUNDLE_NO_ENTRYPOINT",
    });
  });
});

function readData(change: (root: Record<string, unknown>) => unknown): string {
  const data = JSON.parse(readTar(built.bytes).get("data.json")?.toString("utf8") ?? "{}") as {
    landfall: Record<string, unknown>;
  };
  change(data.landfall);
  return JSON.stringify(data);
}

describe("evaluating", () => {
  it("converts runtime errors to errors with a code", async () => {
    const bundle = await loadBundle(built.bytes, "here");
    const circular = { ...PROBE, spec: {} as Record<string, unknown> };
    circular.spec["self"] = circular.spec;
    expect(() => bundle.evaluate(circular)).toThrow(expect.objectContaining({ code: "POL_EVALUATION" }) as Error);
  });

  it("denies an input without a request, and continues to answer", async () => {
    const bundle = await loadBundle(built.bytes, "here");
    const nothing = { ...PROBE, request: undefined as unknown as (typeof PROBE)["request"] };
    expect(bundle.evaluate(nothing)).toMatchObject({ candidates: [], denials: [{ code: "PLACEMENT_NONE" }] });
    expect(bundle.evaluate(PROBE).denials).toEqual([]);
  });

  it("does not change its input", async () => {
    const bundle = await loadBundle(built.bytes, "here");
    const before = JSON.stringify(PROBE);
    bundle.evaluate(PROBE);
    expect(JSON.stringify(PROBE)).toBe(before);
  });
});
