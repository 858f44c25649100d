// Another run that is asked for on a machine which its operator cannot start.
import { expect, it } from "vitest";
import { annotationWarnings } from "../../../../src/admission/check/annotation-warnings.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { vm } from "../../../support/admission.ts";

/** What apply says of run 2 with this spec. */
function toldOf(spec: Record<string, unknown>, run = "2"): string[] {
  const object = vm(spec);
  const withRun = (value: string) => ({
    ...object,
    metadata: { ...object.metadata, annotations: { [ANNOTATION.run]: value } },
  });
  return annotationWarnings(withRun(run), withRun("1")).map(({ message }) => message);
}

it.each(["aws", "azure"])("is told at %s, with what to do", (provider) => {
  expect(toldOf({ provider, duration: "2h" })).toEqual([
    expect.stringMatching(/^if its machine is off, run 2 does nothing, .*: start the machine at its provider, or /),
  ]);
});

it.each<[string, Record<string, unknown>, string?]>([
  ["where its operator starts it", { provider: "gcp" }],
  ["where another one is created", { provider: "aws", whenDone: "delete" }],
  ["by a change that asks for no other run", { provider: "aws" }, "1"],
])("is not told %s", (_what, spec, run) => {
  expect(toldOf({ duration: "2h", ...spec }, run)).toEqual([]);
});
