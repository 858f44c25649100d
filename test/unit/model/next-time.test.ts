import { describe, expect, it } from "vitest";
import { formatTime } from "../../../src/model/time.ts";
import { nextTime } from "../../../src/model/wrong-value/texts/next-time.ts";

/** A Friday. */
const NOW = Date.parse("2026-11-20T22:10:30Z") / 1000;

const at = (text: string): string | null => {
  const found = nextTime(text, NOW);
  return found === null ? null : formatTime(found.seconds);
};

describe("the time that a text stands for now", () => {
  it.each([
    ["0 22 * * *", "2026-11-21T22:00:00Z"],
    ["*/15 * * * *", "2026-11-20T22:15:00Z"],
    ["30 6 * * mon-fri", "2026-11-23T06:30:00Z"],
    ["0 0 * * 7", "2026-11-22T00:00:00Z"],
    ["0 0 1 jan *", "2027-01-01T00:00:00Z"],
    ["0 12 1,15 * 6", "2026-11-21T12:00:00Z"],
    ["0 0 29 2 *", "2028-02-29T00:00:00Z"],
    ["10/20 22 * * *", "2026-11-20T22:30:00Z"],
    ["@daily", "2026-11-21T00:00:00Z"],
    ["@weekly", "2026-11-22T00:00:00Z"],
    ["18:00", "2026-11-21T18:00:00Z"],
    ["11pm", "2026-11-20T23:00:00Z"],
    ["+24h", "2026-11-21T22:11:00Z"],
    ["in 90 minutes", "2026-11-20T23:41:00Z"],
    ["tomorrow 8am", "2026-11-21T08:00:00Z"],
    ["tomorrow", "2026-11-21T23:00:00Z"],
    ["next friday 18:00", "2026-11-27T18:00:00Z"],
    ["monday", "2026-11-23T23:00:00Z"],
    ["next week", "2026-11-27T23:00:00Z"],
  ])("%s is %s", (text, time) => {
    expect(at(text)).toBe(time);
  });

  it.each(["0 0 30 2 *", "60 * * * *", "* * * *", "5-1 * * * *", "*/0 * * * *", "soon", "0 0 * * * 2026"])(
    "%s is none",
    (text) => {
      expect(at(text)).toBeNull();
    },
  );
});
