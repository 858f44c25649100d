import jsonPatch, { type Operation } from "fast-json-patch";
import { describe, expect, it } from "vitest";
import { checkFields } from "../../../../src/admission/check/check-fields.ts";

const spec = (cidrs: readonly string[], provider?: string): Record<string, unknown> => ({
  ...(provider === undefined ? {} : { provider }),
  ports: [{ port: 80 }, { port: 22, cidrs }],
});

/** The spec after the patches of its denials. */
function mended(given: Record<string, unknown>): unknown {
  const object = { spec: jsonPatch.deepClone(given) as Record<string, unknown> };
  const patches = checkFields(given).flatMap(({ patch = [] }) => patch) as Operation[];
  return jsonPatch.applyPatch(object, patches).newDocument.spec;
}

describe("networks of an entry of ports that overlap", () => {
  it.each([
    [["10.0.0.0/8", "10.1.0.0/16"], ["10.0.0.0/8"]],
    [
      ["10.1.0.0/16", "10.1.2.0/24", "192.168.0.0/16", "10.0.0.0/8"],
      ["192.168.0.0/16", "10.0.0.0/8"],
    ],
  ])("%j lose those that another one contains: %j", (given, expected) => {
    for (const provider of ["azure", undefined]) {
      expect(checkFields(spec(given, provider)).map(({ field }) => field)).toEqual(["spec.ports[1].cidrs"]);
      expect(mended(spec(given, provider))).toEqual(spec(expected, provider));
    }
  });

  it("are not chosen from next to 0.0.0.0/0: a user may mean either", () => {
    const [denial] = checkFields(spec(["10.1.0.0/16", "10.0.0.0/8", "0.0.0.0/0"]));
    expect(denial).toMatchObject({ code: "ADM_FIELDS", field: "spec.ports[1].cidrs" });
    expect(denial).not.toHaveProperty("patch");
  });

  it.each([
    [["10.0.0.0/16", "10.1.0.0/16"], "azure"],
    [["10.0.0.0/8", "10.1.0.0/16"], "aws"],
    [["10.0.0.0/8", "10.1.0.0/16"], "gcp"],
  ])("%j pass at %s", (given, provider) => {
    expect(checkFields(spec(given, provider))).toEqual([]);
  });
});
