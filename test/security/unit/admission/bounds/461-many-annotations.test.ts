// 461: thousands of annotations or labels that look like Landfall's were all compared with its names: 0.2 s for one object.
import { expect, it } from "vitest";
import { annotationWarnings } from "../../../../../src/admission/check/annotation-warnings.ts";
import { vm } from "../../../../support/admission.ts";

const keys = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`landfall.dev/reeval${String(at)}`, ""]));

const warningsOf = (metadata: Record<string, unknown>): number =>
  annotationWarnings(vm({ cpu: 2, memory: 4 }, metadata), null).length;

it.each(["annotations", "labels"])("461: of very many %s, a limited number is compared", (field) => {
  expect(warningsOf({ [field]: { "landfall.dev/reevaluat": "", ...keys(9000) } })).toBeGreaterThan(0);
  expect(warningsOf({ [field]: { ...keys(9000), "landfall.dev/reevaluat": "" } })).toBeLessThan(300);
});

it("461: of a hundred other annotations and two of ours that are misspelt, both are named", () => {
  const others = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`example.com/key-${String(at)}`, ""]));
  const annotations = { ...others, "landfall.dev/reevaluat": "", "landfal.dev/hold": "" };
  expect(warningsOf({ annotations })).toBe(2);
});
