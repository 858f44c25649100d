import { describe, expect, it } from "vitest";
import { followsIn, isInUse, missingCondition, pluralOf } from "../../../../src/composition/definition/use-of.ts";
import type { CompositionDefinition, Resource } from "../../../../src/composition/types.ts";

const definition = (name: string, status: Record<string, unknown> = { resource: "vmtemplates" }) =>
  ({ metadata: { namespace: "platform", name }, spec: {}, status }) as unknown as CompositionDefinition;

/** An object that the definition of this name installs; of none if it is omitted. */
const object = (name?: string): Resource => ({
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate" },
  metadata: {
    name: "web",
    ...(name !== undefined && {
      labels: {
        "krateo.io/composition-definition-name": name,
        "krateo.io/composition-definition-namespace": "platform",
      },
    }),
  },
});

const used = (status: "True" | "False") => ({ conditions: [{ type: "InUse", status }] });

describe("whether a kind is in use", () => {
  it.each([
    ["has an object", [object()], true, true],
    ["has an object, as far as an interrupted watch knows", [object()], false, true],
    ["has none", [], true, false],
    ["may have one that an interrupted watch does not show", [], false, null],
  ])("%s", (_, objects, isCurrent, expected) => {
    expect(isInUse({ objects, isCurrent })).toBe(expected);
  });
});

describe("a definition is followed by an object of its kind", () => {
  const [one, other, clusters] = [
    definition("one"),
    definition("other"),
    definition("clusters", { resource: "kaasclusters" }),
  ];
  const follows = (name?: string) => followsIn(one, [one, other, clusters])(object(name));

  it("that it installs, and not by one that another definition of the kind installs", () => {
    expect([follows("one"), follows("other")]).toEqual([true, false]);
  });

  it("that names no definition, none of its kind, or one that is not there: any user can write labels", () => {
    expect([follows(), follows("clusters"), follows("gone")]).toEqual([true, true, true]);
  });
});

describe("the kind of a definition", () => {
  it("is what its status says, and none before it served one", () => {
    expect([definition("one"), definition("one", {}), definition("one", { resource: "" })].map(pluralOf)).toEqual([
      ...["vmtemplates", null, null],
    ]);
  });
});

describe("the condition InUse", () => {
  it.each([
    ["is written with the first object", {}, true, "True"],
    ["is written with the first object after a time without", used("False"), true, "True"],
    ["is taken back with the last", used("True"), false, "False"],
    ["is not written for further objects", used("True"), true, undefined],
    ["is not written again without objects", used("False"), false, undefined],
    ["is not written for a definition that never was in use", {}, false, undefined],
    ["stays while nothing is known", used("True"), null, undefined],
  ])("%s", (_, status, inUse, expected) => {
    expect(missingCondition(definition("one", status), inUse)?.status).toBe(expected);
  });
});
