import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { checkAlone } from "../../../src/admission/decide/decide.ts";
import type { Denial } from "../../../src/model/decision.ts";
import { KUBERNETES_YAML } from "../../../src/model/formats/kubernetes-yaml.ts";
import type { Kind } from "../../../src/model/names.ts";
import { context, vm } from "../../support/admission.ts";
import { valuesIn, followed } from "../../support/follow-advice.ts";
import { loadPolicy } from "../../support/load-policy.ts";
import { type WrongObject, wrongObjects } from "../../support/wrong-objects.ts";

const policy = await loadPolicy();

function specOf({ kind = "VmTemplate", bare = kind === "KaasCluster", write }: WrongObject): unknown {
  const spec: unknown = parse(write, KUBERNETES_YAML);
  return bare ? spec : { cpu: 2, memory: 4, ...Object(spec) };
}

const denialsOf = (kind: Kind, spec: unknown): Denial[] =>
  checkAlone({
    ...context(policy),
    kind,
    object: { ...vm(spec as Record<string, unknown>), kind },
    operation: "CREATE",
  }).denials;

/** Whether a denial is about a field, about what holds it or about a part of it. */
const isAbout = ({ field }: Denial, written: string): boolean =>
  field !== null && (isWithin(field, written) || isWithin(written, field));

/** `spec.gpu` holds `spec.gpu.count`, and not `spec.gpuType`. */
const isWithin = (inner: string, outer: string): boolean =>
  inner.startsWith(outer) && !/^\w/.test(inner.slice(outer.length));

const ofObject = ({ code }: Denial): boolean => code.startsWith("ADM_");

/** The messages that are still there where a correction was written. */
function leftAfter(one: WrongObject): string[] {
  const { kind = "VmTemplate", write } = one;
  const spec = specOf(one);
  const left: string[] = [];
  const denials = denialsOf(kind, spec).filter(ofObject);
  const written = denials
    .flatMap(({ remedy }) => valuesIn(remedy))
    .map((values) => values.map((one) => JSON.stringify(one)));
  for (const denial of denials)
    for (const values of valuesIn(denial.remedy)) {
      // Another correction writes these values together with what they need.
      const own = values.map((one) => JSON.stringify(one));
      if (written.some((all) => all.length > own.length && own.every((one) => all.includes(one)))) continue;
      const done = followed(kind, spec, denial, values);
      const still =
        done === null
          ? []
          : denialsOf(kind, done.spec).filter(
              (other) => ofObject(other) && done.fields.some((at) => isAbout(other, at)),
            );
      const said = done === null ? ["names a field that there is not"] : still.map(({ message }) => message);
      left.push(...said.map((text) => `${write} | ${denial.remedy} | ${JSON.stringify(done?.spec)} | ${text}`));
    }
  return left;
}

const cases = wrongObjects();

describe("what a denial says to write", () => {
  it("is accepted there", () => {
    expect(cases.flatMap(leftAfter)).toEqual([]);
  });

  it("is found in most texts", () => {
    const all = cases.flatMap((one) => denialsOf(one.kind ?? "VmTemplate", specOf(one)));
    const texts = all.filter(({ code }) => code.startsWith("ADM_")).map(({ remedy }) => remedy);
    const silent = texts.filter((remedy) => valuesIn(remedy).length === 0);
    expect(silent.length / texts.length).toBeLessThan(0.12);
  });
});
