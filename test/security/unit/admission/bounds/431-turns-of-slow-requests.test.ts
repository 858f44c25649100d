// 431: requests that are denied slowly were decided in the order in which they came, so that one namespace held up all others.
import { setImmediate as round } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Asked } from "../../../../../webhook/decisions/process/answer-requests.ts";
import { takeRequests } from "../../../../../webhook/decisions/process/take-requests.ts";

/** A process whose decisions take so many ms each; answers wait to be sent, as those of denials do. */
function decider(ms: number) {
  const order: string[] = [];
  let now = 0;
  const outbox = { busy: (work: () => void) => work(), flush: () => undefined, waits: () => true };
  const requests = takeRequests(
    ({ id }) => {
      now += ms;
      order.push(String(id));
    },
    { outbox, usedMs: () => now },
  );
  const hear = (namespace: string, id: string): void => {
    requests.push({ id, namespace, user: "u" } as unknown as Asked);
    requests.work();
  };
  return { order, hear };
}

describe("431: slow requests of one namespace", () => {
  it("are decided one by one, and another namespace has its turn after the first", async () => {
    const { order, hear } = decider(100);
    for (const [namespace, id] of [
      ["flood", "1"],
      ["flood", "2"],
      ["flood", "3"],
      ["calm", "4"],
    ] as const)
      hear(namespace, id);
    expect(order).toEqual(["1"]);
    for (let rounds = 0; rounds < 6; rounds += 1) await round();
    expect(order).toEqual(["1", "4", "2", "3"]);
  });

  it("that are quick are decided together", () => {
    const { order, hear } = decider(0.5);
    for (const id of ["1", "2", "3", "4"]) hear("calm", id);
    expect(order).toEqual(["1", "2", "3", "4"]);
  });
});
