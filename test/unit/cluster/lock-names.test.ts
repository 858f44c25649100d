import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { lockNames } from "../../../src/cluster/lock-names.ts";

it("runs tasks that share a name in order, others concurrently, and continues after a failure", async () => {
  const alone = lockNames();
  const said: string[] = [];
  const work = (id: string, names: string[], ms: number) =>
    alone(names, async () => {
      said.push(`${id} begins`);
      await sleep(ms);
      said.push(`${id} ends`);
      if (id === "a") throw new Error("told to");
      return id;
    });
  const done = await Promise.allSettled([
    work("a", ["x", "y"], 20),
    work("b", ["y", "z"], 10),
    work("c", ["z"], 0),
    work("d", ["w"], 0),
  ]);
  expect(done.map((one) => (one.status === "fulfilled" ? one.value : "failed"))).toEqual(["failed", "b", "c", "d"]);
  expect(said).toEqual([
    ...["a begins", "d begins", "d ends", "a ends"],
    ...["b begins", "b ends", "c begins", "c ends"],
  ]);
});
