import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { OtherOptions } from "../../../../src/bundle/follow/bundle-set.ts";
import type { Rollout } from "../../../../src/bundle/read-settings.ts";
import { writeRelease } from "../../../../src/model/bundle-format/bundle-release.ts";
import { HOUR_MS } from "../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import type { BundleWatch } from "../../../../webhook/bundle-watch/watch-bundle.ts";
import { reviewOf, vm } from "../../../support/admission.ts";
import { teamBundle } from "../../../support/bundles/other-bundles.ts";
import { type Bench, numbered, openBench } from "../../../support/bundles/watched-bundle.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterEach(() => rm(join(bench.folder, "store"), { recursive: true, force: true }));
afterAll(() => bench.stop());

const START = Date.parse("2026-11-21T09:00:00Z");
const RULES = `package landfall.custom.security

denials contains "no owner" if not input.metadata.labels.owner
`;
const PAYMENTS = { names: ["payments"], labels: {} };

let number = 0;

/** A release of the team that expires an hour after the start, or so many hours after it. */
async function release(hours = 1): Promise<string> {
  number += 1;
  const expires = new Date(START + hours * HOUR_MS).toISOString().replace(".000Z", "Z");
  const bytes = await teamBundle("security", { "security.rego": RULES });
  return bench.push(writeRelease(bytes, { version: number, expires }), true, "security");
}

interface Asked {
  watch: BundleWatch;
  clock: { nowMs: number };
  ask: (namespace: string) => Promise<unknown>;
}

async function follow(other: Partial<OtherOptions>, rollout: Partial<Rollout> = {}): Promise<Asked> {
  await bench.push(await numbered(number));
  await release();
  const clock = { nowMs: START };
  let live: WorkloadObject[] = [];
  const { watch } = await bench.watch({
    others: [await bench.other("security", "policy", other)],
    rollout: { ...bench.rollout(), expired: { action: "refuse" }, ...rollout },
    canaries: () => Promise.resolve(live),
    namespaceOf: (name) => (name === "unknown" ? null : { name, labels: {}, annotations: {} }),
    nowMs: () => clock.nowMs,
  });
  await watch.poll();
  // Objects that the team denies: only what is compared with the team's rules before is no change.
  live = ["a", "b", "c"].map((namespace) => vm({ cpu: 2, memory: 4 }, { namespace }));
  const ask: Asked["ask"] = async (namespace) => {
    try {
      const decider = await watch.decider(namespace);
      const reply = await decider?.ask("/mutate", reviewOf(vm({ cpu: 2, memory: 4 }, { namespace })));
      const { allowed, codes } = reply?.log ?? {};
      if (allowed !== true) return codes;
      const { response } = JSON.parse(reply?.body ?? "{}") as { response: { patch?: string } };
      const patch = Buffer.from(response.patch ?? "", "base64").toString();
      return ["allowed", ...["BUNDLE_ABSENT", "BUNDLE_EXPIRED"].filter((code) => patch.includes(code))];
    } catch (thrown) {
      return (thrown as { code: string }).code;
    }
  };
  return { watch, clock, ask };
}

describe("112: with settings that refuse old bundles", () => {
  it("an optional team's expired bundle is omitted, and denies nothing; its next one is asked again", async () => {
    const { watch, clock, ask } = await follow({ required: false });
    expect(await ask("unrelated")).toEqual(["POL_CUSTOM"]);
    clock.nowMs = START + 2 * HOUR_MS;
    expect(await ask("unrelated")).toEqual(["allowed", "BUNDLE_ABSENT"]);
    const next = await release(4);
    await watch.poll();
    expect(watch.status().others["security"]).toMatchObject({ active: { digest: next }, quarantined: [] });
    expect(await ask("unrelated")).toEqual(["POL_CUSTOM"]);
  });

  it("a required team's expired bundle denies only its own namespaces", async () => {
    const { clock, ask } = await follow({ required: true, namespaces: PAYMENTS });
    clock.nowMs = START + 2 * HOUR_MS;
    expect(await ask("payments")).toBe("BUNDLE_EXPIRED");
    expect(await ask("unknown")).toBe("BUNDLE_EXPIRED");
    // Decided: this test's process asks the rules in all namespaces.
    expect(await ask("unrelated")).toEqual(["POL_CUSTOM"]);
  });

  it("a team's registry that does not answer denies no other namespace", async () => {
    const stale = { hours: 1, action: "refuse" as const };
    const { clock, ask } = await follow({ required: false, stale }, { expired: { action: "warn" } });
    clock.nowMs = START + 2 * HOUR_MS;
    expect(await ask("unrelated")).toEqual(["allowed", "BUNDLE_ABSENT"]);
    clock.nowMs = START;
    expect(await ask("unrelated")).toEqual(["POL_CUSTOM"]);
  });
});
