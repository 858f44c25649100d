import { describe, expect, it } from "vitest";
import { Slots } from "../../../webhook/decisions/slots.ts";

describe("slots", () => {
  it("give a number to each item, and the item back once", () => {
    const slots = new Slots<string>();
    const [a, b] = [slots.add("a"), slots.add("b")];
    expect(a).not.toBe(b);
    expect(slots.take(a)).toBe("a");
    expect(slots.take(a)).toBeUndefined();
    expect(slots.take(99)).toBeUndefined();
    expect(slots.all()).toEqual(["b"]);
    expect(slots.size).toBe(1);
  });

  it("have no more numbers than concurrent items", () => {
    const slots = new Slots<number>();
    const way: number[] = [];
    const numbers = new Set<number>();
    for (let item = 0; item < 1000; item++) {
      const id = slots.add(item);
      numbers.add(id);
      way.push(id);
      const first = way.length > 16 ? way.shift() : undefined;
      if (first !== undefined) expect(slots.take(first)).toBe(item - 16);
    }
    expect(numbers.size).toBe(17);
    expect(slots.size).toBe(16);
  });

  it("are empty once cleared", () => {
    const slots = new Slots<string>();
    const id = slots.add("a");
    slots.clear();
    expect([slots.size, slots.take(id), slots.all()]).toEqual([0, undefined, []]);
  });
});
