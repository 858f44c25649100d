import { describe, expect, it } from "vitest";
import { takeTurns } from "../../../../../webhook/decisions/process/take-turns.ts";

/** Takes `count` items, each of which takes as long as its name says, in ms. */
function work(turns: ReturnType<typeof takeTurns<number>>, count: number): string[] {
  return Array.from({ length: count }, () => {
    const turn = turns.next();
    if (turn === null) return "none";
    turns.charge(turn.namespace, turn.item);
    return turn.namespace;
  });
}

const pushed = (entries: Record<string, number[]>) => {
  const turns = takeTurns<number>();
  for (const [namespace, items] of Object.entries(entries)) for (const item of items) turns.push(namespace, item);
  return turns;
};

describe("2: namespaces take turns in the process that decides", () => {
  it("a namespace with a thousand requests holds up another one for one of them", () => {
    const turns = pushed({ crowd: Array.from({ length: 1000 }, () => 5) });
    expect(work(turns, 3)).toEqual(["crowd", "crowd", "crowd"]);
    turns.push("honest", 5);
    expect(work(turns, 3)).toContain("honest");
    expect(work(turns, 1)).toEqual(["crowd"]);
  });

  it("each uses the same time, however long its requests take", () => {
    const turns = pushed({ slow: [50, 50, 50], fast: Array.from({ length: 30 }, () => 5) });
    const order = work(turns, 33);
    const secondSlow = order.indexOf("slow", order.indexOf("slow") + 1);
    expect(order.slice(0, secondSlow).filter((namespace) => namespace === "fast").length).toBeGreaterThanOrEqual(10);
  });

  it("time that was used while nobody waited costs no turn later, and idle time saves nothing up", () => {
    const turns = pushed({ busy: [1000, 1] });
    expect(work(turns, 2)).toEqual(["busy", "busy"]);
    for (const namespace of ["idle", "busy"]) for (const item of [10, 10, 10]) turns.push(namespace, item);
    expect(work(turns, 6).slice(0, 4).sort()).toEqual(["busy", "busy", "idle", "idle"]);
  });

  it("requests of one namespace keep their order, and those without time as well take turns", () => {
    const turns = takeTurns<string>();
    for (const item of ["a1", "a2"]) turns.push("a", item);
    for (const item of ["b1", "b2"]) turns.push("b", item);
    const taken = [1, 2, 3, 4].map(() => {
      const turn = turns.next();
      turns.charge(turn?.namespace ?? "", 0);
      return turn?.item;
    });
    expect(taken).toEqual(["a1", "b1", "a2", "b2"]);
    expect(turns.next()).toBeNull();
  });
});
