// A machine that comes or goes while nobody can note it: since when it is so, as its provider or its operator says.
import { describe, expect, it } from "vitest";
import type { Resource } from "../../../../src/composition/types.ts";
import { formatTime } from "../../../../src/model/time.ts";
import { type Faults, RandomRun } from "../../../support/composition/random-run.ts";
import { decisionOf, HOUR, RunWithMachine, START } from "../../../support/composition/run-with-machine.ts";

const NONE: Faults = {
  outages: [],
  holds: [],
  shortages: [],
  silences: [],
  failures: [],
  evictions: [],
  kills: [],
  conflicts: [],
};

describe("a machine that was refused or evicted, and comes unseen", () => {
  const shortages = [[0, HOUR]] as const;
  const spot = { capacityType: "spot", deadline: formatTime(START + 12 * HOUR) };
  const evicted = { evictions: [HOUR], shortages: [[HOUR, 1.2 * HOUR]], outages: [[1.1 * HOUR, 4 * HOUR]] } as const;
  it.each<[string, Record<string, unknown>, Partial<Faults>, number]>([
    ["no controller runs", {}, { shortages, outages: [[HOUR / 2, 4 * HOUR]] }, 1.04],
    ["none runs, with a limit", { maxLifetime: "8h" }, { shortages, outages: [[HOUR / 2, 4 * HOUR]] }, 1.04],
    ["its release cannot be upgraded", {}, { shortages, failures: [[HOUR / 2, 4 * HOUR]] }, 1.04],
    ["it was evicted, and no controller runs", spot, evicted, 1.24],
  ])("works its duration from when it is there: %s", async (_what, more, faults, since) => {
    const spec = { provider: "gcp", duration: "5h", whenDone: "delete", ...more };
    const run = new RandomRun({ spec, annotations: decisionOf([[0, 5]]) }, { ...NONE, ...faults });
    await run.livesUntil(20 * HOUR, () => undefined);
    const { end, startedAt } = run.record ?? {};
    expect(((startedAt ?? 0) - START) / HOUR).toBeCloseTo(since, 1);
    expect(end).toMatchObject({ at: (startedAt ?? 0) + 5 * HOUR, by: "time", outcome: "unknown" });
    const before = faults.evictions === undefined ? 0 : 1;
    expect(Number(run.last && run.status(run.last)["hours"])).toBeCloseTo(before + 5, 1);
    expect(run.events.join()).not.toContain("WorkLost");
  });
});

describe("a spot machine that is evicted while no controller runs", () => {
  const instance = (name: string, more: Record<string, unknown> = {}): Resource => ({
    ...{ apiVersion: "ec2.services.k8s.aws/v1alpha1", kind: "Instance", metadata: { name: "job", uid: "i" } },
    spec: { instanceMarketOptions: { marketType: "spot" } },
    status: {
      ...{ instanceID: "i-1", state: { name }, launchTime: formatTime(START - HOUR), ...more },
      conditions: [{ type: "Ready", status: "True" }],
    },
  });

  it.each([
    ["since its provider says it", { stateTransitionReason: "Server.Spot (2027-01-15 09:00:00 GMT)" }, 1],
    ["since it is seen, if its provider does not say it", {}, 3],
  ])("is off %s", async (_what, more, hours) => {
    const deadline = formatTime(START + 12 * HOUR);
    const run = new RunWithMachine({
      spec: { provider: "aws", duration: "5h", whenDone: "delete", capacityType: "spot", deadline },
    });
    run.live = [instance("running")];
    await run.look(0.01);
    run.live = [instance("terminated", more)];
    expect((await run.look(3)).record).toMatchObject({ evictions: { count: 1, waiting: true } });
    expect(run.record?.meter).toMatchObject({ on: false });
    expect(run.record?.meter?.hours).toBeCloseTo(hours, 1);
  });
});
