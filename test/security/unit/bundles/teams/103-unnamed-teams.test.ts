import { describe, expect, it } from "vitest";
import type { BundleSet, Used } from "../../../../../src/bundle/follow/bundle-set.ts";
import type { Member } from "../../../../../src/bundle/follow/follow-bundles.ts";
import { LandfallError } from "../../../../../src/errors.ts";
import { EarlierBundles } from "../../../../../webhook/bundle-watch/earlier-bundles.ts";
import { FailedRestarts } from "../../../../../webhook/bundle-watch/failed-restarts.ts";

const refusals: [string | null, string, string][] = [];
const member = (name: string | null): Member =>
  ({
    ...{ name, ref: String(name) },
    follower: { refuse: (digest: string, { code }: LandfallError) => void refusals.push([name, digest, code]) },
  }) as unknown as Member;
const used = (digest: string): Used => ({ tarball: { digest }, from: "registry", at: "" }) as unknown as Used;

const PLATFORM = member(null);
const TEAMS = ["a", "b", "c"].map(member);
const SET: BundleSet = {
  platform: used("new"),
  others: new Map(["a", "b", "c"].map((name) => [name, used(name)] as const)),
};
const hangs = new LandfallError("BUNDLE_LOOPS", { ref: "r", limit: "4 s", detail: "d" });
const starved = new LandfallError("ADM_RESTARTING", {}, new LandfallError("ADM_INTERNAL", { detail: "heap limit" }));

/** What is given up after so many failed restarts of a set that fails with these teams, and which sets were tried. */
async function givenUp(error: LandfallError, times: number, isBad: (teams: readonly string[]) => boolean) {
  const restarts = new FailedRestarts();
  const tried: string[] = [];
  let names: (string | null)[] = [];
  for (let time = 0; time < times; time += 1) {
    const blamed = await restarts.blamed(error, {
      ...{ set: SET, teams: TEAMS, blamed: () => PLATFORM },
      passes: ({ others }) => {
        const teams = [...others.keys()];
        tried.push(teams.join(""));
        return Promise.resolve(!isBad(teams));
      },
    });
    names = blamed.map(({ name }) => name);
  }
  return { names, tried };
}

describe("103: a set that cannot restart, and no team is named", () => {
  it("goes on without the team with which it fails: the platform's bundle stays", async () => {
    expect(await givenUp(hangs, 2, (teams) => teams.includes("b"))).toEqual({
      names: ["b"],
      tried: ["", "a", "ab", "ac"],
    });
    expect((await givenUp(hangs, 2, (teams) => teams.includes("a") && teams.includes("c"))).names).toEqual(["c"]);
    expect((await givenUp(hangs, 2, (teams) => teams.length > 0)).names).toEqual(["a", "b", "c"]);
  });

  it("gives up the bundle that changed last if it fails without teams, too", async () => {
    expect(await givenUp(hangs, 2, () => true)).toEqual({ names: [null], tried: [""] });
  });

  it("is tried again if it passes now, and after one failure", async () => {
    expect((await givenUp(hangs, 2, () => false)).names).toEqual([]);
    expect(await givenUp(hangs, 1, () => true)).toEqual({ names: [], tried: [] });
  });

  it("and that has not enough memory three times goes on without the teams for which there is none", async () => {
    const bad = (teams: readonly string[]): boolean => teams.includes("a");
    expect(await givenUp(starved, 2, bad)).toEqual({ names: [], tried: [] });
    expect((await givenUp(starved, 3, bad)).names).toEqual(["a"]);
    expect((await givenUp(starved, 3, () => true)).names).toEqual([]);
    expect((await givenUp(starved, 6, bad)).names).toEqual(["a"]);
  });
});

it("103: the team that an error names is given up without a trial", async () => {
  const named = new LandfallError(
    "BUNDLE_LOOPS",
    { ref: "r", limit: "any", detail: "d" },
    new LandfallError("POL_TEAM", { bundle: "b", detail: "d" }),
  );
  expect(await givenUp(named, 2, () => true)).toEqual({ names: [null], tried: [] });
});

it("103: a team for which there was no memory is tried again at the next poll, and comes back in the same version", () => {
  const earlier = new EarlierBundles();
  const [team = PLATFORM] = TEAMS;
  earlier.replaced(team, used("old"));
  expect(earlier.giveUp(SET, team, starved).others.has("a")).toBe(false);
  expect(refusals.splice(0)).toEqual([["a", "a", "ADM_INTERNAL"]]);
  expect(earlier.giveUp(SET, team, hangs).others.get("a")?.tarball.digest).toBe("old");
  expect(refusals.splice(0)).toEqual([["a", "a", "BUNDLE_LOOPS"]]);
});
