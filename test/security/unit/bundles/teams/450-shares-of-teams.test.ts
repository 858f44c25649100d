// 450: rules of a team that are slow for one namespace, but do not loop, were asked for ever, and everybody waited for them.
import { describe, expect, it } from "vitest";
import { shareTime } from "../../../../../src/policy/process/team-shares.ts";

const MINUTE = 60_000;

/** Evaluations of teams, of which one above 50 ms is slow, at a time that goes on only with `wait`. */
function open() {
  let now = 0;
  const shares = shareTime(50, () => now);
  /** Whether the rules of the team were asked, which takes so many ms. */
  const ask = (owner: string | null, ms: number, { team = "security", limited = true } = {}): boolean => {
    try {
      shares.on({ owner, namespace: owner ?? "", limited }, () => {
        shares.check(team);
        shares.add(team, ms);
      });
      return true;
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: "POL_TEAM_SLOW", params: { bundle: team, namespace: owner } });
      return false;
    }
  };
  /** How many evaluations are asked within a minute, with others that ask beside them or not. */
  const asked = (ms: number, beside: boolean): number => {
    let count = 0;
    for (const end = now + MINUTE; now < end; now += Math.max(5, ms)) {
      if (beside) ask("calm", 0);
      if (ask("hostile", ms)) count += 1;
    }
    return count;
  };
  return { ask, asked, wait: (ms: number) => void (now += ms) };
}

describe("450: the share of a team's rules", () => {
  it.each([
    [1900, true, 2],
    [400, true, 1],
    [50, true, 20],
    [20, true, 110],
  ])("is at most a twentieth: of evaluations of %i ms", (ms, beside, most) => {
    const count = open().asked(ms, beside);
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThanOrEqual(most);
  });

  it("is not used up by quick evaluations, nor by usual ones while nobody else asks", () => {
    expect(open().asked(1, true)).toBe(MINUTE / 5);
    expect(open().asked(3, false)).toBe(MINUTE / 5);
  });

  it("is of one owner and one team, and comes back", () => {
    const { ask, wait } = open();
    expect(ask("hostile", 1900)).toBe(true);
    expect(ask("hostile", 1)).toBe(false);
    expect(ask("calm", 1)).toBe(true);
    expect(ask("hostile", 1, { team: "other" })).toBe(true);
    wait(119_000);
    expect(ask("hostile", 1)).toBe(false);
    wait(1000);
    expect(ask("hostile", 1)).toBe(true);
  });

  it("does not count for the webhook's own questions, nor end a decision that has begun", () => {
    const { ask } = open();
    expect([ask(null, 1900), ask(null, 1900), ask("hostile", 1900)]).toEqual([true, true, true]);
    expect(ask("hostile", 1, { limited: false })).toBe(true);
  });

  it("counts without a limit of time for nothing", () => {
    const shares = shareTime(Infinity, () => 0);
    for (let at = 0; at < 3; at += 1)
      shares.on({ owner: "a", namespace: "a", limited: true }, () => {
        shares.check("security");
        shares.add("security", 1900);
      });
    expect(() =>
      shares.on({ owner: "a", namespace: "a", limited: true }, () => shares.check("security")),
    ).not.toThrow();
  });
});
