// 469: each new version of a team's bundle set the growing holds of namespaces back to nothing. So its author, with a namespace, ended the process that decides
// twice a minute and more.
import { expect, it } from "vitest";
import { LandfallError } from "../../../../../src/errors.ts";
import { openRefusedInputs } from "../../../../../webhook/decisions/limits/refused-inputs.ts";
import { reviewOf, vm } from "../../../../support/admission.ts";

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];
const LOOP = new LandfallError("POL_TEAM", { bundle: "security", detail: "it loops" });
const review = (cpu: number): string => reviewOf(vm({ cpu, memory: 4 }, { namespace: "hostile", name: "vm" }));

function open() {
  const clock = { ms: 0 };
  const refused = openRefusedInputs(() => clock.ms);
  /** Sends an object; it ends a process if it is decided. */
  const send = (cpu: number): boolean => {
    const body = review(cpu);
    if (refused.check(body, "hostile") !== null) return false;
    refused.add({ path: "/mutate", body }, "hostile", LOOP);
    return true;
  };
  const isHeld = (): boolean => refused.check(review(1000), "hostile") !== null;
  return { clock, refused, send, isHeld };
}

it.each([
  ["other objects", (ms: number) => ms / SECOND + 1],
  ["the same object", () => 2],
])("469: new versions every half minute do not let a namespace end processes with %s", (_, cpuOf) => {
  const { clock, refused, send } = open();
  let ends = 0;
  for (; clock.ms < HOUR; clock.ms += 10 * SECOND) {
    if (clock.ms % (30 * SECOND) === 0) refused.release("security");
    ends += Number(send(cpuOf(clock.ms)));
  }
  expect(ends).toBeGreaterThan(3);
  expect(ends).toBeLessThan(12);
});

it("469: a new version ends the hold, and the next one is twice as long", () => {
  const { clock, refused, send, isHeld } = open();
  expect([2, 4, 6].map(send)).toEqual([true, true, true]);
  expect(isHeld()).toBe(true);
  refused.release("payments");
  expect(isHeld()).toBe(true);
  refused.release("security");
  expect(isHeld()).toBe(false);
  expect(send(2)).toBe(true);
  clock.ms += 1.5 * MINUTE;
  expect(isHeld()).toBe(true);
  clock.ms += MINUTE;
  expect(isHeld()).toBe(false);
});

it("469: a namespace that ends nothing for ten minutes after a new version begins anew", () => {
  const { clock, refused, send, isHeld } = open();
  for (const cpu of [2, 4, 6]) send(cpu);
  refused.release("security");
  clock.ms += 10 * MINUTE;
  expect(send(2)).toBe(true);
  expect(isHeld()).toBe(false);
});
