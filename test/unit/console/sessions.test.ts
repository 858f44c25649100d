import { describe, expect, it } from "vitest";
import { createSessions } from "../../../src/console/server/sessions.ts";

const MINUTE = 60_000;

describe("the sessions of the console", () => {
  it("take a token for ten minutes", () => {
    let now = 0;
    const sessions = createSessions(() => now);
    const token = sessions.token();
    now = 10 * MINUTE;
    expect(sessions.exchange(token)).toBeNull();
    const next = sessions.token();
    now += 10 * MINUTE - 1;
    expect(sessions.exchange(next)).toMatch(/^[\w-]{43}$/);
  });

  it("end twelve hours after their last use", () => {
    let now = 0;
    const sessions = createSessions(() => now);
    const session = sessions.exchange(sessions.token()) ?? "";
    now = 11 * 60 * MINUTE;
    expect(sessions.isOpen(session)).toBe(true);
    now += 11 * 60 * MINUTE;
    expect(sessions.isOpen(session)).toBe(true);
    now += 12 * 60 * MINUTE;
    expect(sessions.isOpen(session)).toBe(false);
  });

  it("are at most 64, of which the least recently used one ends", () => {
    const sessions = createSessions(() => 0);
    const open = Array.from({ length: 64 }, () => sessions.exchange(sessions.token()) ?? "");
    expect(sessions.isOpen(open[0] ?? "")).toBe(true);
    sessions.exchange(sessions.token());
    expect([open[0], open[1], open[2]].map((session) => sessions.isOpen(session ?? ""))).toEqual([true, false, true]);
  });
});
