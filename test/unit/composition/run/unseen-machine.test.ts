// A controller that was away does not know what happened meanwhile. It looks at the machine first, and judges in favour of one that is there.
import { describe, expect, it } from "vitest";
import type { Resource } from "../../../../src/composition/types.ts";
import { formatTime } from "../../../../src/model/time.ts";
import {
  cnrm,
  HOUR,
  revisionOf,
  RunWithMachine,
  START,
  STOCKOUT,
} from "../../../support/composition/run-with-machine.ts";

const machine = (currentStatus: string, fields: { spec?: Record<string, unknown>; since?: number } = {}): Resource => {
  const made = cnrm("ComputeInstance", null, { spec: fields.spec ?? {}, status: { currentStatus, instanceId: "123" } });
  const lastTransitionTime = formatTime(fields.since ?? START - HOUR);
  return { ...made, status: { ...made.status, conditions: [{ type: "Ready", status: "True", lastTransitionTime }] } };
};
const instance = (launchTime: string): Resource => ({
  ...{ apiVersion: "ec2.services.k8s.aws/v1alpha1", kind: "Instance", metadata: { name: "job", uid: "i" } },
  status: { instanceID: "i-1", launchTime, state: { name: "running" } },
});
const SPEC = { duration: "2h", whenDone: "delete" };
const SPOT = { scheduling: { provisioningModel: "SPOT" } };

describe("a controller that was killed while helm installed a run", () => {
  it.each([
    ["pending-install", 0.83],
    ["pending-install", 3],
    ["failed", 0.83],
    ["failed", 3],
  ])("trusts the machine of a revision that is %s, %d h later", async (status, hours) => {
    const run = new RunWithMachine({ spec: SPEC });
    run.live = [machine("RUNNING"), cnrm("ComputeFirewall", null)];
    run.revisions = [revisionOf(status, run.live)];
    const first = await run.look(hours);
    expect(first.record.refused).toBeUndefined();
    const ended = await run.lookFrom(hours + 0.05, 4);
    expect(run.condition(ended, "Completed")).toMatchObject({ status: "True", reason: "DurationOver" });
    expect(run.status(ended)).toMatchObject({ outcome: "unknown", hours: "2.00" });
  });

  it.each<[string, Resource[]]>([
    ["is not there", []],
    ["is refused", [cnrm("ComputeInstance", STOCKOUT)]],
  ])("counts it as one without a machine if that %s", async (_what, live) => {
    const run = new RunWithMachine({ spec: SPEC });
    run.live = live;
    run.revisions = [revisionOf("failed", [machine("RUNNING")])];
    const ended = await run.look(3);
    expect(run.condition(ended, "Failed")).toMatchObject({ status: "True", reason: "NoMachine" });
  });
});

describe("a machine that was refused, and came while no controller looked", () => {
  const away = (live: Resource, spec: Record<string, unknown> = SPEC): RunWithMachine => {
    const run = new RunWithMachine({ spec, record: { refused: true } });
    run.live = [live];
    run.revisions = [revisionOf("deployed", run.live)];
    return run;
  };

  it.each([
    ["its provider", instance(formatTime(START + 600))],
    ["its operator", machine("RUNNING", { since: START + 600 })],
  ])("has worked since %s says that it is there", async (_who, live) => {
    const run = away(live);
    const ended = await run.look(3);
    expect(ended.record).toMatchObject({ startedAt: START + 600, end: { at: START + 600 + 2 * HOUR, by: "time" } });
    expect(run.condition(ended, "Completed")).toMatchObject({ status: "True", reason: "DurationOver" });
    expect(run.status(ended)).toMatchObject({ outcome: "unknown", hours: "2.00" });
  });

  it("works its whole duration if nobody says since when it is there", async () => {
    const run = away(machine("RUNNING"));
    const ended = await run.lookFrom(3, 6);
    expect(run.status(ended)).toMatchObject({ outcome: "unknown", hours: "2.00" });
    expect(ended.record.end?.at).toBe(START + 5 * HOUR);
  });

  it("has failed all the same if it is off", async () => {
    const run = away(machine("TERMINATED"));
    expect(run.condition(await run.look(3), "Failed")).toMatchObject({ status: "True", reason: "NoMachine" });
  });
});

describe("a machine that was evicted, and came back while no controller looked", () => {
  it.each([
    ["has worked since then", machine("RUNNING", { spec: SPOT, since: START + 1.1 * HOUR }), 3.1],
    ["works until its deadline if nobody says since when it is there", machine("RUNNING", { spec: SPOT }), 8],
  ])("%s", async (_what, live, hours) => {
    const spec = { ...SPEC, capacityType: "spot", deadline: formatTime(START + 8 * HOUR) };
    const evictions = { count: 1, waiting: true };
    const meter = { hours: 1, usd: 1, at: START + HOUR, on: false };
    const times = { startedAt: START + HOUR, firstStartedAt: START };
    const run = new RunWithMachine({ spec, record: { ...times, evictions, meter, bootSeconds: 60 } });
    run.live = [live];
    run.revisions = [revisionOf("deployed", run.live)];
    const ended = await run.lookFrom(6.5, 9);
    expect(run.condition(ended, "Completed")).toMatchObject({ status: "True", reason: "DurationOver" });
    expect(ended.record.end?.at).toBeCloseTo(START + hours * HOUR, 0);
    expect(run.status(ended)).toMatchObject({ evictions: 1, hours: "3.00" });
    expect(run.events.map((event) => event.split(":")[0])).toEqual(["StartedAgain", "Completed"]);
  });
});
