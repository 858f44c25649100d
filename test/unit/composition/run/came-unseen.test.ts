// A machine that comes or goes while nobody can note it: since when it is so, as its provider or its operator says.
import { describe, expect, it } from "vitest";
import { runAccount } from "../../../../src/composition/run/state/run-account.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import { formatTime } from "../../../../src/model/time.ts";
import { type Faults, RandomRun } from "../../../support/composition/random-run.ts";
import { decisionOf, HOUR, revisionOf, RunWithMachine, START } from "../../../support/composition/run-with-machine.ts";

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
    const run = new RandomRun({ spec, annotations: decisionOf([[0, 5]]) }, faults);
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

describe("a spot machine that is evicted and replaced while no controller runs", () => {
  const at = (hours: number): string => formatTime(START + hours * HOUR);
  const aws = (instanceID: string, launched: number): Resource => ({
    ...{ apiVersion: "ec2.services.k8s.aws/v1alpha1", kind: "Instance", metadata: { name: "job", uid: "i" } },
    spec: { instanceMarketOptions: { marketType: "spot" } },
    status: {
      ...{ instanceID, state: { name: "running" }, launchTime: at(launched) },
      conditions: [{ type: "Ready", status: "True" }],
    },
  });
  const azure = (vmId: string, created: number): Resource => ({
    ...{ apiVersion: "compute.azure.com/v1api20220301", kind: "VirtualMachine", metadata: { name: "job", uid: "i" } },
    spec: { priority: "Spot" },
    status: { vmId, timeCreated: at(created), conditions: [{ type: "Ready", status: "True", reason: "Succeeded" }] },
  });

  /** A run of six hours, at which a controller looks until 0.9 h, and again then. */
  async function seenAgain(spec: object, machines: readonly [Resource, Resource], hours: number) {
    const given = { duration: "6h", whenDone: "keep", capacityType: "spot", ...spec };
    const run = new RunWithMachine({ spec: given, revisions: [revisionOf("deployed", machines)] });
    run.live = [machines[0]];
    await run.lookFrom(0.1, 0.9);
    run.forget();
    run.live = [machines[1]];
    return { run, seen: await run.look(hours) };
  }

  it.each([
    ["AWS", { provider: "aws", deadline: at(10) }, [aws("i-1", 0), aws("i-2", 1.2)] as const],
    ["AWS, without a deadline", { provider: "aws" }, [aws("i-1", 0), aws("i-2", 1.2)] as const],
    ["Azure", { provider: "azure", deadline: at(10), whenDone: "delete" }, [azure("a", 0), azure("b", 1.2)] as const],
  ])("has worked since it came: %s", async (_what, spec, machines) => {
    const { run, seen } = await seenAgain(spec, machines, 5);
    expect(seen.step).toMatchObject({ do: "run", found: null });
    expect(seen.omitsMachine).toBeUndefined();
    const evictions = { count: 1, waiting: false };
    expect(run.record).toMatchObject({ startedAt: START + 1.2 * HOUR, firstStartedAt: START, evictions, end: null });
    const evicted = "Evicted: its spot machine was evicted (1 in all); the run starts again";
    expect(run.events).toEqual([evicted, expect.stringContaining("StartedAgain: its spot machine came back")]);
    expect(runAccount(seen.record, run.now).hours).toBeCloseTo(5, 1);
  });

  it("has done its work if that is over by then", async () => {
    const { run, seen } = await seenAgain({ whenDone: "delete" }, [aws("i-1", 0), aws("i-2", 1.2)], 7.3);
    expect(seen.record.end).toMatchObject({ at: START + 7.2 * HOUR, by: "time", outcome: "unknown" });
    expect(Number(run.status(seen)["hours"])).toBeCloseTo(7.2, 1);
  });

  it("is too late for its work", async () => {
    const { seen } = await seenAgain({ deadline: at(7) }, [aws("i-1", 0), aws("i-2", 1.2)], 5);
    expect(seen.record.end).toMatchObject({ by: "eviction", outcome: "failed" });
  });
});
