import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { IMAGE_TABLES } from "../../../../../src/model/bundle-format/other-bundle.ts";
import { combineData } from "../../../../../src/policy/combine-data.ts";
import { readBundle } from "../../../../../src/policy/read-bundle.ts";
import { readOther } from "../../../../../src/policy/read-other.ts";
import { valueAt, withValue } from "../../../../../src/policy/roots.ts";
import { policyFile } from "../../../../support/load-policy.ts";
import { dataImage } from "../../../../support/bundles/other-bundles.ts";

const SETTINGS = "landfall/settings/dataImages";
const shipped = async (): Promise<Record<string, unknown>> =>
  readBundle(await readFile(await policyFile()), "platform").data;
const stale = { hours: null, action: "warn" };
/** Settings as of 0.2.0, which open the whole catalog, and a bundle from before there were any. */
const open = async (): Promise<Record<string, unknown>> =>
  withValue(await shipped(), SETTINGS, { replaceable: ["landfall"], stale, byName: {} });
const unset = async (): Promise<Record<string, unknown>> => withValue(await shipped(), SETTINGS, undefined);

function combined(data: Record<string, unknown>, root: string, card: { name: string; dates?: object }): unknown {
  const bytes = dataImage(card, [root], withValue({}, root, ["replaced"]));
  const owner = { ref: "platform", data, roots: ["landfall"], packages: [] };
  return valueAt(combineData(owner, [readOther(bytes, "image")]), root);
}

const tables = Object.entries(IMAGE_TABLES).flatMap(([owner, names]) =>
  names.map((table): [string, string] => [`landfall/catalog/${table}`, owner]),
);

describe.each([
  ["the shipped settings", shipped],
  ["settings that open all", open],
  ["a bundle without settings for images", unset],
])("83: under %s, a data image", (_, platform) => {
  it.each(tables)("replaces %s only if it is called %s", async (root, owner) => {
    const data = await platform();
    expect(combined(data, root, { name: owner })).toEqual(["replaced"]);
    const names = [...Object.keys(IMAGE_TABLES), "acme-blocked", "constructor"].filter((name) => name !== owner);
    for (const name of names) expect(() => combined(data, root, { name }), name).toThrow(`claims ${root}`);
  });

  it.each(["landfall/texts", "landfall/features", "landfall/smoke", "landfall/catalog/power"])(
    "replaces no %s",
    async (root) => {
      const data = await platform();
      for (const name of ["prices", "acme-blocked"])
        expect(() => combined(data, root, { name })).toThrow(`claims ${root}`);
    },
  );

  it("of another name adds data of its own, without dates of the catalog", async () => {
    const data = await platform();
    expect(combined(data, "acme/blocked", { name: "acme-blocked" })).toEqual(["replaced"]);
    const dates = { "instance types": "2031" };
    expect(() => combined(data, "acme/blocked", { name: "acme-blocked", dates })).toThrow(
      "dates sources of the catalog",
    );
  });
});

it("83: an image with another name replaces the tables that byName gives it", async () => {
  const own = { ...stale, replaceable: ["landfall/catalog/types"] };
  const data = withValue(await shipped(), SETTINGS, { replaceable: [], stale, byName: { acme: own } });
  expect(combined(data, "landfall/catalog/types", { name: "acme" })).toEqual(["replaced"]);
  expect(() => combined(data, "landfall/catalog/cells", { name: "acme" })).toThrow("claims landfall/catalog/cells");
});
