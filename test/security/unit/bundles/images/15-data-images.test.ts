import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { checkSettings } from "../../../../../src/model/schemas/check-settings.ts";
import { isObject } from "../../../../../src/model/json.ts";
import { combineData } from "../../../../../src/policy/combine-data.ts";
import { readBundle } from "../../../../../src/policy/read-bundle.ts";
import { readOther } from "../../../../../src/policy/read-other.ts";
import { valueAt, withValue } from "../../../../../src/policy/roots.ts";
import { policyFile } from "../../../../support/load-policy.ts";
import { dataImage } from "../../../../support/bundles/other-bundles.ts";

const SETTINGS = "landfall/settings/dataImages";
const shipped = async (): Promise<Record<string, unknown>> => {
  const { data } = readBundle(await readFile(await policyFile()), "platform");
  expect(isObject(valueAt(data, SETTINGS))).toBe(true);
  return data;
};
const general = (replaceable: string[]): object => ({
  replaceable,
  stale: { hours: null, action: "warn" },
  byName: {},
});

/** What an image of this name with one root makes of the platform's data. */
function combined(data: Record<string, unknown>, root: string, name: string): Record<string, unknown> {
  const bytes = dataImage({ name }, [root], withValue({}, root, { EU: {} }));
  const owner = { ref: "platform", data, roots: [""], packages: [] };
  return combineData(owner, [readOther(bytes, "image")]);
}

const CLOSED = ["places", "placeIds", "allPlaces", "residency", "residency/areas"].map(
  (name) => `landfall/catalog/${name}`,
);

describe("15: a data image", () => {
  it.each([...CLOSED, "landfall/catalog", "landfall/settings", "landfall/catalog/dates"])(
    "cannot replace %s under the shipped settings",
    async (root) => {
      for (const name of ["carbon", "other"])
        await expect(shipped().then((data) => combined(data, root, name))).rejects.toMatchObject({
          code: "BUNDLE_ROOTS",
        });
    },
  );

  it.each([...CLOSED, "landfall/settings/residency"])(
    "cannot replace %s under settings that open all",
    async (root) => {
      const data = withValue(await shipped(), SETTINGS, general(["landfall"]));
      expect(() => combined(data, root, "carbon")).toThrow(expect.objectContaining({ code: "BUNDLE_ROOTS" }) as Error);
    },
  );

  it("called carbon replaces its own table only, under the shipped settings", async () => {
    const data = await shipped();
    expect(valueAt(combined(data, "landfall/catalog/carbon", "carbon"), "landfall/catalog/carbon")).toEqual({ EU: {} });
    expect(() => combined(data, "landfall/catalog/types", "carbon")).toThrow("landfall/catalog/types");
    expect(() => combined(data, "landfall/catalog/types", "prices")).not.toThrow();
  });
});

describe("15: settings", () => {
  it.each(CLOSED)("that name %s as replaceable are refused", async (root) => {
    const wrong = withValue(await shipped(), SETTINGS, general([root]));
    expect(() => {
      checkSettings(wrong, "r");
    }).toThrow(`"${root}" is a root that no data image can replace; remove it`);
  });

  it("of 0.2.0 are valid still", async () => {
    const earlier = withValue(await shipped(), SETTINGS, general(["landfall/catalog"]));
    expect(() => {
      checkSettings(earlier, "r");
    }).not.toThrow();
    expect(() => combined(earlier, "landfall/catalog/carbon", "carbon")).not.toThrow();
  });
});
