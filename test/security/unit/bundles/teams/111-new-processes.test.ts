import { describe, expect, it } from "vitest";
import type { Member } from "../../../../../src/bundle/follow/follow-bundles.ts";
import type { BundleSet, OtherOptions } from "../../../../../src/bundle/follow/bundle-set.ts";
import type { Tarball } from "../../../../../src/bundle/open-source.ts";
import { defaultSettings } from "../../../../../src/bundle/read-settings.ts";
import { SetLoader } from "../../../../../webhook/bundle-watch/load-set.ts";
import { createProcesses } from "../../../../../webhook/bundle-watch/processes.ts";
import type { DecisionProcess } from "../../../../../webhook/decisions/start-process.ts";
import { vm } from "../../../../support/admission.ts";

const usedFrom = (digest: string) => ({
  ...{ tarball: { digest } as Tarball, from: "registry" as const, at: "2026-11-21T09:00:00Z" },
});
const memberOf = (name: string | null): Member => ({ name, ref: name ?? "landfall" }) as Member;
const others = ["starting", "payments"].map(
  (name) => ({ name, kind: "policy", required: false, source: { ref: name } }) as unknown as OtherOptions,
);
const setOf = (platform: string, payments: string): BundleSet => ({
  platform: usedFrom(platform),
  others: new Map([
    ["starting", usedFrom("starting")],
    ["payments", usedFrom(payments)],
  ]),
});

/** The module of `starting` denies while its process is new: the first `most` questions. */
function openFake(names: readonly string[], digest: string, most: number): DecisionProcess {
  let asked = 0;
  const bundle = { digest, smoke: { medianMs: 0 }, others: [] };
  const allows = (): boolean => !names.includes("starting") || (asked += 1) > most;
  return {
    ready: Promise.resolve(bundle),
    trial: () => ({ denies: [], announced: [], times: { platformMs: 0, teamsMs: {} } }),
    ask: () => Promise.resolve({ log: { allowed: allows() } }),
    ended: new Promise(() => undefined),
    stop: () => Promise.resolve(),
  } as unknown as DecisionProcess;
}

const live = ["a", "b", "c"].map((namespace) => vm({ cpu: 2, memory: 4 }, { name: "vm", namespace }));

describe("111: a team whose module denies in new processes only", () => {
  for (const [changed, after] of [
    [null, setOf("platform-2", "payments-1")],
    ["payments", setOf("platform-1", "payments-2")],
  ] as const)
    it(`vetoes no bundle of ${changed ?? "the platform"}, and suspends no other team`, async () => {
      const processes = createProcesses(
        ({ digest }, _ref, beside) =>
          openFake(
            beside.others.map(({ name }) => name),
            digest,
            100,
          ),
        () => undefined,
      );
      const loader = new SetLoader({
        ...{ source: { ref: "landfall" }, rollout: defaultSettings().rollout, others, processes },
        canaries: () => Promise.resolve(live),
        isReduced: () => false,
      });
      const decider = openFake(["starting", "payments"], "platform-1", 0);
      const active = { decider, set: setOf("platform-1", "payments-1"), bundle: await decider.ready };
      const teams = others.map(({ name }) => memberOf(name));
      const member = memberOf(changed);
      const loaded = await loader.fresh({ set: after, member, active }, teams);
      expect(loaded.active.set).toEqual(after);
      expect(loaded.suspended).toEqual([]);
    });
});
