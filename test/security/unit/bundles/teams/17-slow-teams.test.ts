import { describe, expect, it } from "vitest";
import { tooSlow } from "../../../../../webhook/bundle-watch/too-slow.ts";

const others = ["a", "b"].map((name) => ({ name, ref: `team-${name}` })) as never;
/** A trial: the name of the new bundle, and the times (ms) of all together, the platform's alone, and with each team's. */
interface Times {
  changed: string | null;
  all: number;
  platform: number;
  teams: [number, number];
}

function blamed({ changed, all, platform, teams: [a, b] }: Times): unknown {
  const bundle = { smoke: { cases: 1, medianMs: all }, others };
  const ref = changed === null ? "platform" : `team-${changed}`;
  const times = { platformMs: platform, teamsMs: { a, b } };
  const error = tooSlow(bundle, times, { name: changed, ref }, { decisionMs: 50 });
  return error === null ? null : [error.code, error.params["ref"]];
}

describe("17: a bundle that is too slow", () => {
  it.each<[string, Times, string]>([
    [
      "the platform's own, if it is slow without teams",
      { changed: null, all: 90, platform: 60, teams: [90, 60] },
      "platform",
    ],
    [
      "the slow team, if the platform's bundle is new",
      { changed: null, all: 90, platform: 10, teams: [80, 20] },
      "team-a",
    ],
    [
      "the slowest team, if all are too slow for it",
      { changed: null, all: 60, platform: 10, teams: [35, 40] },
      "team-b",
    ],
    ["the slow team, if another team's is new", { changed: "b", all: 90, platform: 10, teams: [80, 20] }, "team-a"],
    ["the new one, if no other is too slow alone", { changed: "b", all: 60, platform: 10, teams: [45, 25] }, "team-b"],
  ])("is %s", (_, times, ref) => {
    expect(blamed(times)).toEqual(["BUNDLE_SLOW", ref]);
  });

  it("is none within the limit", () => {
    expect(blamed({ changed: null, all: 50, platform: 10, teams: [10, 10] })).toBeNull();
  });
});
