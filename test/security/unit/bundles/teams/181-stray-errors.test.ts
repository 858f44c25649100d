import { describe, expect, it } from "vitest";
import { LandfallError } from "../../../../../src/errors.ts";
import { TeamStrikes } from "../../../../../src/bundle/follow/team-strikes.ts";
import type { BundleSet } from "../../../../../src/bundle/follow/bundle-set.ts";
import type { Member } from "../../../../../src/bundle/follow/follow-bundles.ts";
import { boundedBuiltins } from "../../../../../src/policy/module/bounded-builtins.ts";
import { BlamedEnds } from "../../../../../webhook/bundle-watch/blamed-ends.ts";

describe("181: sprintf reaches nothing of JavaScript", () => {
  it.each(["%(constructor.fromAsync)s", "a %d %(length)s", "%%%(x[0].y)d", "%(at)+05.2f"])("%s", (format) => {
    expect(() => boundedBuiltins().get("sprintf")?.(format, [[1], 2])).toThrow("a placeholder of sprintf has a name");
  });

  it("and brackets beside placeholders are text", () => {
    expect(boundedBuiltins().get("sprintf")?.("%%(a)s %d(b) (%v)", [1, "c"])).toBe("%(a)s 1(b) (c)");
  });
});

describe("181: ends that neither a request nor a team is to blame for", () => {
  const member = { name: "security", ref: "team" } as Member;
  const used = { tarball: { digest: "sha256:a" } };
  const set = { platform: used, others: new Map([["security", used]]) } as unknown as BundleSet;
  const stray = { error: new LandfallError("ADM_INTERNAL", { detail: "ended with 1" }), fatalRequest: null };
  const at = (nowMs: number) => ({ set, teams: [member], namespace: null, nowMs });

  it("cost the teams their place at the third within ten minutes", () => {
    const strikes = new TeamStrikes();
    const ends = new BlamedEnds(strikes, (name) => name);
    expect(ends.wornTeams(stray, at(0))).toEqual([]);
    expect(ends.wornTeams(stray, at(600_000))).toEqual([]);
    expect(ends.wornTeams(stray, at(600_001))).toEqual([]);
    expect(ends.wornTeams(stray, at(600_002))).toEqual([member]);
    expect(strikes.isGivenUp("sha256:a", 600_003)).toBe(true);
    expect(ends.wornTeams(stray, at(600_004))).toEqual([]);
  });

  it("do not if memory was wanted, or a request is to blame", () => {
    const ends = new BlamedEnds(new TeamStrikes(), (name) => name);
    const fatalRequest = { path: "/mutate", body: "" } as const;
    for (const end of [
      { ...stray, ofMemory: true },
      { ...stray, fatalRequest },
    ])
      for (const nowMs of [0, 1, 2, 3]) expect(ends.wornTeams(end, at(nowMs))).toEqual([]);
  });
});
