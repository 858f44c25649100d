import { describe, expect, it } from "vitest";
import { createServerClock } from "../../../src/cluster/server-clock.ts";

const AT = Date.parse("2026-11-22T12:00:00Z");
const header = (ms: number): string => new Date(ms).toUTCString();

describe("the API server's clock", () => {
  it("knows nothing before the first answer, and nothing of headers that are no dates", () => {
    const clock = createServerClock(() => 0);
    for (const date of [undefined, "", "yesterday", ["a", "b"]]) clock.saw(date);
    expect(clock.nowSeconds()).toBeNull();
  });

  it("goes on by the elapsed time between answers", () => {
    let elapsed = 5000;
    const clock = createServerClock(() => elapsed);
    clock.saw(header(AT));
    elapsed += 90_500;
    expect(clock.nowSeconds()).toBe(AT / 1000 + 90);
  });

  it("is never ahead and less than a second and the way behind, whatever the answers' fractions and ways", () => {
    let elapsed = 0;
    const clock = createServerClock(() => elapsed);
    for (let index = 0; index < 500; index++) {
      elapsed += 137;
      const way = (index * 31) % 90;
      clock.saw(header(AT + 400 + elapsed - way));
      const behind = (AT + 400 + elapsed) / 1000 - (clock.nowSeconds() ?? 0);
      expect(behind).toBeGreaterThanOrEqual(0);
      expect(behind).toBeLessThan(2.1);
    }
  });

  it("follows the API server if that is set back, and if it is set forth for a while", () => {
    let elapsed = 0;
    const clock = createServerClock(() => elapsed);
    clock.saw(header(AT));
    elapsed += 1000;
    clock.saw(header(AT - 3_600_000));
    expect(clock.nowSeconds()).toBe(AT / 1000 - 3600);
    for (const waited of [0, 15_000, 15_000]) {
      expect(clock.nowSeconds()).toBe(Math.floor((AT - 3_600_000 - 1000 + elapsed) / 1000));
      elapsed += waited;
      clock.saw(header(AT + 7_200_000 + elapsed - 1000));
    }
    expect(clock.nowSeconds()).toBe(AT / 1000 + 7200 + 30);
  });

  it.each([7_200_000, -7_200_000])(
    "takes no time from one answer that is ahead if its own clock is off by %d ms",
    (off) => {
      let elapsed = 0;
      const clock = createServerClock(
        () => elapsed,
        () => AT + elapsed + off,
      );
      for (; elapsed <= 10_000; elapsed += 2000) clock.saw(header(AT + elapsed));
      expect(clock.nowSeconds()).toBe((AT + 10_000) / 1000 + 2);
      clock.saw(header(AT + elapsed + 3_600_000));
      expect(clock.nowSeconds()).toBe((AT + elapsed) / 1000);
    },
  );
});
