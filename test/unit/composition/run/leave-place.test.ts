import { describe, expect, it } from "vitest";
import { apiPath } from "../../../../src/cluster/api-path.ts";
import type { Composition, CompositionContext } from "../../../../src/composition/context/composition-context.ts";
import type { FollowedRun } from "../../../../src/composition/run/follow/follow-run.ts";
import { leavePlace } from "../../../../src/composition/run/another/leave-place.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import type { RunRecord } from "../../../../src/model/runs/run-record.ts";
import { LABEL } from "../../../../src/composition/keys.ts";
import { memoryRemovals } from "../../../support/composition/memory-removals.ts";

const spec = { provider: "azure", schedulingLocation: "westus" };
const composition: Composition = {
  ...{ key: "k", path: apiPath`/apis/x` },
  object: {
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", spec },
    metadata: { uid: "u", name: "job", namespace: "demo", labels: { [LABEL.releaseName]: "job-1" } },
  },
};

/** A controller whose newest revision of the release is at this place, and what it removed. */
function at(region: string | null, left: Resource[] = [], zone?: string) {
  const removed: string[] = [];
  const revisions = region === null ? [] : [{ release: { config: { ...spec, schedulingLocation: region, zone } } }];
  const context = {
    records: { read: () => Promise.resolve({ revisions }) },
    uninstalled: new Map<string, string>(),
    removals: memoryRemovals(),
    ...{ releases: new Map(), retrying: new Map(), looks: { forget: () => undefined } },
    managed: { release: () => undefined },
  };
  const leave = (record: Partial<RunRecord>, step: Partial<FollowedRun["step"]> = {}): Promise<boolean> => {
    const run = { record: { uid: "u", wasReady: false, end: null, plan: {}, ...record }, step: { do: "run", ...step } };
    return leavePlace(context as unknown as CompositionContext, composition, run as unknown as FollowedRun, () => {
      removed.push(region ?? "");
      return Promise.resolve(left);
    });
  };
  return { context, removed, leave };
}

const plan = { recreates: true } as RunRecord["plan"];

describe("a run that goes on in another place", () => {
  it("is installed there once nothing of it is left in the former one", async () => {
    const rest: Resource[] = [{ apiVersion: "v1", kind: "Disk", metadata: {} }];
    const one = at("eastus", rest);
    expect(await one.leave({ plan })).toBe(true);
    // Helm knows nothing of it any more, and its operators still delete.
    const again = at(null, rest);
    again.context.uninstalled.set("u", "job-1");
    expect(await again.leave({ plan })).toBe(true);
    rest.pop();
    expect(await again.leave({ plan })).toBe(false);
    expect(again.context.uninstalled.size).toBe(0);
    expect(await at(null).leave({ plan })).toBe(false);
  });

  it("leaves its place after an eviction too", async () => {
    const one = at("eastus");
    expect(await one.leave({ evictions: { count: 1, waiting: true } })).toBe(false);
    expect(one.removed).toEqual(["eastus"]);
  });

  it("leaves its place in a planned pause too: an upgrade would move what cannot be moved", async () => {
    const one = at("eastus");
    expect(await one.leave({ plan }, { do: "pause" })).toBe(false);
    expect(one.removed).toEqual(["eastus"]);
    const zone = at("westus", [], "1");
    expect(await zone.leave({}, { do: "pause" })).toBe(false);
    expect(zone.removed).toEqual(["westus"]);
  });

  it.each<[string, string, Partial<RunRecord>, Partial<FollowedRun["step"]>]>([
    ["in the same place", "westus", { plan }, {}],
    ["whose machine runs", "eastus", { plan, wasReady: true }, {}],
    ["whose machine is only stopped", "eastus", {}, {}],
    ["that is paused in the same place", "westus", { plan }, { do: "pause" }],
    ["that is over", "eastus", { plan, end: { at: 1, by: "time", outcome: "unknown" } }, {}],
    ["that is retained", "eastus", { plan: { ...plan, retains: true } }, {}],
  ])("removes nothing of a run %s", async (_what, region, record, step) => {
    const one = at(region);
    expect(await one.leave(record, step)).toBe(false);
    expect(one.removed).toEqual([]);
  });

  it("leaves its zone at its first start too, and not once its machine worked, is over, or is retained", async () => {
    const one = at("westus", [], "1");
    expect(await one.leave({})).toBe(false);
    expect(one.removed).toEqual(["westus"]);
    const others: Partial<RunRecord>[] = [
      { wasReady: true },
      { end: { at: 1, by: "time", outcome: "unknown" } },
      { plan: { retains: true } as RunRecord["plan"] },
    ];
    for (const record of others) {
      const kept = at("westus", [], "1");
      await kept.leave(record);
      expect(kept.removed).toEqual([]);
    }
  });
});
