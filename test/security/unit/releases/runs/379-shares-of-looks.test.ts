import { expect, it } from "vitest";
import { Looks } from "../../../../../src/composition/context/looks.ts";

const MINUTE = 60;
const EVERY = 15 * MINUTE;

/** The looks of a minute, for machines that were asked about long ago: those of a namespace come one after the other. */
function minuteOf(looks: Looks, machines: Readonly<Record<string, number>>, now: number): Record<string, number> {
  const counts = Object.entries(machines).map(([namespace, count]): [string, number] => {
    let had = 0;
    for (let index = 0; index < count; index += 1) {
      const machine = { path: `${namespace}/${String(index)}`, namespace };
      if (!looks.isDue(machine, EVERY, now)) continue;
      looks.asked(machine, now);
      had += 1;
    }
    return [namespace, had];
  });
  return Object.fromEntries(counts);
}

it("379: thousands of machines of one namespace leave the others their share of the looks at machines", () => {
  const [looks, machines] = [new Looks(), { crowd: 5000, other: 20, third: 20 }];
  // Each machine has a first moment of its own.
  minuteOf(looks, machines, 0);
  minuteOf(looks, machines, EVERY);
  expect(minuteOf(looks, machines, EVERY + MINUTE)).toEqual({ crowd: 20, other: 20, third: 20 });
});

it("379: and has all of them while no other wants any", () => {
  const looks = new Looks();
  minuteOf(looks, { crowd: 5000, other: 20 }, 0);
  minuteOf(looks, { crowd: 5000, other: 20 }, EVERY);
  const alone = [1, 2, 3].map((minute) => minuteOf(looks, { crowd: 5000 }, EVERY + minute * MINUTE));
  expect(alone.at(-1)).toEqual({ crowd: 60 });
});
