// 430: what was wrong with a large value was explained in time that grew with the square of its size, up to minutes.
import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import { comparing, nearestAll } from "../../../../../src/model/text/nearest.ts";
import { hideSecrets, isSecret } from "../../../../../src/model/wrong-value/texts/secret-text.ts";
import { context, create, NO_OWNERS, NOW, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();

const fields = (count: number, value: unknown = "m5.large"): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`name${String(at)}`, value]));

/** The message, and how often the object was read: accesses of its own properties, which do not depend on the machine. */
function answer(spec: Record<string, unknown>, kind = "VmTemplate"): { message: string; reads: number } {
  let reads = 0;
  const counted = (value: unknown): unknown =>
    typeof value !== "object" || value === null
      ? value
      : new Proxy(
          Array.isArray(value)
            ? value.map(counted)
            : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, counted(one)])),
          {
            ownKeys: (target) => {
              const keys = Reflect.ownKeys(target);
              reads += keys.length;
              return keys;
            },
          },
        );
  const object = vm({ cpu: 2, memory: 4, ...spec });
  const given = { ...object, kind, spec: counted(object.spec) as Record<string, unknown> };
  const outcome = admit(create(given), context(policy, NOW, NO_OWNERS));
  return { message: "message" in outcome ? outcome.message : "", reads };
}

describe("430: what is wrong with a large value", () => {
  it.each([
    ["a map where a text is expected", "tags", { a: fields(8000) }, "spec.tags.a has more than 200 values"],
    ["a map of a place", "schedulingLocation", fields(8000), "spec.schedulingLocation has more than 200 values"],
    ["a text instead of a list", "dataResidency", "m5.large ".repeat(2000), "spec.dataResidency has 18000 characters"],
    ["a text instead of a word", "provider", "/a".repeat(9000), "spec.provider has 18000 characters"],
    ["an unknown field", "template", { spec: fields(8000) }, "spec.template has more than 200 values"],
    ["names of fields", "tags", { ["a-".repeat(7000)]: "x" }, "spec.tags has 14000 characters in the name of a field"],
    [
      "names of fields in a value that is none",
      "provider",
      { a: { ["b-".repeat(7000)]: "x" } },
      "spec.provider has 14000 characters in the name of a field",
    ],
    ["a text instead of a number", "cpu", "1,".repeat(9000), "spec.cpu has 18000 characters"],
  ])("is told without reading it: %s", (_what, field, value, message) => {
    const told = answer({ [field]: value });
    expect(told.message).toContain(message);
    // Twice for the limits, the schema and the digest of the object, whatever its size.
    expect(told.reads).toBeLessThan(100_000);
  });

  it("is told of many such values together", () => {
    const tags = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`k${String(at)}`, fields(190)]));
    expect(answer({ tags }).message).toContain("has more than 1000 values with others like it");
  });

  it("is read as before where it is small", () => {
    expect(answer({ dataResidency: "Germany, France" }).message).toContain("dataResidency: [DE, FR]");
    expect(answer({ tags: [{ Key: "team", Value: "web" }] }).message).toContain("tags: {team: web}");
  });

  it("compares a bounded number of names for one object", () => {
    const names = Array.from({ length: 1000 }, (_, at) => `m${String(at)}.large`);
    const found = comparing(2500, () =>
      ["m5x.large", "m6x.large", "m7x.large", "m8x.large"].map((one) => nearestAll(one, names).length > 0),
    );
    expect(found).toEqual([true, true, true, false]);
    expect(nearestAll("m5x.large", names)).not.toEqual([]);
  });

  it("compares no names that are longer than any", () => {
    const long = Array.from({ length: 100 }, (_, at) => `m5-large-${"a-".repeat(7000)}${String(at)}`);
    expect(nearestAll("m5-lagre", [...long, "m5-large"])).toEqual(["m5-large"]);
  });

  it("hides secrets of a map without reading it again for each of its fields", () => {
    let reads = 0;
    const map = new Proxy(
      { ...fields(500), name: "DB_PASSWORD", value: "hunter2" },
      {
        ownKeys: (target) => {
          reads += 1;
          return Reflect.ownKeys(target);
        },
      },
    );
    expect(isSecret("/tags/a", map)).toBe(true);
    expect(hideSecrets("it is hunter2", "/tags/a", map)).toBe("it is …");
    expect(reads).toBeLessThan(10);
  });
});
