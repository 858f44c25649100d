import fc from "fast-check";
import jsonPatch, { type Operation } from "fast-json-patch";
import { describe, expect, it } from "vitest";
import { makePatch } from "../../../src/patch/make-patch.ts";
import { SCALE } from "../../support/scale.ts";

describe("makePatch", () => {
  it("adds parents that are missing and escapes slashes in annotation names", () => {
    expect(
      makePatch({ metadata: {} }, { spec: { provider: "aws" }, annotations: { "landfall.dev/decision": "x" } }),
    ).toEqual([
      { op: "add", path: "/metadata/annotations", value: {} },
      { op: "add", path: "/metadata/annotations/landfall.dev~1decision", value: "x" },
      { op: "add", path: "/spec", value: {} },
      { op: "add", path: "/spec/provider", value: "aws" },
    ]);
  });

  it("removes an annotation only if it exists", () => {
    const desired = { spec: {}, annotations: { "krateo.io/paused": null } };
    expect(makePatch({ metadata: { annotations: { "krateo.io/paused": "true" } } }, desired)).toEqual([
      { op: "remove", path: "/metadata/annotations/krateo.io~1paused" },
    ]);
    expect(makePatch({ metadata: {} }, desired)).toEqual([]);
  });

  it("adds missing values, changes nothing else, and is empty the second time", () => {
    const values = fc.dictionary(fc.stringMatching(/^[a-z~/]{1,5}$/), fc.oneof(fc.string(), fc.integer()));
    const texts = fc.dictionary(fc.stringMatching(/^[a-z~/.]{1,5}$/), fc.string());
    fc.assert(
      fc.property(values, texts, values, texts, (spec, annotations, wanted, wantedAnnotations) => {
        const object = { metadata: { annotations }, spec };
        const desired = { spec: wanted, annotations: wantedAnnotations };
        const patch = makePatch(object, desired);
        const patched = jsonPatch.applyPatch(jsonPatch.deepClone(object), patch as Operation[])
          .newDocument as typeof object;
        expect(patched).toEqual({
          metadata: { annotations: { ...annotations, ...wantedAnnotations } },
          spec: { ...spec, ...wanted },
        });
        expect(makePatch(patched, desired)).toEqual([]);
      }),
      { numRuns: 200 * SCALE, seed: 3 },
    );
  });
});
