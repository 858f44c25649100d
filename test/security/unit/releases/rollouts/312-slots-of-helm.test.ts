import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { shareSlots } from "../../../../../src/cluster/queue/share-slots.ts";
import { helmSlots } from "../../../../../src/composition/identity/open-installer.ts";

/** The groups whose first calls have begun, in order; no call ends. */
async function begun(groups: readonly string[]): Promise<string[]> {
  const slots = shareSlots(helmSlots(8));
  const began: string[] = [];
  for (const group of groups) void slots(group, () => new Promise<void>(() => began.push(group)));
  await sleep(10);
  return began;
}

it("312: installations and deletions of one namespace leave a slot of Helm to others", async () => {
  const many = Array.from({ length: 20 }, () => ["a", "a deletions"]).flat();
  const began = await begun([...many, "b"]);
  expect(began).toHaveLength(8);
  expect(began).toContain("b");
});

it("312: deletions of a namespace do not wait behind its installations", async () => {
  const began = await begun([
    ...Array.from({ length: 20 }, () => "a"),
    ...Array.from({ length: 20 }, () => "a deletions"),
  ]);
  expect(began).toHaveLength(7);
  const slots = shareSlots(helmSlots(2));
  const order: string[] = [];
  const call = (group: string) => slots(group, () => Promise.resolve(void order.push(group)));
  await Promise.all(["a", "a", "a", "a deletions"].map(call));
  expect(order.indexOf("a deletions")).toBeLessThan(3);
});
