import { expect, it } from "vitest";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { restore } from "../../../support/restore-in-emergency.ts";

it("191: an object from a backup that is applied in an emergency is installed as it is", async () => {
  const { world, look } = restore();
  expect(await look()).toMatchObject({ object: { metadata: { name: "web" } } });
  expect(await look()).toMatchObject({ object: { metadata: { name: "web" } } });
  expect(world.events).toMatchObject([{ reason: "InstalledInEmergency" }, { reason: "InstalledInEmergency" }]);
  // Nothing is written that would keep the controller from asking again.
  expect(world.object.metadata.annotations).not.toHaveProperty([ANNOTATION.reevaluate]);
});

it("191: it is decided once the webhook is back", async () => {
  const { world, look } = restore();
  await look();
  world.isOff = false;
  expect(await look()).toBeNull();
  expect(world.events).toMatchObject([{ reason: "InstalledInEmergency" }, { reason: "DecidedAgain" }]);
});
