import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BundleSettings, readSettings } from "../../../src/bundle/read-settings.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-settings-"));
  for (const name of ["platform", "security"]) {
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    await writeFile(join(folder, `${name}.pub`), publicKey.export({ type: "spki", format: "pem" }));
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(text: string): Promise<BundleSettings> {
  const file = join(folder, "settings.yaml");
  await writeFile(file, text);
  return readSettings(file);
}

const carbon = "{name: carbon, kind: data, ref: 'r/carbon:1'}";

describe("bundles of the settings", () => {
  it("are empty by default", async () => {
    expect((await read("keys: [platform.pub]")).others).toEqual([]);
  });

  it("inherit omitted values from the platform's", async () => {
    const { trust, rollout, others } = await read(`{keys: [platform.pub], poll: {seconds: 7}, bundles: [${carbon}]}`);
    expect(others).toEqual([
      {
        name: "carbon",
        kind: "data",
        ref: "r/carbon:1",
        required: true,
        poll: rollout.poll,
        stale: rollout.stale,
        packages: [],
        trust,
      },
    ]);
  });

  it("trust only their own signers if they name any", async () => {
    const own =
      "{name: security, kind: policy, ref: 'r/security:1', required: false, keys: [security.pub], stale: {hours: 2}}";
    const { trust, others } = await read(
      `{keys: [platform.pub], identities: [{issuer: i, subject: s}], bundles: [${own}]}`,
    );
    expect(others[0]).toMatchObject({
      required: false,
      stale: { hours: 2, action: "warn" },
      trust: { mode: "required" },
    });
    expect(others[0]?.trust.identities).toEqual([]);
    expect(others[0]?.trust.keys).toHaveLength(1);
    expect(others[0]?.trust.keys[0]?.equals(trust.keys[0] ?? expect.fail("no key"))).toBe(false);
  });

  it.each([
    ["two of one name", `[${carbon}, ${carbon}]`, "names carbon twice"],
    ["the platform's name", "[{name: landfall, kind: data, ref: r}]", "bundles[0].name"],
    ["no kind", "[{name: a, ref: r}]", "kind"],
    ["an unknown kind", "[{name: a, kind: rules, ref: r}]", "bundles[0].kind"],
    ["a setting that is none", "[{name: a, kind: data, ref: r, canary: {}}]", "canary"],
    ["signers that are nobody", "[{name: a, kind: data, ref: r, keys: []}]", "no trusted key or identity"],
    [
      "too many",
      `[${Array.from({ length: 9 }, (_, i) => `{name: a${String(i)}, kind: data, ref: r}`).join(", ")}]`,
      "8",
    ],
  ])("are refused with %s", async (_, bundles, detail) => {
    const failure = read(`{keys: [platform.pub], bundles: ${bundles}}`);
    await expect(failure).rejects.toMatchObject({ code: "BUNDLE_SETTINGS" });
    await expect(failure).rejects.toThrow(detail);
  });
});
