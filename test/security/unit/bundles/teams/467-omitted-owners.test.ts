// 467: an object for which the rules of a team loop ended the process at each comparison with a new bundle, so that none was ever used.
// 468: an object for which the rules of a team took long in a new process suspended them for all, whoever owned it.
import { describe, expect, it } from "vitest";
import type { BundleSet, OtherOptions } from "../../../../../src/bundle/follow/bundle-set.ts";
import type { Member } from "../../../../../src/bundle/follow/follow-bundles.ts";
import type { Tarball } from "../../../../../src/bundle/open-source.ts";
import { defaultSettings } from "../../../../../src/bundle/read-settings.ts";
import { LandfallError } from "../../../../../src/errors.ts";
import { SetLoader } from "../../../../../webhook/bundle-watch/load-set.ts";
import { createProcesses } from "../../../../../webhook/bundle-watch/processes.ts";
import type { DecisionProcess } from "../../../../../webhook/decisions/start-process.ts";
import { vm } from "../../../../support/admission.ts";

const LOOP = new LandfallError("POL_TEAM", { bundle: "security", detail: "it loops" });
const OTHER = new LandfallError("ADM_RESTARTING");

const usedFrom = (digest: string) => ({
  ...{ tarball: { digest } as Tarball, from: "registry" as const, at: "2026-11-21T09:00:00Z" },
});
const memberOf = (name: string | null): Member => ({ name, ref: name ?? "landfall" }) as Member;
const others = [{ name: "security", kind: "policy", required: false, source: { ref: "security" } }] as OtherOptions[];
const setOf = (platform: string): BundleSet => ({
  platform: usedFrom(platform),
  others: new Map([["security", usedFrom("security")]]),
});
const AFTER = setOf("platform-2");

/** A process whose team's rules end it for the objects of these namespaces, with this error. */
function openFake(names: readonly string[], hostile: readonly string[], error = LOOP): DecisionProcess {
  const ends = (body: string): boolean =>
    names.includes("security") && hostile.some((name) => body.includes(`"namespace":"${name}"`));
  return {
    ready: Promise.resolve({ digest: "platform", smoke: { medianMs: 0 }, others: [] }),
    trial: () => ({ denies: [], announced: [], times: { platformMs: 0, teamsMs: {} } }),
    ask: (_path: string, body: string) =>
      ends(body) ? Promise.reject(error) : Promise.resolve({ log: { allowed: true } }),
    ended: new Promise(() => undefined),
    stop: () => Promise.resolve(),
  } as unknown as DecisionProcess;
}

/** Loads a new bundle of the platform. New processes end for the objects of `hostile`, and the active one for those of `inActive`. */
function openLoader(hostile: readonly string[]) {
  const live = ["a", "b", "c", "d"].map((namespace) => vm({ cpu: 2, memory: 4 }, { name: "vm", namespace }));
  const loader = new SetLoader({
    ...{ source: { ref: "landfall" }, rollout: defaultSettings().rollout, others, nowMs: () => 0 },
    processes: createProcesses(
      (_tarball, _ref, beside) =>
        openFake(
          beside.others.map(({ name }) => name),
          hostile,
        ),
      () => undefined,
    ),
    canaries: () => Promise.resolve(live),
    isReduced: () => false,
  });
  return async (inActive: readonly string[] = [], error = LOOP) => {
    const decider = openFake(["security"], inActive, error);
    const active = { decider, set: setOf("platform-1"), bundle: await decider.ready };
    return loader.fresh({ set: AFTER, member: memberOf(null), active }, [memberOf("security")]);
  };
}

describe("467: an object that ends the active process during a comparison", () => {
  it("is omitted from the next one, so that a new bundle is used", async () => {
    const load = openLoader([]);
    await expect(load(["b"])).rejects.toMatchObject({ code: "ADM_RESTARTING" });
    expect(await load(["b"])).toMatchObject({ active: { set: AFTER }, suspended: [] });
  });

  it("is asked again if another request had ended the process", async () => {
    const load = openLoader([]);
    for (const attempt of [1, 2])
      await expect(load(["b"], OTHER), String(attempt)).rejects.toMatchObject({ code: "ADM_RESTARTING" });
  });
});

describe("468: a team whose rules end a new process", () => {
  it("stays in use if they do so for the objects of one owner", async () => {
    expect(await openLoader(["b"])()).toMatchObject({ active: { set: AFTER }, suspended: [] });
  });

  it("is suspended if they do so for several owners", async () => {
    const { active, suspended } = await openLoader(["a", "b", "c"])();
    expect(suspended).toMatchObject([{ member: { name: "security" }, error: { code: "BUNDLE_LOOPS" } }]);
    expect([...active.set.others.keys()]).toEqual([]);
  });
});
