import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSettings } from "../../../../../src/bundle/read-settings.ts";
import { loadBundles, type OtherTarball } from "../../../../../src/policy/load-bundles.ts";
import { policyFile } from "../../../../support/load-policy.ts";
import { dataImage } from "../../../../support/bundles/other-bundles.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-packages-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Rules of a team in these packages; what they say does not matter here. */
function team(name: string, packages: readonly string[], owned?: readonly string[]): OtherTarball {
  const roots = packages.map((one) => `landfall/custom/${one}`);
  const bytes = dataImage({ name, kind: "policy", date: undefined }, roots, {}, { "policy.wasm": "x" });
  const expected = { name, kind: "policy", ...(owned === undefined ? {} : { packages: owned }) } as const;
  return { bytes, ref: `${name}.tar.gz`, expected };
}

const load = async (...others: OtherTarball[]): Promise<unknown> =>
  loadBundles({ bytes: await readFile(await policyFile()), ref: "platform" }, others);

/** Reads settings with these bundles. */
async function settings(bundles: readonly object[]) {
  const file = join(folder, "settings.yaml");
  await writeFile(file, JSON.stringify({ signatures: "off", bundles }));
  return readSettings(file);
}

const entry = (name: string, more: object = {}): object => ({ name, kind: "policy", ref: `${name}.tar.gz`, ...more });

describe("17: the packages of a team", () => {
  it("are refused if they are another team's, whichever bundle loads first", async () => {
    const refused = { code: "BUNDLE_PACKAGE", params: { ref: "alpha.tar.gz", package: "landfall.custom.residency" } };
    const alpha = team("alpha", ["alpha", "residency"]);
    await expect(load(alpha)).rejects.toMatchObject(refused);
    await expect(load(alpha, team("residency", ["residency"]))).rejects.toMatchObject(refused);
    await expect(load(team("residency", ["residency"]), alpha)).rejects.toMatchObject(refused);
  });

  it("are those of its name, or those that the settings give it", async () => {
    // All that is wrong with them is the module.
    const accepted = { code: "BUNDLE_UNREADABLE" };
    await expect(load(team("net-sec", ["net_sec"]))).rejects.toMatchObject(accepted);
    await expect(load(team("alpha", ["beta", "gamma"], ["beta", "gamma"]))).rejects.toMatchObject(accepted);
    await expect(load(team("alpha", ["alpha"], ["beta"]))).rejects.toMatchObject({ code: "BUNDLE_PACKAGE" });
  });

  it("have one owner in the settings", async () => {
    const { others } = await settings([entry("alpha", { packages: ["a", "b"] }), entry("net-sec")]);
    expect(others.map(({ packages }) => packages)).toEqual([["a", "b"], ["net_sec"]]);
    const twice = settings([entry("alpha", { packages: ["residency"] }), entry("residency")]);
    await expect(twice).rejects.toMatchObject({ code: "BUNDLE_SETTINGS" });
    await expect(twice).rejects.toThrow("the package residency to both alpha and residency");
    await expect(settings([{ ...entry("a", { packages: ["x"] }), kind: "data" }])).rejects.toThrow("which is data");
  });

  it("are no root of a data image", async () => {
    const bytes = dataImage({ name: "image" }, ["landfall/custom/residency"], {});
    const image: OtherTarball = { bytes, ref: "image.tar.gz", expected: { name: "image", kind: "data" } };
    await expect(load(image)).rejects.toMatchObject({ code: "BUNDLE_UNREADABLE", params: { ref: "image.tar.gz" } });
  });
});
