import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import type { Outcome } from "../../../../../src/admission/types.ts";
import { isObject } from "../../../../../src/model/json.ts";
import type { PolicyDenial, PolicyInput } from "../../../../../src/model/policy.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import type { LoadedBundle } from "../../../../../src/policy/loaded-bundle.ts";
import { context, create, patched, update, vm } from "../../../../support/admission.ts";
import { applyRulings } from "../../../../../src/policy/apply-rulings.ts";
import { readRuling } from "../../../../../src/policy/read-ruling.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();

/** The project's policy with one more rule. */
const withRule = (rule: (input: PolicyInput) => PolicyDenial[]): LoadedBundle => ({
  ...policy,
  evaluate: (input) => {
    const result = policy.evaluate(input);
    return { ...result, denials: [...result.denials, ...rule(input)] };
  },
});

const denial = (message: string, field: string | null, actual: string | number | null): PolicyDenial => ({
  code: "POL_CUSTOM",
  message,
  field,
  actual,
  allowed: null,
});

function portsOf({ spec }: PolicyInput): number[] {
  const ports: unknown[] = Array.isArray(spec["ports"]) ? spec["ports"] : [];
  return ports.map((open) => (isObject(open) ? Number(open["port"]) : 0));
}

const stored = (bundle: LoadedBundle, object: WorkloadObject): WorkloadObject =>
  patched(object, admit(create(object), context(bundle)));
const change = (bundle: LoadedBundle, old: WorkloadObject, next: WorkloadObject): Outcome =>
  admit(update(old, next), context(bundle));
const messageOf = (outcome: Outcome): string => (outcome.allowed ? "allowed" : outcome.message);

describe("10: a rule about labels and annotations", () => {
  const teams = withRule(({ metadata }) =>
    metadata.labels["team"] === undefined && metadata.annotations["example.com/team"] === undefined
      ? [denial("name a team", "metadata.labels", null)]
      : [],
  );
  const object = vm({ cpu: 2, memory: 4 }, { labels: { team: "a" } });

  it("survives an update that removes the label", () => {
    const old = stored(teams, object);
    const { labels: _labels, ...metadata } = old.metadata;
    expect(messageOf(change(teams, old, { ...old, metadata }))).toContain("name a team");
    expect(change(teams, old, { ...old, metadata: { ...old.metadata, labels: { team: "b" } } })).toMatchObject({
      allowed: true,
      patch: [],
    });
  });

  it("survives an update that removes the annotation", () => {
    const old = stored(teams, vm({ cpu: 2, memory: 4 }, { annotations: { "example.com/team": "a" } }));
    const { "example.com/team": _team, ...annotations } = old.metadata.annotations ?? {};
    expect(messageOf(change(teams, old, { ...old, metadata: { ...old.metadata, annotations } }))).toContain(
      "name a team",
    );
  });

  it("does not keep an object from being changed that broke it before", () => {
    const old = stored(policy, vm({ cpu: 2, memory: 4 }));
    const labelled = { ...old, metadata: { ...old.metadata, labels: { other: "x" } } };
    expect(change(teams, old, labelled).allowed).toBe(true);
    expect(change(teams, old, { ...old, metadata: { ...old.metadata, finalizers: ["a/b"] } })).toMatchObject({
      allowed: true,
      patch: [],
      warnings: [],
    });
  });
});

describe("11: a violation that an object had before", () => {
  const port = (input: PolicyInput): PolicyDenial[] =>
    portsOf(input).flatMap((number, index) =>
      number < 1024 ? [denial(`port ${String(number)} is privileged`, `spec.ports[${String(index)}]`, number)] : [],
    );
  const tagged = (input: PolicyInput): PolicyDenial[] =>
    isObject(input.spec["tags"]) && "legacy" in input.spec["tags"]
      ? [denial("no tag legacy", "spec.tags", "legacy")]
      : [];
  const bundle = withRule((input) => [...tagged(input), ...port(input)]);
  const spec = { cpu: 2, memory: 4, tags: { legacy: "x" } };
  const old = stored(policy, vm({ ...spec, ports: [{ port: 80 }, { port: 8080 }] }));
  const withPorts = (...ports: number[]): WorkloadObject => ({
    ...old,
    spec: { ...old.spec, ports: ports.map((port, index) => ({ port, cidrs: [`10.${String(index)}.0.0/16`] })) },
  });

  it("does not waive another one of the same code", () => {
    expect(messageOf(change(bundle, old, withPorts(80, 22)))).toContain("port 22 is privileged");
    expect(messageOf(change(bundle, old, withPorts(22)))).toContain("port 22 is privileged");
  });

  it("does not waive the same one twice", () => {
    expect(messageOf(change(bundle, old, withPorts(80, 80)))).toContain("port 80 is privileged");
  });

  it("is not waived because another bundle says the same words", () => {
    const entry = { code: "POL_CUSTOM", message: "not in this namespace", field: "spec.tags", actual: "legacy" };
    const isOn = (input: PolicyInput, tag: string): boolean =>
      isObject(input.spec["tags"]) && tag in input.spec["tags"];
    const ruling = (input: PolicyInput, tag: string) => ({
      denials: isOn(input, tag) ? [["rule", entry] as [string, unknown]] : [],
      warnings: [],
      refused: [],
    });
    const teams: LoadedBundle = {
      ...policy,
      evaluate: (input) => {
        const [one, other] = ["one", "other"].map((name) => ({
          team: { name },
          ruling: readRuling(ruling(input, name), name),
        }));
        return applyRulings(
          policy.evaluate(input),
          [one, other].filter((said) => said !== undefined),
          input,
        );
      },
    };
    const before = stored(policy, vm({ cpu: 2, memory: 4, tags: { one: "x" } }));
    const tags = (...names: string[]): WorkloadObject => ({
      ...before,
      spec: { ...before.spec, tags: Object.fromEntries(names.map((name) => [name, "x"])) },
    });
    expect(change(teams, before, tags("one", "more"))).toMatchObject({ allowed: true });
    expect(messageOf(change(teams, before, tags("other")))).toContain("not in this namespace");
    const outcome = admit(create(vm({ cpu: 2, memory: 4, tags: { other: "x" } })), context(teams));
    expect(outcome.decision?.denials).toMatchObject([{ source: "other" }]);
  });

  it("does not hide what another bundle denies now", () => {
    const said = { warnings: [], refused: [] };
    const isNew = (input: PolicyInput): boolean => isObject(input.spec["tags"]) && "new" in input.spec["tags"];
    const teams: LoadedBundle = {
      ...policy,
      evaluate: (input) => {
        const result = policy.evaluate(input);
        const refused = result.candidates.map(({ place }): [string, string, string] => ["rule", place, "closed"]);
        const old = { ...said, denials: [["rule", "always"] as [string, unknown]] };
        const other = { ...said, denials: [], refused: isNew(input) ? refused : [] };
        const rulings = [
          { team: { name: "one" }, ruling: readRuling(old, "one") },
          { team: { name: "other" }, ruling: readRuling(other, "other") },
        ];
        return applyRulings(result, rulings, input);
      },
    };
    const before = stored(policy, vm({ cpu: 2, memory: 4 }));
    const tags = (name: string): WorkloadObject => ({ ...before, spec: { ...before.spec, tags: { [name]: "x" } } });
    expect(change(teams, before, tags("old"))).toMatchObject({
      allowed: true,
      warnings: ["bundle one: always [POL_CUSTOM]"],
    });
    expect(change(teams, before, tags("new"))).toMatchObject({ allowed: false });
    expect(messageOf(change(teams, before, tags("new")))).toContain("bundle other: ");
  });

  it("stays a warning, also at another place of its list", () => {
    const outcome = change(bundle, old, withPorts(8080, 80));
    expect(outcome).toMatchObject({
      allowed: true,
      warnings: [expect.stringContaining("no tag legacy"), expect.stringContaining("port 80")],
    });
    expect(change(bundle, old, withPorts(8080)).allowed).toBe(true);
  });
});
