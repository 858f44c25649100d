import { expect, it } from "vitest";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { type Annotations, CHOSEN, restore } from "../../../support/restore-in-emergency.ts";

it.each<[string, Annotations, Record<string, unknown>]>([
  ["an earlier version asked about it", { [ANNOTATION.reevaluate]: "decision 0123abcd at 2026-11-20T10:00:00Z" }, {}],
  ["its user changed it", {}, { memory: 8 }],
])(
  "223: it is installed also if %s, and the other object's decision does not fit it",
  async (_name, added, changes) => {
    const { world, look } = restore(added, changes);
    const found = await look();
    expect(found).toMatchObject({ object: { metadata: { name: "web" }, spec: { ...CHOSEN, ...changes } } });
    expect(found).not.toHaveProperty(["object", "metadata", "annotations", ANNOTATION.decision]);
    expect(world.events).toMatchObject([{ reason: "InstalledInEmergency" }]);
  },
);

it("223: with a decision of its own that does not fit it, it is not installed", async () => {
  const { world, look } = restore({ [ANNOTATION.reevaluate]: "now" });
  world.owner = world.object.metadata.uid;
  expect(await look()).toMatchObject({ code: "REL_UNDECIDED" });
  expect(world.events).toEqual([]);
});
